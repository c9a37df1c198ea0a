package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// The kinds of event, and the ping that a test sends.
const (
	EventConversionCreated = "conversion.created"
	EventConversionUpdated = "conversion.updated"
	EventLinkBroken        = "link.broken"
	EventLinkUnsafe        = "link.unsafe"
	EventCampaignPaused    = "campaign.paused"
	EventPlanLimitReached  = "plan.limit_reached"
	EventPing              = "ping"
)

// EventTypes lists the kinds of event to which an endpoint can subscribe, in the order of the documentation.
var EventTypes = []string{
	EventConversionCreated, EventConversionUpdated, EventLinkBroken, EventLinkUnsafe,
	EventCampaignPaused, EventPlanLimitReached,
}

// EventTimeFormat is the layout of times in events and answers, such as created_at: ISO 8601, UTC, milliseconds.
const EventTimeFormat = "2006-01-02T15:04:05.000Z"

// RecordedAtFormat is the layout of a conversion's recorded_at: UTC, milliseconds, without a zone.
const RecordedAtFormat = "2006-01-02 15:04:05.000"

// Event is something that happened on an account. Body is made once, so that every attempt and redelivery sends the same bytes.
type Event struct {
	ID        uuid.UUID `db:"id"`
	AccountID uuid.UUID `db:"account_id"`
	Type      string    `db:"type"`
	CreatedAt time.Time `db:"created_at"`
	Body      []byte    `db:"body"`
}

// NewEvent makes an event with data as its payload. It panics if data cannot be written as JSON.
func NewEvent(account uuid.UUID, kind string, at time.Time, data any) Event {
	e := Event{ID: uuid.Must(uuid.NewV7()), AccountID: account, Type: kind, CreatedAt: at.UTC().Truncate(time.Millisecond)}
	body, err := json.Marshal(struct {
		ID        uuid.UUID `json:"id"`
		Type      string    `json:"type"`
		CreatedAt string    `json:"created_at"`
		AccountID uuid.UUID `json:"account_id"`
		Data      any       `json:"data"`
	}{e.ID, e.Type, e.CreatedAt.Format(EventTimeFormat), account, data})
	if err != nil {
		panic(err)
	}
	e.Body = body
	return e
}

// ConversionData is a conversion as events and logs show it.
type ConversionData struct {
	ClickID      string      `json:"click_id"`
	ConversionID string      `json:"conversion_id"`
	Status       string      `json:"status" enum:"pending,approved,rejected,chargeback"`
	Payout       json.Number `json:"payout"`
	Currency     string      `json:"currency"`
	Goal         string      `json:"goal"`
	CampaignID   string      `json:"campaign_id"`
	OfferID      string      `json:"offer_id"`
	SourceID     string      `json:"source_id"`
	RecordedAt   string      `json:"recorded_at"`
	Source       string      `json:"source"`
}

// ConversionEvent is the payload of conversion.created and conversion.updated. Receivers find the click in their own records by
// the parameters of its tracking link.
type ConversionEvent struct {
	ConversionData
	ExternalID string `json:"external_id"`
	SubParams
}

// Event returns the payload of the events about a conversion of the click.
func (c Conversion) Event(click *Click) ConversionEvent {
	return ConversionEvent{c.Data(), click.ExternalID, SubsOf(click.Subs)}
}

// SubParams are the sub-parameters of a click in answers and events. Sub-parameters from sub11 on are left out if they are empty,
// because older versions did not have them.
type SubParams struct {
	Sub1  string `json:"sub1"`
	Sub2  string `json:"sub2"`
	Sub3  string `json:"sub3"`
	Sub4  string `json:"sub4"`
	Sub5  string `json:"sub5"`
	Sub6  string `json:"sub6"`
	Sub7  string `json:"sub7"`
	Sub8  string `json:"sub8"`
	Sub9  string `json:"sub9"`
	Sub10 string `json:"sub10"`
	Sub11 string `json:"sub11,omitempty"`
	Sub12 string `json:"sub12,omitempty"`
	Sub13 string `json:"sub13,omitempty"`
	Sub14 string `json:"sub14,omitempty"`
	Sub15 string `json:"sub15,omitempty"`
	Sub16 string `json:"sub16,omitempty"`
	Sub17 string `json:"sub17,omitempty"`
	Sub18 string `json:"sub18,omitempty"`
	Sub19 string `json:"sub19,omitempty"`
	Sub20 string `json:"sub20,omitempty"`
	Sub21 string `json:"sub21,omitempty"`
	Sub22 string `json:"sub22,omitempty"`
	Sub23 string `json:"sub23,omitempty"`
	Sub24 string `json:"sub24,omitempty"`
	Sub25 string `json:"sub25,omitempty"`
	Sub26 string `json:"sub26,omitempty"`
	Sub27 string `json:"sub27,omitempty"`
	Sub28 string `json:"sub28,omitempty"`
	Sub29 string `json:"sub29,omitempty"`
	Sub30 string `json:"sub30,omitempty"`
}

// SubsOf returns sub-parameters for answers and events.
func SubsOf(s [Subs]string) SubParams {
	return SubParams{
		s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9],
		s[10], s[11], s[12], s[13], s[14], s[15], s[16], s[17], s[18], s[19],
		s[20], s[21], s[22], s[23], s[24], s[25], s[26], s[27], s[28], s[29],
	}
}

// Data returns the conversion as events and logs show it. The id of a missing campaign, offer or source is empty.
func (c Conversion) Data() ConversionData {
	return ConversionData{
		ClickID: FormatClickID(c.ClickID), ConversionID: c.ConversionID, Status: c.Status,
		Payout: json.Number(c.Payout.Round(6).String()), Currency: c.Currency, Goal: c.Goal,
		CampaignID: IDText(c.CampaignID), OfferID: IDText(c.OfferID), SourceID: IDText(c.SourceID),
		RecordedAt: c.RecordedAt.UTC().Format(RecordedAtFormat), Source: c.Source,
	}
}

// IDText returns a UUID as text, and "" for the zero UUID.
func IDText(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}
	return id.String()
}

// ParseID parses a UUID of 36 characters. It accepts no other form.
func ParseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == 36
}

// The authors of a pause.
const (
	ByPerson  = "person"
	ByAPI     = "api"
	ByCopilot = "copilot"
	ByConfig  = "config"
)

// CampaignPausedData is the payload of campaign.paused.
type CampaignPausedData struct {
	CampaignID string `json:"campaign_id"`
	Name       string `json:"name"`
	Alias      string `json:"alias"`
	By         string `json:"by" enum:"person,api,copilot,config" doc:"who paused it. person: a person in the dashboard or by a connected assistant; api: a key; config: an applied configuration"`
	Who        string `json:"who" doc:"name of the person or the key; empty for copilot and config"`
}

// EventData holds an empty payload of each kind, for documentation.
var EventData = map[string]any{
	EventConversionCreated: ConversionEvent{}, EventConversionUpdated: ConversionEvent{}, EventLinkBroken: LinkBrokenData{},
	EventLinkUnsafe: LinkUnsafeData{}, EventCampaignPaused: CampaignPausedData{}, EventPlanLimitReached: PlanLimitData{},
	EventPing: PingData{},
}

// PingData is the payload of the event that POST /webhooks/test sends.
type PingData struct {
	WebhookID string `json:"webhook_id"`
	Message   string `json:"message"`
}

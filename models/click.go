package models

import (
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// Subs is how many sub-parameters (sub1..sub10) a click carries.
const Subs = 10

// Click is one arrival on a tracking link as it was routed: the fact that the spool keeps, PostgreSQL stores and
// every report counts. A zero UUID means none. Texts were cut to their limits before the click was made. The time
// of a click is the time inside its id (ClickTime).
type Click struct {
	ID               uuid.UUID `json:"id"`
	AccountID        uuid.UUID `json:"account_id"`
	CampaignID       uuid.UUID `json:"campaign_id"`
	ParentCampaignID uuid.UUID `json:"parent_campaign_id,omitzero"`
	StreamID         uuid.UUID `json:"stream_id,omitzero"`
	LanderID         uuid.UUID `json:"lander_id,omitzero"`
	OfferID          uuid.UUID `json:"offer_id,omitzero"`
	NetworkID        uuid.UUID `json:"network_id,omitzero"`
	SourceID         uuid.UUID `json:"source_id,omitzero"`
	VisitorID        uuid.UUID `json:"visitor_id,omitzero"`

	Domain      string       `json:"domain"`
	Destination string       `json:"destination,omitempty"` // where the visitor was sent, tokens filled
	Arrival     string       `json:"arrival,omitempty"`     // how the visitor was identified: url, cookie, redirect, ...
	ExternalID  string       `json:"external_id,omitempty"` // the traffic source's own click id
	Subs        [Subs]string `json:"subs,omitzero"`
	Params      string       `json:"params,omitempty"` // the raw query as received, cut

	IP             netip.Addr `json:"ip"`
	UserAgent      string     `json:"user_agent,omitempty"`
	Referrer       string     `json:"referrer,omitempty"`
	ReferrerDomain string     `json:"referrer_domain,omitempty"`
	Keyword        string     `json:"keyword,omitempty"`
	SearchEngine   string     `json:"search_engine,omitempty"`
	Language       string     `json:"language,omitempty"`

	Country        string `json:"country,omitempty"`
	Region         string `json:"region,omitempty"`
	City           string `json:"city,omitempty"`
	ISP            string `json:"isp,omitempty"`
	ASN            uint32 `json:"asn,omitempty"`
	MobileOperator string `json:"mobile_operator,omitempty"`
	ConnectionType string `json:"connection_type,omitempty"`
	ProxyKind      string `json:"proxy_kind,omitempty"`

	DeviceType     string `json:"device_type,omitempty"`
	DeviceBrand    string `json:"device_brand,omitempty"`
	DeviceModel    string `json:"device_model,omitempty"`
	OS             string `json:"os,omitempty"`
	OSVersion      string `json:"os_version,omitempty"`
	Browser        string `json:"browser,omitempty"`
	BrowserVersion string `json:"browser_version,omitempty"`

	IsBot      bool   `json:"is_bot,omitempty"`
	BotScore   int    `json:"bot_score,omitempty"`
	BotSignals uint64 `json:"bot_signals,omitempty"` // bit per signal, see package bot
	BotReason  string `json:"bot_reason,omitempty"`  // the heaviest signal that fired

	// Cost is what the click cost in any case, UniqueCost what it costs besides when it turns out to be unique.
	Cost       decimal.Decimal `json:"cost,omitzero"`
	UniqueCost decimal.Decimal `json:"unique_cost,omitzero"`
	Currency   string          `json:"currency,omitempty"`
	// ConversionCost is the price of each approved conversion (cost models cpa and cps); RevenueShare is the
	// percentage of approved revenue that goes to the source (revshare).
	ConversionCost decimal.Decimal `json:"conversion_cost,omitzero"`
	RevenueShare   decimal.Decimal `json:"revenue_share,omitzero"`

	// UniqueKey is the fingerprint that decides uniqueness within the campaign for UniqueHours.
	UniqueKey   [16]byte `json:"unique_key"`
	UniqueHours int      `json:"unique_hours"`

	// How it was routed: the seed of its draws, a fingerprint of the flows that decided, and by which rule of the order
	// (flow.Via). With the same flow the seed gives the same decision again.
	RouteSeed uint64 `json:"route_seed,omitempty"`
	FlowHash  uint64 `json:"flow_hash,omitempty"`
	Via       int    `json:"via,omitempty"`
}

// ClickOut is one step of a visitor from a lander to an offer.
type ClickOut struct {
	ID          uuid.UUID `json:"id"` // a UUIDv7: its time is the time of the step
	ClickID     uuid.UUID `json:"click_id"`
	AccountID   uuid.UUID `json:"account_id"`
	Slot        int       `json:"slot"`
	OfferID     uuid.UUID `json:"offer_id,omitzero"`
	NetworkID   uuid.UUID `json:"network_id,omitzero"`
	Destination string    `json:"destination"`
}

// Postback is one raw message from a network or a shop that a conversion happened, exactly as it arrived: it is
// kept first and understood later, by the job conversion:record.
type Postback struct {
	ID         uuid.UUID         `json:"id"`                    // a UUIDv7: its time is when the postback arrived
	AccountID  uuid.UUID         `json:"account_id,omitzero"`   // known when the address names a network or an own domain
	NetworkID  uuid.UUID         `json:"network_id,omitzero"`   // of /postback/{network id}
	Source     string            `json:"source"`                // postback, pixel, tag, goal_api
	Domain     string            `json:"domain"`                //
	IP         netip.Addr        `json:"ip"`                    //
	Params     map[string]string `json:"params"`                // query, form or JSON members, first value each, cut
	Signature  string            `json:"signature,omitempty"`   // X-Signature header
	SignedText string            `json:"signed_text,omitempty"` // what the signature covers: raw query or body
}

// Statuses of a conversion.
const (
	StatusPending    = "pending"
	StatusApproved   = "approved"
	StatusRejected   = "rejected"
	StatusChargeback = "chargeback"
)

// Where a conversion came from: the values of data.source.
const (
	FromPostback    = "postback"
	FromPixel       = "pixel"
	FromTag         = "tag"
	FromGoalAPI     = "goal_api"
	FromCorrection  = "correction"
	FromNetworkSync = "network_sync"
	FromCopilot     = "copilot"
)

// Conversion is what a click led to. Its figures count at its click's time and dimensions; RecordedAt is its own.
type Conversion struct {
	ID             uuid.UUID       `db:"id"`
	AccountID      uuid.UUID       `db:"account_id"`
	ClickID        uuid.UUID       `db:"click_id"`
	ConversionID   string          `db:"conversion_id"` // the network's or the shop's id; empty: one per click and goal
	Goal           string          `db:"goal"`
	Status         string          `db:"status"`
	OriginalStatus string          `db:"original_status"` // the network's own word
	Payout         decimal.Decimal `db:"payout"`
	Currency       string          `db:"currency"`
	Cost           decimal.Decimal `db:"cost"`
	CampaignID     uuid.UUID       `db:"campaign_id"`
	OfferID        uuid.UUID       `db:"offer_id"`
	SourceID       uuid.UUID       `db:"source_id"`
	NetworkID      uuid.UUID       `db:"network_id"`
	Source         string          `db:"source"`
	RecordedAt     time.Time       `db:"recorded_at"`
	UpdatedAt      time.Time       `db:"updated_at"`
}

// statusMoves lists the documented moves; a status may always be recorded again as it is.
var statusMoves = map[string][]string{
	StatusPending:    {StatusApproved, StatusRejected},
	StatusApproved:   {StatusRejected, StatusChargeback},
	StatusRejected:   {StatusApproved},
	StatusChargeback: nil, // final
}

// ValidStatus tells whether s is one of the four statuses.
func ValidStatus(s string) bool { _, ok := statusMoves[s]; return ok }

// CanMove tells whether a conversion may go from one status to another.
func CanMove(from, to string) bool {
	if from == to {
		return true
	}
	for _, s := range statusMoves[from] {
		if s == to {
			return true
		}
	}
	return false
}

package models

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// SourcePostback decides which conversions a traffic source is notified of, at which address and how.
type SourcePostback struct {
	PostbackURL      string         `db:"postback_url" json:"postback_url" trim:"true" maxLength:"4000" format:"routable" send:"address where conversions are reported to the source: http(s) on the public internet; {token} placeholders allowed after the host"`
	PostbackMethod   string         `db:"postback_method" json:"postback_method" bad:"invalid_value" case:"upper" enum:"GET,POST" default:"GET" send:"POST sends the query of the address as a form"`
	PostbackStatuses []string       `db:"postback_statuses" json:"postback_statuses" bad:"invalid_value" unique:"true" enum:"pending,approved,rejected,chargeback" default:"[\"approved\"]" send:"a conversion is reported once for each of these statuses that it gets; empty list: no conversion is reported"`
	PostbackGoals    []GoalPostback `db:"postback_goals,json" json:"postback_goals" maxItems:"20" send:"goals that have settings of their own; if postback_url is empty, no other goals are reported"`
	SendPayoutPct    Money          `db:"send_payout_pct" json:"send_payout_pct" bad:"invalid_number,out_of_range" min:"0" max:"100" default:"100" send:"how much of the payout is reported, in per cent"`
}

// GoalPostback holds the settings for postbacks about conversions of one goal.
type GoalPostback struct {
	Goal     string   `json:"goal" trim:"true" maxLength:"64" send:"goal of the conversions, without regard to case; empty: conversions without a goal"`
	URL      string   `json:"url" trim:"true" maxLength:"4000" format:"routable" send:"address for this goal, in the form of postback_url; empty: the postback_url of the source"`
	Statuses []string `json:"statuses" bad:"invalid_value" unique:"true" enum:"pending,approved,rejected,chargeback" default:"[\"approved\"]" send:"statuses that are reported for this goal, as in postback_statuses"`
}

var placeholder = regexp.MustCompile(`YOUR_[A-Z0-9_]+`)

// Placeholder returns the first word of an address that stands for the account's own value, such as YOUR_AID.
func Placeholder(address string) string { return placeholder.FindString(address) }

// URLFor returns the address at which the source is notified of a conversion with a goal and a status. ok is false if the source is
// not notified of it, for example because the address has a placeholder.
func (p SourcePostback) URLFor(goal, status string) (url string, ok bool) {
	url, statuses := p.PostbackURL, p.PostbackStatuses
	for _, g := range p.PostbackGoals {
		if strings.EqualFold(g.Goal, goal) {
			url, statuses = cmp.Or(g.URL, url), g.Statuses
		}
	}
	if Placeholder(url) != "" {
		return "", false
	}
	return url, url != "" && slices.Contains(statuses, status)
}

// URLs returns all postback addresses of the settings, including addresses with placeholders.
func (p SourcePostback) URLs() []string {
	var list []string
	if p.PostbackURL != "" {
		list = append(list, p.PostbackURL)
	}
	for _, g := range p.PostbackGoals {
		if g.URL != "" {
			list = append(list, g.URL)
		}
	}
	return list
}

// Check returns an error if a goal is listed twice.
func (p SourcePostback) Check() error {
	seen := map[string]bool{}
	for _, g := range p.PostbackGoals {
		name := strings.ToLower(g.Goal)
		if seen[name] {
			return Invalid("invalid_input", "the goal %q is in postback_goals twice", g.Goal)
		}
		seen[name] = true
	}
	return nil
}

// Share returns the part of an amount that is reported to the source.
func (p SourcePostback) Share(amount decimal.Decimal) decimal.Decimal {
	return amount.Mul(p.SendPayoutPct.Decimal).Shift(-2).Round(MoneyScale)
}

// Results of a postback to a traffic source.
const (
	SentPending  = "pending"
	SentAccepted = "told"
	SentFailed   = "failed"
	SentSkipped  = "skipped" // not sent, for example because the source was paused
)

// SentResults lists the results of postbacks to traffic sources.
var SentResults = []string{SentPending, SentAccepted, SentFailed, SentSkipped}

// SentPostback is the notification of a traffic source about a conversion. There is one for each status that the conversion gets
// and the source wants to receive.
type SentPostback struct {
	ID           uuid.UUID           `db:"id"`
	AccountID    uuid.UUID           `db:"account_id"`
	SourceID     uuid.UUID           `db:"source_id"`
	CampaignID   uuid.UUID           `db:"campaign_id"`
	NetworkID    uuid.UUID           `db:"network_id"`
	ClickID      uuid.UUID           `db:"click_id"`
	ConversionID uuid.UUID           `db:"conversion_id"`
	Reference    string              `db:"reference"` // the network's or shop's own id of the conversion
	Goal         string              `db:"goal"`
	Status       string              `db:"status"`
	Payout       decimal.Decimal     `db:"payout"` // the whole payout, whatever share is reported to the source
	Currency     string              `db:"currency"`
	Rate         decimal.NullDecimal `db:"rate"` // from Currency to the account's currency; invalid: there was no rate
	Cost         decimal.Decimal     `db:"cost"` // in the account's currency
	RecordedAt   time.Time           `db:"recorded_at"`
	Result       string              `db:"result"`
	Reason       string              `db:"reason"`
	Attempts     int                 `db:"attempts"`
	Request      SentRequest         `db:"request,json"`
	HTTPStatus   *int                `db:"http_status"` // of the last attempt; nil when no answer came
	Answer       string              `db:"answer"`      // the beginning of the answer's body
	Tries        []SentTry           `db:"tries,json"`  // the last MaxTries attempts, oldest first
	LastAttempt  *time.Time          `db:"last_attempt"`
	ToldAt       *time.Time          `db:"told_at"`
	CreatedAt    time.Time           `db:"created_at"`
}

// MaxTries is the maximum number of attempts of a postback that are stored individually.
const MaxTries = 20

// AnswerText cuts an answer to MaxAnswer bytes and removes bytes that PostgreSQL cannot store in a text.
func AnswerText(answer []byte) string {
	return Storable(string(answer[:min(len(answer), MaxAnswer)]))
}

// MaxAnswer is the maximum number of bytes of an answer that are stored.
const MaxAnswer = 2048

// SentRequest is the request of an attempt, without secrets.
type SentRequest struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Body   string `json:"body"`
}

// SentTry is one attempt to send a postback.
type SentTry struct {
	At         string `json:"at" doc:"time of the attempt: ISO 8601, UTC, milliseconds"`
	HTTPStatus *int   `json:"http_status" doc:"status of the source's answer; null: no answer came"`
	Error      string `json:"error" doc:"why the attempt did not succeed"`
	MS         int64  `json:"ms" doc:"how long the attempt took, in milliseconds"`
}

package copilot

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// States of a suggestion.
const (
	StatusOpen      = "open"
	StatusApplied   = "applied"
	StatusDismissed = "dismissed"
	StatusSnoozed   = "snoozed"
	StatusExpired   = "expired"
)

// States of a change and of a proposal, in addition to the states of suggestions.
const (
	StatusUndone    = "undone"    // state of a change
	StatusCancelled = "cancelled" // state of a proposal
	StatusStale     = "stale"     // state of a proposal
)

// Suggestion is a change or advice that follows from an account's figures.
type Suggestion struct {
	models.Owned
	Kind string `db:"kind,once" json:"kind"`
	// Key identifies a suggestion among the suggestions of its kind. Each key has at most one suggestion that is open,
	// dismissed or snoozed.
	Key          string        `db:"key,once" json:"-"`
	CampaignID   uuid.NullUUID `db:"campaign_id,once" json:"campaign_id"`
	CampaignName string        `db:"campaign_name" json:"campaign"`
	Title        string        `db:"title" json:"title"`
	Detail       string        `db:"detail" json:"detail"`
	Evidence     Evidence      `db:"evidence,json" json:"evidence"`
	Effect       *Effect       `db:"effect,json" json:"effect" doc:"expected effect of the change; null: not known"`
	Action       *Action       `db:"action,json" json:"action" doc:"null: advice only"`
	Digest       string        `db:"digest" json:"-"` // digest of the judged data, see Action.JudgedDigest
	Status       string        `db:"status,auto" json:"status" enum:"open,applied,dismissed,snoozed,expired"`
	CreatedAt    models.Stamp  `db:"created_at,auto" json:"created_at"`
	JudgedAt     models.Stamp  `db:"judged_at" json:"judged_at" doc:"when the figures last supported the suggestion"`
	ExpiresAt    models.Stamp  `db:"expires_at" json:"expires_at" doc:"when the suggestion expires unless the figures support it again"`
}

// AdviceOnly reports whether only a person can follow the suggestion.
func (s Suggestion) AdviceOnly() bool { return s.Action == nil }

// Evidence holds the figures on which a suggestion is based.
type Evidence struct {
	Figures    []Figure `json:"figures"`
	From       string   `json:"from" doc:"first day or hour of the window, in the account's time zone"`
	To         string   `json:"to" doc:"last day, or the moment at which the window ends"`
	Sample     int64    `json:"sample" doc:"number of clicks, or of other items that were counted"`
	Confidence float64  `json:"confidence" doc:"0 to 1; 1 for an observed fact that needs no statistics"`
	Method     string   `json:"method" doc:"how the confidence was calculated"`
	Minimum    string   `json:"minimum" doc:"the minimum data for such a suggestion"`
}

// Figure is one figure of an object, such as a path.
type Figure struct {
	Of    string       `json:"of"`
	Name  string       `json:"name"`
	Value models.Money `json:"value"`
}

// Effect is the daily effect that is expected of a change, with an interval of 90 %.
type Effect struct {
	Value models.Money `json:"value"`
	Low   models.Money `json:"low"`
	High  models.Money `json:"high"`
	Unit  string       `json:"unit" doc:"unit of the amounts, such as EUR a day"`
}

// Change is an action that was applied.
type Change struct {
	models.Owned
	SuggestionID uuid.NullUUID `db:"suggestion_id" json:"suggestion_id" doc:"the suggestion that was applied"`
	ProposalID   uuid.NullUUID `db:"proposal_id" json:"proposal_id" doc:"the proposal that was applied"`
	RuleID       uuid.NullUUID `db:"rule_id" json:"rule_id" doc:"the account's rule, if a rule made the change"`
	CampaignID   uuid.NullUUID `db:"campaign_id" json:"campaign_id"`
	Title        string        `db:"title" json:"title"`
	Action       Action        `db:"action,json" json:"action"`
	Before       Part          `db:"before,json" json:"before"`
	After        Part          `db:"after,json" json:"after"`
	Evidence     *Evidence     `db:"evidence,json" json:"evidence" doc:"for a change by a rule: the figures that made the rule act"`
	Status       string        `db:"status,auto" json:"status" enum:"applied,undone"`
	CreatedAt    models.Stamp  `db:"created_at,auto" json:"created_at"`
	UndoneAt     *models.Stamp `db:"undone_at,auto" json:"undone_at"`
}

// Proposal is a change that the chat or a caller of the API has proposed.
type Proposal struct {
	models.Owned
	CampaignID uuid.NullUUID `db:"campaign_id" json:"campaign_id"`
	Title      string        `db:"title" json:"title"`
	Reason     string        `db:"reason" json:"reason"`
	Action     Action        `db:"action,json" json:"action"`
	Digest     string        `db:"digest" json:"-"` // see Action.JudgedDigest
	Status     string        `db:"status,auto" json:"status" enum:"open,applied,cancelled,stale"`
	CreatedAt  models.Stamp  `db:"created_at,auto" json:"created_at"`
	ExpiresAt  time.Time     `db:"expires_at" json:"-"`
}

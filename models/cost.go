package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// CostRequest is a cost that a person sets by hand. It selects clicks and contains their cost.
type CostRequest struct {
	CampaignID uuid.UUID `json:"campaign_id"` // zero: all campaigns
	SourceID   uuid.UUID `json:"source_id"`   // zero: all traffic sources
	Sub        int       `json:"sub"`         // number of a sub-parameter; 0: all clicks
	SubValue   string    `json:"sub_value"`
	From       string    `json:"from"` // first day in the account's time zone, YYYY-MM-DD
	To         string    `json:"to"`   // last day, included
	// Amount is the total of all days. It is spread over the clicks. CPC is the cost of each click. Exactly one of the two is
	// set.
	Amount   *decimal.Decimal `json:"amount"`
	CPC      *decimal.Decimal `json:"cpc"`
	Currency string           `json:"currency"`
	// AloneAt is the traffic source at which the amount counts if there are no clicks. If it is zero, such an amount is refused.
	AloneAt uuid.UUID `json:"alone_at"`
}

// The maximum number of days whose cost can be set at once, and of clicks on these days.
const (
	MaxCostDays   = 92
	MaxCostClicks = 1_000_000
)

// UndoCostWithin is the time within which a cost that a person has set can be undone.
const UndoCostWithin = 30 * 24 * time.Hour

// CostChangeDays is the number of days for which changes of cost are listed.
const CostChangeDays = 730

// CostDay is the change of a campaign's cost on a day. Amounts are in the account's currency.
type CostDay struct {
	Day        string    `json:"day"`
	CampaignID uuid.UUID `json:"campaign_id"` // zero: the day has no clicks
	Clicks     int64     `json:"clicks"`
	Before     Money     `json:"before"`
	After      Money     `json:"after"`
}

// CostQuote describes the changes by a cost set by hand.
type CostQuote struct {
	Clicks int64     `json:"clicks"` // over which the cost is spread
	Before Money     `json:"before"`
	After  Money     `json:"after"`
	Days   []CostDay `json:"days"`
}

// The kinds of changes of cost.
const (
	CostByHand   = "hand"
	CostFromFile = "file"
)

// CostChange is a cost that a person has set. Before and After are in Base, which was the account's currency then.
type CostChange struct {
	ID        uuid.UUID       `db:"id"`
	Kind      string          `db:"kind"`
	Who       string          `db:"who"`
	Request   CostRequest     `db:"request,json"` // the request, for a cost set by hand
	Base      string          `db:"base"`
	FirstDay  *time.Time      `db:"first_day"`
	LastDay   *time.Time      `db:"last_day"`
	Clicks    int64           `db:"clicks"`
	Before    decimal.Decimal `db:"before"`
	After     decimal.Decimal `db:"after"`
	Kept      bool            `db:"kept"` // the values before the change are stored
	CreatedAt time.Time       `db:"created_at"`
	UndoneAt  *time.Time      `db:"undone_at"`
	UndoneBy  string          `db:"undone_by"`
	UndoneJob uuid.UUID       `db:"undone_job"`
}

// MayUndo reports whether a change can be undone. Other changes may still prevent it.
func (k CostChange) MayUndo(now time.Time) bool {
	return k.Kept && k.UndoneAt == nil && now.Before(k.CreatedAt.Add(UndoCostWithin))
}

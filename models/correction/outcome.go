package correction

import (
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// The results of a row.
const (
	Created   = "created"   // a new conversion
	Updated   = "updated"   // a recorded conversion changes
	Unchanged = "unchanged" // the conversion is already recorded in this form
	Spread    = "spread"    // spend that is spread over clicks
	Alone     = "alone"     // spend of a day without clicks
	Refused   = "refused"
)

// Verdict is the result of a row. In a dry run, it is the result that the row would have.
type Verdict struct {
	Line     int    `json:"line" doc:"line of the row; the first line of a file is line 1"`
	Accepted bool   `json:"accepted"`
	Result   string `json:"result" enum:"created,updated,unchanged,spread,alone,refused"`
	Reason   string `json:"reason" doc:"why the row is refused; empty: it is not refused"`
	Note     string `json:"note" doc:"which currency counts if the amount, the currency column and the heading state different currencies; otherwise empty"`
}

// Row has the fields that the rows of all kinds of corrections share.
type Row struct {
	Line    int
	Refusal string // why the row is refused; empty: it is not refused
	// Note says which currency counts if the amount, the currency column and the heading state different currencies. Otherwise it is
	// empty.
	Note string
	// DependsOnCurrency reports whether the amount states no currency, and would be read differently in another currency.
	DependsOnCurrency bool
}

// Refuse returns the verdict on a row that is refused.
func (r Row) Refuse(reason string) Verdict {
	return Verdict{Line: r.Line, Result: Refused, Reason: reason}
}

// Accept returns the verdict on a row that is accepted.
func (r Row) Accept(result string) Verdict {
	return Verdict{Line: r.Line, Accepted: true, Result: result, Note: r.Note}
}

// Refused returns the verdict on a row that was refused when it was read. The second result is false for any other row.
func (r Row) Refused() (Verdict, bool) { return r.Refuse(r.Refusal), r.Refusal != "" }

// IsAccepted reports whether the row is accepted.
func (v Verdict) IsAccepted() bool { return v.Accepted }

// ConversionOutcome is the outcome of a row of conversions. An accepted row has the fields of the resulting conversion, a refused
// row its own.
type ConversionOutcome struct {
	Verdict
	ClickID      string        `json:"click_id"`
	ConversionID string        `json:"conversion_id"`
	Goal         string        `json:"goal"`
	Status       string        `json:"status" doc:"empty: the row has no status"`
	Payout       *models.Money `json:"payout"`
	Currency     string        `json:"currency"`
	Counts       *models.Money `json:"counts" doc:"the payout in the account's currency; null: the row is refused, or there is no exchange rate for its day yet"`
	Time         *string       `json:"time"`
}

// Amount returns the amount that the row adds to the sum, in the account's currency. It is zero if the row is refused or there is no
// exchange rate.
func (o ConversionOutcome) Amount() decimal.Decimal { return orNothing(o.Counts) }

func orNothing(m *models.Money) decimal.Decimal {
	if m == nil {
		return decimal.Zero
	}
	return m.Decimal
}

// CostOutcome is the outcome of a row of spend.
type CostOutcome struct {
	Verdict
	Day          string        `json:"day"`
	Source       string        `json:"source" doc:"source as written in the row"`
	SourceID     *string       `json:"source_id"`
	Campaign     string        `json:"campaign" doc:"campaign as written in the row; empty: all campaigns"`
	CampaignID   *string       `json:"campaign_id"`
	Spend        models.Money  `json:"spend"`
	Currency     string        `json:"currency" doc:"empty: the currency of the row's campaign or, if the row names no campaign, of the account"`
	Counts       *models.Money `json:"counts" doc:"the spend in the account's currency; null: the row is refused, or there is no exchange rate for its day yet"`
	Clicks       *int64        `json:"clicks" doc:"number of clicks that the source counted"`
	Impressions  *int64        `json:"impressions"`
	SpreadClicks int64         `json:"spread_clicks" doc:"number of clicks over which the spend is spread"`
}

// Amount returns the amount that the row adds to the sum, in the account's currency. It is zero if the row is refused or there is no
// exchange rate.
func (o CostOutcome) Amount() decimal.Decimal { return orNothing(o.Counts) }

// Counts converts an amount with an exchange rate. Without a rate, the result is nil.
func Counts(amount decimal.Decimal, rate decimal.NullDecimal) *models.Money {
	if !rate.Valid {
		return nil
	}
	m := models.NewMoney(models.ConvertAmount(amount, rate))
	return &m
}

package conversion

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/money"
)

// statement is the content of one message about a conversion. The terms that the offer had when the message arrived are already
// applied.
type statement struct {
	At        uuid.UUID        `json:"at"`                 // id of the postback, or a new id; it contains the time of arrival
	Status    string           `json:"status,omitempty"`   // empty: the status does not change
	Reversal  bool             `json:"reversal,omitempty"` // see Input.Reversal
	Word      string           `json:"word,omitempty"`     // the sender's own word for the status
	Payout    decimal.Decimal  `json:"payout"`             // the earnings
	Reported  bool             `json:"said,omitempty"`     // the payout replaces the earlier payout
	Currency  string           `json:"currency,omitempty"` // currency of Payout
	Default   string           `json:"default,omitempty"`  // the currency if no statement names one
	Reason    string           `json:"reason,omitempty"`   // why the payout does not count as it was received
	Cost      *decimal.Decimal `json:"cost,omitempty"`     // cost of the conversion; nil: not reported
	Sale      *decimal.Decimal `json:"sale,omitempty"`     // amount of the sale
	Time      time.Time        `json:"time,omitzero"`      // time of the conversion
	Exact     time.Duration    `json:"exact,omitempty"`    // the precision of Time: a day, a second
	Final     bool             `json:"final,omitempty"`    // the statement is a correction or an import
	Source    string           `json:"source,omitempty"`   // models.FromPostback and the like
	Collected bool             `json:"collected,omitempty"`

	SaleCurrency string `json:"sale_currency,omitempty"`

	InvalidTime string `json:"invalid_time,omitempty"` // the stated time as received, if that time is not used
}

// statements are the statements about a conversion, in the order of arrival. The conversion follows only from this list, not
// from the order in which the statements were recorded. A statement that is not allowed is kept, because an earlier one may be
// recorded later and make it allowed.
type statements []statement

// maxStatements is the largest number of statements of a conversion. Beyond it, the oldest are merged into one, which is marked
// as Collected. A statement that arrived before the last merged one, but is recorded after the merge, does not count.
const maxStatements = 32

// Value implements driver.Valuer.
func (s statements) Value() (driver.Value, error) { return db.Document([]statement(s)).Value() }

// with adds a statement in the order of arrival and returns its index. It replaces an earlier statement of the same message. ok
// is false if the statement came too late, because the statements of its time were already merged.
func (s statements) with(v statement) (all statements, at int, ok bool) {
	same := func(o statement) bool { return o.At == v.At }
	if i := slices.IndexFunc(s, same); i >= 0 {
		all = slices.Clone(s)
		all[i] = v
		return all, i, !s[i].Collected
	}
	at = len(s)
	for at > 0 && bytes.Compare(s[at-1].At[:], v.At[:]) > 0 {
		at--
	}
	if at == 0 && len(s) > 0 && s[0].Collected {
		return s, 0, false
	}
	return slices.Insert(slices.Clone(s), at, v), at, true
}

// collect merges the oldest statements into one, so that no more than maxStatements remain.
func (s statements) collect() statements {
	n := len(s) - maxStatements + 1
	if n < 2 {
		return s
	}
	var v Conversion
	s[:n].apply(&v)
	first := v.collected()
	first.At, first.Default = s[n-1].At, s[0].Default
	return append(statements{first}, s[n:]...)
}

// collected returns one statement with the values of the conversion.
func (v Conversion) collected() statement {
	out := statement{
		Status: v.Status, Word: v.OriginalStatus, Payout: v.Payout, Reported: true, Currency: v.Currency, Time: v.RecordedAt,
		InvalidTime: v.InvalidTime, Reason: v.AmountReason,
		Source: v.Source, Collected: true,
	}
	if v.SaleAmount.Valid {
		out.Sale, out.SaleCurrency = &v.SaleAmount.Decimal, v.SaleCurrency
	}
	if v.GivenCost.Valid {
		out.Cost = &v.GivenCost.Decimal
	}
	return out
}

// history returns the statements of a recorded conversion. An older version of the program changed conversions without
// statements. If the recorded values do not follow from the statements, history therefore returns one statement with these
// values.
func (v Conversion) history() statements {
	derived := v
	v.Statements.apply(&derived)
	if len(v.Statements) > 0 && derived.Status == v.Status && derived.Payout.Equal(v.Payout) &&
		derived.Currency == v.Currency && derived.GivenCost.Valid == v.GivenCost.Valid &&
		derived.GivenCost.Decimal.Equal(v.GivenCost.Decimal) {
		return v.Statements
	}
	collected := v.collected()
	if n := len(v.Statements); n > 0 {
		collected.At = v.Statements[n-1].At
	}
	return statements{collected}
}

// outranked reports whether the statement s[i] is by a browser and comes after a statement that no browser has sent. Such a
// statement does not count, because a reloaded page reports old values, and visitors can report any value.
func (s statements) outranked(i int) bool {
	return s[i].fromBrowser() && slices.ContainsFunc(s[:i], func(o statement) bool { return !o.fromBrowser() })
}

func (s statement) fromBrowser() bool { return slices.Contains(browserSources, s.Source) }

// browserSources are the sources of statements by a visitor's browser.
var browserSources = []string{models.FromTag, models.FromPixel}

// apply sets a conversion to the values that follow from the statements. For each statement it returns the status before it, and
// whether it is allowed.
func (s statements) apply(v *Conversion) (found []string, allowed []bool) {
	found, allowed = make([]string, len(s)), make([]bool, len(s))
	*v = Conversion{Conversion: v.Conversion}
	v.Status, v.OriginalStatus, v.Currency, v.InvalidTime, v.AmountReason = "", "", "", "", ""
	v.SaleAmount, v.SaleCurrency = decimal.NullDecimal{}, ""
	corrected := false // a correction has set the payout
	for i, next := range s {
		if next.Source == models.FromNetworkSync && corrected {
			next = next.withoutTerms()
		}
		found[i] = v.Status
		status := next.status(v.Status)
		if allowed[i] = !s.outranked(i) && (i == 0 || next.Final || models.CanMove(v.Status, status)); allowed[i] {
			next.apply(v, status, i == 0)
			corrected = corrected || next.Source == models.FromCorrection && next.Reported
		}
	}
	if len(s) > 0 {
		v.Currency = cmp.Or(v.Currency, s[0].Default)
	}
	return found, allowed
}

// withoutTerms returns the statement without payout, currency, time and cost. So a person's corrections stay, however often the
// network repeats its report.
func (s statement) withoutTerms() statement {
	s.Reported, s.Payout, s.Currency, s.Time, s.Cost, s.Reason = false, decimal.Zero, "", time.Time{}, nil, ""
	return s
}

// status returns the status that follows from a statement. from is the status before it, or empty for the first statement.
func (s statement) status(from string) string {
	switch {
	case from == "":
		return cmp.Or(s.Status, models.StatusApproved)
	case s.Status == "" || s.Reversal && from == models.StatusChargeback:
		return from
	case !s.Reversal || models.CanMove(from, s.Status):
		return s.Status
	}
	return models.StatusRejected
}

// apply changes a conversion according to the statement. status is the status after it.
func (s statement) apply(v *Conversion, status string, first bool) {
	v.Status, v.Source = status, cmp.Or(s.Source, v.Source)
	v.OriginalStatus = cmp.Or(s.Word, v.OriginalStatus)
	if first || s.Reported && !s.Reversal {
		v.Payout, v.Currency = s.Payout, cmp.Or(s.Currency, v.Currency)
	}
	if s.Sale != nil {
		v.SaleAmount, v.SaleCurrency = decimal.NewNullDecimal(*s.Sale), s.SaleCurrency
	}
	if s.Cost != nil {
		v.GivenCost = decimal.NewNullDecimal(*s.Cost)
	}
	switch {
	case first && s.Final && !s.Reported:
		v.Currency = s.Default
	case s.Final:
		v.Currency = cmp.Or(s.Currency, v.Currency)
	}
	stated := first || s.Reported && !s.Reversal || s.Final && s.Currency != ""
	if stated && (s.Reason != "" || v.Currency != money.Unknown) {
		v.AmountReason = s.Reason
	}
	switch {
	case first && !s.Time.IsZero():
		v.RecordedAt, v.InvalidTime = s.Time, s.InvalidTime
	case !first && s.Final && !s.Time.IsZero():
		v.RecordedAt, v.InvalidTime = s.moment(v.RecordedAt), s.InvalidTime
	}
}

// moment returns the time of the conversion after a correction. A statement that names only a day does not change a time on that
// day.
func (s statement) moment(at time.Time) time.Time {
	if s.Time.Truncate(s.Exact).Equal(at.UTC().Truncate(s.Exact)) {
		return at
	}
	return s.Time
}

// CostStatement returns, as a JSON document, a statement that sets the cost of a conversion. at is the statement's id, made by
// models.NewClickID.
func CostStatement(at uuid.UUID, cost decimal.Decimal) any {
	return db.Document(statement{At: at, Cost: &cost})
}

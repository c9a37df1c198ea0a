package conversion

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/spool"
	"switchyard/models"
)

// Input is a conversion as its sender reports it.
type Input struct {
	AccountID      uuid.UUID        // the account that must have the click; zero: any, for senders that only know the click
	ClickID        uuid.UUID        // the click to which it belongs
	NetworkID      uuid.UUID        // the network that reports it; zero: the network of the click
	ConversionID   string           // the network's or the shop's id, at most 255 bytes; empty: one conversion per click and goal
	Goal           string           // at most 64 bytes; empty: a conversion without a goal
	WordGoal       bool             // the sender names no goal, and the goal follows from the sender's status word
	Status         string           // such as models.StatusPending; empty: the recorded status, or approved for a new conversion
	OriginalStatus string           // the sender's own word, cut to 100 bytes
	Payout         *decimal.Decimal // the reported earnings, or the amount of the sale; nil: not reported
	OwnValue       bool             // Payout is the value of the account's own goal, whatever the terms of the offer
	InvalidPayout  bool             // the payout is not an amount: an offer that takes payouts from postbacks pays 0 until a valid one arrives
	PayoutReason   string           // why the payout does not count, or counts in another currency than the sender names
	Amount         *decimal.Decimal // the amount of the sale, if the sender reports payout and amount
	Sale           *decimal.Decimal // the amount of the sale, if it does not decide the payout; nil: Amount
	SaleCurrency   string           // currency of Sale
	Cost           *decimal.Decimal // cost of the conversion, instead of the click's cost model; nil: not reported
	Currency       string           // code of the currency of Payout and Amount, or money.Unknown, or empty
	At             time.Time        // when it happened; zero: now
	InvalidTime    string           // the stated time as received, if that time is invalid and At replaces it
	Source         string           // models.FromPostback and the like
	// Arrival is the id of the postback. It orders the statements about the conversion. Zero: the last place.
	Arrival uuid.UUID
	// Again is the id of the conversion that the postback recorded before; zero: none. The input replaces the postback's earlier
	// statement.
	Again    uuid.UUID
	Reversal bool // the status becomes Status if the change is allowed, else rejected; a chargeback stays
	// Final is set for corrections and imports. The payout is then the amount earned, whatever the terms of the offer. Time and
	// currency replace the recorded values.
	Final bool
	Exact time.Duration // the precision of At, such as a day or a second
	// Past is set for a conversion from another tracker's log. Webhooks, traffic sources and ad platforms are not notified.
	Past bool
}

// Results of Record.
const (
	ResultCreated   = "created"
	ResultUpdated   = "updated"
	ResultDuplicate = "duplicate" // the input changes nothing except perhaps the amount of the sale
	ResultIgnored   = "ignored"   // a change or replay that is not allowed, or the sender is outranked
	// ResultSuperseded means that a postback that arrived later was recorded first, and counts.
	ResultSuperseded = "superseded"
)

// Outcome is the result of Record.
type Outcome struct {
	Conversion models.Conversion // its current state
	Result     string
	Reason     string              // why the input was ignored or superseded
	Jobs       []models.JobRef     // jobs to dispatch after the commit: webhook deliveries, postbacks to traffic sources
	given      decimal.NullDecimal // the cost that the sender reported
}

// ErrUnknownClick means that the click was not found: it is not stored yet, or no longer, or belongs to another account, or never
// existed.
var ErrUnknownClick error = models.Errorf(models.KindNotFound, "unknown_click", "there is no such click")

const (
	maxConversionID = 255
	maxGoal         = 64
	maxOriginal     = 100
)

// Record inserts or updates a conversion in the transaction of c, with its ledger deltas, its event, and the postbacks and
// uploads to its traffic source. The payout follows from the input and the terms of the click's offer. Repeating an input changes
// and sends nothing. Record returns ErrUnknownClick if the click is not known.
func Record(ctx context.Context, l click.Log, c db.Conn, in Input) (out Outcome, err error) {
	const write = true
	list, jobs, err := Correct(ctx, l, c, in.AccountID, []Input{in}, write)
	if err != nil {
		return out, err
	}
	out = list[0].Outcome
	if out.Result == "" {
		return out, list[0].Refusal
	}
	out.Jobs = jobs
	return out, nil
}

// decide returns the conversion after an input, and the outcome of the input. old is the recorded conversion, or nil.
func (in Input) decide(click *click.StoredClick, old *Conversion, t terms) (Conversion, Outcome) {
	v, past := in.base(click), statements(nil)
	if old != nil {
		v, past = *old, old.history()
		if in.Final && in.Status != "" && !models.CanMove(old.Status, in.Status) {
			return *old, Outcome{
				Conversion: old.Conversion, given: old.GivenCost, Result: ResultIgnored, Reason: forbiddenMove(old.Status, in.Status),
			}
		}
	}
	added := in.statement(click, t)
	if in.Again != uuid.Nil {
		if reason := in.replayRefusal(old, past); reason != "" {
			return v, Outcome{Result: ResultIgnored, Reason: reason}
		}
	}
	if n := len(past); in.Arrival == uuid.Nil && n > 0 && bytes.Compare(past[n-1].At[:], added.At[:]) > 0 {
		added.At = past[n-1].At // the clock of another machine was ahead
	}
	all, at, ok := past.with(added)
	if !ok {
		return *old, Outcome{
			Conversion: old.Conversion, given: old.GivenCost, Result: ResultSuperseded, Reason: superseded,
		}
	}
	found, allowed := all.apply(&v)
	v.Statements = all.collect()
	in.complete(&v, click)
	out := Outcome{Conversion: v.Conversion, given: v.GivenCost}
	switch {
	case old == nil:
		out.Result = ResultCreated
		return v, out
	case !v.same(*old):
		v.touch(old.UpdatedAt)
		out.Conversion, out.Result = v.Conversion, ResultUpdated
		return v, out
	case all.outranked(at):
		out.Result, out.Reason = ResultIgnored, outranked
	case !allowed[at]:
		out.Result, out.Reason = ResultIgnored, forbiddenMove(found[at], added.Status)
	case at < len(all)-1:
		out.Result, out.Reason = ResultSuperseded, superseded
	default:
		out.Result = ResultDuplicate
	}
	if in.Arrival == uuid.Nil && v.hasSameSale(*old) { // drop a statement without effect, unless it comes from a postback
		return *old, out
	}
	unchanged := *old
	unchanged.SaleAmount, unchanged.SaleCurrency = v.SaleAmount, v.SaleCurrency
	out.Conversion, out.given = unchanged.Conversion, unchanged.GivenCost
	unchanged.Statements = v.Statements
	return unchanged, out
}

// replayRefusal returns why a postback that was recorded before cannot be recorded again, or an empty string.
func (in Input) replayRefusal(old *Conversion, past statements) string {
	switch {
	case old == nil || old.ID != in.Again:
		return "it was recorded as another conversion, whose id and goal differ: correct that one"
	case !slices.ContainsFunc(past, func(s statement) bool { return s.At == in.Arrival && !s.Collected }):
		return superseded
	}
	return ""
}

const (
	superseded = "a later report of this conversion counts instead"
	outranked  = "a server or a correction has reported this conversion: a later report by a browser does not change it"
)

func forbiddenMove(from, to string) string {
	return fmt.Sprintf("a conversion does not go from %s to %s", from, to)
}

// changes reports whether the input changed the conversion.
func (o Outcome) changes() bool {
	return o.Result == ResultCreated || o.Result == ResultUpdated
}

func (o Outcome) event(click *models.Click) models.Event {
	kind := models.EventConversionUpdated
	if o.Result == ResultCreated {
		kind = models.EventConversionCreated
	}
	v := o.Conversion
	return models.NewEvent(v.AccountID, kind, v.UpdatedAt, v.Event(click))
}

func (in *Input) check() error {
	if in.Status != "" && !models.ValidStatus(in.Status) {
		return models.Invalid("invalid_status", "a status must be pending, approved, rejected or chargeback")
	}
	if len(in.ConversionID) > maxConversionID {
		return models.Invalid("too_long", "a conversion id has at most %d bytes", maxConversionID)
	}
	if len(in.Goal) > maxGoal {
		return models.Invalid("too_long", "a goal has at most %d bytes", maxGoal)
	}
	for _, m := range []*decimal.Decimal{in.Payout, in.Amount, in.Sale, in.Cost} {
		if m != nil && (m.IsNegative() || m.Exponent() > 9 || m.GreaterThan(maxMoney)) {
			return models.Invalid("out_of_range", "an amount must be from 0 to 1,000,000,000")
		}
	}
	in.ConversionID, in.Goal = spool.CleanText(in.ConversionID), spool.CleanText(in.Goal)
	in.InvalidTime = spool.CleanText(in.InvalidTime)
	in.OriginalStatus = spool.CleanText(in.OriginalStatus[:min(len(in.OriginalStatus), maxOriginal)])
	return nil
}

var maxMoney = decimal.New(1, 9)

// terms are the payout terms of an offer.
type terms struct {
	ID        uuid.UUID       `db:"id"`
	Payout    decimal.Decimal `db:"payout"`
	Type      string          `db:"payout_type"`
	FromParam bool            `db:"payout_from_param"`
	Currency  string          `db:"currency"`
}

// defaultCurrency is the currency of a payout if neither sender, offer nor click has one.
const defaultCurrency = "USD"

// payout returns the earnings of a conversion and their currency. If reported is set, they come from the input and may replace
// the recorded values.
func (t terms) payout(in Input) (value decimal.Decimal, currency string, reported bool) {
	amount := cmp.Or(in.Amount, in.Payout)
	switch {
	case (in.Final || in.OwnValue) && in.Payout != nil:
		amount = in.Payout
	case t.ID == uuid.Nil: // no offer
		amount = cmp.Or(in.Payout, in.Amount)
	case t.FromParam && in.Payout != nil && (t.Type == "fixed" || in.Amount != nil):
		amount = in.Payout
	case t.FromParam && in.InvalidPayout:
		return decimal.Zero, in.Currency, false
	case t.Type == "fixed":
		return t.Payout, t.Currency, false
	case amount != nil:
		share := amount.Mul(t.Payout).Shift(-2)
		amount = &share
	}
	if amount == nil {
		return decimal.Zero, in.Currency, false
	}
	return *amount, in.Currency, true
}

// Conversion is a row of the table conversions.
type Conversion struct {
	models.Conversion
	GivenCost  decimal.NullDecimal `db:"given_cost"`
	Statements statements          `db:"statements,json"`
}

// Figures returns the figures that a conversion adds to the ledger key of its click, even if that is a bot's click: money is
// never hidden.
func (v Conversion) Figures() models.Figures {
	switch v.Status {
	case models.StatusApproved:
		return models.Figures{Approved: 1, Revenue: models.ConvertAmount(v.Payout, v.Rate), Cost: v.Cost}
	case models.StatusPending:
		return models.Figures{Pending: 1, PendingRevenue: models.ConvertAmount(v.Payout, v.Rate)}
	case models.StatusRejected:
		return models.Figures{Rejected: 1}
	case models.StatusChargeback:
		return models.Figures{Chargebacks: 1}
	}
	return models.Figures{}
}

func (in Input) base(click *click.StoredClick) Conversion {
	now := time.Now().UTC().Truncate(time.Millisecond)
	return Conversion{Conversion: models.Conversion{
		ID: uuid.Must(uuid.NewV7()), AccountID: click.AccountID, ClickID: click.ID, ConversionID: in.ConversionID,
		Goal: in.Goal, CampaignID: click.CampaignID, OfferID: click.OfferID, SourceID: click.SourceID,
		NetworkID: cmp.Or(in.NetworkID, click.NetworkID), RecordedAt: now, UpdatedAt: now,
	}}
}

func (in Input) statement(click *click.StoredClick, t terms) statement {
	value, currency, reported := t.payout(in)
	out := statement{
		At: in.Arrival, Status: in.Status, Reversal: in.Reversal, Word: in.OriginalStatus,
		Payout: value.Round(models.MoneyScale), Reported: reported, Currency: currency,
		Default: cmp.Or(t.Currency, click.Currency, defaultCurrency),
		Exact:   in.Exact, Final: in.Final, Source: in.Source,
	}
	out.Sale, out.SaleCurrency = in.Sale, in.SaleCurrency
	if out.Sale == nil && in.Amount != nil {
		out.Sale, out.SaleCurrency = in.Amount, in.Currency
	}
	if !in.At.IsZero() {
		out.Time, out.InvalidTime = in.At.UTC().Truncate(time.Millisecond), in.InvalidTime
	}
	if in.Arrival == uuid.Nil {
		out.At = models.NewClickID()
	}
	if in.Final {
		out.Currency = in.Currency
	}
	if reported || in.InvalidPayout && out.Payout.IsZero() {
		out.Reason = in.PayoutReason
	}
	if in.Cost != nil {
		cost := in.Cost.Round(models.MoneyScale)
		out.Cost = &cost
	}
	return out
}

// complete gives a conversion the offer of its click if the conversion has no offer yet. If the conversion has no network either, it
// also gets the network of the click.
func (in Input) complete(v *Conversion, click *click.StoredClick) {
	if v.OfferID == uuid.Nil { // the click-out was stored after the conversion
		v.OfferID, v.NetworkID = click.OfferID, cmp.Or(v.NetworkID, click.NetworkID)
	}
}

// SetPrice sets the rate of a conversion, and its cost in the account's currency. A cost that the sender reported is in the currency
// of the payout. The prices of the click are in the click's currency.
func (v *Conversion) SetPrice(click *click.StoredClick, rate decimal.NullDecimal) {
	v.Rate = rate
	switch {
	case v.Status != models.StatusApproved: // only an approved conversion costs something
		v.Cost = decimal.Zero
	case v.GivenCost.Valid:
		v.Cost = models.ConvertAmount(v.GivenCost.Decimal, rate).Round(models.MoneyScale)
	default:
		v.Cost = models.ConvertAmount(click.ConversionCost, click.Rate).
			Add(models.ConvertAmount(v.Payout.Mul(click.RevenueShare).Div(hundred), rate)).Round(models.MoneyScale)
	}
}

// touch sets the time of the last change to now, but always at least one millisecond after the previous change, because this time
// orders the events of a conversion.
func (v *Conversion) touch(last time.Time) {
	v.UpdatedAt = time.Now().UTC().Truncate(time.Millisecond)
	if next := last.Add(time.Millisecond); v.UpdatedAt.Before(next) {
		v.UpdatedAt = next
	}
}

var hundred = decimal.NewFromInt(100)

// hasSameSale reports whether the amount of the sale is the same in v and o. Events do not show it.
func (v Conversion) hasSameSale(o Conversion) bool {
	return v.SaleAmount.Valid == o.SaleAmount.Valid && v.SaleAmount.Decimal.Equal(o.SaleAmount.Decimal) && v.SaleCurrency == o.SaleCurrency
}

// same reports whether the status, payout, currency, time, invalid time and reported cost are the same in v and o.
func (v Conversion) same(o Conversion) bool {
	return v.Status == o.Status && v.Payout.Equal(o.Payout) && v.Currency == o.Currency &&
		v.RecordedAt.Equal(o.RecordedAt) && v.InvalidTime == o.InvalidTime &&
		v.GivenCost.Valid == o.GivenCost.Valid && v.GivenCost.Decimal.Equal(o.GivenCost.Decimal)
}

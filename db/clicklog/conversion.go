package clicklog

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
	"switchyard/db/spool"
	"switchyard/models"
)

// ConversionInput is a conversion as its sender reports it. Status words are mapped to ours already.
type ConversionInput struct {
	AccountID      uuid.UUID        // whose click it must be; zero where the sender only knows the click
	ClickID        uuid.UUID        //
	NetworkID      uuid.UUID        // who says so; zero: the network of the click
	ConversionID   string           // the network's or the shop's id, at most 255 bytes; empty: one per click and goal
	Goal           string           // at most 64 bytes; empty is the plain conversion
	Status         string           // one of the four; empty keeps what is recorded, and is approved for a new one
	OriginalStatus string           // the sender's own word, cut to 100 bytes
	Payout         *decimal.Decimal // what the sender says we earn, or the amount of the sale; nil: not reported
	OwnValue       bool             // the payout is what the account's own goal is worth, whatever the terms of the offer
	InvalidPayout  bool             // the sender's payout is not an amount: the conversion earns nothing until a valid one arrives
	Amount         *decimal.Decimal // the amount of the sale, where the sender says both
	Cost           *decimal.Decimal // what the conversion costs, in place of the click's cost model; nil: not reported
	Currency       string           // of payout or amount; three letters or empty
	At             time.Time        // when it happened; zero is now
	Source         string           // models.FromPostback and the like
	// Arrival is the id of the postback: it gives the input its place among all statements about the conversion. Zero means
	// the last place.
	Arrival uuid.UUID
	// Again is the conversion that the postback was recorded as before. The input replaces the postback's earlier statement.
	Again    uuid.UUID
	Reversal bool // the conversion is reversed: it gets Status if that is allowed, and is rejected otherwise
	// Final is set for a correction: the payout is the amount earned, whatever the terms of the offer, and time and currency
	// replace the recorded ones.
	Final bool
	Exact time.Duration // how exact At is: a day, a second
}

// Results of RecordConversion.
const (
	ResultCreated   = "created"
	ResultUpdated   = "updated"
	ResultDuplicate = "duplicate" // it was recorded exactly so before
	ResultIgnored   = "ignored"   // the status move is not allowed, or its sender has no say any more; nothing changed
	// ResultSuperseded means that a postback that arrived later has been recorded already: this one changes nothing.
	ResultSuperseded = "superseded"
)

// ConversionOutcome is what RecordConversion did.
type ConversionOutcome struct {
	Conversion models.Conversion // its present state
	Result     string
	Reason     string          // why it was ignored or superseded
	Tell       []models.JobRef // to dispatch after the commit: webhook deliveries and postbacks to traffic sources
	given      decimal.NullDecimal
}

// ErrUnknownClick says that the click is not there: not stored yet, older than the history, of another account, or
// no click at all.
var ErrUnknownClick error = models.Errorf(models.KindNotFound, "unknown_click", "there is no such click")

// Limits of the texts of a conversion, in bytes.
const (
	maxConversionID = 255
	maxGoal         = 64
	maxOriginal     = 100
)

// RecordConversion inserts or updates a conversion in the transaction of c, with its ledger deltas, its event, and the
// postbacks and uploads to its traffic source. It locks the click. Values that the input leaves out follow from the click's
// offer. Repeating the same input changes nothing and sends nothing. If the click is not there, it returns ErrUnknownClick.
func (l Log) RecordConversion(ctx context.Context, c db.Conn, in ConversionInput) (out ConversionOutcome, err error) {
	list, tell, err := l.CorrectConversions(ctx, c, in.AccountID, []ConversionInput{in}, true)
	if err != nil {
		return out, err
	}
	if out = list[0].ConversionOutcome; out.Result == "" {
		return out, list[0].Refusal
	}
	out.Tell = tell
	return out, nil
}

// decide works out what an input does to the recorded conversion; old is nil if nothing is recorded. The returned conversion
// includes the statement of the input.
func (in ConversionInput) decide(click *StoredClick, old *conversion, t terms) (conversion, ConversionOutcome) {
	v, past := in.base(click), statements(nil)
	if old != nil {
		v, past = *old, old.history()
		if in.Final && in.Status != "" && !models.CanMove(old.Status, in.Status) {
			return *old, ConversionOutcome{
				Conversion: old.Conversion, given: old.GivenCost, Result: ResultIgnored, Reason: noMove(old.Status, in.Status),
			}
		}
	}
	said := in.statement(click, t)
	if in.Again != uuid.Nil {
		if reason := in.elsewhere(old, past); reason != "" {
			return v, ConversionOutcome{Result: ResultIgnored, Reason: reason}
		}
	}
	if n := len(past); in.Arrival == uuid.Nil && n > 0 && bytes.Compare(past[n-1].At[:], said.At[:]) > 0 {
		said.At = past[n-1].At // by the clock of another machine
	}
	all, at, ok := past.with(said)
	if !ok {
		return *old, ConversionOutcome{
			Conversion: old.Conversion, given: old.GivenCost, Result: ResultSuperseded, Reason: superseded,
		}
	}
	found, allowed := all.apply(&v)
	v.Statements = all.collect()
	in.complete(&v, click)
	out := ConversionOutcome{Conversion: v.Conversion, given: v.GivenCost}
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
		out.Result, out.Reason = ResultIgnored, noMove(found[at], said.Status)
	case at < len(all)-1:
		out.Result, out.Reason = ResultSuperseded, superseded
	default:
		out.Result = ResultDuplicate
	}
	if in.Arrival == uuid.Nil { // its sender was told that it changes nothing
		return *old, out
	}
	out.Conversion, out.given = old.Conversion, old.GivenCost
	kept := *old
	kept.Statements = v.Statements
	return kept, out
}

// elsewhere says why a postback that was recorded before cannot be recorded again as old.
func (in ConversionInput) elsewhere(old *conversion, past statements) string {
	switch {
	case old == nil || old.ID != in.Again:
		return "it was recorded as another conversion, whose id and goal differ: correct that one"
	case !slices.ContainsFunc(past, func(s statement) bool { return s.At == in.Arrival && !s.Collected }):
		return superseded
	}
	return ""
}

const (
	superseded = "what arrived after it counts"
	outranked  = "a server or a correction has told of this conversion: what a browser tells afterwards does not change it"
)

func noMove(from, to string) string {
	return fmt.Sprintf("a conversion does not go from %s to %s", from, to)
}

// changes reports whether there is something to write and to announce.
func (o ConversionOutcome) changes() bool {
	return o.Result == ResultCreated || o.Result == ResultUpdated
}

func (o ConversionOutcome) event(click *models.Click) models.Event {
	kind := models.EventConversionUpdated
	if o.Result == ResultCreated {
		kind = models.EventConversionCreated
	}
	v := o.Conversion
	return models.NewEvent(v.AccountID, kind, v.UpdatedAt, v.Event(click))
}

func (in *ConversionInput) check() error {
	if in.Status != "" && !models.ValidStatus(in.Status) {
		return models.Invalid("invalid_status", "a status is pending, approved, rejected or chargeback")
	}
	if len(in.ConversionID) > maxConversionID {
		return models.Invalid("too_long", "a conversion id has at most %d characters", maxConversionID)
	}
	if len(in.Goal) > maxGoal {
		return models.Invalid("too_long", "a goal has at most %d characters", maxGoal)
	}
	for _, m := range []*decimal.Decimal{in.Payout, in.Amount, in.Cost} {
		if m != nil && (m.IsNegative() || m.Exponent() > 9 || m.GreaterThan(maxMoney)) {
			return models.Invalid("out_of_range", "an amount is 0 to 1,000,000,000")
		}
	}
	in.ConversionID, in.Goal = spool.CleanText(in.ConversionID), spool.CleanText(in.Goal)
	in.OriginalStatus = spool.CleanText(in.OriginalStatus[:min(len(in.OriginalStatus), maxOriginal)])
	return nil
}

var maxMoney = decimal.New(1, 9)

// terms are what an offer pays.
type terms struct {
	ID        uuid.UUID       `db:"id"`
	Payout    decimal.Decimal `db:"payout"`
	Type      string          `db:"payout_type"`
	FromParam bool            `db:"payout_from_param"`
	Currency  string          `db:"currency"`
}

// payout works out what a conversion earns and in which currency. said reports whether the input decides it. Only
// then it may replace what is recorded.
func (t terms) payout(in ConversionInput) (value decimal.Decimal, currency string, said bool) {
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

// conversion is a row of the table.
type conversion struct {
	models.Conversion
	GivenCost  decimal.NullDecimal `db:"given_cost"`
	Statements statements          `db:"statements,json"`
}

// figures is what a conversion counts, at its click's key. It counts for a bot's click too: money is never hidden.
func (v conversion) figures() models.Figures {
	switch v.Status {
	case models.StatusApproved:
		return models.Figures{Approved: 1, Revenue: models.Counted(v.Payout, v.Rate), Cost: v.Cost}
	case models.StatusPending:
		return models.Figures{Pending: 1, PendingRevenue: models.Counted(v.Payout, v.Rate)}
	case models.StatusRejected:
		return models.Figures{Rejected: 1}
	case models.StatusChargeback:
		return models.Figures{Chargebacks: 1}
	}
	return models.Figures{}
}

// base is a new conversion before anything is said about it.
func (in ConversionInput) base(click *StoredClick) conversion {
	now := time.Now().UTC().Truncate(time.Millisecond)
	return conversion{Conversion: models.Conversion{
		ID: uuid.Must(uuid.NewV7()), AccountID: click.AccountID, ClickID: click.ID, ConversionID: in.ConversionID,
		Goal: in.Goal, CampaignID: click.CampaignID, OfferID: click.OfferID, SourceID: click.SourceID,
		NetworkID: cmp.Or(in.NetworkID, click.NetworkID), RecordedAt: now, UpdatedAt: now,
	}}
}

// statement is what the input says about its conversion.
func (in ConversionInput) statement(click *StoredClick, t terms) statement {
	value, currency, said := t.payout(in)
	out := statement{
		At: in.Arrival, Status: in.Status, Reversal: in.Reversal, Word: in.OriginalStatus,
		Payout: value.Round(models.MoneyScale), Said: said, Currency: currency,
		Default: cmp.Or(t.Currency, click.Currency, "USD"),
		Exact:   in.Exact, Final: in.Final, Source: in.Source,
	}
	if !in.At.IsZero() {
		out.Time = in.At.UTC().Truncate(time.Millisecond)
	}
	if in.Arrival == uuid.Nil {
		out.At = models.NewClickID()
	}
	if in.Final {
		out.Currency = in.Currency
	}
	if in.Cost != nil {
		cost := in.Cost.Round(models.MoneyScale)
		out.Cost = &cost
	}
	return out
}

// complete sets what a conversion takes over from its click, except the price.
func (in ConversionInput) complete(v *conversion, click *StoredClick) {
	if v.OfferID == uuid.Nil { // the step to the offer was stored after the conversion
		v.OfferID, v.NetworkID = click.OfferID, cmp.Or(v.NetworkID, click.NetworkID)
	}
}

// price sets the rate of a conversion, and its cost in the account's currency. A cost that the sender named is in the currency
// of the payout. The prices of the click are in the click's currency.
func (v *conversion) price(click *StoredClick, rate decimal.NullDecimal) {
	v.Rate = rate
	switch {
	case v.Status != models.StatusApproved: // it costs nothing until it is approved
		v.Cost = decimal.Zero
	case v.GivenCost.Valid:
		v.Cost = models.Counted(v.GivenCost.Decimal, rate).Round(models.MoneyScale)
	default:
		v.Cost = models.Counted(click.ConversionCost, click.Rate).
			Add(models.Counted(v.Payout.Mul(click.RevenueShare).Div(hundred), rate)).Round(models.MoneyScale)
	}
}

// touch sets the time of the last change. The events of a conversion are told apart and ordered by it.
func (v *conversion) touch(last time.Time) {
	v.UpdatedAt = time.Now().UTC().Truncate(time.Millisecond)
	if next := last.Add(time.Millisecond); v.UpdatedAt.Before(next) {
		v.UpdatedAt = next
	}
}

var hundred = decimal.NewFromInt(100)

// same reports whether all the values are unchanged that an event shows or that a cost follows from.
func (v conversion) same(o conversion) bool {
	return v.Status == o.Status && v.Payout.Equal(o.Payout) && v.Currency == o.Currency &&
		v.RecordedAt.Equal(o.RecordedAt) &&
		v.GivenCost.Valid == o.GivenCost.Valid && v.GivenCost.Decimal.Equal(o.GivenCost.Decimal)
}

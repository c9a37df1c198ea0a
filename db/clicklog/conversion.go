package clicklog

import (
	"cmp"
	"context"
	"fmt"
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
	Payout         *decimal.Decimal // what the sender says we earn, or the amount of the sale; nil: not said
	Amount         *decimal.Decimal // the amount of the sale, where the sender says both
	Cost           *decimal.Decimal // what the conversion costs, in place of the click's cost model; nil: not said
	Currency       string           // of payout or amount; three letters or empty
	At             time.Time        // when it happened; zero is now
	Source         string           // models.FromPostback and the like
	// Of a correction: the payout is what was earned, whatever the terms of the offer, and time and currency replace what
	// is recorded.
	Final bool
	Exact time.Duration // how exact At is: a day, a second
}

// Results of RecordConversion.
const (
	ResultCreated   = "created"
	ResultUpdated   = "updated"
	ResultDuplicate = "duplicate" // it was recorded exactly so before
	ResultIgnored   = "ignored"   // a status move that is not allowed; nothing changed
)

// ConversionOutcome is what RecordConversion did.
type ConversionOutcome struct {
	Conversion models.Conversion // as it is now
	Result     string
	Reason     string      // why it was ignored
	Deliveries []uuid.UUID // webhook deliveries to dispatch after the commit
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

// RecordConversion inserts or updates a conversion in the transaction of c, with its ledger deltas and its event. It
// locks the click. What the input leaves open follows from the click's offer. The same input again changes nothing
// and sends no event. A click that is not there is ErrUnknownClick.
func (l Log) RecordConversion(ctx context.Context, c db.Conn, in ConversionInput) (out ConversionOutcome, err error) {
	list, deliveries, err := l.CorrectConversions(ctx, c, in.AccountID, []ConversionInput{in}, true)
	if err != nil {
		return out, err
	}
	if out = list[0].ConversionOutcome; out.Result == "" {
		return out, list[0].Refusal
	}
	out.Deliveries = deliveries
	return out, nil
}

// decide works out what an input does to the recorded conversion, nil if there is none.
func (in ConversionInput) decide(click *StoredClick, old *conversion, t terms) (conversion, ConversionOutcome) {
	if old == nil {
		fresh := in.create(click, t)
		return fresh, ConversionOutcome{Conversion: fresh.Conversion, Result: ResultCreated}
	}
	if in.Status != "" && !models.CanMove(old.Status, in.Status) {
		return *old, ConversionOutcome{
			Conversion: old.Conversion, Result: ResultIgnored,
			Reason: fmt.Sprintf("a conversion does not go from %s to %s", old.Status, in.Status),
		}
	}
	next := in.update(*old, click, t)
	if next.same(*old) {
		return *old, ConversionOutcome{Conversion: old.Conversion, Result: ResultDuplicate}
	}
	return next, ConversionOutcome{Conversion: next.Conversion, Result: ResultUpdated}
}

// changes reports whether there is something to write and to announce.
func (o ConversionOutcome) changes() bool {
	return o.Result == ResultCreated || o.Result == ResultUpdated
}

func (o ConversionOutcome) event() models.Event {
	kind := models.EventConversionUpdated
	if o.Result == ResultCreated {
		kind = models.EventConversionCreated
	}
	v := o.Conversion
	return models.NewEvent(v.AccountID, kind, v.UpdatedAt, v.Data())
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
	case in.Final && in.Payout != nil:
		amount = in.Payout
	case t.ID == uuid.Nil: // no offer
		amount = cmp.Or(in.Payout, in.Amount)
	case t.FromParam && in.Payout != nil && (t.Type == "fixed" || in.Amount != nil):
		amount = in.Payout
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
	GivenCost decimal.NullDecimal `db:"given_cost"`
}

// figures is what a conversion counts, at its click's key. It counts for a bot's click too: money is never hidden.
func (v conversion) figures() models.Figures {
	switch v.Status {
	case models.StatusApproved:
		return models.Figures{Approved: 1, Revenue: v.Payout, Cost: v.Cost}
	case models.StatusPending:
		return models.Figures{Pending: 1, PendingRevenue: v.Payout}
	case models.StatusRejected:
		return models.Figures{Rejected: 1}
	case models.StatusChargeback:
		return models.Figures{Chargebacks: 1}
	}
	return models.Figures{}
}

func (in ConversionInput) create(click *StoredClick, t terms) conversion {
	now := time.Now().UTC().Truncate(time.Millisecond)
	v := conversion{Conversion: models.Conversion{
		ID: uuid.Must(uuid.NewV7()), AccountID: click.AccountID, ClickID: click.ID, ConversionID: in.ConversionID,
		Goal: in.Goal, Status: in.Status, OriginalStatus: in.OriginalStatus, CampaignID: click.CampaignID,
		OfferID: click.OfferID, SourceID: click.SourceID, NetworkID: click.NetworkID, Source: in.Source,
		RecordedAt: in.At.UTC().Truncate(time.Millisecond), UpdatedAt: now,
	}}
	if v.Status == "" {
		v.Status = models.StatusApproved
	}
	if in.NetworkID != uuid.Nil {
		v.NetworkID = in.NetworkID
	}
	if in.At.IsZero() {
		v.RecordedAt = now
	}
	value, currency, _ := t.payout(in)
	v.Payout, v.Currency = value.Round(models.MoneyScale), currency
	in.price(&v, click, t)
	return v
}

// update is old with what the input says. A postback without a payout leaves the one that is recorded.
func (in ConversionInput) update(old conversion, click *StoredClick, t terms) conversion {
	v := old
	if in.Status != "" {
		v.Status = in.Status
	}
	if in.OriginalStatus != "" {
		v.OriginalStatus = in.OriginalStatus
	}
	v.Source = in.Source
	// The events of a conversion are told apart and ordered by their times.
	v.UpdatedAt = time.Now().UTC().Truncate(time.Millisecond)
	if next := old.UpdatedAt.Add(time.Millisecond); v.UpdatedAt.Before(next) {
		v.UpdatedAt = next
	}
	if value, currency, said := t.payout(in); said {
		v.Payout, v.Currency = value.Round(models.MoneyScale), cmp.Or(currency, v.Currency)
	}
	if in.Final {
		v.Currency = cmp.Or(in.Currency, v.Currency)
		v.RecordedAt = in.moment(v.RecordedAt)
	}
	if v.OfferID == uuid.Nil { // the step to the offer was stored after the conversion
		v.OfferID, v.NetworkID = click.OfferID, cmp.Or(v.NetworkID, click.NetworkID)
	}
	in.price(&v, click, t)
	return v
}

// moment is the time of the conversion, where at is the recorded one. The input replaces it only if it differs at its
// own precision: a day says nothing about a moment of that day.
func (in ConversionInput) moment(at time.Time) time.Time {
	said := in.At.UTC().Truncate(time.Millisecond)
	if in.At.IsZero() || said.Truncate(in.Exact).Equal(at.UTC().Truncate(in.Exact)) {
		return at
	}
	return said
}

var hundred = decimal.NewFromInt(100)

// price finds the currency and what the conversion costs: nothing until it is approved.
func (in ConversionInput) price(v *conversion, click *StoredClick, t terms) {
	v.Currency = cmp.Or(v.Currency, t.Currency, click.Currency, "USD")
	if in.Cost != nil {
		v.GivenCost = decimal.NewNullDecimal(in.Cost.Round(models.MoneyScale))
	}
	switch {
	case v.Status != models.StatusApproved:
		v.Cost = decimal.Zero
	case v.GivenCost.Valid:
		v.Cost = v.GivenCost.Decimal
	default:
		v.Cost = click.ConversionCost.Add(v.Payout.Mul(click.RevenueShare).Div(hundred)).Round(models.MoneyScale)
	}
}

// same reports whether nothing changed that an event shows.
func (v conversion) same(o conversion) bool {
	return v.Status == o.Status && v.Payout.Equal(o.Payout) && v.Currency == o.Currency && v.Cost.Equal(o.Cost) &&
		v.RecordedAt.Equal(o.RecordedAt) &&
		v.GivenCost.Valid == o.GivenCost.Valid && v.GivenCost.Decimal.Equal(o.GivenCost.Decimal)
}

package clicklog

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/db/delivery"
	"switchyard/db/ledger"
	"switchyard/models"
)

// Corrected is the outcome of one of many inputs. Refusal is set if the input changed nothing: it is the error that
// RecordConversion would have given, or tells why the input was ignored.
type Corrected struct {
	ConversionOutcome
	Refusal error
}

// CorrectConversions is RecordConversion for many inputs of one account, in their order, in the transaction of c. It locks
// all their clicks first. A refused input changes nothing for the others. It gives the webhook deliveries to dispatch
// after the commit.
func CorrectConversions(ctx context.Context, c db.Conn, account uuid.UUID, list []ConversionInput,
) (out []Corrected, deliveries []uuid.UUID, err error) {
	b := correcting{account: account, query: lockSelect + ` FOR NO KEY UPDATE`}
	if err := b.load(ctx, c, list); err != nil {
		return nil, nil, err
	}
	out = b.decide(list)
	deliveries, err = b.write(ctx, c, out)
	return out, deliveries, err
}

// PreviewConversions tells what CorrectConversions would do now. It locks and writes nothing.
func PreviewConversions(ctx context.Context, c db.Conn, account uuid.UUID, list []ConversionInput) ([]Corrected, error) {
	b := correcting{account: account, query: lockSelect}
	if err := b.load(ctx, c, list); err != nil {
		return nil, err
	}
	return b.decide(list), nil
}

// correcting is what the inputs are decided by.
type correcting struct {
	account uuid.UUID
	query   string // of the clicks
	clicks  map[uuid.UUID]*StoredClick
	terms   map[uuid.UUID]terms // by offer
	entries map[dedupe]*entry
	order   []*entry // of those that changed, by their first change
}

// dedupe is the key by which a conversion is known.
type dedupe struct {
	click    uuid.UUID
	goal, id string
}

// entry is a conversion before and after. now is nil where there is none.
type entry struct {
	before  models.Figures
	now     *conversion
	fresh   bool // there is no row yet
	changed bool
}

func (b *correcting) load(ctx context.Context, c db.Conn, list []ConversionInput) error {
	b.clicks, b.terms, b.entries = map[uuid.UUID]*StoredClick{}, map[uuid.UUID]terms{}, map[dedupe]*entry{}
	wanted := map[uuid.UUID]bool{}
	for _, in := range list {
		wanted[in.ClickID] = true
	}
	if len(wanted) == 0 {
		return nil
	}
	clicks, err := someClicks(ctx, c, b.query, sortedIDs(wanted))
	if err != nil {
		return err
	}
	offers := map[uuid.UUID]bool{}
	for _, click := range clicks {
		if click.AccountID == b.account {
			b.clicks[click.ID] = click
			offers[click.OfferID] = true
		}
	}
	if len(b.clicks) == 0 {
		return nil
	}
	if err := b.loadConversions(ctx, c); err != nil {
		return err
	}
	return b.loadTerms(ctx, c, sortedIDs(offers))
}

const selectConversions = `SELECT ` + conversionColumns + ` FROM conversions WHERE click_id = ANY ($1::uuid[])`

func (b *correcting) loadConversions(ctx context.Context, c db.Conn) error {
	var list []conversion
	if err := sqlx.SelectContext(ctx, c, &list, selectConversions, db.UUIDs(sortedIDs(b.clicks))); err != nil {
		return fmt.Errorf("clicklog: find conversions: %w", err)
	}
	for i := range list {
		v := &list[i]
		b.entries[dedupe{v.ClickID, v.Goal, v.ConversionID}] = &entry{before: v.figures(), now: v}
	}
	return nil
}

const selectTerms = `
SELECT id, payout, payout_type, payout_from_param, currency FROM offers WHERE account_id = $1 AND id = ANY ($2::uuid[])`

func (b *correcting) loadTerms(ctx context.Context, c db.Conn, offers []uuid.UUID) error {
	var list []struct {
		ID uuid.UUID `db:"id"`
		terms
	}
	if err := sqlx.SelectContext(ctx, c, &list, selectTerms, b.account, db.UUIDs(offers)); err != nil {
		return fmt.Errorf("clicklog: offers of clicks: %w", err)
	}
	for _, t := range list {
		t.known = true
		b.terms[t.ID] = t.terms
	}
	return nil
}

func (b *correcting) decide(list []ConversionInput) []Corrected {
	out := make([]Corrected, len(list))
	for i, in := range list {
		out[i] = b.one(in)
	}
	return out
}

func (b *correcting) one(in ConversionInput) Corrected {
	if err := in.check(); err != nil {
		return Corrected{Refusal: err}
	}
	click := b.clicks[in.ClickID]
	if click == nil {
		return Corrected{Refusal: ErrUnknownClick}
	}
	key := dedupe{in.ClickID, in.Goal, in.ConversionID}
	e := b.entries[key]
	if e == nil {
		e = &entry{fresh: true}
		b.entries[key] = e
	}
	next, out := in.decide(click, e.now, b.terms[click.OfferID])
	switch {
	case out.Result == ResultIgnored:
		return Corrected{out, models.Invalid("invalid_status", "%s", out.Reason)}
	case !out.changes():
		return Corrected{ConversionOutcome: out}
	}
	if e.now = &next; !e.changed {
		e.changed = true
		b.order = append(b.order, e)
	}
	return Corrected{ConversionOutcome: out}
}

// write stores each changed conversion once, as it is in the end, with an event for every change. It gives the webhook
// deliveries to dispatch after the commit.
func (b *correcting) write(ctx context.Context, c db.Conn, out []Corrected) ([]uuid.UUID, error) {
	s := ledger.Deltas{}
	var fresh []*conversion
	for _, e := range b.order {
		if e.fresh {
			fresh = append(fresh, e.now)
		} else if err := e.now.store(ctx, c, false); err != nil {
			return nil, err
		}
		key := b.clicks[e.now.ClickID].key()
		s.Add(key, e.before.Neg())
		s.Add(key, e.now.figures())
	}
	if err := insertConversions(ctx, c, fresh); err != nil {
		return nil, err
	}
	if err := s.Write(ctx, c); err != nil {
		return nil, err
	}
	var events []models.Event
	for _, v := range out {
		if v.Refusal == nil && v.changes() {
			events = append(events, v.event())
		}
	}
	return delivery.AddEvents(ctx, c, events)
}

func insertConversions(ctx context.Context, c db.Conn, list []*conversion) error {
	if len(list) == 0 {
		return nil
	}
	err := db.CopyIn(ctx, c, "conversions", conversionColumns, func(yield func([]any) bool) {
		for _, v := range list {
			if !yield([]any{
				v.ID, v.AccountID, v.ClickID, v.ConversionID, v.Goal, v.Status, v.OriginalStatus, v.Payout, v.Currency,
				v.Cost, v.GivenCost, v.CampaignID, v.OfferID, v.SourceID, v.NetworkID, v.Source, v.RecordedAt, v.UpdatedAt,
			}) {
				return
			}
		}
	})
	if err != nil {
		return fmt.Errorf("clicklog: insert conversions: %w", err)
	}
	return nil
}

package ingest

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/db/botscan"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/exchangerate"
	"switchyard/db/ledger"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
)

// batch has the records that one transaction stores.
type batch struct {
	clicks    []*click.StoredClick
	outs      []*models.ClickOut
	postbacks []*models.Postback
	smart     []*click.StoredSmartlinkClick
	events    []*models.SiteEvent
	traps     []*models.ClickTrap
	retry     []uuid.UUID   // clicks for which a click-out (hop) or an arrival waits
	marks     botscan.Marks // bot signals and settings for the clicks
}

type stored struct {
	postbacks []models.JobRef // jobs of new postbacks
	missing   []uuid.UUID     // clicks that are not stored yet and for which hops or arrivals wait
}

func newBatch(items []spool.Item, found map[uuid.UUID]bot.Signals) batch {
	b := batch{marks: botscan.Marks{Found: found}}
	for _, it := range items {
		r := it.Record
		switch {
		case r.Click != nil:
			b.clicks = append(b.clicks, newStored(*r.Click))
		case r.Out != nil:
			b.outs = append(b.outs, r.Out)
		case r.Postback != nil:
			b.postbacks = append(b.postbacks, r.Postback)
		case r.Event != nil:
			b.events = append(b.events, r.Event)
		case r.Trap != nil:
			b.traps = append(b.traps, r.Trap)
		case r.Smart != nil:
			b.smart = append(b.smart, &click.StoredSmartlinkClick{
				StoredClick: click.StoredClick{Click: r.Smart.Click, At: models.ClickTime(r.Smart.ID)},
				SmartlinkID: r.Smart.SmartlinkID, RuleID: r.Smart.RuleID, DestinationURL: r.Smart.DestinationURL,
			})
		}
	}
	return b
}

func (b batch) moments() []time.Time {
	list := make([]time.Time, 0, len(b.clicks)+len(b.smart))
	for _, c := range b.clicks {
		list = append(list, c.At)
	}
	for _, c := range b.smart {
		list = append(list, c.At)
	}
	return list
}

// newStored returns the row of a new click. Its rate is 1, as for the account's own currency, until convert sets another.
func newStored(c models.Click) *click.StoredClick {
	s := &click.StoredClick{Click: c, At: models.ClickTime(c.ID), Rate: models.SameRate}
	if c.LanderID != uuid.Nil {
		s.LPViews = 1
	}
	return s
}

type postgres struct {
	click.Log
	days click.Days
}

func (p *postgres) makeReady(ctx context.Context, moments []time.Time) error {
	return p.days.Ensure(ctx, p.Log, moments)
}

// storeBatch stores a batch completely or not at all. If refused(err) is true, some of the data is not accepted, so the
// caller tries smaller batches. After any other error, the caller may repeat the batch.
func (p *postgres) storeBatch(ctx context.Context, b batch) (out stored, err error) {
	err = p.makeReady(ctx, b.moments())
	if err == nil {
		err = db.Tx(ctx, p.Conn, func(c db.Conn) error {
			out, err = b.store(ctx, c, p.Store())
			return err
		})
	}
	if refused(err) {
		clear(p.days) // a partition may have been dropped
	}
	return out, err
}

// refused reports whether PostgreSQL or the package click refuses the data itself. A click that another process has just stored
// is not refused: the next attempt finds it.
func refused(err error) bool {
	return errors.Is(err, click.ErrRefused) || db.BadData(err) && db.UniqueViolation(err) == ""
}

// store writes the batch in the transaction of c.
func (b batch) store(ctx context.Context, c db.Conn, in click.Store) (out stored, err error) {
	b, currencies, err := b.ofAccounts(ctx, c)
	if err != nil {
		return out, err
	}
	if err := b.convert(ctx, c, currencies); err != nil {
		return out, err
	}
	deltas := ledger.Deltas{}
	ids, err := b.storeClicks(ctx, c, in, deltas)
	if err != nil {
		return out, err
	}
	if err := conversion.StoreHops(ctx, c, b.outs); err != nil {
		return out, err
	}
	for _, o := range b.outs {
		ids = append(ids, o.ClickID)
	}
	// WarmStore leaves out the clicks that are only in ClickHouse. Otherwise any visitor could make the ingester wait for
	// ClickHouse. conversion.ApplyColdHops applies the hops of those clicks later.
	if out.missing, err = conversion.ApplyHops(ctx, c, click.WarmStore(), append(ids, b.retry...), deltas); err != nil {
		return out, err
	}
	if err := findAds(ctx, c, b.events); err != nil {
		return out, err
	}
	fresh, err := storeEvents(ctx, c, b.events)
	if err != nil {
		return out, err
	}
	if err := storeKeys(ctx, c, b.events, fresh); err != nil {
		return out, err
	}
	arrived := slices.Clone(b.retry) // clicks for which an arrival may wait
	for _, e := range fresh {
		b.postbacks = append(b.postbacks, e.Postbacks()...)
		if e.FindsClick() {
			arrived = append(arrived, e.ClickID)
		}
	}
	waiting, err := applyArrivals(ctx, c, arrived)
	if err != nil {
		return out, err
	}
	out.missing = append(out.missing, waiting...)
	if out.postbacks, err = conversion.StorePostbacks(ctx, c, b.postbacks); err != nil {
		return out, err
	}
	if err := storeSmartlinkClicks(ctx, c, b.smart); err != nil {
		return out, err
	}
	if err := deltas.Write(ctx, c); err != nil {
		return out, err
	}
	return out, botscan.RequestRechecks(ctx, c, botscan.LateRecords{Clicks: b.clicks, Outs: b.outs, Events: fresh, Traps: b.traps})
}

// ofAccounts returns the batch without the clicks, hops and events of deleted accounts, because no account could see or delete
// them. It also returns the currencies of the accounts, and sets the settings by which they score clicks.
func (b batch) ofAccounts(ctx context.Context, c db.Conn) (batch, map[uuid.UUID]string, error) {
	named := map[uuid.UUID]bool{}
	for _, v := range b.clicks {
		named[v.AccountID] = true
	}
	for _, v := range b.outs {
		named[v.AccountID] = true
	}
	for _, v := range b.smart {
		named[v.AccountID] = true
	}
	for _, v := range b.events {
		named[v.AccountID] = true
	}
	if len(named) == 0 {
		return b, nil, nil
	}
	const q = `SELECT id, currency, bot_threshold, array_remove(bot_disabled, NULL) AS bot_disabled FROM accounts WHERE id = ANY ($1)`
	list, err := db.Select[struct {
		ID        uuid.UUID      `db:"id"`
		Currency  string         `db:"currency"`
		Threshold int            `db:"bot_threshold"`
		Disabled  pq.StringArray `db:"bot_disabled"`
	}](ctx, c, "accounts of clicks", q, db.UUIDs(slices.Collect(maps.Keys(named))))
	known := make(map[uuid.UUID]string, len(list))
	b.marks.Settings = make(map[uuid.UUID]bot.Settings, len(list))
	for _, a := range list {
		known[a.ID], b.marks.Settings[a.ID] = a.Currency, bot.NewSettings(a.Threshold, a.Disabled)
	}
	if err != nil || len(known) == len(named) {
		return b, known, err
	}
	isDeleted := func(account uuid.UUID) bool { _, ok := known[account]; return !ok }
	before := len(b.clicks) + len(b.outs) + len(b.smart) + len(b.events)
	b.clicks = db.Without(b.clicks, func(v *click.StoredClick) bool { return isDeleted(v.AccountID) })
	b.outs = db.Without(b.outs, func(v *models.ClickOut) bool { return isDeleted(v.AccountID) })
	b.smart = db.Without(b.smart, func(v *click.StoredSmartlinkClick) bool { return isDeleted(v.AccountID) })
	b.events = db.Without(b.events, func(v *models.SiteEvent) bool { return isDeleted(v.AccountID) })
	after := len(b.clicks) + len(b.outs) + len(b.smart) + len(b.events)
	slog.WarnContext(ctx, "records of deleted accounts are dropped", "records", before-after)
	return b, known, nil
}

// convert sets the rate of clicks in a foreign currency, for the day of the click.
func (b batch) convert(ctx context.Context, c db.Conn, currencies map[uuid.UUID]string) error {
	var foreign []*click.StoredClick
	var keys []exchangerate.Key
	for _, v := range b.clicks {
		if v.Currency != currencies[v.AccountID] && v.Currency != "" {
			foreign, keys = append(foreign, v), append(keys, exchangerate.NewKey(v.AccountID, v.At, v.Currency))
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	found, err := exchangerate.LockRates(ctx, c, keys)
	for i, v := range foreign {
		v.Rate = found[keys[i]]
	}
	return err
}

// storeClicks stores new clicks and returns their ids.
func (b batch) storeClicks(ctx context.Context, c db.Conn, in click.Store, deltas ledger.Deltas) ([]uuid.UUID, error) {
	clicks, err := onlyUnknown(b.clicks, func(ids []uuid.UUID) ([]uuid.UUID, error) { return in.Known(ctx, c, ids) })
	if err != nil || len(clicks) == 0 {
		return nil, err
	}
	b.marks.Floods(clicks)
	if err := click.DecideUnique(ctx, c, clicks); err != nil {
		return nil, err
	}
	if err := b.marks.MarkRepeats(ctx, c, clicks); err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(clicks))
	for i, click := range clicks {
		ids[i] = click.ID
		if click.IsUnique {
			click.Cost = click.Cost.Add(click.UniqueCost)
		}
		click.Cost = click.Cost.Round(models.MoneyScale)
		deltas.Add(click.LedgerKey(), click.Figures())
	}
	if err := in.Insert(ctx, c, clicks); err != nil {
		return nil, err
	}
	if err := botscan.StoreCrawlerClaims(ctx, c, clicks); err != nil {
		return nil, err
	}
	if err := storeAds(ctx, c, clicks); err != nil {
		return nil, err
	}
	return ids, botscan.CountBlocked(ctx, c, clicks)
}

// onlyUnknown returns the clicks that are not stored yet, without duplicates. The function known returns the ids whose clicks are
// stored.
func onlyUnknown[T interface{ ClickID() uuid.UUID }](clicks []T, known func([]uuid.UUID) ([]uuid.UUID, error)) ([]T, error) {
	if len(clicks) == 0 {
		return nil, nil
	}
	unknown := make(map[uuid.UUID]struct{}, len(clicks))
	for _, click := range clicks {
		unknown[click.ClickID()] = struct{}{}
	}
	stored, err := known(db.SortedIDs(unknown))
	if err != nil {
		return nil, err
	}
	for _, id := range stored {
		delete(unknown, id)
	}
	fresh := make([]T, 0, len(unknown))
	for _, click := range clicks {
		if _, ok := unknown[click.ClickID()]; ok {
			fresh = append(fresh, click)
			delete(unknown, click.ClickID())
		}
	}
	return fresh, nil
}

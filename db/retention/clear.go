package retention

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/ledger"
	"switchyard/db/reported"
	"switchyard/db/spend"
	"switchyard/models"
)

// ClearQuery selects the history to delete: [From, To), cut to milliseconds, of campaigns (Clear and ClearArchive) or of one
// smartlink (ClearSmartlink). After is the last click that an earlier call deleted.
type ClearQuery struct {
	AccountID uuid.UUID
	Of        []uuid.UUID
	From, To  time.Time
	After     uuid.UUID
}

// first returns the id below the first id to delete.
func (q ClearQuery) first() uuid.UUID {
	return click.LaterID(q.After, models.FloorClickID(q.From))
}

// Cleared is the result of one call. Clicks does not include bots. The field Of has the campaigns whose data was deleted. The
// next call must continue after the click After. Done means that nothing is left to delete.
type Cleared struct {
	Clicks      int64
	BotClicks   int64
	Conversions int64
	Of          []uuid.UUID
	After       uuid.UUID
	Done        bool
}

// Clear deletes at most limit clicks of campaigns in the transaction of c, with their click-outs, postbacks, site events and
// conversions, and subtracts their figures from the ledger. Repeat it, each time in a new transaction, until the result is Done, and
// then call ClearArchive. A conversion that is being recorded for a deleted click is deleted too, or fails. Records of the window
// that arrive later are stored and counted.
func Clear(ctx context.Context, l click.Log, c db.Conn, q ClearQuery, limit int) (Cleared, error) {
	after := q.first()
	found, err := l.Store().Scan(ctx, c, click.VisitorColumns, click.Range{
		Account: q.AccountID, Low: click.NextID(after), High: models.FloorClickID(q.To), Campaigns: q.Of, Limit: limit,
	})
	if err != nil {
		return Cleared{}, err
	}
	out := Cleared{After: after, Done: len(found) < limit}
	if len(found) == 0 {
		return out, nil
	}
	for _, f := range found {
		if !slices.Contains(out.Of, f.CampaignID) {
			out.Of = append(out.Of, f.CampaignID)
		}
	}
	ids := click.IDs(found)
	out.After = ids[len(ids)-1]
	if err := clearPostbacks(ctx, c, ids); err != nil {
		return out, err
	}
	if err := click.DeleteVisitors(ctx, c, click.UniqueVisitors(found)); err != nil {
		return out, err
	}
	return out, out.remove(ctx, c, l.Store(), ids)
}

// remove deletes clicks and the rows that refer to them, and subtracts their figures from the ledger.
func (d *Cleared) remove(ctx context.Context, c db.Conn, in click.Store, ids []uuid.UUID) error {
	clicks, err := in.Read(ctx, c, click.ChangeColumns, click.Set{IDs: ids, Lock: true})
	if err != nil {
		return err
	}
	if err := deleteSent(ctx, c, ids); err != nil {
		return err
	}
	if err := reported.DeleteOrders(ctx, c, ids); err != nil {
		return err
	}
	converted, err := conversion.Sums(ctx, c, ids)
	if err != nil {
		return err
	}
	s := ledger.Deltas{}
	for _, click := range clicks {
		f := click.Figures()
		d.Clicks, d.BotClicks = d.Clicks+f.Clicks, d.BotClicks+f.BotClicks
		s.Add(click.LedgerKey(), f.Plus(converted[click.ID]).Neg())
	}
	list := db.UUIDs(ids)
	if err := deleteEvents(ctx, c, list); err != nil {
		return err
	}
	if err := db.Run(ctx, c, "clear hops", deleteHops, list); err != nil {
		return err
	}
	const conversions = `DELETE FROM conversions WHERE click_id = ANY ($1::uuid[])`
	if d.Conversions, err = db.Exec(ctx, c, "clear conversions", conversions, list); err != nil {
		return err
	}
	if err := in.Remove(ctx, c, ids); err != nil {
		return err
	}
	return s.Write(ctx, c)
}

// Without the lock, two concurrent calls would subtract the same figures twice.
const lockArchive = `
SELECT pg_advisory_xact_lock(hashtextextended('switchyard clear ' || id::text, 0))
FROM (SELECT id FROM unnest($1::uuid[]) AS i (id) ORDER BY id) sorted`

const deleteArchived = `
DELETE FROM conversions
WHERE account_id = $1 AND campaign_id = ANY ($2::uuid[]) AND click_id >= $3 AND click_id < $4`

// ClearArchive deletes the data of campaigns that does not belong to stored clicks: spend, reported figures and orders, and the
// figures and conversions of whole hours whose clicks were deleted by age. A second call finds nothing.
func ClearArchive(ctx context.Context, l click.Log, c db.Conn, q ClearQuery, _ int) (Cleared, error) {
	out := Cleared{Done: true}
	if err := db.Run(ctx, c, "clear archive", lockArchive, db.UUIDs(q.Of)); err != nil {
		return out, err
	}
	var err error
	if out.Of, err = spend.Clear(ctx, c, q.AccountID, q.Of, q.From, q.To); err != nil {
		return out, err
	}
	if err := reported.Clear(ctx, c, q.AccountID, q.Of, q.From, q.To); err != nil {
		return out, err
	}
	from, to, err := archivedHours(ctx, c, q)
	if err != nil || !from.Before(to) {
		return out, err
	}
	if err := conversion.DeleteKept(ctx, c, q.AccountID, q.Of, from, to); err != nil {
		return out, err
	}
	removed, err := ledger.Negate(ctx, c, q.AccountID, q.Of, from, to)
	if err != nil {
		return out, err
	}
	for _, campaign := range db.SortedIDs(removed) {
		f := removed[campaign]
		out.Clicks, out.BotClicks = out.Clicks+f.Clicks, out.BotClicks+f.BotClicks
		if !slices.Contains(out.Of, campaign) {
			out.Of = append(out.Of, campaign)
		}
	}
	out.Conversions, err = db.Exec(ctx, c, "clear archive", deleteArchived, q.AccountID, db.UUIDs(q.Of),
		models.FloorClickID(from), models.FloorClickID(to))
	return out, err
}

// archivedHours returns the range of whole hours of the window whose clicks are no longer kept.
func archivedHours(ctx context.Context, c db.Conn, q ClearQuery) (from, to time.Time, err error) {
	oldest, err := click.OldestDay(ctx, c, q.AccountID)
	if err != nil {
		return from, to, err
	}
	from, to = q.From.UTC().Truncate(time.Hour), q.To.UTC().Truncate(time.Hour)
	if from.Before(q.From) {
		from = from.Add(time.Hour)
	}
	if to.After(oldest) {
		to = oldest
	}
	return from, to, nil
}

package clicklog

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/models"
)

// ClearQuery names what Clear deletes: the clicks of a campaign in [From, To), cut to milliseconds, with their steps
// and all of their conversions. After is where an earlier call ended.
type ClearQuery struct {
	AccountID  uuid.UUID
	CampaignID uuid.UUID
	From, To   time.Time
	After      uuid.UUID
}

// Cleared is what one call deleted, bots included. After is where the next one goes on; with Done there is nothing
// left.
type Cleared struct {
	Clicks      int64
	Conversions int64
	After       uuid.UUID
	Done        bool
}

const selectClearable = `
SELECT id, unique_key, is_unique FROM clicks
WHERE account_id = $1 AND campaign_id = $2 AND id > $3 AND id < $4
ORDER BY id LIMIT $5`

// A visitor whose unique click is forgotten is unique again. Rows are locked in the order in which ingesters do it,
// and before the clicks, as they do.
const forgetVisitors = `
DELETE FROM click_visitors v USING (
	SELECT campaign_id, unique_key FROM click_visitors
	WHERE campaign_id = $1 AND unique_key = ANY ($2::uuid[]) ORDER BY campaign_id, unique_key FOR UPDATE
) k WHERE v.campaign_id = k.campaign_id AND v.unique_key = k.unique_key`

// Clear deletes at most limit clicks in the transaction of c and takes their figures out of the ledger. Repeat it,
// each time in a transaction of its own, until it is Done; then ClearArchive deletes what had no clicks any more.
// A conversion or a step that is being recorded for one of the clicks comes before and is deleted too, or finds no
// click. What arrives in the window afterwards is counted.
func Clear(ctx context.Context, c db.Conn, q ClearQuery, limit int) (Cleared, error) {
	after := models.FloorClickID(q.From)
	if bytes.Compare(q.After[:], after[:]) > 0 {
		after = q.After
	}
	var found []struct {
		ID     uuid.UUID `db:"id"`
		Key    uuid.UUID `db:"unique_key"`
		Unique bool      `db:"is_unique"`
	}
	err := sqlx.SelectContext(ctx, c, &found, selectClearable, q.AccountID, q.CampaignID, after,
		models.FloorClickID(q.To), limit)
	if err != nil {
		return Cleared{}, fmt.Errorf("clicklog: clear: %w", err)
	}
	out := Cleared{After: after, Done: len(found) < limit}
	if len(found) == 0 {
		return out, nil
	}
	ids, prints := make([]uuid.UUID, len(found)), []uuid.UUID{}
	for i, f := range found {
		ids[i] = f.ID
		if f.Unique {
			prints = append(prints, f.Key)
		}
	}
	out.After = ids[len(ids)-1]
	if _, err := c.ExecContext(ctx, forgetVisitors, q.CampaignID, idArray(prints)); err != nil {
		return out, fmt.Errorf("clicklog: clear visitors: %w", err)
	}
	return out, out.remove(ctx, c, ids)
}

// remove deletes clicks and takes back what they and their conversions counted when they were locked.
func (d *Cleared) remove(ctx context.Context, c db.Conn, ids []uuid.UUID) error {
	clicks, err := lockClicks(ctx, c, ids)
	if err != nil {
		return err
	}
	converted, err := conversionSums(ctx, c, ids)
	if err != nil {
		return err
	}
	s := sheet{}
	for _, click := range clicks {
		s.add(click.key(), click.figures().Plus(converted[click.ID]).Neg())
	}
	for _, step := range []struct {
		sql   string
		count *int64
		args  []any
	}{
		{`DELETE FROM conversions WHERE click_id = ANY ($1::uuid[])`, &d.Conversions, nil},
		{`DELETE FROM click_hops WHERE click_id = ANY ($1::uuid[])`, nil, nil},
		{
			`DELETE FROM clicks WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2 AND $3`, &d.Clicks,
			[]any{ids[0], ids[len(ids)-1]},
		},
	} {
		res, err := c.ExecContext(ctx, step.sql, append([]any{idArray(ids)}, step.args...)...)
		if err != nil {
			return fmt.Errorf("clicklog: clear: %w", err)
		}
		if step.count != nil {
			if *step.count, err = res.RowsAffected(); err != nil {
				return fmt.Errorf("clicklog: clear: %w", err)
			}
		}
	}
	return s.write(ctx, c)
}

const firstPartition = `
SELECT coalesce(min(c.relname), '') FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'clicks'::regclass`

// Two at once would both take the same figures back.
const lockArchive = `SELECT pg_advisory_xact_lock(hashtextextended('switchyard clear ' || $1::text, 0))`

var negateArchive = `
WITH gone AS (
	INSERT INTO ledger (` + ledgerKeys + `, ` + ledgerSums + `)
	SELECT ` + ledgerKeys + `, ` + negated() + ` FROM ledger
	WHERE account_id = $1 AND campaign_id = $2 AND hour >= $3 AND hour < $4
	GROUP BY ` + ledgerKeys + `
	HAVING (` + sums() + `) <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	RETURNING clicks + bot_clicks AS clicks
)
SELECT coalesce(-sum(clicks), 0)::bigint FROM gone`

func negated() string { return strings.ReplaceAll(sums(), "sum(", "-sum(") }

const deleteArchived = `
DELETE FROM conversions WHERE account_id = $1 AND campaign_id = $2 AND click_id >= $3 AND click_id < $4`

// ClearArchive takes back, in the transaction of c, the figures of whole hours of the window whose clicks were
// dropped for their age, and deletes the conversions of these clicks.
func ClearArchive(ctx context.Context, c db.Conn, q ClearQuery) (Cleared, error) {
	out := Cleared{Done: true}
	var name string
	if err := sqlx.GetContext(ctx, c, &name, firstPartition); err != nil {
		return out, fmt.Errorf("clicklog: clear archive: %w", err)
	}
	oldest, err := time.Parse(partitionPrefix+"20060102", name)
	if err != nil { // no partition, no clicks: everything that is over is archive
		oldest = time.Now().UTC().Truncate(day)
	}
	from, to := q.From.UTC().Truncate(time.Hour), q.To.UTC().Truncate(time.Hour)
	if from.Before(q.From) {
		from = from.Add(time.Hour)
	}
	if to.After(oldest) {
		to = oldest
	}
	if !from.Before(to) {
		return out, nil
	}
	if _, err := c.ExecContext(ctx, lockArchive, q.CampaignID); err != nil {
		return out, fmt.Errorf("clicklog: clear archive: %w", err)
	}
	err = sqlx.GetContext(ctx, c, &out.Clicks, negateArchive, q.AccountID, q.CampaignID, from, to)
	if err != nil {
		return out, fmt.Errorf("clicklog: clear archive: %w", err)
	}
	res, err := c.ExecContext(ctx, deleteArchived, q.AccountID, q.CampaignID,
		models.FloorClickID(from), models.FloorClickID(to))
	if err != nil {
		return out, fmt.Errorf("clicklog: clear archive: %w", err)
	}
	out.Conversions, err = res.RowsAffected()
	return out, err
}

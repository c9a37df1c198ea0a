package spend

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
)

// changeLog collects what a change of cost replaces, so that Undo can restore it. A nil log collects nothing.
type changeLog struct {
	id          uuid.UUID
	kept        bool      // the values before the change are stored
	statementID uuid.UUID // id of the entries in conversions.statements that give the new cost
	snapshots   int64     // number of clicks whose prices before the change are stored

	clicks        int64
	parts         int
	before, after decimal.Decimal
	replaced      []pricedSpend
	first, last   time.Time
}

// findChangeLog returns the log of a change. It returns nil if id is null, or if the change is not stored. A change is not stored
// if it is a file of costs that a process of the previous version accepted.
func findChangeLog(ctx context.Context, c db.Conn, account uuid.UUID, id uuid.NullUUID) (*changeLog, error) {
	if !id.Valid {
		return nil, nil //nolint:nilnil // a nil log collects nothing
	}
	found, ok, err := db.First[struct {
		Statement uuid.UUID `db:"statement"`
		Kept      bool      `db:"kept"`
		Snapshots int64     `db:"snapshots"`
	}](ctx, c, "change of cost", `SELECT statement, kept, snapshots FROM cost_changes WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`, account, id)
	if !ok || err != nil {
		return nil, err
	}
	return &changeLog{id: id.UUID, kept: found.Kept, statementID: found.Statement, snapshots: found.Snapshots}, err
}

func (k *changeLog) statement() uuid.UUID {
	if k == nil {
		return models.NewClickID()
	}
	return k.statementID
}

const (
	snapshotClicks = `
INSERT INTO cost_change_clicks (change_id, click_id, cost, unique_cost, conversion_cost, revenue_share, currency, rate, is_bot)
SELECT $8::uuid, f.id, f.cost, f.unique_cost, f.conversion_cost, f.revenue_share, f.currency, f.rate, f.is_bot
FROM clicks f WHERE ` + spentClicks + ` ORDER BY f.id LIMIT $9 FOR NO KEY UPDATE ON CONFLICT DO NOTHING`

	snapshotConversions = `
INSERT INTO cost_change_conversions (change_id, conversion_id, click_id, given_cost)
SELECT $8::uuid, v.id, v.click_id, v.given_cost FROM conversions v JOIN clicks f ON f.id = v.click_id
WHERE v.account_id = $1 AND v.click_id >= $2 AND v.click_id < $3 AND ` + spentClicks + ` ON CONFLICT DO NOTHING`
)

// snapshot stores the prices of clicks before they change. If a change has more than models.MaxCostClicks clicks, its prices are
// not kept.
func (k *changeLog) snapshot(ctx context.Context, c db.Conn, clicks []any) error {
	if k == nil || !k.kept {
		return nil
	}
	args := slices.Concat(clicks, []any{k.id})
	n, err := db.Exec(ctx, c, "keep prices", snapshotClicks, append(slices.Clone(args), models.MaxCostClicks+1)...)
	if err != nil {
		return err
	}
	if k.snapshots += n; k.snapshots > models.MaxCostClicks {
		k.kept = false
		return deleteSnapshots(ctx, c, k.id)
	}
	return db.Run(ctx, c, "keep prices", snapshotConversions, args...)
}

func deleteSnapshots(ctx context.Context, c db.Conn, change uuid.UUID) error {
	for _, table := range []string{"cost_change_clicks", "cost_change_conversions"} {
		if err := db.Run(ctx, c, "delete prices", `DELETE FROM `+table+` WHERE change_id = $1`, change); err != nil {
			return err
		}
	}
	return nil
}

// add records spend that was set, and the spend that it replaced.
func (k *changeLog) add(s pricedSpend, found spreadOver, deleted []pricedSpend) {
	if k == nil {
		return
	}
	k.parts++
	k.clicks += found.Clicks
	k.before, k.after = k.before.Add(found.Before), k.after.Add(models.ConvertAmount(s.Amount, s.Rate))
	k.cover(s.Day)
	k.remove(deleted)
}

// cover extends the range of days of the change to include a day.
func (k *changeLog) cover(day time.Time) {
	if k == nil {
		return
	}
	if k.first.IsZero() || day.Before(k.first) {
		k.first = day
	}
	if day.After(k.last) {
		k.last = day
	}
}

// remove records that spend was replaced. Spend of the change itself is not listed as replaced, because it did not exist before
// the change.
func (k *changeLog) remove(deleted []pricedSpend) {
	if k == nil {
		return
	}
	for _, s := range deleted {
		k.before = k.before.Add(s.counted())
		if s.ChangeID.Valid && s.ChangeID.UUID == k.id {
			k.parts--
		} else {
			k.replaced = append(k.replaced, s)
		}
	}
}

const saveChange = `
UPDATE cost_changes SET clicks = clicks + $2, parts = parts + $3, before = before + $4, after = after + $5, replaced = replaced || $6::jsonb,
	first_day = least(first_day, $7::date), last_day = greatest(last_day, $8::date), kept = $9, snapshots = $10 WHERE id = $1`

// save writes the collected values to the stored change.
func (k *changeLog) save(ctx context.Context, c db.Conn) error {
	if k == nil || k.first.IsZero() {
		return nil
	}
	replaced, err := json.Marshal(append([]pricedSpend{}, k.replaced...))
	if err != nil {
		return fmt.Errorf("spend: replaced spend: %w", err)
	}
	return db.Run(ctx, c, "change of cost", saveChange, k.id, k.clicks, k.parts, k.before, k.after, replaced, k.first.Format(time.DateOnly),
		k.last.Format(time.DateOnly), k.kept, k.snapshots)
}

// DeleteExpired deletes the replaced values of changes that cannot be undone any more. It also deletes changes that are older
// than models.CostChangeDays.
func DeleteExpired(ctx context.Context, c db.Conn, now time.Time) (int64, error) {
	over, err := db.Select[uuid.UUID](ctx, c, "old changes of cost", `SELECT id FROM cost_changes WHERE kept AND created_at < $1 LIMIT 1000`,
		now.Add(-models.UndoCostWithin))
	if err != nil {
		return 0, err
	}
	for _, id := range over {
		err := db.Tx(ctx, c, func(c db.Conn) error {
			if err := deleteSnapshots(ctx, c, id); err != nil {
				return err
			}
			return db.Run(ctx, c, "old changes of cost", `UPDATE cost_changes SET kept = false, replaced = '[]' WHERE id = $1`, id)
		})
		if err != nil {
			return 0, err
		}
	}
	n, err := db.Exec(ctx, c, "old changes of cost", `DELETE FROM cost_changes WHERE created_at < $1`, now.AddDate(0, 0, -models.CostChangeDays))
	return n + int64(len(over)), err
}

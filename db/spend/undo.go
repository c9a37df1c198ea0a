package spend

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/exchangerate"
	"switchyard/db/ledger"
	"switchyard/models"
)

// undoing is a change that is being undone.
type undoing struct {
	models.CostChange
	Statement uuid.UUID `db:"statement"`
	Parts     int       `db:"parts"`
	Replaced  []byte    `db:"replaced"`
	Currency  string    `db:"currency"` // present currency of the account

	account   uuid.UUID
	low, high uuid.UUID // limits of the ids of the change's clicks
}

const selectUndoing = `
SELECT k.id, k.kept, k.base, k.first_day, k.last_day, k.created_at, k.undone_at, k.statement, k.parts, k.replaced, a.currency
FROM cost_changes k JOIN accounts a ON a.id = k.account_id WHERE k.account_id = $1 AND k.id = $2 FOR NO KEY UPDATE OF k`

// overlapped reports whether spend that was set later covers clicks of the change.
const overlapped = `
SELECT (SELECT count(*) FROM spend WHERE account_id = $1 AND change_id = $2) <> $3 OR EXISTS (
	SELECT FROM spend o JOIN spend n ON n.account_id = o.account_id AND n.day = o.day AND n.source_id = o.source_id
		AND (n.campaign_id = o.campaign_id OR '` + db.ZeroID + `' IN (n.campaign_id, o.campaign_id)) AND n.starts < o.ends AND n.ends > o.starts
		AND (0 IN (n.sub, o.sub) OR n.sub <> o.sub OR n.sub_value = o.sub_value) AND n.place > o.place
	WHERE o.account_id = $1 AND o.change_id = $2 AND n.change_id IS DISTINCT FROM o.change_id)`

// Undo restores the state before a change of cost, in the transaction of c: the prices of the clicks, the costs of their
// conversions, and the spend that the change replaced. Clicks that were stored after the change keep their own cost. Errors:
// not_found, stale if the change is undone already, too_old, and overlapped if the cost or the account's currency was changed
// later.
func Undo(ctx context.Context, l click.Log, c db.Conn, account, change uuid.UUID) error {
	if err := lockAccount(ctx, c, account); err != nil {
		return err
	}
	k, err := db.Get[undoing](ctx, c, "change of cost", selectUndoing, account, change)
	if err != nil {
		return err
	}
	k.account = account
	if err := k.check(ctx, c); err != nil {
		return err
	}
	if k.FirstDay != nil { // the change has changed something
		if err := k.restore(ctx, l, c); err != nil {
			return err
		}
	}
	if err := deleteSnapshots(ctx, c, change); err != nil {
		return err
	}
	return db.Run(ctx, c, "undo cost", `UPDATE cost_changes SET undone_at = now(), kept = false, replaced = '[]' WHERE id = $1`, change)
}

// check refuses a change that cannot be undone.
func (k *undoing) check(ctx context.Context, c db.Conn) error {
	if k.UndoneAt != nil {
		return models.Conflict("stale", "the change was undone already")
	}
	kept, err := click.KeptFrom(ctx, c, k.account)
	if err != nil {
		return err
	}
	if !k.MayUndo(time.Now()) || k.FirstDay != nil && k.FirstDay.Before(kept) {
		return models.Conflict("too_old", "the values before the change are not kept any more: they are kept for %d days, and for at most %d clicks",
			models.UndoCostWithin/click.Day, models.MaxCostClicks)
	}
	newer, err := db.Get[bool](ctx, c, "newer spend", overlapped, k.account, k.ID, k.Parts)
	switch {
	case err != nil:
		return err
	case newer:
		return models.Conflict("overlapped", "the cost of these clicks was changed again later: undo that change first, or set the cost by hand")
	case k.Currency != k.Base:
		return models.Conflict("overlapped", "the account's currency has been changed from %s to %s since this change", k.Base, k.Currency)
	}
	return nil
}

func (k *undoing) restore(ctx context.Context, l click.Log, c db.Conn) error {
	k.low, k.high = models.FloorClickID(*k.FirstDay), models.FloorClickID(k.LastDay.AddDate(0, 0, 1))
	in := l.Store()
	if err := in.ThawRange(ctx, c, k.account, k.low, k.high); err != nil {
		return err
	}
	judged, err := db.Select[time.Time](ctx, c, "days of clicks judged again", judgedSince, k.account, k.low, k.high, k.ID)
	if err != nil {
		return err
	}
	sums := ledger.Deltas{}
	if err := k.restoreSpend(ctx, c, sums); err != nil {
		return err
	}
	if err := k.restoreClicks(ctx, c); err != nil {
		return err
	}
	if err := k.restoreConversions(ctx, c, in, sums); err != nil {
		return err
	}
	if err := sums.Write(ctx, c); err != nil {
		return err
	}
	for _, day := range judged {
		if err := Respread(ctx, l, c, k.account, day.UTC()); err != nil {
			return err
		}
	}
	return nil
}

// judgedSince lists the days with clicks that were judged again since the change of cost: they counted as clicks of bots then
// and do not now, or the reverse.
const judgedSince = `
SELECT DISTINCT date_trunc('day', f.at, 'UTC') FROM cost_change_clicks k JOIN clicks f ON f.id = k.click_id
WHERE f.account_id = $1 AND f.id >= $2 AND f.id < $3 AND k.change_id = $4 AND f.is_bot <> k.is_bot`

const deleteChanged = `DELETE FROM spend WHERE account_id = $1 AND change_id = $2 RETURNING ` + spendColumns

// restoreSpend deletes the spend of the change, and inserts the spend that the change replaced. It looks up the exchange rates
// again, because they may have changed.
func (k *undoing) restoreSpend(ctx context.Context, c db.Conn, sums ledger.Deltas) error {
	if _, err := deleteSpend(ctx, c, k.account, sums, deleteChanged, k.ID); err != nil {
		return err
	}
	var replaced []pricedSpend
	if err := json.Unmarshal(k.Replaced, &replaced); err != nil {
		return fmt.Errorf("spend: replaced spend: %w", err)
	}
	priced, err := priceSpend(ctx, c, k.account, db.Map(replaced, func(s pricedSpend) Spend { return s.Spend }), exchangerate.LockRates)
	if err != nil {
		return err
	}
	for i, s := range priced {
		s.Place, s.Alone = replaced[i].Place, replaced[i].Alone
		if err := s.insert(ctx, c, k.account, sums); err != nil {
			return err
		}
	}
	return nil
}

const keysBefore = `
SELECT DISTINCT date_trunc('day', f.at, 'UTC') AS day, k.currency FROM cost_change_clicks k JOIN clicks f ON f.id = k.click_id
WHERE f.account_id = $1 AND f.id >= $2 AND f.id < $3 AND k.change_id = $4 AND k.currency NOT IN ('', $5)`

// Amounts in the account's currency are not converted. Amounts in another currency are converted with the present rate of their
// day.
var restoreClicks = `
WITH old AS MATERIALIZED (
	SELECT f.id, CASE WHEN f.is_bot THEN 0 ELSE coalesce(f.cost * f.rate, 0) END AS counted, k.cost, k.unique_cost, k.conversion_cost,
		k.revenue_share, k.currency, CASE WHEN k.currency = $5 THEN 1 WHEN r.currency IS NULL THEN k.rate ELSE r.rate END AS rate
	FROM cost_change_clicks k JOIN clicks f ON f.id = k.click_id
	LEFT JOIN unnest($6::timestamptz[], $7::text[], $8::numeric[]) AS r (day, currency, rate)
		ON r.day = date_trunc('day', f.at, 'UTC') AND r.currency = k.currency
	WHERE f.account_id = $1 AND f.id >= $2 AND f.id < $3 AND k.change_id = $4 ORDER BY f.id FOR NO KEY UPDATE OF f
), changed AS (
	UPDATE clicks f SET cost = o.cost, unique_cost = o.unique_cost, conversion_cost = o.conversion_cost, revenue_share = o.revenue_share,
		currency = o.currency, rate = o.rate
	FROM old o WHERE f.account_id = $1 AND f.id = o.id AND f.id >= $2 AND f.id < $3
	RETURNING ` + changedKeys + `, CASE WHEN f.is_bot THEN 0 ELSE coalesce(f.cost * f.rate, 0) END - o.counted AS delta
), ` + writeChanged + `
SELECT count(*) FROM changed`

func (k *undoing) restoreClicks(ctx context.Context, c db.Conn) error {
	found, err := db.Select[struct {
		Day      time.Time `db:"day"`
		Currency string    `db:"currency"`
	}](ctx, c, "currencies of clicks", keysBefore, k.account, k.low, k.high, k.ID, k.Currency)
	if err != nil {
		return err
	}
	keys := make([]exchangerate.Key, len(found))
	for i, f := range found {
		keys[i] = exchangerate.NewKey(k.account, f.Day.UTC(), f.Currency)
	}
	known, err := exchangerate.LockRates(ctx, c, keys)
	if err != nil {
		return err
	}
	days, currencies, rates := make([]string, len(keys)), make([]string, len(keys)), make([]decimal.NullDecimal, len(keys))
	for i, key := range keys {
		days[i], currencies[i], rates[i] = key.Day.UTC().Format(time.RFC3339), key.Currency, known[key]
	}
	return db.Run(ctx, c, "restore clicks", restoreClicks, k.account, k.low, k.high, k.ID, k.Currency, pq.Array(days), pq.Array(currencies),
		pq.Array(rates))
}

// A cost that was reported after the change is kept. The column statements has what was reported about a conversion. The entry of
// the change is deleted there, so that the cost again follows from the other entries.
const restoreGiven = `
UPDATE conversions v SET given_cost = CASE WHEN v.given_cost = 0 THEN k.given_cost ELSE v.given_cost END,
	statements = (SELECT coalesce(jsonb_agg(s ORDER BY n), '[]') FROM jsonb_array_elements(v.statements) WITH ORDINALITY AS e (s, n)
		WHERE s ->> 'at' <> $3::text)
FROM cost_change_conversions k
WHERE k.change_id = $2 AND v.id = k.conversion_id AND v.account_id = $1 AND v.click_id = k.click_id`

const soldClicks = `
SELECT DISTINCT v.click_id FROM cost_change_clicks k JOIN conversions v ON v.click_id = k.click_id AND v.account_id = $1
WHERE k.change_id = $2 AND v.click_id > $3 ORDER BY v.click_id LIMIT 1000`

// restoreConversions restores the costs of the clicks' conversions, including conversions that were recorded after the change.
func (k *undoing) restoreConversions(ctx context.Context, c db.Conn, in click.Store, sums ledger.Deltas) error {
	if err := db.Run(ctx, c, "restore conversions", restoreGiven, k.account, k.ID, k.Statement.String()); err != nil {
		return err
	}
	for after := uuid.Nil; ; {
		ids, err := db.Select[uuid.UUID](ctx, c, "clicks with conversions", soldClicks, k.account, k.ID, after)
		if err != nil || len(ids) == 0 {
			return err
		}
		after = ids[len(ids)-1]
		list, err := in.Read(ctx, c, click.ChangeColumns, click.Set{Account: k.account, IDs: ids, Lock: true})
		if err != nil {
			return err
		}
		sold, err := db.Select[conversion.Conversion](ctx, c, "conversions of clicks", conversionsOfClicks, k.account, db.UUIDs(ids))
		if err != nil {
			return err
		}
		err = reprice(ctx, c, sums, db.ByKey(list, (*click.StoredClick).ClickID), sold,
			func(v conversion.Conversion) decimal.NullDecimal { return v.Rate })
		if err != nil {
			return err
		}
	}
}

// Package reported stores the figures that traffic sources and networks report. Package difference compares them with ours.
package reported

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/spend"
	"switchyard/models"
)

// KeptDays is the number of days for which orders and reported figures are kept.
const KeptDays = 400

const (
	deleteSourceDay = `DELETE FROM source_figures WHERE account_id = $1 AND source_id = $2 AND day = $3::date`

	insertSourceFigures = `
INSERT INTO source_figures (source_id, day, campaign_id, account_id, amount, currency, clicks, impressions)
VALUES ($2, $3::date, $4, $1, $5, $6, $7, $8)`
)

// SaveSourceDay replaces the figures that a traffic source reports for a day. Items without figures are not stored.
func SaveSourceDay(ctx context.Context, c db.Conn, account, source uuid.UUID, day time.Time, list []spend.Spend) error {
	on := day.Format(time.DateOnly)
	if err := db.Run(ctx, c, "figures of a source", deleteSourceDay, account, source, on); err != nil {
		return err
	}
	for _, s := range list {
		if s.Amount.IsZero() && s.Clicks == nil && s.Impressions == nil {
			continue
		}
		err := db.Run(ctx, c, "figures of a source", insertSourceFigures, account, source, on, s.CampaignID, s.Amount, s.Currency,
			s.Clicks, s.Impressions)
		if err != nil {
			return err
		}
	}
	return nil
}

// Order is an order as a network reports it.
type Order struct {
	OrderID      string    `db:"order_id"`
	ClickID      uuid.UUID `db:"click_id"` // zero: the order names none of our clicks
	OrderGoal    string    `db:"order_goal"`
	Goal         string    `db:"goal"` // Goal and ConversionID identify our conversion
	ConversionID string    `db:"conversion_id"`
	Day          string    `db:"day"`    // YYYY-MM-DD in the network's zone
	Status       string    `db:"status"` // empty: not known
	Payout       string    `db:"payout"` // a decimal; empty: not known
	Currency     string    `db:"currency"`
	Refusal      string    `db:"refusal"` // why the order is not recorded as a conversion; empty: it is recorded
}

// An order from a file never replaces an order that was read from the network. An unchanged order keeps its read_at.
var upsertOrders = `
INSERT INTO network_orders AS o (network_id, account_id, order_id, click_id, order_goal, goal, conversion_id, day, status, payout,
	currency, refusal, from_file, read_at)
SELECT $11, $12, order_id, click_id, order_goal, goal, conversion_id, day::date, status, nullif(payout, '')::numeric, currency, refusal,
	$13, $14
FROM ` + db.FromRecords[Order]() + ` r
ON CONFLICT (network_id, order_id, click_id, order_goal) DO UPDATE SET goal = excluded.goal, conversion_id = excluded.conversion_id,
	day = excluded.day, status = excluded.status, payout = excluded.payout, currency = excluded.currency, refusal = excluded.refusal,
	from_file = excluded.from_file, read_at = excluded.read_at
WHERE (o.from_file OR NOT excluded.from_file) AND (o.goal, o.conversion_id, o.day, o.status, o.payout, o.currency, o.refusal, o.from_file)
	IS DISTINCT FROM (excluded.goal, excluded.conversion_id, excluded.day, excluded.status, excluded.payout, excluded.currency,
	excluded.refusal, excluded.from_file)`

const ordersAtOnce = 2000

// SaveOrders stores orders of a network. The parameter at is the time at which they were read. Of several orders with the same
// id, click and goal, the last one counts. fromFile says that a person has uploaded them.
func SaveOrders(ctx context.Context, c db.Conn, account, network uuid.UUID, list []Order, fromFile bool, at time.Time) error {
	type key struct {
		order, goal string
		click       uuid.UUID
	}
	seen, distinct := map[key]bool{}, make([]Order, 0, len(list))
	for _, o := range slices.Backward(list) {
		if k := (key{o.OrderID, o.OrderGoal, o.ClickID}); !seen[k] {
			seen[k] = true
			distinct = append(distinct, o)
		}
	}
	for part := range slices.Chunk(distinct, ordersAtOnce) {
		args, err := db.Records(part)
		if err != nil {
			return err
		}
		if err := db.Run(ctx, c, "store orders", upsertOrders, append(args, network, account, fromFile, at)...); err != nil {
			return err
		}
	}
	return nil
}

const deleteFileOrders = `
DELETE FROM network_orders WHERE account_id = $1 AND network_id = $2 AND from_file AND day >= $3::date AND day <= $4::date`

// ReplaceFileOrders stores the orders of a file. They replace the orders of earlier files from the first to the last day of this
// file.
func ReplaceFileOrders(ctx context.Context, c db.Conn, account, network uuid.UUID, list []Order, at time.Time) error {
	if len(list) == 0 {
		return nil
	}
	first, last := list[0].Day, list[0].Day
	for _, o := range list {
		first, last = min(first, o.Day), max(last, o.Day)
	}
	if err := db.Run(ctx, c, "replace orders of a file", deleteFileOrders, account, network, first, last); err != nil {
		return err
	}
	const fromFile = true
	return SaveOrders(ctx, c, account, network, list, fromFile, at)
}

const upsertTotals = `
INSERT INTO network_totals (network_id, day, account_id, clicks, conversions, payout, currency, read_at)
VALUES ($2, $3::date, $1, $4, $5, $6, $7, $8)
ON CONFLICT (network_id, day) DO UPDATE SET clicks = $4, conversions = $5, payout = $6, currency = $7, read_at = $8`

// Totals are the sums that a network reports for a day. Unreported sums are null.
type Totals struct {
	Day         time.Time           `db:"day"`
	Clicks      *int64              `db:"clicks"`
	Conversions *int64              `db:"conversions"`
	Payout      decimal.NullDecimal `db:"payout"`
	Currency    string              `db:"currency"`
	ReadAt      time.Time           `db:"read_at"`
}

// ListTotals lists the sums of a network for the days from one date to another, inclusive.
func ListTotals(ctx context.Context, c db.Conn, account, network uuid.UUID, from, to string) ([]Totals, error) {
	return db.Select[Totals](ctx, c, "sums of a network", `SELECT day, clicks, conversions, payout, currency, read_at
		FROM network_totals WHERE account_id = $1 AND network_id = $2 AND day >= $3::date AND day <= $4::date ORDER BY day`,
		account, network, from, to)
}

// SaveTotals stores the sums that a network reports by day. Earlier sums of these days are replaced.
func SaveTotals(ctx context.Context, c db.Conn, account, network uuid.UUID, list []Totals, at time.Time) error {
	for _, t := range list {
		err := db.Run(ctx, c, "store sums of a network", upsertTotals, account, network, t.Day.Format(time.DateOnly), t.Clicks,
			t.Conversions, t.Payout, t.Currency, at)
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteOrders deletes the orders of clicks.
func DeleteOrders(ctx context.Context, c db.Conn, clicks []uuid.UUID) error {
	return db.Run(ctx, c, "delete orders", `DELETE FROM network_orders WHERE click_id = ANY ($1::uuid[])`, db.UUIDs(clicks))
}

// Clear deletes the figures that sources report for campaigns on the days in [from, to). For each click of the campaigns
// in that time, it also deletes the orders if the click has a conversion.
func Clear(ctx context.Context, c db.Conn, account uuid.UUID, campaigns []uuid.UUID, from, to time.Time) error {
	ids := db.UUIDs(campaigns)
	err := db.Run(ctx, c, "clear figures of sources", `DELETE FROM source_figures WHERE account_id = $1
		AND campaign_id = ANY ($2::uuid[]) AND day::timestamp AT TIME ZONE 'UTC' >= $3 AND day::timestamp AT TIME ZONE 'UTC' < $4`,
		account, ids, from, to)
	if err != nil {
		return err
	}
	return db.Run(ctx, c, "clear orders", `DELETE FROM network_orders o USING conversions v WHERE v.account_id = $1
		AND v.campaign_id = ANY ($2::uuid[]) AND v.click_id >= $3 AND v.click_id < $4 AND o.account_id = $1 AND o.click_id = v.click_id`,
		account, ids, models.FloorClickID(from), models.FloorClickID(to))
}

const deletedAtOnce = 5000

// DeleteExpired deletes orders, daily sums and figures that are older than KeptDays. It returns the number of deleted rows.
func DeleteExpired(ctx context.Context, c db.Conn, now time.Time) (total int64, err error) {
	before := now.AddDate(0, 0, -KeptDays).UTC().Format(time.DateOnly)
	for _, table := range []string{"network_orders", "network_totals", "source_figures"} {
		n, err := db.InParts(ctx, c, "delete old figures", `DELETE FROM `+table+` WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM `+table+` WHERE day < $1::date LIMIT $2))`, deletedAtOnce, before)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

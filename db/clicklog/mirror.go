package clicklog

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/columnar"
	"switchyard/db/ledger"
	"switchyard/models"
)

// Mirror copies clicks and ledger from PostgreSQL to ClickHouse, an account's day at a time. A day may be copied again: then
// it is in ClickHouse as it is in PostgreSQL now.
type Mirror struct {
	From db.Conn // the pool
	To   columnar.Store
}

// Ensure makes the tables of clicks and ledger, and adds columns that are new.
func (m Mirror) Ensure(ctx context.Context) error {
	return m.To.Ensure(ctx, columnarClicks, columnarLedger)
}

// Mirrored counts what Day has copied.
type Mirrored struct {
	Clicks int64
	Deltas int // rows of the ledger
}

// mirroredAtOnce is how many clicks go to ClickHouse as one block.
const mirroredAtOnce = 20_000

// Day copies the clicks and the ledger of an account in the day (UTC) that begins at a moment. number is a higher one than any
// before, and never used twice; after an error the day is copied again under another number, and the former one is among
// those that are given up. Two calls for one day must not run at once. What changes meanwhile may or may not be copied, clicks
// and ledger alike: they are read in one snapshot.
func (m Mirror) Day(ctx context.Context, account uuid.UUID, day time.Time, number uint64, givenUp ...uint64) (out Mirrored, err error) {
	from := day.UTC().Truncate(24 * time.Hour)
	to := from.AddDate(0, 0, 1)
	nothing := ledger.Key{AccountID: account, Hour: from.Unix()}
	for _, n := range givenUp { // what is read below must not grow afterwards
		row := columnar.Row{Hour: from, Cells: append(ledger.Cells(nothing, models.Figures{}), n)}
		if err := m.To.Settle(ctx, columnarLedger, n, row); err != nil {
			return out, err
		}
	}
	var sums ledger.Deltas
	err = db.Snapshot(ctx, m.From, func(c db.Conn) error {
		if out.Clicks, err = m.clicks(ctx, c, account, from, to, number); err != nil {
			return err
		}
		sums, err = ledger.Read(ctx, c, account, from, to)
		return err
	})
	if err != nil {
		return out, err
	}
	if err := m.removeOthers(ctx, account, from, to, number); err != nil {
		return out, err
	}
	have, err := m.ledgerOf(ctx, account, from, to)
	if err != nil {
		return out, err
	}
	for k, f := range have {
		sums.Add(k, f.Neg())
	}
	b := columnar.Batch{Table: columnarLedger, Number: number}
	for k, f := range sums {
		if !f.IsZero() {
			b.Rows = append(b.Rows, columnar.Row{Hour: time.Unix(k.Hour, 0), Cells: append(ledger.Cells(k, f), number)})
		}
	}
	out.Deltas = len(b.Rows)
	return out, m.To.Once(ctx, b)
}

// clicks copies the clicks of [from, to) as a version.
func (m Mirror) clicks(ctx context.Context, c db.Conn, account uuid.UUID, from, to time.Time, version uint64) (n int64, err error) {
	q := clickRange{account: account, low: models.FloorClickID(from), high: models.FloorClickID(to), limit: mirroredAtOnce}
	for {
		list, err := pgStore{}.scan(ctx, c, clickColumns, q)
		if err != nil || len(list) == 0 {
			return n, err
		}
		sold, err := conversionSums(ctx, c, clickIDs(list))
		if err != nil {
			return n, err
		}
		err = m.To.Put(ctx, columnarClicks, func(yield func([]any) bool) {
			for _, click := range list {
				if !yield(columnarRow(click, sold[click.ID], version)) {
					return
				}
			}
		})
		if n += int64(len(list)); err != nil || len(list) < mirroredAtOnce {
			return n, err
		}
		q.low = next(list[len(list)-1].ID)
	}
}

// Within one SELECT the condition would be about the new version.
const removeColumnar = `
INSERT INTO clicks SELECT * REPLACE ($4 AS version, 1 AS removed) FROM (
	SELECT * FROM clicks FINAL WHERE account_id = $1 AND at >= $2 AND at < $3 AND version < $4
)`

// removeOthers removes the clicks of [from, to) that a version does not have: they are gone in PostgreSQL.
func (m Mirror) removeOthers(ctx context.Context, account uuid.UUID, from, to time.Time, version uint64) error {
	return m.To.Exec(ctx, "remove clicks", removeColumnar, account, from, to, version)
}

var selectColumnarLedger = `SELECT ` + ledger.Keys + `, sum(` + strings.ReplaceAll(ledger.Sums, ", ", `), sum(`) + `) FROM ledger
WHERE account_id = $1 AND hour >= $2 AND hour < $3 GROUP BY ` + ledger.Keys

// ledgerOf gives the figures of [from, to) in ClickHouse.
func (m Mirror) ledgerOf(ctx context.Context, account uuid.UUID, from, to time.Time) (ledger.Deltas, error) {
	return m.sums(ctx, selectColumnarLedger, account, from, to)
}

// What a click and its conversions count, as clicklog works it out: a bot's click counts none of its own amounts.
var selectColumnarSums = `SELECT account_id, toStartOfHour(at) AS hour, campaign_id, stream_id, lander_id, offer_id, source_id, country,
	device_type, os, browser, toInt64(countIf(NOT is_bot)), toInt64(countIf(is_unique AND NOT is_bot)), toInt64(countIf(is_bot)),
	sumIf(lp_views, NOT is_bot), sumIf(lp_clicks, NOT is_bot), sum(approved), sum(pending), sum(rejected), sum(chargebacks),
	sum(if(is_bot, toDecimal256(0, 38), ifNull(cost * rate, toDecimal256(0, 38))) + sale_cost), sum(revenue), sum(pending_revenue)
FROM clicks FINAL WHERE account_id = $1 AND at >= $2 AND at < $3 GROUP BY ` + ledger.Keys

// countsOf gives what the clicks of [from, to) in ClickHouse count.
func (m Mirror) countsOf(ctx context.Context, account uuid.UUID, from, to time.Time) (ledger.Deltas, error) {
	return m.sums(ctx, selectColumnarSums, account, from, to)
}

func (m Mirror) sums(ctx context.Context, query string, account uuid.UUID, from, to time.Time) (ledger.Deltas, error) {
	out := ledger.Deltas{}
	err := m.To.Each(ctx, "figures", func(scan func(...any) error) error {
		var k ledger.Key
		var hour time.Time
		var f models.Figures
		err := scan(ledger.Places(&k, &hour, &f)...)
		if k.Hour = hour.Unix(); err == nil && !f.IsZero() {
			out[k] = f
		}
		return err
	}, query, account, from, to)
	return out, err
}

// Difference is a key whose figures are not the same on both sides.
type Difference struct {
	ledger.Key
	Rows, Ledger models.Figures // of ClickHouse
	Here         models.Figures // of PostgreSQL's ledger
}

const selectAlone = `
SELECT source_id, campaign_id, coalesce(sum(amount * rate), 0) AS cost FROM spend
WHERE account_id = $1 AND day = $2::date AND alone GROUP BY source_id, campaign_id`

// Audit compares the ledger of an account's day in PostgreSQL with what ClickHouse has of it, in its ledger and in its clicks.
// Spend without clicks is in ledgers only, and so are days whose clicks are not kept any more: for those ask ledgers alone.
func (m Mirror) Audit(ctx context.Context, account uuid.UUID, day time.Time) ([]Difference, error) {
	from := day.UTC().Truncate(24 * time.Hour)
	to := from.AddDate(0, 0, 1)
	here, err := ledger.Read(ctx, m.From, account, from, to)
	if err != nil {
		return nil, err
	}
	sums, err := m.ledgerOf(ctx, account, from, to)
	if err != nil {
		return nil, err
	}
	rows, err := m.countsOf(ctx, account, from, to)
	if err != nil {
		return nil, err
	}
	alone, err := db.Select[struct {
		Source   uuid.UUID       `db:"source_id"`
		Campaign uuid.UUID       `db:"campaign_id"`
		Cost     decimal.Decimal `db:"cost"`
	}](ctx, m.From, "spend without clicks", selectAlone, account, from.Format(time.DateOnly))
	if err != nil {
		return nil, err
	}
	for _, s := range alone {
		rows.Add(aloneKey(account, from, s.Source, s.Campaign), models.Figures{Cost: s.Cost})
	}
	return differences(here, sums, rows), nil
}

// differences lists the keys whose figures are not the same in all three.
func differences(here, sums, rows ledger.Deltas) (list []Difference) {
	keys := map[ledger.Key]bool{}
	for _, d := range []ledger.Deltas{here, sums, rows} {
		for k := range d {
			keys[k] = true
		}
	}
	for k := range keys {
		if !here[k].Plus(sums[k].Neg()).IsZero() || !here[k].Plus(rows[k].Neg()).IsZero() {
			list = append(list, Difference{Key: k, Rows: rows[k], Ledger: sums[k], Here: here[k]})
		}
	}
	return list
}

// String implements fmt.Stringer.
func (d Difference) String() string {
	return fmt.Sprintf("%s campaign %s source %s: rows %v, ledger %v, here %v", time.Unix(d.Hour, 0).UTC().Format(time.RFC3339), d.CampaignID,
		d.SourceID, d.Rows, d.Ledger, d.Here)
}

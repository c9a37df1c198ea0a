package clickcopy

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/clickhouse/schema"
	"switchyard/db/ledger"
	"switchyard/db/spend"
	"switchyard/models"
	"switchyard/models/interval"
	"switchyard/models/measure"
)

// selectCopiedSums sums up the figures of clicks and their conversions in ClickHouse. It follows the rules of the Go methods
// named Figures.
var selectCopiedSums = `SELECT account_id, toStartOfHour(at) AS hour, campaign_id, stream_id, lander_id, offer_id, source_id, country,
	device_type, os, browser, ` + copiedSums + `
FROM clicks AS f FINAL WHERE account_id = $1 AND %s GROUP BY ` + ledger.Keys

var copiedSums = strings.Join(db.Map(measure.Counters, func(m *measure.Measure) string {
	const withConversions = true
	sum := "sum(" + m.CopyOfClick(withConversions) + ")"
	if m.IsAmount() {
		return sum
	}
	return "toInt64(" + sum + ")"
}), ", ")

func (k Copy) countsOf(ctx context.Context, account uuid.UUID, from, to time.Time) (ledger.Deltas, error) {
	out := ledger.Deltas{}
	err := k.To.Each(ctx, "figures", func(scan func(...any) error) error {
		var key ledger.Key
		var hour time.Time
		var f models.Figures
		if err := scan(ledger.Places(&key, &hour, &f)...); err != nil {
			return err
		}
		if !f.IsZero() {
			key.Hour = hour.Unix()
			out[key] = f
		}
		return nil
	}, fmt.Sprintf(selectCopiedSums, schema.Window("at", from, to)), account)
	return out, err
}

// Difference is a key whose figures differ.
type Difference struct {
	ledger.Key
	Rows   models.Figures // figures of ClickHouse's rows
	Ledger models.Figures // figures of PostgreSQL's ledger
}

// String implements fmt.Stringer.
func (d Difference) String() string {
	return fmt.Sprintf("%s campaign %s source %s: PostgreSQL %v, ClickHouse %v", time.Unix(d.Hour, 0).UTC().Format(time.RFC3339), d.CampaignID,
		d.SourceID, d.Ledger, d.Rows)
}

// Audit compares an account's figures of one day in the ledger with the figures of ClickHouse's rows. stable is false if the
// day's rows changed during the comparison or wait to be copied. Then try again. A day whose clicks the account no longer keeps
// has no differences.
func (k Copy) Audit(ctx context.Context, account uuid.UUID, at time.Time) (list []Difference, stable bool, err error) {
	from := at.UTC().Truncate(click.Day)
	to := from.Add(click.Day)
	if kept, err := click.OldestDay(ctx, k.From, account); err != nil || from.Before(kept) {
		return nil, true, err
	}
	before, stable, err := k.ledgerFigures(ctx, account, from, to)
	if err != nil || !stable {
		return nil, false, err
	}
	rows, err := k.countsOf(ctx, account, from, to)
	if err != nil {
		return nil, false, err
	}
	after, stable, err := k.ledgerFigures(ctx, account, from, to)
	if err != nil || !stable || !maps.EqualFunc(before, after, func(a, b models.Figures) bool { return a.Plus(b.Neg()).IsZero() }) {
		return nil, false, err
	}
	for key := range rows {
		if _, ok := before[key]; !ok {
			before[key] = models.Figures{}
		}
	}
	for key, inLedger := range before {
		if !inLedger.Plus(rows[key].Neg()).IsZero() {
			list = append(list, Difference{Key: key, Rows: rows[key], Ledger: inLedger})
		}
	}
	return list, true, nil
}

const waitsFor = `SELECT EXISTS (SELECT FROM click_changes WHERE account_id = $1 AND click_id >= $2 AND click_id < $3)`

// ledgerFigures returns the ledger's figures of the clicks in [from, to), without spend that has no clicks. stable is false while
// a change of these clicks waits to be copied.
func (k Copy) ledgerFigures(ctx context.Context, account uuid.UUID, from, to time.Time) (sums ledger.Deltas, stable bool, err error) {
	err = db.Snapshot(ctx, k.From, func(c db.Conn) error {
		waits, err := db.Get[bool](ctx, c, "waiting changes", waitsFor, account, models.FloorClickID(from), models.FloorClickID(to))
		if err != nil {
			return err
		}
		stable = !waits
		if sums, err = ledger.Read(ctx, c, account, from, to); err != nil {
			return err
		}
		alone, err := spend.WithoutClicks(ctx, c, account, from)
		for key, f := range alone {
			sums.Add(key, f.Neg())
		}
		return err
	})
	maps.DeleteFunc(sums, func(_ ledger.Key, f models.Figures) bool { return f.IsZero() })
	return sums, stable, err
}

// Repair replaces an account's rows of one day in ClickHouse with the rows of PostgreSQL. It does not change a cold day.
func (k Copy) Repair(ctx context.Context, account uuid.UUID, at time.Time) error {
	p := copiedPart{account: account, from: at.UTC().Truncate(click.Day)}
	p.to = p.from.Add(click.Day)
	if cold, err := k.cold(ctx, p.from); err != nil || cold {
		return err
	}
	err := k.withVersion(ctx, func(_ db.Conn, version uint64) error { p.version = version; return nil })
	if err != nil || p.version == 0 {
		return err
	}
	_, err = k.copyPart(ctx, p)
	return err
}

const bookedAccounts = `SELECT DISTINCT account_id FROM ledger WHERE hour >= $1 AND hour < $2`

// Accounts returns the accounts that have figures or rows on a day, in the ledger or in ClickHouse.
func (k Copy) Accounts(ctx context.Context, at time.Time) ([]uuid.UUID, error) {
	from := at.UTC().Truncate(click.Day)
	list, err := db.Select[uuid.UUID](ctx, k.From, "accounts of a day", bookedAccounts, from, from.Add(click.Day))
	if err != nil {
		return nil, err
	}
	copied, err := schema.Values[uuid.UUID](ctx, k.To, "accounts of a day", `SELECT DISTINCT account_id FROM clicks WHERE `+
		schema.Window("at", from, from.Add(click.Day)))
	accounts := map[uuid.UUID]bool{}
	for _, id := range append(list, copied...) {
		accounts[id] = true
	}
	return db.SortedIDs(accounts), err
}

// AuditDay audits each account of a day, and passes each difference to the callback. If repair is set, it repairs the accounts
// with differences. busy counts the accounts that were not stable in any attempt.
func (k Copy) AuditDay(ctx context.Context, at time.Time, repair bool, found func(Difference)) (accounts, busy int, err error) {
	list, err := k.Accounts(ctx, at)
	if err != nil {
		return 0, 0, err
	}
	for _, account := range list {
		differ, stable, err := k.auditUntilStable(ctx, account, at)
		if err != nil {
			return accounts, busy, err
		}
		accounts++
		if !stable {
			busy++
			continue
		}
		for _, d := range differ {
			found(d)
		}
		if len(differ) > 0 && repair {
			if err := k.Repair(ctx, account, at); err != nil {
				return accounts, busy, err
			}
		}
	}
	return accounts, busy, nil
}

const (
	auditTries = 10
	auditPause = time.Second
)

// auditUntilStable audits an account's day, at most auditTries times.
func (k Copy) auditUntilStable(ctx context.Context, account uuid.UUID, at time.Time) (list []Difference, stable bool, err error) {
	for range auditTries {
		if list, stable, err = k.Audit(ctx, account, at); err != nil || stable {
			return list, stable, err
		}
		if err := interval.Sleep(ctx, auditPause); err != nil {
			return nil, false, err
		}
	}
	return nil, false, nil
}

package botscan_test

import (
	"context"
	"errors"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	dbbotscan "switchyard/db/botscan"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spend"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/bot"
	"switchyard/workers"
	"switchyard/workers/botscan"
)

// failing scans 50 clicks at a time. It fails once, after the scan of its second batch.
type failing struct{ batches, failures atomic.Int64 }

const atOnce = 50

func (f *failing) scan(ctx context.Context, l click.Log, c db.Conn, crowd *dbbotscan.Crowd, s dbbotscan.Progress, settings bot.Settings, _ int) (
	dbbotscan.Scanned, error,
) {
	out, err := dbbotscan.Scan(ctx, l, c, crowd, s, settings, atOnce)
	if err == nil && f.batches.Add(1) == 2 {
		f.failures.Add(1)
		return out, errors.New("the worker dies")
	}
	return out, err
}

// TestScan checks that the clock's job finds the floods of all accounts, also after a run that fails at its second batch, and that
// the figures always equal the rows.
func TestScan(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	s, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	accounts := []uuid.UUID{uuid.New(), uuid.New()}
	start := time.Now().Add(-5 * time.Minute).Truncate(time.Second)
	day := start.UTC().Truncate(24 * time.Hour)
	const clicks = 2 * bot.FloodBound
	for _, account := range accounts {
		const owner = `INSERT INTO accounts (id, name, plan, site_key, bot_threshold) VALUES ($1, 'A', 'pro', $2, 50)`
		dbtest.Exec(t, d, owner, account, account.String())
		campaign := uuid.New()
		for i := range clicks {
			id, floor := models.NewClickID(), models.FloorClickID(start.Add(time.Duration(i)*time.Millisecond))
			copy(id[:6], floor[:6])
			if err := s.Append(t.Context(), spool.Record{Click: &models.Click{
				ID: id, AccountID: account, CampaignID: campaign, UniqueKey: [16]byte{byte(i)}, UniqueHours: 24,
				Visitor: models.Visitor{IP: netip.MustParseAddr("203.0.113.7"), UserAgent: id.String()},
			}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := ingest.NewIngester(s, d, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, account := range accounts {
		err := db.Tx(t.Context(), d, func(c db.Conn) error {
			_, err := spend.Set(t.Context(), click.Log{}, c, account, spend.Spend{
				Day: day, Amount: decimal.RequireFromString("12"), Currency: "USD",
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	queue := jobstest.Redis(t)
	client := jobs.Connect(queue)
	rt := workers.New(workers.Options{DB: d, Redis: queue, Client: client, Grace: 4 * time.Second})
	dying, log := &failing{}, click.Log{Conn: d}
	botscan.Register(rt, store.New(d, nil), botscan.Options{Clicks: log, Scan: dying.scan})
	jobstest.Run(t, rt.Run)
	agree := func() {
		t.Helper()
		counted := dbtest.Get[string](t, d, `SELECT string_agg(concat_ws(' ', account_id, n, b, u, c), ', ' ORDER BY account_id) FROM (
			SELECT account_id, sum(clicks) AS n, sum(bot_clicks) AS b, sum(unique_clicks) AS u, trim_scale(sum(cost)) AS c
			FROM ledger GROUP BY account_id) l`)
		stored := dbtest.Get[string](t, d, `SELECT string_agg(concat_ws(' ', account_id, n, b, u, c), ', ' ORDER BY account_id) FROM (
			SELECT account_id, count(*) FILTER (WHERE NOT is_bot) AS n, count(*) FILTER (WHERE is_bot) AS b,
				count(*) FILTER (WHERE is_unique) AS u, trim_scale(sum(cost) FILTER (WHERE NOT is_bot)) AS c
			FROM clicks GROUP BY account_id) c`)
		if counted != stored {
			t.Errorf("the ledger has %s, the rows %s", counted, stored)
		}
		if paid := dbtest.Get[string](t, d, `SELECT string_agg(DISTINCT c::text, ' ') FROM (
			SELECT trim_scale(sum(cost)) AS c FROM ledger GROUP BY account_id) l`); paid != "12" {
			t.Errorf("the amounts paid are %s, want 12 for each account", paid)
		}
	}
	sweep := func() {
		t.Helper()
		if _, err := jobs.Submit(t.Context(), client, jobs.SweepBots, uuid.Nil, jobs.Tick{}); err != nil {
			t.Fatal(err)
		}
	}
	idle := func() bool {
		return dbtest.Get[string](t, d, `SELECT count(*)::text FROM bot_scans WHERE leased_until IS NULL AND revision > 0`) != "0"
	}
	agree()
	sweep()
	await.Until(t, "a worker fails", func() bool { return dying.failures.Load() == 1 && idle() })
	agree()
	await.Until(t, "all clicks are examined", func() bool {
		if idle() {
			sweep()
		}
		waiting, err := dbbotscan.Waiting(t.Context(), log)
		if err != nil {
			t.Fatal(err)
		}
		return len(waiting) == 0 && dbtest.Get[string](t, d, `SELECT count(*)::text FROM bot_scans WHERE leased_until IS NULL AND revision >= 3`) == "2"
	})
	agree()
	if bots := dbtest.Get[string](t, d, `SELECT string_agg(DISTINCT n::text, ' ') FROM (
		SELECT count(*) FILTER (WHERE is_bot) AS n FROM clicks GROUP BY account_id) c`); bots != "60" {
		t.Errorf("the accounts have %s clicks of bots, want 60 each", bots)
	}
}

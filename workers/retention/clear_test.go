package retention_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/jobrow"
	dbretention "switchyard/db/retention"
	"switchyard/db/spool"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers"
)

// env has an account with two campaigns and 2,600 clicks, one per second. The first 1,300 are older than middle.
type env struct {
	*testing.T
	db       *db.DB
	account  uuid.UUID
	campaign uuid.UUID
	other    uuid.UUID
	middle   time.Time
}

func newEnv(t *testing.T) *env {
	t.Helper()
	h := &env{T: t, db: dbtest.New(t), account: uuid.New(), campaign: uuid.New(), other: uuid.New()}
	dbtest.Exec(h, h.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', 'k')`, h.account)
	s, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h.middle = time.Now().UTC().Truncate(time.Second).Add(-30 * time.Minute)
	var converted []uuid.UUID
	for i := range 2600 {
		c := &models.Click{
			ID: models.NewClickID(), AccountID: h.account, CampaignID: h.campaign, LanderID: uuid.New(), UniqueHours: 24,
			Cost: decimal.RequireFromString("0.015"), UniqueKey: [16]byte{byte(i), byte(i >> 8)}, Visitor: models.Visitor{IsBot: i%10 == 8},
		}
		floor := models.FloorClickID(h.middle.Add(time.Duration(i-1300) * time.Second))
		copy(c.ID[:6], floor[:6])
		if i%5 == 4 {
			c.CampaignID = h.other
		}
		h.append(s, spool.Record{Click: c})
		if i%7 == 0 {
			h.append(s, spool.Record{Out: &models.ClickOut{
				ID: models.NewClickID(), ClickID: c.ID, AccountID: h.account, Slot: 1, OfferID: uuid.New(),
			}})
		}
		if i%50 == 0 {
			converted = append(converted, c.ID)
			h.append(s, spool.Record{Postback: &models.Postback{ID: models.NewClickID(), ClickID: c.ID, AccountID: h.account}})
		}
	}
	if err := ingest.NewIngester(s, h.db, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	payout := decimal.RequireFromString("3.5")
	for i, id := range converted {
		in := conversion.Input{ClickID: id, Payout: &payout, Status: models.StatusApproved, Source: "postback"}
		if i%3 == 0 {
			in.Status = models.StatusPending
		}
		err := db.Tx(t.Context(), h.db, func(c db.Conn) error {
			_, err := conversion.Record(t.Context(), click.Log{}, c, in)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h *env) append(s *spool.Spool, r spool.Record) {
	h.Helper()
	if err := s.Append(h.Context(), r); err != nil {
		h.Fatal(err)
	}
}

// ledgerEqualsRows compares the ledger with the sums over stored clicks and conversions.
func (h *env) ledgerEqualsRows() {
	h.Helper()
	for _, campaign := range []uuid.UUID{h.campaign, h.other} {
		counted := dbtest.Get[string](h, h.db, `SELECT concat_ws(' ', sum(clicks), sum(unique_clicks), sum(bot_clicks), sum(lp_views),
			sum(lp_clicks), sum(approved), sum(pending), trim_scale(sum(cost)), trim_scale(sum(revenue)),
			trim_scale(sum(pending_revenue))) FROM ledger WHERE campaign_id = $1`, campaign)
		stored := dbtest.Get[string](h, h.db, `WITH c AS (
				SELECT count(*) FILTER (WHERE NOT is_bot) a, count(*) FILTER (WHERE is_unique) b,
					count(*) FILTER (WHERE is_bot) c, coalesce(sum(lp_views) FILTER (WHERE NOT is_bot), 0) d,
					coalesce(sum(lp_clicks) FILTER (WHERE NOT is_bot), 0) e,
					coalesce(sum(cost) FILTER (WHERE NOT is_bot), 0) f
				FROM clicks WHERE campaign_id = $1
			), v AS (
				SELECT count(*) FILTER (WHERE status = 'approved') a, count(*) FILTER (WHERE status = 'pending') b,
					coalesce(sum(cost), 0) c, coalesce(sum(payout) FILTER (WHERE status = 'approved'), 0) d,
					coalesce(sum(payout) FILTER (WHERE status = 'pending'), 0) e
				FROM conversions WHERE campaign_id = $1
			)
			SELECT concat_ws(' ', c.a, c.b, c.c, c.d, c.e, v.a, v.b, trim_scale(c.f + v.c), trim_scale(v.d),
				trim_scale(v.e)) FROM c, v`, campaign)
		if counted != stored {
			h.Errorf("the figures in the ledger are %s, and the sums over the rows are %s", counted, stored)
		}
	}
}

// TestClear deletes half of a campaign. The first worker dies after one part. The answer counts both workers' parts.
func TestClear(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.ledgerEqualsRows()
	args := jobs.ClearArgs{Of: []uuid.UUID{h.campaign}, From: h.middle.Add(-time.Hour), To: h.middle}
	var want struct {
		Clicks      int64 `db:"clicks"`
		BotClicks   int64 `db:"bot_clicks"`
		Conversions int64 `db:"conversions"`
	}
	lo, hi := models.FloorClickID(args.From), models.FloorClickID(args.To)
	err := h.db.GetContext(t.Context(), &want, `SELECT
		(SELECT count(*) FROM clicks WHERE campaign_id = $1 AND id >= $2 AND id < $3 AND NOT is_bot) AS clicks,
		(SELECT count(*) FROM clicks WHERE campaign_id = $1 AND id >= $2 AND id < $3 AND is_bot) AS bot_clicks,
		(SELECT count(*) FROM conversions WHERE campaign_id = $1 AND click_id >= $2 AND click_id < $3) AS conversions`,
		h.campaign, lo, hi)
	if err != nil || want.Clicks+want.BotClicks < 1001 || want.BotClicks == 0 || want.Conversions == 0 {
		t.Fatal(want, err)
	}
	others := dbtest.Get[string](h, h.db, `SELECT count(*) FROM clicks WHERE campaign_id = $1 OR id >= $2`, h.other, hi)

	row, err := jobs.ClearCampaign.NewRow(h.account, args)
	if err != nil {
		t.Fatal(err)
	}
	if err := jobrow.Insert(t.Context(), h.db, row); err != nil {
		t.Fatal(err)
	}
	h.killAfterPart(row.ID, row.Kind, func(c db.Conn) (any, error) {
		out, err := dbretention.Clear(t.Context(), click.Log{}, c, dbretention.ClearQuery{
			AccountID: h.account, Of: []uuid.UUID{h.campaign}, From: args.From, To: args.To,
		}, 300)
		if err == nil && (out.Clicks+out.BotClicks != 300 || out.Done) {
			err = fmt.Errorf("the first part is %+v", out)
		}
		args.After, args.Clicks, args.BotClicks, args.Conversions = out.After, out.Clicks, out.BotClicks, out.Conversions
		return args, err
	})
	h.ledgerEqualsRows()

	var got jobs.ClearAnswer
	h.wait(h.worker(), row.ID, &got)
	if got.Clicks != want.Clicks || got.BotClicks != want.BotClicks || got.Conversions != want.Conversions || got.Of[0] != h.campaign || got.Found != 1 {
		t.Errorf("cleared %+v, want %+v", got, want)
	}
	h.ledgerEqualsRows()
	for query, want := range map[string]string{
		`SELECT count(*) FROM clicks`: others,
		`SELECT count(*) FROM click_hops o WHERE NOT EXISTS (SELECT FROM clicks c WHERE c.id = o.click_id)`: "0",
		`SELECT count(*) FROM click_visitors`: dbtest.Get[string](h, h.db, `SELECT count(*) FROM clicks WHERE is_unique`),
		`SELECT count(*) FROM postbacks`:      dbtest.Get[string](h, h.db, `SELECT count(*) FROM conversions`),
		`SELECT count(*) FROM postbacks o WHERE NOT EXISTS (SELECT FROM clicks c WHERE c.id = o.click_id)`: "0",
		`SELECT count(*) FROM jobs WHERE kind LIKE 'conversion:%'`:                                         dbtest.Get[string](h, h.db, `SELECT count(*) FROM postbacks`),
	} {
		if got := dbtest.Get[string](h, h.db, query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// killAfterPart commits one part, like a worker that is then killed. part returns the arguments of the next attempt.
func (h *env) killAfterPart(id uuid.UUID, kind string, part func(db.Conn) (args any, err error)) {
	h.Helper()
	claim := jobrow.ClaimRequest{ID: id, Kind: kind, Generation: -1, Lease: time.Second}
	row, err := jobrow.Claim(h.Context(), h.db, claim)
	if err != nil {
		h.Fatal(err)
	}
	err = db.Tx(h.Context(), h.db, func(c db.Conn) error {
		args, err := part(c)
		if err != nil {
			return err
		}
		raw, err := json.Marshal(args)
		if err != nil {
			return err
		}
		return jobrow.SaveArgs(h.Context(), c, row.ID, row.Fence, raw)
	})
	if err != nil {
		h.Fatal(err)
	}
}

func (h *env) wait(rt *workers.Runtime, id uuid.UUID, answer any) {
	h.Helper()
	await.Until(h, "the job is done", func() bool {
		if err := rt.Reconcile(h.Context()); err != nil {
			h.Fatal(err)
		}
		s, err := jobrow.Status(h.Context(), h.db, h.account, id)
		if err != nil {
			h.Fatal(err)
		}
		if s.Status == models.JobFailed {
			h.Fatalf("the job failed: %v", s.Error)
		}
		if s.Status != models.JobDone {
			return false
		}
		if err := json.Unmarshal(s.Result, answer); err != nil {
			h.Fatal(err)
		}
		return true
	})
}

// TestClearArchive clears figures whose clicks are no longer stored. A second call subtracts nothing more. An hour partly in the
// cleared period keeps its figures.
func TestClearArchive(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	old := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -9)
	for i, campaign := range []uuid.UUID{h.campaign, h.campaign, h.other} {
		dbtest.Exec(h, h.db, `INSERT INTO ledger SELECT $1, $2, $3, $4, $4, $4, $4, 'DE', '', '', '', 5, 4, 3, 2, 1, 1, 1, 0, 0, 1.5, 2, 3`,
			h.account, old.Add(time.Duration(i)*time.Hour), campaign, uuid.Nil)
	}
	at := models.FloorClickID(old.Add(time.Minute))
	dbtest.Exec(h, h.db, `INSERT INTO conversions SELECT gen_random_uuid(), $1, $2, '', '', 'approved', '', 2, 'USD', 0, NULL, $3, $2, $2,
		$2, 'postback', now(), now()`, h.account, at, h.campaign)
	q := dbretention.ClearQuery{
		AccountID: h.account, Of: []uuid.UUID{h.campaign}, From: old, To: old.Add(2*time.Hour - time.Minute),
	}
	for _, want := range []dbretention.Cleared{{Clicks: 5, BotClicks: 3, Conversions: 1, Of: q.Of, Done: true}, {Done: true}} {
		var out dbretention.Cleared
		err := db.Tx(t.Context(), h.db, func(c db.Conn) (err error) {
			out, err = dbretention.ClearArchive(t.Context(), click.Log{}, c, q, 1)
			return err
		})
		if diff := cmp.Diff(want, out); err != nil || diff != "" {
			t.Fatalf("%v, %s", err, diff)
		}
	}
	const left = `SELECT concat_ws(' ', sum(clicks), sum(cost), sum(revenue)) FROM ledger WHERE hour < $1`
	if got := dbtest.Get[string](h, h.db, left, old.AddDate(0, 0, 1)); got != "10 3.0 4" {
		t.Errorf("the old hours have %s clicks, cost and revenue left, want 10 3.0 4", got)
	}
	dbtest.Exec(h, h.db, `DELETE FROM ledger WHERE hour < $1`, old.AddDate(0, 0, 1))
	h.ledgerEqualsRows()
}

package retention_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/botscan"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/db/spend"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/workers"
	"switchyard/workers/retention"
)

func (h *env) setSignals() {
	h.Helper()
	sets := []bot.Signals{
		0, bot.Datacenter, bot.TorExit, bot.NoAcceptLanguage, bot.Datacenter | bot.NoAcceptLanguage, bot.DenyList,
		bot.Allowed | bot.DeclaredBot, bot.HTTPLibrary,
	}
	var ids []uuid.UUID
	if err := h.db.SelectContext(h.Context(), &ids, `SELECT id FROM clicks ORDER BY id`); err != nil {
		h.Fatal(err)
	}
	signals := make([]string, len(ids))
	for i := range ids {
		signals[i] = strconv.FormatInt(int64(sets[rand.IntN(len(sets))]), 10)
	}
	dbtest.Exec(h, h.db, `UPDATE clicks c SET bot_signals = k.s, unique_cost = CASE WHEN campaign_id = $3 THEN 0.005 ELSE 0 END
		FROM unnest($1::uuid[], $2::bigint[]) AS k (id, s) WHERE c.id = k.id AND c.id = ANY ($1::uuid[])`,
		db.UUIDs(ids), "{"+strings.Join(signals, ",")+"}", h.other)
}

// wrongScores counts the clicks with signals in [from, to) whose stored score is not the score that the settings give.
func (h *env) wrongScores(from, to time.Time, settings bot.Settings) (n int) {
	h.Helper()
	var rows []struct {
		Signals int64  `db:"bot_signals"`
		IsBot   bool   `db:"is_bot"`
		Score   int    `db:"bot_score"`
		Reason  string `db:"bot_reason"`
	}
	err := h.db.SelectContext(h.Context(), &rows, `SELECT bot_signals, is_bot, bot_score, bot_reason FROM clicks
		WHERE id >= $1 AND id < $2 AND bot_signals <> 0`, models.FloorClickID(from), models.FloorClickID(to))
	if err != nil || len(rows) < 1000 {
		h.Fatal(len(rows), err)
	}
	for _, r := range rows {
		score, isBot, reason := bot.Score(bot.Signals(r.Signals), settings)
		if r.Score != score || r.IsBot != isBot || r.Reason != reason {
			n++
		}
	}
	return n
}

// TestRescore: the first worker dies after one part, and the next continues. After the first part and at the end, the figures
// equal a recount. The amount paid stays the same.
func TestRescore(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.setSignals()
	first, last := h.middle.Add(-time.Hour), h.middle.Add(time.Hour)
	paid := spend.Spend{
		Day: h.middle.Truncate(24 * time.Hour), CampaignID: h.campaign, Amount: decimal.RequireFromString("100"), Currency: "USD",
	}
	err := db.Tx(t.Context(), h.db, func(c db.Conn) error {
		_, err := spend.Set(t.Context(), click.Log{}, c, h.account, paid)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h.ledgerEqualsRows()
	settings := bot.NewSettings(45, []string{"tor_exit"})
	args := jobs.RescoreArgs{TimeRange: models.TimeRange{From: first, To: last}, Threshold: 45, Disabled: []string{"tor_exit"}}
	dbtest.Exec(h, h.db, `UPDATE accounts SET bot_threshold = 45, bot_disabled = '{tor_exit}'`)
	if h.wrongScores(first, last, settings) == 0 {
		t.Fatal("no click would get a new score")
	}
	before := dbtest.Get[string](h, h.db, `SELECT count(*) FROM clicks WHERE is_bot AND bot_signals <> 0`)

	row, err := jobs.RescoreBots.NewRow(h.account, args)
	if err != nil {
		t.Fatal(err)
	}
	if err := jobrow.Insert(t.Context(), h.db, row); err != nil {
		t.Fatal(err)
	}
	h.dieAfterOneScore(row.ID, args, settings)
	h.ledgerEqualsRows()
	rt := h.worker()
	var got, later jobs.RescoreAnswer
	h.wait(rt, row.ID, &got)
	after := dbtest.Get[string](h, h.db, `SELECT count(*) FROM clicks WHERE is_bot AND bot_signals <> 0`)
	all := dbtest.Get[string](h, h.db, `SELECT count(*) FROM clicks WHERE bot_signals <> 0`)
	if strconv.FormatInt(got.BotsBefore, 10) != before || strconv.FormatInt(got.BotsAfter, 10) != after ||
		strconv.FormatInt(got.Clicks, 10) != all || got.Changed == 0 || got.Superseded {
		t.Errorf("the job reports %+v; of %s clicks with signals, %s were bots before and %s are bots now", got, all, before, after)
	}
	if n := h.wrongScores(first, last, settings); n != 0 {
		t.Errorf("%d clicks have another score than the settings give", n)
	}
	h.ledgerEqualsRows()
	const spent = `SELECT trim_scale(sum(cost)) FROM clicks WHERE campaign_id = $1 AND NOT is_bot AND at >= $2 AND at < $3`
	if sum := dbtest.Get[string](h, h.db, spent, h.campaign, paid.Day, paid.Day.AddDate(0, 0, 1)); sum != "100" {
		t.Errorf("the cost is %s, want 100", sum)
	}

	args.Threshold = 90
	row, err = jobs.RescoreBots.NewRow(h.account, args)
	if err == nil {
		err = jobrow.Insert(t.Context(), h.db, row)
	}
	if err != nil {
		t.Fatal(err)
	}
	if h.wait(rt, row.ID, &later); !later.Superseded || later.Clicks != 0 {
		t.Errorf("a job whose settings are no longer those of the account reports %+v, want it superseded and no clicks", later)
	}
}

// TestRescoreTakesOver changes the settings after one part of a job. This job stops, and another one scores the whole window again.
func TestRescoreTakesOver(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.setSignals()
	window := models.TimeRange{From: h.middle.Add(-time.Hour), To: h.middle.Add(time.Hour)}
	submit := func(threshold int) (uuid.UUID, jobs.RescoreArgs) {
		t.Helper()
		dbtest.Exec(h, h.db, `UPDATE accounts SET bot_threshold = $1`, threshold)
		args := jobs.RescoreArgs{TimeRange: window, Threshold: threshold}
		row, err := jobs.RescoreBots.NewRow(h.account, args)
		if err == nil {
			err = jobrow.Insert(t.Context(), h.db, row)
		}
		if err != nil {
			t.Fatal(err)
		}
		return row.ID, args
	}
	first, args := submit(25)
	h.dieAfterOneScore(first, args, bot.NewSettings(25, nil))
	second, _ := submit(70)
	if h.wrongScores(window.From, window.To, bot.NewSettings(70, nil)) == 0 {
		t.Fatal("no click would get a new score by the second settings")
	}
	rt := h.worker()
	var old, now jobs.RescoreAnswer
	h.wait(rt, second, &now)
	h.wait(rt, first, &old)
	if all := dbtest.Get[string](h, h.db, `SELECT count(*) FROM clicks WHERE bot_signals <> 0`); !old.Superseded || now.Superseded ||
		strconv.FormatInt(now.Clicks, 10) != all || old.Clicks == 0 || old.Clicks >= now.Clicks {
		t.Errorf("of %s clicks the first job scored %+v, the second %+v", all, old, now)
	}
	if n := h.wrongScores(window.From, window.To, bot.NewSettings(70, nil)); n != 0 {
		t.Errorf("%d clicks have another score than the second settings give", n)
	}
	h.ledgerEqualsRows()
}

const clicksOfPart = 500

func (h *env) dieAfterOneScore(id uuid.UUID, args jobs.RescoreArgs, settings bot.Settings) {
	h.Helper()
	h.killAfterPart(id, jobs.RescoreBots.Kind(), func(c db.Conn) (any, error) {
		out, err := botscan.Rescore(h.Context(), click.Log{}, c, botscan.RescoreQuery{
			AccountID: h.account, TimeRange: args.TimeRange, Settings: settings,
		}, clicksOfPart)
		args.After, args.Clicks, args.Changed, args.BotsBefore, args.BotsAfter, args.Days = out.After, out.Clicks, out.Changed,
			out.Before, out.Now, out.Days
		return args, err
	})
}

func (h *env) worker() *workers.Runtime {
	h.Helper()
	queue := jobstest.Redis(h)
	rt := workers.New(workers.Options{DB: h.db, Redis: queue, Client: jobs.Connect(queue), Lease: time.Second})
	retention.Register(rt, store.New(h.db, nil), click.Log{Conn: h.db})
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.Context()))
	var done sync.WaitGroup
	done.Go(func() { _ = rt.Run(ctx) })
	h.Cleanup(func() {
		cancel()
		done.Wait()
	})
	return rt
}

package retention_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/report"
	"switchyard/db/retention"
	"switchyard/db/spool"
	"switchyard/models"
)

// TestSmartlinkFigures checks that the hourly sums give the same figures as counting the clicks, for any window and after
// deletions.
func TestSmartlinkFigures(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	owner, link, other := clicktest.Account(t, d), uuid.New(), uuid.New()
	rnd := rand.New(rand.NewPCG(4, 2))
	rules := []uuid.UUID{uuid.Nil, uuid.New(), uuid.New()}
	start := time.Now().UTC().Truncate(time.Hour).Add(-10 * time.Hour)
	s := clicktest.OpenSpool(t, t.TempDir())
	var all []*models.SmartlinkClick
	for i := range 400 {
		at := start.Add(time.Duration(rnd.IntN(5*3600_000)) * time.Millisecond)
		to := fmt.Sprintf("https://a.example/%d", rnd.IntN(2))
		c := clicktest.SmartlinkClick(at, owner, link, rules[rnd.IntN(3)], to, rnd.IntN(4) == 0)
		if i%10 == 0 {
			c.SmartlinkID = other
		}
		clicktest.Put(t, s, spool.Record{Smart: c})
		all = append(all, c)
	}
	clicktest.Drain(t, s, d, ingest.Options{BatchSize: 50})
	inside := func(c *models.SmartlinkClick, from, to time.Time) bool {
		at := models.ClickTime(c.ID)
		return c.SmartlinkID == link && !at.Before(from) && at.Before(to)
	}
	compare := func(from, to time.Time) {
		t.Helper()
		type key struct {
			rule uuid.UUID
			url  string
		}
		type counts struct{ clicks, bots int64 }
		want, got := map[key]counts{}, map[key]counts{}
		for _, c := range all {
			if !inside(c, from, to) {
				continue
			}
			k := key{c.RuleID, c.DestinationURL}
			n := want[k]
			if c.IsBot {
				n.bots++
			} else {
				n.clicks++
			}
			want[k] = n
		}
		list, err := report.Reader{Conn: d}.SmartlinkFigures(t.Context(), owner, link, from, to)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			got[key{f.RuleID, f.DestinationURL}] = counts{f.Clicks, f.BotClicks}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(counts{}, key{})); diff != "" {
			t.Errorf("%v to %v (-counted +report): %s", from, to, diff)
		}
	}
	type window struct{ from, to time.Time }
	windows := []window{
		{start, start.Add(5 * time.Hour)},
		{start.Add(time.Hour), start.Add(2 * time.Hour)},
		{start, start},
		{start.Add(10 * time.Minute), start.Add(20 * time.Minute)},
		{start.Add(time.Hour), start.Add(70 * time.Minute)},
	}
	for range 20 {
		from := start.Add(time.Duration(rnd.IntN(4*3600)) * time.Second)
		windows = append(windows, window{from, from.Add(time.Duration(rnd.IntN(3*3600)) * time.Second)})
	}
	check := func() {
		t.Helper()
		for _, w := range windows {
			compare(w.from, w.to)
		}
	}
	check()
	for _, w := range windows[3:6] {
		var want int64
		var remaining []*models.SmartlinkClick
		for _, c := range all {
			if inside(c, w.from, w.to) {
				want++
			} else {
				remaining = append(remaining, c)
			}
		}
		foreign := retention.ClearQuery{AccountID: uuid.New(), Of: []uuid.UUID{link}, From: w.from, To: w.to}
		if out, err := retention.ClearSmartlink(t.Context(), d, foreign, 100); err != nil || out.Clicks+out.BotClicks != 0 || !out.Done {
			t.Errorf("a call of another account cleared %+v (%v), want nothing", out, err)
		}
		q := retention.ClearQuery{AccountID: owner, Of: []uuid.UUID{link}, From: w.from, To: w.to}
		var n int64
		for done := false; !done; {
			out, err := retention.ClearSmartlink(t.Context(), d, q, 3)
			if err != nil {
				t.Fatal(err)
			}
			n, q.After, done = n+out.Clicks+out.BotClicks, out.After, out.Done
		}
		if n != want {
			t.Errorf("%d clicks cleared, want %d", n, want)
		}
		all = remaining
		check()
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM smartlink_clicks WHERE smartlink_id = $1`, other); n != 40 { // every tenth
		t.Errorf("%d clicks of the other smartlink are left, want 40", n)
	}
}

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

// TestSmartlinkFigures checks that for any window the hourly sums give the same figures as counting the clicks, before and after some clicks are deleted.
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
		want, got := map[key][2]int64{}, map[key][2]int64{}
		for _, c := range all {
			if !inside(c, from, to) {
				continue
			}
			k := key{c.RuleID, c.DestinationURL}
			n := want[k]
			if c.IsBot {
				n[1]++
			} else {
				n[0]++
			}
			want[k] = n
		}
		list, err := report.Reader{Conn: d}.SmartlinkFigures(t.Context(), owner, link, from, to)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			got[key{f.RuleID, f.DestinationURL}] = [2]int64{f.Clicks, f.BotClicks}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v to %v: %s", from, to, diff)
		}
	}
	windows := [][2]time.Time{
		{start, start.Add(5 * time.Hour)},
		{start.Add(time.Hour), start.Add(2 * time.Hour)},
		{start, start},
		{start.Add(10 * time.Minute), start.Add(20 * time.Minute)},
		{start.Add(time.Hour), start.Add(70 * time.Minute)},
	}
	for range 20 {
		from := start.Add(time.Duration(rnd.IntN(4*3600)) * time.Second)
		windows = append(windows, [2]time.Time{from, from.Add(time.Duration(rnd.IntN(3*3600)) * time.Second)})
	}
	check := func() {
		t.Helper()
		for _, w := range windows {
			compare(w[0], w[1])
		}
	}
	check()
	for _, w := range windows[3:6] {
		var want int64
		var remaining []*models.SmartlinkClick
		for _, c := range all {
			if inside(c, w[0], w[1]) {
				want++
			} else {
				remaining = append(remaining, c)
			}
		}
		foreign := retention.ClearQuery{AccountID: uuid.New(), Of: []uuid.UUID{link}, From: w[0], To: w[1]}
		if out, err := retention.ClearSmartlink(t.Context(), d, foreign, 100); err != nil || out.Clicks+out.BotClicks != 0 || !out.Done {
			t.Errorf("another account cleared %+v, %v", out, err)
		}
		q := retention.ClearQuery{AccountID: owner, Of: []uuid.UUID{link}, From: w[0], To: w[1]}
		var n int64
		for done := false; !done; {
			out, err := retention.ClearSmartlink(t.Context(), d, q, 3)
			if err != nil {
				t.Fatal(err)
			}
			n, q.After, done = n+out.Clicks+out.BotClicks, out.After, out.Done
		}
		if n != want {
			t.Errorf("cleared %d, want %d", n, want)
		}
		all = remaining
		check()
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM smartlink_clicks WHERE smartlink_id = $1`, other); n != 40 {
		t.Errorf("%d clicks of the other smartlink", n)
	}
}

package cli

import (
	"context"
	"encoding/json"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/workers"
	"switchyard/workers/retention"
)

// TestPrivacyCommand exports and erases the data about a visitor: by a click in the account of the click, by a cookie in every
// account.
func TestPrivacyCommand(t *testing.T) {
	t.Parallel()
	d, url := dbtest.NewURL(t)
	vars := map[string]string{"DATABASE_URL": url, "REDIS_URL": jobstest.RedisURL(t)}
	visitor := models.NewClickID()
	var clicks []string
	var ids []uuid.UUID
	var stored []*models.Click
	for range 3 {
		account := uuid.New()
		dbtest.Exec(t, d, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', $2)`,
			account, account.String())
		c := &models.Click{
			ID: models.NewClickID(), AccountID: account, CampaignID: uuid.New(), VisitorID: visitor,
			Visitor: models.Visitor{IP: netip.MustParseAddr("203.0.113.77"), UserAgent: "Somebody's"},
		}
		if len(clicks) == 2 {
			c.VisitorID = models.NewClickID()
		}
		clicks, ids = append(clicks, models.FormatClickID(c.ID)), append(ids, c.ID)
		stored = append(stored, c)
	}
	ingestClicks(t, d, stored...)
	known := func(args ...string) (agents []string) {
		t.Helper()
		stdout, stderr, code := try(t, vars, append([]string{"privacy", "export"}, args...)...)
		var list []knownVisitor
		if code != 0 || json.Unmarshal([]byte(stdout), &list) != nil {
			t.Fatalf("privacy export ended with code %d, want 0 and a JSON list: %s%s", code, stdout, stderr)
		}
		for _, v := range list {
			for _, raw := range v.Clicks {
				var click struct {
					IP        *string `json:"ip"`
					UserAgent string  `json:"user_agent"`
				}
				if err := json.Unmarshal(raw, &click); err != nil || (click.IP == nil) != (click.UserAgent == "") {
					t.Errorf("an exported click has an address without a user agent, or the reverse: %s %v", raw, err)
				}
				agents = append(agents, click.UserAgent)
			}
		}
		return agents
	}
	if one, both := known("--click", clicks[0]), known("--visitor", models.FormatClickID(visitor)); len(one) != 1 || len(both) != 2 {
		t.Errorf("the export by click has the user agents %v, want 1; the export by visitor has %v, want 2", one, both)
	}
	for _, c := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"erase", "--click", clicks[0]}, 2, "give --yes"},
		{[]string{"erase", "--click", "me", "--yes"}, 2, `--click: "me" is no id`},
		{[]string{"erase", "--visitor", uuid.Nil.String(), "--yes"}, 2, "is no id"},
		{[]string{"erase", "--visitor", uuid.NewString(), "--yes"}, 1, "no stored click belongs to this visitor"},
		{[]string{"export", "--click", models.FormatClickID(models.NewClickID())}, 1, "no stored click belongs to this visitor"},
		{[]string{"export"}, 2, "--click"},
	} {
		if stdout, stderr, code := try(t, vars, append([]string{"privacy"}, c.args...)...); code != c.code ||
			!strings.Contains(stderr, c.stderr) || stdout != "" {
			t.Errorf("privacy %v ended with code %d, want %d; output %q, want none; message %q, want %q", c.args, code, c.code, stdout, stderr, c.stderr)
		}
	}

	queue, err := jobs.OpenRedis(vars["REDIS_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	rt := workers.New(workers.Options{DB: d, Redis: queue, Client: jobs.Connect(queue), Grace: time.Second})
	retention.Register(rt, store.New(d, nil), click.Log{Conn: d})
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { _ = rt.Run(ctx) })
	defer done.Wait()
	defer cancel()
	stdout, stderr, code := try(t, vars, "privacy", "erase", "--visitor", models.FormatClickID(visitor), "--yes", "--json")
	var erased []erasedVisitor
	if code != 0 || json.Unmarshal([]byte(stdout), &erased) != nil || len(erased) != 2 || erased[0].Clicks != 1 ||
		erased[1].Clicks != 1 || strings.Count(stderr, "a worker does it") != 2 {
		t.Fatalf("the erasure ended with code %d, want 0 and one click in each of two accounts: %s%s", code, stdout, stderr)
	}
	for i, want := range []string{"", "", "Somebody's"} {
		if got := known("--click", clicks[i]); len(got) != 1 || got[0] != want {
			t.Errorf("click %d has the user agent %q, want %q", i, got, want)
		}
	}
	dbtest.Exec(t, d, `UPDATE clicks SET subs = '{a,b}', bot_signals = $1 WHERE id = $2`, int64(bot.NoJS), ids[2])
	stdout, _, _ = try(t, vars, "privacy", "export", "--click", clicks[2])
	for _, want := range []string{`"click_id": "` + clicks[2] + `"`, `"sub2": "b"`, `"no_js"`, `"lander_id": null`, `"site_events": []`} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the export has no %s: %s", want, stdout)
		}
	}
	stdout, stderr, code = try(t, vars, "privacy", "erase", "--click", clicks[0], "--yes", "--json")
	var again []erasedVisitor
	if code != 0 || json.Unmarshal([]byte(stdout), &again) != nil || len(again) != 1 || !again[0].Already || again[0].JobID != nil ||
		again[0].Clicks != 0 || !strings.Contains(stderr, "already erased") {
		t.Errorf("a second erasure ended with code %d, want 0 and the message that all is erased already: %s%s", code, stdout, stderr)
	}
	dbtest.Exec(t, d, `INSERT INTO crawler_claims (click_id, account_id, address, crawler, attempt_at)
		SELECT id, account_id, '192.0.2.7', 'Googlebot', now() FROM clicks WHERE id = $1`, ids[0])
	_, stderr, code = try(t, vars, "privacy", "erase", "--click", clicks[0], "--yes", "--json")
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM crawler_claims`); code != 0 || n != 0 {
		t.Errorf("an erasure after a late claim of a crawler ended with code %d and left %d claims: %s", code, n, stderr)
	}
}

package v1_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"switchyard/api/click"
	"switchyard/api/click/visitor"
	dbclick "switchyard/db/click"
	"switchyard/db/ingest"
	"switchyard/db/report"
	"switchyard/db/spool"
	"switchyard/models"
)

// TestPathsForBots: with a condition on is_bot, one path takes only bots and another path takes only people. A test click, the
// trace of a click and a simulation choose the same path as the redirect.
func TestPathsForBots(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	only := func(name string, isBot bool) object {
		return object{
			"name": name, "action": "redirect", "destinations": []object{{"url": "https://" + name + ".test/"}},
			"filters": []any{condition("is_bot", "equals", isBot)},
		}
	}
	body := with(d.campaign("Apart"), "streams", []object{only("people", false), only("bots", true)})
	delete(body, "offer_id")
	made := d.make(t, body)
	paths := map[any]string{}
	for _, p := range made["streams"].([]any) {
		paths[p.(map[string]any)["id"]] = fmt.Sprint(p.(map[string]any)["name"])
	}

	log, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	describer, err := visitor.New(visitor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = describer.Close() })
	spool := &recorder{Spool: log}
	h, err := click.New(t.Context(), click.Deps{
		DB: d.DB, Clicks: dbclick.Log{Conn: d.DB}, Usage: report.Reader{Conn: d.DB}, Spool: spool, Postbacks: spool,
		Proofs: d.Store, Visitors: describer, Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	const person = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36"
	visitors := []struct {
		agent, path string
		isBot       bool
		times       int
	}{
		{person, "people", false, 3},
		{"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "bots", true, 2},
		{"curl/8.5.0", "bots", true, 2},
	}
	var clicks []models.Click
	for _, v := range visitors {
		for range v.times {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+fmt.Sprint(made["alias"]), nil)
			r.Host = "own.test"
			for name, value := range map[string]string{
				"User-Agent": v.agent, "Accept": "text/html", "Accept-Language": "en", "Accept-Encoding": "gzip",
			} {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got, want := w.Header().Get("Location"), "https://"+v.path+".test/"; got != want || spool.last.IsBot != v.isBot {
				t.Errorf("%s is sent to %q as a bot: %v, want %q and %v", v.agent, got, spool.last.IsBot, want, v.isBot)
			}
			clicks = append(clicks, spool.last)
		}
		tried := d.Do("POST", campaignPath(made["id"])+"/test-click", map[string]any{"user_agent": v.agent}).Want(200, "").Map()
		same(t, tried["decision"].(map[string]any), map[string]any{"path": v.path})
		same(t, tried["click"].(map[string]any), map[string]any{"is_bot": v.isBot})
		asked := map[string]any{"campaign_id": made["id"], "visitor": map[string]any{"is_bot": v.isBot}}
		simulated := d.Do("POST", "/tools/simulate", asked).Want(200, "").Map()
		same(t, simulated["decision"].(map[string]any), map[string]any{"path": v.path})
	}
	if err := ingest.NewIngester(log, d.DB, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range clicks {
		at := "/logs/clicks/" + models.FormatClickID(c.ID) + "?trace=1"
		trace := d.Do("GET", at, nil).Want(200, "").Map()["trace"].(map[string]any)
		same(t, trace, map[string]any{"reproduced": true})
		same(t, trace["decision"].(map[string]any), map[string]any{"path": paths[c.StreamID.String()]})
	}
	counted := map[string]string{}
	for _, row := range d.Do("GET", "/reports/performance?dimension=stream_id", nil).Want(200, "").Map()["rows"].([]any) {
		row := row.(map[string]any)
		name := paths[row["dims"].(map[string]any)["stream_id"]]
		counted[name] = fmt.Sprint(row["clicks"], " ", row["bot_clicks"])
	}
	if len(counted) != 2 || counted["people"] != "3 0" || counted["bots"] != "0 4" {
		t.Errorf("clicks and bots by path: %v, want people with 3 and 0, bots with 0 and 4", counted)
	}
}

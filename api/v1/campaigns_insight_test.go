package v1_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
)

func number(v any) float64 { f, _ := v.(float64); return f }

// reached counts the visits that have a conversion with one of the statuses.
func reached(visits []*visit, statuses ...string) (n float64) {
	for _, v := range visits {
		for _, s := range v.sales {
			if slices.Contains(statuses, s.Status) {
				n++
				break
			}
		}
	}
	return n
}

func TestCampaignInsight(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 120, 9)
	dbtest.Exec(t, s.DB, `UPDATE campaigns SET mode = 'store', alias = 'summer-sale' WHERE id = $1`, r.campaigns[0])
	today := time.Now().UTC().Truncate(24 * time.Hour)
	mine := func(days int, keep func(*visit) bool) []*visit {
		return r.where(func(v *visit) bool {
			return v.CampaignID == r.campaigns[0] && !v.at().Before(today.AddDate(0, 0, 1-days)) && keep(v)
		})
	}
	all := func(*visit) bool { return true }

	week := mine(7, all)
	got := s.Do("GET", "/campaigns/activity?alias=summer-sale", nil).Want(200, "").Map()
	same(t, got, map[string]any{"clicks": figures(week)["clicks"], "goals": reached(week, "approved", "pending")})
	if number(got["clicks"]) == 0 || number(got["goals"]) == 0 {
		t.Errorf("the campaign has no clicks or goals to count: %v", got)
	}
	same(t, s.Do("GET", "/campaigns/activity?alias=none", nil).Want(200, "").Map(), map[string]any{"clicks": 0, "goals": 0})
	s.Do("GET", "/campaigns/activity", nil).Want(400, "no_alias")

	for _, split := range []string{"", "lander", "source"} {
		f := s.Do("GET", fmt.Sprintf("/campaigns/%s/funnel?days=3&by=%s", r.campaigns[0], split), nil).Want(200, "").Map()
		same(t, f, map[string]any{"days": 3, "mode": "store", "primaryGoalKey": nil, "goalKeys": []any{}})
		checkSteps(t, "all", f["steps"], mine(3, all))
		if split == "" {
			if f["split"] != nil {
				t.Errorf("the funnel is split, although the call did not ask for it: %v", f["split"])
			}
			continue
		}
		var clicks float64
		for _, row := range f["split"].(map[string]any)["rows"].([]any) {
			one := row.(map[string]any)
			id := map[string]func(*visit) uuid.UUID{
				"lander": func(v *visit) uuid.UUID { return v.LanderID }, "source": func(v *visit) uuid.UUID { return v.SourceID },
			}[split]
			want := mine(3, func(v *visit) bool { return id(v) == idOf(one["id"]) })
			checkSteps(t, split, one["steps"], want)
			clicks += figures(want)["clicks"]
			if (one["id"] == nil) != (one["name"] == "") {
				t.Errorf("a row without an id must have no name, and every other row needs one: %v", one)
			}
		}
		if want := figures(mine(3, all))["clicks"]; clicks != want {
			t.Errorf("split by %s: %v clicks, want %v", split, clicks, want)
		}
	}
	s.Do("GET", fmt.Sprintf("/campaigns/%s/funnel?by=moon", r.campaigns[0]), nil).Want(400, "invalid_input")
	s.Do("GET", "/campaigns/x/funnel", nil).Want(400, "invalid_input")
	s.Do("GET", fmt.Sprintf("/campaigns/%s/funnel", uuid.New()), nil).Want(404, "not_found")

	rows := s.Do("GET", "/campaigns/arrivals?alias=summer-sale&days=5", nil).Want(200, "").Map()["arrivals"].([]any)
	want := figures(mine(5, all))
	if len(rows) != 1 || number(rows[0].(map[string]any)["clicks"]) != want["clicks"] ||
		number(rows[0].(map[string]any)["share"]) != 100 {
		t.Errorf("arrivals %v, want %v", rows, want)
	}
	if rows := s.Do("GET", "/campaigns/arrivals?alias=none", nil).Want(200, "").Map()["arrivals"].([]any); len(rows) != 0 {
		t.Errorf("no campaign has the alias, but there are arrivals: %v", rows)
	}
	s.Do("GET", "/campaigns/arrivals?days=x", nil).Want(400, "invalid_input")
	foreignInsight(t, s, r.campaigns[0])
}

func idOf(v any) uuid.UUID {
	text, _ := v.(string)
	id, _ := uuid.Parse(text)
	return id
}

func checkSteps(t *testing.T, where string, got any, visits []*visit) {
	t.Helper()
	f := figures(visits)
	want := map[string]float64{
		"clicks": f["clicks"], "lp_views": f["lp_views"], "lp_clicks": f["lp_clicks"],
		"conversions": reached(visits, "approved", "pending"), "sales": reached(visits, "approved"),
	}
	list := got.([]any)
	if len(list) != len(want) {
		t.Errorf("%s: the funnel has other steps than expected: %v", where, list)
	}
	for _, one := range list {
		step := one.(map[string]any)
		if w := want[step["key"].(string)]; number(step["count"]) != w || (step["rate"] == nil) != (f["clicks"] == 0) {
			t.Errorf("%s: %v, want %v", where, step, w)
		}
	}
}

func foreignInsight(t *testing.T, s *apitest.Server, campaign uuid.UUID) {
	t.Helper()
	_, key, _ := s.NewAccount("scale")
	other := s.As(key)
	other.Do("GET", fmt.Sprintf("/campaigns/%s/funnel", campaign), nil).Want(404, "not_found")
	other.Do("DELETE", fmt.Sprintf("/campaigns/%s/stats", campaign), nil).Want(404, "not_found")
	same(t, other.Do("GET", "/campaigns/activity?alias=summer-sale", nil).Want(200, "").Map(),
		map[string]any{"clicks": 0, "goals": 0})
	if list := other.Do("GET", "/tools/routing", nil).Want(200, "").Map()["campaigns"].([]any); len(list) != 0 {
		t.Errorf("another account sees the routing of campaigns: %v", list)
	}
}

func TestClearStatsCall(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 5, 2)
	path := fmt.Sprintf("/campaigns/%s/stats", r.campaigns[0])
	s.Do("DELETE", "/campaigns/x/stats", nil).Want(400, "invalid_id")
	s.Do("DELETE", path+"?from=x", nil).Want(400, "invalid_input")
	s.Do("DELETE", fmt.Sprintf("/campaigns/%s/stats", uuid.New()), nil).Want(404, "not_found")
	s.As(s.ReadKey).Do("DELETE", path, nil).Want(403, "read_only_key")

	// The job is stored before the call is answered.
	a := s.Do("DELETE", path+"?from=2026-01-02&to=2026-01-03", nil, "Prefer", "respond-async").Want(202, "")
	job := a.Map()["job"].(map[string]any)
	var args string
	err := s.DB.GetContext(t.Context(), &args, `SELECT concat_ws(' ', kind, state, args -> 'of' ->> 0, args ->> 'from',
		args ->> 'to') FROM jobs WHERE id = $1 AND account_id = $2`, job["id"], s.Account.ID)
	want := fmt.Sprintf("campaign:clear pending %s 2026-01-02T00:00:00Z 2026-01-04T00:00:00Z", r.campaigns[0])
	if err != nil || args != want {
		t.Errorf("the job is %s, want %s, %v", args, want, err)
	}
	dbtest.Exec(t, s.DB, `UPDATE jobs SET state = 'done', result = args || '{"clicks": 7, "bot_clicks": 3, "conversions": 2}' WHERE id = $1`, job["id"])
	done := s.Do("GET", fmt.Sprint("/jobs/", job["id"]), nil).Want(200, "").Map()
	same(t, done["result"].(map[string]any), map[string]any{
		"id": r.campaigns[0], "clicks": 7, "bot_clicks": 3, "conversions": 2,
		"range": map[string]any{"from": "2026-01-02 00:00:00", "to": "2026-01-03 23:59:59"},
	})
}

func TestRoutingTool(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 40, 3)
	dbtest.Exec(t, s.DB, `UPDATE campaigns SET streams = '[]'`)
	made := s.Do("POST", "/campaigns", map[string]any{
		"name": "Routed", "alias": "routed-one", "streams": []any{
			map[string]any{
				"name": "A", "action": "lander", "destinations": []any{
					map[string]any{"id": r.landers[0]}, map[string]any{"id": r.offers[1], "slot": 2},
				},
				"rules": []any{map[string]any{"name": "Germans", "conditions": []any{
					map[string]any{"attribute": "country", "operator": "equals", "value": "DE"},
				}}},
			},
			map[string]any{"name": "B", "action": "redirect", "destinations": []any{map[string]any{"url": "https://e.example/"}}},
		},
	}).Want(201, "").Map()
	dbtest.Exec(t, s.DB, `UPDATE offers SET is_active = false WHERE id = $1`, r.offers[1])
	out := s.Do("GET", "/tools/routing", nil).Want(200, "").Map()
	if len(out["campaigns"].([]any)) != 3 {
		t.Fatalf("want the three campaigns of the account: %v", out["campaigns"])
	}
	for _, row := range out["campaigns"].([]any) {
		one := row.(map[string]any)
		if one["id"] != made["id"] {
			id := idOf(one["id"])
			compare(t, "campaign", one, figures(r.where(func(v *visit) bool { return v.CampaignID == id })))
			continue
		}
		paths, rules := one["paths"].([]any), one["rules"].([]any)
		first := paths[0].(map[string]any)
		same(t, first, map[string]any{"name": "A", "action": "lander", "clicks": 0, "rules": []any{"Germans"}})
		to := first["destinations"].([]any)
		same(t, to[0].(map[string]any), map[string]any{"kind": "lander", "name": "Name 0", "status": "active", "slot": nil})
		same(t, to[1].(map[string]any), map[string]any{"kind": "offer", "name": "Name 1", "status": "paused", "slot": 2})
		same(t, paths[1].(map[string]any)["destinations"].([]any)[0].(map[string]any),
			map[string]any{"kind": "url", "url": "https://e.example/", "status": nil})
		same(t, rules[0].(map[string]any), map[string]any{"name": "Germans", "path_ids": []any{first["id"]}})
	}
	s.Do("GET", "/tools/routing?from=x", nil).Want(400, "invalid_input")
}

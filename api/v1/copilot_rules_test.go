package v1_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db"
	dbcopilot "switchyard/db/copilot"
	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/autorule"
	"switchyard/models/copilot"
)

// copilotRule returns the body of a rule that alerts about campaigns.
func copilotRule() object {
	return object{"name": "Stop losers", "conditions": []object{
		{"figure": "cost", "operator": ">", "value": 3, "times": "payout"}, {"figure": "conversions", "operator": "=", "value": 0},
	}}
}

const rulesPath = "/copilot/rules"

// TestCopilotRules: a rule is stored as sent, with defaults for the other fields.
func TestCopilotRules(t *testing.T) {
	t.Parallel()
	p := newCopilotEnv(t)
	rule := with(with(copilotRule(), "campaign_ids", []uuid.UUID{p.campaign}), "action", "pause")
	made := p.Do("POST", rulesPath, rule).Want(201, "").Map()
	same(t, made, map[string]any{
		"name": "Stop losers", "is_active": true, "mode": "shadow", "looks_at": "campaign", "attribute": "", "window": 1.0, "window_unit": "days",
		"include_current": true, "every_minutes": 60.0, "action": "pause", "cooldown_minutes": 1440.0, "max_changes": 10.0, "last_run": nil,
		"when": "cost > 3 x payout and conversions = 0", "campaign_ids": []any{p.campaign.String()}, "source_ids": []any{},
	})
	id := made["id"].(string)
	changed := p.Do("PATCH", rulesPath, object{"id": id, "window": 48, "window_unit": "hours", "is_active": false, "mode": "live"}).Want(200, "").Map()
	same(t, changed, map[string]any{
		"name": "Stop losers", "is_active": false, "window": 48.0, "window_unit": "hours", "mode": "live", "when": made["when"],
		"campaign_ids": made["campaign_ids"], "every_minutes": 60.0,
	})
	second := p.Do("POST", rulesPath, with(copilotRule(), "name", "Second")).Want(201, "").Map()["id"]
	page := p.Do("GET", rulesPath+"?limit=1", nil).Want(200, "").Map()
	rows := page["rows"].([]any)
	if len(rows) != 1 || rows[0].(map[string]any)["id"] != second || page["next_cursor"] == nil {
		t.Errorf("want only the newest rule, and a cursor: %v", page)
	}
	rest := p.Do("GET", rulesPath+"?limit=1&cursor="+page["next_cursor"].(string), nil).Want(200, "").Map()
	if rows := rest["rows"].([]any); len(rows) != 1 || rows[0].(map[string]any)["id"] != id || rest["next_cursor"] != nil {
		t.Errorf("want only the first rule, and no cursor: %v", rest)
	}
	if rows := p.Do("GET", rulesPath+"?status=paused", nil).Want(200, "").Map()["rows"].([]any); len(rows) != 1 {
		t.Errorf("want one paused rule: %v", rows)
	}
	dbtest.Exec(t, p.DB, `UPDATE campaigns SET deleted_at = now()`)
	p.Do("PATCH", rulesPath, object{"id": id, "name": "Third"}).Want(200, "") // its campaign was deleted
	p.Do("DELETE", rulesPath+"?id="+id, nil).Want(200, "")
	p.Do("DELETE", rulesPath+"?id="+id, nil).Want(404, "not_found")
	p.Do("DELETE", rulesPath, nil).Want(400, "invalid_id")
	p.As(p.ReadKey).Do("POST", rulesPath, copilotRule()).Want(403, "read_only_key")
	p.As(p.ReadKey).Do("POST", rulesPath+"/replay", copilotRule()).Want(403, "read_only_key") // although a replay changes no record
}

// TestCopilotRulesRefused: an invalid rule cannot be created, and a valid rule cannot be changed into an invalid one.
func TestCopilotRulesRefused(t *testing.T) {
	t.Parallel()
	p := newCopilotEnv(t)
	id := p.Do("POST", rulesPath, copilotRule()).Want(201, "").Map()["id"]
	for _, c := range []struct {
		change object
		code   string
	}{
		{object{"action": "deny"}, "invalid_rule"},
		{object{"looks_at": "value"}, "invalid_rule"},
		{object{"conditions": []object{}}, "invalid_condition"},
		{object{"conditions": []object{{"figure": "cost", "operator": "~", "value": 1}}}, "invalid_condition"},
		{object{"conditions": []object{{"figure": "luck", "operator": ">", "value": 1}}}, "invalid_condition"},
		{object{"campaign_ids": []uuid.UUID{uuid.New()}}, "invalid_scope"},
		{object{"source_ids": []uuid.UUID{p.campaign}}, "invalid_scope"},
		{object{"name": " "}, "required"},
	} {
		patch, body := object{"id": id}, copilotRule()
		for k, v := range c.change {
			patch[k], body[k] = v, v
		}
		p.Do("POST", rulesPath, body).Want(400, c.code)
		p.Do("POST", rulesPath+"/replay", body).Want(400, c.code)
		p.Do("PATCH", rulesPath, patch).Want(400, c.code)
	}
	p.Do("PATCH", rulesPath, object{"id": id, "name": strings.Repeat("x", 101)}).Want(400, "too_long")
	p.Do("PATCH", rulesPath, object{"id": id}).Want(400, "no_fields")
	p.Do("PATCH", rulesPath, object{"id": "x", "name": "y"}).Want(400, "invalid_id")
	p.Do("PATCH", rulesPath, object{"id": uuid.NewString(), "name": "y"}).Want(404, "not_found")
	p.Do("GET", rulesPath+"/x/runs", nil).Want(400, "invalid_id")
	p.Do("GET", rulesPath+"/"+uuid.NewString()+"/runs", nil).Want(404, "not_found")

	paused := p.Do("POST", rulesPath, with(copilotRule(), "action", "pause")).Want(201, "").Map()["id"]
	dbtest.Exec(t, p.DB, `UPDATE accounts SET plan = 'growth' WHERE id = $1`, p.Account.ID)
	p.Do("POST", rulesPath, with(copilotRule(), "action", "pause")).Want(403, "plan_required")
	p.Do("PATCH", rulesPath, object{"id": id, "action": "pause"}).Want(403, "plan_required")
	p.Do("PATCH", rulesPath, object{"id": paused, "is_active": false}).Want(200, "")
	p.Do("PATCH", rulesPath, object{"id": paused, "is_active": true}).Want(403, "plan_required")
	plan, _ := models.PlanNamed("growth")
	for range plan.CopilotRules - 2 {
		p.Do("POST", rulesPath, copilotRule()).Want(201, "")
	}
	p.Do("POST", rulesPath, copilotRule()).Want(402, "plan_limit")
}

// TestCopilotRuleRuns: each action of a rule is in the rule's log of runs and in the list of changes. The target stays in its
// cooldown after an undo.
func TestCopilotRuleRuns(t *testing.T) {
	t.Parallel()
	p := newCopilotEnv(t)
	made := p.Do("POST", rulesPath, with(with(copilotRule(), "action", "pause"), "looks_at", "offer")).Want(201, "").Map()
	rules := dbcopilot.NewRules(p.Store)
	r, err := rules.Find(t.Context(), p.Account.ID, uuid.MustParse(made["id"].(string)))
	if err != nil {
		t.Fatal(err)
	}
	target := autorule.Target{Offer: p.offer.String(), Name: "offer Shop"}
	at := time.Now().UTC().Truncate(time.Microsecond).Add(time.Second)
	for range 3 {
		run := r.NewRun(p.Account, at)
		acts, _ := r.Acts([]autorule.Target{target}, nil)
		done, err := rules.Act(t.Context(), r, acts[0], acts[0].Action.JudgedDigest(p.record()), run, r.Evidence(acts[0].Targets, "a", "b"))
		if err != nil {
			t.Fatal(err)
		}
		run.Matched, run.Done = 1, 1
		run.Record(r.Settings, autorule.ItemDone, "", uuid.NullUUID{UUID: done.Change.ID, Valid: true}, target)
		if err := rules.End(t.Context(), r, run); err != nil {
			t.Fatal(err)
		}
		latest := p.Do("GET", "/copilot", nil).Want(200, "").Map()["changes"].([]any)[0].(map[string]any)
		same(t, latest, map[string]any{"rule_id": made["id"], "title": "Rule Stop losers: pause offer Shop", "status": "applied"})
		p.act("undo", done.Change.ID.String()).Want(200, "")
		if cooling, err := rules.Cooling(t.Context(), r, at.Add(23*time.Hour)); err != nil || !cooling[r.Key(target)] {
			t.Errorf("the target is not in its cooldown after the undo: %v (%v)", cooling, err)
		}
		at = at.Add(25 * time.Hour)
	}
	path := rulesPath + "/" + made["id"].(string) + "/runs"
	page := p.As(p.ReadKey).Do("GET", path+"?limit=2", nil).Want(200, "").Map()
	rows := page["rows"].([]any)
	if len(rows) != 2 || page["next_cursor"] == nil {
		t.Fatalf("want two runs and a cursor: %v", page)
	}
	same(t, rows[0].(map[string]any), map[string]any{"outcome": "done", "matched": 1.0, "done": 1.0, "cut": false})
	same(t, rows[0].(map[string]any)["items"].([]any)[0].(map[string]any), map[string]any{"of": "offer Shop", "outcome": "done"})
	rest := p.Do("GET", path+"?limit=2&cursor="+page["next_cursor"].(string), nil).Want(200, "").Map()
	if len(rest["rows"].([]any)) != 1 || rest["next_cursor"] != nil {
		t.Errorf("want only the oldest run, and no cursor: %v", rest)
	}
	_, other, _ := p.NewAccount("pro")
	p.As(other).Do("GET", path, nil).Want(404, "not_found")
}

// TestCopilotRuleEvent: if a rule pauses a campaign, one event is sent, and it names the Copilot as the author.
func TestCopilotRuleEvent(t *testing.T) {
	t.Parallel()
	p := newCopilotEnv(t)
	p.Do("POST", "/webhooks", object{"url": "https://hooks.acme.com/y", "events": []string{"campaign.paused"}}).Want(201, "")
	made := p.Do("POST", rulesPath, with(copilotRule(), "action", "pause")).Want(201, "").Map()
	rules := dbcopilot.NewRules(p.Store)
	r, err := rules.Find(t.Context(), p.Account.ID, uuid.MustParse(made["id"].(string)))
	if err != nil {
		t.Fatal(err)
	}
	acts, _ := r.Acts([]autorule.Target{{Campaign: p.campaign, Name: "campaign C"}}, nil)
	judged := acts[0].Action.JudgedDigest(p.record())
	run := r.NewRun(p.Account, time.Now())
	done, err := rules.Act(t.Context(), r, acts[0], judged, run, r.Evidence(acts[0].Targets, "a", "b"))
	if err != nil || len(done.Deliveries) != 1 || p.record().Campaign.Status != models.CampaignPaused {
		t.Fatalf("want the campaign paused, and one delivery of its event: %+v (%v)", done, err)
	}
	if _, err := rules.Act(t.Context(), r, acts[0], judged, run, nil); !errors.Is(err, models.Conflict("cooling", "")) {
		t.Errorf("acting again got the error %v, want cooling", err)
	}
	events, err := db.Select[string](t.Context(), p.DB, "events", `SELECT convert_from(body, 'UTF8')::jsonb->'data'->>'by' FROM events
		WHERE type = 'campaign.paused' AND account_id = $1`, p.Account.ID)
	if err != nil || len(events) != 1 || events[0] != "copilot" {
		t.Errorf("want one event, by the Copilot: %v (%v)", events, err)
	}
}

// TestCopilotRuleReplay: a caller that asks for the same replay before it ends gets the same job.
func TestCopilotRuleReplay(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	replay := func() string {
		t.Helper()
		later := s.Do("POST", rulesPath+"/replay", copilotRule(), "Prefer", "respond-async").Want(202, "").Map()
		return later["job"].(map[string]any)["id"].(string)
	}
	id := replay()
	if again := replay(); again != id {
		t.Errorf("the same replay got two jobs: %s and %s", id, again)
	}
	row, err := jobrow.Find(t.Context(), s.DB, s.Account.ID, uuid.MustParse(id))
	var args jobs.RuleReplayArgs
	if err := errors.Join(err, json.Unmarshal(row.Args, &args)); err != nil || len(args.Rule.Conditions) != 2 || args.Rule.EveryMinutes != 60 {
		t.Errorf("the job does not have the rule that was sent: %+v (%v)", args, err)
	}
	at := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	result, err := json.Marshal(jobs.RuleReplay{From: at, To: at.AddDate(0, 0, 30), Looked: 3, Total: 1, Rows: []jobs.RuleReplayRow{{
		At: at.AddDate(0, 0, 4), Of: "campaign Shoes", Figures: []copilot.Figure{}, After: models.Figures{Clicks: 9}.Row(),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(t, s.DB, `UPDATE jobs SET state = 'done', result = $2, finished_at = now() WHERE id = $1`, id, string(result))
	got := s.Do("GET", "/jobs/"+id, nil).Want(200, "").Map()["result"].(map[string]any)
	same(t, got, map[string]any{"looked": 3.0, "total": 1.0, "from": "2026-04-01T00:00:00.000Z"})
	shown := got["rows"].([]any)[0].(map[string]any)
	same(t, shown, map[string]any{"of": "campaign Shoes", "at": "2026-04-05T00:00:00.000Z"})
	same(t, shown["after"].(map[string]any), map[string]any{"clicks": 9.0})
}

// TestCopilotRuleAlert: GET /alerts lists the alerts of a rule until they end.
func TestCopilotRuleAlert(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	made := s.Do("POST", rulesPath, with(copilotRule(), "mode", "live")).Want(201, "").Map()
	rules := dbcopilot.NewRules(s.Store)
	r, err := rules.Find(t.Context(), s.Account.ID, uuid.MustParse(made["id"].(string)))
	if err != nil {
		t.Fatal(err)
	}
	alerts := func(list ...dbcopilot.RuleAlert) []any {
		t.Helper()
		if _, err := rules.SetAlerts(t.Context(), r, list, time.Now()); err != nil {
			t.Fatal(err)
		}
		return s.Do("GET", "/alerts", nil).Want(200, "").Map()["alerts"].([]any)
	}
	got := alerts(dbcopilot.RuleAlert{Target: "campaign/1", Name: "campaign Shoes", Message: "cost > 3 x payout: cost 50"})
	if len(got) != 1 {
		t.Fatal(got)
	}
	same(t, got[0].(map[string]any), map[string]any{
		"type": "rule.matched", "kind": "copilot_rule", "id": made["id"], "name": "Stop losers: campaign Shoes", "severity": "warning",
		"message": "cost > 3 x payout: cost 50",
	})
	_, other, _ := s.NewAccount("growth")
	if n := s.As(other).Do("GET", "/alerts", nil).Want(200, "").Map()["count"]; n != 0.0 {
		t.Errorf("another account sees %v alerts", n)
	}
	if got := alerts(); len(got) != 0 {
		t.Errorf("the list still has alerts after the rule's alert ended: %v", got)
	}
}

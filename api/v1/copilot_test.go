package v1_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db"
	dbcopilot "switchyard/db/copilot"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/copilot"
)

// runResult returns the result of a Copilot run: a suggestion for each key. The suggestion of the key "advice" has no action.
func runResult(at time.Time, keys ...string) dbcopilot.FoundSuggestions {
	f := dbcopilot.FoundSuggestions{At: at.UTC().Truncate(time.Microsecond), Next: at.Add(24 * time.Hour), Judged: 7}
	for _, key := range keys {
		s := copilot.Suggestion{
			Kind: "pause_loser", Key: key, Title: "Pause " + key, ExpiresAt: models.Stamp{Time: at.Add(copilot.Life)},
			Evidence: copilot.Evidence{Figures: []copilot.Figure{{Of: "a", Name: "clicks"}}, Sample: 1000, Confidence: 0.99},
			Action: &copilot.Action{
				Op: copilot.OpDeny, CampaignID: uuid.NullUUID{UUID: uuid.New(), Valid: true}, Attribute: "sub1", Values: []string{"x", "y"}, Worst: 1,
			},
		}
		if key == "advice" {
			s.Action = nil
		}
		f.List = append(f.List, s)
	}
	return f
}

func suggest(t *testing.T, s *apitest.Server, key string) uuid.UUID {
	t.Helper()
	now := time.Now()
	if err := dbcopilot.NewSuggestions(s.Store).Save(t.Context(), s.Account.ID, runResult(now, key)); err != nil {
		t.Fatal(err)
	}
	list, err := dbcopilot.NewSuggestions(s.Store).Open(t.Context(), s.Account.ID, now)
	if err != nil || len(list) == 0 {
		t.Fatalf("%d suggestions are open, want at least 1 (%v)", len(list), err)
	}
	return list[0].ID
}

func TestCopilot(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	got := s.Do("GET", "/copilot", nil).Want(200, "").Map()
	same(t, got, map[string]any{"plan": "growth", "canApply": false, "lastRunAt": nil, "total": 0.0, "suggestions": []any{}, "changes": []any{}})
	now := time.Now()
	if got["looked"] != nil {
		t.Errorf("before the first run, looked is %v, want null", got["looked"])
	}
	looked := runResult(time.Now().Add(-time.Minute))
	looked.Scope = &copilot.Scope{From: "2026-03-01", To: "2026-03-30", Clicks: 7, Checks: []copilot.Check{{Kind: "pause_loser", Minimum: "100 clicks"}}}
	if err := dbcopilot.NewSuggestions(s.Store).Save(t.Context(), s.Account.ID, looked); err != nil {
		t.Fatal(err)
	}
	same(t, s.Do("GET", "/copilot", nil).Want(200, "").Map()["looked"].(map[string]any), map[string]any{
		"from": "2026-03-01", "to": "2026-03-30", "clicks": 7.0,
		"checks": []any{map[string]any{"kind": "pause_loser", "judged": 0.0, "minimum": "100 clicks"}},
	})
	save := func(at time.Time, keys ...string) {
		t.Helper()
		if err := dbcopilot.NewSuggestions(s.Store).Save(t.Context(), s.Account.ID, runResult(at, keys...)); err != nil {
			t.Fatal(err)
		}
	}
	open := func() map[string]string {
		t.Helper()
		ids := map[string]string{}
		got := s.As(s.ReadKey).Do("GET", "/copilot", nil).Want(200, "").Map()
		for _, item := range got["suggestions"].([]any) {
			ids[item.(map[string]any)["title"].(string)] = item.(map[string]any)["id"].(string)
		}
		count := s.Do("GET", "/copilot?count=1", nil).Want(200, "").Map()
		same(t, count, map[string]any{"open": float64(len(ids))})
		if len(count) != 1 || got["total"] != float64(len(ids)) {
			t.Errorf("the call with count=1 answers %v and total is %v, want the number of listed suggestions, %d", count, got["total"], len(ids))
		}
		return ids
	}
	save(now, "one", "two", "three", "advice")
	before := open()
	if len(before) != 4 {
		t.Fatalf("want four open suggestions: %v", before)
	}
	first := s.Do("GET", "/copilot", nil).Want(200, "").Map()["suggestions"].([]any)[0].(map[string]any)
	same(t, first, map[string]any{"title": "Pause one", "advice_only": false, "variants": []any{"most", "all"}, "status": "open"})

	s.Do("POST", "/copilot", map[string]any{"action": "dismiss", "id": before["Pause one"]}).Want(200, "")
	acted := s.Do("POST", "/copilot", map[string]any{"action": "snooze", "id": before["Pause two"]}).Want(200, "").Map()
	same(t, acted, map[string]any{"status": "snoozed", "id": before["Pause two"]})
	until, err := time.Parse(models.EventTimeFormat, acted["snoozedUntil"].(string))
	if wait := until.Sub(now); err != nil || wait < 7*24*time.Hour-time.Minute || wait > 7*24*time.Hour+time.Hour {
		t.Errorf("the suggestion is snoozed for %v, want seven days (%v)", wait, err)
	}
	for _, id := range []string{before["Pause one"], before["Pause two"]} {
		s.Do("POST", "/copilot", map[string]any{"action": "snooze", "id": id}).Want(409, "not_open")
	}
	for _, body := range []map[string]any{
		{},
		{"action": "guess"},
		{"action": "dismiss"},
		{"action": "snooze", "id": before["advice"], "days": 0},
		{"action": "apply", "id": before["Pause three"], "variant": "some"},
		{"action": 7},
	} {
		s.Do("POST", "/copilot", body).Want(400, "invalid")
	}
	for _, id := range []string{uuid.NewString(), "x"} {
		s.Do("POST", "/copilot", map[string]any{"action": "dismiss", "id": id}).Want(404, "not_found")
	}
	s.As(s.ReadKey).Do("POST", "/copilot", map[string]any{"action": "refresh"}).Want(403, "read_only_key")

	// This run does not find "three", so the suggestion "three" closes.
	save(now.Add(time.Second), "one", "two", "advice")
	if after := open(); len(after) != 1 || after["Pause advice"] != before["Pause advice"] {
		t.Errorf("the open suggestions are %v, want only the unchanged suggestion advice; before: %v", after, before)
	}
	s.Do("POST", "/copilot", map[string]any{"action": "dismiss", "id": before["Pause three"]}).Want(409, "not_open")
	dbtest.Exec(t, s.DB, `UPDATE copilot_suggestions SET snoozed_until = now() WHERE status = 'snoozed'`)
	if after := open(); len(after) != 2 || after["Pause two"] != before["Pause two"] {
		t.Errorf("after the snooze the open suggestions are %v, want advice and two; before: %v", after, before)
	}
	save(now.Add(2*time.Second), "three") // found again: a new suggestion
	after := open()
	if len(after) != 1 || after["Pause three"] == before["Pause three"] {
		t.Errorf("the open suggestions are %v, want only a new suggestion three; before: %v", after, before)
	}
	// A suggestion stays open if a run did not check its campaign.
	campaign, err := db.Get[uuid.UUID](t.Context(), s.DB, "campaign", `UPDATE copilot_suggestions SET campaign_id = gen_random_uuid()
		WHERE id = $1 RETURNING campaign_id`, after["Pause three"])
	if err != nil {
		t.Fatal(err)
	}
	for n, run := range []struct {
		skipped []uuid.UUID
		open    int
	}{{[]uuid.UUID{campaign}, 2}, {nil, 1}} {
		f := runResult(now.Add(time.Duration(3+n)*time.Second), "two")
		f.Skipped = run.skipped
		if err := dbcopilot.NewSuggestions(s.Store).Save(t.Context(), s.Account.ID, f); err != nil {
			t.Fatal(err)
		}
		if got := open(); len(got) != run.open {
			t.Errorf("open %v, want %d", got, run.open)
		}
	}
}

func TestCopilotRefresh(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "pro"})
	at := time.Now().UTC().Truncate(time.Millisecond)
	jobstest.Answer(s.Jobs, jobs.RefreshCopilot, func(uuid.UUID, jobs.None) (jobs.CopilotRefreshed, error) {
		return jobs.CopilotRefreshed{At: at, Judged: 12, Open: 3}, nil
	})
	body := map[string]any{"action": "refresh"}
	key := []string{"Idempotency-Key", "refresh-1"}
	want := map[string]any{"action": "refresh", "lastRunAt": at.Format(models.EventTimeFormat), "judged": 12.0, "open": 3.0, "id": nil}
	same(t, s.Do("POST", "/copilot", body, key...).Want(200, "").Map(), want)
	same(t, s.Do("POST", "/copilot", body, key...).Want(200, "").Map(), want)
	s.Do("POST", "/copilot", body).Want(429, "too_soon")
	dbtest.Exec(t, s.DB, `UPDATE copilot_runs SET asked_at = asked_at - interval '2 minutes'`)
	s.Do("POST", "/copilot", body).Want(200, "")
	if !s.Do("GET", "/copilot", nil).Want(200, "").Map()["canApply"].(bool) {
		t.Error("an account on the plan pro cannot apply suggestions")
	}
}

// TestProposals: proposals are listed with their state. An open proposal that has expired is left out.
func TestProposals(t *testing.T) {
	t.Parallel()
	p := newCopilotEnv(t)
	propose := func(at time.Time) string {
		t.Helper()
		made, err := dbcopilot.NewProposals(p.Store).Create(t.Context(), copilot.Proposal{
			Owned: models.Owned{AccountID: p.Account.ID}, Reason: "It loses.", Action: *p.actions()[copilot.OpPauseOffer],
		}, at)
		if err != nil {
			t.Fatal(err)
		}
		return made.ID.String()
	}
	now := time.Now()
	ended, open, cancelled, applied := propose(now.AddDate(0, 0, -8)), propose(now.Add(-time.Hour)), propose(now), propose(now)
	for action, id := range map[string]string{"cancel_proposal": cancelled, "apply_proposal": applied} {
		p.Do("POST", "/copilot", object{"action": action, "id": id}).Want(200, "")
	}
	states := map[string]any{}
	for _, v := range p.As(p.ReadKey).Do("GET", "/copilot", nil).Want(200, "").Map()["proposals"].([]any) {
		one := v.(map[string]any)
		states[fmt.Sprint(one["id"])] = one["status"]
		if one["title"] == "" || one["reason"] != "It loses." || one["action"] == nil || one["expires_at"] == nil {
			t.Errorf("the proposal lacks its title, reason, action or end: %v", one)
		}
	}
	if len(states) != 3 || states[ended] != nil || states[open] != "open" || states[cancelled] != "cancelled" || states[applied] != "applied" {
		t.Errorf("the proposals have the states %v, want an open, a cancelled and an applied one", states)
	}
	for attribute, value := range map[string]string{"ip_range": "0.0.0.0/0", "ip": "somebody"} { // values that cannot be applied
		_, err := dbcopilot.NewProposals(p.Store).Create(t.Context(), copilot.Proposal{
			Owned: models.Owned{AccountID: p.Account.ID}, Action: *p.inCampaign(copilot.Action{Op: copilot.OpDeny, Attribute: attribute, Values: []string{value}}),
		}, now)
		if e, ok := models.AsError(err); !ok || e.Kind != models.KindInvalid {
			t.Errorf("the proposal to deny %s %s is not refused as invalid: %v", attribute, value, err)
		}
	}
	_, key, _ := p.NewAccount("scale")
	if list := p.As(key).Do("GET", "/copilot", nil).Want(200, "").Map()["proposals"].([]any); len(list) != 0 {
		t.Errorf("another account sees %v", list)
	}
}

// TestDismissedSuggestionReturns: a dismissed suggestion that each run finds again is hidden for 90 days.
func TestDismissedSuggestionReturns(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	s.Do("POST", "/copilot", map[string]any{"action": "dismiss", "id": suggest(t, s, "one")}).Want(200, "")
	now := time.Now()
	for _, run := range []struct{ day, open int }{{45, 0}, {89, 0}, {91, 1}, {92, 1}} {
		at := now.AddDate(0, 0, run.day)
		if err := dbcopilot.NewSuggestions(s.Store).Save(t.Context(), s.Account.ID, runResult(at, "one")); err != nil {
			t.Fatal(err)
		}
		if n, err := dbcopilot.NewSuggestions(s.Store).CountOpen(t.Context(), s.Account.ID, at); err != nil || n != run.open {
			t.Errorf("on day %d: %d open suggestions, want %d, %v", run.day, n, run.open, err)
		}
	}
}

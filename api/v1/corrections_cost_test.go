package v1_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/models"
)

const (
	setCostPath     = "/corrections/cost/set"
	costChangesPath = "/corrections/cost/changes"
)

// A call that sets a cost must select clicks of the account, on days that have begun in its time zone, and must have one amount.
func TestSetCostRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	e := newEnv(t, s)
	dbtest.Exec(t, s.DB, `UPDATE accounts SET timezone = 'Pacific/Kiritimati' WHERE id = $1`, e.Account.ID)
	zone, _ := time.LoadLocation("Pacific/Kiritimati")
	day := func(back int) string { return time.Now().In(zone).AddDate(0, 0, -back).Format(time.DateOnly) }
	good := object{"campaign_id": e.ids["campaign"], "from": day(1), "to": day(0), "amount": 12.5}
	for name, c := range map[string]struct {
		change object
		code   string
	}{
		"no such campaign":    {object{"campaign_id": uuid.NewString()}, "invalid_campaign"},
		"invalid campaign id": {object{"campaign_id": "x"}, "invalid_campaign"},
		"no such source":      {object{"source_id": uuid.NewString()}, "invalid_source"},
		"no clicks selected":  {object{"campaign_id": nil}, "invalid_input"},
		"no amount":           {object{"amount": nil}, "invalid_input"},
		"two amounts":         {object{"cpc": 1}, "invalid_input"},
		"below zero":          {object{"amount": -1}, "invalid_input"},
		"unknown currency":    {object{"currency": "dollars"}, "invalid_currency"},
		"no such sub":         {object{"sub": models.Subs + 1}, "invalid_input"},
		"sub_value alone":     {object{"sub_value": "x"}, "invalid_input"},
		"a mistyped key":      {object{"amuont": 1}, "invalid_input"},
		"impossible day":      {object{"from": "2026-02-30"}, "bad_range"},
		"another date format": {object{"from": "24.11.2026"}, "bad_range"},
		"reversed":            {object{"from": day(0), "to": day(1)}, "bad_range"},
		"tomorrow":            {object{"to": day(-1)}, "bad_range"},
		"too many days":       {object{"from": day(models.MaxCostDays)}, "bad_range"},
		"too old":             {object{"from": day(3000), "to": day(2999)}, "bad_range"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := maps.Clone(good)
			maps.Copy(body, c.change)
			e.In(t).Do("POST", setCostPath, body).Want(400, c.code)
		})
	}
	e.Do("POST", setCostPath, good, "Prefer", "respond-async").Want(202, "")
	e.As(e.ReadKey).Do("POST", setCostPath, good).Want(403, "read_only_key")
}

// Only an applied cost becomes a change and is written to the audit log. A change that was undone or is too old cannot be undone.
func TestCostChanges(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	e := newEnv(t, s)
	day := time.Now().UTC().Format(time.DateOnly)
	body := object{"campaign_id": e.ids["campaign"], "from": day, "to": day, "cpc": 0.02, "sub": 2, "sub_value": "zone"}
	e.Do("POST", setCostPath, body, "Prefer", "respond-async").Want(202, "")
	job := e.Do("POST", setCostPath, with(body, "apply", true), "Prefer", "respond-async").Want(202, "").Map()["job"].(map[string]any)
	if n := dbtest.Get[int](t, s.DB, `SELECT count(*) FROM cost_changes WHERE account_id = $1`, e.Account.ID); n != 1 {
		t.Errorf("%d changes of cost are stored, want 1", n)
	}
	if got := dbtest.Get[string](t, s.DB, `SELECT args->'request'->>'currency' FROM jobs WHERE id = $1`, job["id"]); got != "USD" {
		t.Errorf("the job has the currency %q, want USD, which the account has now", got)
	}
	if n := dbtest.Get[int](t, s.DB, `SELECT count(*) FROM audit WHERE account_id = $1 AND route LIKE '%/cost/set'`, e.Account.ID); n != 1 {
		t.Errorf("%d entries of the audit log for setting a cost, want 1", n)
	}
	rows := func() []any { return e.Do("GET", costChangesPath, nil).Want(200, "").Map()["rows"].([]any) }
	if len(rows()) != 0 {
		t.Error("a change that was not made yet is listed")
	}
	dbtest.Exec(t, s.DB, `UPDATE cost_changes SET first_day = now(), last_day = now(), clicks = 3, before = 1, after = 0.06`)
	row := rows()[0].(map[string]any)
	same(t, row, map[string]any{
		"id": job["id"], "kind": "hand", "campaign_id": e.ids["campaign"], "source_id": nil, "sub": 2.0, "sub_value": "zone", "from": day, "to": day,
		"cpc": 0.02, "amount": nil, "currency": "USD", "clicks": 3.0, "before": 1.0, "after": 0.06, "base": "USD", "may_undo": true, "undone_at": nil,
	})
	if row["who"] == "" || row["campaign_name"] == "" {
		t.Errorf("the change lacks its author or the name of its campaign: %v", row)
	}
	undo := fmt.Sprint(costChangesPath, "/", job["id"], "/undo")
	e.Do("POST", undo, nil, "Prefer", "respond-async").Want(202, "")
	dbtest.Exec(t, s.DB, `UPDATE cost_changes SET created_at = now() - interval '31 days'`)
	e.Do("POST", undo, nil).Want(409, "too_old")
	dbtest.Exec(t, s.DB, `UPDATE cost_changes SET undone_at = now()`)
	e.Do("POST", undo, nil).Want(409, "stale")
	e.Do("POST", fmt.Sprint(costChangesPath, "/", uuid.New(), "/undo"), nil).Want(404, "not_found")
	if rows()[0].(map[string]any)["may_undo"] != false {
		t.Error("a change that was undone can be undone again")
	}

	// An applied file becomes one change.
	e.Do("POST", costPath, object{"csv": "day,campaign,spend\n2026-01-01,x,1\n", "apply": true}, "Prefer", "respond-async").Want(202, "")
	e.Do("POST", costPath, object{"csv": "day,campaign,spend\n2026-01-01,x,1\n"}, "Prefer", "respond-async").Want(202, "")
	dbtest.Exec(t, s.DB, `UPDATE cost_changes SET first_day = '2026-01-01', last_day = '2026-01-02', clicks = 3 WHERE kind = 'file'`)
	list := rows()
	if len(list) != 2 {
		t.Fatalf("want the change by hand and the change from the file: %v", list)
	}
	same(t, list[0].(map[string]any), map[string]any{"kind": "file", "campaign_id": nil, "from": "2026-01-01", "to": "2026-01-02", "currency": ""})
	page := e.Do("GET", costChangesPath+"?limit=1", nil).Want(200, "").Map()
	rest := e.Do("GET", costChangesPath+"?limit=1&cursor="+page["next_cursor"].(string), nil).Want(200, "").Map()["rows"].([]any)
	if len(rest) != 1 || rest[0].(map[string]any)["kind"] != "hand" {
		t.Errorf("want only the change by hand on the second page: %v", rest)
	}

	// A job that fails removes its change.
	id := uuid.New()
	changes := store.New(s.DB, nil).CostChanges()
	if err := changes.Add(t.Context(), e.Account.ID, id, models.CostByHand, "Ann", uuid.Nil, models.CostRequest{}); err != nil {
		t.Fatal(err)
	}
	if err := changes.Remove(t.Context(), e.Account.ID, id); err != nil {
		t.Fatal(err)
	}
	if _, err := changes.Find(t.Context(), e.Account.ID, id); err == nil {
		t.Error("the change of a job that failed is still stored")
	}
}

package v1_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
)

func addPlan(t *testing.T, s *apitest.Server, account uuid.UUID, state, counts string) string {
	t.Helper()
	id := uuid.New()
	dbtest.Exec(t, s.DB, `INSERT INTO config_plans (id, account_id, document, origin, state, counts) VALUES ($1, $2, '', 'document', $3, $4)`, id, account, state, counts)
	return id.String()
}

func TestConfigDocument(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	e := newEnv(t, s)
	a := e.Do("GET", "/config", nil)
	if a.Status != http.StatusOK || a.Header.Get("Content-Type") != "application/yaml" || !strings.HasPrefix(string(a.Raw), "version: 1\n") {
		t.Fatalf("want 200 and a document in YAML, version 1, got %d %s: %s", a.Status, a.Header.Get("Content-Type"), a.Raw)
	}
	for _, id := range e.ids {
		if strings.Contains(string(a.Raw), id) {
			t.Errorf("the document contains the id %s, want no ids", id)
		}
	}
	if again := e.Do("GET", "/config", nil); string(again.Raw) != string(a.Raw) {
		t.Errorf("the second document differs from the first:\n%s\n%s", a.Raw, again.Raw)
	}
	only := e.Do("GET", "/config?format=json&kinds=offers", nil)
	if text := string(only.Raw); !strings.HasPrefix(text, `{"offers":{`) || strings.Contains(text, "campaigns") {
		t.Errorf("want a document with only the offers, in JSON: %s", text)
	}
	e.Do("GET", "/config?format=xml", nil).Want(400, "invalid_input")
	e.Do("GET", "/config?kinds=offers,ofers", nil).Want(400, "invalid_input")
}

// TestConfigDomainAgain: a domain that was removed and added again is in the document.
func TestConfigDomainAgain(t *testing.T) {
	t.Parallel()
	e := newEnv(t, apitest.New(t))
	for range 3 {
		id := e.Do("POST", "/domains", object{"domain": "again.example"}).Want(201, "").Map()["id"].(string)
		e.Do("GET", "/config", nil).Want(200, "")
		text := string(e.Do("GET", "/config?format=json&kinds=domains", nil).Want(200, "").Raw)
		if !strings.HasPrefix(text, `{"domains":{"again.example":{`) {
			t.Fatalf("the document does not have the domain under its host:\n%s", text)
		}
		e.Do("DELETE", "/domains?id="+id, nil).Want(200, "")
	}
}

func TestConfigRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	e := newEnv(t, s)
	for _, document := range []any{nil, 7, []int{1}, ""} {
		e.Do("POST", "/config/plan", object{"document": document}).Want(400, "invalid_document")
	}
	e.Do("POST", "/config/plan", object{"document": object{"version": 1}, "prune": object{"grup": "x"}}).Want(400, "invalid_input")
	link := object{"form": "path", "id": "x", "campaign": "c"}
	for _, c := range []struct {
		read object
		code string
	}{
		{object{"links": []object{link}}, "invalid_input"},
		{object{"tracker": "unheard"}, "invalid_input"},
		{object{"tracker": "csv", "links": []object{{"form": "other", "id": "x", "campaign": "c"}}}, "invalid_input"},
		{object{"tracker": "csv", "links": []object{{"form": "path", "id": "a/b", "campaign": "c"}}}, "invalid_input"},
		{object{"tracker": "csv", "links": []object{{"form": "path", "id": "x", "kampagne": "c"}}}, "invalid_input"},
		{object{"tracker": "csv", "notes": []object{{"severity": "lost", "kind": "unheard", "key": "o", "text": "x"}}}, "invalid_input"},
		{object{"tracker": "csv", "notes": []object{{"severity": "lost", "kind": "offers", "key": "o", "text": strings.Repeat("x", 2001)}}}, "too_long"},
	} {
		e.Do("POST", "/config/plan", object{"document": "version: 1", "read": c.read}).Want(400, c.code)
	}
	read := object{"tracker": "binom", "links": []object{link}, "notes": []object{{"severity": "lost", "kind": "offers", "key": "o", "name": "O", "text": "x"}}}
	e.Do("POST", "/config/plan", object{"document": "version: 1", "read": read}, "Prefer", "respond-async").Want(202, "")
	if n := dbtest.Get[int](t, s.DB, `SELECT count(*) FROM config_plans WHERE origin = 'binom' AND jsonb_array_length(links) + jsonb_array_length(notes) = 2`); n != 1 {
		t.Errorf("%d plans have the link and the note that were sent, want 1", n)
	}
	e.Do("POST", "/config/plan", object{"document": "version: 1"}, "Prefer", "respond-async").Want(202, "")
	for path, code := range map[string]string{"/config/apply": "not_planned", "/config/undo": "not_applied"} {
		e.Do("POST", path, object{"plan_id": uuid.NewString()}).Want(404, "not_found")
		e.Do("POST", path, object{"plan_id": "x"}).Want(400, "invalid_id")
		e.Do("POST", path, object{"plan_id": addPlan(t, s, e.Account.ID, "making", "{}")}).Want(409, code)
		e.As(e.ReadKey).Do("POST", path, object{"plan_id": uuid.NewString()}).Want(403, "read_only_key")
	}
	refused := addPlan(t, s, e.Account.ID, "planned", `{"refused": 1, "create": 1}`)
	e.Do("POST", "/config/apply", object{"plan_id": refused}).Want(409, "has_refused")
	e.Do("POST", "/config/apply", object{"plan_id": refused, "skip_refused": true}, "Prefer", "respond-async").Want(202, "")
	e.Do("POST", "/config/apply", object{"plan_id": refused, "skip_refused": true}).Want(409, "not_planned")
	stopped := addPlan(t, s, e.Account.ID, "stopped", "{}")
	e.Do("POST", "/config/undo", object{"plan_id": stopped}, "Prefer", "respond-async").Want(202, "")
}

func TestHistoryRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	e := newEnv(t, s)
	yesterday, today := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly), time.Now().UTC().Format(time.DateOnly)
	good := object{"tracker": "redtrack", "key": "secret-of-the-tracker", "from": yesterday, "to": yesterday}
	e.Do("POST", "/config/history", good).Want(409, "not_imported")
	dbtest.Exec(t, s.DB, `INSERT INTO config_keys (account_id, kind, key, record_id) VALUES ($1, 'campaigns', 'redtrack.api.redtrack.io.1', $2)`,
		e.Account.ID, e.ids["campaign"])
	for _, c := range []struct {
		change object
		code   string
	}{
		{object{"tracker": "keitaro"}, "invalid_input"},
		{object{"key": nil}, "required"},
		{object{"key": strings.Repeat("x", 2001)}, "too_long"},
		{object{"to": today}, "bad_range"},
		{object{"from": "2020-01-01"}, "bad_range"},
		{object{"from": "yesterday"}, "bad_range"},
		{object{"timezone": "Nowhere/Town"}, "invalid_timezone"},
	} {
		body := maps.Clone(good)
		maps.Copy(body, c.change)
		e.Do("POST", "/config/history", body).Want(400, c.code)
	}
	e.Do("POST", "/config/history", good, "Prefer", "respond-async").Want(202, "")
	if n := dbtest.Get[int](t, s.DB, `SELECT count(*) FROM jobs WHERE kind = 'config:history' AND args::text NOT LIKE '%secret-of%'`); n != 1 {
		t.Errorf("%d jobs have sealed credentials, want 1", n)
	}
}

func TestImportRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	e := newEnv(t, s)
	good := object{"tracker": "keitaro", "url": "https://tracker.example", "key": "secret-of-the-tracker"}
	for _, c := range []struct {
		change object
		code   string
	}{
		{object{"tracker": "unheard"}, "invalid_input"},
		{object{"url": nil}, "required"},
		{object{"key": nil}, "required"},
		{object{"key": strings.Repeat("x", 2001)}, "too_long"},
		{object{"dump": "%"}, "invalid_input"},
		{object{"tracker": "binom", "dump": "eA=="}, "invalid_input"},
		{object{"tracker": "csv"}, "invalid_input"},
		{object{"tables": object{"offers": "name\n"}}, "invalid_input"},
		{object{"tracker": "csv", "tables": object{"ofers": "name\n"}}, "invalid_input"},
	} {
		body := maps.Clone(good)
		maps.Copy(body, c.change)
		e.Do("POST", "/config/import", body).Want(400, c.code)
	}
	e.Do("POST", "/config/import", good, "Prefer", "respond-async").Want(202, "")
	if n := dbtest.Get[int](t, s.DB, `SELECT count(*) FROM config_plans WHERE access IS NOT NULL AND strpos(encode(access, 'escape'), 'secret') = 0`); n != 1 {
		t.Errorf("%d imports have sealed credentials, want 1", n)
	}
	if n := dbtest.Get[int](t, s.DB, `SELECT count(*) FROM jobs WHERE args::text LIKE '%secret-of%'`); n != 0 {
		t.Error("a job has the tracker's key in its arguments")
	}
}

func TestConfigPlans(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	e := newEnv(t, s)
	id := addPlan(t, s, e.Account.ID, "planned", `{"create": 2, "same": 1}`)
	dbtest.Exec(t, s.DB, `INSERT INTO config_items (plan_id, account_id, position, kind, key, name, op, done)
		SELECT $1, $2, n, 'offers', 'o' || n, 'O', CASE n WHEN 1 THEN 'same' ELSE 'create' END, n = 0 FROM generate_series(0, 2) n`, id, e.Account.ID)
	var p struct {
		State      string
		Done, Work int
		Counts     map[string]int
	}
	e.Do("GET", "/config/plans/"+id, nil).Want(200, "").Into(&p)
	if p.State != "planned" || p.Done != 1 || p.Work != 2 || p.Counts["create"] != 2 {
		t.Errorf("want a plan with one of two records written: %+v", p)
	}
	var list struct{ Rows []struct{ State string } }
	if e.Do("GET", "/config/plans", nil).Want(200, "").Into(&list); len(list.Rows) != 2 || list.Rows[0].State != "planned" {
		t.Errorf("want two plans, the planned one first: %+v", list)
	}
	var items struct {
		Rows []struct{ Key string }
		Next *int
	}
	e.Do("GET", "/config/plans/"+id+"/items?op=create&limit=1", nil).Want(200, "").Into(&items)
	if len(items.Rows) != 1 || items.Rows[0].Key != "o0" || items.Next == nil || *items.Next != 2 {
		t.Errorf("want the first item, and 2 as the next position: %+v", items)
	}
	e.Do("GET", "/config/plans/"+id+"/items?op=create&position=2", nil).Want(200, "").Into(&items)
	if len(items.Rows) != 1 || items.Rows[0].Key != "o2" || items.Next != nil {
		t.Errorf("want only the third item: %+v", items)
	}
	e.Do("GET", "/config/plans/"+id+"/items?op=creat", nil).Want(400, "invalid_input")
	e.Do("GET", "/config/plans/"+uuid.NewString()+"/items", nil).Want(404, "not_found")
	e.Do("GET", "/config/plans/"+uuid.NewString(), nil).Want(404, "not_found")
}

package v1_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/api/v1"
	"switchyard/db/store"
	"switchyard/models"
)

// estate is an account with one record of every kind, by the name of the kind.
type estate struct {
	*apitest.Server
	ids map[string]string
}

// newEstate makes an account on the server and fills it.
func newEstate(t *testing.T, s *apitest.Server) estate {
	t.Helper()
	account, key, _ := s.NewAccount("scale")
	e := estate{s.In(t).As(key), map[string]string{}}
	e.Account = account
	name := "n-" + account.ID.String()[24:]
	e.make("network", "/networks", object{"name": name})
	e.make("source", "/traffic-sources", object{"name": name})
	e.make("lander", "/landers", object{"name": name, "url": "https://l.test"})
	e.make("offer", "/offers", object{"name": name, "url": "https://o.test", "network_id": e.ids["network"]})
	e.make("rule", "/rules", object{"name": name, "conditions": []object{germans}})
	e.make("flow", "/flows", object{"name": name, "paths": []object{e.path()}})
	e.make("template", "/network-templates", object{"name": name, "url": "https://n.test"})
	e.ids["domain"] = uuid.NewString()
	exec(t, e.Server, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, $3, true)`,
		e.ids["domain"], account.ID, name+".test")
	e.ids["dns account"] = e.Do("PUT", "/integrations", rfc2136(nil)).Want(http.StatusOK, "").Map()["id"].(string)
	e.ids["connection"] = signedIn(t, s, account.ID, models.GoogleAds, name).ID.String()
	e.make("alert channel", "/alerts/channels", channel("slack", object{"url": "https://hooks.slack.com/x"}))
	e.make("campaign", "/campaigns", e.campaign(name))
	e.make("smartlink", "/short-links", e.smartlink(name))
	e.makeSite(name)
	e.make("bot entry", "/bot-lists", botEntry("sub1", "equals", name))
	e.make("webhook", "/webhooks", object{"url": "https://hooks.example.com/x", "events": []string{"campaign.paused"}})
	e.Do("PATCH", "/campaigns/"+e.ids["campaign"], object{"status": "paused"}).Want(200, "")
	var log struct{ Rows []struct{ ID string } }
	e.Do("GET", "/webhooks/deliveries", nil).Want(200, "").Into(&log)
	e.ids["delivery"] = log.Rows[0].ID
	e.ids["stream"] = uuid.NewString()
	e.make("copilot rule", "/copilot/rules", with(copilotRule(), "campaign_ids", []string{e.ids["campaign"]}))
	e.ids["suggestion"] = suggest(t, e.Server, "k-"+name).String()
	return e
}

type object = map[string]any

var germans = object{"attribute": "country", "operator": "equals", "value": "DE"}

func (e estate) make(kind, path string, body object) {
	var made struct {
		ID   string
		Rows []struct{ ID string }
	}
	a := e.Do("POST", path, body)
	if a.Want(http.StatusCreated, "").Into(&made); made.ID == "" {
		made.ID = made.Rows[0].ID
	}
	e.ids[kind] = made.ID
}

// makeSite adds a site with its goals.
func (e estate) makeSite(name string) {
	var made struct{ Site struct{ ID string } }
	e.Do("POST", "/sites", object{"name": name, "seedGoals": true}).Want(http.StatusOK, "").Into(&made)
	e.ids["site"] = made.Site.ID
}

func (e estate) path() object {
	return object{
		"action": "lander", "destinations": []object{{"id": e.ids["lander"]}, {"id": e.ids["offer"]}},
		"rules": []object{{"name": "r", "rule_id": e.ids["rule"]}},
	}
}

func (e estate) campaign(name string) object {
	return object{
		"name": name, "alias": "alias-" + name, "domain_id": e.ids["domain"], "source_id": e.ids["source"],
		"streams": []object{e.path()},
	}
}

func (e estate) smartlink(name string) object {
	return object{
		"slug": "s-" + name, "name": name, "destination_url": "https://d.test", "domain_id": e.ids["domain"],
		"rules": []object{{"url": "https://r.test", "conditions": []object{germans}}},
	}
}

// bodies are bodies that the caller could send, by operation. The test puts another account's ids into them.
func (e estate) bodies() map[string]object {
	campaign := e.campaign("x")
	delete(campaign, "streams")
	offer := object{"name": "x", "url": "https://o.test"}
	flow := object{"name": "x", "paths": []object{e.path()}}
	rule := object{"name": "x", "notes": "", "logic": "and", "conditions": []object{germans}}
	toggle := object{"is_active": false}
	of := func(kind string, body object) object { return with(maps.Clone(body), "id", e.ids[kind]) }
	return map[string]object{
		"POST /campaigns": campaign, "PATCH /campaigns/{id}": {"notes": "x"},
		"PUT /campaigns/{id}/flow": {"streams": []object{e.path()}},
		"PATCH /campaigns/{id}/flow": {"path_id": e.ids["flow"], "weight": 1, "destinations": []object{
			{"id": e.ids["offer"], "weight": 1},
		}},
		"POST /flows": flow, "PUT /flows": of("flow", flow), "PATCH /flows": of("flow", toggle),
		"POST /rules": rule, "PUT /rules": of("rule", rule),
		"POST /offers": offer, "PUT /offers": of("offer", offer), "PATCH /offers": of("offer", toggle),
		"PUT /landers": of("lander", offer), "PATCH /landers": of("lander", toggle),
		"PUT /traffic-sources": of("source", object{"name": "x"}), "PATCH /traffic-sources": of("source", toggle),
		"POST /traffic-sources/{id}/integration": {},
		"PUT /traffic-sources/{id}/integration":  {"provider": "tiktok", "credentials": object{"access_token": "k"}},
		"PUT /networks/{id}/integration":         {"provider": "everflow", "credentials": object{"api_key": "k"}},
		"POST /networks/{id}/integration/sync":   {"from": "2026-11-01", "to": "2026-11-02"},
		"PUT /networks":                          of("network", object{"name": "x"}), "PATCH /networks": of("network", toggle),
		"POST /short-links": e.smartlink("x"), "PUT /short-links": of("smartlink", e.smartlink("x")),
		"PATCH /short-links": of("smartlink", toggle), "PATCH /domains": of("domain", object{"is_default": true}),
		"POST /domains":     {"domain": "dns.test"},
		"PUT /integrations": of("dns account", rfc2136(nil)), "POST /integrations/test": of("dns account", object{}),
		"PUT /goals": {"key": "signup", "siteId": e.ids["site"]}, "PUT /sites": of("site", object{"name": "x"}),
		"POST /bot-lists":               with(botEntry("sub1", "equals", "x"), "campaign_id", e.ids["campaign"]),
		"PATCH /alerts/channels":        of("alert channel", object{"name": "x"}),
		"POST /alerts/channels/test":    of("alert channel", object{}),
		"POST /alerts/channels/confirm": of("alert channel", object{"code": "1"}),
		"PATCH /webhooks":               of("webhook", object{"name": "x"}), "POST /webhooks/test": of("webhook", object{}),
		"POST /webhooks/rotate":                      of("webhook", object{}),
		"POST /webhooks/deliveries/redeliver-failed": {"webhook": e.ids["webhook"]},
		"POST /logs/postbacks/replay":                {"network": e.ids["network"]},
		"POST /webhooks/deliveries/redeliver":        of("delivery", object{}),
		"PATCH /copilot/rules":                       of("copilot rule", object{"name": "x"}),
		"POST /copilot":                              of("suggestion", object{"action": "snooze"}),
		"POST /tools/check-links":                    {"offer_id": e.ids["offer"]},
		"POST /tools/simulate":                       {"visitor": object{}},
		"POST /campaigns/{id}/test-click":            {},
		"POST /networks/{id}/test-postback":          {},
		"POST /traffic-sources/{id}/test-postback":   {},
		"POST /reports/exports":                      {"kind": "smartlink-clicks"},
	}
}

// inside are bodies with an id further down, by operation.
func (e estate) inside(id string) map[string][]object {
	paths := func(change func(path, first object)) []object {
		p, to := e.path(), object{"id": e.ids["lander"]}
		p["destinations"] = []object{to, {"id": e.ids["offer"]}}
		change(p, to)
		return []object{p}
	}
	flows := [][]object{
		paths(func(_, to object) { to["id"] = id }),
		paths(func(p, _ object) { p["rules"] = []object{{"name": "r", "rule_id": id}} }),
		paths(func(p, _ object) { p["action"], p["campaign_id"] = "campaign", id; delete(p, "destinations") }),
	}
	out := map[string][]object{}
	for _, paths := range flows {
		campaign := with(e.campaign("y"), "streams", paths)
		out["POST /campaigns"] = append(out["POST /campaigns"], campaign)
		out["PUT /campaigns/{id}/flow"] = append(out["PUT /campaigns/{id}/flow"], object{"streams": paths})
		out["POST /flows"] = append(out["POST /flows"], object{"name": "y", "paths": paths})
		out["PUT /flows"] = append(out["PUT /flows"], object{"id": e.ids["flow"], "name": "y", "paths": paths})
	}
	for _, ids := range []string{"campaign_ids", "source_ids"} {
		rule := with(copilotRule(), ids, []string{id})
		out["POST /copilot/rules"] = append(out["POST /copilot/rules"], rule)
		out["POST /copilot/rules/replay"] = append(out["POST /copilot/rules/replay"], rule)
		out["PATCH /copilot/rules"] = append(out["PATCH /copilot/rules"], object{"id": e.ids["copilot rule"], ids: []string{id}})
	}
	return out
}

// namesRecords are query parameters that name records although they are plain texts in the document.
var namesRecords = []string{
	"campaign", "source", "link", "totals_for", "f.campaign_id", "f.stream_id", "f.lander_id", "f.offer_id", "f.source_id",
}

// call is a request with a place for an id.
type call struct {
	method, path string
	body         object
}

// calls are the requests of a row that put an id into each of its places. Own ids fill the other places.
func (e estate) calls(t *testing.T, row route.Route, id string) []call {
	t.Helper()
	op := row.Method + " " + row.Path
	body := e.bodies()[op]
	own := ownPath(e, row)
	var out []call
	if strings.Contains(row.Path, "{id}") {
		out = append(out, call{row.Method, strings.ReplaceAll(row.Path, "{id}", id), body})
	}
	for _, q := range row.Query {
		if q.Type == "uuid" || slices.Contains(namesRecords, q.Name) {
			out = append(out, call{row.Method, own + "?" + q.Name + "=" + id, body})
		}
	}
	for _, field := range idFields(reflect.TypeOf(row.Body)) {
		if body == nil {
			t.Fatalf("%s takes an id as %s: give it a body above", op, field)
		}
		out = append(out, call{row.Method, own, with(maps.Clone(body), field, id)})
	}
	for _, b := range e.inside(id)[op] {
		out = append(out, call{row.Method, own, b})
	}
	return out
}

// ownPath names a record of the caller's in the path.
func ownPath(e estate, row route.Route) string {
	kind := map[string]string{"campaigns": "campaign", "short-links": "smartlink", "networks": "network", "traffic-sources": "source", "copilot": "copilot rule"}[strings.Split(row.Path, "/")[1]]
	return strings.NewReplacer("{id}", e.ids[kind], "{provider}", models.GoogleAds).Replace(row.Path)
}

// idFields are the members of a body that hold an id.
func idFields(typ reflect.Type) []string {
	if typ == nil || typ.Kind() != reflect.Struct {
		return nil
	}
	var out []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			out = append(out, idFields(f.Type)...)
		case f.Type == reflect.TypeFor[uuid.UUID]() || f.Type == reflect.TypeFor[bind.Opt[uuid.UUID]](),
			f.Tag.Get("format") == "uuid", name == "id" || name == "link":
			out = append(out, name)
		}
	}
	return out
}

// TestForeignIDs: whatever the operation, and whether in the path, in the query or in the body, another account's id is
// answered like one that nobody has, byte for byte, and nothing of the other account changes.
func TestForeignIDs(t *testing.T) { //nolint:tparallel // the group's parts are parallel, what follows needs them ended
	t.Parallel()
	s := apitest.New(t)
	if err := store.EnsureSharedDomains(t.Context(), s.DB, []string{"localhost"}); err != nil {
		t.Fatal(err)
	}
	victim := newEstate(t, s)
	victim.ids["click"] = models.FormatClickID(newTraffic(t, victim.Server, 30, 2).visits[0].ID)
	before := footprint(t, victim)
	t.Run("all", func(t *testing.T) { // ends when all of its parts have
		const callers = 4 // because calls of a minute are limited
		for n := range callers {
			t.Run(strconv.Itoa(n), func(t *testing.T) {
				t.Parallel()
				e := newEstate(t, s.In(t))
				for i, row := range v1.Routes(v1.Deps{}) {
					if i%callers == n {
						t.Run(row.Method+row.Path, func(t *testing.T) {
							estate{e.In(t), e.ids}.asksFor(t, victim, row.WithDefaults())
						})
					}
				}
			})
		}
	})
	for table, sum := range footprint(t, victim) {
		if before[table] != sum {
			t.Errorf("rows of %s changed", table)
		}
	}
}

// asksFor puts each of the victim's ids into each place that the row has for one.
func (e estate) asksFor(t *testing.T, victim estate, row route.Route) {
	t.Helper()
	if strings.Contains(row.Path, "{clickId}") {
		path := strings.ReplaceAll(row.Path, "{clickId}", "")
		nobody := models.FormatClickID(models.NewClickID())
		foreign, id := call{row.Method, path + victim.ids["click"], nil}, victim.ids["click"]
		alike(t, foreign, e.do(foreign), id, e.do(call{row.Method, path + nobody, nil}), nobody)
	}
	nobody := uuid.NewString()
	for i, random := range e.calls(t, row, nobody) {
		want := e.do(random)
		for kind, id := range victim.ids {
			if kind == "click" {
				continue
			}
			foreign := e.calls(t, row, id)[i]
			got := e.do(foreign)
			if differ(got, id, want, nobody) {
				want = e.do(random) // the answer may have changed because time has passed
			}
			alike(t, foreign, got, id, want, nobody)
		}
	}
}

// alike fails unless another account's id got the same answer as an id that nobody has, but for the ids themselves.
func alike(t *testing.T, foreign call, got apitest.Answer, id string, want apitest.Answer, nobody string) {
	t.Helper()
	if differ(got, id, want, nobody) {
		text, _ := json.Marshal(foreign.body)
		t.Errorf("%s %s %s\nanother's: %d %.300s\nnobody's:  %d %.300s", foreign.method, foreign.path, text, got.Status, got.Raw,
			want.Status, want.Raw)
	}
	if got.Status == http.StatusTooManyRequests {
		t.Errorf("%s %s: the limit hides the answer", foreign.method, foreign.path)
	}
}

// differ compares two answers but for the ids themselves.
func differ(got apitest.Answer, id string, want apitest.Answer, nobody string) bool {
	return got.Status != want.Status ||
		strings.ReplaceAll(string(got.Raw), id, "ID") != strings.ReplaceAll(string(want.Raw), nobody, "ID")
}

// do makes the call as the estate's account.
func (e estate) do(c call) apitest.Answer {
	if c.body == nil { // a nil object would be sent as null
		return e.Do(c.method, c.path, nil)
	}
	return e.Do(c.method, c.path, c.body)
}

// footprint sums up the account's rows of every table that has accounts.
func footprint(t *testing.T, e estate) map[string]string {
	t.Helper()
	var tables []string
	err := e.DB.SelectContext(t.Context(), &tables, `SELECT table_name FROM information_schema.columns
		WHERE column_name = 'account_id' AND table_schema = 'public' AND table_name NOT IN ('api_keys', 'idempotency_keys')`)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, table := range tables {
		var sum string
		err := e.DB.GetContext(t.Context(), &sum, fmt.Sprintf(`SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, '|'
			ORDER BY r::text)), '') FROM %q r WHERE account_id = $1`, table), e.Account.ID)
		if err != nil {
			t.Fatal(err)
		}
		out[table] = sum
	}
	return out
}

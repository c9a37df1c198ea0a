package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/copilot"
)

// TestMCPChange proposes, applies and undoes a change, and then changes records without a proposal.
func TestMCPChange(t *testing.T) {
	t.Parallel()
	x := newMCP(t)
	a := connectMCP(t, x.Server, "")
	campaign := x.ids["campaign"]
	paths := rows(a.must("get_campaign", object{"id": campaign}), "paths")
	two := x.Do("POST", "/campaigns", object{"name": "Two paths", "alias": "two-paths-1", "streams": []object{
		{"name": "A", "weight": 50, "action": "offer", "destinations": []object{{"id": x.ids["offer"]}}},
		{"name": "B", "weight": 50, "action": "offer", "destinations": []object{{"id": x.ids["offer"]}}},
	}, "flow_rotation": "weight"}).Want(http.StatusCreated, "").Map()["id"].(string)
	arms := rows(a.must("get_campaign", object{"id": two}), "paths")
	weights := object{"reason": "A earns more", "op": "set_weights", "campaign_id": two, "weights": []object{{"id": arms[0]["id"], "weight": 80}}}
	early := a.must("propose_change", weights)
	if early["state"] != "too_early" || early["proposal_id"] != nil || dbtest.Get[int](t, x.DB, `SELECT count(*) FROM copilot_proposals`) != 0 {
		t.Fatalf("a proposal without enough clicks is answered with %v, want too_early and no proposal", early)
	}
	paused := object{"kind": "path", "campaign_id": two, "id": arms[0]["id"], "active": false}
	if _, failure := a.use("set_active", paused); !strings.HasPrefix(failure, copilot.TooEarly) {
		t.Errorf("a path is paused below the minimum sample: %q", failure)
	}
	weights["insist"] = true
	proposed := a.must("propose_change", weights)
	if proposed["state"] != "proposed" || proposed["before"] == nil || proposed["after"] == nil {
		t.Fatalf("the proposal is %v, want the state proposed with the weights before and after", proposed)
	}
	if got := rows(a.must("get_campaign", object{"id": two}), "paths")[0]["weight"]; got != "50" {
		t.Errorf("a proposal has set the weight to %v", got)
	}
	id := object{"proposal_id": proposed["proposal_id"]}
	done := a.must("apply_proposal", id)
	if got := rows(a.must("get_campaign", object{"id": two}), "paths")[0]["weight"]; got != "80" {
		t.Errorf("the applied proposal has set the weight to %v", got)
	}
	if again := a.must("apply_proposal", id); again["change_id"] != done["change_id"] {
		t.Errorf("the second application is answered with %v, want the change of the first: %v", again, done)
	}
	if undone := a.must("undo_change", object{"change_id": done["change_id"]}); undone["status"] != "undone" {
		t.Errorf("the undo is answered with %v, want the status undone", undone)
	}
	if undone := a.must("undo_change", object{"change_id": done["change_id"]}); undone["status"] != "undone" {
		t.Errorf("the second undo is answered with %v, want the status undone", undone)
	}
	if got := rows(a.must("get_campaign", object{"id": two}), "paths")[0]["weight"]; got != "50" {
		t.Errorf("after the undo the weight is %v, want 50", got)
	}
	for tool, n := range map[string]int{"propose_change": 1, "apply_proposal": 1, "undo_change": 1} {
		if got := dbtest.Get[int](t, x.DB, `SELECT count(*) FROM audit WHERE via = 'mcp' AND client = 'Test Client' AND tool = $1`, tool); got != n {
			t.Errorf("%d entries of %s in the audit log, want %d", got, tool, n)
		}
	}
	x.namesProgram(t, two, "copilot mcp Test Client")
	x.changeDirectly(t, a, paths)
}

func (x *exampleEnv) changeDirectly(t *testing.T, a *assistantEnv, paths []object) {
	t.Helper()
	offer := object{"kind": "offer", "id": x.ids["offer"], "active": false}
	a.must("set_active", offer)
	offer["active"] = true
	if _, failure := a.use("set_active", offer); !strings.HasPrefix(failure, "cooling_down") {
		t.Errorf("a second change within an hour is answered with %q, want cooling_down", failure)
	}
	x.Do("PATCH", "/offers", object{"id": x.ids["offer"], "is_active": true}).Want(200, "") // not by an assistant, so it is allowed
	a.must("set_active", object{"kind": "path", "campaign_id": x.ids["campaign"], "id": paths[0]["id"], "active": false})
	for kind, name := range map[string]string{"campaign": "campaign", "lander": "lander", "source": "source", "network": "network", "smartlink": "smartlink"} {
		if got := a.must("set_active", object{"kind": kind, "id": x.ids[name], "active": true}); got["active"] != true {
			t.Errorf("setting the %s active is answered with %v", kind, got)
		}
	}
	x.namesProgram(t, x.ids["campaign"], "key mcp Test Client")
	campaigns := dbtest.Get[int](t, x.DB, `SELECT count(*) FROM campaigns`)
	copies := object{"campaign_id": x.ids["campaign"], "names": []string{"Shoes AT", "Shoes CH"}, "countries": []string{"AT", "CH"}}
	if dry := a.must("create_campaign_from", copies); dry["dry_run"] != true || len(rows(dry, "campaigns")) != 2 {
		t.Errorf("the dry run of the copies is answered with %v, want 2 campaigns", dry)
	}
	if n := dbtest.Get[int](t, x.DB, `SELECT count(*) FROM campaigns`); n != campaigns {
		t.Errorf("a dry run made %d campaigns", n-campaigns)
	}
	copies["dry_run"] = false
	made, again := rows(a.must("create_campaign_from", copies), "campaigns"), rows(a.must("create_campaign_from", copies), "campaigns")
	for i, c := range made {
		got := x.Do("GET", "/campaigns/"+fmt.Sprint(c["id"]), nil).Want(200, "").Map()["campaign"].(object)
		if got["status"] != "paused" || got["name"] != copies["names"].([]string)[i] || got["country"] != copies["countries"].([]string)[i] || again[i]["id"] != c["id"] {
			t.Errorf("the copy is %v, the repeated call gives %v, stored is %v; want one paused campaign", c, again[i], got)
		}
	}
	note := a.must("add_note", object{"text": "Paused path A", "campaign_id": x.ids["campaign"]})
	if text := dbtest.Get[string](t, x.DB, `SELECT text FROM notes WHERE id = $1`, note["id"]); text != "Paused path A" {
		t.Errorf("the stored note is %q, want Paused path A", text)
	}
	x.correctByTools(t, a)
	used := dbtest.Get[int](t, x.DB, `SELECT used FROM assistant_uses u JOIN api_keys k ON k.id = u.subject WHERE k.name = 'full' AND u.account_id = $1`, x.Account.ID)
	x.Do("PATCH", "/settings", object{"assistant_changes": used + 1}).Want(200, "")
	a.must("add_note", object{"text": "The last one"})
	if _, failure := a.use("add_note", object{"text": "One more"}); !strings.HasPrefix(failure, "changes_used") {
		t.Errorf("a change beyond the daily number of changes is answered with %q, want changes_used", failure)
	}
	if _, failure := a.use("add_note", object{"text": "x", "campaign_id": uuid.NewString()}); !strings.HasPrefix(failure, "changes_used") {
		t.Errorf("a wrong change beyond the daily number of changes is answered with %q, want changes_used", failure)
	}
}

func (x *exampleEnv) namesProgram(t *testing.T, campaign any, want string) {
	t.Helper()
	path := fmt.Sprint("/campaigns/", campaign)
	x.Do("PATCH", path, object{"notes": "seen"}).Want(200, "")
	var got []string
	for _, c := range x.Do("GET", path+"/changes", nil).Want(200, "").Map()["rows"].([]any) {
		c := c.(object)
		got = append(got, fmt.Sprint(c["by"], " ", c["via"], " ", c["client"]))
	}
	if got[0] != "key  " || !slices.Contains(got, want) {
		t.Errorf("the authors of the changes, newest first, are %q", got)
	}
}

func (x *exampleEnv) correctByTools(t *testing.T, a *assistantEnv) {
	t.Helper()
	yesterday := x.today.AddDate(0, 0, -1).Format(time.DateOnly)
	cost := object{"from": yesterday, "to": yesterday, "campaign_id": x.ids["second campaign"], "amount": 7.5}
	if cost["campaign_id"] == "" {
		cost["campaign_id"] = x.ids["campaign"]
	}
	sum := func() string {
		return dbtest.Get[string](t, x.DB, `SELECT count(*) || ' ' || coalesce(sum(cost), 0) FROM clicks`) +
			dbtest.Get[string](t, x.DB, `SELECT count(*) || ' ' || coalesce(sum(payout), 0) FROM conversions`)
	}
	before := sum()
	if dry := a.must("record_cost", cost); dry["dry_run"] != true {
		t.Errorf("the dry run of the cost is answered with %v, want dry_run", dry)
	}
	conversion := object{"click_id": x.ids["click"], "status": "approved", "payout": 3, "conversion_id": "by-tool-1"}
	if dry := a.must("correct_conversion", conversion); dry["dry_run"] != true || dry["accepted"] != "1" {
		t.Errorf("the dry run of the conversion is answered with %v, want it accepted", dry)
	}
	if after := sum(); after != before {
		t.Errorf("dry runs changed %s to %s", before, after)
	}
	conversion["dry_run"] = false
	if got := a.must("correct_conversion", conversion); got["dry_run"] != false || got["accepted"] != "1" {
		t.Errorf("the correction is answered with %v, want it applied", got)
	}
	if n := dbtest.Get[int](t, x.DB, `SELECT count(*) FROM conversions WHERE conversion_id = 'by-tool-1'`); n != 1 {
		t.Errorf("%d conversions are recorded, want 1", n)
	}
	test := a.must("request_test_postback", object{"network_id": x.ids["network"], "payout": "1.5"})
	if address := fmt.Sprint(test["address"]); !strings.Contains(address, "/postback/"+x.ids["network"]) || strings.Contains(address, "k7-Kx2q") || len(rows(test, "steps")) == 0 {
		t.Errorf("the test postback is %v, want the address of the network without its secret, and steps", test)
	}
}

// TestMCPForeign: the ids of another account's records are answered like ids that do not exist.
func TestMCPForeign(t *testing.T) {
	t.Parallel()
	x := newMCP(t)
	account, key, _ := x.NewAccount("scale")
	other := connectMCP(t, x.As(key), "")
	before := x.setUp()
	foreign := map[string]bool{}
	for _, id := range x.ids {
		foreign[id] = true
	}
	names := map[string]string{
		"campaign_id": "campaign", "path_id": "path", "offer_id": "offer", "network_id": "network", "source_id": "source", "from_id": "offer", "to_id": "next offer",
		"click_id": "click", "change_id": "campaign", "proposal_id": "campaign", "id": "campaign",
	}
	for _, listed := range other.tools() {
		schema := listed.InputSchema.(map[string]any)
		properties := schema["properties"].(map[string]any)
		fill := func(of func(string) any) object {
			arguments := object{}
			for name, p := range properties {
				p := p.(map[string]any)
				switch enum, _ := p["enum"].([]any); {
				case names[name] != "":
					arguments[name] = of(name)
				case len(enum) > 0:
					arguments[name] = enum[0]
				case !slices.Contains(requiredIn(schema), name):
				case p["type"] == "array":
					arguments[name] = []string{"x"}
				case p["type"] == "boolean":
					arguments[name] = true
				default:
					arguments[name] = "2026-03-01"
				}
			}
			return arguments
		}
		theirs, failure := other.use(listed.Name, fill(func(name string) any { return x.ids[names[name]] }))
		_, missing := other.use(listed.Name, fill(func(name string) any {
			if name == "click_id" {
				return models.FormatClickID(models.NewClickID())
			}
			return uuid.NewString()
		}))
		if failure != missing {
			t.Errorf("%s: another account's id is answered with %q, an id that does not exist with %q", listed.Name, failure, missing)
		}
		if raw, _ := json.Marshal(theirs); strings.Contains(string(raw), "Shoes") || strings.Contains(string(raw), "Sneakers") {
			t.Errorf("%s shows another account: %s", listed.Name, raw)
		}
	}
	if after := x.setUp(); after != before {
		t.Errorf("another account's key has changed rows:\n%s\n%s", before, after)
	}
	_ = account
}

func requiredIn(schema map[string]any) (out []string) {
	list, _ := schema["required"].([]any)
	for _, name := range list {
		out = append(out, name.(string))
	}
	return out
}

// TestMCPHostile: names and sub-parameters contain orders to the model, and arguments are made at random. Nothing changes, nothing
// of another account is shown, and no order is in an instruction or an error.
func TestMCPHostile(t *testing.T) {
	t.Parallel()
	x := newExampleEnv(t, day(time.Now()))
	_, foreignKey, _ := x.NewAccount("scale")
	foreign := x.As(foreignKey).Do("POST", "/campaigns", object{"name": "foreign-Kp7", "alias": "foreign-kp7", "destination_url": "https://kp7.example/"}).
		Want(http.StatusCreated, "").Map()["id"].(string)
	var own []any
	for i, order := range orders {
		made := x.Do("POST", "/campaigns", object{
			"name": fmt.Sprintf("%d %s", i, order), "alias": fmt.Sprintf("hostile-%02d", i), "destination_url": "https://shop.example/",
		}).Want(http.StatusCreated, "").Map()
		own = append(own, made["id"])
		id, _ := models.ParseID(made["id"].(string))
		c := &models.Click{ID: models.FloorClickID(time.Now().Add(-time.Minute)), AccountID: x.Account.ID, CampaignID: id, Domain: "x.example"}
		c.ID[15] = byte(i + 1)
		c.Subs[0], c.Params, c.Referrer, c.UserAgent = order, "key=canary-query", "https://r.example/?"+order, "canary-agent "+order
		put(x.t, x.spool, spool.Record{Click: c})
	}
	x.ingest()
	a := connectMCP(t, x.Server, "")
	x.hostileTexts(t, a)
	seen := 0
	for _, arguments := range []object{{"dimension": "sub1", "limit": 100}, {"dimension": "campaign_id", "limit": 100}} {
		report := a.must("run_report", arguments)
		raw, _ := json.Marshal(report)
		for _, order := range orders {
			text, _ := json.Marshal(order)
			if strings.Contains(string(raw), strings.Trim(string(text), `"`)) {
				seen++
			}
		}
		checkSecrets(t, x.Server, string(raw))
	}
	if seen < len(orders) {
		t.Errorf("only %d of the orders to the model are data in reports", seen)
	}
	before := x.allTables()
	x.fuzz(t, a, foreign, own)
	for table, sum := range x.allTables() {
		if before[table] != sum && table != "assistant_uses" { // a refused change leaves a count of 0
			t.Errorf("%s has changed: %s, before %s", table, sum, before[table])
		}
	}
}

func (x *exampleEnv) fuzz(t *testing.T, a *assistantEnv, foreign string, own []any) {
	t.Helper()
	values := append([]any{foreign, "", nil, true, 3, -1, 1e300, []any{}, object{}, "../settings", "' OR 1=1 --", strings.Repeat("x", 600), "2026-02-30", "\u0000", "ip"}, own[0], own[1])
	for _, order := range orders[:20] {
		values = append(values, order)
	}
	source := rand.New(rand.NewPCG(41, 1))
	tools, answered := a.tools(), 0
	for range 200 {
		listed := tools[source.IntN(len(tools))]
		arguments := object{}
		properties := listed.InputSchema.(map[string]any)["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) { // sorted, so that each run makes the same arguments
			enum, _ := properties[name].(map[string]any)["enum"].([]any)
			switch {
			case name == "dry_run" || name == "insist" || source.IntN(3) == 0:
			case len(enum) > 0 && listed.Annotations.ReadOnlyHint && source.IntN(4) > 0:
				arguments[name] = enum[source.IntN(len(enum))]
			default:
				arguments[name] = values[source.IntN(len(values))]
			}
		}
		if listed.Name == "set_active" || listed.Name == "add_note" || listed.Name == "undo_change" || listed.Name == "apply_proposal" {
			for name := range arguments { // an invalid argument, because valid calls of set_active and add_note change something
				if slices.Contains([]string{"active", "text"}, name) {
					arguments[name] = object{}
				}
			}
		}
		answer, failure := a.use(listed.Name, arguments)
		raw, _ := json.Marshal(answer)
		checkSecrets(t, x.Server, string(raw)+failure)
		if failure == "" {
			answered++
		}
		if strings.Contains(failure, "failed on our side") || strings.Contains(failure, "internal_error") {
			t.Errorf("%s %v: %s", listed.Name, arguments, failure)
		}
		for _, order := range orders {
			if len(order) > 12 && strings.Contains(order, " ") && strings.Contains(failure, order) {
				t.Errorf("%s: an order to the model is in an error: %s", listed.Name, failure)
			}
		}
	}
	t.Logf("%d of 200 calls were answered", answered)
	if answered < 10 {
		t.Error("hardly a call passes the checks of arguments")
	}
}

func (x *exampleEnv) hostileTexts(t *testing.T, a *assistantEnv) {
	t.Helper()
	prompts, err := a.ListPrompts(t.Context(), &sdk.ListPromptsParams{})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(object{"tools": a.tools(), "prompts": prompts, "start": a.InitializeResult()})
	for _, order := range orders {
		text, _ := json.Marshal(order)
		if s := strings.Trim(string(text), `"`); len(s) > 12 && strings.Contains(string(raw), s) {
			t.Errorf("an order to the model is among the instructions: %s", order)
		}
	}
}

func checkSecrets(t *testing.T, s *apitest.Server, text string) {
	t.Helper()
	for _, secret := range []string{"foreign-Kp7", "kp7.example", "canary-query", "canary-agent", s.Key, s.ReadKey} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in an answer: %.500s", secret, text)
		}
	}
}

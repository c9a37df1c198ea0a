package v1_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"switchyard/api/apitest"
	"switchyard/api/v1"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/netguard/netguardtest"
)

func source(name string) map[string]any { return map[string]any{"name": name} }

func TestSourceRoundTrip(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	made := s.Do("POST", "/traffic-sources", `{"name": " Push ", "token_macros": {"zone": "{zoneid}", "ad": "${AD}&<",
		" zone ": "[zone]", "b": ""}, "cost_param": "cost", "cost_model": "cpm", "postback_url": "https://s.example/?e={external_id}",
		"external_id_param": "cid", "notes": "n", "traffic_loss_pct": 99.99, "group_name": "G", "tags": ["a", "A"],
		"cost_macro": "${COST}", "platform": "propellerads", "postback_method": "post", "postback_statuses": ["rejected"],
		"postback_goals": [{"goal": " Deposit ", "url": "https://s.example/d"}, {"statuses": []}], "send_payout_pct": 80.5}`).
		Want(201, "").Map()
	same(t, made, map[string]any{
		"name": "Push", "cost_param": "cost", "cost_model": "cpm", "external_id_param": "cid",
		"postback_url": "https://s.example/?e={external_id}", "notes": "n", "traffic_loss_pct": 99.99, "group_name": "G",
		"tags": "[a]", "cost_macro": "${COST}", "platform": "propellerads", "status": "active", "postback_method": "POST",
		"postback_statuses": "[rejected]", "send_payout_pct": 80.5,
		"postback_goals": "[map[goal:Deposit statuses:[approved] url:https://s.example/d] map[goal: statuses:[] url:]]",
	})
	id := made["id"]

	// The redirect reads the macros in the order in which they were sent.
	list, err := store.RoutingVersions(t.Context(), s.DB)
	if err != nil {
		t.Fatal(err)
	}
	var keys []store.RoutingKey
	for _, v := range list {
		keys = append(keys, v.RoutingKey)
	}
	routing, err := store.LoadRouting(t.Context(), s.DB, keys)
	if err != nil {
		t.Fatal(err)
	}
	sources := store.RoutingRows[*store.RoutingSource](routing)
	if len(sources) != 1 {
		t.Fatalf("%d sources are stored, want 1", len(sources))
	}
	var macros models.TokenMacros
	if err := macros.UnmarshalJSON(sources[0].TokenMacros); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(macros); got != "[{zone [zone]} {ad ${AD}&<} {b }]" {
		t.Errorf("the redirect reads the macros %s, want the order in which they were sent", got)
	}
	raw := string(s.Do("GET", "/traffic-sources", nil).Want(200, "").Data)
	if !strings.Contains(strings.ReplaceAll(raw, " ", ""), `"token_macros":{"zone":"[zone]","ad":"${AD}`) {
		t.Errorf("the list does not keep the order of the macros: %s", raw)
	}

	put := s.Do("PUT", "/traffic-sources", with(source("Pop"), "id", id)).Want(200, "").Map()
	if len(put) != 1 || put["id"] != id {
		t.Errorf("PUT answers %v, want only the id", put)
	}
	same(t, rowOf(t, s, "/traffic-sources", id), map[string]any{
		"name": "Pop", "token_macros": "map[]", "cost_param": "",
		"cost_model": "cpc", "postback_url": "", "external_id_param": "", "notes": "", "traffic_loss_pct": 0,
		"group_name": "", "tags": "[]", "cost_macro": "", "platform": "", "status": "active", "clicks": 0,
		"postback_method": "GET", "postback_statuses": "[approved]", "postback_goals": "[]", "send_payout_pct": 100,
	})

	paused := s.Do("PATCH", "/traffic-sources", map[string]any{"id": id, "is_active": false}).Want(200, "").Map()
	same(t, paused, map[string]any{"id": id, "status": "paused"})
	s.Do("PUT", "/traffic-sources", with(source("Pop"), "id", id)).Want(200, "")
	same(t, rowOf(t, s, "/traffic-sources", id), map[string]any{"status": "paused"})
	s.Do("PATCH", "/traffic-sources", map[string]any{"id": id, "is_active": true}).Want(200, "")
	same(t, rowOf(t, s, "/traffic-sources", id), map[string]any{"status": "active"})

	deactivated := s.Do("DELETE", fmt.Sprintf("/traffic-sources?id=%v", id), nil).Want(200, "").Map()
	same(t, deactivated, map[string]any{"id": id, "deactivated": true})
	s.Do("PATCH", "/traffic-sources", map[string]any{"id": id, "is_active": false}).Want(404, "not_found")
	s.Do("POST", "/traffic-sources", source("pop")).Want(201, "")
	s.Do("PATCH", "/traffic-sources", map[string]any{"id": id, "is_active": true}).Want(409, "duplicate_name")
}

func TestSourceDrops(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for i, c := range []struct {
		field string
		sent  any
		saved string
	}{
		{"cost_macro", "##COST_CPC##", "##COST_CPC##"},
		{"cost_macro", " {:cost} ", "{:cost}"},
		{"cost_macro", strings.Repeat("x", 64), strings.Repeat("x", 64)},
		{"cost_macro", strings.Repeat("x", 65), ""},
		{"cost_macro", "{co st}", ""},
		{"cost_macro", "<cost>", ""},
		{"cost_macro", 5, ""},
		{"cost_macro", nil, ""},
		{"platform", "meta", "meta"},
		{"platform", "Meta", ""},
		{"platform", "nobody", ""},
		{"platform", []any{}, ""},
	} {
		made := s.Do("POST", "/traffic-sources", with(source(fmt.Sprint("s", i)), c.field, c.sent)).Want(201, "").Map()
		if made[c.field] != c.saved {
			t.Errorf("%s %v is saved as %v, want %q", c.field, c.sent, made[c.field], c.saved)
		}
	}
}

func TestSourceErrors(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := s.Do("POST", "/traffic-sources", source("Taken")).Want(201, "").Map()["id"]
	other := s.Do("POST", "/traffic-sources", source("Other")).Want(201, "").Map()["id"]
	s.Do("PUT", "/traffic-sources", with(source("TAKEN"), "id", other)).Want(409, "duplicate_name")
	refusedIDs(t, s, "/traffic-sources", source)
	for _, bad := range []any{"true", 1, nil} {
		s.Do("PATCH", "/traffic-sources", map[string]any{"id": id, "is_active": bad}).Want(400, "invalid_status")
	}
	s.Do("PATCH", "/traffic-sources", map[string]any{"id": id}).Want(400, "invalid_status")
	goals := func(list ...any) map[string]any { return with(source("x"), "postback_goals", list) }
	subs := func(list ...any) map[string]any { return with(source("x"), "subs", list) }
	macros := func(m any) map[string]any { return with(source("x"), "token_macros", m) }
	longMacros := map[string]string{}
	for i := range 40 {
		longMacros[fmt.Sprint("p", i)] = strings.Repeat("x", 100)
	}
	many := map[string]string{}
	for i := range 51 {
		many[fmt.Sprint("p", i)] = "x"
	}
	refused(t, s, "/traffic-sources", id, map[string]refusal{
		"not json":            {`{`, 400, "bad_body"},
		"array":               {`[]`, 400, "bad_body"},
		"no name":             {map[string]any{}, 400, "required"},
		"long name":           {source(strings.Repeat("x", 256)), 400, "too_long"},
		"long param":          {with(source("x"), "cost_param", strings.Repeat("x", 101)), 400, "too_long"},
		"long external":       {with(source("x"), "external_id_param", strings.Repeat("x", 101)), 400, "too_long"},
		"long macro":          {with(source("x"), "external_id_macro", strings.Repeat("x", 65)), 400, "too_long"},
		"not a macro":         {with(source("x"), "external_id_macro", "{id}&x=1"), 400, "invalid_value"},
		"long link":           {macros(longMacros), 400, "too_long"},
		"long notes":          {with(source("x"), "notes", strings.Repeat("x", 2001)), 400, "too_long"},
		"long group":          {with(source("x"), "group_name", strings.Repeat("x", 256)), 400, "too_long"},
		"postback":            {with(source("x"), "postback_url", "ftp://x.example"), 400, "invalid_url"},
		"method":              {with(source("x"), "postback_method", "PUT"), 400, "invalid_value"},
		"status":              {with(source("x"), "postback_statuses", []string{"sale"}), 400, "invalid_value"},
		"payout share":        {with(source("x"), "send_payout_pct", 100.5), 400, "out_of_range"},
		"goals":               {goals("lead"), 400, "invalid_input"},
		"goal twice":          {goals(map[string]any{"goal": "lead"}, map[string]any{"goal": "LEAD"}), 400, "invalid_input"},
		"goal status":         {goals(map[string]any{"statuses": []string{"sale"}}), 400, "invalid_value"},
		"goal key":            {goals(map[string]any{"gaol": "x"}), 400, "invalid_input"},
		"goal long":           {goals(map[string]any{"goal": strings.Repeat("x", 65)}), 400, "too_long"},
		"goals many":          {goals(make([]any, 21)...), 400, "invalid_input"},
		"loss type":           {with(source("x"), "traffic_loss_pct", "5"), 400, "invalid_number"},
		"loss high":           {with(source("x"), "traffic_loss_pct", 99.995), 400, "out_of_range"},
		"loss low":            {with(source("x"), "traffic_loss_pct", -0.01), 400, "out_of_range"},
		"cost model":          {with(source("x"), "cost_model", "revshare"), 400, "invalid_value"},
		"cost model type":     {with(source("x"), "cost_model", 1), 400, "invalid_value"},
		"macros list":         {macros([]string{"a"}), 400, "invalid_input"},
		"macros text":         {macros("a"), 400, "invalid_input"},
		"macros number":       {macros(map[string]any{"a": 1}), 400, "invalid_input"},
		"macros object":       {macros(map[string]any{"a": map[string]any{}}), 400, "invalid_input"},
		"macros null":         {macros(map[string]any{"a": nil}), 400, "invalid_input"},
		"macros no name":      {macros(map[string]any{" ": "x"}), 400, "invalid_input"},
		"macros many":         {macros(many), 400, "invalid_input"},
		"macros name":         {macros(map[string]any{strings.Repeat("x", 101): "x"}), 400, "too_long"},
		"macros value":        {macros(map[string]any{"x": strings.Repeat("x", 256)}), 400, "too_long"},
		"sub zero":            {subs(object{"sub": 0, "param": "a"}), 400, "out_of_range"},
		"sub high":            {subs(object{"sub": 31, "param": "a"}), 400, "out_of_range"},
		"sub missing":         {subs(object{"param": "a"}), 400, "required"},
		"sub no param":        {subs(object{"sub": 1, "param": " "}), 400, "required"},
		"sub long name":       {subs(object{"sub": 1, "param": "a", "name": strings.Repeat("x", 101)}), 400, "too_long"},
		"sub twice":           {subs(object{"sub": 1, "param": "a"}, object{"sub": 1, "param": "b"}), 400, "invalid_value"},
		"name of another sub": {subs(object{"sub": 1, "param": "sub3"}), 400, "invalid_value"},
		"sub type":            {subs("zone"), 400, "invalid_input"},
		"tags":                {with(source("x"), "tags", manyTags(21)), 400, "invalid_input"},
		"same name":           {source("TAKEN"), 409, "duplicate_name"},
		"nulls":               {map[string]any{"name": "null", "token_macros": nil, "traffic_loss_pct": nil}, 201, ""},
	})
}

// Active traffic sources and networks share one allowance.
func TestIntegrationsAllowance(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"}) // the plan allows 50
	for table, n := range map[string]int{"traffic_sources": 20, "networks": 25} {
		_, err := s.DB.ExecContext(t.Context(), `INSERT INTO `+table+` (id, account_id, name)
			SELECT gen_random_uuid(), $1, 'r' || n FROM generate_series(1, $2) n`, s.Account.ID, n)
		if err != nil {
			t.Fatal(err)
		}
	}
	// Twelve calls at once, of both kinds, compete for the last five places.
	paths := []string{"/traffic-sources", "/networks"}
	answers := make(chan apitest.Answer, 12)
	for i := range 12 {
		go func() { answers <- s.Do("POST", paths[i%2], source(fmt.Sprint("race ", i))) }()
	}
	count := map[int]int{}
	for range 12 {
		a := <-answers
		count[a.Status]++
	}
	if count[http.StatusCreated] != 5 || count[http.StatusPaymentRequired] != 7 {
		t.Fatalf("number of answers by status: %v, want five 201 and seven 402", count)
	}
	for _, path := range paths {
		id := s.Do("GET", path, nil).Want(200, "").Map()["rows"].([]any)[0].(map[string]any)["id"]
		setActive := func(on bool) apitest.Answer {
			return s.Do("PATCH", path, map[string]any{"id": id, "is_active": on})
		}
		s.Do("POST", path, source("more")).Want(402, "plan_limit")
		file := map[string]string{
			"/traffic-sources": `{"kind": "traffic_source", "version": 1, "template": {"name": "more"}}`,
			"/networks":        `{"kind": "network", "version": 1, "template": {"name": "more", "click_param": "sub"}}`,
		}[path]
		s.Do("POST", path+"/import", file).Want(402, "plan_limit")
		setActive(true).Want(200, "") // it is active already
		setActive(false).Want(200, "")
		setActive(true).Want(200, "")
		setActive(false).Want(200, "")
		next := s.Do("POST", path, source("in its place")).Want(201, "").Map()["id"]
		setActive(true).Want(402, "plan_limit")
		s.Do("PUT", path, with(source("renamed"), "id", id)).Want(200, "")
		s.Do("DELETE", fmt.Sprintf("%s?id=%v", path, next), nil).Want(200, "")
		setActive(true).Want(200, "")
	}
}

// TestPostbackURLIsPublic: the address of a source's postbacks must be http or https on the public internet or in EgressAllow. It
// must have no user name. Tokens may stand only after the host and the port.
func TestPostbackURLIsPublic(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{EgressAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}}})
	bad := []string{
		"https://{sub1}/", "https://{sub1}.customer.com/", "https://{clickid}@shop.example.com/", "https://u:p@example.com/",
		"https://example.com:0/", "https://example.com:{payout}/", "//example.com/", "https://a b.example.com/", "https:///x",
		"javascript:alert(1)", "https://example.com\\@127.0.0.1/", "HTTP://LOCALHOST/{payout}",
	}
	for i, host := range netguardtest.Hosts() {
		bad = append(bad, []string{"https://", "http://", "HTTPS://"}[i%3]+host+"/pb?id={external_id}")
	}
	for _, address := range bad {
		s.Do("POST", "/traffic-sources", with(source("x"), "postback_url", address)).Want(400, "invalid_url")
		goals := []any{map[string]any{"goal": "a"}, map[string]any{"goal": "b", "url": address}}
		s.Do("POST", "/traffic-sources", with(source("x"), "postback_goals", goals)).Want(400, "invalid_url")
	}
	// The placeholder of a template is refused.
	for _, body := range []object{
		with(source("x"), "postback_url", "https://s.example/?aid=YOUR_AID&e={external_id}"),
		with(source("x"), "postback_goals", []any{object{"goal": "b", "url": "https://s.example/YOUR_ID/"}}),
	} {
		s.Do("POST", "/traffic-sources", body).Want(400, "invalid_url")
	}
	for i, address := range []string{
		"https://s.example/?e={external_id}", "http://tracker.example.com:8080/{external_id}?p={payout}", "http://127.0.0.9:81/",
		"https://8.8.8.8/", "", "https://example.com/" + strings.Repeat("x", 3000),
	} {
		name := fmt.Sprint("source ", i)
		id := s.Do("POST", "/traffic-sources", with(source(name), "postback_url", address)).Want(201, "").Map()["id"]
		body := with(source(name), "postback_url", "http://169.254.169.254/")
		s.Do("PUT", "/traffic-sources", with(body, "id", id)).Want(400, "invalid_url")
	}
}

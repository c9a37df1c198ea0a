package v1_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
)

type badSetting struct {
	field  string
	value  any
	status int
	code   string
}

// settingErrors returns settings that POST and PATCH both refuse. "deactivated" and "foreign" stand for the ids of such records.
func settingErrors() map[string]badSetting {
	long := strings.Repeat("x", 2001)
	return map[string]badSetting{
		"blank name":           {"name", "  ", 400, "name_required"},
		"long name":            {"name", strings.Repeat("ä", 256), 400, "invalid_input"},
		"name type":            {"name", 5, 400, "invalid_input"},
		"short alias":          {"alias", "five5", 400, "invalid_alias"},
		"long alias":           {"alias", strings.Repeat("a", 65), 400, "invalid_alias"},
		"alias start":          {"alias", "-abcdef", 400, "invalid_alias"},
		"alias characters":     {"alias", "abc def", 400, "invalid_alias"},
		"alias line break":     {"alias", "abcdef\n", 400, "invalid_alias"},
		"alias reserved":       {"alias", "Postback", 400, "invalid_alias"},
		"alias empty":          {"alias", "", 400, "invalid_alias"},
		"alias type":           {"alias", 123456, 400, "invalid_alias"},
		"domain unknown":       {"domain_id", uuid.NewString(), 400, "invalid_domain"},
		"domain form":          {"domain_id", "own.test", 400, "invalid_domain"},
		"domain type":          {"domain_id", true, 400, "invalid_domain"},
		"source unknown":       {"source_id", uuid.NewString(), 400, "invalid_source"},
		"source form":          {"source_id", "x", 400, "invalid_source"},
		"source type":          {"source_id", 7, 400, "invalid_source"},
		"status unknown":       {"status", "deleted", 400, "invalid_status"},
		"status empty":         {"status", "", 400, "invalid_status"},
		"status type":          {"status", true, 400, "invalid_status"},
		"mode unknown":         {"mode", "shop", 400, "invalid_mode"},
		"mode empty":           {"mode", "", 400, "invalid_mode"},
		"mode type":            {"mode", 1, 400, "invalid_mode"},
		"destination scheme":   {"destination_url", "ftp://x.test", 400, "invalid_destination_url"},
		"destination long":     {"destination_url", "https://x.test/" + long, 400, "invalid_destination_url"},
		"destination type":     {"destination_url", 1, 400, "invalid_destination_url"},
		"goal key":             {"primary_goal_key", "Sale", 400, "invalid_goal_key"},
		"goal key short":       {"primary_goal_key", "s", 400, "invalid_goal_key"},
		"goal key type":        {"primary_goal_key", 1, 400, "invalid_goal_key"},
		"site form":            {"measurement_site_id", "x", 400, "invalid_site"},
		"site type":            {"measurement_site_id", 1, 400, "invalid_site"},
		"goal keys type":       {"tracked_goal_keys", "sale", 400, "invalid_input"},
		"cost model":           {"cost_model", "cpx", 400, "invalid_cost_model"},
		"cost model type":      {"cost_model", 1, 400, "invalid_cost_model"},
		"cost below":           {"cost_value", -0.01, 400, "invalid_cost_value"},
		"cost huge":            {"cost_value", 1e30, 400, "invalid_cost_value"},
		"cost type":            {"cost_value", "1", 400, "invalid_cost_value"},
		"currency":             {"currency", "EURO", 400, "invalid_currency"},
		"currency empty":       {"currency", "", 400, "invalid_currency"},
		"currency type":        {"currency", 1, 400, "invalid_currency"},
		"rotation":             {"flow_rotation", "random", 400, "invalid_flow_rotation"},
		"rotation type":        {"flow_rotation", 1, 400, "invalid_flow_rotation"},
		"bind":                 {"bind_visitors", "all", 400, "invalid_bind_visitors"},
		"bind type":            {"bind_visitors", false, 400, "invalid_bind_visitors"},
		"uniqueness":           {"uniqueness_method", "ua", 400, "invalid_uniqueness_method"},
		"uniqueness type":      {"uniqueness_method", 1, 400, "invalid_uniqueness_method"},
		"uniqueness param":     {"uniqueness_method", "param", 400, "uniqueness_param_required"},
		"param long":           {"uniqueness_param", strings.Repeat("p", 101), 400, "invalid_uniqueness_param"},
		"param type":           {"uniqueness_param", 1, 400, "invalid_uniqueness_param"},
		"ttl low":              {"uniqueness_ttl_hours", 0, 400, "invalid_uniqueness_ttl"},
		"ttl high":             {"uniqueness_ttl_hours", 8761, 400, "invalid_uniqueness_ttl"},
		"ttl fraction":         {"uniqueness_ttl_hours", 1.5, 400, "invalid_uniqueness_ttl"},
		"ttl type":             {"uniqueness_ttl_hours", "24", 400, "invalid_uniqueness_ttl"},
		"loss":                 {"traffic_loss_pct", 100, 400, "invalid_traffic_loss"},
		"loss high":            {"traffic_loss_pct", 99.995, 400, "invalid_traffic_loss"},
		"loss below":           {"traffic_loss_pct", -1, 400, "invalid_traffic_loss"},
		"loss type":            {"traffic_loss_pct", "5", 400, "invalid_traffic_loss"},
		"group long":           {"group_name", strings.Repeat("g", 256), 400, "invalid_input"},
		"group type":           {"group_name", 1, 400, "invalid_input"},
		"country":              {"country", "DEU", 400, "invalid_country"},
		"country type":         {"country", 49, 400, "invalid_country"},
		"tags many":            {"tags", manyTags(21), 400, "invalid_input"},
		"tag long":             {"tags", []string{strings.Repeat("t", 65)}, 400, "invalid_input"},
		"tags type":            {"tags", "a", 400, "invalid_input"},
		"pinned type":          {"is_pinned", "yes", 400, "invalid_input"},
		"notes long":           {"notes", strings.Repeat("n", 10001), 400, "invalid_input"},
		"fallback":             {"fallback_url", "javascript:alert(1)", 400, "invalid_fallback_url"},
		"fallback long":        {"fallback_url", "https://x.test/" + long, 400, "invalid_fallback_url"},
		"fallback type":        {"fallback_url", []int{1}, 400, "invalid_fallback_url"},
		"same name":            {"name", "TAKEN", 409, "duplicate_name"},
		"same alias":           {"alias", "taken-alias", 409, "alias_taken"},
		"NUL":                  {"notes", "a\x00b", 400, "invalid_input"},
		"null name":            {"name", nil, 400, "name_required"},
		"null alias":           {"alias", nil, 400, "invalid_alias"},
		"deactivated source":   {"source_id", "deactivated", 400, "invalid_source"},
		"foreign source":       {"source_id", "foreign", 400, "invalid_source"},
		"foreign domain":       {"domain_id", "foreign", 400, "invalid_domain"},
		"currency with spaces": {"currency", "E R", 400, "invalid_currency"},
	}
}

func TestCampaignSettingErrors(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	made := d.make(t, d.campaign("Mine"))
	d.make(t, with(d.campaign("Taken"), "alias", "taken-alias"))
	deactivated := d.add(t, `INSERT INTO traffic_sources (id, account_id, name, deactivated_at)
		VALUES ($1, $2, 'Gone', now())`)
	other, _, _ := d.NewAccount("scale")
	foreign := map[string]string{"source_id": uuid.NewString(), "domain_id": uuid.NewString()}
	dbtest.Exec(t, d.DB, `INSERT INTO traffic_sources (id, account_id, name) VALUES ($1, $2, 'Theirs')`,
		foreign["source_id"], other.ID)
	dbtest.Exec(t, d.DB, `INSERT INTO domains (id, account_id, host) VALUES ($1, $2, 'theirs.test')`,
		foreign["domain_id"], other.ID)
	for name, c := range settingErrors() {
		switch c.value {
		case "deactivated":
			c.value = deactivated
		case "foreign":
			c.value = foreign[c.field]
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d.In(t).Do("POST", "/campaigns", with(d.campaign("x "+name), c.field, c.value)).Want(c.status, c.code)
			d.In(t).Do("PATCH", campaignPath(made["id"]), map[string]any{c.field: c.value}).Want(c.status, c.code)
			if c.field != "name" && c.field != "alias" {
				d.In(t).Do("POST", "/campaigns/bulk", object{"ids": []any{made["id"]}, c.field: c.value}).Want(c.status, c.code)
			}
		})
	}
}

func TestCampaignErrors(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	made := d.make(t, d.campaign("Mine"))
	id := campaignPath(made["id"])
	_, otherKey, _ := d.NewAccount("scale")
	for _, body := range []string{`x`, ``, `[]`, `null`} {
		d.Do("POST", "/campaigns", body).Want(400, "bad_body")
		d.Do("PATCH", id, body).Want(400, "bad_body")
		d.Do("PUT", id+"/flow", body).Want(400, "bad_body")
	}
	d.Do("PATCH", id, `{}`).Want(400, "no_fields")
	d.Do("PATCH", id, `{"streams":[]}`).Want(400, "invalid_input")
	d.Do("PATCH", id, `{"unknown":1}`).Want(400, "invalid_input")
	for _, null := range []string{"status", "mode", "cost_model", "currency", "flow_rotation", "bind_visitors"} {
		code := map[string]string{"status": "invalid_status"}[null]
		if code == "" {
			code = "invalid_" + null
		}
		d.Do("PATCH", id, map[string]any{null: nil}).Want(400, code)
	}
	d.Do("POST", "/campaigns", with(d.campaign("x"), "status", "archived")).Want(400, "invalid_status")
	d.Do("POST", "/campaigns", map[string]any{"alias": "abcdef", "offer_id": d.offer}).Want(400, "name_required")
	d.Do("POST", "/campaigns", map[string]any{"name": "x", "offer_id": d.offer}).Want(400, "invalid_alias")
	calls := []struct {
		method, tail string
		body         any
	}{
		{"GET", "", nil},
		{"PATCH", "", map[string]any{"name": "x"}},
		{"DELETE", "", nil},
		{"POST", "/clone", nil},
		{"PUT", "/flow", map[string]any{"streams": []any{map[string]any{"action": "nothing"}}}},
	}
	for _, c := range calls {
		d.Do(c.method, "/campaigns/x"+c.tail, c.body).Want(400, "invalid_id")
		d.Do(c.method, campaignPath(uuid.New())+c.tail, c.body).Want(404, "not_found")
		d.As(otherKey).Do(c.method, id+c.tail, c.body).Want(404, "not_found")
		if c.method != "GET" {
			d.As(d.ReadKey).Do(c.method, id+c.tail, c.body).Want(403, "read_only_key")
		}
	}
	d.As(d.ReadKey).Do("GET", id, nil).Want(200, "")
	if got := d.read(t, made["id"]); got["name"] != "Mine" {
		t.Errorf("a refused change changed the name to %v", got["name"])
	}
}

func TestCampaignFlowErrors(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	made := d.make(t, d.campaign("Mine"))
	_, otherKey, _ := d.NewAccount("scale")
	foreignOffer := d.As(otherKey).Do("POST", "/offers", offer("Theirs")).Want(201, "").Map()["id"]
	deactivated := d.add(t, `INSERT INTO offers (id, account_id, name, url, deactivated_at)
		VALUES ($1, $2, 'Gone', 'https://x.test', now())`)
	deleted := d.make(t, d.campaign("Deleted"))["id"]
	d.Do("DELETE", campaignPath(deleted), nil).Want(200, "")
	pathWith := func(changes map[string]any) map[string]any {
		m := map[string]any{"action": "offer", "destinations": to("id", d.offer)}
		maps.Copy(m, changes)
		return m
	}
	type m = map[string]any
	cond := func(attribute, operator string, value any) []any {
		return []any{m{"attribute": attribute, "operator": operator, "value": value}}
	}
	rule := m{"name": "r", "conditions": cond("country", "in", []string{"DE"})}
	both := m{"id": d.offer, "url": "https://x.test"}
	cases := map[string]struct {
		streams any
		code    string
	}{
		"null":              {nil, "no_streams"},
		"no paths":          {[]any{}, "no_streams"},
		"not a list":        {"x", "invalid_input"},
		"list of a number":  {[]any{1}, "invalid_input"},
		"rule names":        {[]any{pathWith(m{"rules": []any{rule, rule}})}, "duplicate_rule_name"},
		"path names":        {[]any{pathWith(m{"name": "a"}), pathWith(m{"name": "a"})}, "duplicate_path_name"},
		"action":            {[]any{pathWith(m{"action": "jump"})}, "invalid_action"},
		"stream type":       {[]any{pathWith(m{"stream_type": "other"})}, "invalid_stream_type"},
		"transition":        {[]any{pathWith(m{"transition": "308"})}, "invalid_transition"},
		"rule group":        {[]any{pathWith(m{"rule_group": 1000})}, "invalid_rule_group"},
		"cap":               {[]any{pathWith(m{"daily_cap": 0})}, "invalid_cap"},
		"no destination":    {[]any{pathWith(m{"destinations": []any{}})}, "destination_required"},
		"no campaign":       {[]any{m{"action": "campaign"}}, "destination_required"},
		"no lander":         {[]any{pathWith(m{"action": "lander"})}, "lander_required"},
		"id and url":        {[]any{pathWith(m{"destinations": []any{both}})}, "invalid_destination"},
		"unknown offer":     {[]any{pathWith(m{"destinations": to("id", uuid.NewString())})}, "invalid_destination"},
		"foreign offer":     {[]any{pathWith(m{"destinations": to("id", foreignOffer)})}, "invalid_destination"},
		"deactivated offer": {[]any{pathWith(m{"destinations": to("id", deactivated)})}, "invalid_destination"},
		"deleted campaign":  {[]any{m{"action": "campaign", "campaign_id": deleted}}, "invalid_destination"},
		"unknown campaign":  {[]any{m{"action": "campaign", "campaign_id": uuid.NewString()}}, "invalid_destination"},
		"address":           {[]any{pathWith(m{"destinations": []any{m{"url": "ftp://x.test"}}})}, "invalid_destination_url"},
		"weights":           {[]any{pathWith(m{"destinations": []any{m{"id": d.offer, "weight": 0}}})}, "zero_weights"},
		"path weights":      {[]any{pathWith(m{"weight": 0})}, "zero_path_weights"},
		"attribute":         {[]any{pathWith(m{"filters": cond("planet", "in", []string{"Mars"})})}, "invalid_filter"},
		"operator":          {[]any{pathWith(m{"filters": cond("country", "near", "DE")})}, "invalid_filter"},
		"no value":          {[]any{pathWith(m{"filters": cond("country", "in", []string{})})}, "invalid_filter"},
		"saved rule":        {[]any{pathWith(m{"rules": []any{m{"name": "r", "rule_id": uuid.NewString()}}})}, "invalid_filter"},
		"defaults":          {[]any{pathWith(m{"stream_type": "default"}), pathWith(m{"stream_type": "default"})}, "multiple_defaults"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d.In(t).Do("PUT", campaignPath(made["id"])+"/flow", m{"streams": c.streams}).Want(400, c.code)
			d.In(t).Do("POST", "/tools/simulate", m{"streams": c.streams}).Want(400, c.code)
			if c.code != "no_streams" {
				d.In(t).Do("POST", campaignPath(made["id"])+"/flow/replay", m{"streams": c.streams}).Want(400, c.code)
			}
			body := with(d.campaign("x "+name), "streams", c.streams)
			delete(body, "offer_id")
			d.In(t).Do("POST", "/campaigns", body).Want(400, c.code)
		})
	}
	d.Do("PUT", campaignPath(made["id"])+"/flow", m{}).Want(400, "no_streams")
	replay := campaignPath(made["id"]) + "/flow/replay"
	d.Do("POST", replay, m{"streams": []any{}}).Want(400, "no_streams")
	for _, field := range []string{"flow_rotation", "bind_visitors", "fallback_url", "destination_url"} {
		d.Do("POST", replay, m{field: "x"}).Want(400, "invalid_"+field)
	}
	d.Do("POST", "/campaigns/x/flow/replay", nil).Want(400, "invalid_id")
	d.Do("POST", campaignPath(uuid.NewString())+"/flow/replay", nil).Want(404, "not_found")
	for _, bad := range []any{"x", 1, uuid.NewString(), d.lander, foreignOffer} {
		d.Do("POST", "/campaigns", with(d.campaign("x"), "offer_id", bad)).Want(400, "invalid_destination")
	}
	d.Do("POST", "/campaigns", with(d.campaign("x"), "lander_id", uuid.NewString())).Want(400, "invalid_destination")
	body := d.campaign("x")
	delete(body, "offer_id")
	d.Do("POST", "/campaigns", body).Want(400, "no_streams")
}

func TestCampaignPlan(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t, apitest.Options{Plan: "growth"}) // without goal tracking
	d.Do("POST", "/campaigns", with(d.campaign("x"), "mode", "lead")).Want(402, "plan_limit")
	made := d.make(t, d.campaign("Mine"))
	d.Do("PATCH", campaignPath(made["id"]), map[string]any{"mode": "store"}).Want(402, "plan_limit")
	dbtest.Exec(t, d.DB, `UPDATE campaigns SET mode = 'store' WHERE id = $1`, made["id"]) // as on an earlier plan
	d.Do("POST", campaignPath(made["id"])+"/clone", nil).Want(402, "plan_limit")
	d.Do("PATCH", campaignPath(made["id"]), map[string]any{"mode": "store", "notes": "x"}).Want(200, "")

	// The plan allows 100 campaigns.
	dbtest.Exec(t, d.DB, `INSERT INTO campaigns (id, account_id, name, alias, domain_id)
		SELECT gen_random_uuid(), $1, 'c' || n, 'alias-' || n, $2 FROM generate_series(1, 94) n`, d.Account.ID, d.ownDomain)
	// Twelve simultaneous calls compete for the last five places.
	dbtest.Exec(t, d.DB, `UPDATE campaigns SET mode = 'affiliate' WHERE id = $1`, made["id"])
	statuses := make(chan int, 12)
	for i := range 12 {
		go func() {
			if i%2 == 0 {
				statuses <- d.Do("POST", campaignPath(made["id"])+"/clone", nil).Status
				return
			}
			statuses <- d.Do("POST", "/campaigns", d.campaign("race "+uuid.NewString())).Status
		}()
	}
	count := map[int]int{}
	for range 12 {
		count[<-statuses]++
	}
	if count[201] != 5 || count[402] != 7 {
		t.Fatalf("number of answers by status: %v, want five 201 and seven 402", count)
	}
	d.Do("POST", "/campaigns", d.campaign("more")).Want(402, "plan_limit")
	d.Do("DELETE", campaignPath(made["id"]), nil).Want(200, "")
	d.make(t, d.campaign("room again"))
}

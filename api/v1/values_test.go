package v1_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
)

// impossible has conditions that are refused: each has a value that no visitor can have, or an operator that does not fit.
var impossible = []map[string]any{
	condition("country", "equals", "USSR"), condition("country", "in", []any{"US", "XX"}),
	condition("country", "not_equals", "ABC"), condition("country", "starts_with", "Germany"),
	condition("country", "regex", "^(USSR|GDR)$"), condition("country", "gt", 5), condition("continent", "equals", "XX"),
	condition("device_type", "equals", "phnoe"), condition("device_type", "contains", "phone"),
	condition("os", "not_in", []any{"iOS", "Androyd"}), condition("connection_type", "equals", "6g"),
	condition("proxy_kind", "equals", "vnp"), condition("language", "equals", "en-US"), condition("language", "equals", "us"),
	condition("browser", "equals", "Chromee"), condition("day_of_week", "equals", 8), condition("day_of_week", "gt", 7),
	condition("hour_of_day", "in", []any{24}), condition("hour_of_day", "between", []any{30, 40}),
	condition("ip_version", "equals", 7), condition("bot_score", "gte", 101),
}

// canonical has accepted values and the form in which they are stored.
var canonical = []struct {
	attribute string
	sent      any
	stored    any
}{
	{"country", "us", "US"},
	{"country", " uk ", "GB"},
	{"country", []any{"Germany", "FRA"}, []any{"DE", "FR"}},
	{"continent", "europe", "EU"},
	{"device_type", "Phone", "mobile"},
	{"device_type", []any{"tv", "smart tv"}, []any{"tv", "tv"}},
	{"os", "mac os x", "macOS"},
	{"os", "ANDROID", "Android"},
	{"connection_type", "Wi-Fi", "wifi"},
	{"language", "DE", "de"},
	{"browser", "samsung browser", "Samsung Internet"},
	{"day_of_week", "Sunday", 7},
	{"day_of_week", 3, 3},
	{"proxy_kind", "hosting", "datacenter"},
	{"hour_of_day", 0, 0},
	{"city", "Nowhere", "Nowhere"},
}

func TestImpossibleConditions(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	campaign := campaignPath(d.make(t, d.campaign("Live"))["id"])
	link := func(list ...any) map[string]any {
		return with(smartlink("values", d.ownDomain), "rules", []any{map[string]any{"destination_url": "https://a.example", "conditions": list}})
	}
	flowOf := func(list ...any) []any { return []any{with(redirectPath("a"), "filters", list)} }
	inline := func(list ...any) []any {
		return []any{with(redirectPath("a"), "rules", []any{map[string]any{"name": "r", "conditions": list}})}
	}
	for _, c := range impossible {
		text, _ := json.Marshal(c)
		for name, got := range map[string]struct {
			apitest.Answer
			want string
		}{
			"rule":      {d.Do("POST", "/rules", with(rule("x"), "conditions", []any{c})), "invalid_condition"},
			"smartlink": {d.Do("POST", "/short-links", link(c)), "invalid_condition"},
			"flow":      {d.Do("POST", "/flows", map[string]any{"name": "x", "paths": flowOf(c)}), "invalid_filter"},
			"campaign":  {d.Do("PUT", campaign+"/flow", map[string]any{"streams": inline(c)}), "invalid_filter"},
			"draft":     {d.Do("POST", "/tools/simulate", map[string]any{"streams": flowOf(c)}), "invalid_filter"},
		} {
			if got.Status != 400 || got.Code != got.want {
				t.Errorf("a %s with the condition %s is answered with %d %s, want 400 %s", name, text, got.Status, got.Code, got.want)
			}
		}
	}
	var list, stored []any
	for _, c := range canonical {
		list, stored = append(list, condition(c.attribute, "in", c.sent)), append(stored, c.stored)
	}
	check := func(what string, conditions any) {
		t.Helper()
		for i, c := range conditions.([]any) {
			got, _ := json.Marshal(c.(map[string]any)["value"])
			if want, _ := json.Marshal(stored[i]); string(got) != string(want) {
				t.Errorf("%s: %v is stored as %s, want %s", what, list[i], got, want)
			}
		}
	}
	check("rule", d.Do("POST", "/rules", with(rule("Kept"), "conditions", list)).Want(201, "").Map()["conditions"])
	rules := d.Do("POST", "/short-links", link(list...)).Want(201, "").Map()["rules"].([]any)
	check("smartlink", rules[0].(map[string]any)["conditions"])
	streams := d.Do("PUT", campaign+"/flow", map[string]any{"streams": flowOf(list...)}).Want(200, "").Map()["streams"].([]any)
	check("campaign", streams[0].(map[string]any)["filters"])
	for query, code := range map[string]string{
		"country=uk&f.os=osx": "", "country=USSR": "invalid_dimension", "device_type=phnoe": "invalid_dimension",
		"day_of_week=monday": "", "day_of_week=8": "invalid_dimension", "browser=Chromee": "invalid_dimension",
		"browser=" + url.QueryEscape("My own app"): "", "country=": "",
	} {
		status := 200
		if code != "" {
			status = 400
		}
		d.Do("GET", "/reports/performance?f."+query, nil).Want(status, code)
	}
	filters := func(value any) map[string]any {
		return map[string]any{"filters": []any{map[string]any{"dimension": "device_type", "value": value}}}
	}
	d.Do("POST", "/reports/exports", filters("phnoe")).Want(400, "invalid_dimension")
	d.Do("POST", "/reports/exports", filters("phone")).Want(202, "")
	d.Do("POST", "/tools/simulate", map[string]any{"streams": flowOf(), "visitor": map[string]any{"country": "USSR"}}).
		Want(400, "invalid_attribute")
}

// Stored conditions with impossible values are still used for routing, and everything else in their records can be changed.
func TestStoredImpossibleConditions(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	old := []any{condition("country", "in", []any{"us", "USSR"}), condition("device_type", "equals", "phnoe")}
	more := condition("country", "equals", "GDR")
	raw, _ := json.Marshal(old)

	saved := d.Do("POST", "/rules", rule("Old")).Want(201, "").Map()
	dbtest.Exec(t, d.DB, `UPDATE rules SET conditions = $2 WHERE id = $1`, saved["id"], string(raw))
	body := with(with(rule("Renamed"), "id", saved["id"]), "conditions", old)
	same(t, d.Do("PUT", "/rules", body).Want(200, "").Map(), map[string]any{"name": "Renamed"})
	d.Do("PUT", "/rules", with(body, "conditions", append(old, more))).Want(400, "invalid_condition")

	link := d.Do("POST", "/short-links", with(smartlink("old", d.ownDomain), "rules", []any{linkRule("https://a.example", is("country", "US"))})).
		Want(201, "").Map()
	dbtest.Exec(t, d.DB, `UPDATE smartlinks SET rules = jsonb_set(rules, '{0,conditions}', $2) WHERE id = $1`, link["id"], string(raw))
	shown := d.Do("GET", "/short-links", nil).Want(200, "").Map()["rows"].([]any)[0].(map[string]any)
	rules := shown["rules"].([]any)
	put := with(with(with(smartlink(link["slug"].(string), d.ownDomain), "id", link["id"]), "name", "Renamed"), "rules", rules)
	same(t, d.Do("PUT", "/short-links", put).Want(200, "").Map(), map[string]any{"name": "Renamed"})
	rules[0].(map[string]any)["conditions"] = []any{more}
	d.Do("PUT", "/short-links", put).Want(400, "invalid_condition")
	d.Do("POST", fmt.Sprint("/short-links/", link["id"], "/clone"), nil).Want(201, "")

	id := d.make(t, d.campaign("Old"))["id"]
	dbtest.Exec(t, d.DB, `UPDATE campaigns SET streams = jsonb_set(streams, '{0,filters}', $2) WHERE id = $1`, id, string(raw))
	streams := d.Do("GET", campaignPath(id), nil).Want(200, "").Map()["streams"].([]any)
	first := streams[0].(map[string]any)
	first["weight"] = 7
	d.Do("PUT", campaignPath(id)+"/flow", map[string]any{"streams": streams}).Want(200, "")
	d.Do("POST", "/tools/simulate", map[string]any{"campaign_id": id}).Want(200, "")
	first["filters"] = append(first["filters"].([]any), more)
	d.Do("PUT", campaignPath(id)+"/flow", map[string]any{"streams": streams}).Want(400, "invalid_filter")
}

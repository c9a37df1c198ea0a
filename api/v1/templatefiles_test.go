package v1_test

import (
	"fmt"
	"strings"
	"testing"

	"switchyard/api/apitest"
	"switchyard/models/template"
)

// A template file creates the same traffic source in another account, without values of the first account.
func TestSourceTemplateFile(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	made := s.Do("POST", "/traffic-sources", `{"name": "My push", "external_id_param": "cid", "external_id_macro": "{click}",
		"cost_param": "price", "cost_macro": "{bid}", "token_macros": {"zone": "[ZONE]", "buyer": "ann"}, "notes": "key hush-notes",
		"postback_url": "https://push.test/conv?key=hush-key&cid={external_id}&sum={payout}"}`).Want(201, "").Map()
	answer := s.As(s.ReadKey).Do("GET", fmt.Sprintf("/traffic-sources/%v/template", made["id"]), nil).Want(200, "")
	if strings.Contains(string(answer.Raw), "hush") {
		t.Errorf("the file has a value of the account: %s", answer.Raw)
	}
	file := answer.Map()
	same(t, file, map[string]any{"kind": "traffic_source", "version": 1.0})
	same(t, file["template"].(map[string]any), map[string]any{
		"name": "My push", "platform": "custom", "external_id_param": "cid", "external_id_macro": "{click}", "cost_param": "price",
		"cost_macro": "{bid}", "cost_model": "cpc", "token_macros": "map[zone:[ZONE]]",
		"postback_url": "https://push.test/conv?key=YOUR_KEY&cid={external_id}&sum={payout}", "page": "", "read_on": "",
	})
	_, otherKey, _ := s.NewAccount("scale")
	other := s.As(otherKey)
	loaded := other.Do("POST", "/traffic-sources/import", file).Want(201, "").Map()
	same(t, loaded, map[string]any{
		"name": "My push", "platform": "custom", "external_id_macro": "{click}", "cost_macro": "{bid}", "token_macros": "map[zone:[ZONE]]",
		"postback_url": "", "postback_method": "GET", "postback_statuses": "[approved]",
		"notes": "Postback address: replace YOUR_... in https://push.test/conv?key=YOUR_KEY&cid={external_id}&sum={payout}\n",
	})
	other.Do("POST", "/traffic-sources/import", file).Want(409, "duplicate_name")
	other.Do("GET", fmt.Sprintf("/traffic-sources/%v/template", made["id"]), nil).Want(404, "not_found")
	other.Do("GET", "/traffic-sources/x/template", nil).Want(400, "invalid_id")
	twice := s.Do("POST", "/traffic-sources", `{"name": "Twice", "external_id_param": "cid", "external_id_macro": "{click}",
		"token_macros": {"cid": "{zone}"}}`).Want(201, "").Map()
	s.Do("GET", fmt.Sprintf("/traffic-sources/%v/template", twice["id"]), nil).Want(400, "invalid_template")
	// Each built-in template can be imported.
	for _, builtIn := range template.Sources() {
		body := map[string]any{"kind": "traffic_source", "version": 1, "template": builtIn}
		got := other.Do("POST", "/traffic-sources/import", body).Want(201, "").Map()
		if !strings.HasPrefix(fmt.Sprint(got["notes"]), "Template read on 2026-11-26: https://") {
			t.Errorf("%s: the notes do not name the page of the template: %v", builtIn.Key, got["notes"])
		}
	}
}

// The template of a network has no secret, notes or payment terms, and only the scheme and the host of its address.
func TestNetworkTemplateFile(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	made := s.Do("POST", "/networks", `{"name": "Net", "currency": "EUR", "url": "https://net.test/u/hush?key=hush", "click_param": "sub1",
		"macros": {"click_id": "{sub1}", "payout": "{sum}", "secret": "{hush}"}, "status_map": {"approved": ["won"]},
		"postback_secret": "hush", "notes": "hush", "payment_terms": "hush", "offer_type": "CPA"}`).Want(201, "").Map()
	answer := s.As(s.ReadKey).Do("GET", fmt.Sprintf("/networks/%v/template", made["id"]), nil).Want(200, "")
	if strings.Contains(string(answer.Raw), "hush") {
		t.Errorf("the file has a value of the account: %s", answer.Raw)
	}
	file := answer.Map()
	same(t, file, map[string]any{"kind": "network", "version": 1.0})
	file["template"].(map[string]any)["page"] = "https://net.test/help"
	file["template"].(map[string]any)["read_on"] = "2026-11-20"
	_, otherKey, _ := s.NewAccount("scale")
	other := s.As(otherKey)
	loaded := other.Do("POST", "/networks/import", file).Want(201, "").Map()
	same(t, loaded, map[string]any{
		"name": "Net", "currency": "EUR", "url": "https://net.test", "click_param": "sub1", "offer_type": "CPA",
		"macros": "map[click_id:{sub1} payout:{sum}]", "status_map": "map[approved:[won]]", "has_postback_secret": false,
		"notes": "Template read on 2026-11-20: https://net.test/help\n",
	})
	other.Do("POST", "/networks/import", file).Want(409, "duplicate_name")
	other.Do("GET", fmt.Sprintf("/networks/%v/template", made["id"]), nil).Want(404, "not_found")
	other.Do("GET", "/networks/x/template", nil).Want(400, "invalid_id")
	empty := s.Do("POST", "/networks", `{"name": "Bare"}`).Want(201, "").Map()
	s.Do("GET", fmt.Sprintf("/networks/%v/template", empty["id"]), nil).Want(400, "invalid_template")
}

// An import refuses unknown fields and unusable templates, and accepts the smallest valid templates.
func TestTemplateFileErrors(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	source := func(template string) string {
		return `{"kind": "traffic_source", "version": 1, "template": ` + template + `}`
	}
	network := func(template string) string { return `{"kind": "network", "version": 1, "template": ` + template + `}` }
	for name, c := range map[string]struct {
		path string
		refusal
	}{
		"not json":          {"/traffic-sources/import", refusal{`x`, 400, "bad_body"}},
		"empty object":      {"/traffic-sources/import", refusal{`{}`, 400, "required"}},
		"no template":       {"/traffic-sources/import", refusal{`{"kind": "traffic_source", "version": 1}`, 400, "invalid_template"}},
		"other kind":        {"/traffic-sources/import", refusal{network(`{"name": "x"}`), 400, "invalid_template"}},
		"other version":     {"/traffic-sources/import", refusal{`{"kind": "traffic_source", "version": 2, "template": {"name": "x"}}`, 400, "invalid_template"}},
		"unknown key":       {"/traffic-sources/import", refusal{source(`{"name": "x", "colour": "red"}`), 400, "invalid_input"}},
		"key of a source":   {"/traffic-sources/import", refusal{source(`{"name": "x", "notes": "n"}`), 400, "invalid_input"}},
		"unknown outer key": {"/traffic-sources/import", refusal{`{"kind": "traffic_source", "version": 1, "template": {"name": "x"}, "id": 1}`, 400, "invalid_input"}},
		"wrong type":        {"/traffic-sources/import", refusal{source(`{"name": 5}`), 400, "invalid_input"}},
		"platform":          {"/traffic-sources/import", refusal{source(`{"name": "x", "platform": "teleport"}`), 400, "invalid_template"}},
		"fixed text":        {"/traffic-sources/import", refusal{source(`{"name": "x", "token_macros": {"a": "b"}}`), 400, "invalid_template"}},
		"foreign token":     {"/traffic-sources/import", refusal{source(`{"name": "x", "postback_url": "https://a.test/?c={their.id}"}`), 400, "invalid_template"}},
		"page":              {"/traffic-sources/import", refusal{source(`{"name": "x", "page": "http://a.test", "read_on": "2026-01-01"}`), 400, "invalid_template"}},
		"long notes":        {"/traffic-sources/import", refusal{source(`{"name": "x", "postback_url": "https://a.test/?k=YOUR_KEY&x=` + strings.Repeat("x", 2000) + `"}`), 400, "too_long"}},
		"private host":      {"/traffic-sources/import", refusal{source(`{"name": "x", "postback_url": "https://10.0.0.1/?c={external_id}"}`), 400, "invalid_url"}},
		"own":               {"/traffic-sources/import", refusal{source(`{"name": "x"}`), 201, ""}},
		"network secret":    {"/networks/import", refusal{network(`{"name": "x", "click_param": "s", "postback_secret": "y"}`), 400, "invalid_input"}},
		"network currency":  {"/networks/import", refusal{network(`{"name": "x", "click_param": "s", "currency": "QQQ"}`), 400, "invalid_template"}},
		"network macro":     {"/networks/import", refusal{network(`{"name": "x", "macros": {"click_id": "sub"}}`), 400, "invalid_template"}},
		"network member":    {"/networks/import", refusal{network(`{"name": "x", "click_param": "s", "macros": {"colour": "{c}"}}`), 400, "invalid_input"}},
		"network long":      {"/networks/import", refusal{network(`{"name": "x", "click_param": "` + strings.Repeat("s", 101) + `"}`), 400, "too_long"}},
		"network nothing":   {"/networks/import", refusal{`{}`, 400, "required"}},
		"network url":       {"/networks/import", refusal{network(`{"name": "x", "click_param": "s", "url": "ftp://a.test"}`), 400, "invalid_url"}},
		"network payout":    {"/networks/import", refusal{network(`{"name": "x", "click_param": "s", "minimum_payout": -1}`), 400, "out_of_range"}},
		"network":           {"/networks/import", refusal{network(`{"name": "x", "click_param": "s"}`), 201, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.In(t).Do("POST", c.path, c.body).Want(c.status, c.code)
		})
	}
	reader := s.As(s.ReadKey)
	reader.Do("POST", "/traffic-sources/import", source(`{"name": "y"}`)).Want(403, "read_only_key")
	reader.Do("POST", "/networks/import", network(`{"name": "y", "click_param": "s"}`)).Want(403, "read_only_key")
}

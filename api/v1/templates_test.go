package v1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/models"
	"switchyard/models/template"
)

func named(s *apitest.Server, name string) (found []map[string]any) {
	for _, r := range s.Do("GET", "/network-templates", nil).Want(200, "").Map()["rows"].([]any) {
		if row := r.(map[string]any); strings.EqualFold(row["name"].(string), name) {
			found = append(found, row)
		}
	}
	return found
}

func TestNetworkTemplates(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	rows := s.Do("GET", "/network-templates", nil).Want(200, "").Map()["rows"].([]any)
	if len(rows) != len(template.Networks()) {
		t.Errorf("%d templates at first, want only the built-in ones", len(rows))
	}
	same(t, named(s, "affise")[0], map[string]any{
		"built_in": true, "click_param": "sub1", "created_at": nil,
		"postback_query": "clickid={sub1}&payout={sum}&status={status}&conversion_id={transactionid}&goal={goal}&currency={currency}",
	})

	one := s.Do("POST", "/network-templates", `{"name": " Mine ", "clickParam": "sub9", "click_param": "sub7", "offerType": "CPA",
		"postbackParams": {"clickId": "myclick"}, "macros": {"click_id": "{c}", "conversionId": "{tx}"}, "postbackSecret": "hush",
		"status_map": {"approved": ["ok"]}, "currency": "eur", "minimumPayout": 12.5, "somethingElse": 1}`).Want(201, "").Map()
	same(t, one, map[string]any{"saved": 1.0, "skipped": 0.0})
	mine := one["rows"].([]any)[0].(map[string]any)
	same(t, mine, map[string]any{
		"name": "Mine", "built_in": false, "click_param": "sub7", "offer_type": "CPA",
		"postback_params": "map[click_id:myclick]", "macros": "map[click_id:{c} conversion_id:{tx}]", "currency": "EUR",
		"status_map": "map[approved:[ok]]", "minimum_payout": 12.5, "postback_query": "myclick={c}&conversion_id={tx}",
	})
	if strings.Contains(fmt.Sprint(mine), "hush") {
		t.Error("a template contains a secret")
	}

	// Of several templates with the same name in a call, the last counts.
	many := s.Do("POST", "/network-templates", `{"templates": [{"name": "MINE", "clickParam": "a"}, {"name": "mine", "clickParam": "b"},
		{"name": "Other"}, {"name": ""}, 5, null, {"name": "Bad", "url": "ftp://x"}, {"name": "Bad", "currency": 5, "tags": "a"}]}`).
		Want(201, "").Map()
	same(t, many, map[string]any{"saved": 2.0, "skipped": 6.0})
	found := named(s, "mine")
	if len(found) != 1 {
		t.Fatalf("%d templates have the name mine, want 1", len(found))
	}
	same(t, found[0], map[string]any{"id": mine["id"], "name": "mine", "click_param": "b", "created_at": mine["created_at"]})

	// An account's template hides the built-in template of the same name until it is deleted.
	affise := named(s, "Affise")[0]["id"]
	own := s.Do("POST", "/network-templates", `{"name": "affise"}`).Want(201, "").Map()["rows"].([]any)[0].(map[string]any)["id"]
	if found := named(s, "affise"); len(found) != 1 || found[0]["id"] != own {
		t.Errorf("want only the account's own template affise: %v", found)
	}
	gone := s.Do("DELETE", fmt.Sprint("/network-templates?id=", own), nil).Want(200, "").Map()
	same(t, gone, map[string]any{"id": own, "deleted": true})
	if found := named(s, "affise"); len(found) != 1 || found[0]["id"] != affise {
		t.Errorf("after the deletion want only the built-in template affise: %v", found)
	}
	s.Do("DELETE", fmt.Sprint("/network-templates?id=", own), nil).Want(404, "not_found")
	s.Do("DELETE", fmt.Sprint("/network-templates?id=", affise), nil).Want(404, "not_found")
}

func TestNetworkTemplateErrors(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	list := func(n int) string {
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprintf(`{"name": "t%d"}`, i)
		}
		return `{"templates": [` + strings.Join(items, ",") + `]}`
	}
	for name, c := range map[string]refusal{
		"not json":             {`x`, 400, "bad_body"},
		"array":                {`[{"name": "x"}]`, 400, "bad_body"},
		"nothing":              {`{}`, 400, "empty"},
		"null":                 {`{"templates": null}`, 400, "empty"},
		"empty list":           {`{"templates": []}`, 400, "empty"},
		"not a list":           {`{"templates": {"name": "x"}}`, 400, "invalid_template"},
		"no name":              {`{"url": "https://x.example"}`, 400, "invalid_template"},
		"long name":            {`{"name": "` + strings.Repeat("n", 256) + `"}`, 400, "invalid_template"},
		"list without objects": {`{"templates": [1, null, "x"]}`, 400, "invalid_template"},
		"wrong member":         {`{"name": "x", "macros": {"colour": "{c}"}}`, 400, "invalid_template"},
		"1001":                 {list(1001), 400, "too_many"},
		"1000":                 {list(1000), 201, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.In(t).Do("POST", "/network-templates", c.body).Want(c.status, c.code)
		})
	}
	_, otherKey, _ := s.NewAccount("scale")
	foreign := s.As(otherKey).Do("POST", "/network-templates", `{"name": "Theirs"}`).Want(201, "").
		Map()["rows"].([]any)[0].(map[string]any)["id"]
	for _, missing := range []any{uuid.NewString(), foreign} {
		s.Do("DELETE", fmt.Sprint("/network-templates?id=", missing), nil).Want(404, "not_found")
	}
	if found := named(s, "Theirs"); len(found) != 0 {
		t.Errorf("another account's template is listed: %v", found)
	}
	if found := named(s.As(otherKey), "Theirs"); len(found) != 1 {
		t.Error("another account could delete a template")
	}
	s.Do("DELETE", "/network-templates", nil).Want(400, "invalid_id")
	s.Do("DELETE", "/network-templates?id=x", nil).Want(400, "invalid_id")
	reader := s.As(s.ReadKey)
	reader.Do("POST", "/network-templates", `{"name": "x"}`).Want(403, "read_only_key")
	reader.Do("DELETE", fmt.Sprint("/network-templates?id=", foreign), nil).Want(403, "read_only_key")
	reader.Do("GET", "/network-templates", nil).Want(200, "")
}

func TestNetworkTemplateAllowance(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	plan, _ := models.PlanNamed("scale")
	_, err := s.DB.ExecContext(t.Context(), `INSERT INTO network_templates (id, account_id, name, settings)
		SELECT gen_random_uuid(), $1, 'n' || n, '{}' FROM generate_series(1, $2) n`, s.Account.ID, plan.Templates-1)
	if err != nil {
		t.Fatal(err)
	}
	s.Do("POST", "/network-templates", `{"templates": [{"name": "a"}, {"name": "b"}]}`).Want(400, "too_many")
	s.Do("POST", "/network-templates", `{"templates": [{"name": "a"}, {"name": "n7"}]}`).Want(201, "")
	s.Do("POST", "/network-templates", `{"name": "b"}`).Want(400, "too_many")
}

func TestSourceTemplates(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	rows := s.As(s.ReadKey).Do("GET", "/traffic-source-templates", nil).Want(200, "").Map()["rows"].([]any)
	for _, r := range rows { // each row is a valid body once its placeholders are filled in
		row := r.(map[string]any)
		if address := row["postback_url"].(string); models.Placeholder(address) != "" {
			s.Do("POST", "/traffic-sources", row).Want(400, "invalid_url")
			row["postback_url"] = strings.ReplaceAll(address, "YOUR_", "7")
		}
		made := s.Do("POST", "/traffic-sources", row).Want(201, "").Map()
		same(t, made, map[string]any{
			"name": row["name"], "platform": row["platform"], "cost_macro": row["cost_macro"],
			"external_id_param": row["external_id_param"], "token_macros": row["token_macros"], "postback_url": row["postback_url"],
		})
	}
	for platform, want := range map[string]string{"custom": "custom", "mgid": "mgid", "teleport": "", "": ""} {
		made := s.Do("POST", "/traffic-sources", with(source("platform "+platform), "platform", platform)).Want(201, "").Map()
		same(t, made, map[string]any{"platform": want})
	}
}

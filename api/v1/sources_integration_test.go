package v1_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/integration"
	"switchyard/models"
)

const sourceToken = "canary-token-of-sixteen"

func newSource(t *testing.T, o apitest.Options) (s *apitest.Server, id, path string) {
	t.Helper()
	s = apitest.New(t, o)
	id = s.Do("POST", "/traffic-sources", object{"name": "S"}).Want(201, "").Map()["id"].(string)
	return s, id, "/traffic-sources/" + id + "/integration"
}

// TestSourceIntegration connects a source to every platform. Secrets are stored encrypted and shown masked. Fields that a request
// leaves out keep their values if it names the same platform as before.
func TestSourceIntegration(t *testing.T) {
	t.Parallel()
	s, id, path := newSource(t, apitest.Options{Plan: "growth"})
	var empty struct {
		Configured bool
		Providers  []struct {
			Provider, Label string
			SignIn          bool `json:"sign_in"`
			Presets         []struct{ Label, Help string }
			Fields          []struct {
				Name, Label, Help string
				Values            []string
			}
		}
	}
	s.Do("GET", path, nil).Want(200, "").Into(&empty)
	if len(empty.Providers) != len(models.SourceProviders) || empty.Configured {
		t.Fatalf("at first want every provider, and no connection: %+v", empty)
	}
	for _, p := range empty.Providers {
		if want := map[bool]int{true: len(models.CostPresets)}[p.Provider == models.CustomCost]; len(p.Presets) != want {
			t.Errorf("%s has %d presets, want %d", p.Provider, len(p.Presets), want)
		}
		credentials := object{}
		for _, f := range p.Fields {
			if f.Label == "" || f.Help == "" || p.Label == "" {
				t.Errorf("%s: the platform, or its field %+v, has no label or no help", p.Provider, f)
			}
			credentials[f.Name] = "12345-" + sourceToken
			if len(f.Values) > 0 {
				credentials[f.Name] = f.Values[0]
			}
		}
		if p.Provider == models.Meta {
			credentials["pixel_id"] = "12345"
		}
		body := object{"provider": p.Provider, "credentials": credentials, "is_enabled": false}
		same(t, s.Do("PUT", path, body).Want(200, "").Map(), map[string]any{"id": id, "saved": true})
	}
	s.Do("PUT", path, object{
		"provider": "tiktok", "credentials": object{"access_token": sourceToken, "advertiser_id": "77", "pixel_code": "PX"},
		"conversion_statuses": []string{"approved", "pending"}, "campaign_param": "sub3", "conversion_action": "Purchase", "is_enabled": true,
	}).Want(200, "")
	s.Do("PUT", path, object{
		"provider": "TikTok", "credentials": object{"access_token": "********", "advertiser_id": " "}, "credentials_clear": []string{"pixel_code"},
	}).Want(200, "")
	same(t, s.Do("GET", path, nil).Want(200, "").Map(), map[string]any{
		"configured": true, "provider": "tiktok", "credentials": "map[access_token:******** advertiser_id:77]", "is_enabled": true,
		"conversion_statuses": "[approved pending]", "campaign_param": "sub3", "conversion_action": "Purchase", "last_status": nil,
		"cost_endpoint": nil, "conversions_enabled": false,
	})
	source := uuid.MustParse(id)
	saved, err := integration.NewSources(s.Store).Find(t.Context(), s.Account.ID, source)
	if err != nil {
		t.Fatal(err)
	}
	credentials, err := integration.NewSources(s.Store).Credentials(t.Context(), saved.Integration)
	if err != nil || credentials["access_token"] != sourceToken || credentials["advertiser_id"] != "77" {
		t.Errorf("the saved credentials are %v, want those that were sent (%v)", credentials, err)
	}
	if err := integration.NewSources(s.Store).SaveSession(t.Context(), saved.Integration, "canary-session"); err != nil {
		t.Fatal(err)
	}
	if got, err := integration.NewSources(s.Store).Session(t.Context(), saved.Integration); err != nil || got != "canary-session" {
		t.Errorf("the saved session is %q, want canary-session (%v)", got, err)
	}
	var row string
	if err := s.DB.GetContext(t.Context(), &row, `SELECT t::text FROM source_integrations t`); err != nil || strings.Contains(row, "canary") {
		t.Errorf("the secret is stored unencrypted: %s (%v)", row, err)
	}
	s.Do("PUT", path, object{"provider": "propellerads"}).Want(200, "") // another provider: the former credentials are deleted
	same(t, s.Do("GET", path, nil).Want(200, "").Map(), map[string]any{"credentials": "map[]", "conversion_statuses": "[approved]"})
	same(t, s.Do("DELETE", path, nil).Want(200, "").Map(), map[string]any{"id": id, "deleted": true})
	same(t, s.Do("DELETE", path, nil).Want(200, "").Map(), map[string]any{"id": id, "deleted": false})
}

// TestCostEndpoint: values of headers are secrets. A masked value keeps the stored one. If the host changes, a masked value is refused.
func TestCostEndpoint(t *testing.T) {
	t.Parallel()
	s, id, path := newSource(t, apitest.Options{Plan: "growth"})
	endpoint := func(url, header string) object {
		return object{"provider": "custom", "cost_endpoint": object{
			"url": url, "headers": object{"X-Key": header}, "rowsPath": "data.rows", "spendDivisor": 100, "currency": "eur",
			"body": object{"days": "{from}"}, "method": "post",
		}}
	}
	s.Do("PUT", path, endpoint("https://spend.example.com/a?from={from}", "canary-header")).Want(200, "")
	s.Do("PUT", path, endpoint("https://spend.example.com/b?from={from}", "********")).Want(200, "")
	shown := s.Do("GET", path, nil).Want(200, "")
	same(t, shown.Map(), map[string]any{"cost_endpoint": "map[body:map[days:{from}] campaignField: clicksField: currency:EUR dateFormat:YYYY-MM-DD dayField:day " +
		"firstPage:0 headers:map[X-Key:********] impressionsField: method:POST oneDay:false pageRows:0 rowsPath:data.rows spendDivisor:100 spendField:spend " +
		"url:https://spend.example.com/b?from={from}]"})
	if strings.Contains(string(shown.Raw), "canary") {
		t.Errorf("the answer shows the value of a header: %s", shown.Raw)
	}
	saved, err := integration.NewSources(s.Store).Find(t.Context(), s.Account.ID, uuid.MustParse(id))
	if err != nil {
		t.Fatal(err)
	}
	credentials, err := integration.NewSources(s.Store).Credentials(t.Context(), saved.Integration)
	if err != nil || credentials[models.HeaderCredential+"X-Key"] != "canary-header" {
		t.Errorf("the saved value of the header is lost: %v (%v)", credentials, err)
	}
	s.Do("PUT", path, endpoint("https://elsewhere.example.com/", "********")).Want(400, "invalid_input")
	s.Do("PUT", path, endpoint("https://elsewhere.example.com/", "another")).Want(200, "")
	s.Do("PUT", path, object{"provider": "custom", "cost_endpoint": object{}, "is_enabled": false}).Want(200, "")
	for _, p := range models.CostPresets { // as the dashboard sends a preset
		s.Do("PUT", path, object{"provider": "custom", "cost_endpoint": p.Endpoint.WithDefaults(), "credentials": object{"token": sourceToken}}).Want(200, "")
	}
	s.Do("PUT", path, object{"provider": "custom", "cost_endpoint": object{}, "is_enabled": false}).Want(200, "")
	s.Do("PUT", path, object{"provider": "custom", "is_enabled": true}).Want(400, "no_url")
}

func TestSourceIntegrationRefusals(t *testing.T) {
	t.Parallel()
	s, _, path := newSource(t, apitest.Options{Plan: "growth"})
	custom := func(change object) object {
		e := object{"url": "https://spend.example.com/"}
		for name, value := range change {
			e[name] = value
		}
		return object{"provider": "custom", "cost_endpoint": e}
	}
	off := func(provider string, more object) object {
		b := object{"provider": provider, "is_enabled": false}
		for name, value := range more {
			b[name] = value
		}
		return b
	}
	meta := func(field, value string) object { return off("meta", object{"credentials": object{field: value}}) }
	many := object{}
	for i := range 21 {
		many["X-"+strings.Repeat("a", i+1)] = "v"
	}
	for code, bodies := range map[string][]any{
		"bad_body":                  {`x`},
		"invalid_provider":          {object{}, object{"provider": "nobody"}, object{"provider": 7}},
		"invalid_pixel_id":          {meta("pixel_id", "1234"), meta("pixel_id", strings.Repeat("1", 21)), meta("pixel_id", "12345x")},
		"invalid_capi_token":        {meta("capi_token", "short"), meta("capi_token", "with spaces in the middle")},
		"no_url":                    {object{"provider": "custom"}, custom(object{"url": " "})},
		"not_connected":             {object{"provider": "google_ads"}, off("meta", object{"oauth_connection_id": uuid.New()}), off("meta", object{"oauth_connection_id": "x"})},
		"invalid_conversion_action": {off("google_ads", object{"conversion_action": "Purchase"}), off("google_ads", object{"conversion_action": 7}), off("microsoft_ads", object{"conversion_action": strings.Repeat("x", 101)})},
		"no_conversion_action":      {off("google_ads", object{"conversions_enabled": true}), off("microsoft_ads", object{"conversions_enabled": true})},
		"no_capi_credentials":       {off("meta", object{"conversions_enabled": true}), off("tiktok", object{"conversions_enabled": true}), off("meta", object{"conversions_enabled": true, "credentials": object{"pixel_id": "123456"}}), off("microsoft_ads", object{"conversions_enabled": true, "credentials": object{"uet_token": "uet-token-canary"}})},
		"invalid_input": {
			off("tiktok", object{"credentials": object{"token": "x"}}), off("tiktok", object{"credentials": object{"access_token": 7}}),
			off("tiktok", object{"credentials": "x"}), off("tiktok", object{"credentials_clear": []string{"token"}}),
			off("tiktok", object{"conversion_statuses": []string{"rejected"}}), off("taboola", object{"conversions_enabled": true}),
			off("tiktok", object{"cost_endpoint": object{"url": "https://spend.example.com/"}}), off("tiktok", object{"enabled": true}),
			off("tiktok", object{"credentials": object{"access_token": strings.Repeat("k", 8001)}}),
			custom(object{"url": "http://spend.example.com/"}), custom(object{"url": "https://127.0.0.1/"}), custom(object{"method": "DELETE"}),
			custom(object{"spendDivisor": 0}), custom(object{"spendDivisor": -1}), custom(object{"currency": "EURO"}),
			custom(object{"headers": object{"X Key": "v"}}), custom(object{"headers": object{"X-Key": "a\nb"}}), custom(object{"headers": many}),
			custom(object{"body": strings.Repeat("b", 8001)}), custom(object{"rows_path": "x"}), custom(object{"headers": object{"X-Key": ""}}),
			custom(object{"rowsPath": strings.Repeat("r", 256)}), custom(object{"dateFormat": "D.M.Y"}), custom(object{"pageRows": 10}),
			custom(object{"url": "https://spend.example.com/{page}"}), custom(object{"firstPage": 2}), custom(object{"pageRows": -1}),
		},
	} {
		for _, body := range bodies {
			s.Do("PUT", path, body).Want(400, code)
		}
	}
	s.Do("PUT", "/traffic-sources/x/integration", off("tiktok", nil)).Want(400, "invalid_id")
	s.Do("POST", path, nil).Want(400, "not_configured")
	s.Do("PUT", path, off("custom", nil)).Want(200, "")
	s.Do("POST", path, nil).Want(400, "no_url")
	uet := object{"uet_tag_id": "187012345", "uet_token": "uet-token-canary"} // a UET tag needs neither a sign-in nor a conversion_action
	s.Do("PUT", path, off("microsoft_ads", object{"conversions_enabled": true, "credentials": uet})).Want(200, "")
	s.Do("PUT", path, off("tiktok", nil)).Want(200, "")
	s.Do("POST", path, `x`).Want(400, "bad_body")
	for _, body := range []object{
		{"action": "apply"},
		{"action": 7},
		{"from": "1.11.2026"},
		{"from": "2026-02-30"},
		{"to": "2026-02-30"},
		{"from": "2026-11-02", "to": "2026-11-01"},
		{"from": "2025-11-01", "to": "2026-11-02"},
		{"apply": true},
	} {
		s.Do("POST", path, body).Want(400, "invalid_input")
	}
	for _, method := range []string{"GET", "PUT", "POST", "DELETE"} {
		var body any
		if method == "PUT" {
			body = off("tiktok", nil)
		}
		s.Do(method, "/traffic-sources/x/integration", body).Want(400, "invalid_id")
		s.Do(method, "/traffic-sources/"+uuid.NewString()+"/integration", body).Want(404, "not_found")
	}
	keyless, _, without := newSource(t, apitest.Options{Plan: "growth", NoKey: true})
	keyless.Do("PUT", without, off("tiktok", object{"credentials": object{"access_token": sourceToken}})).Want(400, "no_encryption_key")
}

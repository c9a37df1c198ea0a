package v1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

// rfc2136 returns a body of PUT /integrations with the given changes of its credentials.
func rfc2136(change object) object {
	c := object{"server": "ns1.acme.example", "zones": "acme.example", "key_name": "k", "key": "canary-1-secret"}
	for field, value := range change {
		c[field] = value
	}
	return object{"provider": "rfc2136", "label": "Own", "credentials": c}
}

// TestIntegrations: the answer lists every provider with the fields to fill in, and masks secrets. A credential that is missing,
// empty or masked in a request keeps its value, unless the request changes the server or the provider.
func TestIntegrations(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	type list struct {
		Providers []struct {
			Provider, Label, Apex string
			Fields                []struct {
				Name, Label, Help string
				Secret, Required  bool
				Values            []string
			}
		}
		Accounts            []map[string]any
		EncryptionAvailable bool
	}
	get := func() (out list) { s.Do("GET", "/integrations", nil).Want(200, "").Into(&out); return out }
	empty := get()
	if len(empty.Providers) != len(models.DNSProviders) || !empty.EncryptionAvailable || len(empty.Accounts) != 0 {
		t.Fatalf("at first want every provider, encryption, and no accounts: %+v", empty)
	}
	for _, p := range empty.Providers { // each field has a label and a help text; values for the required fields are enough
		credentials := object{}
		for _, f := range p.Fields {
			if f.Label == "" || f.Help == "" || p.Label == "" {
				t.Errorf("%s: the provider or its field %+v lacks a label or a help text", p.Provider, f)
			}
			if f.Required {
				credentials[f.Name] = "value-of-" + f.Name
				if len(f.Values) > 0 {
					credentials[f.Name] = f.Values[0]
				}
			}
		}
		body := object{"provider": p.Provider, "credentials": credentials}
		id := s.Do("PUT", "/integrations", body).Want(200, "").Map()["id"].(string)
		s.Do("DELETE", "/integrations?id="+id, nil).Want(200, "")
	}

	saved := s.Do("PUT", "/integrations", rfc2136(nil)).Want(200, "").Map()
	id := uuid.MustParse(saved["id"].(string))
	credentials := func() map[string]string {
		a, err := s.Store.DNSAccounts().Find(t.Context(), s.Account.ID, id)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Store.DNSAccounts().Credentials(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	same(t, get().Accounts[0], map[string]any{
		"id": id.String(), "provider": "rfc2136", "label": "Own", "checkedAt": nil, "failingSince": nil, "error": nil,
		"credentials": "map[key:******** key_algorithm:hmac-sha256 key_name:k server:ns1.acme.example zones:acme.example]",
	})
	change := func(fields, credentials object) apitest.Answer {
		body := with(object{"provider": "rfc2136", "credentials": credentials}, "id", id.String())
		for name, value := range fields {
			body[name] = value
		}
		return s.Do("PUT", "/integrations", body)
	}
	for _, blank := range []object{{}, {"key": ""}, {"key": "********", "zones": "b.example"}} {
		change(nil, blank).Want(200, "")
	}
	if c := credentials(); c["key"] != "canary-1-secret" || c["zones"] != "b.example" || c["key_name"] != "k" {
		t.Errorf("blank credentials did not keep their values: %v", c)
	}
	// A stored secret is not used for another server.
	change(nil, object{"server": "ns.evil.example"}).Want(400, "invalid_credentials")
	change(nil, object{"server": "ns.evil.example", "key": "********"}).Want(400, "invalid_credentials")
	change(object{"label": "Two"}, object{"server": "ns2.acme.example", "key": "canary-2"}).Want(200, "")
	if c := credentials(); c["key"] != "canary-2" || c["server"] != "ns2.acme.example" {
		t.Errorf("after a change of the server, the credentials are %v, want the new server and the new key", c)
	}
	// Another provider gets no credentials of the old provider.
	change(object{"provider": "cloudflare"}, nil).Want(400, "invalid_credentials")
	change(object{"provider": "cloudflare", "label": nil}, object{"api_token": "canary-3"}).Want(200, "")
	if c := credentials(); len(c) != 1 || c["api_token"] != "canary-3" {
		t.Errorf("after a change of the provider, the credentials are %v, want only the new token", c)
	}
	if raw := string(s.Do("GET", "/integrations", nil).Raw); strings.Contains(raw, "canary") || !strings.Contains(raw, "********") {
		t.Errorf("the list shows secrets: %s", raw)
	}
}

func TestIntegrationRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	id := s.Do("PUT", "/integrations", rfc2136(nil)).Want(200, "").Map()["id"].(string)
	_, foreignKey, _ := s.NewAccount("growth")
	foreign := s.As(foreignKey).Do("PUT", "/integrations", rfc2136(nil)).Want(200, "").Map()["id"].(string)
	for code, bodies := range map[string][]any{
		"bad_body":         {`x`},
		"unknown_provider": {object{}, object{"provider": "bind"}, object{"provider": 7}},
		"invalid_id":       {with(rfc2136(nil), "id", "x")},
		"not_found":        {with(rfc2136(nil), "id", foreign), with(rfc2136(nil), "id", uuid.NewString())},
		"invalid_credentials": {
			object{"provider": "rfc2136"},
			rfc2136(object{"key": " "}), rfc2136(object{"token": "x"}), rfc2136(object{"key": 7}),
			rfc2136(object{"key": strings.Repeat("k", 8001)}), rfc2136(object{"key_algorithm": "hmac-md5"}),
			object{"provider": "rfc2136", "credentials": "x"},
		},
		"invalid_input": {with(rfc2136(nil), "label", strings.Repeat("l", 101)), with(rfc2136(nil), "labels", "x")},
	} {
		for _, body := range bodies {
			status := 400
			if code == "not_found" {
				status = 404
			}
			s.Do("PUT", "/integrations", body).Want(status, code)
		}
	}
	for range models.MaxDNSAccounts - 1 {
		s.Do("PUT", "/integrations", rfc2136(nil)).Want(200, "")
	}
	s.Do("PUT", "/integrations", rfc2136(nil)).Want(400, "too_many")
	for _, missing := range []string{foreign, uuid.NewString()} {
		s.Do("DELETE", "/integrations?id="+missing, nil).Want(404, "not_found")
		s.Do("POST", "/integrations/test", object{"id": missing}).Want(400, "not_connected")
	}
	s.Do("DELETE", "/integrations?id=x", nil).Want(400, "invalid_id")
	s.Do("POST", "/integrations/test", object{"id": "x"}).Want(400, "invalid_id")
	s.Do("POST", "/integrations/test", object{}).Want(400, "invalid_id")
	reader := s.As(s.ReadKey)
	reader.Do("PUT", "/integrations", rfc2136(nil)).Want(403, "read_only_key")
	reader.Do("DELETE", "/integrations?id="+id, nil).Want(403, "read_only_key")
	reader.Do("POST", "/integrations/test", object{"id": id}).Want(403, "read_only_key")
	same(t, s.Do("DELETE", "/integrations?id="+id, nil).Want(200, "").Map(), map[string]any{"disconnected": true})
	s.Do("DELETE", "/integrations?id="+id, nil).Want(404, "not_found")

	bare := apitest.New(t, apitest.Options{NoKey: true})
	bare.Do("PUT", "/integrations", rfc2136(nil)).Want(400, "no_encryption_key")
	same(t, bare.Do("GET", "/integrations", nil).Want(200, "").Map(), map[string]any{"encryptionAvailable": false})
}

// TestDNSJobs: calls that need a provider return the worker's answer.
func TestDNSJobs(t *testing.T) {
	t.Parallel()
	s := domainServer(t, "scale")
	id := uuid.MustParse(s.Do("PUT", "/integrations", rfc2136(nil)).Want(200, "").Map()["id"].(string))
	zones := jobs.DNSZones{ID: id, Provider: "rfc2136", Label: "Own", OK: true, Zones: []string{"acme.example"}}
	jobstest.Answer(s.Jobs, jobs.TestDNS, func(_ uuid.UUID, a jobs.DNSArgs) (jobs.DNSZones, error) {
		if a.ID != id {
			return jobs.DNSZones{}, models.Invalid("not_connected", "none")
		}
		return zones, nil
	})
	jobstest.Answer(s.Jobs, jobs.ListDNSZones, func(uuid.UUID, jobs.None) ([]jobs.DNSZones, error) {
		return []jobs.DNSZones{zones, {ID: id, Message: "refused", Zones: []string{}}}, nil
	})
	same(t, s.Do("POST", "/integrations/test", object{"id": id}).Want(200, "").Map(), map[string]any{
		"ok": true, "detail": nil, "zones": "[acme.example]",
	})
	zones.OK, zones.Message = false, "the provider refused the credentials"
	same(t, s.Do("POST", "/integrations/test", object{"id": id}).Want(200, "").Map(), map[string]any{
		"ok": false, "detail": "the provider refused the credentials", "message": "the test failed",
	})
	zones.OK, zones.Message = true, ""
	accounts := s.As(s.ReadKey).Do("GET", "/integrations/zones", nil).Want(200, "").Map()["accounts"].([]any)
	if len(accounts) != 2 {
		t.Fatal(accounts)
	}
	same(t, accounts[0].(map[string]any), map[string]any{"ok": true, "error": nil, "zones": "[acme.example]", "provider": "rfc2136"})
	same(t, accounts[1].(map[string]any), map[string]any{"ok": false, "error": "refused", "zones": "[]"})

	added := 0
	jobstest.Answer(s.Jobs, jobs.AddDomains, func(account uuid.UUID, a jobs.AddDomainsArgs) (out jobs.AddedDomains, err error) {
		added++
		if a.DNS != id || a.Settings.GroupName != "G" || a.Settings.HTTPSOnly {
			t.Errorf("the job has other settings than the call: %+v", a)
		}
		domains, skipped, err := s.Store.Domains().Add(t.Context(), account, a.Hosts, a.Settings)
		for _, d := range domains {
			out.Added = append(out.Added, jobs.AddedDomain{ID: d.ID, Host: d.Host, IsVerified: d.IsVerified})
			out.Points = append(out.Points, models.DNSPoint{
				Host: d.Host, OK: true, Action: models.DNSCreated, Record: &models.DNSRecord{Type: "CNAME", Name: d.Host, Value: "t.example"},
			})
		}
		out.Skipped = append([]string{}, skipped...)
		return out, err
	})
	body := object{"domain": "bücher.example, go.acme.example", "dns_account_id": id, "group_name": "G", "https_only": false}
	var first, again map[string]any
	s.Do("POST", "/domains", body, "Idempotency-Key", "key-1").Want(201, "").Into(&first)
	s.Do("POST", "/domains", body, "Idempotency-Key", "key-1").Want(201, "").Into(&again)
	if added != 1 || fmt.Sprint(first) != fmt.Sprint(again) {
		t.Errorf("the job ran %d times, want 1, and the same answer twice: %v and %v", added, first, again)
	}
	same(t, first, map[string]any{"domain": "xn--bcher-kva.example", "added": "[xn--bcher-kva.example go.acme.example]", "skipped": "[]"})
	same(t, first["dns"].([]any)[1].(map[string]any), map[string]any{
		"host": "go.acme.example", "ok": true, "action": "created", "record": "map[name:go.acme.example type:CNAME value:t.example]",
	})
	s.Do("POST", "/domains", body).Want(409, "duplicate")

	jobstest.Answer(s.Jobs, jobs.PointDomain, func(_ uuid.UUID, a jobs.PointDomainArgs) (jobs.PointedDomain, error) {
		if a.ID.String() != first["id"] {
			return jobs.PointedDomain{}, models.Invalid("no_provider", "none")
		}
		return jobs.PointedDomain{Provider: "rfc2136", DNSPoint: models.DNSPoint{
			OK: true, Message: "m", Record: &models.DNSRecord{Type: "CNAME", Name: "a.example", Value: "t.example"},
		}}, nil
	})
	same(t, s.Do("POST", fmt.Sprintf("/domains/%v/point", first["id"]), nil).Want(200, "").Map(), map[string]any{
		"ok": true, "provider": "rfc2136", "message": "m", "detail": "a.example CNAME t.example", "certificate": nil,
	})
	s.Do("POST", "/domains/"+addDomain(t, s, "elsewhere.example")+"/point", nil).Want(400, "no_provider")
}

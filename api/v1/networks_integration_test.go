package v1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/integration"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

// everflow returns a body that connects Everflow, with the given changes of the credentials.
func everflow(change object) object {
	c := object{"api_key": "canary-1-secret"}
	for field, value := range change {
		c[field] = value
	}
	return object{"provider": "everflow", "credentials": c}
}

// TestNetworkIntegration: values for the required fields of each platform connect the network. Secrets are stored encrypted and
// shown masked. A secret that is sent as its mask keeps its value.
func TestNetworkIntegration(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	id := s.Do("POST", "/networks", object{"name": "N"}).Want(201, "").Map()["id"].(string)
	path := "/networks/" + id + "/integration"
	var empty struct {
		NetworkName string
		ConnectedTo *string
		Providers   []struct {
			Provider, Label, Click string
			Fields                 []struct {
				Name, Label, Help string
				Required          bool
				Values            []string
			}
		}
		EncryptionAvailable bool
	}
	s.Do("GET", path, nil).Want(200, "").Into(&empty)
	if len(empty.Providers) != len(models.NetworkProviders) || !empty.EncryptionAvailable || empty.ConnectedTo != nil || empty.NetworkName != "N" {
		t.Fatalf("at first want every provider, and no connection: %+v", empty)
	}
	for _, p := range empty.Providers {
		credentials := object{}
		for _, f := range p.Fields {
			if f.Label == "" || f.Help == "" || p.Label == "" || p.Click == "" {
				t.Errorf("%s: the platform or its field %+v lacks a label or a help text", p.Provider, f)
			}
			if f.Required {
				credentials[f.Name] = "value-of-" + f.Name
				if len(f.Values) > 0 {
					credentials[f.Name] = f.Values[0]
				}
			}
		}
		s.Do("PUT", path, object{"provider": p.Provider, "credentials": credentials}).Want(200, "")
	}
	s.Do("PUT", path, everflow(nil)).Want(200, "")
	s.Do("PUT", path, object{"provider": "everflow", "credentials": object{"api_key": "********", "region": "eu"}, "is_enabled": false}).Want(200, "")
	shown := s.Do("GET", path, nil).Want(200, "")
	same(t, shown.Map(), map[string]any{
		"connectedTo": "everflow", "credentials": "map[api_key:******** region:eu]", "is_enabled": false, "lastStatus": nil, "nextSyncAt": nil,
	})
	network := uuid.MustParse(id)
	saved, err := integration.NewNetworks(s.Store).Find(t.Context(), s.Account.ID, network)
	if err != nil {
		t.Fatal(err)
	}
	credentials, err := integration.NewNetworks(s.Store).Credentials(t.Context(), saved)
	if err != nil || credentials["api_key"] != "canary-1-secret" || credentials["region"] != "eu" {
		t.Errorf("the saved credentials are %v (%v)", credentials, err)
	}
	var row string
	if err := s.DB.GetContext(t.Context(), &row, `SELECT t::text FROM network_integrations t`); err != nil || strings.Contains(row, "canary") {
		t.Errorf("the secret is stored unencrypted: %s, %v", row, err)
	}
	same(t, s.Do("DELETE", path, nil).Want(200, "").Map(), map[string]any{"disconnected": true})
	same(t, s.Do("DELETE", path, nil).Want(200, "").Map(), map[string]any{"disconnected": false})
}

// TestDroppedSecretIsNotShown: if the address changes, optional secrets are deleted.
func TestDroppedSecretIsNotShown(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	path := fmt.Sprintf("/networks/%v/integration", s.Do("POST", "/networks", object{"name": "N"}).Want(201, "").Map()["id"])
	for _, step := range []struct {
		host, token string
		stored      bool
	}{{"a", "s3cret", true}, {"a", "", true}, {"b", "********", false}, {"b", "s3cret", true}, {"c", "", false}} {
		s.Do("PUT", path, object{"provider": "custom", "credentials": object{
			"url": "https://" + step.host + ".example.com/orders", "token": step.token, "click_field": "click", "id_field": "id",
		}}).Want(200, "")
		credentials := s.Do("GET", path, nil).Want(200, "").Map()["credentials"].(map[string]any)
		shown, ok := credentials["token"]
		if _, other := credentials["header_value"]; ok != step.stored || ok && shown != "********" || other {
			t.Errorf("%+v: the answer shows the credentials %v, want the token only if the host is unchanged or a new token was sent", step, credentials)
		}
	}
}

func TestNetworkIntegrationRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	id := s.Do("POST", "/networks", object{"name": "N"}).Want(201, "").Map()["id"].(string)
	path := "/networks/" + id + "/integration"
	day := object{"from": "2026-11-01", "to": "2026-11-02"}
	s.Do("POST", path+"/sync", day).Want(400, "not_connected")
	s.Do("POST", path+"/test", nil).Want(400, "not_connected")
	for code, bodies := range map[string][]any{
		"bad_body":         {`x`},
		"unknown_provider": {object{}, object{"provider": "nobody"}, object{"provider": 7}},
		"invalid_credentials": {
			object{"provider": "everflow"},
			everflow(object{"api_key": " "}), everflow(object{"token": "x"}), everflow(object{"api_key": 7}),
			everflow(object{"region": "mars"}), everflow(object{"api_key": strings.Repeat("k", 8001)}),
			object{"provider": "everflow", "credentials": "x"},
		},
		"invalid_input": {with(everflow(nil), "is_enabled", "x"), with(everflow(nil), "enabled", true)},
	} {
		for _, body := range bodies {
			s.Do("PUT", path, body).Want(400, code)
		}
	}
	reversed := object{"from": "2026-11-02", "to": "2026-11-01"}
	s.Do("POST", path+"/sync", reversed).Want(400, "bad_range") // the range is checked first
	s.Do("PUT", path, everflow(nil)).Want(200, "")
	for _, body := range []object{
		reversed,
		{},
		{"from": "2026-11-02"},
		{"to": "2026-11-02"},
		{"from": "2026-02-30", "to": "2026-03-01"},
		{"from": "1.11.2026", "to": "2026-11-02"},
		{"from": 20261101, "to": "2026-11-02"},
		{"from": "2025-11-01", "to": "2026-11-02"},
	} {
		s.Do("POST", path+"/sync", body).Want(400, "bad_range")
	}
	reader := s.As(s.ReadKey)
	reader.Do("GET", path, nil).Want(200, "")
	reader.Do("PUT", path, everflow(nil)).Want(403, "read_only_key")
	reader.Do("POST", path+"/sync", day).Want(403, "read_only_key")
	reader.Do("POST", path+"/test", nil).Want(403, "read_only_key")
	_, foreignKey, _ := s.NewAccount("growth")
	for _, missing := range []string{path, "/networks/" + uuid.NewString() + "/integration"} {
		other := s.As(foreignKey)
		other.Do("GET", missing, nil).Want(404, "not_found")
		other.Do("PUT", missing, everflow(nil)).Want(404, "not_found")
		other.Do("DELETE", missing, nil).Want(404, "not_found")
		other.Do("POST", missing+"/sync", day).Want(404, "not_found")
		other.Do("POST", missing+"/test", nil).Want(404, "not_found")
	}

	bare := apitest.New(t, apitest.Options{NoKey: true})
	id = bare.Do("POST", "/networks", object{"name": "N"}).Want(201, "").Map()["id"].(string)
	bare.Do("PUT", "/networks/"+id+"/integration", everflow(nil)).Want(400, "no_encryption_key")
	same(t, bare.Do("GET", "/networks/"+id+"/integration", nil).Want(200, "").Map(), map[string]any{"encryptionAvailable": false})
}

// TestNetworkTested: the call returns the worker's answer.
func TestNetworkTested(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	id := s.Do("POST", "/networks", object{"name": "N"}).Want(201, "").Map()["id"].(string)
	path := "/networks/" + id + "/integration"
	s.Do("PUT", path, everflow(nil)).Want(200, "")
	failure := ""
	jobstest.Answer(s.Jobs, jobs.TestNetwork, func(_ uuid.UUID, a jobs.NetworkArgs) (jobs.NetworkTested, error) {
		if a.ID.String() != id {
			return jobs.NetworkTested{}, models.Invalid("not_connected", "none")
		}
		return jobs.NetworkTested{Provider: "everflow", Failure: failure}, nil
	})
	same(t, s.Do("POST", path+"/test", nil).Want(200, "").Map(), map[string]any{"ok": true, "provider": "everflow", "detail": nil})
	failure = "the provider refused the credentials"
	same(t, s.Do("POST", path+"/test", nil).Want(200, "").Map(), map[string]any{
		"ok": false, "message": "the test failed", "detail": failure,
	})
}

package v1_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db"
	"switchyard/models"
)

func channel(kind string, credentials object) object {
	return object{"kind": kind, "credentials": credentials}
}

// TestAlertChannels adds, confirms, changes and deletes channels. Secrets are masked.
func TestAlertChannels(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth", V1: v1.Deps{Email: true}})
	const path = "/alerts/channels"
	list := func() map[string]any { return s.Do("GET", path, nil).Want(200, "").Map() }
	empty := list()
	if len(empty["kinds"].([]any)) != len(models.AlertChannelKinds) || len(empty["channels"].([]any)) != 0 || empty["encryptionAvailable"] != true {
		t.Fatalf("at first the answer is %v, want every kind of channel, encryptionAvailable true, and no channels", empty)
	}
	slack := s.Do("POST", path, channel("slack", object{"url": "https://hooks.slack.com/services/T0/B0/s3cret"})).Want(201, "").Map()
	same(t, slack, map[string]any{"kind": "slack", "severity": "warning", "is_active": true, "confirmed": true, "error": nil})
	same(t, slack["credentials"].(map[string]any), map[string]any{"url": models.MaskedSecret})
	mail := s.Do("POST", path, with(channel("email", object{"address": "buyer@acme.com"}), "severity", "critical")).Want(201, "").Map()
	same(t, mail, map[string]any{"kind": "email", "severity": "critical", "confirmed": false})
	same(t, mail["credentials"].(map[string]any), map[string]any{"address": "buyer@acme.com"})
	if a := s.Do("GET", path, nil).Want(200, ""); strings.Contains(string(a.Raw), "s3cret") {
		t.Error("a secret is shown")
	}

	id := mail["id"]
	s.Do("POST", path+"/test", object{"id": id}).Want(400, "not_confirmed")
	s.Do("POST", path+"/confirm", object{"id": id, "code": "0"}).Want(400, "invalid_code")
	code, err := db.Get[string](t.Context(), s.DB, "code", `SELECT code FROM alert_channels WHERE id = $1`, id)
	if err != nil || len(code) != 8 {
		t.Fatal(code, err)
	}
	foreign, otherKey, _ := s.NewAccount("growth")
	for _, call := range []struct {
		method, path string
		body         object
	}{
		{"POST", path + "/confirm", object{"id": id, "code": code}},
		{"PATCH", path, object{"id": id, "name": "x"}},
		{"POST", path + "/test", object{"id": id}},
		{"DELETE", path + "?id=" + id.(string), nil},
	} {
		s.As(otherKey).Do(call.method, call.path, call.body).Want(404, "not_found")
		s.As(s.ReadKey).Do(call.method, call.path, call.body).Want(403, "read_only_key")
	}
	if got := s.As(otherKey).Do("GET", path, nil).Want(200, "").Map(); len(got["channels"].([]any)) != 0 {
		t.Errorf("the account %s sees channels of another account: %v", foreign.Name, got)
	}
	s.Do("POST", path+"/confirm", object{"id": id, "code": code}).Want(200, "")
	s.Do("PATCH", path, object{"id": id}).Want(400, "no_fields")
	changed := s.Do("PATCH", path, object{"id": id, "severity": "warning", "is_active": false, "name": "Me"}).Want(200, "").Map()
	same(t, changed, map[string]any{"severity": "warning", "is_active": false, "name": "Me", "confirmed": true})
	s.Do("DELETE", path+"?id="+id.(string), nil).Want(200, "")
	s.Do("DELETE", path+"?id="+uuid.NewString(), nil).Want(404, "not_found")
	s.Do("DELETE", path, nil).Want(400, "invalid_id")
	s.Do("PATCH", path, object{"id": "x", "name": "x"}).Want(400, "invalid_id")
	s.Do("POST", path+"/confirm", object{"id": "x", "code": "1"}).Want(400, "invalid_id")
	s.Do("POST", path+"/test", object{"id": "x"}).Want(400, "invalid_id")
	if got := list()["channels"].([]any); len(got) != 1 {
		t.Errorf("want only the Slack channel after the e-mail channel was deleted: %v", got)
	}
}

// TestAlertChannelsRefused: invalid channels are refused. An account can have only a few channels and request only a few
// codes.
func TestAlertChannelsRefused(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth", V1: v1.Deps{Email: true}})
	const path = "/alerts/channels"
	for _, c := range []struct {
		body object
		code string
	}{
		{channel("fax", nil), "unknown_kind"},
		{channel("slack", nil), "invalid_credentials"},
		{channel("slack", object{"url": "http://hooks.slack.com/x"}), "invalid_url"},
		{channel("discord", object{"url": "https://10.0.0.1/x"}), "invalid_url"},
		{channel("telegram", object{"bot_token": "1:a"}), "invalid_credentials"},
		{channel("email", object{"address": "a@acme.com, b@acme.com"}), "invalid_credentials"},
		{channel("email", object{"address": "a@acme.com\r\nBcc: b@acme.com"}), "invalid_credentials"},
		{channel("email", object{"address": "A <a@acme.com>"}), "invalid_credentials"},
		{channel("email", object{"address": "root@localhost"}), "invalid_credentials"},
		{with(channel("slack", object{"url": "https://hooks.slack.com/x"}), "severity", "low"), "invalid_input"},
	} {
		s.Do("POST", path, c.body).Want(400, c.code)
	}
	for range models.MaxAlertCodes {
		made := s.Do("POST", path, channel("email", object{"address": "a@acme.com"})).Want(201, "").Map()
		s.Do("DELETE", path+"?id="+made["id"].(string), nil).Want(200, "")
	}
	s.Do("POST", path, channel("email", object{"address": "b@acme.com"})).Want(400, "too_many")
	for range models.MaxAlertChannels {
		s.Do("POST", path, channel("slack", object{"url": "https://hooks.slack.com/x"})).Want(201, "")
	}
	s.Do("POST", path, channel("slack", object{"url": "https://hooks.slack.com/x"})).Want(400, "too_many")

	bare := apitest.New(t, apitest.Options{Plan: "growth", NoKey: true})
	bare.Do("POST", path, channel("slack", object{"url": "https://hooks.slack.com/x"})).Want(400, "no_encryption_key")
	bare.Do("POST", path, channel("email", object{"address": "a@acme.com"})).Want(400, "not_configured")
}

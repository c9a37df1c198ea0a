package v1_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

func TestConversionActions(t *testing.T) {
	t.Parallel()
	s, id, path := newSource(t, apitest.Options{})
	actions := path + "/conversion-actions"
	both := func(code string) {
		t.Helper()
		s.Do("GET", actions, nil).Want(400, code)
		s.Do("POST", actions, nil).Want(400, code)
	}
	both("not_platform_ab")
	s.Do("GET", "/traffic-sources/"+uuid.NewString()+"/integration/conversion-actions", nil).Want(400, "not_platform_ab")
	s.Do("GET", "/traffic-sources/x/integration/conversion-actions", nil).Want(400, "invalid_id")
	s.Do("POST", "/traffic-sources/x/integration/conversion-actions", nil).Want(400, "invalid_id")
	off := func(provider string, credentials object) {
		t.Helper()
		s.Do("PUT", path, object{"provider": provider, "is_enabled": false, "credentials": credentials}).Want(200, "")
	}
	off("tiktok", nil)
	both("not_platform_ab")
	off("google_ads", nil)
	both("not_connected")
	signedIn(t, s, s.Account.ID, models.GoogleAds, "a")
	signedIn(t, s, s.Account.ID, models.MicrosoftAds, "a")
	both("no_customer_id")
	off("microsoft_ads", nil)
	both("no_account_id")
	off("microsoft_ads", object{"account_id": "176", "customer_id": "250"})
	for _, code := range []string{"credentials", "not_configured", "platform_a_refused", "platform_b_refused"} {
		jobstest.Answer(s.Jobs, jobs.ListConversionActions, func(uuid.UUID, jobs.ConversionActionsArgs) ([]jobs.ConversionAction, error) {
			return nil, models.Invalid(code, "no")
		})
		jobstest.Answer(s.Jobs, jobs.CreateConversionAction, func(uuid.UUID, jobs.CreateConversionActionArgs) (out jobs.ConversionAction, err error) {
			return out, models.Invalid(code, "no")
		})
		both(code)
	}
	ready := time.Date(2026, 11, 1, 14, 0, 0, 0, time.UTC)
	jobstest.Answer(s.Jobs, jobs.CreateConversionAction, func(account uuid.UUID, a jobs.CreateConversionActionArgs) (jobs.ConversionAction, error) {
		if account != s.Account.ID || a.Source.String() != id {
			t.Errorf("the job has another account or source: account %s, %+v", account, a)
		}
		return jobs.ConversionAction{ID: "9", Name: a.Name, ReadyAt: &ready}, nil
	})
	for name, body := range map[string]any{"Switchyard conversions": nil, "Sales": object{"name": " Sales "}} {
		var made v1.ConversionAction
		s.Do("POST", actions, body).Want(200, "").Into(&made)
		if made.Name != name || made.ID != "9" || made.ReadyAt == nil || *made.ReadyAt != "2026-11-01T14:00:00.000Z" || made.ResourceName != nil {
			t.Errorf("the action differs from the one that the worker created: %+v", made)
		}
	}
	s.As(s.ReadKey).Do("POST", actions, nil).Want(403, "read_only_key")
	jobstest.Answer(s.Jobs, jobs.ListConversionActions, func(uuid.UUID, jobs.ConversionActionsArgs) ([]jobs.ConversionAction, error) {
		return []jobs.ConversionAction{{ID: "9", Resource: "customers/1/conversionActions/9"}}, nil
	})
	var list v1.ConversionActions
	s.As(s.ReadKey).Do("GET", actions, nil).Want(200, "").Into(&list)
	if len(list.Actions) != 1 || list.Actions[0].ID != "9" || *list.Actions[0].ResourceName != "customers/1/conversionActions/9" {
		t.Errorf("want the action of the job's result: %+v", list)
	}
}

// TestChosenConnection: with several sign-ins at a platform, the call must name one of the account's sign-ins.
func TestChosenConnection(t *testing.T) {
	t.Parallel()
	s, _, path := newSource(t, apitest.Options{})
	stranger, _, _ := s.NewAccount("growth")
	foreign := signedIn(t, s, stranger.ID, models.GoogleAds, "c")
	put := func(more object) apitest.Answer {
		body := object{"provider": "google_ads", "credentials": object{"customer_id": "1234567890"}}
		for name, value := range more {
			body[name] = value
		}
		return s.Do("PUT", path, body)
	}
	chosen := func() any { return s.Do("GET", path, nil).Want(200, "").Map()["oauth_connection_id"] }
	put(nil).Want(400, "not_connected")
	first := signedIn(t, s, s.Account.ID, models.GoogleAds, "a")
	put(object{"oauth_connection_id": foreign.ID}).Want(400, "not_connected")
	if put(nil).Want(200, ""); chosen() != first.ID.String() {
		t.Errorf("the source uses the sign-in %v, want the account's only one", chosen())
	}
	second := signedIn(t, s, s.Account.ID, models.GoogleAds, "b")
	if put(object{"oauth_connection_id": second.ID}).Want(200, ""); chosen() != second.ID.String() {
		t.Errorf("the source uses the sign-in %v, want the one that the call names", chosen())
	}
	put(object{"oauth_connection_id": nil}).Want(400, "choose_connection")
}

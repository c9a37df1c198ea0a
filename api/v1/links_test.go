package v1_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/jobs"
	"switchyard/models"
)

// TestLastCheck: lists show the last check of each link, and a caller may request a check.
func TestLastCheck(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	_, other, _ := s.NewAccount("pro")
	offer := s.Do("POST", "/offers", map[string]any{"name": "Shop", "url": "https://o.acme.com/?c={clickid}"}).Want(201, "").Map()["id"].(string)
	lander := s.Do("POST", "/landers", map[string]any{"name": "Page", "url": "https://l.acme.com/"}).Want(201, "").Map()["id"].(string)
	last := func(path string) any {
		t.Helper()
		return s.Do("GET", path, nil).Want(200, "").Map()["rows"].([]any)[0].(map[string]any)["last_check"]
	}
	if c := last("/offers"); c != nil {
		t.Errorf("before the first check, last_check is %v, want null", c)
	}
	for name, c := range map[string]struct {
		body   map[string]any
		status int
		code   string
	}{
		"nothing":               {map[string]any{}, 400, "required"},
		"both":                  {map[string]any{"offer_id": offer, "lander_id": lander}, 400, "required"},
		"invalid id":            {map[string]any{"offer_id": "x"}, 400, "invalid_id"},
		"unknown":               {map[string]any{"offer_id": uuid.NewString()}, 404, "not_found"},
		"lander id as an offer": {map[string]any{"offer_id": lander}, 404, "not_found"},
		"a misspelled field":    {map[string]any{"offerid": offer}, 400, "invalid_input"},
	} {
		if a := s.Do("POST", "/tools/check-links", c.body); a.Status != c.status || a.Code != c.code {
			t.Errorf("%s: answered %d %s, want %d %s", name, a.Status, a.Raw, c.status, c.code)
		}
	}
	body := map[string]any{"offer_id": offer}
	s.As(other).Do("POST", "/tools/check-links", body).Want(404, "not_found")
	s.As(s.ReadKey).Do("POST", "/tools/check-links", body).Want(403, "read_only_key")
	s.Do("POST", "/tools/check-links", body, "Prefer", "respond-async").Want(202, "")
	if n := len(s.Jobs.Tasks(jobs.CheckLink.Kind())); n != 1 {
		t.Errorf("%d jobs were submitted, want 1", n)
	}

	link, err := s.Store.Links().Find(t.Context(), s.Account.ID, models.LinkOffer, uuid.MustParse(offer))
	if err != nil {
		t.Fatal(err)
	}
	status, at := 503, time.Now().UTC().Truncate(time.Millisecond)
	result := models.LinkResult{At: at, Status: &status, Error: "the page answered 503"}
	if _, err := s.Store.Links().RecordCheck(t.Context(), link, result); err != nil {
		t.Fatal(err)
	}
	got, _ := last("/offers").(map[string]any)
	stamp := at.Format(models.EventTimeFormat)
	for k, want := range map[string]any{
		"ok": false, "status": 503.0, "error": "the page answered 503", "checked_at": stamp, "failing_since": stamp, "broken": false,
	} {
		if got[k] != want {
			t.Errorf("%s is %v, want %v", k, got[k], want)
		}
	}
	if c := last("/landers"); c != nil {
		t.Errorf("the unchecked landing page has the check %v, want null", c)
	}
}

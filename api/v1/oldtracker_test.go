package v1_test

import (
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
	"switchyard/models"
)

// TestOldTracker chooses the tracker to which postbacks are forwarded. An address of this service is refused.
func TestOldTracker(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{BaseURL: "https://app.sy.example.com", Tracker: models.DomainTracker{Host: "track.sy.example.com", OwnTargets: true}}})
	same(t, s.As(s.ReadKey).Do("GET", "/old-tracker", nil).Want(200, "").Map(), object{"tracker": "", "url": "", "days": []any{}})
	want := object{"tracker": "keitaro", "url": "https://203.0.114.5/k3y/postback?x=1"}
	same(t, s.Do("PUT", "/old-tracker", want).Want(200, "").Map(), want)
	same(t, s.Do("GET", "/old-tracker", nil).Want(200, "").Map(), want)

	_, foreign, _ := s.NewAccount("scale")
	same(t, s.As(foreign).Do("GET", "/old-tracker", nil).Want(200, "").Map(), object{"tracker": "", "url": "", "days": []any{}})
	for _, d := range []struct {
		host string
		of   uuid.NullUUID
		ok   bool
	}{
		{"shared.example.com", uuid.NullUUID{}, true},
		{"own.example.com", uuid.NullUUID{UUID: s.Account.ID, Valid: true}, false},
	} {
		dbtest.Exec(t, s.DB, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, $3, $4)`, uuid.New(), d.of, d.host, d.ok)
	}
	for _, url := range []string{
		"old.example.com", "ftp://old.example.com", "http://127.0.0.1/", "https://10.0.0.1/postback", "https://localhost/", "https://u:p@old.example.com/",
		"https://old.example.com/?c={clickid}", "https://old.example.com/#x", "https://shared.example.com", "https://OWN.example.com/postback",
		"https://app.sy.example.com/", "https://track.sy.example.com", "https://a.track.sy.example.com",
	} {
		s.Do("PUT", "/old-tracker", object{"tracker": "keitaro", "url": url}).Want(400, "invalid_url")
	}
	s.Do("PUT", "/old-tracker", object{"url": "https://old.example.com"}).Want(400, "invalid_input")
	s.Do("PUT", "/old-tracker", object{"tracker": "other", "url": "https://old.example.com"}).Want(400, "invalid_input")
	s.Do("PUT", "/old-tracker", object{"urll": "x"}).Want(400, "invalid_input")
	s.As(s.ReadKey).Do("PUT", "/old-tracker", want).Want(403, "read_only_key")
	s.Do("GET", "/old-tracker?from=2026-01-01&to=2026-10-01", nil).Want(400, "invalid_input")
	same(t, s.Do("GET", "/old-tracker", nil).Want(200, "").Map(), want)
	same(t, s.Do("PUT", "/old-tracker", object{}).Want(200, "").Map(), object{"tracker": "", "url": ""})
}

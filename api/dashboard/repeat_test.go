package dashboard_test

import (
	"maps"
	"testing"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/models"
)

// In calls of /app/api/..., an Idempotency-Key belongs to one session of a person.
func TestKeysOfPeopleAreTheirOwn(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	owner, viewer := withPassword(t, s, "owner@example.com", models.RoleOwner), withPassword(t, s, "viewer@example.com", models.RoleViewer)
	elsewhere := browserOf(t, s)
	elsewhere.do("POST", "/app/api/session", map[string]any{"email": "owner@example.com", "password": password}).want(t, 200, "")
	begin := func(p *person) answer {
		t.Helper()
		return p.do("POST", "/app/api/me/totp", nil, "Idempotency-Key", "setup-totp-1").want(t, 200, "")
	}
	first := begin(owner)
	if again := begin(owner); !maps.Equal(again.data, first.data) || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the repeated call did not get the first answer: %v", again.data)
	}
	for name, p := range map[string]*person{"another person": viewer, "another session": elsewhere} {
		if got := begin(p); maps.Equal(got.data, first.data) || got.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s is given the first answer: %v", name, got.data)
		}
	}
	// For calls of the API, all sessions of a person share their Idempotency-Keys.
	create := func(p *person) answer {
		t.Helper()
		return p.do("POST", "/api/v1/offers", map[string]any{"name": "o", "url": "https://shop.example/"}, "Idempotency-Key", "offer-1")
	}
	made := create(owner).want(t, 201, "")
	if again := create(elsewhere).want(t, 201, ""); again.data["id"] != made.data["id"] {
		t.Error("one person's call was carried out twice")
	}
	withPassword(t, s, "second@example.com", models.RoleOwner).do("POST", "/api/v1/offers", map[string]any{"name": "o", "url": "https://shop.example/"},
		"Idempotency-Key", "offer-1").want(t, 409, "duplicate_name")
}

// A proof, here the password, is checked each time, even if it is sent again with the same Idempotency-Key.
func TestProofsAreNotRepeated(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "owner@example.com", models.RoleOwner)
	confirm := func(word string) answer {
		t.Helper()
		return p.do("POST", "/app/api/session/confirm", map[string]any{"password": word}, "Idempotency-Key", "confirm-1")
	}
	lapse := func() {
		t.Helper()
		dbtest.Exec(t, s.DB, `UPDATE sessions SET confirmed_at = now() - interval '1 hour'`)
	}
	for range 2 {
		lapse()
		p.do("POST", "/app/api/me/totp", nil).want(t, 403, "confirm")
		if got := confirm(password).want(t, 200, ""); got.header.Get("Idempotent-Replayed") != "" {
			t.Error("the answer to a proof was replayed, so the proof was not checked")
		}
		p.do("POST", "/app/api/me/totp", nil).want(t, 200, "")
	}
	lapse()
	confirm("wrong password").want(t, 401, "wrong_sign_in")
	p.do("POST", "/app/api/me/totp", nil).want(t, 403, "confirm")
}

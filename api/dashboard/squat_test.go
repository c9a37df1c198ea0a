package dashboard_test

import (
	"strings"
	"testing"

	"switchyard/api/apitest"
	"switchyard/models"
)

// squattedServer returns a server on which the owner of another account has invited an address and has used the invitation too,
// with a password and codes that only the owner knows.
func squattedServer(t *testing.T, email string) (s *apitest.Server, remove func()) {
	t.Helper()
	s = apitest.New(t)
	other, _, _ := s.NewAccount("scale")
	owner := browserOf(t, s)
	entry := link(t, s, other, models.LinkEntry, "squatter@example.com", models.RoleOwner)
	owner.do("POST", "/app/api/links/use", map[string]any{"token": entry, "password": password}).want(t, 200, "")
	url := owner.do("POST", "/app/api/team", map[string]any{"email": email, "role": "viewer"}).want(t, 200, "").data["url"].(string)
	_, token, _ := strings.Cut(url, "#")
	squatter := browserOf(t, s)
	squatter.do("POST", "/app/api/links/use", map[string]any{"token": token, "name": "S", "password": wrongPassword}).want(t, 200, "")
	withCodes(t, squatter)
	return s, func() {
		for _, row := range owner.do("GET", "/app/api/team", nil).want(t, 200, "").data["rows"].([]any) {
			if r := row.(map[string]any); r["email"] == email {
				owner.do("DELETE", "/app/api/team/"+r["id"].(string), nil).want(t, 200, "")
			}
		}
	}
}

// TestEntryTrustsNoOtherPassword: an operator's link that signs a person in to an account asks for a new password if another
// account invited the person's address first.
func TestEntryTrustsNoOtherPassword(t *testing.T) {
	t.Parallel()
	const email = "demo@example.com"
	s, _ := squattedServer(t, email)
	token := link(t, s, s.Account, models.LinkEntry, email, models.RoleOwner)
	p := browserOf(t, s)
	if p.do("POST", "/app/api/links/look", map[string]any{"token": token}).want(t, 200, "").data["new_password"] != true {
		t.Error("the link does not ask for a new password")
	}
	p.do("POST", "/app/api/links/use", map[string]any{"token": token}).want(t, 400, "weak_password")
	p.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": password}).want(t, 200, "")
	stranger := browserOf(t, s)
	stranger.do("POST", "/app/api/session", map[string]any{"email": email, "password": wrongPassword}).want(t, 401, "wrong_sign_in")
	stranger.do("POST", "/app/api/session", map[string]any{"email": email, "password": password}).want(t, 200, "")
	// The person is on the account now and has chosen the password, so the next entry keeps it.
	again := link(t, s, s.Account, models.LinkEntry, email, models.RoleOwner)
	if p.do("POST", "/app/api/links/look", map[string]any{"token": again}).want(t, 200, "").data["new_password"] != false {
		t.Error("the second link asks for a new password")
	}
}

// TestRemovedPersonIsForgotten: if a person works on no account any more, the password and the codes are deleted.
func TestRemovedPersonIsForgotten(t *testing.T) {
	t.Parallel()
	const email = "ceo@example.com"
	s, remove := squattedServer(t, email)
	use := func() answer {
		token := link(t, s, s.Account, models.LinkInvite, email, models.RoleOwner)
		return browserOf(t, s).do("POST", "/app/api/links/use", map[string]any{"token": token, "name": "C", "password": password})
	}
	use().want(t, 401, "wrong_sign_in")
	remove()
	use().want(t, 200, "")
	browserOf(t, s).do("POST", "/app/api/session", map[string]any{"email": email, "password": password}).want(t, 200, "")
}

package dashboard_test

import (
	"strings"
	"testing"

	"switchyard/api/apitest"
	"switchyard/models"
)

const wrongPassword = "wrong password"

// TestProofsHaveOneBudget: wrong passwords count for the person they are guessed of, at the sign-in page and by an invitation of
// another account alike.
func TestProofsHaveOneBudget(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	other, _, _ := s.NewAccount("scale")
	for email, first := range map[string]string{"vic@example.com": "link", "ann@example.com": "page"} {
		withPassword(t, s, email, models.RoleOwner)
		token := link(t, s, other, models.LinkInvite, email, models.RoleViewer)
		try := map[string]func(password string) answer{
			"link": func(password string) answer {
				return browserOf(t, s).do("POST", "/app/api/links/use", map[string]any{"token": token, "password": password})
			},
			"page": func(password string) answer {
				return browserOf(t, s).do("POST", "/app/api/session", map[string]any{"email": email, "password": password})
			},
		}
		for range 5 {
			try[first](wrongPassword).want(t, 401, "wrong_sign_in")
		}
		for _, way := range []string{"link", "page"} {
			if got := try[way](password); got.status != 429 || got.code != "rate_limited" {
				t.Errorf("after five wrong proofs by the %s, the %s answers %d %s", first, way, got.status, got.code)
			}
		}
	}
}

// TestLinkEndsAfterTenWrongProofs: ten wrong proofs end a link. The right password does not open it any more.
func TestLinkEndsAfterTenWrongProofs(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	withPassword(t, s, "vic@example.com", models.RoleOwner)
	other, _, _ := s.NewAccount("scale")
	token := link(t, s, other, models.LinkInvite, "vic@example.com", models.RoleViewer)
	if _, err := s.DB.ExecContext(t.Context(), `UPDATE entry_links SET wrong = 9`); err != nil { // on the days before
		t.Fatal(err)
	}
	p := browserOf(t, s)
	p.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": wrongPassword}).want(t, 401, "wrong_sign_in")
	p.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": password}).want(t, 404, "link_gone")
}

// TestOnlyFailuresCount: signing in and confirming with the right password is never limited.
func TestOnlyFailuresCount(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "ana@example.com", models.RoleOwner)
	for range 12 {
		p.do("POST", "/app/api/session", map[string]any{"email": "ana@example.com", "password": password}).want(t, 200, "")
		p.do("POST", "/app/api/session/confirm", map[string]any{"password": password}).want(t, 200, "")
	}
}

// TestConfirmDuringAnAttack: strangers who guess at the sign-in page do not keep a person who is signed in from confirming. Guesses
// in the session itself are limited.
func TestConfirmDuringAnAttack(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "ana@example.com", models.RoleOwner)
	stranger := browserOf(t, s)
	for range 5 {
		stranger.do("POST", "/app/api/session", map[string]any{"email": "ana@example.com", "password": wrongPassword}).want(t, 401, "wrong_sign_in")
	}
	stranger.do("POST", "/app/api/session", map[string]any{"email": "ana@example.com", "password": password}).want(t, 429, "rate_limited")
	p.do("POST", "/app/api/session/confirm", map[string]any{"password": password}).want(t, 200, "")
	for range 5 {
		p.do("POST", "/app/api/session/confirm", map[string]any{"password": wrongPassword}).want(t, 401, "wrong_sign_in")
	}
	p.do("POST", "/app/api/session/confirm", map[string]any{"password": password}).want(t, 429, "rate_limited")
}

// TestLinksEndWithTheirMaker: an owner who is removed, or is no owner any more, does not come back by an invitation made before.
func TestLinksEndWithTheirMaker(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	first := withPassword(t, s, "first@example.com", models.RoleOwner)
	for name, end := range map[string]func(id string){
		"removed": func(id string) { first.do("DELETE", "/app/api/team/"+id, nil).want(t, 200, "") },
		"demoted": func(id string) {
			first.do("PATCH", "/app/api/team/"+id, map[string]any{"role": "viewer"}).want(t, 200, "")
		},
	} {
		email := name + "@example.com"
		second := withPassword(t, s, email, models.RoleOwner)
		url := second.do("POST", "/app/api/team", map[string]any{"email": "back-" + email, "role": "owner"}).want(t, 200, "").data["url"].(string)
		_, token, _ := strings.Cut(url, "#")
		for _, row := range first.do("GET", "/app/api/team", nil).want(t, 200, "").data["rows"].([]any) {
			if row := row.(map[string]any); row["email"] == email {
				end(row["id"].(string))
			}
		}
		got := browserOf(t, s).do("POST", "/app/api/links/use", map[string]any{"token": token, "name": "N", "password": password})
		if got.status != 404 || got.code != "link_gone" {
			t.Errorf("%s: the link answers %d %s", name, got.status, got.code)
		}
	}
}

// TestLastOwnerStaysOne: the only owner does not become less by an invitation of its own.
func TestLastOwnerStaysOne(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "only@example.com", models.RoleOwner)
	url := p.do("POST", "/app/api/team", map[string]any{"email": "only@example.com", "role": "viewer"}).want(t, 200, "").data["url"].(string)
	_, token, _ := strings.Cut(url, "#")
	browserOf(t, s).do("POST", "/app/api/links/use", map[string]any{"token": token, "password": password}).want(t, 409, "last_owner")
	p.do("GET", "/app/api/team", nil).want(t, 200, "")
}

package dashboard_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/db/people"
	"switchyard/models"
)

func idIn(t *testing.T, owner *person, email string) string {
	t.Helper()
	for _, row := range owner.do("GET", "/app/api/team", nil).want(t, 200, "").rowsOf(t) {
		if row["email"] == email {
			return row["id"].(string)
		}
	}
	t.Fatal("no member " + email)
	return ""
}

func invited(t *testing.T, owner *person, email string, role models.Role) string {
	t.Helper()
	url := owner.do("POST", "/app/api/team", map[string]any{"email": email, "role": role}).want(t, 200, "").data["url"].(string)
	_, token, _ := strings.Cut(url, "#")
	return token
}

// TestLinksEndWithTheirMaker: the open links of an owner end if the owner is removed or gets another role, so that the owner
// cannot come back by such a link.
func TestLinksEndWithTheirMaker(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	first := withPassword(t, s, "first@example.com", models.RoleOwner)
	for name, end := range map[string]func(second *person, email string){
		"removed": func(_ *person, email string) {
			first.do("DELETE", "/app/api/team/"+idIn(t, first, email), nil).want(t, 200, "")
		},
		"demoted": func(_ *person, email string) {
			first.do("PATCH", "/app/api/team/"+idIn(t, first, email), map[string]any{"role": "viewer"}).want(t, 200, "")
		},
		"joined": func(second *person, email string) { // joins again by an invitation with a lower role
			token := invited(t, first, email, models.RoleMember)
			second.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": password}).want(t, 200, "")
		},
		"kept": func(_ *person, email string) {
			first.do("PATCH", "/app/api/team/"+idIn(t, first, email), map[string]any{"role": "owner"}).want(t, 200, "")
		},
	} {
		email := name + "@example.com"
		second := withPassword(t, s, email, models.RoleOwner)
		token := invited(t, second, "back-"+email, models.RoleOwner)
		end(second, email)
		got := browserOf(t, s).do("POST", "/app/api/links/use", map[string]any{"token": token, "name": "N", "password": password})
		if ended := got.status == 404 && got.code == "link_gone"; ended != (name != "kept") {
			t.Errorf("%s: the link is answered %d %s, want 404 link_gone unless the inviter is still an owner", name, got.status, got.code)
		}
	}
}

// TestLinkUsedWhileItsMakerLeaves: a link that is used while its maker is removed either works or has ended.
func TestLinkUsedWhileItsMakerLeaves(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	first := withPassword(t, s, "first@example.com", models.RoleOwner)
	for n := range 5 {
		email := fmt.Sprintf("second%d@example.com", n)
		second := withPassword(t, s, email, models.RoleOwner)
		token, id, guest := invited(t, second, fmt.Sprintf("guest%d@example.com", n), models.RoleViewer), idIn(t, first, email), browserOf(t, s)
		used := make(chan answer, 1)
		go func() {
			used <- guest.do("POST", "/app/api/links/use", map[string]any{"token": token, "name": "N", "password": password})
		}()
		first.do("DELETE", "/app/api/team/"+id, nil).want(t, 200, "")
		if got := <-used; got.status != 200 && got.code != "link_gone" {
			t.Errorf("the link answers %d %s, want 200 or link_gone", got.status, got.code)
		}
	}
}

// TestLateLink: CreateLink itself refuses a person who is not an owner. So a call fails even if the person's role changed after the
// API had checked it.
func TestLateLink(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	withPassword(t, s, "first@example.com", models.RoleOwner)
	second := withPassword(t, s, "second@example.com", models.RoleViewer)
	id := uuid.MustParse(second.do("GET", "/app/api/session", nil).want(t, 200, "").data["id"].(string))
	_, _, err := people.New(s.Store).CreateLink(t.Context(), models.EntryLink{
		Kind: models.LinkInvite, AccountID: s.Account.ID, Email: "back@example.com", Role: models.RoleOwner,
		MadeBy: uuid.NullUUID{UUID: id, Valid: true},
	})
	if e, ok := models.AsError(err); !ok || e.Code != "role_required" {
		t.Errorf("making a link as a viewer gives the error %v, want role_required", err)
	}
}

// TestLastOwnerStaysOne: the only owner of an account stays owner.
func TestLastOwnerStaysOne(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "only@example.com", models.RoleOwner)
	withPassword(t, s, "other@example.com", models.RoleMember)
	id := idIn(t, p, "only@example.com")
	use := func(token string) answer {
		return browserOf(t, s).do("POST", "/app/api/links/use", map[string]any{"token": token, "password": password})
	}
	for name, got := range map[string]answer{
		"a change of role":           p.do("PATCH", "/app/api/team/"+id, map[string]any{"role": "member"}),
		"a removal":                  p.do("DELETE", "/app/api/team/"+id, nil),
		"an invitation by the owner": use(invited(t, p, "only@example.com", models.RoleViewer)),
		"an operator's invitation":   use(link(t, s, s.Account, models.LinkInvite, "only@example.com", models.RoleMember)),
		"an operator's entry link":   use(link(t, s, s.Account, models.LinkEntry, "only@example.com", models.RoleViewer)),
	} {
		if got.status != 409 || got.code != "last_owner" {
			t.Errorf("%s: the answer is %d %s, want 409 last_owner", name, got.status, got.code)
		}
	}
	p.do("GET", "/app/api/team", nil).want(t, 200, "")
}

// TestOwnersRemoveOneAnother: if two owners remove each other at the same time, one of them stays.
func TestOwnersRemoveOneAnother(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	owners := []*person{withPassword(t, s, "a@example.com", models.RoleOwner), withPassword(t, s, "b@example.com", models.RoleOwner)}
	paths := []string{"/app/api/team/" + idIn(t, owners[0], "b@example.com"), "/app/api/team/" + idIn(t, owners[0], "a@example.com")}
	answers := make(chan answer, len(owners))
	for i, p := range owners {
		go func() { answers <- p.do("DELETE", paths[i], nil) }()
	}
	removed := 0
	for range owners {
		if got := <-answers; got.status == 200 {
			removed++
		}
	}
	members, err := people.New(s.Store).Members(t.Context(), s.Account.ID)
	if err != nil || removed != 1 || len(members) != 1 {
		t.Errorf("%d owners were removed and %d are left, want one of each; error %v", removed, len(members), err)
	}
}

// TestFirstOwner: a new person who comes by an operator's link chooses a password with it.
func TestFirstOwner(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := browserOf(t, s)
	token := link(t, s, s.Account, models.LinkEntry, "demo@localhost", models.RoleOwner)
	checkLink := func(wantPassword bool) {
		t.Helper()
		if got := p.do("POST", "/app/api/links/look", map[string]any{"token": token}).want(t, 200, "").data["new_password"]; got != wantPassword {
			t.Errorf("whether the link asks for a new password is %v, want %v", got, wantPassword)
		}
	}
	checkLink(true)
	if got := p.do("POST", "/app/api/links/look", map[string]any{"token": token}).want(t, 200, "").data["currency"]; got != s.Account.Currency {
		t.Errorf("the link names the currency %v, want %s", got, s.Account.Currency)
	}
	p.do("POST", "/app/api/links/use", map[string]any{"token": token}).want(t, 400, "weak_password")
	p.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": password}).want(t, 200, "")
	checkConfirmation := func() {
		t.Helper()
		expireProofs(t, s)
		p.do("POST", "/app/api/keys", map[string]any{"name": "k", "scope": "full"}).want(t, 403, "confirm")
		p.do("POST", "/app/api/session/confirm", map[string]any{"password": password}).want(t, 200, "")
		p.do("POST", "/app/api/keys", map[string]any{"name": "k", "scope": "full"}).want(t, 201, "")
	}
	checkConfirmation()
	for range 5 { // strangers do not keep the owner out
		browserOf(t, s).do("POST", "/app/api/session", map[string]any{"email": "demo@localhost", "password": wrongPassword}).want(t, 401, "wrong_sign_in")
	}
	token, p = link(t, s, s.Account, models.LinkEntry, "demo@localhost", models.RoleOwner), browserOf(t, s)
	checkLink(false)
	p.do("POST", "/app/api/links/use", map[string]any{"token": token}).want(t, 200, "")
	checkConfirmation()
}

// expireProofs makes the last confirmation of a password in each session too old to count.
func expireProofs(t *testing.T, s *apitest.Server) {
	t.Helper()
	age := (models.SessionProof + time.Minute).Seconds()
	dbtest.Exec(t, s.DB, `UPDATE sessions SET confirmed_at = now() - make_interval(secs => $1)`, age)
}

package dashboard_test

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"switchyard/api/apitest"
	"switchyard/api/click/visitor"
	"switchyard/api/v1"
	"switchyard/models"
)

const wrongPassword = "wrong password"

// behindProxy returns a server that takes the address of a caller from X-Forwarded-For.
func behindProxy(t *testing.T) *apitest.Server {
	t.Helper()
	visitors, err := visitor.New(visitor.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = visitors.Close() })
	return apitest.New(t, apitest.Options{V1: v1.Deps{Visitors: visitors}})
}

// withCodes sets up an authenticator app for a person, and returns the recovery codes.
func withCodes(t *testing.T, p *person) []any {
	t.Helper()
	secret := p.do("POST", "/app/api/me/totp", nil).want(t, 200, "").data["secret"].(string)
	code, err := totp.GenerateCode(secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return p.do("PUT", "/app/api/me/totp", map[string]any{"code": code}).want(t, 200, "").data["codes"].([]any)
}

// TestProofsHaveOneBudget: wrong passwords and codes for a person count together, from whatever address they come. Guesses at the
// sign-in page, by an invitation of another account and by a reset link share the same limit.
func TestProofsHaveOneBudget(t *testing.T) {
	t.Parallel()
	s := behindProxy(t)
	other, _, _ := s.NewAccount("scale")
	for n, first := range []string{"invite", "page", "reset"} {
		email := first + "@example.com"
		recovery := withCodes(t, withPassword(t, s, email, models.RoleOwner))
		invite := link(t, s, other, models.LinkInvite, email, models.RoleViewer)
		reset := link(t, s, s.Account, models.LinkReset, email, models.RoleOwner)
		stranger, calls := browserOf(t, s), 0
		from := func(path string, body map[string]any) answer {
			calls++
			return stranger.do("POST", path, body, "X-Forwarded-For", fmt.Sprintf("198.%d.%d.1", n, calls))
		}
		try := map[string]func(password string, code any) answer{
			"invite": func(password string, code any) answer {
				return from("/app/api/links/use", map[string]any{"token": invite, "password": password, "code": code})
			},
			"page": func(password string, code any) answer {
				return from("/app/api/session", map[string]any{"email": email, "password": password, "code": code})
			},
			"reset": func(_ string, code any) answer {
				return from("/app/api/links/use", map[string]any{"token": reset, "password": "a new password", "code": code})
			},
		}
		for range 5 {
			try[first](wrongPassword, "000000").want(t, 401, "wrong_sign_in")
		}
		for way, proof := range try {
			if got := proof(password, recovery[0]); got.status != 429 || got.code != "rate_limited" {
				t.Errorf("after five wrong proofs by the %s, the %s is answered %d %s, want 429 rate_limited", first, way, got.status, got.code)
			}
		}
	}
}

// TestAddressesAreLimited: look-ups of tokens that no link has count against the sender's address (in IPv6 its /64) and against its
// network (in IPv6 its /48).
func TestAddressesAreLimited(t *testing.T) {
	t.Parallel()
	s := behindProxy(t)
	p := browserOf(t, s)
	openLink := func(address string) answer {
		return p.do("POST", "/app/api/links/look", map[string]any{"token": "none"}, "X-Forwarded-For", address)
	}
	for site := range 5 {
		for host := range 30 {
			openLink(fmt.Sprintf("2001:db8:7:%x::%x", site, host+1)).want(t, 404, "link_gone")
		}
		openLink(fmt.Sprintf("2001:db8:7:%x::ffff", site)).want(t, 429, "rate_limited")
	}
	openLink("2001:db8:7:ffff::1").want(t, 429, "rate_limited")
	openLink("2001:db8:8:1::1").want(t, 404, "link_gone")
	for range 30 {
		openLink("192.0.2.1").want(t, 404, "link_gone")
	}
	openLink("192.0.2.1").want(t, 429, "rate_limited")
	openLink("192.0.2.2").want(t, 404, "link_gone")
	// From an address that is over the limit, an open link can still be looked up.
	token := link(t, s, s.Account, models.LinkInvite, "new@example.com", models.RoleViewer)
	p.do("POST", "/app/api/links/look", map[string]any{"token": token}, "X-Forwarded-For", "192.0.2.1").want(t, 200, "")
}

// TestRefusedAttemptsCountForNobody: an attempt that is refused unchecked counts against no allowance.
func TestRefusedAttemptsCountForNobody(t *testing.T) {
	t.Parallel()
	s := behindProxy(t)
	withPassword(t, s, "ana@example.com", models.RoleOwner)
	withPassword(t, s, "ben@example.com", models.RoleOwner)
	in := func(email, password, address string) answer {
		return browserOf(t, s).do("POST", "/app/api/session", map[string]any{"email": email, "password": password}, "X-Forwarded-For", address)
	}
	for n := range 5 {
		in("ana@example.com", wrongPassword, fmt.Sprintf("198.51.%d.1", n)).want(t, 401, "wrong_sign_in")
	}
	for range 40 {
		in("ana@example.com", password, "203.0.113.1").want(t, 429, "rate_limited")
	}
	in("ben@example.com", password, "203.0.113.1").want(t, 200, "")
}

// TestLinksTellNothing: an invitation, and the answers to a stranger who uses it, do not reveal whether the person is known here,
// has a password or has codes.
func TestLinksTellNothing(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	withPassword(t, s, "known@example.com", models.RoleOwner)
	recovery := withCodes(t, withPassword(t, s, "codes@example.com", models.RoleOwner))
	signedIn(t, s, "bare@example.com", models.RoleOwner)
	if _, err := s.DB.ExecContext(t.Context(), `UPDATE users SET password = '' WHERE email = 'bare@example.com'`); err != nil { // older versions stored people without a password
		t.Fatal(err)
	}
	other, _, _ := s.NewAccount("scale")
	owner := browserOf(t, s)
	entry := link(t, s, other, models.LinkEntry, "owner@b.example", models.RoleOwner)
	owner.do("POST", "/app/api/links/use", map[string]any{"token": entry, "password": password}).want(t, 200, "")
	plain := func(a answer) string {
		text := fmt.Sprint(a.status, a.code, slices.Sorted(maps.Keys(a.data)), a.data["kind"], a.data["role"], a.data["new_password"])
		return strings.ReplaceAll(text, " ", "")
	}
	tokens, same := map[string]string{}, map[string]string{}
	for _, email := range []string{"unknown@example.com", "known@example.com", "codes@example.com", "bare@example.com"} {
		made := owner.do("POST", "/app/api/team", map[string]any{"email": email, "role": "viewer"}).want(t, 200, "")
		_, token, _ := strings.Cut(made.data["url"].(string), "#")
		tokens[email] = token
		stranger := browserOf(t, s)
		for name, got := range map[string]answer{
			"the invitation":     made,
			"a look at the link": stranger.do("POST", "/app/api/links/look", map[string]any{"token": token}),
			"a short password":   stranger.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": "short"}),
			"no password":        stranger.do("POST", "/app/api/links/use", map[string]any{"token": token}),
			"the sign-in page":   stranger.do("POST", "/app/api/session", map[string]any{"email": email, "password": wrongPassword, "code": "1"}),
		} {
			if same[name] == "" {
				same[name] = plain(got)
			}
			if plain(got) != same[name] {
				t.Errorf("%s, %s: the answer is %s, want %s as for others", name, email, plain(got), same[name])
			}
		}
	}
	use := func(email, password string, code any) answer {
		return browserOf(t, s).do("POST", "/app/api/links/use", map[string]any{"token": tokens[email], "password": password, "code": code})
	}
	for _, email := range []string{"known@example.com", "codes@example.com", "bare@example.com"} {
		use(email, wrongPassword, "").want(t, 401, "wrong_sign_in")
	}
	use("codes@example.com", password, "").want(t, 401, "code_required")
	use("codes@example.com", password, "000000").want(t, 401, "wrong_sign_in")
	use("codes@example.com", password, recovery[0]).want(t, 200, "")
	use("unknown@example.com", wrongPassword, "").want(t, 200, "") // an unknown person chooses the password
}

// TestLinkEndsAfterTenWrongProofs: ten wrong proofs end a link.
func TestLinkEndsAfterTenWrongProofs(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	withPassword(t, s, "vic@example.com", models.RoleOwner)
	other, _, _ := s.NewAccount("scale")
	token := link(t, s, other, models.LinkInvite, "vic@example.com", models.RoleViewer)
	if _, err := s.DB.ExecContext(t.Context(), `UPDATE entry_links SET wrong = 9`); err != nil { // nine wrong proofs on earlier days
		t.Fatal(err)
	}
	p := browserOf(t, s)
	p.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": wrongPassword}).want(t, 401, "wrong_sign_in")
	p.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": password}).want(t, 404, "link_gone")
}

// TestOnlyFailuresCount: sign-ins and confirmations with the right password use up no allowance.
func TestOnlyFailuresCount(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "ana@example.com", models.RoleOwner)
	for range 12 {
		p.do("POST", "/app/api/session", map[string]any{"email": "ana@example.com", "password": password}).want(t, 200, "")
		p.do("POST", "/app/api/session/confirm", map[string]any{"password": password}).want(t, 200, "")
	}
}

// TestConfirmDuringAnAttack: guesses of strangers at the sign-in page do not keep a signed-in person from confirming.
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

package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/ops/admin"
)

// TestDomains: an operator decides which account a hostname belongs to.
func TestDomains(t *testing.T) {
	t.Parallel()
	d, url := dbtest.NewURL(t)
	vars := map[string]string{"DATABASE_URL": url, "BASE_URL": "https://app.install.example", "TRACKING_HOST": "links.install.example"}
	s := store.New(d, nil)
	var accounts []string
	for _, name := range []string{"A", "B"} {
		a, err := s.CreateAccount(t.Context(), name, "pro")
		if err != nil {
			t.Fatal(err)
		}
		hosts := []string{"both.example", strings.ToLower(name) + ".example"}
		set := models.DomainSettings{DomainFields: models.DomainFields{Crawlers: "allow"}}
		if _, _, err := s.Domains().Add(t.Context(), a.ID, hosts, set); err != nil {
			t.Fatal(err)
		}
		accounts = append(accounts, a.ID.String())
	}
	verified := func(host string) (list []string) {
		t.Helper()
		found, err := s.Domains().ByHost(t.Context(), host)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range found {
			if d.IsVerified {
				list = append(list, d.AccountID.String())
			}
		}
		return list
	}
	for _, c := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"verify", "https://A.example/"}, 0, ""},
		{[]string{"verify", "both.example"}, 1, "--account"},
		{[]string{"verify", "both.example", "--account", accounts[1]}, 0, ""},
		{[]string{"verify", "both.example", "--account", accounts[0]}, 1, "serves another account"},
		{[]string{"verify", "b.example", "--account", accounts[0]}, 1, "no such domain"},
		{[]string{"verify", "b.example", "--account", uuid.NewString()}, 1, "no such domain"},
		{[]string{"verify", "none.example"}, 1, "no such domain"},
		{[]string{"add", "t1.localhost", "--account", accounts[0]}, 0, ""},
		{[]string{"add", "t1.localhost", "--account", accounts[0]}, 1, "added already"},
		{[]string{"add", "t2.localhost", "--account", uuid.NewString()}, 1, "no such account"},
		{[]string{"add", "192.0.2.1", "--account", accounts[0]}, 1, "not a hostname"},
		{[]string{"add", "t2.localhost"}, 2, "--account"},
		{[]string{"add", "App.install.example.", "--account", accounts[0]}, 1, "the dashboard is at app.install.example"},
		{[]string{"verify", "app.install.example"}, 1, "the dashboard is at app.install.example"},
		{[]string{"add", "links.install.example", "--account", accounts[0]}, 1, "belong to no account"},
		{[]string{"add", "x.links.install.example", "--account", accounts[0]}, 1, "belong to no account"},
		{[]string{"add", "go.install.example", "--account", accounts[0]}, 0, ""},
	} {
		_, stderr, code := try(t, vars, append([]string{"domains"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.stderr) {
			t.Errorf("domains %v ended with code %d, want %d and a message with %q: %s", c.args, code, c.code, c.stderr, stderr)
		}
	}
	if a, both := verified("a.example"), verified("both.example"); len(a) != 1 || len(both) != 1 || both[0] != accounts[1] {
		t.Errorf("a.example is verified for %v and both.example for %v, want one account each", a, both)
	}
	if own := verified("t1.localhost"); len(own) != 1 || own[0] != accounts[0] {
		t.Errorf("the hostname that the operator added is verified for %v, want only the first account", own)
	}
	if _, stderr, code := try(t, vars, "domains", "reject", "a.example"); code != 0 || len(verified("a.example")) != 0 {
		t.Errorf("domains reject ended with code %d, want 0 and an unverified hostname: %s", code, stderr)
	}
	for host, n := range map[string]int{"both.example": 2, "": 6} {
		stdout, _, _ := try(t, vars, slices.Concat([]string{"domains", "list", "--json"}, strings.Fields(host))...)
		var listed []admin.Domain
		if err := json.Unmarshal([]byte(stdout), &listed); err != nil || len(listed) != n || slices.ContainsFunc(listed, func(d admin.Domain) bool {
			return d.IsVerified && d.Proof != models.ProofOperator
		}) {
			t.Errorf("domains list %q prints %s, want %d domains, and the operator as the proof of each verified one: %v", host, stdout, n, err)
		}
	}
}

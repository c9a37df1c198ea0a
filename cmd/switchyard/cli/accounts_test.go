package cli

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	dbpeople "switchyard/db/people"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
)

// TestAccountsAndKeys runs the operator's commands for accounts and keys on its own database.
func TestAccountsAndKeys(t *testing.T) {
	t.Parallel()
	d, url := dbtest.NewURL(t)
	vars := map[string]string{"DATABASE_URL": url}
	call := func(into any, args ...string) {
		t.Helper()
		stdout, stderr, code := try(t, vars, append(args, "--json")...)
		if code != 0 || stderr != "" {
			t.Fatalf("%v ended with code %d, want 0 without a message: %s", args, code, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), into); err != nil {
			t.Fatalf("%v does not print the expected JSON (%v): %s", args, err, stdout)
		}
	}
	var account struct{ ID string }
	call(&account, "accounts", "create", "--name", "Acme", "--plan", "growth")
	type key struct{ ID, Key, Scope, State string }
	var made, fresh, revoked key
	call(&made, "keys", "create", "--account", account.ID, "--scope", "read_only", "--expires-days", "30", "--name", "n")
	box, err := seal.New(d)
	if err != nil {
		t.Fatal(err)
	}
	s := store.New(d, box)
	if c, err := s.Authenticate(t.Context(), made.Key); err != nil || c.Scope != "read_only" || c.Account.Name != "Acme" {
		t.Errorf("the new key authenticates %+v, want a read-only key of Acme: %v", c, err)
	}
	call(&fresh, "keys", "rotate", made.ID)
	call(&revoked, "keys", "revoke", made.ID)
	if _, err := s.Authenticate(t.Context(), made.Key); err == nil || revoked.State != "revoked" {
		t.Errorf("a revoked key has the state %s, or is still accepted", revoked.State)
	}
	if _, err := s.Authenticate(t.Context(), fresh.Key); err != nil || fresh.Scope != "read_only" {
		t.Errorf("the new key after a rotation is %+v, want one that is accepted and read-only: %v", fresh, err)
	}
	var keys []key
	call(&keys, "keys", "list", "--account", account.ID)
	if len(keys) != 2 || keys[0].Key+keys[1].Key != "" {
		t.Errorf("the list of keys is %+v, want two keys, without the keys' texts", keys)
	}
	var accounts []struct{ ID string }
	call(&accounts, "accounts", "list")
	if len(accounts) != 1 || accounts[0].ID != account.ID {
		t.Errorf("the list of accounts is %+v, want only Acme", accounts)
	}
	var changed struct{ ID, Name, Plan string }
	call(&changed, "accounts", "update", account.ID, "--plan", "pro")
	if changed.ID != account.ID || changed.Name != "Acme" || changed.Plan != "pro" {
		t.Errorf("the plan was changed to pro, but the answer is %+v", changed)
	}
	call(&changed, "accounts", "update", account.ID, "--name", " Acme Ltd ")
	if changed.Name != "Acme Ltd" || changed.Plan != "pro" {
		t.Errorf("after a change of the name, the answer is %+v, want the name Acme Ltd and the plan pro", changed)
	}
	for _, wrong := range [][]string{
		{account.ID},
		{account.ID, "--plan", "gold"},
		{account.ID, "--name", " "},
		{"x", "--plan", "pro"},
		{"00000000-0000-4000-8000-000000000000", "--plan", "pro"},
	} {
		if _, stderr, code := try(t, vars, append([]string{"accounts", "update"}, wrong...)...); code == 0 || stderr == "" {
			t.Errorf("accounts update %v ended with code %d, want an error code and a message: %s", wrong, code, stderr)
		}
	}
	if _, stderr, code := try(t, vars, "accounts", "delete", account.ID, "--yes", "Acme"); code != 1 ||
		!strings.Contains(stderr, `--yes "Acme Ltd"`) {
		t.Errorf("a deletion with another name in --yes ended with code %d, want 1 and the right name in the message: %s", code, stderr)
	}
	var extra struct{ ID, Name string }
	call(&extra, "accounts", "create", "--name", "Gone", "--plan", "growth")
	if _, stderr, code := try(t, vars, "accounts", "delete", extra.ID, "--yes", "Gone"); code != 0 {
		t.Errorf("a deletion ended with code %d, want 0: %s", code, stderr)
	}
	call(&accounts, "accounts", "list")
	if len(accounts) != 1 || accounts[0].ID != account.ID {
		t.Errorf("after the deletion these accounts remain: %+v, want only the other one", accounts)
	}
	var applied struct{ Applied *int }
	call(&applied, "migrate")
	if applied.Applied == nil || *applied.Applied != 0 {
		t.Error("a second migrate does not report 0 applied migrations")
	}
	for want, args := range map[string][]string{
		"no plan":   {"accounts", "create", "--name", "x", "--plan", "gold"},
		"30, 90":    {"keys", "create", "--account", account.ID, "--expires-days", "7"},
		"read_only": {"keys", "create", "--account", account.ID, "--scope", "admin"},
		"no such":   {"keys", "revoke", account.ID},
		"UUID":      {"keys", "rotate", "x"},
	} {
		stdout, stderr, code := try(t, vars, args...)
		if code != 1 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%v ended with code %d and the message %q, want 1, no output and a message with %q", args, code, stderr, want)
		}
	}
}

func TestOpenAPICommand(t *testing.T) {
	t.Parallel()
	stdout, _, code := try(t, nil, "openapi")
	if code != 0 || !strings.Contains(stdout, `"openapi": "3.1.0"`) {
		t.Errorf("openapi ended with code %d, want 0 and OpenAPI 3.1.0: %.100s", code, stdout)
	}
}

// TestUsersReset: a person who belongs to an account gets a link to set a new password. The authenticator app is removed only on
// request.
func TestUsersReset(t *testing.T) {
	t.Parallel()
	d, url := dbtest.NewURL(t)
	box, err := seal.New(d)
	if err != nil {
		t.Fatal(err)
	}
	s, vars := store.New(d, box), map[string]string{"DATABASE_URL": url}
	account, err := s.CreateAccount(t.Context(), "Acme", "pro")
	if err != nil {
		t.Fatal(err)
	}
	people := dbpeople.New(s)
	person, err := people.Ensure(t.Context(), "ana@example.com", "Ana")
	if err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := try(t, vars, "users", "reset", "--email", person.Email); code != 1 || !strings.Contains(stderr, "users invite") {
		t.Errorf("a reset for a person without an account ended with code %d, want 1 and a hint to the invitation: %s", code, stderr)
	}
	err = errors.Join(people.Join(t.Context(), account.ID, person.ID, models.RoleOwner), people.BeginTOTP(t.Context(), person.ID, "SECRET"),
		people.ConfirmTOTP(t.Context(), person.ID, []string{"a-code"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		code  int
		codes bool
	}{
		{[]string{"--email", "Ana@example.com"}, 0, true},
		{[]string{"--email", "ana@example.com", "--account", uuid.NewString()}, 1, true},
		{[]string{"--email", "else@example.com"}, 1, true},
		{[]string{"--email", "ana@example.com", "--account", account.ID.String(), "--drop-codes"}, 0, false},
	} {
		_, stderr, code := try(t, vars, append([]string{"users", "reset"}, c.args...)...)
		found, ok, err := people.FindByEmail(t.Context(), person.Email)
		if code != c.code || err != nil || !ok || found.HasTOTP != c.codes {
			t.Errorf("reset with %v ended with code %d, want %d; the person has an app: %v, want %v: %v %s", c.args, code, c.code, found.HasTOTP, c.codes, err, stderr)
		}
	}
}

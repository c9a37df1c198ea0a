package store_test

import (
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/store"
)

func TestEnsureSharedDomains(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	account := uuid.New()
	for _, q := range []string{
		`INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', 'k')`,
		`INSERT INTO domains (id, account_id, host, is_verified) VALUES (gen_random_uuid(), $1, 'taken.test', true)`,
	} {
		dbtest.Exec(t, d, q, account)
	}
	for range 2 {
		if err := store.EnsureSharedDomains(t.Context(), d, []string{"Go.test", "taken.test"}); err != nil {
			t.Fatal(err)
		}
	}
	const q = `SELECT host FROM domains WHERE account_id IS NULL AND is_verified`
	hosts := dbtest.Select[string](t, d, q)
	if len(hosts) != 1 || hosts[0] != "go.test" {
		t.Errorf("shared domains %v, want only go.test", hosts)
	}
	for _, settings := range [][]string{
		{"go.test", "new.test"}, {"new.test", "go.test"}, {"new.test"}, {"taken.test", "go.test"},
	} {
		if err := store.EnsureSharedDomains(t.Context(), d, settings); err != nil {
			t.Fatal(err)
		}
		first := dbtest.Select[string](t, d, `SELECT host FROM domains WHERE is_default`)
		want := settings[0]
		if want == "taken.test" { // the host belongs to an account, so the default domain stays the same
			want = "new.test"
		}
		if len(first) != 1 || first[0] != want {
			t.Errorf("with the hosts %v the default domains are %v, want only %s", settings, first, want)
		}
	}
}

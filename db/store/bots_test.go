package store_test

import (
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/store"
)

// TestBotSettingsWait checks that settings change only while no transaction scores clicks.
func TestBotSettingsWait(t *testing.T) {
	t.Parallel()
	d, account := dbtest.New(t), uuid.New()
	dbtest.Exec(t, d, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'growth', 'k')`, account)
	s := store.New(d, nil)
	free := func(shared string) bool {
		t.Helper()
		return dbtest.Get[bool](t, d, `SELECT pg_try_advisory_xact_lock`+shared+
			`(hashtextextended('switchyard bot settings ' || $1::text, 0))`, account)
	}
	for what, c := range map[string]struct {
		take           func(*store.Store) error
		change, scores bool // what other transactions may do at the same time
	}{
		"scores clicks":    {func(tx *store.Store) error { _, err := tx.ShareBotSettings(t.Context(), account); return err }, false, true},
		"changes settings": {func(tx *store.Store) error { _, err := tx.LockBotSettings(t.Context(), account); return err }, false, false},
	} {
		err := s.Tx(t.Context(), func(tx *store.Store) error {
			err := c.take(tx)
			if change, scores := free(""), free("_shared"); change != c.change || scores != c.scores {
				t.Errorf("while a transaction %s, others may change settings: %v, and score clicks: %v, want %v and %v",
					what, change, scores, c.change, c.scores)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !free("") {
		t.Error("the settings are still locked after the transactions")
	}
}

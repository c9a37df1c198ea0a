package store_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/models"
)

// shared lists tables whose rows are not deleted with an account. domain_claims keeps the account's hosts for a year: during that
// time, another account can use such a host only with a TXT record.
var shared = []string{
	"currency_rates", "rate_changes", "rate_sources",
	"acme_accounts", "acme_challenges", "edge_hosts", "edge_changes", "edge_accounts", "edge_keys", "bot_data", "bot_sweeps",
	"crawler_answers", "link_services", "spool_states", "domain_claims", "lander_keys", "click_copy", "click_cold", "click_forgotten", "installation", "goose_db_version",
	"assistant_clients",
}

// TestDeleteAccount deletes an account that has a row in every table. Each call of DeleteAccount but the last is interrupted.
// Another account keeps its rows.
func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	if err := (click.Log{Conn: d}).EnsurePartition(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	count := func() map[string]string {
		t.Helper()
		names := dbtest.Select[string](t, d, `SELECT relname::text FROM pg_class WHERE
			relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`)
		rows := map[string]string{}
		for _, name := range names {
			if slices.Contains(shared, name) {
				continue
			}
			const sum = `SELECT concat_ws(' ', count(*), min(md5(t::text))) FROM `
			rows[name] = dbtest.Get[string](t, d, sum+name+` t`)
		}
		return rows
	}
	deleted, other := uuid.New(), uuid.New()
	fill := func(id uuid.UUID) { // some rows belong to an account only because they refer to one of its records
		t.Helper()
		dbtest.FillAccount(t, d, id)
		for _, join := range []string{
			`UPDATE click_visitors SET campaign_id = c.id FROM campaigns c WHERE c.account_id = $1
				AND NOT EXISTS (SELECT FROM campaigns o WHERE o.id = campaign_id)`,
			`UPDATE export_chunks SET export_id = e.id FROM exports e WHERE e.account_id = $1
				AND NOT EXISTS (SELECT FROM exports o WHERE o.id = export_id)`,
		} {
			dbtest.Exec(t, d, join, id)
		}
	}
	fill(other)
	want := count()
	fill(deleted)
	for table, rows := range count() {
		if rows[:2] != "2 " {
			t.Fatalf("the number of rows of %s and their lowest hash are %q, want 2 rows, one of each account", table, rows)
		}
	}
	s := store.New(d, nil)
	cuts, seen := 0, map[string]bool{}
	for {
		ctx, cancel := context.WithCancel(t.Context())
		err := s.DeleteAccount(ctx, deleted, func(table string, _ int64) {
			seen[table] = true
			cancel()
		})
		cancel()
		if err == nil {
			break
		}
		cuts++
		if cuts > 200 { // there are fewer tables
			t.Fatal(err)
		}
		const live = `SELECT count(*) FROM campaigns c, api_keys k WHERE c.account_id = $1 AND k.account_id = $1
			AND (c.deleted_at IS NULL OR k.revoked_at IS NULL)`
		if n, err := db.Get[int](t.Context(), d, "live", live, deleted); err != nil || n != 0 {
			t.Fatalf("links or keys of the account still work after the first interruption: %v", err)
		}
	}
	if cuts < 20 {
		t.Errorf("the call was interrupted %d times, after the tables %v, want at least 20 times", cuts, slices.Sorted(maps.Keys(seen)))
	}
	released, err := d.ExecContext(t.Context(), `DELETE FROM jobs WHERE kind = $1 AND account_id IS NULL`, models.KindReleaseCertificate)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := released.RowsAffected(); err != nil || n != 1 {
		t.Errorf("%d jobs release certificates of the account, %v, want 1", n, err)
	}
	if diff := cmp.Diff(want, count()); diff != "" {
		t.Errorf("rows of the other account before (-) and after the deletion (+): %s", diff)
	}
}

package retention_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/retention"
	"switchyard/db/spool"
	"switchyard/models"
)

// TestRetention checks that the clicks of old days are deleted with the ids of their orders, and that the sums stay.
func TestRetention(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc := clicktest.Account(t, d)
	s := clicktest.OpenSpool(t, t.TempDir())
	now := time.Now().UTC()
	for _, age := range []int{0, 1, 5, 6} {
		c := clicktest.Click(acc, uuid.New(), 1)
		c.ID = clicktest.IDAt(now.AddDate(0, 0, -age))
		smart := &models.SmartlinkClick{Click: *c, SmartlinkID: uuid.New()}
		smart.ID = clicktest.IDAt(now.AddDate(0, 0, -age))
		clicktest.Put(t, s, spool.Record{Click: c})
		clicktest.Put(t, s, spool.Record{Smart: smart})
		dbtest.Exec(t, d, `INSERT INTO postback_references (account_id, network_id, reference, click_id, goal, conversion_id, payout)
			VALUES ($1, $2, 'pi_1', $3, '', 'pi_1', '20')`, acc, uuid.New(), c.ID)
	}
	clicktest.Drain(t, s, d, ingest.Options{})
	n, err := retention.DeleteBefore(t.Context(), d, now.AddDate(0, 0, -3))
	if err != nil || n != 2 {
		t.Fatalf("dropped %d days, want 2, %v", n, err)
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM clicks`); n != 2 {
		t.Errorf("%d clicks stay, want 2", n)
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM smartlink_clicks`); n != 2 {
		t.Errorf("%d clicks of smartlinks stay, want 2", n)
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM postback_references`); n != 2 {
		t.Errorf("%d ids of orders stay, want 2", n)
	}
	for _, sums := range []string{"ledger", "smartlink_hours"} {
		if n := dbtest.Get[int](t, d, `SELECT sum(clicks) FROM `+sums); n != 4 {
			t.Errorf("%s counts %d clicks, want 4", sums, n)
		}
	}
}

// TestDeleteExpiredPostbacks checks how long the postbacks of an account of each plan, of no account and of a deleted account are
// kept.
func TestDeleteExpiredPostbacks(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	s := clicktest.OpenSpool(t, t.TempDir())
	now := time.Now()
	arrived := func(account uuid.UUID, days int) {
		clicktest.Put(t, s, spool.Record{Postback: &models.Postback{ID: clicktest.IDAt(now.AddDate(0, 0, -days)), AccountID: account}})
	}
	kept := map[string]int{"": models.StrangersPostbackDays}
	owner := map[string]uuid.UUID{}
	for _, p := range models.Plans {
		owner[p.Name], kept[p.Name] = clicktest.Account(t, d), p.PostbackDays
		dbtest.Exec(t, d, `UPDATE accounts SET plan = $2 WHERE id = $1`, owner[p.Name], p.Name)
		if p.PostbackDays < models.StrangersPostbackDays || p.PostbackDays > models.LongestPostbacks() {
			t.Errorf("plan %s keeps postbacks for %d days, want StrangersPostbackDays to LongestPostbacks", p.Name, p.PostbackDays)
		}
	}
	for plan, days := range kept {
		arrived(owner[plan], days-1)
		arrived(owner[plan], days+1)
	}
	deleted := clicktest.Account(t, d)
	arrived(deleted, models.LongestPostbacks()-1)
	arrived(deleted, models.LongestPostbacks()+1)
	clicktest.Drain(t, s, d, ingest.Options{})
	dbtest.Exec(t, d, `DELETE FROM accounts WHERE id = $1`, deleted)
	for range 2 { // the second time changes nothing
		if err := retention.DeleteExpired(t.Context(), click.Log{Conn: d}); err != nil {
			t.Fatal(err)
		}
	}
	for plan, days := range kept {
		if n := dbtest.Get[int](t, d, `SELECT count(*) FROM postbacks WHERE account_id = $1`, owner[plan]); n != 1 {
			t.Errorf("plan %q keeps %d of the two postbacks around its limit of %d days, want 1", plan, n, days)
		}
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM postbacks`); n != len(kept)+1 {
		t.Errorf("%d postbacks stay, want %d", n, len(kept)+1)
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM jobs WHERE id NOT IN (SELECT id FROM postbacks)`); n != 0 {
		t.Errorf("%d jobs stay without their postbacks, want none", n)
	}
}

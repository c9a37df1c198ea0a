package matchkey_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/matchkey"
	"switchyard/models"
)

type env struct {
	*testing.T
	db             *db.DB
	account, other uuid.UUID
}

func newEnv(t *testing.T) *env {
	t.Helper()
	e := &env{T: t, db: dbtest.New(t), account: uuid.New(), other: uuid.New()}
	dbtest.Exec(t, e.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', 'a'), ($2, 'B', 'pro', 'b')`, e.account, e.other)
	return e
}

func (e *env) store(rows ...matchkey.Row) {
	e.Helper()
	if err := matchkey.Store(e.Context(), e.db, rows); err != nil {
		e.Fatal(err)
	}
}

func row(account, click uuid.UUID, age time.Duration, names ...string) matchkey.Row {
	return matchkey.Row{ID: uuid.New(), AccountID: account, ClickID: click, Names: names, Sealed: []byte{1}, ReceivedAt: time.Now().Add(-age)}
}

const day = 24 * time.Hour

// TestKeys stores and finds the keys of an account's clicks, the latest first. A stored row does not change.
func TestKeys(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	click, other := models.NewClickID(), models.NewClickID()
	old, late := row(e.account, click, 2*day, "email"), row(e.account, click, day, "phone", "zip")
	changed := late // the same id with other names
	changed.Names = []string{"city"}
	e.store(old, late)
	e.store(changed, row(e.other, click, day, "email"), row(e.account, other, 8*day, "email"), row(uuid.New(), click, day, "email"))
	e.store(late)
	found, err := matchkey.ForClicks(t.Context(), e.db, e.account, []uuid.UUID{click, other}, time.Now())
	if err != nil || len(found) != 2 || found[0].ID != late.ID || found[1].ID != old.ID || !slices.Equal(found[0].Names, late.Names) {
		t.Errorf("the keys of the clicks are %+v, %v, want the unchanged latest row, then the older row", found, err)
	}
	if found, err = matchkey.ForClicks(t.Context(), e.db, e.account, []uuid.UUID{click}, time.Now().Add(6*day)); err != nil || len(found) != 0 {
		t.Errorf("after seven days: %+v, %v, want no keys", found, err)
	}
	if err := matchkey.DeleteOf(t.Context(), e.db, []uuid.UUID{click}); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Get[int](t, e.db, `SELECT count(*) FROM conversion_match_keys`); n != 0 {
		t.Errorf("%d rows are left, want none", n)
	}
}

// TestWithdraw withdraws a consent. Keys from before the refusal are deleted or not stored. Keys of a later consent are kept.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	click, other := models.NewClickID(), models.NewClickID()
	before, storedLate, foreign, withdrawn := row(e.account, click, 3*day, "email"), row(e.account, click, 2*day+time.Hour, "zip"), row(e.other, click, 3*day, "city"),
		row(e.account, other, 2*day, "phone")
	e.store(before, foreign, withdrawn)
	refusal := matchkey.Row{ID: uuid.New(), AccountID: e.account, ClickID: click, ReceivedAt: time.Now().Add(-2 * day)}
	secondRefusal := matchkey.Row{ID: withdrawn.ID, AccountID: e.account, ClickID: other, ReceivedAt: time.Now()} // with the id of the keys
	for range 2 {                                                                                                 // the second time changes nothing
		if err := matchkey.Withdraw(t.Context(), e.db, []matchkey.Row{refusal, secondRefusal, refusal}); err != nil {
			t.Fatal(err)
		}
	}
	stored := func() string {
		return dbtest.Get[string](t, e.db, `SELECT coalesce(string_agg(names::text, ' ' ORDER BY names), '') FROM conversion_match_keys WHERE names <> '{}'`)
	}
	e.store(storedLate) // received before the refusal, stored after it
	e.store(withdrawn)
	if got := stored(); got != "{city}" {
		t.Errorf("keys stored after the refusal: %s, want only {city}, which belongs to another account", got)
	}
	e.store(row(e.account, click, day, "street"))
	if got := stored(); got != "{city} {street}" {
		t.Errorf("keys stored after a new consent: %s, want {city} {street}", got)
	}
	dbtest.Exec(t, e.db, `INSERT INTO conversion_match_keys (id, account_id, click_id, names, sealed, received_at)
		VALUES ($1, $2, $3, '{email}', '\x01', $4)`, before.ID, e.account, click, before.ReceivedAt) // as left by a concurrent transaction
	found, err := matchkey.ForClicks(t.Context(), e.db, e.account, []uuid.UUID{click, other}, time.Now())
	if err != nil || len(found) != 1 || found[0].Names[0] != "street" {
		t.Errorf("the keys of both clicks are %+v, %v, want only street", found, err)
	}
}

// TestDeleteExpired checks that keys, and proofs with personal data, are deleted shortly before they are seven days old.
func TestDeleteExpired(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	click := models.NewClickID()
	e.store(row(e.account, click, 7*day-time.Hour, "email"), row(e.account, click, 6*day, "email"))
	postback := func(age time.Duration, personal bool) {
		dbtest.Exec(t, e.db, `INSERT INTO postbacks (id, account_id, network_id, click_id, source, domain, params, proof, signature, signed_text, received_at, outcome,
				has_personal_data)
			VALUES (gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), 'postback', '', '{}', '\x01', 's', 't', now() - make_interval(secs => $2), 'refused', $3)`,
			e.account, age.Seconds(), personal)
	}
	const personal = true
	postback(7*day-time.Hour, personal)
	postback(6*day, personal)
	postback(20*day, !personal)
	keys, proofs, err := matchkey.DeleteExpired(t.Context(), e.db, time.Now())
	if err != nil || keys != 1 || proofs != 1 {
		t.Errorf("%d keys and %d proofs were deleted, %v, want one of each", keys, proofs, err)
	}
	const kept = `SELECT count(*) FROM postbacks WHERE proof IS NOT NULL AND signature = 's' AND signed_text = 't'`
	if n := dbtest.Get[int](t, e.db, kept); n != 2 {
		t.Errorf("%d proofs are kept, want 2", n)
	}
	if n := dbtest.Get[int](t, e.db, `SELECT count(*) FROM postbacks WHERE proof IS NULL AND NOT has_personal_data AND signed_text = ''`); n != 1 {
		t.Errorf("%d proofs are cleared, want 1", n)
	}
}

func TestShares(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	source := uuid.New()
	upload := func(click uuid.UUID, action string, age time.Duration) {
		dbtest.Exec(t, e.db, `INSERT INTO conversion_uploads (id, account_id, source_id, provider, click_id, conversion_id, goal, action, happened_at, status, value,
				currency, changed_at, created_at)
			VALUES (gen_random_uuid(), $1, $2, 'meta', $3, gen_random_uuid(), '', $4, now(), 'approved', 1, 'USD', now(), now() - make_interval(secs => $5))`,
			e.account, source, click, action, age.Seconds())
	}
	both, one, none, old := models.NewClickID(), models.NewClickID(), models.NewClickID(), models.NewClickID()
	for _, click := range []uuid.UUID{both, one, none} {
		upload(click, "upload", day)
		upload(click, "restate", day)
	}
	upload(old, "upload", 8*day)
	e.store(row(e.account, both, day, "email", "phone"), row(e.account, both, day, "email"), row(e.account, one, day, "email"),
		row(e.other, none, day, "email"), row(e.account, old, day, "email"))
	n, with, err := matchkey.Shares(t.Context(), e.db, e.account, source, time.Now())
	if err != nil || n != 3 || fmt.Sprint(with) != "map[email:2 phone:1]" {
		t.Errorf("%d conversions with the keys %v, %v, want 3 with map[email:2 phone:1]", n, with, err)
	}
	if n, with, err = matchkey.Shares(t.Context(), e.db, e.other, source, time.Now()); err != nil || n != 0 || len(with) != 0 {
		t.Errorf("another account: %d conversions with the keys %v, %v, want none", n, with, err)
	}
}

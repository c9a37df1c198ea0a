package routing

import (
	"testing"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
)

func TestRefreshThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	away, err := db.OpenLazy("postgres://nobody@127.0.0.1:1/none?sslmode=disable", db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = away.Close() })
	account, domain, campaign := uuid.New(), uuid.New(), uuid.New()
	for q, args := range map[string][]any{
		`WITH a AS (INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', $1::uuid::text)),
			d AS (INSERT INTO domains (id, account_id, host, is_verified) VALUES ($2, $1, 'own.test', true))
		INSERT INTO campaigns (id, account_id, domain_id, name, alias, streams) VALUES ($3, $1, $2, 'c', 'summer-sale', '[]')`: {account, domain, campaign},
	} {
		dbtest.Exec(t, d, q, args...)
	}
	k := NewRefresher(d, "")
	if err := k.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(t, d, `UPDATE campaigns SET alias = 'winter-sale'`)
	k.conn = away
	k.mark(t.Context(), db.Notice{Payload: "campaigns:" + campaign.String()})
	if err := k.refresh(t.Context()); err == nil {
		t.Fatal("the refresh succeeded, although the database cannot be reached")
	}
	k.conn = d
	if err := k.refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, c := k.Current().Find("own.test", "winter-sale"); c == nil {
		t.Error("a notice that came while the database could not be reached is lost")
	}
}

package retention

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	dbretention "switchyard/db/retention"
	"switchyard/db/spool"
	"switchyard/models"
)

func TestHousekeeping(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	k := click.Log{Conn: d}
	s, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	account, campaign := uuid.New(), uuid.New()
	const owner = `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', 'k')`
	dbtest.Exec(t, d, owner, account)
	for range 6 {
		c := &models.Click{ID: models.NewClickID(), AccountID: account, CampaignID: campaign}
		if err := s.Append(t.Context(), spool.Record{Click: c}); err != nil {
			t.Fatal(err)
		}
	}
	if err := ingest.NewIngester(s, d, ingest.Options{BatchSize: 2}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	ancient := time.Now().AddDate(0, 0, -models.LongestHistory()-2)
	if err := k.EnsurePartition(t.Context(), ancient); err != nil {
		t.Fatal(err)
	}
	_, err = d.ExecContext(t.Context(), `UPDATE click_visitors SET expires_at = now() - interval '4 days'`)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second run does nothing
		if err := dbretention.MaintainPartitions(t.Context(), k); err != nil {
			t.Fatal(err)
		}
	}
	// The current hour is compacted too.
	if err := ingest.Compact(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{
		`SELECT count(*) FROM click_visitors`:                                   0,
		`SELECT sum(clicks) FROM ledger`:                                        6,
		`SELECT count(*) FROM ledger WHERE NOT merged`:                          0,
		`SELECT count(*) FROM clicks`:                                           6,
		`SELECT count(*) FROM pg_inherits WHERE inhparent = 'clicks'::regclass`: 3,
		`SELECT sum(unique_clicks) FROM ledger WHERE merged`:                    1,
	} {
		var n int
		if err := d.GetContext(t.Context(), &n, query); err != nil || n != want {
			t.Errorf("%s: %d, want %d, %v", query, n, want, err)
		}
	}
}

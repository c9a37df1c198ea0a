package click

import (
	"runtime"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db/dbtest"
)

// BenchmarkSnapshotLoad reads 10,000 campaigns of 20 paths from PostgreSQL and compiles them, as a web process does when it
// starts. B/campaign is the memory that the snapshot keeps for each campaign.
func BenchmarkSnapshotLoad(b *testing.B) {
	const campaigns = 10_000
	d := dbtest.New(b)
	account, domain := uuid.New(), uuid.New()
	for _, q := range []string{
		`INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'many', 'scale', $2::uuid::text)`,
		`INSERT INTO domains (id, account_id, host, is_verified) VALUES ($2, $1, 'many.test', true)`,
	} {
		dbtest.Exec(b, d, q, account, domain)
	}
	const q = `INSERT INTO campaigns (id, account_id, domain_id, name, alias, streams)
		SELECT gen_random_uuid(), $1, $2, 'c' || n, 'c' || n, $3 FROM generate_series(1, $4::int) n`
	streams := campaignsOf(benchRouting(1))[0].Streams
	dbtest.Exec(b, d, q, account, domain, []byte(streams), campaigns)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		before := heap()
		k := routing.NewRefresher(d, "")
		if !k.Start(b.Context()) || k.Current().Campaigns() != campaigns {
			b.Fatal("not loaded")
		}
		b.ReportMetric(float64(heap()-before)/campaigns, "B/campaign")
		runtime.KeepAlive(k)
	}
}

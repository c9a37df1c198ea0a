package cli

import (
	"fmt"
	"testing"
	"time"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/models/await"
	"switchyard/models/parttest"
	"switchyard/ops/config"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
)

// TestReadReplica: a pool for reading uses the replica while the replica is at most some seconds behind, otherwise the primary. The
// pool cannot write.
func TestReadReplica(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	s := &e2e.Service{Fleet: e2e.StartFleet(t, fleet.Options{})}
	read, end := e2e.StartReplica(t, s)
	open := func(url string) *db.DB {
		d, err := db.Open(t.Context(), url, db.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		return d
	}
	primary, replica := open(s.DatabaseURL), open(read)
	p, err := openPools(config.Config{DatabaseURL: s.DatabaseURL, ReadURL: read, ReadBehind: 2 * time.Second}, "web", (&webCmd{}).pools())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.close() })
	dbtest.Exec(t, primary, `CREATE TABLE marks (n int)`)
	reports := p.of(reportPool)
	// awaitReads waits until reads are answered by the replica (wanted is true) or by the primary. No read may fail.
	awaitReads := func(wanted bool) {
		t.Helper()
		await.Until(t, fmt.Sprintf("reads are answered by the replica (true) or the primary (false): %t", wanted), func() bool {
			var got bool
			err := db.Tx(t.Context(), reports, func(c db.Conn) (err error) {
				got, err = db.Get[bool](t.Context(), c, "server", `SELECT pg_is_in_recovery()`)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return got == wanted
		})
	}
	awaitReads(true)
	if _, err := reports.ExecContext(t.Context(), `INSERT INTO marks VALUES (0)`); err == nil {
		t.Error("a pool for reading has written")
	}
	dbtest.Exec(t, replica, `SELECT pg_wal_replay_pause()`)
	dbtest.Exec(t, primary, `INSERT INTO marks VALUES (1)`)
	awaitReads(false)
	if n, err := db.Get[int](t.Context(), reports, "marks", `SELECT count(*) FROM marks`); n != 1 || err != nil {
		t.Errorf("the pool for reading sees %d marks, want the one mark of the primary: %v", n, err)
	}
	if _, err := reports.ExecContext(t.Context(), `INSERT INTO marks VALUES (0)`); err == nil {
		t.Error("a pool for reading has written")
	}
	dbtest.Exec(t, replica, `SELECT pg_wal_replay_resume()`)
	awaitReads(true)
	end()
	awaitReads(false)
	if onReplica, onPrimary := p.replica.Uses(); onReplica == 0 || onPrimary == 0 {
		t.Errorf("%d reads of the replica and %d of the primary were counted, want more than 0 of each", onReplica, onPrimary)
	}
}

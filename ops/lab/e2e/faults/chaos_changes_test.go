package faults

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/networks/networkstest"
	"switchyard/workers/providers/rest/resttest"
)

// changeEnv is an account whose platform can be asked for orders by the date of a change.
type changeEnv struct {
	*importEnv
	network uuid.UUID
}

func (m *midwayEnv) newChangeEnv(platforms *networkstest.Platforms) *changeEnv {
	m.t.Helper()
	y := &changeEnv{importEnv: m.newImportEnv(platforms)}
	y.network = uuid.MustParse(strings.Split(y.path, "/")[2])
	y.connect("partnerize")
	return y
}

// decide dates orders back by 200 days and approves or rejects them, some with another payout.
func (y *changeEnv) decide(list []networkstest.Order) {
	y.t.Helper()
	decided := time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	for i := range list {
		o := &list[i]
		o.At, o.Decided = o.At.AddDate(0, 0, -200), decided
		if o.Status = models.StatusApproved; i%3 == 1 {
			o.Status = models.StatusRejected
		}
		if i%5 == 0 {
			o.Payout = "9.5"
		}
	}
	y.platforms.Set(list...)
}

// changes stores a job that reads changes, and returns its id.
func (y *changeEnv) changes() uuid.UUID {
	y.t.Helper()
	saved := dbtest.Get[time.Time](y.t, y.db, `SELECT saved_at FROM network_integrations WHERE network_id = $1`, y.network)
	since := time.Now().AddDate(0, 0, -10).UTC()
	day := since.Format(time.DateOnly)
	row, err := jobs.SyncNetwork.NewRow(y.account, jobs.CorrectionArgs{Apply: true, Network: &jobs.NetworkSync{
		NetworkID: y.network,
		PlatformRange: jobs.PlatformRange{
			Provider: "partnerize", Origin: models.RunByClock, From: day, To: day, Changed: true, Since: since, Saved: saved.UTC(),
		},
	}})
	if err == nil {
		err = jobrow.Insert(y.t.Context(), y.db, row)
	}
	if err != nil {
		y.t.Fatal(err)
	}
	return row.ID
}

func (m *midwayEnv) ended(job uuid.UUID) {
	m.t.Helper()
	m.until("the job has ended", func() bool {
		return dbtest.Get[string](m.t, m.db, `SELECT state FROM jobs WHERE id = $1`, job) == models.JobDone
	})
}

// cursors counts the connections of the account that have read changes.
const cursors = `SELECT count(*) FROM network_integrations WHERE account_id = $1 AND changes_to IS NOT NULL`

// TestKilledChanges kills the worker with -9 while it reads the decisions of a network, while it writes them, and when all of
// them are written. Every decision counts once. The time until which changes were read is stored only after the last decision is
// written.
func TestKilledChanges(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	platforms := &networkstest.Platforms{}
	server := networkstest.Serve(t, platforms)
	m := newMidwayEnv(t, "NETWORK_URL="+server.URL, "EGRESS_CA_FILE="+egresstest.CAFile(t, server), "EGRESS_ALLOW=127.0.0.0/8",
		"ENCRYPTION_KEY="+strings.Repeat("07", 32))
	undisturbed := m.undisturbed().newChangeEnv(platforms)
	y := m.newChangeEnv(platforms)
	undisturbedWorker := m.worker()
	orders := map[*changeEnv][]networkstest.Order{}
	for _, a := range []*changeEnv{undisturbed, y} {
		orders[a] = a.give(models.StatusPending)
		day := orders[a][0].At.Format(time.DateOnly)
		a.final(a.call("POST", a.path+"/sync", map[string]any{"from": day, "to": day, "apply": true})())
	}
	undisturbed.decide(orders[undisturbed])
	undisturbed.ended(undisturbed.changes())
	undisturbedWorker.Stop()

	const approved = `SELECT count(*) FROM conversions WHERE account_id = $1 AND status <> 'pending'`
	y.decide(orders[y])
	job := y.changes()
	for page := range longtest.Size(2, 4) { // the worker gets this many pages, and is killed while it waits for the next one
		faults := make([]resttest.Fault, page, page+1)
		platforms.Fail(append(faults, resttest.Slow)...)
		before, worker := platforms.Calls(), m.worker()
		m.until("the worker reads the next page", func() bool { return platforms.Calls() > before+page })
		worker.Kill()
		m.checkCount("decisions", 0, approved, y.account)
	}
	platforms.Fail(resttest.None)
	const part = 500
	for _, place := range longtest.Size([]int{part + part/2}, []int{part / 2, part + 1, 2*part - 1, midwayClicks - 1}) {
		y.stopAt(onClick(y.clicks[place]), func() {
			m.checkCount("decisions of whole parts", place/part*part, approved, y.account)
			m.checkCount("connections that have read changes", 0, cursors, y.account)
		})
	}
	y.stopAt(obstacle{`SELECT FROM network_integrations WHERE network_id = $1 FOR UPDATE`, []any{y.network}, "changes_failures"}, func() {
		m.checkCount("decisions", midwayClicks, approved, y.account)
		m.checkCount("connections that have read changes", 0, cursors, y.account)
	})
	defer m.worker().Stop()
	y.ended(job)
	check := func() {
		t.Helper()
		if got, want := y.money(), undisturbed.money(); got != want {
			t.Errorf("the figures are\n%s\nwant those of the undisturbed account:\n%s", got, want)
		}
	}
	check()
	m.checkCount("connections that have read changes", 1, cursors, y.account)
	m.checkCount("updates", midwayClicks, `SELECT count(*) FROM events WHERE account_id = $1 AND type = 'conversion.updated'`, y.account)
	y.ended(y.changes()) // the same decisions once more
	check()
}

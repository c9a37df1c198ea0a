package conversion_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
)

// TestForgedPostbacksHaveNoJob checks that a postback gets a job if its click is stored and the postback names no other account. All
// other postbacks wait.
func TestForgedPostbacksHaveNoJob(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc, other := clicktest.Account(t, d), clicktest.Account(t, d)
	s := clicktest.OpenSpool(t, t.TempDir())
	stored, inBatch := clicktest.Click(acc, uuid.New(), 1), clicktest.Click(other, uuid.New(), 2)
	clicktest.Put(t, s, spool.Record{Click: stored})
	clicktest.Drain(t, s, d, ingest.Options{})
	withoutAccount := clicktest.Click(uuid.New(), uuid.New(), 3) // its account does not exist
	var want []models.JobRef
	var waiting []uuid.UUID
	// receive stores a postback. If jobAccount is zero, the postback must wait without a job.
	receive := func(click, account, jobAccount uuid.UUID) {
		p := &models.Postback{ID: models.NewClickID(), ClickID: click, AccountID: account, Source: models.FromPostback}
		clicktest.Put(t, s, spool.Record{Postback: p})
		if jobAccount == uuid.Nil {
			waiting = append(waiting, p.ID)
		} else {
			want = append(want, models.JobRef{Kind: models.KindRecordConversion, ID: p.ID, Account: jobAccount})
		}
	}
	receive(models.NewClickID(), uuid.Nil, uuid.Nil)
	receive(stored.ID, uuid.Nil, acc)
	receive(stored.ID, acc, acc)
	receive(models.FloorClickID(time.Now().AddDate(-1, 0, 0)), acc, uuid.Nil)
	receive(inBatch.ID, uuid.Nil, other)
	receive(stored.ID, other, uuid.Nil) // sent to another account's domain or network
	receive(withoutAccount.ID, uuid.Nil, uuid.Nil)
	clicktest.Put(t, s, spool.Record{Click: inBatch}, spool.Record{Click: withoutAccount})
	var jobs []models.JobRef
	clicktest.Drain(t, s, d, ingest.Options{
		OnPostbacks: func(_ context.Context, rows []models.JobRef) { jobs = append(jobs, rows...) },
	})
	sameJobs(t, d, want, jobs)
	sameWaiting(t, d, waiting)
}

// TestMatchPostbacks checks that a look-up gives a postback a job if its click is stored and belongs to the postback's account, or
// if its click id can be read only with the settings of its network. A postback with an unknown or foreign network is refused.
// Others wait, and are unmatched after the last look-up.
func TestMatchPostbacks(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc, other := clicktest.Account(t, d), clicktest.Account(t, d)
	network := uuid.New()
	dbtest.Exec(t, d, `INSERT INTO networks (id, account_id, name) VALUES ($1, $2, 'N')`, network, acc)
	s := clicktest.OpenSpool(t, t.TempDir())
	late := clicktest.Click(acc, uuid.New(), 1)
	receive := func(click, account, network uuid.UUID) uuid.UUID {
		p := &models.Postback{
			ID: models.NewClickID(), ClickID: click, AccountID: account, NetworkID: network, Source: models.FromPostback,
			Proof: []byte("sealed"),
		}
		clicktest.Put(t, s, spool.Record{Postback: p})
		return p.ID
	}
	found, unread := receive(late.ID, acc, uuid.Nil), receive(uuid.Nil, uuid.Nil, network)
	byNetwork := receive(late.ID, uuid.Nil, network)
	foreign := receive(late.ID, other, uuid.Nil)
	forged := receive(models.NewClickID(), uuid.Nil, network)
	unknownNetwork := receive(late.ID, uuid.Nil, uuid.New())
	foreignNetwork := receive(late.ID, other, network)
	clicktest.Drain(t, s, d, ingest.Options{})
	clicktest.Put(t, s, spool.Record{Click: late})
	clicktest.Drain(t, s, d, ingest.Options{})

	match := func(want ...uuid.UUID) { // looks up once, and checks which postbacks get a job
		t.Helper()
		matched, err := conversion.MatchPostbacks(t.Context(), click.Log{Conn: d}, []time.Duration{0}, 100)
		if err != nil {
			t.Fatal(err)
		}
		var refs []models.JobRef
		for _, id := range want {
			refs = append(refs, models.JobRef{Kind: models.KindRecordConversion, ID: id, Account: acc})
		}
		if diff := cmp.Diff(refs, matched.Jobs, byID); diff != "" {
			t.Errorf("the jobs of the matched postbacks (+) differ from the expected ones (-): %s", diff)
		}
	}
	match(found, byNetwork, unread)
	sameWaiting(t, d, []uuid.UUID{foreign, forged})
	match()
	sameWaiting(t, d, nil)
	match()
	type row struct {
		ID      uuid.UUID
		Account uuid.UUID `db:"account_id"`
		Outcome string
		Proved  bool
	}
	rows := dbtest.Select[row](t, d, `SELECT id, account_id, outcome, proof IS NOT NULL AS proved FROM postbacks ORDER BY id`)
	want := []row{
		{found, acc, "pending", true},
		{unread, acc, "pending", true},
		{byNetwork, acc, "pending", true},
		{foreign, other, "unmatched", true},
		{forged, acc, "unmatched", true},
		{unknownNetwork, acc, "refused", false},
		{foreignNetwork, other, "refused", false},
	}
	slices.SortFunc(want, func(a, b row) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
}

var byID = cmpopts.SortSlices(func(a, b models.JobRef) bool { return a.ID.String() < b.ID.String() })

func sameJobs(t *testing.T, d *db.DB, want, announced []models.JobRef) {
	t.Helper()
	rows := dbtest.Select[models.JobRef](t, d, `SELECT kind, id, generation, account_id FROM jobs`)
	if diff := cmp.Diff(want, rows, byID); diff != "" {
		t.Errorf("the stored jobs (+) differ from the expected ones (-): %s", diff)
	}
	if diff := cmp.Diff(want, announced, byID); diff != "" {
		t.Errorf("the announced jobs (+) differ from the expected ones (-): %s", diff)
	}
}

// sameWaiting checks that exactly these postbacks wait for their click.
func sameWaiting(t *testing.T, d *db.DB, want []uuid.UUID) {
	t.Helper()
	got := dbtest.Select[uuid.UUID](t, d, `SELECT id FROM postbacks WHERE match_at IS NOT NULL`)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.SortSlices(func(a, b uuid.UUID) bool {
		return a.String() < b.String()
	})); diff != "" {
		t.Errorf("the waiting postbacks (+) differ from the expected ones (-): %s", diff)
	}
}

package clicklog_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/dbtest"
	"switchyard/db/spool"
	"switchyard/models"
)

// TestForgedPostbacksWaitApart: in one batch, the jobs of postbacks whose click is stored have the click's account. All
// others are of the kind whose queue no stored click waits in.
func TestForgedPostbacksWaitApart(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc, other := account(t, d), account(t, d)
	s := openSpool(t, t.TempDir())
	before, within := click(acc, uuid.New(), 1), click(other, uuid.New(), 2)
	put(t, s, spool.Record{Click: before})
	drain(t, s, d, clicklog.IngestOptions{})
	ofNobody := click(uuid.New(), uuid.New(), 3) // its account is gone
	var want []models.JobRef
	say := func(click, from uuid.UUID, kind string, of uuid.UUID) {
		p := &models.Postback{ID: models.NewClickID(), ClickID: click, AccountID: from, Source: models.FromPostback}
		put(t, s, spool.Record{Postback: p})
		want = append(want, models.JobRef{Kind: kind, ID: p.ID, Account: of})
	}
	say(models.NewClickID(), uuid.Nil, models.KindMatchConversion, uuid.Nil)
	say(before.ID, uuid.Nil, models.KindRecordConversion, acc)
	say(models.FloorClickID(time.Now().AddDate(-1, 0, 0)), acc, models.KindMatchConversion, acc)
	say(within.ID, uuid.Nil, models.KindRecordConversion, other)
	say(before.ID, other, models.KindRecordConversion, acc) // by a network of another account
	say(uuid.Nil, uuid.Nil, models.KindMatchConversion, uuid.Nil)
	say(ofNobody.ID, uuid.Nil, models.KindMatchConversion, uuid.Nil)
	put(t, s, spool.Record{Click: within}, spool.Record{Click: ofNobody})
	var told []models.JobRef
	drain(t, s, d, clicklog.IngestOptions{
		OnPostbacks: func(_ context.Context, rows []models.JobRef) { told = append(told, rows...) },
	})
	rows, err := db.Select[models.JobRef](t.Context(), d, "jobs", `SELECT kind, id, generation,
		coalesce(account_id, '00000000-0000-0000-0000-000000000000') AS account_id FROM jobs`)
	if err != nil {
		t.Fatal(err)
	}
	byID := cmpopts.SortSlices(func(a, b models.JobRef) bool { return a.ID.String() < b.ID.String() })
	if diff := cmp.Diff(want, rows, byID); diff != "" {
		t.Errorf("rows: %s", diff)
	}
	if diff := cmp.Diff(want, told, byID); diff != "" {
		t.Errorf("told: %s", diff)
	}
}

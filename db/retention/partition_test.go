package retention_test

import (
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/migrations"
	"switchyard/db/retention"
	"switchyard/db/spool"
	"switchyard/models"
)

// TestSmartlinkClicksMoveIntoDays checks that clicks survive the migration that partitions the clicks of smartlinks by day.
func TestSmartlinkClicksMoveIntoDays(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc := clicktest.Account(t, d)
	s := clicktest.OpenSpool(t, t.TempDir())
	now := time.Now().UTC()
	for _, age := range []int{0, 3, 3} {
		c := &models.SmartlinkClick{Click: *clicktest.Click(acc, uuid.New(), 1), SmartlinkID: uuid.New()}
		c.ID = clicktest.IDAt(now.AddDate(0, 0, -age))
		clicktest.Put(t, s, spool.Record{Smart: c})
	}
	clicktest.Drain(t, s, d, ingest.Options{})
	text, err := fs.ReadFile(migrations.FS, "0013_smartlink_days.sql")
	if err != nil {
		t.Fatal(err)
	}
	up, down, _ := strings.Cut(string(text), "-- +goose Down")
	for _, step := range []string{down, up} {
		dbtest.Exec(t, d, step)
		if n := dbtest.Get[int](t, d, `SELECT count(*) FROM smartlink_clicks`); n != 3 {
			t.Errorf("%d clicks after a step of the migration, want 3", n)
		}
	}
	const days = `SELECT count(*) FROM pg_inherits WHERE inhparent = 'smartlink_clicks'::regclass`
	if n := dbtest.Get[int](t, d, days); n != 2 {
		t.Errorf("%d partitions, want one for each of the two days with clicks", n)
	}
	if err := (click.Log{Conn: d}).EnsurePartition(t.Context(), now.AddDate(0, 0, -3)); err != nil {
		t.Errorf("the partition of a day that the migration created: %v, want no error", err)
	}
	if n, err := retention.DeleteBefore(t.Context(), d, now.AddDate(0, 0, -1)); err != nil || n != 1 {
		t.Errorf("dropped %d days, want 1, %v", n, err)
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM smartlink_clicks`); n != 1 {
		t.Errorf("%d clicks stay, want 1", n)
	}
}

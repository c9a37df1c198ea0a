package workers

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/delivery"
	"switchyard/db/jobrow"
	"switchyard/db/retention"
	"switchyard/models"
)

const oneDay = 24 * time.Hour

// dated has the time columns of tables whose rows are deleted by age.
var dated = map[string]string{
	"clicks": "at", "smartlink_clicks": "at", "postbacks": "received_at", "source_postbacks": "created_at", "forwarded_postbacks": "created_at",
	"site_events": "received_at", "jobs": "finished_at", "events": "created_at", "webhook_deliveries": "created_at",
}

// env has one account on each plan. added has the times of rows by table.
type env struct {
	*testing.T
	db    *db.DB
	added map[string][]time.Time
}

// add inserts a row of each account, with an id of the given time.
func (r *env) add(at time.Time, tables ...string) {
	r.Helper()
	for _, table := range tables {
		dbtest.Exec(r, r.db, `INSERT INTO `+table+` OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(t, jsonb_build_object(
			'id', left($1::text, 13) || right(gen_random_uuid()::text, 23), 'conversion_id', gen_random_uuid(), 'postback_id', gen_random_uuid(),
			'click_id', '00000000-0000-0000-0000-000000000000', '`+dated[table]+`', $2::timestamptz))).* FROM `+table+`_sample t`,
			models.FloorClickID(at), at)
		r.added[table] = append(r.added[table], at)
	}
}

// night runs the nightly deletions.
func (r *env) night(now time.Time) {
	r.Helper()
	log := click.Log{Conn: r.db, Now: func() time.Time { return now }}
	for _, err := range []error{pruneRows(r.Context(), r.db, now), retention.MaintainPartitions(r.Context(), log), retention.DeleteExpired(r.Context(), log)} {
		if err != nil {
			r.Fatalf("%s: %v", now, err)
		}
	}
}

// count counts rows by plan.
func (r *env) count(table string) map[string]int {
	r.Helper()
	counts, err := db.Pairs[string, int](r.Context(), r.db, "count", `SELECT a.plan, count(t.id) FROM accounts a
		LEFT JOIN `+table+` t ON t.account_id = a.id GROUP BY a.plan`)
	if err != nil {
		r.Fatal(err)
	}
	return counts
}

// expectedRows counts, for each plan, the rows that were added at or after from(plan).
func (r *env) expectedRows(table string, from func(models.Plan) time.Time) map[string]int {
	counts := map[string]int{}
	for _, p := range models.Plans {
		counts[p.Name] = 0
		for _, at := range r.added[table] {
			if !at.Before(from(p)) {
				counts[p.Name]++
			}
		}
	}
	return counts
}

// oldest returns the first day of a table's partitions.
func (r *env) oldest(table, infix string) string {
	r.Helper()
	name := dbtest.Get[string](r, r.db, `SELECT min(inhrelid::regclass::text) FROM pg_inherits
		WHERE inhparent = $1::regclass AND inhrelid::regclass::text LIKE $2`, table, table+infix+"2%")
	return strings.TrimPrefix(name, table+infix)
}

// TestRetention simulates 400 days. Every 25 days rows are added, and after two nights only what the plan keeps is left.
// Partitions are dropped by the longest history of all plans, single rows by their own plan's.
func TestRetention(t *testing.T) {
	t.Parallel()
	r := &env{T: t, db: dbtest.New(t), added: map[string][]time.Time{}}
	start := time.Now().UTC().Truncate(oneDay).Add(3 * time.Hour)
	if err := retention.MaintainPartitions(t.Context(), click.Log{Conn: r.db}); err != nil {
		t.Fatal(err)
	}
	for _, p := range models.Plans {
		id := uuid.New()
		dbtest.FillAccount(t, r.db, id)
		dbtest.Exec(r, r.db, `UPDATE accounts SET plan = $2 WHERE id = $1`, id, p.Name)
	}
	for table := range dated {
		dbtest.Exec(r, r.db, `CREATE TABLE `+table+`_sample AS SELECT * FROM `+table)
		dbtest.Exec(r, r.db, `DELETE FROM `+table)
	}
	dbtest.Exec(r, r.db, `DELETE FROM click_history`)
	dbtest.Exec(r, r.db, `DELETE FROM currency_changes`)          // these delay the deletion of clicks
	for ago := models.LongestHistory() + 20; ago > 0; ago -= 25 { // one partition every 25 days
		at := start.AddDate(0, 0, -ago)
		if err := (click.Log{Conn: r.db}).EnsurePartition(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		r.add(at, "clicks", "smartlink_clicks")
	}
	for day := 0; day <= 400; day += 25 {
		now := start.AddDate(0, 0, day)
		if err := (click.Log{Conn: r.db}).EnsurePartition(t.Context(), now); err != nil {
			t.Fatal(err)
		}
		if err := delivery.EnsureWeeks(t.Context(), r.db, now, 0); err != nil {
			t.Fatal(err)
		}
		for table := range dated {
			r.add(now, table)
		}
		r.night(now.Add(time.Hour))
		r.night(now.Add(oneDay + time.Hour))
		r.check(now.Add(oneDay + time.Hour))
	}
}

func (r *env) check(now time.Time) {
	r.Helper()
	today := now.Truncate(oneDay)
	// One night announces the new start of the history, and the next deletes, so one day more is left. With the longest history,
	// the first night already drops partitions.
	history := func(p models.Plan) time.Time {
		if p.HistoryDays == models.LongestHistory() {
			return today.AddDate(0, 0, -p.HistoryDays)
		}
		return today.AddDate(0, 0, -1-p.HistoryDays)
	}
	postbacks := func(p models.Plan) time.Time { return now.AddDate(0, 0, -p.PostbackDays) }
	finished := func(models.Plan) time.Time { return now.Add(-jobrow.Retention) }
	for table, from := range map[string]func(models.Plan) time.Time{
		"clicks": history, "smartlink_clicks": history, "postbacks": postbacks, "source_postbacks": postbacks, "forwarded_postbacks": postbacks,
		"site_events": postbacks, "jobs": finished,
	} {
		if diff := cmp.Diff(r.expectedRows(table, from), r.count(table)); diff != "" {
			r.Errorf("%s at %s:\n%s", table, now, diff)
		}
	}
	cut := today.AddDate(0, 0, -models.LongestHistory()).Format("20060102")
	for _, table := range []string{"clicks", "smartlink_clicks"} {
		if first := r.oldest(table, "_p"); first < cut {
			r.Errorf("%s at %s: a partition of %s is left", table, now, first)
		}
	}
	// Events are deleted one week later than deliveries.
	for table, weeks := range map[string]int{"webhook_deliveries": 1, "events": 2} {
		kept := r.expectedRows(table, finished)
		most := r.expectedRows(table, func(models.Plan) time.Time {
			return now.Add(-jobrow.Retention-deliveryTime).AddDate(0, 0, -7*weeks)
		})
		for plan, n := range r.count(table) {
			if n < kept[plan] || n > most[plan] {
				r.Errorf("%s at %s: %d rows of %s, want %d to %d", table, now, n, plan, kept[plan], most[plan])
			}
		}
		if first, last := r.oldest(table, "_w"), now.AddDate(0, 0, -31-7*(weeks+1)).Format("20060102"); first < last {
			r.Errorf("%s at %s: the week of %s is left", table, now, first)
		}
	}
}

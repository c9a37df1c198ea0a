package backup_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/backup"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/delivery"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
)

func noProgress(string, int64, bool) {}

// env is a database with an account that has rows in every table.
type env struct {
	*testing.T
	db       *db.DB
	account  uuid.UUID
	campaign uuid.UUID
}

func newEnv(t *testing.T) *env {
	t.Helper()
	s := &env{T: t, db: dbtest.New(t), account: uuid.New(), campaign: uuid.New()}
	log := click.Log{Conn: s.db}
	for _, ago := range []int{0, 1, 400} {
		if err := log.EnsurePartition(t.Context(), time.Now().AddDate(0, 0, -ago)); err != nil {
			t.Fatal(err)
		}
	}
	if err := delivery.EnsureWeeks(t.Context(), s.db, time.Now().AddDate(0, 0, -60), 0); err != nil {
		t.Fatal(err)
	}
	dbtest.FillAccount(t, s.db, s.account)
	if _, err := s.db.ExecContext(t.Context(), `
		INSERT INTO click_copy (state, base, version) VALUES ('copying', 7, 7); INSERT INTO click_cold (day) VALUES ('2026-01-02')`); err != nil {
		t.Fatal(err)
	}
	return s
}

// ingest records clicks, each with a conversion.
func (s *env) ingest(n int) {
	s.Helper()
	disk, err := spool.Open(s.TempDir(), spool.Options{})
	if err != nil {
		s.Fatal(err)
	}
	defer disk.Close()
	var ids []uuid.UUID
	for i := range n {
		c := &models.Click{
			ID: models.NewClickID(), AccountID: s.account, CampaignID: s.campaign, Cost: decimal.New(15, -3),
			UniqueKey: uuid.New(), UniqueHours: 24, Visitor: models.Visitor{ // with texts that COPY must escape
				Country: "DE", IsBot: i%5 == 4, UserAgent: "tab\tslash\\line\nend\r \x7f \\.", Keyword: `\N`,
			},
		}
		ids = append(ids, c.ID)
		if err := disk.Append(s.Context(), spool.Record{Click: c}); err != nil {
			s.Fatal(err)
		}
	}
	if err := ingest.NewIngester(disk, s.db, ingest.Options{}).Drain(s.Context()); err != nil {
		s.Fatal(err)
	}
	payout := decimal.New(35, -1)
	for _, id := range ids {
		in := conversion.Input{ClickID: id, Payout: &payout, Status: models.StatusApproved, Source: "postback"}
		err := db.Tx(s.Context(), s.db, func(c db.Conn) error {
			_, err := conversion.Record(s.Context(), click.Log{}, c, in)
			return err
		})
		if err != nil {
			s.Fatal(err)
		}
	}
}

// tables lists the tables that a backup contains. It leaves out partitions, the table of the migration runner, and the hashed
// personal data of conversion_match_keys.
const tables = `SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
	AND NOT relispartition AND relname NOT IN ('goose_db_version', 'conversion_match_keys') ORDER BY 1`

// figures returns the number of rows of each table with a sum over their contents. It also describes the ledger, a sequence, the
// triggers and the partitions.
func figures(t *testing.T, d *db.DB) map[string]string {
	t.Helper()
	all := map[string]string{}
	get := func(name, query string) {
		t.Helper()
		all[name] = dbtest.Get[string](t, d, query)
	}
	names, err := db.Select[string](t.Context(), d, "tables", tables)
	if err != nil || len(names) < 30 {
		t.Fatalf("the tables are %v, want at least 30: %v", names, err)
	}
	for _, name := range names {
		get(name, `SELECT concat_ws(' ', count(*), sum(('x' || left(md5(t::text), 8))::bit(32)::bigint)) FROM `+name+` t`)
	}
	get("ledger sums", `SELECT concat_ws(' ', sum(clicks), sum(bot_clicks), sum(approved), trim_scale(sum(cost)),
		trim_scale(sum(revenue))) FROM ledger`)
	get("place", `SELECT concat_ws(' ', last_value, is_called) FROM source_postbacks_place_seq`)
	get("triggers", `SELECT string_agg(concat_ws(' ', tgrelid::regclass, tgname, tgenabled), ', '
		ORDER BY tgrelid::regclass::text, tgname) FROM pg_trigger WHERE NOT tgisinternal`)
	get("partitions", `SELECT string_agg(concat_ws(' ', c.oid::regclass, pg_get_expr(relpartbound, oid)), ', '
		ORDER BY relname) FROM pg_class c WHERE relispartition AND relkind = 'r'
		AND relname NOT LIKE ALL ('{events\_w%,webhook\_deliveries\_w%}')`)
	return all
}

// TestRestoreEqualsBackup: a backup has the state of one moment, although clicks and conversions arrive while it is written. A
// role that is not a superuser loads it into an empty database, which then accepts new rows.
func TestRestoreEqualsBackup(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	s.ingest(50)
	want := figures(t, s.db)
	var file bytes.Buffer
	seen := map[string]int64{}
	sum, err := backup.Write(t.Context(), s.db, &file, "test", func(table string, rows int64, _ bool) {
		seen[table] = rows
		s.ingest(3) // after each table that was read
	})
	if err != nil {
		t.Fatal(err)
	}
	for table, rows := range seen {
		if rows == 0 {
			t.Errorf("there is no row in %s, so the test does not cover this table", table)
		}
	}
	if during := figures(t, s.db); during["clicks"] == want["clicks"] || sum.Tables != len(seen) {
		t.Fatalf("no click was ingested while the backup was written, or the backup has %d tables, not %d", sum.Tables, len(seen))
	}

	to := dbtest.NewOwned(t)
	h, got, err := backup.Restore(t.Context(), to, &file, noProgress)
	if err != nil || got != sum || h.Program != "test" {
		t.Fatalf("the restored file has the header %+v and the counts %+v, want the program test and %+v: %v", h, got, sum, err)
	}
	if diff := cmp.Diff(want, figures(t, to)); diff != "" {
		t.Error(diff)
	}
	const keys = `SELECT count(*) FROM conversion_match_keys`
	if dbtest.Get[int](t, s.db, keys) == 0 || dbtest.Get[int](t, to, keys) != 0 {
		t.Error("hashed personal data are in the backup, or the database had none")
	}
	if n, err := db.Behind(t.Context(), to); err != nil || n > 0 {
		t.Errorf("the restored database lacks %d migrations, want none: %v", n, err)
	}

	s.db = to
	s.ingest(10)
	after := figures(t, to)
	if after["clicks"][:3] != "61 " { // 50 and 10 ingested clicks, and the click of FillAccount
		t.Errorf("after ten more clicks, count and sum of the clicks are %s, before %s", after["clicks"], want["clicks"])
	}
	dbtest.FillAccount(t, to, uuid.New())
	const last = `SELECT place = max(place) OVER () FROM source_postbacks ORDER BY created_at DESC LIMIT 1`
	if ok, err := db.Get[bool](t.Context(), to, "place", last); err != nil || !ok {
		t.Errorf("the newest postback to a source does not have the highest value of place: %v", err)
	}
	if _, _, err := backup.Restore(t.Context(), to, bytes.NewReader(nil), noProgress); !errors.Is(err, backup.ErrNotBackup) {
		t.Errorf("the restore of an empty file returns the error %v, want ErrNotBackup", err)
	}
}

// TestRestoreRefuses: nothing is loaded from a wrong file or by an interrupted call. Afterwards the right file is accepted. A
// database that is not empty accepts no file.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	s.ingest(20)
	var file bytes.Buffer
	if _, err := backup.Write(t.Context(), s.db, &file, "test", noProgress); err != nil {
		t.Fatal(err)
	}
	complete := file.Bytes()
	to := dbtest.NewOwned(t)
	rows := func(tb testing.TB) int {
		tb.Helper()
		return dbtest.Get[int](tb, to, `SELECT count(*) FROM accounts`)
	}
	flipped := bytes.Clone(complete)
	flipped[len(flipped)-20] ^= 4
	for name, tt := range map[string]struct {
		file []byte
		want error
	}{
		"cut off in the middle":  {complete[:len(complete)/2], backup.ErrDamaged},
		"without its last bytes": {complete[:len(complete)-4], backup.ErrDamaged},
		"a flipped bit":          {flipped, backup.ErrDamaged},
		"twice":                  {append(bytes.Clone(complete), complete...), backup.ErrDamaged},
		"a text":                 {[]byte("-- PostgreSQL database dump"), backup.ErrNotBackup},
	} {
		_, _, err := backup.Restore(t.Context(), to, bytes.NewReader(tt.file), noProgress)
		if !errors.Is(err, tt.want) {
			t.Errorf("a file with the fault %q: error %v, want %v", name, err, tt.want)
		}
		if errors.Is(tt.want, backup.ErrDamaged) && rows(t) != 0 {
			t.Errorf("a file with the fault %q: rows were loaded", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := backup.Restore(ctx, to, bytes.NewReader(complete), func(string, int64, bool) { cancel() })
	if !errors.Is(err, context.Canceled) || rows(t) != 0 {
		t.Errorf("an interrupted restore returns the error %v, want context.Canceled and no rows", err)
	}
	if _, _, err := backup.Restore(t.Context(), to, bytes.NewReader(complete), noProgress); err != nil || rows(t) != 1 {
		t.Fatalf("the complete file cannot be loaded after the others were refused: %v", err)
	}
	if _, _, err := backup.Restore(t.Context(), to, bytes.NewReader(complete), noProgress); !errors.Is(err, backup.ErrNotEmpty) {
		t.Errorf("a backup loaded into a database with rows gets the error %v, want ErrNotEmpty", err)
	}
	other := dbtest.NewEmpty(t)
	if _, err := backup.Write(t.Context(), other, io.Discard, "test", noProgress); !errors.Is(err, backup.ErrNeverMigrated) {
		t.Errorf("a backup of a database without a schema gets the error %v, want ErrNeverMigrated", err)
	}
	dbtest.Exec(t, other, `CREATE TABLE theirs ()`)
	_, _, err = backup.Restore(t.Context(), other, bytes.NewReader(complete), noProgress)
	if !errors.Is(err, backup.ErrNotEmpty) || !strings.Contains(err.Error(), "theirs") {
		t.Errorf("a backup loaded into a database with another program's table gets the error %v, want ErrNotEmpty with the table's name", err)
	}
}

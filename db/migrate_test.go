package db_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/migrations"
	"switchyard/models/await"
	"switchyard/models/longtest"
)

// TestMigrationGivesUpItsLock checks that a migration that waits for a lock lets later statements pass. If it never gets the
// lock, the completed migrations stay.
func TestMigrationGivesUpItsLock(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	files := fstest.MapFS{
		"9001_first.sql":  {Data: []byte("-- +goose Up\nCREATE TABLE first (n int);\n")},
		"9002_second.sql": {Data: []byte("-- +goose Up\nALTER TABLE accounts ADD COLUMN second int NOT NULL DEFAULT 0;\n")},
	}
	reader, err := d.BeginTxx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Rollback()
	dbtest.Exec(t, reader, `SELECT FROM accounts`)
	n, err := db.MigrateFiles(t.Context(), d, files, 1)
	if n != 1 || err == nil || !strings.Contains(err.Error(), "9002_second.sql: other transactions hold") {
		t.Fatalf("while another transaction holds the table: %d migrations applied (%v), want 1 and an error about 9002_second.sql", n, err)
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := db.MigrateFiles(t.Context(), d, files, 60)
		done <- result{n, err}
	}()
	const waiting = `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
		AND wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE accounts%')`
	await.Until(t, "the migration waits", func() (waits bool) {
		return d.GetContext(t.Context(), &waits, waiting) == nil && waits
	})
	// The write would fail after five seconds. The migration gives up its wait after two.
	if _, err := d.ExecContext(t.Context(), `INSERT INTO accounts (id, name, plan, site_key)
		VALUES (gen_random_uuid(), 'a', 'pro', 'k')`); err != nil {
		t.Errorf("a write that began while the migration waited: %v, want no error", err)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r.n != 1 || r.err != nil {
		t.Errorf("after the other transaction has ended: %d migrations applied (%v), want 1", r.n, r.err)
	}
	var timeout string
	if err := d.GetContext(t.Context(), &timeout, `SHOW lock_timeout`); err != nil || timeout != "5s" {
		t.Errorf("after the migration, the lock timeout of sessions is %s, %v, want 5s", timeout, err)
	}
}

// TestMigrateRefusesNewerSchema checks that a program that lacks a migration of the database changes nothing.
func TestMigrateRefusesNewerSchema(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	if n, err := db.Migrate(t.Context(), d); n != 0 || err != nil {
		t.Fatalf("with a schema of this program, %d migrations were applied (%v), want none", n, err)
	}
	newer := fstest.MapFS{"9001_newer.sql": {Data: []byte("-- +goose Up\nCREATE TABLE newer (n int);\n")}}
	if n, err := db.MigrateFiles(t.Context(), d, newer, 1); n != 1 || err != nil {
		t.Fatalf("%d newer migrations were applied (%v), want 1", n, err)
	}
	n, err := db.Migrate(t.Context(), d)
	if n != 0 || !errors.Is(err, db.ErrProgramBehind) || !strings.Contains(err.Error(), "9001") {
		t.Errorf("with a newer schema, %d migrations were applied (%v), want ErrProgramBehind with the number 9001", n, err)
	}
	if n, err := db.Behind(t.Context(), d); n != 0 || err != nil {
		t.Errorf("the database counts as %d migrations behind, although its schema is newer: %v", n, err)
	}
}

// blocksWrites lists old migrations that block writes to a table while they copy the table. It has only tables to which
// TestClickArrivesDuringMigrations writes.
var blocksWrites = map[string][]string{"0013_smartlink_days.sql": {"smartlink_clicks"}}

// newID is SQL for a new UUID whose first bits are the time.
const newID = `encode(overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send(
	(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 'hex')::uuid`

// TestClickArrivesDuringMigrations applies each migration to a database with clicks (200,000 in the long form of the test), while
// inserts that fit the earlier schema add more rows. No write waits for five seconds, except into the tables in blocksWrites.
func TestClickArrivesDuringMigrations(t *testing.T) {
	t.Parallel()
	rows := longtest.Size(2_000, 200_000)
	d := dbtest.NewEmpty(t)
	p, err := db.MigrationsOf(d, migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	filled := map[string]bool{}
	for _, source := range p.ListSources() {
		inserts := map[string]string{}
		for _, table := range []string{"clicks", "click_hops", "conversions", "ledger", "smartlink_clicks"} {
			insert := insertInto(t, d, table)
			if insert == "" {
				continue
			}
			if !filled[table] {
				filled[table] = true
				if table == "clicks" {
					dbtest.Exec(t, d, `CREATE TABLE clicks_rest PARTITION OF clicks DEFAULT`)
				}
				for range 10 {
					dbtest.Exec(t, d, insert, rows/10)
				}
			}
			inserts[table] = insert
		}
		endWrites := startWrites(t, d, inserts, blocksWrites[path.Base(source.Path)])
		if _, err := p.ApplyVersion(t.Context(), source.Version, true); err != nil {
			t.Fatalf("%s: %v", source.Path, err)
		}
		t.Logf("%s: %s", path.Base(source.Path), endWrites())
	}
	if !filled["clicks"] || !filled["smartlink_clicks"] {
		t.Errorf("the filled tables are %v, want clicks and smartlink_clicks among them", filled)
	}
}

// insertInto returns a statement that adds $1 rows to a table, or "" if there is no such table.
func insertInto(t *testing.T, d *db.DB, table string) string {
	t.Helper()
	var columns []struct {
		Name string `db:"column_name"`
		Type string `db:"data_type"`
	}
	const q = `SELECT column_name, data_type FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name = $1 AND is_nullable = 'NO' AND column_default IS NULL`
	if err := d.SelectContext(t.Context(), &columns, q, table); err != nil {
		t.Fatal(err)
	}
	if len(columns) == 0 {
		return ""
	}
	var names, values []string
	for _, c := range columns {
		value := map[string]string{
			"uuid": "gen_random_uuid()", "text": "'approved'", "ARRAY": "'{}'", "timestamp with time zone": "now()", "boolean": "false",
		}[c.Type]
		switch {
		case c.Name == "id":
			value = newID
		case value == "":
			value = "0"
		}
		names, values = append(names, c.Name), append(values, value)
	}
	return fmt.Sprintf(`INSERT INTO %s (%s) SELECT %s FROM generate_series(1, $1::int)`,
		table, strings.Join(names, ", "), strings.Join(values, ", "))
}

// startWrites adds rows to each table until the returned function is called, which returns the number of rows and the longest
// time of a write. Writes to tables in mayFail may fail.
func startWrites(t *testing.T, d *db.DB, inserts map[string]string, mayFail []string) func() string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan string)
	for table, insert := range inserts {
		first := make(chan struct{})
		go func() {
			var longest time.Duration
			count := 0
			for ; count < 2 || ctx.Err() == nil; count++ {
				began := time.Now()
				_, err := d.ExecContext(context.WithoutCancel(ctx), insert, 1)
				if longest = max(longest, time.Since(began)); err != nil && !slices.Contains(mayFail, table) {
					t.Errorf("a write to %s during the migration failed: %v", table, err)
				}
				if count == 0 {
					close(first)
				}
			}
			done <- fmt.Sprintf("%s %d rows, longest %s", table, count, longest.Round(time.Millisecond))
		}()
		<-first
	}
	return func() string {
		stop()
		var all []string
		for range inserts {
			all = append(all, <-done)
		}
		slices.Sort(all)
		return strings.Join(all, "; ")
	}
}

// lastWithoutRules is the last migration from before the rules of db/migrations/README.md.
const lastWithoutRules = "0014"

// TestNewMigrationsKeepTheRules checks that newer migrations keep the rules of db/migrations/README.md.
func TestNewMigrationsKeepTheRules(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil || len(names) < 14 {
		t.Fatalf("the migrations are %v, %v, want at least 14", names, err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		if name[:4] <= lastWithoutRules {
			continue
		}
		if err := breach(string(text)); err != nil {
			t.Errorf("%s: %v (see db/migrations/README.md)", name, err)
		}
	}
}

var (
	comment     = regexp.MustCompile(`--[^\n]*`)
	created     = regexp.MustCompile(`CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)
	index       = regexp.MustCompile(`CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?(\w+) ON (ONLY )?(\w+)`)
	altered     = regexp.MustCompile(`ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+)`)
	scans       = regexp.MustCompile(`SET NOT NULL| TYPE |ADD (CONSTRAINT \w+ )?(CHECK|FOREIGN|PRIMARY|UNIQUE)|REFERENCES`)
	timeout     = regexp.MustCompile(`SET (LOCAL )?(lock|statement)_timeout`)
	batches     = regexp.MustCompile(`(?s)DO \$\$.*\sCOMMIT;.*\$\$;`)
	functions   = regexp.MustCompile(`(?s)AS \$\$.*?\$\$`)
	copied      = regexp.MustCompile(`^INSERT INTO \w+ (?:\([^)]*\) )?SELECT .* FROM (\w+)`)
	indexesOnly = regexp.MustCompile(`^((CREATE|DROP) (UNIQUE )?INDEX CONCURRENTLY|ALTER INDEX)`)
)

// breach returns an error that names the first broken rule of db/migrations/README.md, or nil.
func breach(text string) error {
	noTransaction := strings.Contains(text, "-- +goose NO TRANSACTION")
	up, _, _ := strings.Cut(text, "-- +goose Down")
	up = functions.ReplaceAllString(batches.ReplaceAllString(comment.ReplaceAllString(up, ""), ""), "")
	if timeout.MatchString(up) {
		return errors.New("the file sets a timeout, but only the runner sets the timeouts")
	}
	var newTables []string
	for _, m := range created.FindAllStringSubmatch(up, -1) {
		newTables = append(newTables, m[1])
	}
	for statement := range strings.SplitSeq(up, ";") {
		statement = strings.Join(strings.Fields(statement), " ")
		if noTransaction && statement != "" && !indexesOnly.MatchString(statement) {
			return fmt.Errorf("a file without a transaction may contain indexes and batches only, not %.40q", statement)
		}
		if m := index.FindStringSubmatch(statement); m != nil && !slices.Contains(newTables, m[4]) {
			concurrent, name, only := m[1] != "", m[2], m[3] != ""
			switch {
			case !concurrent && !only:
				return fmt.Errorf("%s is not built CONCURRENTLY", name)
			case concurrent && !noTransaction:
				return fmt.Errorf("%s is built CONCURRENTLY in a transaction", name)
			case concurrent && !strings.Contains(up, "DROP INDEX CONCURRENTLY IF EXISTS "+name+";"):
				return fmt.Errorf("%s is not dropped first: an earlier attempt may have left it invalid", name)
			}
		}
		if m := altered.FindStringSubmatch(statement); m != nil && !slices.Contains(newTables, m[1]) &&
			scans.MatchString(statement) && !strings.Contains(statement, "NOT VALID") && !strings.Contains(statement, "USING INDEX") {
			return fmt.Errorf("%.60q reads the whole table while it is locked", statement)
		}
		if m := copied.FindStringSubmatch(statement); m != nil && m[1] != "domains" { // an install has few domains
			return fmt.Errorf("all rows of %s are copied in one transaction", m[1])
		}
	}
	return nil
}

func TestBreach(t *testing.T) {
	t.Parallel()
	const apart = "-- +goose NO TRANSACTION\n"
	for text, want := range map[string]string{
		"CREATE TABLE x (id int); CREATE INDEX x_id ON x (id);":                                           "",
		"ALTER TABLE clicks ADD COLUMN n int NOT NULL DEFAULT 0;":                                         "",
		"ALTER TABLE clicks ADD CONSTRAINT n CHECK (cost >= 0) NOT VALID;":                                "",
		"CREATE INDEX n ON ONLY clicks (cost);":                                                           "",
		apart + "DROP INDEX CONCURRENTLY IF EXISTS n; CREATE UNIQUE INDEX CONCURRENTLY n\n ON jobs (id);": "",

		apart + "DO $$ BEGIN LOOP DELETE FROM jobs; COMMIT; END LOOP; END $$;": "",

		"CREATE TABLE x (id uuid REFERENCES accounts); INSERT INTO x (id) SELECT s.account_id FROM spend s;": "copied in one transaction",
		"CREATE INDEX n ON clicks (cost);":                                              "not built CONCURRENTLY",
		"CREATE INDEX CONCURRENTLY n ON jobs (id);":                                     "in a transaction",
		apart + "CREATE INDEX CONCURRENTLY n ON jobs (id);":                             "not dropped first",
		apart + "CREATE INDEX CONCURRENTLY n ON jobs (id); ALTER TABLE jobs ADD x int;": "not dropped first",
		apart + "ALTER TABLE jobs ADD COLUMN x int;":                                    "indexes and batches only",
		"ALTER TABLE clicks ALTER COLUMN cost TYPE int;":                                "reads the whole table",
		"ALTER TABLE clicks ALTER country SET NOT NULL;":                                "reads the whole table",
		"ALTER TABLE clicks ADD CONSTRAINT n CHECK (cost >= 0);":                        "reads the whole table",
		"SET lock_timeout = 0; ALTER TABLE clicks ADD COLUMN n int NOT NULL DEFAULT 0;": "sets the timeouts",
	} {
		err := breach("-- +goose Up\n" + text + "\n-- +goose Down\nDROP INDEX n;")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestOwnSecretsAreHidden checks that migration 0028 deletes secrets under a network's own parameter names, except in undecided
// postbacks.
func TestOwnSecretsAreHidden(t *testing.T) {
	t.Parallel()
	d := dbtest.NewEmpty(t)
	p, err := db.MigrationsOf(d, migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), 27); err != nil {
		t.Fatal(err)
	}
	const mine, other, nobody = `'00000000-0000-0000-0000-00000000000a'`, `'00000000-0000-0000-0000-00000000000b'`,
		`'00000000-0000-0000-0000-000000000000'`
	for _, id := range []string{mine, other} {
		dbtest.Exec(t, d, `INSERT INTO accounts (id, name, plan, site_key) VALUES (`+id+`, 'a', 'pro', `+id+`)`)
	}
	dbtest.Exec(t, d, `INSERT INTO networks (id, account_id, name, postback_params) VALUES
		(gen_random_uuid(), `+mine+`, 'n', '{"secret": " Sub5 "}'), (gen_random_uuid(), `+other+`, 'n', '{"secret": "goal"}')`)
	const all = `'{"SUB5": "x", "goal": "g", "clickid": "{c}", "y": "{\"secret\":\"x\"}"}'`
	dbtest.Exec(t, d, `INSERT INTO postbacks (id, account_id, network_id, source, domain, params, signature, signed_text, received_at,
		outcome) SELECT gen_random_uuid(), account::uuid, `+nobody+`, 'postback', '', `+all+`, '', '', now(), outcome
		FROM unnest(ARRAY['recorded', 'refused', 'pending']) AS outcome, unnest(ARRAY[`+mine+`, `+nobody+`]) AS account,
		generate_series(1, 700)`)
	if _, err := p.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	for where, want := range map[string]string{
		`outcome = 'pending'`:                             all,
		`outcome <> 'pending' AND account_id = ` + mine:   `'{"goal": "g", "clickid": "{c}"}'`,
		`outcome <> 'pending' AND account_id = ` + nobody: `'{"clickid": "{c}"}'`,
	} {
		var n int
		err := d.GetContext(t.Context(), &n, `SELECT count(*) FROM postbacks WHERE `+where+` AND params = `+want)
		if err != nil || n != 2*700 { // 700 for each of two accounts, or of two outcomes
			t.Errorf("%d postbacks with %s have the parameters %s, want %d, %v", n, where, want, 2*700, err)
		}
	}
}

// TestDomainsKeepTheirHosts checks that a host that was verified before migration 0134 stays with its account, even after the domain
// is deleted.
func TestDomainsKeepTheirHosts(t *testing.T) {
	t.Parallel()
	d := dbtest.NewEmpty(t)
	p, err := db.MigrationsOf(d, migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), 133); err != nil {
		t.Fatal(err)
	}
	const mine, other = `'00000000-0000-0000-0000-00000000000a'`, `'00000000-0000-0000-0000-00000000000b'`
	for _, id := range []string{mine, other} {
		dbtest.Exec(t, d, `INSERT INTO accounts (id, name, plan, site_key) VALUES (`+id+`, 'a', 'pro', `+id+`)`)
	}
	const add = `INSERT INTO domains (id, account_id, host, is_verified) VALUES (gen_random_uuid(), `
	dbtest.Exec(t, d, add+mine+`, 'go.example.com', true)`)
	if _, err := p.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(t, d, add+other+`, 'go.example.com', false), (gen_random_uuid(), `+other+`, 'new.example.com', false)`)
	dbtest.Exec(t, d, `DELETE FROM domains WHERE account_id = `+mine)
	dbtest.Exec(t, d, `DELETE FROM domains WHERE host = 'new.example.com'`)
	for q, want := range map[string]int{
		`SELECT count(DISTINCT domain_token) FROM accounts WHERE domain_token ~ '^[0-9a-f]{32}$'`:              2,
		`SELECT count(*) FROM domains WHERE proof = 'none'`:                                                    1,
		`SELECT count(*) FROM domain_claims WHERE owner_id = ` + mine + ` AND proven AND left_at IS NOT NULL`:  1,
		`SELECT count(*) FROM domain_claims WHERE owner_id = ` + other + ` AND NOT proven AND left_at IS NULL`: 1,
		`SELECT count(*) FROM domain_claims`:                                                                   2,
	} {
		var n int
		if err := d.GetContext(t.Context(), &n, q); err != nil || n != want {
			t.Errorf("%s: %d, want %d, %v", q, n, want, err)
		}
	}
}

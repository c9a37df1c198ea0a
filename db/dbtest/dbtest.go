// Package dbtest gives each test its own database with the migrated schema, on the server of TEST_DATABASE_URL, which `make test`
// starts. The role of this URL must be allowed to create databases and roles. The databases of New are copies of a template. Later
// tests, of any process, empty these copies and use them again.
package dbtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/db/migrations"
)

// New returns a migrated, empty database for one test. Without TEST_DATABASE_URL the test fails. With -short it is skipped.
func New(tb testing.TB) *db.DB {
	tb.Helper()
	d, _ := NewURL(tb)
	return d
}

// NewURL does the same as New and also returns the URL.
func NewURL(tb testing.TB) (*db.DB, string) {
	tb.Helper()
	server := Server(tb)
	template, err := ensureTemplate()
	if err != nil {
		tb.Fatalf("dbtest: template: %v", err)
	}
	d, url, err := claim(tb, server, template)
	if err != nil {
		tb.Fatalf("dbtest: %v", err)
	}
	tb.Cleanup(func() { _ = d.Close() })
	return d, url
}

// NewEmpty returns a database without a schema, and drops it when the test ends.
func NewEmpty(tb testing.TB) *db.DB {
	tb.Helper()
	server, name := Server(tb), "t_"+strings.ToLower(rand.Text())
	if err := exec(server, `CREATE DATABASE `+name); err != nil {
		tb.Fatalf("dbtest: create: %v", err)
	}
	d, err := db.Open(tb.Context(), withDatabase(server, name), db.Options{Name: "test"})
	if err != nil {
		tb.Fatalf("dbtest: open: %v", err)
	}
	tb.Cleanup(func() {
		_ = d.Close()
		if err := exec(server, dropDatabase+name+` WITH (FORCE)`); err != nil {
			tb.Logf("dbtest: drop: %v", err)
		}
	})
	return d
}

// NewOwned does the same as NewEmpty, but with a role of its own that owns the database and is not a superuser.
func NewOwned(tb testing.TB) *db.DB {
	tb.Helper()
	d, _ := NewOwnedURL(tb)
	return d
}

// NewOwnedURL does the same as NewOwned and also returns the URL.
func NewOwnedURL(tb testing.TB) (*db.DB, string) {
	tb.Helper()
	server, role := Server(tb), "r_"+strings.ToLower(rand.Text())
	tb.Cleanup(func() { // runs after NewEmpty has dropped the database of the role
		if err := exec(server, `DROP ROLE IF EXISTS `+role); err != nil {
			tb.Logf("dbtest: drop role: %v", err)
		}
	})
	admin := NewEmpty(tb)
	name, err := db.Get[string](tb.Context(), admin, "name", `SELECT current_database()::text`)
	if err != nil {
		tb.Fatalf("dbtest: name: %v", err)
	}
	if err := exec(server, `CREATE ROLE `+role+`; ALTER DATABASE `+name+` OWNER TO `+role); err != nil {
		tb.Fatalf("dbtest: role: %v", err)
	}
	u, err := url.Parse(withDatabase(server, name))
	if err != nil {
		tb.Fatalf("dbtest: URL: %v", err)
	}
	q := u.Query()
	q.Set("role", role)
	u.RawQuery = q.Encode()
	d, err := db.Open(tb.Context(), u.String(), db.Options{Name: "test"})
	if err != nil {
		tb.Fatalf("dbtest: open: %v", err)
	}
	tb.Cleanup(func() { _ = d.Close() })
	return d, u.String()
}

// Server returns the URL of the test server.
func Server(tb testing.TB) string {
	tb.Helper()
	if testing.Short() {
		tb.Skip("needs PostgreSQL, skipped by -short")
	}
	server := os.Getenv("TEST_DATABASE_URL")
	if server == "" {
		tb.Fatal("TEST_DATABASE_URL is not set: run `make test`, or see `switchyard devstack up --test --env`")
	}
	return server
}

// ensureTemplate creates the template once per process, unless the server has it. Its name has a hash of the schema. An advisory
// lock keeps test binaries from creating it at the same time.
var ensureTemplate = sync.OnceValues(func() (string, error) { return makeTemplate(os.Getenv("TEST_DATABASE_URL")) })

func makeTemplate(server string) (string, error) {
	name, err := schemaName()
	if err != nil {
		return "", err
	}
	ctx := context.Background()
	pool, err := sql.Open("postgres", server)
	if err != nil {
		return "", err
	}
	defer func() { _ = pool.Close() }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(hashtext('switchyard dbtest'))`); err != nil {
		return "", err
	}
	var ready bool
	const q = `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datistemplate)`
	if err := conn.QueryRowContext(ctx, q, name).Scan(&ready); err != nil || ready {
		return name, err
	}
	for _, stmt := range []string{dropDatabase + name, createDatabase + name} {
		if _, err := conn.ExecContext(ctx, stmt); err != nil {
			return "", err
		}
	}
	if err := migrate(ctx, withDatabase(server, name)); err != nil {
		return "", err
	}
	// The mark comes last: if the process crashes before, the next run creates the template again.
	_, err = conn.ExecContext(ctx, fmt.Sprintf(`ALTER DATABASE %s IS_TEMPLATE true`, pq.QuoteIdentifier(name)))
	return name, err
}

func migrate(ctx context.Context, url string) error {
	d, err := db.Open(ctx, url, db.Options{Name: "dbtest"})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	if _, err = db.Migrate(ctx, d); err != nil {
		return err
	}
	_, err = d.ExecContext(ctx, prepareCleaning)
	return err
}

func schemaName() (string, error) {
	sum := sha256.New()
	_, _ = sum.Write([]byte(prepareCleaning)) // never fails
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return "", err
	}
	for _, f := range files {
		text, err := fs.ReadFile(migrations.FS, f)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n%s", f, len(text), text)
	}
	return "tpl_" + hex.EncodeToString(sum.Sum(nil))[:16], nil
}

func exec(server, stmt string) error {
	pool, err := sql.Open("postgres", server)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	_, err = pool.ExecContext(context.Background(), stmt)
	return err
}

func withDatabase(server, name string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	u.Path = "/" + name
	return u.String()
}

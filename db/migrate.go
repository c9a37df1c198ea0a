package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"switchyard/db/migrations"
)

// A migration that waits for the lock of a table makes later statements on the table wait too. So it soon gives up, lets these
// pass and tries again.
const (
	migrateLockTimeout = 2 * time.Second
	migratePause       = time.Second
	migrateAttempts    = 60
)

// Migrate brings the schema up to date and returns how many files it ran. Several processes may call it at the same time: one of
// them migrates. It fails if a lock is not available after migrateAttempts attempts, which take about three minutes. The next
// call continues with the migration that failed. If the schema has migrations that this program lacks, Migrate changes nothing and
// returns ErrProgramBehind.
func Migrate(ctx context.Context, d *DB) (int, error) {
	files, err := migrationFiles()
	if err != nil {
		return 0, err
	}
	applied, err := Applied(ctx, d)
	if err != nil {
		return 0, err
	}
	for _, v := range applied {
		if files[v] == "" {
			return 0, fmt.Errorf("%w: it lacks migration %d, which the database has; run a newer program", ErrProgramBehind, v)
		}
	}
	return migrate(ctx, d, migrations.FS, migrateAttempts)
}

// migrate applies the missing migrations, and returns their number. It tries at most attempts times to get a lock.
func migrate(ctx context.Context, d *DB, files fs.FS, attempts int) (int, error) {
	p, err := migrationsOf(d, files)
	if err != nil {
		return 0, err
	}
	count := 0
	for attempt := 1; ; attempt++ {
		done, err := p.Up(ctx)
		count += len(done)
		partial, ok := errors.AsType[*goose.PartialError](err)
		if ok {
			count += len(partial.Applied)
		}
		if !ok || pq.As(err, pqerror.LockNotAvailable) == nil {
			return count, wrap("migrate", err)
		}
		name := path.Base(partial.Failed.Source.Path)
		if attempt == attempts {
			return count, fmt.Errorf("db: migrate: %s: other transactions hold locks that it needs; end them, or migrate "+
				"again at a quieter time: %w", name, err)
		}
		slog.WarnContext(ctx, "a migration waits for a lock", "migration", name, "attempt", attempt)
		select {
		case <-ctx.Done():
			return count, wrap("migrate", ctx.Err())
		case <-time.After(migratePause):
		}
	}
}

// migrationsOf returns the runner of the migrations. Branches may be merged in another order than their numbers, so it runs
// missing files of any number.
func migrationsOf(d *DB, files fs.FS) (*goose.Provider, error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, wrap("migrate", err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, d.DB.DB, files,
		goose.WithSessionLocker(migrateSession{locker}), goose.WithAllowOutofOrder(true))
	return p, wrap("migrate", err)
}

// migrateSession sets a short timeout for locks in the session that migrates. Statements have no timeout, because building an
// index of a large table takes long but blocks no other session.
type migrateSession struct{ lock.SessionLocker }

// SessionLock implements lock.SessionLocker.
func (s migrateSession) SessionLock(ctx context.Context, conn *sql.Conn) error {
	if err := s.SessionLocker.SessionLock(ctx, conn); err != nil {
		return err
	}
	set := fmt.Sprintf(`SET lock_timeout = %d; SET statement_timeout = 0`, migrateLockTimeout.Milliseconds())
	_, err := conn.ExecContext(ctx, set)
	return err
}

// SessionUnlock implements lock.SessionLocker.
func (s migrateSession) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, `RESET lock_timeout; RESET statement_timeout`)
	return errors.Join(err, s.SessionLocker.SessionUnlock(ctx, conn))
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("db: %s: %w", what, err)
}

// MigrateTo runs the given migrations that were not run yet. It changes nothing and fails if this program lacks one of them, or
// if the database has others.
func MigrateTo(ctx context.Context, d *DB, versions []int64) error {
	files, err := migrationFiles()
	if err != nil {
		return err
	}
	applied, err := Applied(ctx, d)
	if err != nil {
		return err
	}
	for _, v := range applied {
		if !slices.Contains(versions, v) {
			return fmt.Errorf("%w: it has migration %d, which the requested schema lacks", ErrSchemaAhead, v)
		}
	}
	chosen := chosenFiles{}
	for _, v := range versions {
		if files[v] == "" {
			return fmt.Errorf("%w: it lacks migration %d", ErrProgramBehind, v)
		}
		chosen[files[v]] = true
	}
	_, err = migrate(ctx, d, chosen, migrateAttempts)
	return err
}

var (
	// ErrSchemaAhead means that a database has a migration that was not requested, and that cannot be undone.
	ErrSchemaAhead = errors.New("db: the schema is newer than wanted")
	// ErrProgramBehind means that a schema needs a newer program.
	ErrProgramBehind = errors.New("db: the program is older than the schema")
)

type chosenFiles map[string]bool

// Open implements fs.FS.
func (c chosenFiles) Open(name string) (fs.File, error) { return migrations.FS.Open(name) }

// ReadDir implements fs.ReadDirFS, for fs.Glob.
func (c chosenFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := migrations.FS.ReadDir(name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool { return !c[e.Name()] }), err
}

func migrationFiles() (map[int64]string, error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return nil, wrap("migrations", err)
	}
	files := make(map[int64]string, len(names))
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		v, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, wrap("migrations", err)
		}
		files[v] = name
	}
	return files, nil
}

const (
	everMigrated = `SELECT to_regclass('goose_db_version') IS NOT NULL`
	listApplied  = `SELECT DISTINCT version_id FROM goose_db_version WHERE is_applied AND version_id > 0 ORDER BY 1`
)

// Applied lists the migrations that the database has, in order. It is empty without a schema.
func Applied(ctx context.Context, c Conn) ([]int64, error) {
	ever, err := Get[bool](ctx, c, "migrations", everMigrated)
	if err != nil || !ever {
		return []int64{}, err
	}
	return Select[int64](ctx, c, "migrations", listApplied)
}

// Behind returns how many migrations of this program the database lacks. Migrations that only the database has, as during an upgrade,
// do not count.
func Behind(ctx context.Context, d *DB) (int, error) {
	files, err := migrationFiles()
	if err != nil {
		return 0, err
	}
	applied, err := Applied(ctx, d)
	for _, v := range applied {
		delete(files, v)
	}
	return len(files), err
}

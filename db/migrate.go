package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"switchyard/db/migrations"
)

// A migration that waits for a lock blocks everything that comes after it on that table. So it gives up soon, lets
// the others pass and tries again.
const (
	migrateLockTimeout = 2 * time.Second
	migratePause       = time.Second
	migrateAttempts    = 60
)

// Migrate brings the schema up to date and returns how many files it ran. Several processes may call it at once: one
// works, and the others find nothing left to do. It fails if a file gets no lock for some minutes. Calling it again
// continues with that file.
func Migrate(ctx context.Context, d *DB) (int, error) {
	return migrate(ctx, d, migrations.FS, migrateAttempts)
}

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
		if !ok || !lockTimedOut(err) {
			return count, wrap("migrate", err)
		}
		name := path.Base(partial.Failed.Source.Path)
		if attempt == attempts {
			return count, fmt.Errorf("db: migrate: %s: others hold what it needs to lock; end their transactions, or call it "+
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

// migrationsOf makes the runner. It allows files out of order, because branches may land in another order than their
// numbers.
func migrationsOf(d *DB, files fs.FS) (*goose.Provider, error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, wrap("migrate", err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, d.DB.DB, files,
		goose.WithSessionLocker(migrateSession{locker}), goose.WithAllowOutofOrder(true))
	return p, wrap("migrate", err)
}

// migrateSession sets the timeouts of the session that migrates: a short one for locks, and none for statements,
// since building an index of a large table takes long but blocks nobody.
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

const (
	everMigrated = `SELECT to_regclass('goose_db_version') IS NOT NULL`
	countApplied = `SELECT count(DISTINCT version_id) FROM goose_db_version WHERE is_applied AND version_id = ANY ($1)`
)

// Behind returns how many migrations of this program the database lacks. It changes nothing. A database that is ahead
// of the program, as during an upgrade, is not behind.
func Behind(ctx context.Context, d *DB) (int, error) {
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return 0, wrap("migrations", err)
	}
	versions := make([]int64, len(files))
	for i, name := range files {
		number, _, _ := strings.Cut(name, "_")
		if versions[i], err = strconv.ParseInt(number, 10, 64); err != nil {
			return 0, wrap("migrations", err)
		}
	}
	ever, err := Get[bool](ctx, d, "migrations", everMigrated)
	if err != nil || !ever {
		return len(versions), err
	}
	applied, err := Get[int](ctx, d, "migrations", countApplied, versions)
	return len(versions) - applied, err
}

package db

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/lib/pq"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"switchyard/db/migrations"
)

// Migrate brings the schema up to date and tells how many files it ran. Several processes may call it at once: one
// works, the others wait for it and find nothing left to do.
func Migrate(ctx context.Context, d *DB) (int, error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return 0, fmt.Errorf("db: migrate: %w", err)
	}
	// Out of order: two branches may land with their numbers the other way round.
	p, err := goose.NewProvider(goose.DialectPostgres, d.DB.DB, migrations.FS, goose.WithSessionLocker(locker),
		goose.WithAllowOutofOrder(true))
	if err != nil {
		return 0, fmt.Errorf("db: migrate: %w", err)
	}
	done, err := p.Up(ctx)
	if err != nil {
		return len(done), fmt.Errorf("db: migrate: %w", err)
	}
	return len(done), nil
}

const (
	everMigrated = `SELECT to_regclass('goose_db_version') IS NOT NULL`
	countApplied = `SELECT count(DISTINCT version_id) FROM goose_db_version WHERE is_applied AND version_id = ANY ($1)`
)

// Behind tells how many migrations of this program the database has not had. It changes nothing. A database that is
// ahead of the program, as while versions change, is not behind.
func Behind(ctx context.Context, d *DB) (int, error) {
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return 0, fmt.Errorf("db: migrations: %w", err)
	}
	versions := make([]int64, len(files))
	for i, name := range files {
		number, _, _ := strings.Cut(name, "_")
		if versions[i], err = strconv.ParseInt(number, 10, 64); err != nil {
			return 0, fmt.Errorf("db: migrations: %w", err)
		}
	}
	var ever bool
	if err := d.GetContext(ctx, &ever, everMigrated); err != nil {
		return 0, fmt.Errorf("db: migrations: %w", err)
	}
	if !ever {
		return len(versions), nil
	}
	var applied int
	if err := d.GetContext(ctx, &applied, countApplied, pq.Array(versions)); err != nil {
		return 0, fmt.Errorf("db: migrations: %w", err)
	}
	return len(versions) - applied, nil
}

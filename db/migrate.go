package db

import (
	"context"
	"fmt"

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

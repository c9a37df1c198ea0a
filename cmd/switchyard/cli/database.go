package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/ops/admin"
	"switchyard/ops/config"
	"switchyard/ops/devstack"
)

// withDatabase calls fn with the database of DATABASE_URL, which must be migrated, or with the migrated private database.
func withDatabase(ctx context.Context, e *env, fn func(config.Config, *db.DB) error) error {
	return withAnyDatabase(ctx, e, func(cfg config.Config, d *db.DB) error {
		if err := checkSchema(ctx, d); err != nil {
			return err
		}
		return fn(cfg, d)
	})
}

// errBehind is the error for a database that lacks migrations.
var errBehind = errors.New("the database is older than this program: run `switchyard migrate`")

func checkSchema(ctx context.Context, d *db.DB) error {
	n, err := db.Behind(ctx, d)
	if err == nil && n > 0 {
		err = fmt.Errorf("%w (%d migrations are missing)", errBehind, n)
	}
	return err
}

// withAnyDatabase is withDatabase without a check of the schema.
func withAnyDatabase(ctx context.Context, e *env, fn func(config.Config, *db.DB) error) error {
	return withBareDatabase(ctx, e, func(cfg config.Config, d *db.DB) error {
		if cfg.DatabaseURL == "" {
			if _, err := db.Migrate(ctx, d); err != nil {
				return err
			}
		}
		return fn(cfg, d)
	})
}

// withBareDatabase is withAnyDatabase without migrations.
func withBareDatabase(ctx context.Context, e *env, fn func(config.Config, *db.DB) error) (err error) {
	cfg, err := e.config()
	if err != nil {
		return err
	}
	url := cfg.SessionURL()
	if url == "" {
		servers, release, err := devstack.Use(ctx, stackOptions(cfg, e))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, release(context.WithoutCancel(ctx))) }()
		url = servers.DatabaseURL
	}
	d, err := db.Open(ctx, url, db.Options{
		MaxConns: 2, Name: "switchyard-cli", Statement: time.Hour, // an operator waits and can interrupt it
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return fn(cfg, d)
}

// withAdmin calls fn and prints its answer as JSON or as a table.
func withAdmin(ctx context.Context, e *env, asJSON bool,
	fn func(admin.Admin) (value any, rows []string, err error),
) error {
	return withStore(ctx, e, func(cfg config.Config, s *store.Store) error {
		value, rows, err := fn(admin.Admin{Store: s, BaseURL: cfg.BaseURL, Dashboard: cfg.DashboardHost(), Tracker: cfg.TrackingHost})
		if err != nil {
			return err
		}
		return e.print(asJSON, value, rows...)
	})
}

// withStore does the same as withDatabase, and passes the store to fn instead of the database.
func withStore(ctx context.Context, e *env, fn func(config.Config, *store.Store) error) error {
	return withDatabase(ctx, e, func(cfg config.Config, d *db.DB) error {
		s, err := openStore(cfg, d)
		if err != nil {
			return err
		}
		return fn(cfg, s)
	})
}

func openStore(cfg config.Config, d *db.DB) (*store.Store, error) {
	box, err := seal.New(d, cfg.EncryptionKey)
	if err != nil {
		return nil, err
	}
	return store.New(d, box), nil
}

// migrateCmd brings the schema up to date.
type migrateCmd struct{ jsonFlag }

// Run implements the command.
func (c *migrateCmd) Run(ctx context.Context, e *env) error {
	return withAnyDatabase(ctx, e, func(cfg config.Config, d *db.DB) (err error) {
		n, err := db.Migrate(ctx, d)
		if err != nil {
			return err
		}
		to, err := openClicks(cfg)
		if err != nil {
			return err
		}
		if to != nil {
			defer func() { err = errors.Join(err, to.Close()) }()
			ensureClicks(ctx, cfg, d, to)
		}
		return e.print(c.JSON, map[string]int{"applied": n},
			fmt.Sprintf("%d migrations applied, the schema is up to date", n))
	})
}

package main

import (
	"context"
	"errors"
	"fmt"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/ops/config"
	"switchyard/ops/devstack"
)

// withDatabase opens the database that DATABASE_URL names, or the private one, for the time of fn. A private one is
// migrated first: there is no release phase that would do it. Another one must have been.
func withDatabase(ctx context.Context, e *env, fn func(config.Config, *db.DB) error) error {
	return withAnyDatabase(ctx, e, func(cfg config.Config, d *db.DB) error {
		if err := checkSchema(ctx, d); err != nil {
			return err
		}
		return fn(cfg, d)
	})
}

// errBehind is a database older than this program.
var errBehind = errors.New("the database is older than this program: run `switchyard migrate`")

func checkSchema(ctx context.Context, d *db.DB) error {
	n, err := db.Behind(ctx, d)
	if err == nil && n > 0 {
		err = fmt.Errorf("%w (%d migrations to come)", errBehind, n)
	}
	return err
}

// withAnyDatabase is withDatabase for a schema of any age.
func withAnyDatabase(ctx context.Context, e *env, fn func(config.Config, *db.DB) error) (err error) {
	cfg, err := config.Load(e.getenv)
	if err != nil {
		return err
	}
	private := cfg.DatabaseURL == ""
	if private {
		servers, release, err := devstack.Use(ctx, devstack.Options{
			DataDir: cfg.DataDir, NoRedis: cfg.RedisURL != "", Out: e.stderr,
		})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, release(context.WithoutCancel(ctx))) }()
		cfg.DatabaseURL = servers.DatabaseURL
	}
	d, err := db.Open(ctx, cfg.DatabaseURL, db.Options{MaxConns: 2, Name: "switchyard-cli"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if private {
		if _, err := db.Migrate(ctx, d); err != nil {
			return err
		}
	}
	return fn(cfg, d)
}

// withStore is withDatabase for a command that works on the control plane.
func withStore(ctx context.Context, e *env, fn func(*store.Store) error) error {
	return withDatabase(ctx, e, func(cfg config.Config, d *db.DB) error {
		box, err := seal.New(d, cfg.EncryptionKey)
		if err != nil {
			return err
		}
		return fn(store.New(d, box))
	})
}

// migrateCmd brings the schema up to date.
type migrateCmd struct {
	JSON bool `help:"Print one JSON value."`
}

// Run implements the command.
func (c *migrateCmd) Run(ctx context.Context, e *env) error {
	return withAnyDatabase(ctx, e, func(_ config.Config, d *db.DB) error {
		n, err := db.Migrate(ctx, d)
		if err != nil {
			return err
		}
		if c.JSON {
			return e.printJSON(map[string]int{"applied": n})
		}
		return e.printTable([]string{fmt.Sprintf("%d migrations applied, the schema is up to date", n)})
	})
}

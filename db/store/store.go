// Package store is the control plane in PostgreSQL: accounts, keys and what an account sets up, one file per resource.
//
// Every query names the account, so another account's id finds nothing, exactly like a missing one. A method returns a
// models.Error for what a client may see and a wrapped error for all else.
package store

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/models"
)

// Store is the control plane on a connection: the pool, or a transaction.
type Store struct {
	c      db.Conn
	box    *seal.Box
	cursor *atomic.Pointer[[]byte] // the key that signs cursors, once read
}

// New makes a store on the pool. Box seals what the store keeps secret.
func New(c db.Conn, box *seal.Box) *Store {
	return &Store{c: c, box: box, cursor: new(atomic.Pointer[[]byte])}
}

// Conn is what the store's queries run on, for a method of another package in the same transaction.
func (s *Store) Conn() db.Conn { return s.c }

// Box seals and opens secrets of this install.
func (s *Store) Box() *seal.Box { return s.box }

// On gives the same store on another connection.
func (s *Store) On(c db.Conn) *Store { return &Store{c: c, box: s.box, cursor: s.cursor} }

// Tx runs fn in a transaction, or under a savepoint where the store is in one already.
func (s *Store) Tx(ctx context.Context, fn func(*Store) error) error {
	return db.Tx(ctx, s.c, func(c db.Conn) error { return fn(s.On(c)) })
}

// get reads one row into T; no row is a not_found of what.
func get[T any](ctx context.Context, s *Store, what, query string, args ...any) (T, error) {
	var row T
	err := sqlx.GetContext(ctx, s.c, &row, query, args...)
	if db.NoRows(err) {
		return row, models.NotFound(what)
	}
	if err != nil {
		return row, fmt.Errorf("db: %s: %w", what, err)
	}
	return row, nil
}

// one runs a statement that must touch exactly one row; none is a not_found of what.
func (s *Store) one(ctx context.Context, what, query string, args ...any) error {
	res, err := s.c.ExecContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("db: %s: %w", what, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("db: %s: %w", what, err)
	}
	if n == 0 {
		return models.NotFound(what)
	}
	return nil
}

// The tables whose rows an account switches on and off; their names stand in SQL text, so they are constants.
const (
	tableOffers   = "offers"
	tableLanders  = "landers"
	tableSources  = "traffic_sources"
	tableNetworks = "networks"
)

// live gives an id back if it is a live row of a table of the account, else the zero id. Table is one of the constants
// above.
func (s *Store) live(ctx context.Context, table string, account, id uuid.UUID) (uuid.UUID, error) {
	if id == uuid.Nil {
		return id, nil
	}
	var ok bool
	q := `SELECT EXISTS (SELECT FROM ` + table + ` WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL)`
	if err := sqlx.GetContext(ctx, s.c, &ok, q, account, id); err != nil {
		return uuid.Nil, fmt.Errorf("db: %s: %w", table, err)
	}
	if !ok {
		return uuid.Nil, nil
	}
	return id, nil
}

// setActive pauses or resumes a live row of a table.
func (s *Store) setActive(ctx context.Context, table, what string, account, id uuid.UUID, on bool) error {
	q := `UPDATE ` + table + ` SET is_active = $3, updated_at = now()
	      WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL`
	return s.one(ctx, what, q, account, id, on)
}

// deactivate takes a row of a table out of lists and keeps it for history.
func (s *Store) deactivate(ctx context.Context, table, what string, account, id uuid.UUID) error {
	q := `UPDATE ` + table + ` SET deactivated_at = now(), is_active = false, updated_at = now()
	      WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL`
	return s.one(ctx, what, q, account, id)
}

// allow refuses a record beyond the plan's allowance. It locks the account's row until the transaction ends, so that
// two creates at once cannot both take the last place; count is a query of one number with the account as $1.
func (s *Store) allow(ctx context.Context, account uuid.UUID, what, count string, limit func(models.Plan) int) error {
	plan, err := get[string](ctx, s, "account", `SELECT plan FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, account)
	if err != nil {
		return err
	}
	p, _ := models.PlanNamed(plan)
	allowed := limit(p)
	if allowed == models.Unlimited {
		return nil
	}
	have, err := get[int](ctx, s, what, count, account)
	if err != nil {
		return err
	}
	if have >= allowed {
		return models.PlanLimit("the plan %q allows %d %s", plan, allowed, what)
	}
	return nil
}

// copyName is the name of a copy: the first of "N (copy)", "N (copy 2)", ... that no live row of the table has. Names
// are held to 255 characters.
func (s *Store) copyName(ctx context.Context, table, live string, account uuid.UUID, name string) (string, error) {
	q := `SELECT lower(name) FROM ` + table + ` WHERE account_id = $1 AND ` + live + ` AND lower(name) LIKE '%(copy%)'`
	var taken []string
	if err := sqlx.SelectContext(ctx, s.c, &taken, q, account); err != nil {
		return "", fmt.Errorf("db: %s: %w", table, err)
	}
	return freeName(name, taken), nil
}

// saveError is what the error of a statement that writes a record says to a client: index, unique by name if the
// records are, was broken, or there is no such row.
func saveError(err error, index, what string) error {
	switch {
	case err == nil:
		return nil
	case index != "" && db.UniqueViolation(err) == index:
		return models.Conflict("duplicate_name", "another %s has this name", what)
	case db.NoRows(err):
		return models.NotFound(what)
	}
	return fmt.Errorf("db: save %s: %w", what, err)
}

// null is an optional id as a parameter: the zero id is NULL.
func null(id uuid.UUID) uuid.NullUUID { return uuid.NullUUID{UUID: id, Valid: id != uuid.Nil} }

// nonNil makes an absent list an empty one, as columns want it.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

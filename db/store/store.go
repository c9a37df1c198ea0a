// Package store is the control plane in PostgreSQL: accounts, keys and what an account sets up, one file per resource.
//
// Every query names the account, so another account's id finds nothing, exactly like a missing one. A method returns a
// models.Error for what a client may see and a wrapped error for all else.
package store

import (
	"context"
	"sync/atomic"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/models"
)

// Store is the control plane on a connection: the pool or a transaction.
type Store struct {
	c      db.Conn
	box    *seal.Box
	cursor *atomic.Pointer[[]byte] // the key that signs cursors, once read
}

// New makes a store on the pool. box seals its secrets.
func New(c db.Conn, box *seal.Box) *Store {
	return &Store{c: c, box: box, cursor: new(atomic.Pointer[[]byte])}
}

// Conn is what the store's queries run on, for a method of another package in the same transaction.
func (s *Store) Conn() db.Conn { return s.c }

// Box seals and opens secrets of this install.
func (s *Store) Box() *seal.Box { return s.box }

// On gives the same store on another connection.
func (s *Store) On(c db.Conn) *Store { return &Store{c: c, box: s.box, cursor: s.cursor} }

// Tx runs fn in a transaction, or under a savepoint if the store is in one already.
func (s *Store) Tx(ctx context.Context, fn func(*Store) error) error {
	return db.Tx(ctx, s.c, func(c db.Conn) error { return fn(s.On(c)) })
}

// txOf is Tx with a result.
func txOf[T any](ctx context.Context, s *Store, fn func(*Store) (T, error)) (result T, err error) {
	err = s.Tx(ctx, func(s *Store) (err error) {
		result, err = fn(s)
		return err
	})
	return result, err
}

// lockAccount locks the account's row until the transaction ends. Calls that check before they write, such as for a
// free name, so come one after the other.
func (s *Store) lockAccount(ctx context.Context, account uuid.UUID) error {
	_, err := db.Get[uuid.UUID](ctx, s.c, "account", `SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, account)
	return err
}

// lockedPlan gives the account's plan and locks the account as lockAccount does.
func (s *Store) lockedPlan(ctx context.Context, account uuid.UUID) (models.Plan, error) {
	name, err := db.Get[string](ctx, s.c, "account", `SELECT plan FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, account)
	plan, _ := models.PlanNamed(name)
	return plan, err
}

// allowance is how many records of a kind a plan allows.
type allowance struct {
	what  string // in messages
	count string // a query of one number with the account as $1
	limit func(models.Plan) int
}

// allow refuses one more record than the plan allows: plan_limit. Without a limit it allows any. The account's row is
// locked until the transaction ends, so that two creates at once cannot both pass.
func (s *Store) allow(ctx context.Context, account uuid.UUID, a allowance) error {
	if a.limit == nil {
		return nil
	}
	plan, err := s.lockedPlan(ctx, account)
	if err != nil {
		return err
	}
	allowed := a.limit(plan)
	if allowed == models.Unlimited {
		return nil
	}
	have, err := db.Get[int](ctx, s.c, a.what, a.count, account)
	if err == nil && have >= allowed {
		err = models.PlanLimit("the plan %q allows %d %s", plan.Name, allowed, a.what)
	}
	return err
}

// Package store reads and writes the control plane in PostgreSQL: accounts, keys and the records that accounts set up. Each kind
// of record has its own file.
//
// A method that gets an account's id limits its queries to that account. A record of another account is not found. The other
// methods are for workers and operators, for calls that do not know the account yet, or for ids that the caller has checked.
//
// A method returns a models.Error for errors that a client may see, and a wrapped error for all others.
package store

import (
	"context"
	"sync/atomic"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/models"
)

// Store accesses the control plane through a connection, which is the pool or a transaction.
type Store struct {
	c      db.Conn
	box    *seal.Box
	cursor *atomic.Pointer[[]byte] // the key that signs cursors; nil until it is first read
}

// New returns a store on the pool.
func New(c db.Conn, box *seal.Box) *Store {
	return &Store{c: c, box: box, cursor: new(atomic.Pointer[[]byte])}
}

// Conn returns the store's connection, so that a method of another package can run in the same transaction.
func (s *Store) Conn() db.Conn { return s.c }

// Box returns the box that seals and opens secrets of this install.
func (s *Store) Box() *seal.Box { return s.box }

// On returns the same store on another connection.
func (s *Store) On(c db.Conn) *Store { return &Store{c: c, box: s.box, cursor: s.cursor} }

// Tx runs fn in a transaction. If the store is in a transaction already, fn runs under a savepoint.
func (s *Store) Tx(ctx context.Context, fn func(*Store) error) error {
	return db.Tx(ctx, s.c, func(c db.Conn) error { return fn(s.On(c)) })
}

// TxOf does the same as Tx, for a function with a result.
func TxOf[T any](ctx context.Context, s *Store, fn func(*Store) (T, error)) (result T, err error) {
	err = s.Tx(ctx, func(s *Store) (err error) {
		result, err = fn(s)
		return err
	})
	return result, err
}

// LockedTx does the same as Tx, but locks an account before it runs fn.
func (s *Store) LockedTx(ctx context.Context, account uuid.UUID, fn func(*Store) error) error {
	return s.Tx(ctx, func(s *Store) error {
		if err := s.LockAccount(ctx, account); err != nil {
			return err
		}
		return fn(s)
	})
}

// LockedTxOf does the same as LockedTx, for a function with a result.
func LockedTxOf[T any](ctx context.Context, s *Store, account uuid.UUID, fn func(*Store) (T, error)) (result T, err error) {
	err = s.LockedTx(ctx, account, func(s *Store) (err error) {
		result, err = fn(s)
		return err
	})
	return result, err
}

// LockAccount locks the account's row until the transaction ends. So calls that check something before they write run one after
// the other.
func (s *Store) LockAccount(ctx context.Context, account uuid.UUID) error {
	return s.execOne(ctx, "account", `SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, account)
}

// lockedPlan returns the account's plan and locks the account as LockAccount does.
func (s *Store) lockedPlan(ctx context.Context, account uuid.UUID) (models.Plan, error) {
	name, err := db.Get[string](ctx, s.c, "account", `SELECT plan FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, account)
	plan, _ := models.PlanNamed(name)
	return plan, err
}

type allowance struct {
	what  string // plural of the kind in error messages
	count string // query for the present number of records, with the account as $1
	limit func(models.Plan) int
}

// allow returns the error plan_limit if the plan has no room for another record. The account stays locked until the transaction
// ends, so that two concurrent creates cannot both pass.
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

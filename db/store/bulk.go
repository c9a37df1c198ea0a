package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/bulk"
)

// Failure is a record that could not be changed in a change of many records.
type Failure struct {
	ID   uuid.UUID
	Name string // empty if there is no such record
	Err  *models.Error
}

// Edit is a record before and after a change.
type Edit[R any] struct{ Before, After R }

const maxNamedFailures = 5

// Refused returns the error of a change of many records that failed for some of the records. The error has the code of the first
// failure and names the first records.
func Refused(failures []Failure, total int) error {
	if len(failures) == 0 {
		return nil
	}
	first := failures[0].Err
	if total == 1 {
		return first
	}
	named := db.Map(failures[:min(len(failures), maxNamedFailures)], func(f Failure) string {
		if f.Name == "" {
			return f.Err.Message
		}
		return fmt.Sprintf("%q: %s", f.Name, f.Err.Message)
	})
	if more := len(failures) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return models.Errorf(first.Kind, first.Code, "%d of %d records cannot be changed like this, so nothing has changed: %s", len(failures), total,
		strings.Join(named, "; "))
}

// each calls the function change for every id, in the order in which records are locked. Every call runs in a savepoint. If a
// call returns a models.Error, only its record is rolled back and becomes a failure. Any other error ends the loop.
func (s *Store) each(ctx context.Context, ids []uuid.UUID, change func(s *Store, id uuid.UUID) (name string, err error)) (
	failures []Failure, err error,
) {
	for _, id := range db.SortedIDs(db.ByKey(ids, func(id uuid.UUID) uuid.UUID { return id })) {
		var name string
		err := s.Tx(ctx, func(s *Store) (err error) {
			name, err = change(s, id)
			return err
		})
		if e, ok := errors.AsType[*models.Error](err); ok {
			failures = append(failures, Failure{id, name, e})
		} else if err != nil {
			return nil, err
		}
	}
	return failures, nil
}

// ChangeAll calls the function edit with each record, under a lock, and saves the result. It returns the changed records, and a
// failure for each id whose record could not be changed. The store must be in a transaction.
func (k pausable[R]) ChangeAll(ctx context.Context, account uuid.UUID, ids []uuid.UUID, edit func(*R) error) (
	edits []Edit[R], failures []Failure, err error,
) {
	failures, err = k.s.each(ctx, ids, func(s *Store, id uuid.UUID) (string, error) {
		before, err := k.t.findLocked(ctx, s, account, id)
		if err != nil {
			return "", err
		}
		name := *field[string](&before, "Name")
		after := before
		if err := edit(&after); err != nil {
			return name, err
		}
		on := *field[models.Active](&after, "IsActive")
		if on != *field[models.Active](&before, "IsActive") {
			if err := s.execOne(ctx, k.t.what, k.t.set(`is_active = $3`), account, id, bool(on)); err != nil {
				return name, err
			}
		}
		after, err = k.t.save(ctx, s, after)
		if err == nil {
			edits = append(edits, Edit[R]{before, after})
		}
		return name, err
	})
	return edits, failures, err
}

const insertChange = `INSERT INTO bulk_changes (id, account_id, changed, campaigns) VALUES ($1, $2, $3, $4)`

// AddChange stores a change of many records, so that it can be undone.
func (s *Store) AddChange(ctx context.Context, account uuid.UUID, changed bulk.Changed) (uuid.UUID, error) {
	id := uuid.Must(uuid.NewV7())
	return id, s.run(ctx, "change of many records", insertChange, id, account, db.Document(changed), db.UUIDs(changed.Campaigns()))
}

// ClaimUndo locks a change of the account and marks it as undone. Errors: not_found, already_undone.
func (s *Store) ClaimUndo(ctx context.Context, account, id uuid.UUID) (bulk.Change, error) {
	const q = `SELECT id, changed, undone_at FROM bulk_changes WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`
	change, err := db.Get[bulk.Change](ctx, s.c, "change", q, account, id)
	if err == nil && change.UndoneAt != nil {
		err = models.Conflict("already_undone", "the change was undone already")
	}
	if err != nil {
		return change, err
	}
	const undo = `UPDATE bulk_changes SET undone_at = clock_timestamp() WHERE account_id = $1 AND id = $2`
	return change, s.run(ctx, "undo a change", undo, account, id)
}

const changeRetention = 90 * 24 * time.Hour

// DeleteExpiredChanges deletes changes that are too old to be undone. It is for workers.
func (s *Store) DeleteExpiredChanges(ctx context.Context) (int64, error) {
	const q = `DELETE FROM bulk_changes WHERE id = ANY (ARRAY(SELECT id FROM bulk_changes
		WHERE created_at < now() - make_interval(secs => $1) LIMIT 5000))`
	return s.exec(ctx, "delete changes", q, changeRetention.Seconds())
}

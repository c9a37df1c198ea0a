package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// CostChanges accesses the changes of cost that people have made. Package spend stores the values that a change replaces.
type CostChanges struct{ s *Store }

// CostChanges returns access to the changes of cost.
func (s *Store) CostChanges() CostChanges { return CostChanges{s} }

var costChangeColumns = db.Columns[models.CostChange]("t.")

var addCostChange = `
INSERT INTO cost_changes (id, account_id, kind, who, request, statement, base)
SELECT $2, id, $3, coalesce(` + keyName("$5") + `, $4), $6, $7, currency
FROM accounts WHERE id = $1 ON CONFLICT (id) DO NOTHING`

// Add stores a change before it is made. The change has the id of the job that makes it. If a key makes the change, Add stores
// the key's name instead of `who`. A repeated call does nothing.
func (k CostChanges) Add(ctx context.Context, account, id uuid.UUID, kind, who string, key uuid.UUID, r models.CostRequest) error {
	return k.s.run(ctx, "add change of cost", addCostChange, account, id, kind, who, db.OrNull(key), db.Document(r), models.NewClickID())
}

// RecordUndone records who has undone a change, and with which job.
func (k CostChanges) RecordUndone(ctx context.Context, account, id, job uuid.UUID, who string, key uuid.UUID) error {
	return k.s.run(ctx, "undo change of cost", `UPDATE cost_changes SET undone_by = coalesce(`+keyName("$5")+`, $4), undone_job = $3
		WHERE account_id = $1 AND id = $2`, account, id, job, who, db.OrNull(key))
}

// Find returns a change.
func (k CostChanges) Find(ctx context.Context, account, id uuid.UUID) (models.CostChange, error) {
	return db.Get[models.CostChange](ctx, k.s.c, "change of cost",
		`SELECT `+costChangeColumns+` FROM cost_changes t WHERE t.account_id = $1 AND t.id = $2`, account, id)
}

// List lists the changes, newest first. It leaves out changes that have had no effect yet.
func (k CostChanges) List(ctx context.Context, account uuid.UUID, p Page) ([]models.CostChange, string, error) {
	return readPage(ctx, k.s, account, p, pageQuery[models.CostChange]{
		Name: "changes of cost", SQL: `SELECT ` + costChangeColumns + ` FROM cost_changes t WHERE t.account_id = $1 AND t.first_day IS NOT NULL`,
		Args: []any{account}, Order: newest,
		Place: func(c models.CostChange, _ time.Time) []string { return placeOf(c.CreatedAt, c.ID) },
	})
}

// Remove deletes a change that was not made.
func (k CostChanges) Remove(ctx context.Context, account, id uuid.UUID) error {
	return k.s.run(ctx, "remove change of cost", `DELETE FROM cost_changes WHERE account_id = $1 AND id = $2 AND first_day IS NULL`, account, id)
}

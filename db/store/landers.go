package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// Landers accesses the landing pages of accounts.
type Landers struct{ pausable[models.Lander] }

// Landers returns access to the landing pages.
func (s *Store) Landers() Landers {
	return Landers{pausable[models.Lander]{records[models.Lander]{s, landerTable}}}
}

var landerTable = newTable(table[models.Lander]{
	name: "landers", what: "landing page", removed: "deactivated_at",
	allowance: allowance{limit: func(p models.Plan) int { return p.Landers }},
})

// Protect changes the protection of a landing page. It calls change with the saved protection, under a lock.
func (k Landers) Protect(ctx context.Context, account, id uuid.UUID, change func(*models.Protection)) (
	models.Protection, error,
) {
	return TxOf(ctx, k.s, func(s *Store) (models.Protection, error) {
		l, err := landerTable.findLocked(ctx, s, account, id)
		if err == nil {
			change(&l.Protection)
			err = s.execOne(ctx, landerTable.what, landerTable.set(`protection = $3`), account, id, db.Document(l.Protection))
		}
		return l.Protection, err
	})
}

// Clone copies a landing page and its protection, if the plan allows another landing page.
func (k Landers) Clone(ctx context.Context, account, id uuid.UUID) (models.Lander, error) {
	return landerTable.clone(ctx, k.s, account, id, func(*Store, *models.Lander) error { return nil }, landerTable.create)
}

// Package savedview stores the saved views of reports.
package savedview

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
)

// Views stores the saved views of reports. A person can see their own views and the shared views of the account.
type Views struct{ s *store.Store }

// New returns Views in a store.
func New(s *store.Store) Views { return Views{s} }

var viewColumns = db.Columns[models.View]("v.")

const seenViews = ` FROM views v WHERE v.account_id = $1 AND (v.shared OR v.user_id = $2)`

// List lists the views that a person can see, by name. defaultView is the view with which the person's reports open, or zero.
func (v Views) List(ctx context.Context, account, person uuid.UUID) (list []models.View, defaultView uuid.UUID, err error) {
	list, err = db.Select[models.View](ctx, v.s.Conn(), "views",
		`SELECT `+viewColumns+seenViews+` ORDER BY lower(v.name), v.id LIMIT $3`, account, person, 2*models.MaxViews)
	if err != nil {
		return nil, defaultView, err
	}
	defaultView, _, err = db.First[uuid.UUID](ctx, v.s.Conn(), "default view",
		`SELECT d.view_id FROM default_views d JOIN views v ON v.id = d.view_id
		WHERE d.account_id = $1 AND d.user_id = $2 AND (v.shared OR v.user_id = $2)`, account, person)
	return list, defaultView, err
}

// Find returns a view that a person can see, and locks it until the transaction ends.
func (v Views) Find(ctx context.Context, account, person, id uuid.UUID) (models.View, error) {
	return db.Get[models.View](ctx, v.s.Conn(), "view", `SELECT `+viewColumns+seenViews+` AND v.id = $3 FOR NO KEY UPDATE`, account, person, id)
}

const insertView = `
INSERT INTO views AS v (id, account_id, user_id, author, name, shared, report) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING `

// Create saves a new view. Errors: duplicate_name, too_many.
func (v Views) Create(ctx context.Context, account uuid.UUID, view models.View) (models.View, error) {
	return store.TxOf(ctx, v.s, func(s *store.Store) (models.View, error) {
		if err := New(s).checkRoom(ctx, account, view.UserID.UUID, view.Shared); err != nil {
			return view, err
		}
		saved, err := db.Get[models.View](ctx, s.Conn(), "view", insertView+viewColumns, uuid.Must(uuid.NewV7()), account, view.UserID,
			view.Author, view.Name, view.Shared, db.Document(view.Report))
		return saved, viewTaken(err)
	})
}

// Change applies edit to a view and saves it. Errors: not_found, duplicate_name, too_many, and the errors of edit.
func (v Views) Change(ctx context.Context, account, person, id uuid.UUID, edit func(*models.View) error) (models.View, error) {
	return store.LockedTxOf(ctx, v.s, account, func(s *store.Store) (models.View, error) {
		view, err := New(s).Find(ctx, account, person, id)
		if err != nil {
			return view, err
		}
		shared := view.Shared
		if err := edit(&view); err != nil {
			return view, err
		}
		if view.Shared != shared {
			if err := New(s).checkRoom(ctx, account, view.UserID.UUID, view.Shared); err != nil {
				return view, err
			}
		}
		const q = `UPDATE views v SET name = $3, shared = $4, report = $5, updated_at = clock_timestamp()
			WHERE v.account_id = $1 AND v.id = $2 RETURNING `
		saved, err := db.Get[models.View](ctx, s.Conn(), "view", q+viewColumns, account, id, view.Name, view.Shared, db.Document(view.Report))
		return saved, viewTaken(err)
	})
}

// The account stays locked until the transaction ends.
func (v Views) checkRoom(ctx context.Context, account, person uuid.UUID, shared bool) error {
	if err := v.s.LockAccount(ctx, account); err != nil {
		return err
	}
	have, err := db.Get[int](ctx, v.s.Conn(), "views",
		`SELECT count(*) FROM views WHERE account_id = $1 AND shared = $3 AND ($3 OR user_id = $2)`, account, person, shared)
	if err == nil && have >= models.MaxViews {
		err = models.Invalid("too_many", "there are %d views already: delete one", have)
	}
	return err
}

func viewTaken(err error) error {
	if name := db.UniqueViolation(err); name == "views_shared_name" || name == "views_own_name" {
		return models.Conflict("duplicate_name", "another view has this name")
	}
	return err
}

// Delete deletes a view.
func (v Views) Delete(ctx context.Context, account, id uuid.UUID) error {
	return db.ExecOne(ctx, v.s.Conn(), "view", `DELETE FROM views WHERE account_id = $1 AND id = $2`, account, id)
}

const setDefaultView = `
INSERT INTO default_views (account_id, user_id, view_id) VALUES ($1, $2, $3)
ON CONFLICT (account_id, user_id) DO UPDATE SET view_id = excluded.view_id`

// SetDefault sets the view with which a person's reports open. A zero id means none.
func (v Views) SetDefault(ctx context.Context, account, person, id uuid.UUID) error {
	return v.s.Tx(ctx, func(s *store.Store) error {
		if id == uuid.Nil {
			return db.Run(ctx, s.Conn(), "default view", `DELETE FROM default_views WHERE account_id = $1 AND user_id = $2`, account, person)
		}
		if _, err := New(s).Find(ctx, account, person, id); err != nil {
			return err
		}
		return db.Run(ctx, s.Conn(), "default view", setDefaultView, account, person, id)
	})
}

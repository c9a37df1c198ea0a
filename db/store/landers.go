package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"switchyard/models"
)

// Landers are the landing pages of accounts.
type Landers struct{ s *Store }

// Landers gives the landing pages on this store's connection.
func (s *Store) Landers() Landers { return Landers{s} }

const landerColumns = `id, account_id, name, url, click_slots, group_name, country, tags, notes, protection, is_active,
	created_at, updated_at`

type landerRow struct {
	ID         uuid.UUID                   `db:"id"`
	AccountID  uuid.UUID                   `db:"account_id"`
	Name       string                      `db:"name"`
	URL        string                      `db:"url"`
	ClickSlots int                         `db:"click_slots"`
	GroupName  string                      `db:"group_name"`
	Country    string                      `db:"country"`
	Tags       pq.StringArray              `db:"tags"`
	Notes      string                      `db:"notes"`
	Protection document[models.Protection] `db:"protection"`
	IsActive   bool                        `db:"is_active"`
	CreatedAt  time.Time                   `db:"created_at"`
	UpdatedAt  time.Time                   `db:"updated_at"`
}

func (r landerRow) model() models.Lander {
	return models.Lander{
		ID: r.ID, AccountID: r.AccountID, Name: r.Name, URL: r.URL, ClickSlots: r.ClickSlots, GroupName: r.GroupName,
		Country: r.Country, Tags: nonNil(r.Tags), Notes: r.Notes, Protection: r.Protection.V, IsActive: r.IsActive,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

// List lists the landing pages that are not deactivated, newest first.
func (l Landers) List(ctx context.Context, account uuid.UUID, p Page) ([]models.Lander, string, error) {
	rows, next, err := List(ctx, l.s, account, p, ListQuery[landerRow]{
		Name:  tableLanders,
		SQL:   `SELECT ` + landerColumns + ` FROM landers WHERE account_id = $1 AND deactivated_at IS NULL`,
		Args:  []any{account},
		Order: Newest,
		Place: func(r landerRow) []string { return PlaceOf(r.CreatedAt, r.ID) },
	})
	return modelsOf(rows, landerRow.model), next, err
}

// Find finds one landing page that is not deactivated.
func (l Landers) Find(ctx context.Context, account, id uuid.UUID) (models.Lander, error) {
	const q = `SELECT ` + landerColumns + ` FROM landers WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL`
	row, err := get[landerRow](ctx, l.s, "landing page", q, account, id)
	return row.model(), err
}

const countLanders = `SELECT count(*) FROM landers WHERE account_id = $1 AND deactivated_at IS NULL`

const insertLander = `
INSERT INTO landers (account_id, id, name, url, click_slots, group_name, country, tags, notes, protection)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
RETURNING ` + landerColumns

// Create adds a landing page under a new id, within the plan's allowance.
func (l Landers) Create(ctx context.Context, lander models.Lander) (models.Lander, error) {
	lander.ID = uuid.Must(uuid.NewV7())
	var saved models.Lander
	err := l.s.Tx(ctx, func(s *Store) error {
		err := s.allow(ctx, lander.AccountID, "landing pages", countLanders, func(p models.Plan) int { return p.Landers })
		if err != nil {
			return err
		}
		saved, err = s.Landers().save(ctx, insertLander, lander, documentOf(lander.Protection))
		return err
	})
	return saved, err
}

const updateLander = `
UPDATE landers SET name = $3, url = $4, click_slots = $5, group_name = $6, country = $7, tags = $8, notes = $9,
	updated_at = now()
WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL
RETURNING ` + landerColumns

// Update writes every field of a landing page but its protection and whether it is active.
func (l Landers) Update(ctx context.Context, lander models.Lander) (models.Lander, error) {
	return l.save(ctx, updateLander, lander)
}

// save runs one of the two writing statements, which begin with the same arguments.
func (l Landers) save(ctx context.Context, query string, f models.Lander, more ...any) (models.Lander, error) {
	args := append([]any{
		f.AccountID, f.ID, f.Name, f.URL, f.ClickSlots, f.GroupName, f.Country, pq.StringArray(nonNil(f.Tags)), f.Notes,
	}, more...)
	var row landerRow
	err := sqlx.GetContext(ctx, l.s.c, &row, query, args...)
	return row.model(), saveError(err, "landers_name", "landing page")
}

const (
	lockProtection = `
SELECT protection FROM landers WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL FOR UPDATE`
	updateProtection = `
UPDATE landers SET protection = $3, updated_at = now()
WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL`
)

// Protect lets change turn a landing page's protection into another, and saves that; an error of change saves nothing.
func (l Landers) Protect(ctx context.Context, account, id uuid.UUID, change func(*models.Protection) error) (
	models.Protection, error,
) {
	var p document[models.Protection]
	err := l.s.Tx(ctx, func(s *Store) (err error) {
		if p, err = get[document[models.Protection]](ctx, s, "landing page", lockProtection, account, id); err != nil {
			return err
		}
		if err := change(&p.V); err != nil {
			return err
		}
		return s.one(ctx, "landing page", updateProtection, account, id, p)
	})
	return p.V, err
}

// SetActive pauses or resumes a landing page.
func (l Landers) SetActive(ctx context.Context, account, id uuid.UUID, on bool) error {
	return l.s.setActive(ctx, tableLanders, "landing page", account, id, on)
}

// Remove deactivates a landing page: it is kept for history and no longer listed.
func (l Landers) Remove(ctx context.Context, account, id uuid.UUID) error {
	return l.s.deactivate(ctx, tableLanders, "landing page", account, id)
}

// Clone copies a landing page, its protection too, under a free name that ends in " (copy)", within the plan's
// allowance.
func (l Landers) Clone(ctx context.Context, account, id uuid.UUID) (models.Lander, error) {
	var saved models.Lander
	err := l.s.Tx(ctx, func(s *Store) error {
		lander, err := s.Landers().Find(ctx, account, id)
		if err != nil {
			return err
		}
		if err := s.lockNames(ctx, account); err != nil {
			return err
		}
		lander.Name, err = s.copyName(ctx, tableLanders, "deactivated_at IS NULL", account, lander.Name)
		if err != nil {
			return err
		}
		saved, err = s.Landers().Create(ctx, lander)
		return err
	})
	return saved, err
}

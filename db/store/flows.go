package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"switchyard/models"
	"switchyard/models/flow"
)

// Flows are the saved flows of accounts.
type Flows struct{ s *Store }

// Flows gives the saved flows on this store's connection.
func (s *Store) Flows() Flows { return Flows{s} }

const tableFlows = "flows"

const flowColumns = `id, account_id, name, country, group_name, tags, notes, paths, is_active, created_at, updated_at`

type flowRow struct {
	ID        uuid.UUID             `db:"id"`
	AccountID uuid.UUID             `db:"account_id"`
	Name      string                `db:"name"`
	Country   string                `db:"country"`
	GroupName string                `db:"group_name"`
	Tags      pq.StringArray        `db:"tags"`
	Notes     string                `db:"notes"`
	Paths     document[[]flow.Path] `db:"paths"`
	IsActive  bool                  `db:"is_active"`
	CreatedAt time.Time             `db:"created_at"`
	UpdatedAt time.Time             `db:"updated_at"`
}

func (r flowRow) model() flow.Saved {
	return flow.Saved{
		ID: r.ID, AccountID: r.AccountID, Name: r.Name, Country: r.Country, GroupName: r.GroupName,
		Tags: nonNil(r.Tags), Notes: r.Notes, Paths: nonNil(r.Paths.V), IsActive: r.IsActive, CreatedAt: r.CreatedAt,
		UpdatedAt: r.UpdatedAt,
	}
}

// List lists the saved flows, the most recently changed first. Rules that were deleted since they were used stand in
// their paths as rules of the path's own.
//
// Flows change while a walk goes on, so one that was changed or made since the walk began comes after all others: a
// change only moves a flow ahead of the walk, and none is missed. A flow that is changed after it came may come again.
func (k Flows) List(ctx context.Context, account uuid.UUID, p Page) ([]flow.Saved, string, error) {
	start, err := k.s.walkStart(ctx, account, tableFlows, p.Cursor, 3)
	if err != nil {
		return nil, "", err
	}
	rows, next, err := List(ctx, k.s, account, p, ListQuery[flowRow]{
		Name: tableFlows, SQL: `SELECT ` + flowColumns + ` FROM flows WHERE account_id = $1`,
		Args: []any{account, start},
		Order: []string{
			"CASE WHEN updated_at > $2 THEN '-infinity' ELSE updated_at END:timestamptz", "id:uuid",
			"CAST($2 AS timestamptz):timestamptz",
		},
		Place: func(r flowRow) []string {
			changed := r.UpdatedAt.UTC().Format(time.RFC3339Nano)
			if r.UpdatedAt.After(start) {
				changed = "-infinity"
			}
			return []string{changed, r.ID.String(), start.Format(time.RFC3339Nano)}
		},
	})
	if err != nil {
		return nil, "", err
	}
	flows := modelsOf(rows, flowRow.model)
	paths := make([][]flow.Path, len(flows))
	for i := range flows {
		paths[i] = flows[i].Paths
	}
	return flows, next, k.s.inlineDeleted(ctx, account, paths...)
}

// Find finds one saved flow.
func (k Flows) Find(ctx context.Context, account, id uuid.UUID) (flow.Saved, error) {
	const q = `SELECT ` + flowColumns + ` FROM flows WHERE account_id = $1 AND id = $2`
	row, err := get[flowRow](ctx, k.s, "saved flow", q, account, id)
	if err != nil {
		return flow.Saved{}, err
	}
	found := row.model()
	return found, k.s.inlineDeleted(ctx, account, found.Paths)
}

// Start gives the paths of a saved flow for a new campaign. One that the account does not have, or has paused, is 400
// invalid_flow.
func (k Flows) Start(ctx context.Context, account, id uuid.UUID) ([]flow.Path, error) {
	found, err := k.Find(ctx, account, id)
	if e, ok := models.AsError(err); ok && e.Kind == models.KindNotFound || err == nil && !found.IsActive {
		err = models.Invalid("invalid_flow", "flow_id is not an active saved flow of this account")
	}
	return found.Paths, err
}

const insertFlow = `
INSERT INTO flows (account_id, id, name, country, group_name, tags, notes, paths)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
RETURNING ` + flowColumns

// Create adds a saved flow under new ids.
func (k Flows) Create(ctx context.Context, f flow.Saved) (flow.Saved, error) {
	f.ID = uuid.Must(uuid.NewV7())
	flow.Identify(f.Paths, nil)
	return k.save(ctx, insertFlow, f)
}

const updateFlow = `
UPDATE flows SET name = $3, country = $4, group_name = $5, tags = $6, notes = $7, paths = $8,
	updated_at = clock_timestamp()
WHERE account_id = $1 AND id = $2
RETURNING ` + flowColumns

// Update writes every field of a saved flow but whether it is active. A path keeps its id if the flow had it.
func (k Flows) Update(ctx context.Context, f flow.Saved) (flow.Saved, error) {
	var saved flow.Saved
	err := k.s.Tx(ctx, func(s *Store) error {
		k := s.Flows()
		const lock = `SELECT id FROM flows WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`
		if _, err := get[uuid.UUID](ctx, s, "saved flow", lock, f.AccountID, f.ID); err != nil {
			return err
		}
		old, err := k.Find(ctx, f.AccountID, f.ID)
		if err != nil {
			return err
		}
		flow.Identify(f.Paths, func(id string) bool {
			return slices.ContainsFunc(old.Paths, func(p flow.Path) bool { return p.ID == id })
		})
		saved, err = k.save(ctx, updateFlow, f)
		return err
	})
	return saved, err
}

// save checks the paths against the account and runs one of the two writing statements, which take the same arguments.
func (k Flows) save(ctx context.Context, query string, f flow.Saved) (flow.Saved, error) {
	if err := k.s.checkFlow(ctx, f.AccountID, f.Paths); err != nil {
		return f, err
	}
	var row flowRow
	err := sqlx.GetContext(ctx, k.s.c, &row, query, f.AccountID, f.ID, f.Name, f.Country, f.GroupName,
		pq.StringArray(nonNil(f.Tags)), f.Notes, documentOf(f.Paths))
	return row.model(), saveError(err, "", "saved flow")
}

const setFlowActive = `
UPDATE flows SET is_active = $3, updated_at = clock_timestamp() WHERE account_id = $1 AND id = $2`

// SetActive pauses or resumes a saved flow. A paused one starts no campaign; those it has started go on.
func (k Flows) SetActive(ctx context.Context, account, id uuid.UUID, on bool) error {
	return k.s.one(ctx, "saved flow", setFlowActive, account, id, on)
}

// Remove deletes a saved flow. The campaigns it has started have copies of its paths and go on.
func (k Flows) Remove(ctx context.Context, account, id uuid.UUID) error {
	return k.s.one(ctx, "saved flow", `DELETE FROM flows WHERE account_id = $1 AND id = $2`, account, id)
}

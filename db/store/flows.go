package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/flow"
)

// Flows accesses the saved flows of accounts. A campaign has its own copy of the paths, so it does not change when the flow is
// paused or removed.
type Flows struct{ pausable[flow.Saved] }

// Flows returns access to the saved flows.
func (s *Store) Flows() Flows { return Flows{pausable[flow.Saved]{records[flow.Saved]{s, flowTable}}} }

var flowTable = newTable(table[flow.Saved]{
	name: "flows", what: "saved flow", allowance: allowance{limit: func(p models.Plan) int { return p.Flows }},
	prepare: func(ctx context.Context, s *Store, f, old *flow.Saved) error {
		if err := s.inlineDeleted(ctx, f.AccountID, old.Paths); err != nil { // callers read the paths in this form: see List
			return err
		}
		identify(f.Paths, old.Paths)
		flow.Canonical(f.Paths)
		_, err := s.checkFlow(ctx, f.AccountID, f.Paths, old.Paths)
		return err
	},
})

// List lists the saved flows. The most recently changed flow comes first, unless the page asks for another order. A path with a
// deleted saved rule gets the rule's conditions.
//
// In the default order, flows that were changed or created after the first page was read come last, so that no flow is missed. A
// flow that changes after it was listed can be listed again.
func (k Flows) List(ctx context.Context, account uuid.UUID, p Page) ([]flow.Saved, string, error) {
	q := flowTable.page(account, p)
	if p.Sort == "" {
		q.Walk = true
		q.Order = []orderColumn{
			{"CASE WHEN t.updated_at > $2 THEN '-infinity' ELSE t.updated_at END", "%s::timestamptz"}, {"t.id", "%s::uuid"},
		}
		q.Place = func(r flow.Saved, start time.Time) []string {
			changed := r.UpdatedAt.UTC().Format(time.RFC3339Nano)
			if r.UpdatedAt.After(start) {
				changed = "-infinity"
			}
			return []string{changed, r.ID.String()}
		}
	}
	flows, next, err := readPage(ctx, k.s, account, p, q)
	if err != nil {
		return nil, "", err
	}
	paths := db.Map(flows, func(f flow.Saved) []flow.Path { return f.Paths })
	return flows, next, k.s.inlineDeleted(ctx, account, paths...)
}

// Find returns a saved flow.
func (k Flows) Find(ctx context.Context, account, id uuid.UUID) (flow.Saved, error) {
	found, err := flowTable.find(ctx, k.s, account, id)
	if err == nil {
		err = k.s.inlineDeleted(ctx, account, found.Paths)
	}
	return found, err
}

// AllWithRules lists every saved flow of an account, oldest first. As in List, a path with a deleted saved rule gets the rule's
// conditions.
func (k Flows) AllWithRules(ctx context.Context, account uuid.UUID) ([]flow.Saved, error) {
	list, err := k.All(ctx, account)
	if err == nil {
		err = k.s.inlineDeleted(ctx, account, db.Map(list, func(f flow.Saved) []flow.Path { return f.Paths })...)
	}
	return list, err
}

// Start returns the paths of a saved flow for a new campaign. If the account does not have the flow, or the flow is paused, the
// error is invalid_flow.
func (k Flows) Start(ctx context.Context, account, id uuid.UUID) ([]flow.Path, error) {
	found, err := k.Find(ctx, account, id)
	if e, ok := models.AsError(err); ok && e.Kind == models.KindNotFound || err == nil && !bool(found.IsActive) {
		err = models.Invalid("invalid_flow", "flow_id is not an active saved flow of this account")
	}
	return found.Paths, err
}

func identify(paths, old []flow.Path) {
	flow.Identify(paths, func(id string) bool {
		return slices.ContainsFunc(old, func(p flow.Path) bool { return p.ID == id })
	})
}

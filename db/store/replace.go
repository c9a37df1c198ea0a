package store

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/bulk"
	"switchyard/models/flow"
)

// Destinations accesses the places in flows that lead to offers or to landing pages.
type Destinations struct {
	s           *Store
	table, what string
}

// OfferDestinations returns access to the places that lead to offers.
func (s *Store) OfferDestinations() Destinations { return Destinations{s, "offers", "offer"} }

// LanderDestinations returns access to the places that lead to landing pages.
func (s *Store) LanderDestinations() Destinations { return Destinations{s, "landers", "landing page"} }

// Place is a path of a campaign or of a saved flow that leads to a record.
type Place struct {
	Kind         string             `db:"kind"` // campaign or flow
	ID           uuid.UUID          `db:"id"`
	Name         string             `db:"name"`
	Status       string             `db:"status"`
	PathID       string             `db:"path_id"`
	Path         string             `db:"path"`
	Destinations []flow.Destination `db:"destinations,json"`
	Total        int                `db:"total"` // number of all places, including places beyond the limit
}

// NamesOfPlaces returns the names of the campaigns and saved flows that contain the places, each campaign and saved flow once.
func NamesOfPlaces(places []Place) (names []string) {
	for i, p := range places {
		if i == 0 || places[i-1].ID != p.ID {
			names = append(names, p.Name)
		}
	}
	return names
}

// Chosen limits a replacement to some campaigns and saved flows. A nil Chosen means all campaigns and saved flows.
type Chosen struct{ Campaigns, Flows []uuid.UUID }

// holders are the tables with flows. live and status are SQL.
var holders = []struct{ kind, table, paths, live, status string }{
	{bulk.Campaign, "campaigns", "streams", " AND t.deleted_at IS NULL", "t.status"},
	{bulk.Flow, "flows", "paths", "", "CASE WHEN t.is_active THEN 'active' ELSE 'paused' END"},
}

// selectPlaces returns SQL for the paths that match the condition. In the condition, PATHS is a whole flow, t its record and p a
// path. The query stops before the destinations exceed $3 bytes, and after $4 paths.
func selectPlaces(condition string) string {
	var parts []string
	for _, h := range holders {
		parts = append(parts, `SELECT '`+h.kind+`' AS kind, t.id, t.name, `+h.status+` AS status, p ->> 'id' AS path_id,
			p ->> 'name' AS path, p -> 'destinations' AS destinations, n
		FROM `+h.table+` t, jsonb_array_elements(t.`+h.paths+`) WITH ORDINALITY AS e (p, n)
		WHERE t.account_id = $1`+h.live+` AND `+strings.ReplaceAll(condition, "PATHS", "t."+h.paths))
	}
	const order = `kind, lower(name), id, n`
	return `SELECT kind, id, name, status, path_id, path, destinations, total FROM (
		SELECT *, count(*) OVER () AS total, sum(octet_length(destinations::text)) OVER (ORDER BY ` + order + `) AS size
		FROM (` + strings.Join(parts, " UNION ALL ") + `) f
	) f WHERE size <= $3 ORDER BY ` + order + ` LIMIT $4`
}

// leadsTo is the condition that a flow, and a path in it, lead to the record $2.
const leadsTo = `PATHS @> jsonb_build_array(jsonb_build_object('destinations', jsonb_build_array(jsonb_build_object('id', $2::text))))
	AND p @> jsonb_build_object('destinations', jsonb_build_array(jsonb_build_object('id', $2::text)))`

var (
	placesOf     = selectPlaces(leadsTo)
	chosenPlaces = selectPlaces(leadsTo + ` AND t.id = ANY ($5)`)
	heldPlaces   = selectPlaces(`t.id = ANY ($2) AND p ->> 'id' = ANY ($5)`)
)

// Places lists the places that lead to a record of the account, even if the record is deactivated. whole is false if there are
// more than MaxPaths, or if their destinations exceed MaxBytes.
func (k Destinations) Places(ctx context.Context, account, id uuid.UUID) (list []Place, whole bool, err error) {
	if err := k.exists(ctx, account, id); err != nil {
		return nil, false, err
	}
	return k.s.places(ctx, placesOf, account, id.String(), bulk.MaxBytes, bulk.MaxPaths)
}

func (s *Store) places(ctx context.Context, query string, args ...any) (list []Place, whole bool, err error) {
	list, err = db.Select[Place](ctx, s.c, "places of a destination", query, args...)
	return list, len(list) == 0 || list[0].Total == len(list), err
}

func (k Destinations) exists(ctx context.Context, account, id uuid.UUID) error {
	_, err := db.Get[uuid.UUID](ctx, k.s.c, k.what, `SELECT id FROM `+k.table+` WHERE account_id = $1 AND id = $2`, account, id)
	return err
}

// CheckWith returns the error invalid_with unless "with" is another live record of the account.
func (k Destinations) CheckWith(ctx context.Context, account, id, with uuid.UUID) error {
	if with == id {
		return models.Invalid("invalid_with", "with must be another %s", k.what)
	}
	q := `SELECT id FROM ` + k.table + ` WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL`
	_, ok, err := db.First[uuid.UUID](ctx, k.s.c, k.what, q, account, with)
	if err == nil && !ok {
		err = models.Invalid("invalid_with", "with is not a %s of this account", k.what)
	}
	return err
}

// Replace puts the record "with" in the place of the record "id", in all flows of the account or in the chosen flows, and stores
// the change. For paths that already contain both records, see flow.Replace. It returns the places as they were before.
//
// Errors: not_found, invalid_with, invalid_chosen if a chosen flow does not lead to "id", invalid_weight if a sum of weights is too
// large, too_many.
func (k Destinations) Replace(ctx context.Context, account, id, with uuid.UUID, only *Chosen) (
	places []Place, change bulk.Change, err error,
) {
	err = k.s.Tx(ctx, func(s *Store) error {
		k := k
		k.s = s
		if err := k.exists(ctx, account, id); err != nil {
			return err
		}
		if err := k.CheckWith(ctx, account, id, with); err != nil {
			return err
		}
		if places, err = k.lockPlaces(ctx, account, id, only); err != nil {
			return err
		}
		change.Changed.Replaced = id
		for _, p := range places {
			after, uses := flow.Replace(p.Destinations, id.String(), with.String())
			for _, u := range uses {
				if u.NewWeight > flow.MaxWeight {
					return models.Invalid("invalid_weight", "%s %q, path %q: the weights of the two %ss add up to more than %d", p.Kind, p.Name,
						p.Path, k.what, flow.MaxWeight)
				}
			}
			change.Changed.Paths = append(change.Changed.Paths, bulk.Path{
				Kind: p.Kind, Holder: p.ID, HolderName: p.Name, ID: p.PathID, Name: p.Path, Before: p.Destinations, After: after,
			})
		}
		if err := s.writePaths(ctx, account, change.Changed.Paths, func(p bulk.Path) []flow.Destination { return p.After }); err != nil {
			return err
		}
		change.ID, err = s.AddChange(ctx, account, change.Changed)
		return err
	})
	return places, change, err
}

func (k Destinations) lockPlaces(ctx context.Context, account, id uuid.UUID, only *Chosen) ([]Place, error) {
	ids := map[uuid.UUID]bool{}
	if only == nil {
		found, whole, err := k.s.places(ctx, placesOf, account, id.String(), bulk.MaxBytes, bulk.MaxPaths)
		if err == nil && !whole {
			err = errTooMany()
		}
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			ids[p.ID] = true
		}
	} else {
		for _, id := range slices.Concat(only.Campaigns, only.Flows) {
			ids[id] = true
		}
	}
	locked := db.SortedIDs(ids)
	if err := k.s.lockFlows(ctx, account, locked); err != nil {
		return nil, err
	}
	places, whole, err := k.s.places(ctx, chosenPlaces, account, id.String(), bulk.MaxBytes, bulk.MaxPaths, locked)
	if err == nil && !whole {
		err = errTooMany()
	}
	if err != nil || only == nil {
		return places, err
	}
	return places, only.check(places)
}

func errTooMany() error {
	return models.Invalid("too_many", "there are more than %d paths to change, or their destinations are too large: choose fewer campaigns", bulk.MaxPaths)
}

// check refuses a chosen campaign or saved flow that is not among the places.
func (c Chosen) check(places []Place) error {
	for _, list := range []struct {
		kind string
		ids  []uuid.UUID
	}{{bulk.Campaign, c.Campaigns}, {bulk.Flow, c.Flows}} {
		for i, id := range list.ids {
			if !slices.ContainsFunc(places, func(p Place) bool { return p.Kind == list.kind && p.ID == id }) {
				return models.Invalid("invalid_chosen", "%ss[%d] is not a %s of this account that leads to the replaced record", list.kind, i, list.kind)
			}
		}
	}
	return nil
}

// lockFlows locks campaigns and then saved flows, each in the order of their ids, until the transaction ends.
func (s *Store) lockFlows(ctx context.Context, account uuid.UUID, ids []uuid.UUID) error {
	for _, h := range holders {
		q := `SELECT t.id FROM ` + h.table + ` t WHERE t.account_id = $1 AND t.id = ANY ($2) ORDER BY t.id FOR NO KEY UPDATE`
		if _, err := db.Select[uuid.UUID](ctx, s.c, "lock flows", q, account, ids); err != nil {
			return err
		}
	}
	return nil
}

// writePaths sets the destinations of each path p to of(p).
func (s *Store) writePaths(ctx context.Context, account uuid.UUID, paths []bulk.Path, of func(bulk.Path) []flow.Destination) error {
	byFlow := map[uuid.UUID]map[string][]flow.Destination{}
	for _, p := range paths {
		if byFlow[p.Holder] == nil {
			byFlow[p.Holder] = map[string][]flow.Destination{}
		}
		byFlow[p.Holder][p.ID] = of(p)
	}
	for _, h := range holders {
		q := `UPDATE ` + h.table + ` t SET updated_at = clock_timestamp(), ` + h.paths + ` = (
			SELECT jsonb_agg(CASE WHEN by_path ? (p ->> 'id') THEN jsonb_set(p, '{destinations}', by_path -> (p ->> 'id')) ELSE p END ORDER BY n)
			FROM jsonb_array_elements(t.` + h.paths + `) WITH ORDINALITY AS e (p, n))
		FROM jsonb_each($2) AS new (holder, by_path) WHERE t.account_id = $1 AND t.id = holder::uuid` + h.live
		if err := s.run(ctx, "write paths", q, account, db.Document(byFlow)); err != nil {
			return err
		}
	}
	return nil
}

// UndoReplacement puts the replaced record back into every path that has not changed since the replacement. restored is the
// number of these paths, and kept lists the others. The caller has called ClaimUndo. If the replaced record has been deactivated
// since, the error has the code "removed".
func (s *Store) UndoReplacement(ctx context.Context, account uuid.UUID, change bulk.Change) (restored int, kept []bulk.Kept, err error) {
	kept = []bulk.Kept{}
	err = s.Tx(ctx, func(s *Store) error {
		live, err := s.isLiveDestination(ctx, account, change.Changed.Replaced)
		if err == nil && !live {
			err = models.Conflict("removed", "the replaced offer or landing page was removed after the replacement: restore it first")
		}
		if err != nil {
			return err
		}
		ids := db.SortedIDs(db.ByKey(change.Changed.Paths, func(p bulk.Path) uuid.UUID { return p.Holder }))
		if err := s.lockFlows(ctx, account, ids); err != nil {
			return err
		}
		back, left, err := s.unchangedPaths(ctx, account, ids, change.Changed.Paths)
		if err != nil {
			return err
		}
		restored, kept = len(back), left
		return s.writePaths(ctx, account, back, func(p bulk.Path) []flow.Destination { return p.Before })
	})
	return restored, kept, err
}

func (s *Store) isLiveDestination(ctx context.Context, account, id uuid.UUID) (bool, error) {
	const q = `SELECT EXISTS (SELECT FROM offers WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL)
		OR EXISTS (SELECT FROM landers WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL)`
	return db.Get[bool](ctx, s.c, "destination", q, account, id)
}

// unchangedPaths splits the paths of a change: back has the paths that nothing has changed since, and kept has the others.
func (s *Store) unchangedPaths(ctx context.Context, account uuid.UUID, holders []uuid.UUID, paths []bulk.Path) (
	back []bulk.Path, kept []bulk.Kept, err error,
) {
	type key struct {
		holder uuid.UUID
		path   string
	}
	const noLimit = 1 << 40
	ids := db.Map(paths, func(p bulk.Path) string { return p.ID })
	now, _, err := s.places(ctx, heldPlaces, account, holders, noLimit, noLimit, pq.Array(ids))
	if err != nil {
		return nil, nil, err
	}
	found := db.ByKey(now, func(p Place) key { return key{p.ID, p.PathID} })
	kept = []bulk.Kept{}
	for _, p := range paths {
		place, ok := found[key{p.Holder, p.ID}]
		if ok && slices.Equal(place.Destinations, p.After) {
			back = append(back, p)
			continue
		}
		k := bulk.Kept{Kind: p.Kind, ID: p.Holder, Name: p.HolderName, Path: p.Name, Reason: bulk.ReasonChanged}
		if !ok {
			k.Reason = bulk.ReasonGone
		}
		kept = append(kept, k)
	}
	return back, kept, nil
}

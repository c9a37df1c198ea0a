package v1

import (
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bulk"
)

// Undone is the answer to an undo.
type Undone struct {
	Restored int         `json:"restored" doc:"number of paths or records whose earlier values were restored"`
	Kept     []bulk.Kept `json:"kept" doc:"paths or records that were left as they are; reason says why"`
}

// undoChange restores the values that records had before a change. A record whose values were changed again is not changed, and
// the answer names it.
func (d Deps) undoChange(c *route.Call) (Undone, error) {
	return store.TxOf(c.Context(), c.Store, func(s *store.Store) (Undone, error) {
		change, err := s.ClaimUndo(c.Context(), c.Account.ID, c.ID)
		if err != nil {
			return Undone{}, err
		}
		c.RecordField(changeIDField, change.ID)
		if change.Changed.Replaced != uuid.Nil {
			c.Record = change.Changed.Replaced
			restored, kept, err := s.UndoReplacement(c.Context(), c.Account.ID, change)
			recordNames(c, "campaigns", holdersOf(restoredPaths(change.Changed.Paths, kept)))
			return Undone{restored, kept}, err
		}
		out, err := d.restore(c, s, change.Changed.Records)
		if restored := restoredRecords(change.Changed.Records, out.Kept); len(restored) > 0 {
			recordChanged(c, restored)
		}
		return out, err
	})
}

// holdersOf returns the names of the paths' campaigns and saved flows, each once.
func holdersOf(paths []bulk.Path) (names []string) {
	for _, p := range paths {
		if !slices.Contains(names, p.HolderName) {
			names = append(names, p.HolderName)
		}
	}
	return names
}

// restoredPaths leaves out the paths that an undo has kept. A kept campaign or saved flow keeps all its paths.
func restoredPaths(paths []bulk.Path, kept []bulk.Kept) []bulk.Path {
	return db.Without(paths, func(p bulk.Path) bool {
		return slices.ContainsFunc(kept, func(k bulk.Kept) bool { return k.ID == p.Holder && (k.Path == "" || k.Path == p.Name) })
	})
}

// restoredRecords returns the changes that an undo has made to records.
func restoredRecords(records []bulk.Record, kept []bulk.Kept) (out []bulk.Record) {
	for _, r := range records {
		if slices.ContainsFunc(kept, func(k bulk.Kept) bool { return k.ID == r.ID }) {
			continue
		}
		r.Before, r.After = r.After, r.Before
		out = append(out, r)
	}
	return out
}

func (d Deps) restore(c *route.Call, s *store.Store, records []bulk.Record) (Undone, error) {
	if len(records) == 0 {
		return Undone{Kept: []bulk.Kept{}}, nil
	}
	byID := db.ByKey(records, func(r bulk.Record) uuid.UUID { return r.ID })
	ids := db.SortedIDs(byID)
	var failures []store.Failure
	var deliveries []uuid.UUID
	var err error
	switch records[0].Kind {
	case bulk.Campaign:
		_, failures, deliveries, err = s.Campaigns().ChangeAll(c.Context(), c.Account.ID, ids, authorOf(c), true, func(saved *models.Campaign) error {
			body, err := earlier(byID[saved.ID], patchOf(saved))
			if err != nil {
				return err
			}
			return editCampaign(saved, body)
		})
	case bulk.Offer:
		failures, err = restoreLabels(c, s, labelledOffers, ids, byID)
	case bulk.Lander:
		failures, err = restoreLabels(c, s, labelledLanders, ids, byID)
	}
	if err != nil {
		return Undone{}, err
	}
	d.dispatch(c, deliveries)
	out := Undone{len(records) - len(failures), []bulk.Kept{}}
	for _, f := range failures {
		r := byID[f.ID]
		out.Kept = append(out.Kept, bulk.Kept{Kind: r.Kind, ID: r.ID, Name: r.Name, Reason: f.Err.Code})
	}
	return out, nil
}

// earlier returns a body with a record's earlier values. The parameter now is the current record. If a changed value was changed
// again, the error has the code "changed".
func earlier(r bulk.Record, now any) ([]byte, error) {
	members, err := bulk.MembersOf(now)
	if err != nil {
		return nil, err
	}
	if !members.Has(r.After) {
		return nil, models.Conflict(bulk.ReasonChanged, "it has changed since")
	}
	return json.Marshal(r.Before)
}

func restoreLabels[R any](c *route.Call, s *store.Store, l labelled[R], ids []uuid.UUID, byID map[uuid.UUID]bulk.Record) (
	[]store.Failure, error,
) {
	_, failures, err := l.table(s).ChangeAll(c.Context(), c.Account.ID, ids, func(saved *R) error {
		id, _ := l.name(*saved)
		f := l.of(saved)
		body, err := earlier(byID[id], f.read())
		if err != nil {
			return err
		}
		return f.edit(body)
	})
	return failures, err
}

package v1

import (
	"encoding/json"

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

// undoChange restores the values that records had before a change. If one of the changed values was changed again later, the record
// keeps its present values, and the answer names the record.
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
			return Undone{restored, kept}, err
		}
		recordChanged(c, change.Changed.Records)
		return d.restore(c, s, change.Changed.Records)
	})
}

// restore gives records of one kind their earlier values.
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

// earlier returns a body that gives a record its earlier values. The argument `now` is the current record. If one of the changed
// values was changed again later, the error has the code "changed".
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

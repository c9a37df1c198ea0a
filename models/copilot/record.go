package copilot

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// Record is the record that an action changes, in the field of its kind. The others are empty.
type Record struct {
	Campaign *models.Campaign
	Paths    []flow.Path
	Offer    *models.Offer
	Network  *models.Network
	// Entries are entries of bot lists. Apply returns the entries to create. They have no ids, and the caller puts the ids into
	// the part. Undo receives the entries that still exist and returns no entries, because they are to be removed.
	Entries []models.BotEntry
	Names   map[string]string // of offers and landing pages by id, as far as they are known: for Title
}

// Part is what an action changes of its record, so that it can be put back. Members that it does not change are empty.
type Part struct {
	Status       string             `json:"status,omitempty"` // of a campaign or an offer
	Cap          *int               `json:"cap,omitempty"`
	Paths        []PathPart         `json:"paths,omitempty"`
	Destinations []flow.Destination `json:"destinations,omitempty"`
	Filters      []FilterPart       `json:"filters,omitempty"`
	Params       map[string]string  `json:"params,omitempty"`
	Entries      []uuid.UUID        `json:"entries,omitempty"` // of bot lists, once they are created
}

// PathPart is what the draw among paths goes by.
type PathPart struct {
	ID       string  `json:"id"`
	IsActive bool    `json:"is_active"`
	Weight   float64 `json:"weight"`
}

// FilterPart are the filters of a path.
type FilterPart struct {
	ID      string           `json:"id"`
	Type    string           `json:"stream_type"`
	Logic   string           `json:"logic"`
	Filters []cond.Condition `json:"filters"`
}

// op is an operation. Its functions change nothing in place.
type op struct {
	target string
	title  func(Action, Record) string
	checks []func(Action) string // why no record could take the action; empty: one could
	judged func(Action, Record) any
	read   func(Action, Record) (Part, error)
	change func(Action, Part) (Part, error)
	write  func(Action, Record, Part) Record
}

// Judged returns the digest of the data that a suggestion with this action was judged by. A different digest means that the
// suggestion is stale.
func (a Action) Judged(r Record) string { return digest(ops[a.Op].judged(a, r)) }

// digest is the same for the same document.
func digest(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("copilot: " + err.Error()) // records are JSON documents
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// Apply returns the record after the action, and the changed part before and after it. The error is invalid, or stale if the
// record no longer has what the action names.
func (a Action) Apply(r Record) (after Record, was, is Part, err error) {
	if err := a.Validate(); err != nil {
		return r, was, is, err
	}
	o := ops[a.Op]
	if was, err = o.read(a, r); err != nil {
		return r, was, is, err
	}
	if is, err = o.change(a, was); err != nil {
		return r, was, is, err
	}
	return o.write(a, r, is), was, is, nil
}

// Undo gives the record as it was before the action. The error is stale if the record is another in what the action had
// changed.
func (a Action) Undo(r Record, was, is Part) (Record, error) {
	o, ok := ops[a.Op]
	if !ok {
		return r, stale("the operation is none any more")
	}
	now, err := o.read(a, r)
	switch {
	case err != nil:
		return r, err
	case digest(sorted(now)) != digest(sorted(is)):
		return r, stale("it was changed again since")
	}
	return o.write(a, r, was), nil
}

// sorted gives the part with its entries in one order.
func sorted(p Part) Part {
	p.Entries = slices.SortedFunc(slices.Values(p.Entries), func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return p
}

func stale(why string) error { return models.Conflict("stale", "%s", why) }

// pathsOf are all the paths, without their names.
func pathsOf(_ Action, r Record) any {
	list := slices.Clone(r.Paths)
	for i := range list {
		list[i].Name = ""
	}
	return list
}

// pathOf is the path of the action, without its name and what the draw among paths goes by.
func pathOf(a Action, r Record) any {
	i := findPath(r.Paths, a.PathID)
	if i < 0 {
		return nil
	}
	p := r.Paths[i]
	p.Name, p.Weight, p.IsActive = "", 0, false
	return p
}

func findPath(paths []flow.Path, id string) int {
	return slices.IndexFunc(paths, func(p flow.Path) bool { return p.ID == id })
}

func readPaths(_ Action, r Record) (p Part, err error) {
	for _, path := range r.Paths {
		p.Paths = append(p.Paths, PathPart{path.ID, path.IsActive, path.Weight})
	}
	return p, nil
}

func writePaths(_ Action, r Record, p Part) Record {
	r.Paths = slices.Clone(r.Paths)
	for _, part := range p.Paths {
		if i := findPath(r.Paths, part.ID); i >= 0 {
			r.Paths[i].IsActive, r.Paths[i].Weight = part.IsActive, part.Weight
		}
	}
	return r
}

func readDestinations(a Action, r Record) (p Part, err error) {
	i := findPath(r.Paths, a.PathID)
	if i < 0 {
		return p, stale("the path is gone")
	}
	p.Destinations = slices.Clone(r.Paths[i].Destinations)
	return p, nil
}

func writeDestinations(a Action, r Record, p Part) Record {
	r.Paths = slices.Clone(r.Paths)
	r.Paths[findPath(r.Paths, a.PathID)].Destinations = slices.Clone(p.Destinations)
	return r
}

func readFilters(_ Action, r Record) (p Part, err error) {
	for _, path := range r.Paths {
		p.Filters = append(p.Filters, FilterPart{path.ID, path.StreamType, path.Logic, path.Filters})
	}
	return p, nil
}

func writeFilters(_ Action, r Record, p Part) Record {
	r.Paths = slices.Clone(r.Paths)
	for _, part := range p.Filters {
		if i := findPath(r.Paths, part.ID); i >= 0 {
			r.Paths[i].Logic, r.Paths[i].Filters = part.Logic, slices.Clone(part.Filters)
		}
	}
	return r
}

// offerState is what the operations on offers go by.
func offerState(_ Action, r Record) any {
	if r.Offer == nil {
		return nil
	}
	return []any{r.Offer.IsActive, r.Offer.DailyCap, r.Offer.URL}
}

func readOffer(_ Action, r Record) (p Part, err error) {
	if r.Offer == nil {
		return p, stale("the offer is gone")
	}
	return Part{Status: models.StatusOf(bool(r.Offer.IsActive)), Cap: r.Offer.DailyCap}, nil
}

func writeOffer(_ Action, r Record, p Part) Record {
	o := *r.Offer
	o.IsActive, o.DailyCap = p.Status == models.StatusOf(true), p.Cap
	r.Offer = &o
	return r
}

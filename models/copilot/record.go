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

// Record holds the record that an action changes: a campaign with its paths, an offer, a network, or entries of bot lists. The
// fields for the other kinds are empty.
type Record struct {
	Campaign *models.Campaign
	Paths    []flow.Path
	Offer    *models.Offer
	Network  *models.Network
	// Entries are entries of bot lists. Apply returns the entries to create, and the caller writes their ids into the part. Undo
	// receives the entries that still exist, and returns no entries, because they must be removed.
	Entries []models.BotEntry
	Names   map[string]string // known names of offers and landing pages by id, for Title
}

// Part is the part of a record that an action reads and writes. Fields that the action does not use are empty.
type Part struct {
	Status       string             `json:"status,omitempty"`
	Cap          *int               `json:"cap,omitempty"`
	Paths        []PathPart         `json:"paths,omitempty"`
	Destinations []flow.Destination `json:"destinations,omitempty"`
	Filters      []FilterPart       `json:"filters,omitempty"`
	Params       map[string]string  `json:"params,omitempty"`
	Entries      []uuid.UUID        `json:"entries,omitempty"` // of bot lists
}

// PathPart holds the fields of a path that distribute visitors.
type PathPart struct {
	ID       string  `json:"id"`
	IsActive bool    `json:"is_active"`
	Weight   float64 `json:"weight"`
}

// FilterPart holds the filters of a path.
type FilterPart struct {
	ID      string           `json:"id"`
	Type    string           `json:"stream_type"`
	Logic   string           `json:"logic"`
	Filters []cond.Condition `json:"filters"`
}

// op is an operation. Its functions do not modify their arguments.
type op struct {
	target string // one of the Target constants
	title  func(Action, Record) string
	checks []func(Action) string              // each returns why the action is invalid; empty: it is valid
	judged func(Action, Record) any           // the data on which a suggestion is based
	read   func(Action, Record) (Part, error) // returns the part that the action changes
	change func(Action, Part) (Part, error)   // returns that part after the action
	write  func(Action, Record, Part) Record  // returns the record with the part in it
}

// JudgedDigest returns the digest of the data on which a suggestion is based. If the digest has changed since the suggestion was
// made, the suggestion is stale.
func (a Action) JudgedDigest(r Record) string { return digest(ops[a.Op].judged(a, r)) }

// digest returns a hash that is equal for equal documents.
func digest(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("copilot: " + err.Error()) // records are JSON documents
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// Apply returns the record after the action, and the changed part before and after the action. Errors: invalid, and stale if
// something that the action names is gone.
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

// Undo returns the record with the changed part as it was before the action. Error: stale if that part was
// changed again, or if the part or the operation no longer exists.
func (a Action) Undo(r Record, was, is Part) (Record, error) {
	o, ok := ops[a.Op]
	if !ok {
		return r, stale("the operation no longer exists")
	}
	now, err := o.read(a, r)
	switch {
	case err != nil:
		return r, err
	case digest(sorted(now)) != digest(sorted(is)):
		return r, stale("the record was changed again after the action")
	}
	return o.write(a, r, was), nil
}

func sorted(p Part) Part {
	p.Entries = slices.SortedFunc(slices.Values(p.Entries), func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return p
}

func stale(why string) error { return models.Conflict("stale", "%s", why) }

func pathsOf(_ Action, r Record) any {
	list := slices.Clone(r.Paths)
	for i := range list {
		list[i].Name = ""
	}
	return list
}

// pathOf returns the path of the action, without its name and its share of visitors.
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

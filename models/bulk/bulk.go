// Package bulk describes changes of many records by one call. A change can be undone.
package bulk

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/models/flow"
)

// The kinds of records that one call can change.
const (
	Campaign = "campaign"
	Flow     = "flow" // a saved flow
	Offer    = "offer"
	Lander   = "lander"
)

// Limits of a call. A larger call would hold the locks of the records for too long.
const (
	MaxPaths = 5_000     // maximum number of paths in which a destination is replaced
	MaxBytes = 8_000_000 // maximum size in bytes of the destinations of these paths
)

// Change describes the changes that one call made. It can be undone once.
type Change struct {
	ID       uuid.UUID  `db:"id"`
	Changed  Changed    `db:"changed,json"`
	UndoneAt *time.Time `db:"undone_at"`
}

// Changed lists the changed paths or the changed records.
type Changed struct {
	// Replaced is the offer or landing page that was replaced by another. It is zero for a change of records.
	Replaced uuid.UUID `json:"replaced"`
	Paths    []Path    `json:"paths,omitempty"`
	Records  []Record  `json:"records,omitempty"`
}

// Campaigns returns the ids of the changed campaigns, each id once.
func (c Changed) Campaigns() (ids []uuid.UUID) {
	add := func(kind string, id uuid.UUID) {
		if kind == Campaign && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, p := range c.Paths {
		add(p.Kind, p.Holder)
	}
	for _, r := range c.Records {
		add(r.Kind, r.ID)
	}
	return ids
}

// Path is a path whose destinations were replaced.
type Path struct {
	Kind       string             `json:"kind"` // campaign or flow
	Holder     uuid.UUID          `json:"holder"`
	HolderName string             `json:"holder_name"`
	ID         string             `json:"id"`
	Name       string             `json:"name"`
	Before     []flow.Destination `json:"before"`
	After      []flow.Destination `json:"after"`
}

// Record is a record whose fields were changed. It contains only the fields that changed.
type Record struct {
	Kind   string    `json:"kind"`
	ID     uuid.UUID `json:"id"`
	Name   string    `json:"name"`
	Before Members   `json:"before"`
	After  Members   `json:"after"`
}

// Members are the fields of a record as the API writes them.
type Members map[string]json.RawMessage

// MembersOf returns the members of a value that is a JSON object.
func MembersOf(v any) (m Members, err error) {
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &m)
	}
	return m, err
}

// Differences compares two states of a record. It returns the members of "after" whose values differ, with the values before and
// after.
func Differences(before, after Members) (was, is Members) {
	was, is = Members{}, Members{}
	for name, value := range after {
		if string(before[name]) != string(value) {
			was[name], is[name] = before[name], value
		}
	}
	return was, is
}

// Has reports whether m has all members of other, with the same values.
func (m Members) Has(other Members) bool {
	for name, value := range other {
		if string(m[name]) != string(value) {
			return false
		}
	}
	return true
}

// Kept is a record or a path that an undo did not restore.
type Kept struct {
	Kind   string    `json:"kind" enum:"campaign,flow,offer,lander"`
	ID     uuid.UUID `json:"id"`
	Name   string    `json:"name"`
	Path   string    `json:"path" doc:"name of the path; empty: the whole record"`
	Reason string    `json:"reason" doc:"changed, not_found, or the code of the error with which the earlier values were refused"`
}

// Values of Kept.Reason, besides the codes of errors.
const (
	ReasonChanged = "changed"
	ReasonGone    = "not_found"
)

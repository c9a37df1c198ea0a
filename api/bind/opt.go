package bind

import (
	"encoding/json"

	"github.com/google/uuid"

	"switchyard/models"
)

// Opt is a body field in three states: left out, null, or a value. A PATCH keeps what was left out.
type Opt[T any] struct {
	Set   bool // the field was in the body, as null or as a value
	Null  bool
	Value T
}

// Given tells whether the field holds a value.
func (o Opt[T]) Given() bool { return o.Set && !o.Null }

// Or gives the value, or another one when the field was left out or null.
func (o Opt[T]) Or(other T) T {
	if o.Given() {
		return o.Value
	}
	return other
}

// Some makes a field that holds a value.
func Some[T any](v T) Opt[T] { return Opt[T]{Set: true, Value: v} }

// MarshalJSON writes the value, or null.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.Given() {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

// OptValue gives a zero value of what the field holds, for the API's description.
func (o Opt[T]) OptValue() any { var zero T; return zero }

// mark notes that the field was sent and gives the place for its value.
func (o *Opt[T]) mark(null bool) any {
	o.Set, o.Null = true, null
	return &o.Value
}

type optional interface{ mark(null bool) any }

// LooseText is a text field for which the contract reads anything else as if it were not there: a value of another
// type is empty, not an error.
type LooseText string

// UnmarshalJSON takes a text, and anything else as an empty one.
func (t *LooseText) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = ""
	}
	*t = LooseText(text)
	return nil
}

// ID is embedded in the body of a PUT or a PATCH that names its record in the body.
type ID struct {
	ID uuid.UUID `json:"id" bad:"invalid_id" required:"true" doc:"the record's id"`
}

// RecordID gives the id; a body without one is invalid_id.
func (i ID) RecordID() (uuid.UUID, error) {
	if i.ID == uuid.Nil {
		return i.ID, models.Invalid("invalid_id", "id must be a UUID")
	}
	return i.ID, nil
}

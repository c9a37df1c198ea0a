package bind

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/google/uuid"
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

// state tells what was sent, and where the value stands.
func (o *Opt[T]) state() (set, null bool, v reflect.Value) {
	return o.Set, o.Null, reflect.ValueOf(&o.Value).Elem()
}

type optional interface {
	mark(null bool) any
	state() (set, null bool, v reflect.Value)
}

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

// Tags are the tags of a record: trimmed, each once, none of them blank.
type Tags []string

// tagsRules are the rules of every field of tags.
const tagsRules reflect.StructTag = `trim:"true" skipBlank:"true" unique:"true" itemLength:"64" maxItems:"20"`

// LooseCurrency is a currency's three letters as capitals. Anything else that is sent is USD, as the contract says.
type LooseCurrency string

// UnmarshalJSON takes three letters, and anything else as USD.
func (c *LooseCurrency) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) != nil || !currency.MatchString(text) {
		text = "USD"
	}
	*c = LooseCurrency(strings.ToUpper(text))
	return nil
}

// ID is embedded in the body of a PUT or a PATCH that names its record in the body.
type ID struct {
	ID uuid.UUID `json:"id" bad:"invalid_id" required:"invalid_id" doc:"the record's id"`
}

// RecordID gives the id of the record that the body names.
func (i ID) RecordID() uuid.UUID { return i.ID }

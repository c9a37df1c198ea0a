package bind

import (
	"reflect"

	"github.com/google/uuid"
)

// Opt is a body field that is left out, null, or a value. A PATCH does not change fields that are left out.
type Opt[T any] struct {
	Set   bool // the field was in the body, as null or as a value
	Null  bool
	Value T
}

// Given reports whether the field holds a value.
func (o Opt[T]) Given() bool { return o.Set && !o.Null }

// Or returns the value. If the field holds no value, Or returns its argument.
func (o Opt[T]) Or(other T) T {
	if o.Given() {
		return o.Value
	}
	return other
}

// Into assigns the sent value to a field, or def if null was sent.
func (o Opt[T]) Into(field *T, def T) {
	if o.Set {
		*field = o.Or(def)
	}
}

// Sent returns a pointer to the sent value, or to the zero value if null was sent. It is nil if the field was left out.
func (o Opt[T]) Sent() *T {
	if !o.Set {
		return nil
	}
	return &o.Value
}

// OptValue returns a zero value of the field's type, for the OpenAPI document.
func (o Opt[T]) OptValue() any { var zero T; return zero }

func (o *Opt[T]) mark(sent, null bool) reflect.Value {
	o.Set, o.Null = sent, null
	return reflect.ValueOf(&o.Value).Elem()
}

type opt interface {
	mark(sent, null bool) reflect.Value
}

// tagsRules are the rules for fields of the type models.Tags.
const tagsRules reflect.StructTag = `trim:"true" skipBlank:"true" unique:"true" itemLength:"64" maxItems:"20"`

// ID is embedded in the body of a PUT or a PATCH that names its record in the body instead of the URL.
type ID struct {
	ID uuid.UUID `json:"id" bad:"invalid_id" required:"invalid_id" doc:"the record's id"`
}

// RecordID returns the id of the record that the body names.
func (i ID) RecordID() uuid.UUID { return i.ID }

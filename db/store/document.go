package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
)

// document is a json or jsonb column that holds a T.
type document[T any] struct{ V T }

// Scan reads the column.
func (d *document[T]) Scan(src any) error {
	raw, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("store: a document comes as %T", src)
	}
	return json.Unmarshal(raw, &d.V)
}

// Value gives the JSON text.
func (d document[T]) Value() (driver.Value, error) {
	raw, err := json.Marshal(d.V)
	return string(raw), err
}

// documentOf is a value for such a column.
func documentOf[T any](v T) document[T] { return document[T]{v} }

package db

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/uuid"
)

// document reads or writes the value that p points to, in a json or jsonb column. A nil list or map becomes an empty one.
type document struct{ p any }

// Document returns a value for a json or jsonb column.
func Document(v any) driver.Valuer {
	p := reflect.New(reflect.TypeOf(v))
	p.Elem().Set(reflect.ValueOf(v))
	return document{p.Interface()}
}

// Scan implements sql.Scanner.
func (d document) Scan(src any) error {
	raw, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("db: a document was read as %T, not as bytes", src)
	}
	defer d.noNil()
	return json.Unmarshal(raw, d.p)
}

// Value implements driver.Valuer.
func (d document) Value() (driver.Value, error) {
	d.noNil()
	raw, err := json.Marshal(d.p)
	return string(raw), err
}

func (d document) noNil() {
	v := reflect.ValueOf(d.p).Elem()
	switch {
	case v.Kind() == reflect.Slice && v.IsNil():
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	case v.Kind() == reflect.Map && v.IsNil():
		v.Set(reflect.MakeMap(v.Type()))
	}
}

// OrNull returns an id as a parameter. The zero id is NULL.
func OrNull(id uuid.UUID) uuid.NullUUID { return uuid.NullUUID{UUID: id, Valid: id != uuid.Nil} }

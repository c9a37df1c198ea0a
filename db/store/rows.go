package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
)

// query reads all rows. T is a struct with db tags or a single value. The list is never nil. what names the rows in
// errors.
func query[T any](ctx context.Context, c db.Conn, what, text string, args ...any) ([]T, error) {
	list, err := scanAll[T](c.QueryxContext(ctx, text, args...))
	if err != nil {
		return nil, fmt.Errorf("db: %s: %w", what, err)
	}
	return list, nil
}

// get reads the first row. No row is a not_found of what.
func get[T any](ctx context.Context, s *Store, what, text string, args ...any) (T, error) {
	list, err := query[T](ctx, s.c, what, text, args...)
	if err == nil && len(list) == 0 {
		err = models.NotFound(what)
	}
	if err != nil {
		var none T
		return none, err
	}
	return list[0], nil
}

// exec runs a statement and gives the number of rows that it touched.
func (s *Store) exec(ctx context.Context, what, text string, args ...any) (int64, error) {
	res, err := s.c.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, fmt.Errorf("db: %s: %w", what, err)
	}
	return res.RowsAffected()
}

// one runs a statement that must touch a row. None is a not_found of what.
func (s *Store) one(ctx context.Context, what, text string, args ...any) error {
	n, err := s.exec(ctx, what, text, args...)
	if err == nil && n == 0 {
		err = models.NotFound(what)
	}
	return err
}

// scanAll reads rows by the db tags of T. Unlike sqlx it fills plain lists, JSON documents and optional ids: see cell
// and param.
func scanAll[T any](rows *sqlx.Rows, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	fields, err := fieldsOf[T](rows)
	if err != nil {
		return nil, err
	}
	list, cells := []T{}, make([]any, len(fields))
	for rows.Next() {
		var row T
		v := reflect.ValueOf(&row).Elem()
		for i, f := range fields {
			_, isJSON := f.Options["json"]
			cells[i] = cell(reflectx.FieldByIndexes(v, f.Index), isJSON)
		}
		if err := rows.Scan(cells...); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

// fieldsOf finds the field of T for each column. A T that is a single value is its own field.
func fieldsOf[T any](rows *sqlx.Rows) ([]*reflectx.FieldInfo, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	tags := rows.Mapper.TypeMap(reflect.TypeFor[T]())
	if _, scans := any(new(T)).(sql.Scanner); scans || len(tags.Index) == 0 {
		return []*reflectx.FieldInfo{{}}, nil // no index: the row itself
	}
	fields := make([]*reflectx.FieldInfo, len(columns))
	for i, column := range columns {
		if fields[i] = tags.GetByPath(column); fields[i] == nil {
			return nil, fmt.Errorf("%s has no field for the column %s", reflect.TypeFor[T](), column)
		}
	}
	return fields, nil
}

// cell is what a column is scanned into: the field itself, except for lists of texts and JSON documents. NULL makes
// an id zero.
func cell(field reflect.Value, isJSON bool) any {
	p := field.Addr().Interface()
	if isJSON {
		return document{p}
	}
	if list, ok := p.(*[]string); ok {
		return (*pq.StringArray)(list)
	}
	return p
}

// param gives a field as a query parameter. The zero id is NULL. A list is never NULL.
func param(field reflect.Value, isJSON bool) any {
	if isJSON {
		return documentOf(field.Interface())
	}
	switch v := field.Interface().(type) {
	case uuid.UUID:
		return uuid.NullUUID{UUID: v, Valid: v != uuid.Nil}
	case []string:
		return nonNil(v)
	default:
		return v
	}
}

// document is a json or jsonb column for the value that p points to. A list in it is never null.
type document struct{ p any }

// documentOf gives a value as a parameter for a json or jsonb column.
func documentOf(v any) document {
	p := reflect.New(reflect.TypeOf(v))
	p.Elem().Set(reflect.ValueOf(v))
	return document{p.Interface()}
}

// Scan reads the column.
func (d document) Scan(src any) error {
	raw, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("db: a document comes as %T", src)
	}
	defer d.noNil()
	return json.Unmarshal(raw, d.p)
}

// Value gives the JSON text.
func (d document) Value() (driver.Value, error) {
	d.noNil()
	raw, err := json.Marshal(d.p)
	return string(raw), err
}

func (d document) noNil() {
	if v := reflect.ValueOf(d.p).Elem(); v.Kind() == reflect.Slice && v.IsNil() {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
}

// nonNil makes nil an empty list, since no column allows NULL.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

package store

import (
	"context"
	"reflect"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// exec runs a statement and gives the number of rows that it touched.
func (s *Store) exec(ctx context.Context, what, text string, args ...any) (int64, error) {
	return db.Exec(ctx, s.c, what, text, args...)
}

// one runs a statement that must touch a row. If it touches no row, the error is a not_found error that names what.
func (s *Store) one(ctx context.Context, what, text string, args ...any) error {
	n, err := s.exec(ctx, what, text, args...)
	if err == nil && n == 0 {
		err = models.NotFound(what)
	}
	return err
}

// param gives a field as a query parameter. The zero id is NULL. A list is never NULL.
func param(field reflect.Value, isJSON bool) any {
	if isJSON {
		return db.Document(field.Interface())
	}
	if id, ok := field.Interface().(uuid.UUID); ok {
		return db.OrNull(id)
	}
	if texts := reflect.TypeFor[[]string](); field.CanConvert(texts) { // models.Tags too
		list, _ := field.Convert(texts).Interface().([]string)
		return nonNil(list)
	}
	return field.Interface()
}

// nonNil makes nil an empty list, since no column allows NULL.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

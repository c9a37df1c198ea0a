package store

import (
	"context"
	"reflect"

	"github.com/google/uuid"

	"switchyard/db"
)

func (s *Store) exec(ctx context.Context, what, text string, args ...any) (int64, error) {
	return db.Exec(ctx, s.c, what, text, args...)
}

func (s *Store) run(ctx context.Context, what, text string, args ...any) error {
	return db.Run(ctx, s.c, what, text, args...)
}

// execOne fails if the statement affects no row. For a SELECT, the selected rows count.
func (s *Store) execOne(ctx context.Context, what, text string, args ...any) error {
	return db.ExecOne(ctx, s.c, what, text, args...)
}

// param converts a field to a query parameter. The zero id becomes NULL, a nil list becomes an empty one.
func param(field reflect.Value, isJSON bool) any {
	if isJSON {
		return db.Document(field.Interface())
	}
	if id, ok := field.Interface().(uuid.UUID); ok {
		return db.OrNull(id)
	}
	if texts := reflect.TypeFor[[]string](); field.CanConvert(texts) {
		list, _ := field.Convert(texts).Interface().([]string)
		return nonNil(list)
	}
	return field.Interface()
}

// nonNil returns an empty list instead of nil, because columns with lists do not allow NULL.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

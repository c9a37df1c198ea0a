package db

import (
	"strings"

	"github.com/google/uuid"
)

// UUIDs writes ids in PostgreSQL's text form of uuid[].
func UUIDs(ids []uuid.UUID) string { return "{" + strings.Join(Map(ids, uuid.UUID.String), ",") + "}" }

// ByKey gives the items of a list by their keys.
func ByKey[K comparable, T any](list []T, key func(T) K) map[K]T {
	items := make(map[K]T, len(list))
	for _, item := range list {
		items[key(item)] = item
	}
	return items
}

// Map gives what of makes of each item of a list, for the columns of a statement that takes many rows.
func Map[T, V any](list []T, of func(T) V) []V {
	out := make([]V, len(list))
	for i, item := range list {
		out[i] = of(item)
	}
	return out
}

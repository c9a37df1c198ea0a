package db

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// UUIDs writes ids in PostgreSQL's text form of uuid[].
func UUIDs(ids []uuid.UUID) string { return "{" + strings.Join(Map(ids, uuid.UUID.String), ",") + "}" }

// ByKey returns a map of the items of a list by their keys.
func ByKey[K comparable, T any](list []T, key func(T) K) map[K]T {
	items := make(map[K]T, len(list))
	for _, item := range list {
		items[key(item)] = item
	}
	return items
}

// Map returns the results of calling fn with each item of a list.
func Map[T, V any](list []T, fn func(T) V) []V {
	out := make([]V, len(list))
	for i, item := range list {
		out[i] = fn(item)
	}
	return out
}

// ZeroID is the zero id, which no row has.
const ZeroID = "00000000-0000-0000-0000-000000000000"

// UUIDsOf returns the ids of the items of a list in PostgreSQL's text form of uuid[].
func UUIDsOf[T any](list []T, id func(T) uuid.UUID) string { return UUIDs(Map(list, id)) }

// SortedIDs returns the keys of a map in ascending order.
func SortedIDs[V any](m map[uuid.UUID]V) []uuid.UUID {
	return slices.SortedFunc(maps.Keys(m), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
}

// Without returns a copy of a list without the items for which match returns true.
func Without[T any](list []T, match func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), match)
}

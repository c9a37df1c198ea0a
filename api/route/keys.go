package route

import (
	"reflect"
	"strings"

	"switchyard/api/bind"
)

// NameKeys gives every row with a body the names that the body may have: its own fields, and what answers of the same
// resource show, so that an object that was read can be sent back.
func NameKeys(rows []Route) {
	for i := range rows {
		row := &rows[i]
		if row.Body == nil || row.Handle.Body == nil {
			continue // the handler reads the body itself
		}
		types := append([]any{row.Body, row.Handle.Body}, row.Echoes...)
		for _, other := range rows {
			if other.Answer != nil && sameResource(row.Path, other.Path) {
				types = append(types, shown(other.Answer)...)
			}
		}
		row.Keys = bind.KeysOf(types...)
	}
}

// sameResource reports whether rows at two paths concern the same records: the path itself, or that of the collection
// it is in and of one record in that.
func sameResource(path, other string) bool {
	collection, _, _ := strings.Cut(path[1:], "/")
	return other == path || other == "/"+collection || other == "/"+collection+"/{id}"
}

// shown gives the type of an answer, and those of the records in it.
func shown(answer any) []any {
	out := []any{answer}
	t := reflect.TypeOf(answer)
	if t.Kind() != reflect.Struct {
		return out
	}
	for i := range t.NumField() {
		inner := t.Field(i).Type
		for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && t.Field(i).IsExported() {
			out = append(out, reflect.Zero(inner).Interface())
		}
	}
	return out
}

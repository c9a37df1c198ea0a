package route

import (
	"reflect"
	"slices"
	"strings"

	"switchyard/models/bind"
)

// NameKeys sets the Keys of every row with a body: the names that the body may have. They are the fields of the body and of
// Echoes. If the row creates, changes or replaces a record, the names in answers of the same resource are allowed too, so that an
// object that was read can be sent back. A PATCH refuses names that only the PUT of its resource writes: it would ignore them,
// and the change would be lost silently.
func NameKeys(rows []Route) {
	for i := range rows {
		row := &rows[i]
		if row.Body == nil || row.Handle.Body == nil {
			continue // there is no body, or the handler reads it itself
		}
		own := append([]any{row.Body, row.Handle.Body}, row.Echoes...)
		types := slices.Clip(own)
		for _, other := range rows {
			if other.Answer != nil && row.acceptsAnswer() && sameResource(row.Path, other.Path) {
				types = append(types, answerTypes(other.Answer)...)
			}
		}
		row.Keys = bind.KeysOf(types...)
		for _, put := range rows {
			if row.Method == "PATCH" && put.Method == "PUT" && put.Body != nil && collection(put.Path) == collection(row.Path) {
				row.Keys.PointElsewhere(bind.KeysOf(put.Body), bind.KeysOf(own...), put.Method+" "+put.Path)
			}
		}
	}
}

// acceptsAnswer reports whether the body may be an object from an answer, sent back by the client.
func (r *Route) acceptsAnswer() bool {
	list := "/" + collection(r.Path)
	return r.Method == "PUT" || r.Path == list || r.Path == list+"/{id}"
}

func collection(path string) string {
	first, _, _ := strings.Cut(path[1:], "/")
	return first
}

// sameResource reports whether rows at two paths concern the same records.
func sameResource(path, other string) bool {
	c := collection(path)
	return other == path || other == "/"+c || other == "/"+c+"/{id}"
}

// answerTypes returns the answer and zero values of the structs in its fields.
func answerTypes(answer any) []any {
	out := []any{answer}
	t := reflect.TypeOf(answer)
	if t.Kind() != reflect.Struct {
		return out
	}
	for i := range t.NumField() {
		f := t.Field(i)
		inner := f.Type
		if inner.Kind() == reflect.Slice && strings.HasPrefix(f.Tag.Get("json"), "rows") {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && f.IsExported() {
			out = append(out, reflect.Zero(inner).Interface())
		}
	}
	return out
}

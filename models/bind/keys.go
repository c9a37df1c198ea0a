package bind

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
)

// Keys are the names that an object may have, with the Keys of the objects inside it. Nil allows any name.
type Keys struct {
	fields    map[string]*Keys
	elsewhere map[string]string // names that another call accepts, mapped to that call
}

// KeysOf returns the names that objects of the given types have in JSON, at every depth. If several types have a field of the
// same name, the Keys below it are merged. A type that is not a struct, such as json.RawMessage, allows any name.
func KeysOf(types ...any) *Keys {
	var all *Keys
	for _, t := range types {
		all = merged(all, keysOf(reflect.TypeOf(t), nil))
	}
	return all
}

func merged(k, more *Keys) *Keys {
	switch {
	case k == nil:
		return more
	case more == nil:
		return k
	}
	for name, below := range more.fields {
		k.fields[name] = merged(k.fields[name], below)
	}
	return k
}

// keysOf returns the names of a type. Its second argument lists the types that contain this type, so that keysOf stops at a type that
// contains itself.
func keysOf(t reflect.Type, within []reflect.Type) *Keys {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || slices.Contains(within, t) {
		return nil
	}
	if o, ok := reflect.Zero(t).Interface().(interface{ OptValue() any }); ok {
		return keysOf(reflect.TypeOf(o.OptValue()), within)
	}
	list := fieldsOf(t)
	if len(list) == 0 {
		return nil // a leaf, such as a time
	}
	k := &Keys{fields: make(map[string]*Keys, len(list))}
	for _, f := range list {
		k.fields[f.name] = merged(k.fields[f.name], keysOf(t.FieldByIndex(f.index).Type, append(within[:len(within):len(within)], t)))
	}
	return k
}

// Names returns the names that the object itself may have.
func (k *Keys) Names() []string { return slices.Sorted(maps.Keys(k.fields)) }

// PointElsewhere removes from k the names in "other" that are not in "own". Check then tells a client that sends such a name to
// use the other call.
func (k *Keys) PointElsewhere(other, own *Keys, call string) {
	if k == nil || other == nil || own == nil {
		return
	}
	if k.elsewhere == nil {
		k.elsewhere = map[string]string{}
	}
	for name := range other.fields {
		if _, ok := own.fields[name]; !ok {
			delete(k.fields, name)
			k.elsewhere[name] = call
		}
	}
}

// Check returns 400 invalid_input for a name that is not in the keys, at any depth, with the nearest known name. Names that begin
// with _ are accepted. The body must have passed Object.
func (k *Keys) Check(body []byte) error {
	if k == nil {
		return nil
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(withoutMark(body)))
	dec.UseNumber() // numbers may have any size
	if dec.Decode(&v) != nil {
		return errBody
	}
	return k.check(v, "")
}

func (k *Keys) check(v any, path string) error {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if err := k.check(item, path+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, below := range v { // if there are several errors, any one of them is reported
			at := strings.TrimPrefix(path+"."+name, ".")
			inner, ok := k.fields[name]
			if !ok && !strings.HasPrefix(name, "_") {
				if call := k.elsewhere[name]; call != "" {
					return models.Invalid("invalid_input", "%s is not changed by this call: use %s", at, call)
				}
				return Unknown(at, name, k.Names())
			}
			if inner == nil {
				continue
			}
			if err := inner.check(below, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// Unknown returns the error for an unknown name at a path in a body, or in a query: 400 invalid_input, with the nearest known name.
func Unknown(path, name string, known []string) error {
	const maxName = 80 // bytes of the path in the message
	path = strings.ToValidUTF8(path[:min(len(path), maxName)], "")
	if near := models.Nearest(name, known); near != "" {
		return models.Invalid("invalid_input", "%s is unknown; did you mean %s?", path, near)
	}
	return models.Invalid("invalid_input", "%s is unknown", path)
}

// Package moved has what the readers of other trackers share: JSON values of varying form, records of a document, and a common
// form of paths.
package moved

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Value is a value of JSON. A missing member is an empty value.
type Value struct{ v any }

// UnmarshalJSON keeps the digits of numbers.
func (v *Value) UnmarshalJSON(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return dec.Decode(&v.v)
}

// At returns the member at a path of names.
func (v Value) At(names ...string) Value {
	for _, name := range names {
		object, _ := v.v.(map[string]any)
		v = Value{object[name]}
	}
	return v
}

// Text returns the value as a text without surrounding spaces. A number keeps its digits. A list or an object gives an empty text.
func (v Value) Text() string {
	switch t := v.v.(type) {
	case string:
		return strings.TrimSpace(t)
	case json.Number:
		return t.String()
	case bool:
		return strconv.FormatBool(t)
	}
	return ""
}

// ID returns the id of another record. An id of zero gives an empty text.
func (v Value) ID() string {
	if id := v.Text(); id != "0" && id != "00000000-0000-0000-0000-000000000000" {
		return id
	}
	return ""
}

// Is reports whether the value is one of the texts. It ignores upper and lower case.
func (v Value) Is(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(v.Text(), w) })
}

// True reports whether the value is true, or a number or text that stands for it.
func (v Value) True() bool { return v.Is("true", "1", "yes") }

// False reports whether the value is false, or a number or text that stands for it.
func (v Value) False() bool { return v.Is("false", "0", "no") }

// Int drops decimals, and returns 0 for anything but a number from -1e9 to 1e9.
func (v Value) Int() int {
	n, err := strconv.ParseFloat(v.Text(), 64)
	if err != nil || n > 1e9 || n < -1e9 {
		return 0
	}
	return int(n)
}

// List returns the items of a list, or the members of an object in the order of Names.
func (v Value) List() (out []Value) {
	switch t := v.v.(type) {
	case []any:
		for _, item := range t {
			out = append(out, Value{item})
		}
	case map[string]any:
		for _, name := range v.Names() {
			out = append(out, Value{t[name]})
		}
	}
	return out
}

// Names returns the member names: numbers in ascending order, then the others.
func (v Value) Names() []string {
	object, _ := v.v.(map[string]any)
	return slices.SortedFunc(maps.Keys(object), func(a, b string) int {
		x, errX := strconv.Atoi(a)
		y, errY := strconv.Atoi(b)
		switch {
		case errX == nil && errY == nil:
			return x - y
		case errX == nil:
			return -1
		case errY == nil:
			return 1
		}
		return strings.Compare(a, b)
	})
}

// Texts returns the texts of the items of List, or of the value itself if List is empty. From an item that is an object it takes
// the first of code, name, value and id that is not empty.
func (v Value) Texts() (out []string) {
	items := v.List()
	if items == nil {
		items = []Value{v}
	}
	for _, item := range items {
		text := item.Text()
		for _, name := range []string{"code", "name", "value", "id"} {
			if text == "" {
				text = item.At(name).Text()
			}
		}
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

// IsList reports whether the value is a list.
func (v Value) IsList() bool { _, ok := v.v.([]any); return ok }

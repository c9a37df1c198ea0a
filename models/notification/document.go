package notification

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// document is a parsed JSON value, or a form. In a form, names such as order[total] are read as nested objects.
type document struct{ v any }

func (d document) at(path string) document {
	v := d.v
	for path != "" {
		var name string
		name, path, _ = strings.Cut(path, ".")
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(in) {
				return document{}
			}
			v = in[i]
		default:
			return document{}
		}
	}
	return document{v}
}

// text returns the first member, among the members at the paths, that is a text, a number or a boolean and not empty.
func (d document) text(paths ...string) string {
	for _, path := range paths {
		if path == "" {
			continue
		}
		switch v := d.at(path).v.(type) {
		case string:
			if s := strings.TrimSpace(v); s != "" {
				return s
			}
		case json.Number:
			return v.String()
		case bool:
			return strconv.FormatBool(v)
		}
	}
	return ""
}

func (d document) has(name string) bool {
	members, _ := d.v.(map[string]any)
	_, ok := members[name]
	return ok
}

func (d document) isTrue(path string) bool {
	switch strings.ToLower(d.text(path)) {
	case "true", "1", "y", "yes":
		return true
	}
	return false
}

// In a form, a list is an object whose names are 0, 1, 2 and so on.
func (d document) list(path string) (items []document) {
	switch in := d.at(path).v.(type) {
	case []any:
		for _, v := range in {
			items = append(items, document{v})
		}
	case map[string]any:
		keys := slices.Collect(maps.Keys(in))
		slices.SortFunc(keys, func(a, b string) int {
			m, errA := strconv.Atoi(a)
			n, errB := strconv.Atoi(b)
			if errA == nil && errB == nil {
				return m - n
			}
			return strings.Compare(a, b)
		})
		for _, k := range keys {
			items = append(items, document{in[k]})
		}
	}
	return items
}

func (d document) members(path string) (out []field) {
	in, _ := d.at(path).v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if text := d.at(path).text(name); text != "" {
			out = append(out, field{name, text})
		}
	}
	return out
}

func (d document) pairs(path, name, value string) (out []field) {
	for _, item := range d.list(path) {
		if text := item.text(value); text != "" {
			out = append(out, field{item.text(name), text})
		}
	}
	return out
}

const maxDepth = 8

// A name such as order[charges][0][amount] is a path of members.
func nest(fields []field) document {
	root := map[string]any{}
	for _, f := range fields {
		path := []string{f.name}
		if first, rest, ok := strings.Cut(f.name, "["); ok && strings.HasSuffix(rest, "]") {
			path = append([]string{first}, strings.Split(strings.TrimSuffix(rest, "]"), "][")...)
		}
		if len(path) > maxDepth {
			continue
		}
		put(root, path, f.value)
	}
	return document{root}
}

// An empty name means the next number of a list.
func put(members map[string]any, path []string, value string) {
	name := path[0]
	if name == "" {
		name = strconv.Itoa(len(members))
	}
	if len(path) == 1 {
		if _, isObject := members[name].(map[string]any); !isObject {
			members[name] = value
		}
		return
	}
	inner, ok := members[name].(map[string]any)
	if !ok {
		inner = map[string]any{}
		members[name] = inner
	}
	put(inner, path[1:], value)
}

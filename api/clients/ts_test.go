package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// oneLine returns a description without line breaks, at most 300 bytes of it.
func oneLine(text string) string {
	text = strings.TrimSuffix(strings.Join(strings.Fields(text), " "), ".")
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:297], "") + "..."
	}
	return text
}

// noteOf returns a note on the values of a schema: the description and, if there are few values, the values themselves.
func noteOf(s schema) string {
	note := oneLine(s.Description)
	if n := len(s.Enum); n == 0 || n > 40 {
		return note
	}
	var list []string
	for _, v := range s.Enum {
		list = append(list, fmt.Sprint(v))
	}
	values := strings.Join(list, ", ")
	if note == "" {
		return values
	}
	return note + ": " + values
}

// TestGeneratedTypeScript: the client for TypeScript has each type and each call of the OpenAPI document.
func TestGeneratedTypeScript(t *testing.T) {
	t.Parallel()
	schemas, operations := read(t)
	var b strings.Builder
	line := func(f string, args ...any) { fmt.Fprintf(&b, f+"\n", args...) }
	line("// Code generated %s. DO NOT EDIT.\n", made)
	line("/** Values of dimensions that a report keeps (f.) or leaves out (x.). */")
	line("export type Filters = { [name in `f.${string}` | `x.${string}`]?: string | string[] };\n")
	for _, name := range sorted(schemas) {
		line("export type %s = %s;", name, tsType(schemas[name]))
	}
	line("\nexport interface Operations {")
	for _, o := range operations {
		query, path := tsParams(o)
		body, answer := "undefined", tsType(o.Answer)
		if o.Body != nil {
			body = tsType(*o.Body)
		}
		if o.File {
			answer = "string"
		}
		row := "never"
		if r, by := o.list(schemas); by != "" {
			row = tsType(r)
		}
		line("  /** %s */\n  %s: { query: %s; path: %s; body: %s; answer: %s; row: %s };", oneLine(o.Summary), o.ID, query, path, body, answer, row)
	}
	line("}\n\nexport const operations: { [name in keyof Operations]: readonly [method: string, path: string] } = {")
	for _, o := range operations {
		line("  %s: [%q, %q],", o.ID, o.Method, o.Path)
	}
	line("};")
	checkGenerated(t, "ts/api.gen.ts", b.String())
}

func tsParams(o operation) (query, path string) {
	query = "{ " + strings.Join(tsEach(o.Params, func(p parameter) string { return fmt.Sprintf("%q?: %s; ", p.Name, tsType(p.Schema)) }), "") + "}"
	if o.Filtered {
		query += " & Filters"
	}
	return query, "{ " + strings.Join(tsEach(o.PathParams, func(p string) string { return p + ": string; " }), "") + "}"
}

func tsType(s schema) string {
	if s.Ref != "" {
		return s.name()
	}
	if choices := slices.Concat(s.AnyOf, s.OneOf); len(choices) > 0 {
		return "(" + strings.Join(tsEach(choices, tsType), " | ") + ")"
	}
	if len(s.Enum) > 0 {
		return "(" + strings.Join(tsEach(s.Enum, literal), " | ") + ")"
	}
	if len(s.Type) == 0 {
		return "unknown"
	}
	return strings.Join(tsEach(s.Type, func(kind string) string { return tsKind(kind, s) }), " | ")
}

func tsKind(kind string, s schema) string {
	switch kind {
	case "integer":
		return "number"
	case "array":
		if s.Items == nil {
			return "unknown[]"
		}
		return "Array<" + tsType(*s.Items) + ">"
	case "object":
		var members []string
		s.each(func(name string, p schema, required bool) {
			mark := "?"
			if required {
				mark = ""
			}
			members = append(members, fmt.Sprintf("%q%s: %s", name, mark, tsType(p)))
		})
		if s.Additional != nil && len(members) == 0 {
			return "Record<string, " + tsType(*s.Additional) + ">"
		}
		if s.Additional != nil || len(members) == 0 {
			members = append(members, "[name: string]: unknown")
		}
		return "{ " + strings.Join(members, "; ") + " }"
	}
	return kind
}

func tsEach[V any](list []V, do func(V) string) (out []string) {
	for _, v := range list {
		out = append(out, do(v))
	}
	return out
}

func literal(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "never"
	}
	return string(raw)
}

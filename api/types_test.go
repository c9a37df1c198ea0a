package api_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api"
	"switchyard/api/dashboard"
	"switchyard/api/route"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/cond"
	"switchyard/models/token"
)

var update = flag.Bool("update", false, "write the generated types of the dashboard")

const (
	typesFile = "dashboard/web/src/api.gen.ts"
	wordsFile = "dashboard/web/src/words.gen.ts"
)

// TestTypes: the types of the API in the dashboard's scripts match the rows of the API.
func TestTypes(t *testing.T) {
	t.Parallel()
	w := &typeWriter{names: map[typeRole]string{}, taken: map[string]bool{}}
	var calls []string
	for _, r := range api.Table(api.Deps{}) {
		if !r.Public {
			calls = append(calls, w.call(r, r.Path))
		}
	}
	for _, r := range dashboard.Routes(dashboard.Deps{}) {
		calls = append(calls, w.call(r, r.Path))
	}
	slices.Sort(w.types)
	text := "// Made of the rows of the API by its tests (-run TestTypes -update). Do not edit.\n\n" +
		"export type Json = unknown\n\n" + strings.Join(w.types, "\n") + "\nexport interface Calls {\n" + strings.Join(calls, "") + "}\n"
	checkGenerated(t, typesFile, text)
	checkGenerated(t, wordsFile, words(t))
}

// checkGenerated fails the test unless a generated file has this text.
func checkGenerated(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(file); err != nil || string(have) != text {
		t.Errorf("%s is stale: go test ./api -run TestTypes -update (%v)", file, err)
	}
}

// words returns the text of words.gen.ts: the forms of conditions and the tokens of addresses.
func words(t *testing.T) string {
	t.Helper()
	type form struct {
		Kind       cond.Kind `json:"kind"`
		Operators  []string  `json:"operators"`
		Attributes []string  `json:"attributes"`
		Families   bool      `json:"families"`
		Values     []string  `json:"values"`
		Open       bool      `json:"open"`
	}
	type entry struct {
		Name         string   `json:"name"`
		Aliases      []string `json:"aliases"`
		Doc          string   `json:"doc"`
		OfConversion bool     `json:"of_conversion"`
	}
	var forms []form
	for _, f := range cond.Forms() {
		values := slices.Clone(f.Values.List())
		forms = append(forms, form{f.Kind, f.Operators, append([]string{}, f.Attributes...), f.Families, append([]string{}, values...), f.Values != nil && f.Values.Open})
	}
	var tokens []entry
	for _, e := range token.Catalog() {
		tokens = append(tokens, entry{e.Name, append([]string{}, e.Aliases...), e.Doc, e.OfConversion})
	}
	lines := func(list any) string {
		raw, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(strings.ReplaceAll(string(raw), `},{"kind"`, "},\n{\"kind\""), `},{"name"`, "},\n{\"name\"")
	}
	return "// Made of the conditions and tokens of the service by the API's tests (-run TestTypes -update). Do not edit.\n\n" +
		"export interface Form { kind: string; operators: string[]; attributes: string[]; families: boolean; values: string[]; open: boolean }\n" +
		"export const forms: Form[] = " + lines(forms) + "\n\n" +
		"export interface Token { name: string; aliases: string[]; doc: string; of_conversion: boolean }\n" +
		"export const tokens: Token[] = " + lines(tokens) + "\n"
}

// typeWriter writes types of Go as types of TypeScript, each typeRole once.
type typeWriter struct {
	names map[typeRole]string
	taken map[string]bool
	types []string
}

// call returns the member of Calls for a row, and adds the types that it needs.
func (w *typeWriter) call(r route.Route, path string) string {
	var query, in []string
	for _, p := range r.Params() {
		if family, _, ok := strings.Cut(p.Name, "."); ok {
			if one := "[of: `" + family + ".${string}`]: string | string[] | number | undefined"; !slices.Contains(query, one) {
				query = append(query, one)
			}
			continue
		}
		tsType := "string"
		if p.Repeated {
			tsType = "string | string[]"
		}
		if p.Max > 0 || p.Type == "integer" {
			tsType = "number | string"
		}
		query = append(query, fmt.Sprintf("%q?: %s", p.Name, oneOf(tsType, strings.Join(p.Enum, ","))))
	}
	for _, p := range r.PathParams() {
		in = append(in, p+": string")
	}
	var codes []string
	for _, c := range r.Codes {
		codes = append(codes, fmt.Sprintf("%q", c.Code))
	}
	slices.Sort(codes)
	parts := []string{"query: { " + strings.Join(query, "; ") + " }", "path: { " + strings.Join(in, "; ") + " }"}
	body, answer := "undefined", "Json"
	if r.Body != nil {
		body = w.typeOf(reflect.TypeOf(r.Body), true)
	}
	if r.Answer != nil {
		answer = w.typeOf(reflect.TypeOf(r.Answer), false)
	}
	if codes = slices.Compact(codes); len(codes) == 0 {
		codes = []string{"never"}
	}
	parts = append(parts, "body: "+body, "answer: "+answer, "codes: "+strings.Join(codes, " | "))
	return fmt.Sprintf("  %q: { %s }\n", r.Method+" "+path, strings.Join(parts, "; "))
}

// plain holds the types whose JSON form does not follow from their fields.
var plain = map[reflect.Type]string{
	reflect.TypeFor[uuid.UUID](): "string", reflect.TypeFor[uuid.NullUUID](): "string | null",
	reflect.TypeFor[decimal.Decimal](): "number", reflect.TypeFor[models.Money](): "number",
	reflect.TypeFor[json.RawMessage](): "Json", reflect.TypeFor[models.ASN](): "number | null",
	reflect.TypeFor[models.TokenMacros](): "Record<string, string>", reflect.TypeFor[models.Stamp](): "string",
	reflect.TypeFor[models.Active](): "string",
}

func (w *typeWriter) typeOf(t reflect.Type, body bool) string {
	if text, ok := plain[t]; ok {
		return text
	}
	switch t.Kind() {
	case reflect.Pointer:
		return w.typeOf(t.Elem(), body) + " | null"
	case reflect.Slice, reflect.Array:
		return "(" + w.typeOf(t.Elem(), body) + ")[]"
	case reflect.Map:
		return "Record<string, " + w.typeOf(t.Elem(), body) + ">"
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Struct:
		if strings.HasPrefix(t.Name(), "Opt[") {
			value, _ := t.FieldByName("Value")
			return w.typeOf(value.Type, body) + " | null"
		}
		if t.PkgPath() == "" || !strings.HasPrefix(t.PkgPath(), "switchyard/") {
			return textOr(t)
		}
		return w.named(t, body)
	}
	if t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 {
		return "number"
	}
	return "Json"
}

// textOr returns string for a type of another library that marshals itself as a text.
func textOr(t reflect.Type) string {
	if t.Implements(reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()) {
		return "string"
	}
	return "Json"
}

// typeRole is a type of Go in a body or in an answer. A body may leave fields out, so the two become different types of
// TypeScript.
type typeRole struct {
	reflect.Type
	body bool
}

func (w *typeWriter) named(t reflect.Type, body bool) string {
	if name := w.names[typeRole{t, body}]; name != "" {
		return name
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, t.Name()[strings.LastIndex(t.Name(), "/")+1:])
	name = strings.ToUpper(name[:1]) + name[1:]
	for w.taken[name] { // the name is taken by the other form of the type, or by a type of another package
		if _, ok := w.names[typeRole{t, !body}]; ok && body {
			name += "Part"
			continue
		}
		name += "2"
	}
	w.names[typeRole{t, body}], w.taken[name] = name, true
	members := map[string]member{}
	w.fields(t, body, 0, members)
	fields := make([]string, 0, len(members))
	for _, m := range slices.SortedFunc(maps.Values(members), func(a, b member) int {
		return cmp.Or(a.place-b.place, strings.Compare(a.text, b.text))
	}) {
		fields = append(fields, m.text)
	}
	w.types = append(w.types, "export interface "+name+" { "+strings.Join(fields, "; ")+" }")
	return name
}

// member is a member of an object. Of two with the same name, the less deeply embedded one counts.
type member struct {
	text         string
	depth, place int
}

func (w *typeWriter) fields(t reflect.Type, body bool, depth int, out map[string]member) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				w.fields(inner, body, depth+1, out)
			}
			continue
		}
		if !f.IsExported() || name == "-" || name == "" {
			continue
		}
		mark := ""
		if strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero") || body && f.Tag.Get("required") == "" {
			mark = "?"
		}
		if old, ok := out[name]; !ok || depth < old.depth {
			out[name] = member{fmt.Sprintf("%q%s: %s", name, mark, oneOf(w.typeOf(f.Type, body), bind.Expand(f.Tag.Get("enum")))), depth, len(out)}
		}
	}
}

// oneOf replaces string or number in a type of TypeScript by the values of an enum.
func oneOf(tsType, enum string) string {
	if enum == "" {
		return tsType
	}
	union := strings.ReplaceAll(enum, ",", " | ")
	if strings.Contains(tsType, "number") {
		return strings.Replace(tsType, "number", union, 1)
	}
	return strings.Replace(tsType, "string", `"`+strings.ReplaceAll(union, " | ", `" | "`)+`"`, 1)
}

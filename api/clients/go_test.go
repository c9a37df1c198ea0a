package clients

import (
	"cmp"
	"fmt"
	"go/format"
	"slices"
	"strings"
	"testing"
	"unicode"
)

const made = "by `make generate` from the description of the API"

// TestGeneratedGo: the client for Go has each type and each call of the OpenAPI document.
func TestGeneratedGo(t *testing.T) {
	t.Parallel()
	schemas, operations := read(t)
	g := &goWriter{schemas: schemas, names: map[string]string{}}
	g.line("// Code generated %s. DO NOT EDIT.\n", made)
	g.line("package switchyard\n\nimport (\n\"context\"\n\"iter\"\n\"net/url\"\n)\n")
	for _, name := range sorted(schemas) {
		g.names[name] = goName(name)
	}
	for _, name := range sorted(schemas) {
		g.named(name, schemas[name])
	}
	for _, o := range operations {
		g.call(o)
	}
	text, err := format.Source([]byte(g.text.String()))
	if err != nil {
		t.Fatalf("%v\n%.3000s", err, g.text.String())
	}
	checkGenerated(t, "go/api.gen.go", string(text))
}

type goWriter struct {
	text    strings.Builder
	schemas map[string]schema
	names   map[string]string // names of types, by the schema's name
}

func (g *goWriter) line(f string, args ...any) { fmt.Fprintf(&g.text, f+"\n", args...) }

func (g *goWriter) named(name string, s schema) {
	s, _ = s.plain()
	note := noteOf(s)
	if note == "" {
		note = "a type of the API"
	}
	sign := "="
	if len(s.Properties) > 0 && s.Additional == nil {
		sign = ""
	}
	g.line("\n// %s: %s\ntype %s %s %s", g.names[name], note, g.names[name], sign, g.typeOf(s))
}

func (g *goWriter) typeOf(s schema) string {
	switch {
	case s.Ref != "":
		return g.names[s.name()]
	case len(s.AnyOf)+len(s.OneOf) > 0 || len(s.Type) != 1:
		return "any"
	}
	switch s.Type[0] {
	case "string":
		return "string"
	case "integer":
		return "int"
	case "number":
		return "float64"
	case "boolean":
		return "bool"
	case "array":
		if s.Items == nil {
			return "[]any"
		}
		return "[]" + g.orNull(*s.Items, false)
	}
	if s.Additional != nil && len(s.Properties) == 0 {
		return "map[string]" + g.orNull(*s.Additional, false)
	}
	if s.Additional != nil || len(s.Properties) == 0 {
		return "map[string]any"
	}
	return g.structOf(s)
}

func (g *goWriter) structOf(s schema) string {
	var b strings.Builder
	b.WriteString("struct {\n")
	s.each(func(name string, p schema, required bool) {
		field := cmp.Or(p.GoName, goName(name))
		tag := name
		if !required {
			tag += ",omitempty"
		}
		plain, _ := p.plain()
		fmt.Fprintf(&b, "%s %s `json:%q`", field, g.orNull(p, !required), tag)
		if note := noteOf(plain); note != "" {
			b.WriteString(" // " + note)
		}
		b.WriteByte('\n')
	})
	return b.String() + "}"
}

// orNull returns the Go type for the values of a schema. If a value may be null or left out, the type has a nil: a type without nil
// becomes a pointer.
func (g *goWriter) orNull(s schema, optional bool) string {
	s, null := s.plain()
	kind := g.typeOf(s)
	under := kind
	if s.Ref != "" {
		named, _ := g.schemas[s.name()].plain()
		under = g.typeOf(named)
	}
	if !null && !optional || under == "any" || strings.HasPrefix(under, "[]") || strings.HasPrefix(under, "map[") {
		return kind
	}
	return "*" + kind
}

// call writes the method of an operation, the type of its parameters, and an iterator if its answer has pages.
func (g *goWriter) call(o operation) {
	name := goName(o.ID)
	params, given := g.params(o, name)
	var args, names strings.Builder
	path := `"` + o.Path + `"`
	for _, p := range o.PathParams {
		variable := strings.ToLower(p[:1]) + p[1:]
		fmt.Fprintf(&args, ", %s string", variable)
		fmt.Fprintf(&names, "%s, ", variable)
		path = strings.ReplaceAll(path, "{"+p+"}", `" + url.PathEscape(`+variable+`) + "`)
	}
	path = strings.TrimSuffix(path, ` + ""`)
	if params != "" {
		fmt.Fprintf(&args, ", params %s", params)
	}
	body := "nil"
	if o.Body != nil {
		fmt.Fprintf(&args, ", body %s", g.orNull(*o.Body, false))
		body = "body"
	}
	answer := g.orNull(o.Answer, false)
	if o.File {
		answer = "[]byte"
	}
	note := ""
	if o.IfMatch {
		note = " Header(\"If-Match\", version) refuses the call if the record has changed since."
	}
	g.line("\n// %s calls %s %s: %s.%s", name, o.Method, o.Path, oneLine(o.Summary), note)
	g.line("func (c *Client) %s(ctx context.Context%s, options ...Option) (answer %s, err error) {", name, args.String(), answer)
	g.line("err = c.Do(ctx, %q, %s, %s, %s, &answer, options...)\nreturn answer, err\n}", o.Method, path, given, body)
	if row, by := o.list(g.schemas); by != "" {
		all := "All" + strings.TrimPrefix(name, "List")
		g.line("\n// %s iterates over the rows of all pages of %s.", all, name)
		g.line("func (c *Client) %s(ctx context.Context%s, options ...Option) iter.Seq2[%s, error] {", all, args.String(), g.typeOf(row))
		g.line("return Rows[%s](ctx, c, %s, %s, options...)\n}", g.typeOf(row), path, given)
	}
}

// params writes the type of an operation's parameters. It returns the name of that type, and the code that passes the parameters
// to a call.
func (g *goWriter) params(o operation, name string) (kind, given string) {
	if len(o.Params) == 0 && !o.Filtered {
		return "", "nil"
	}
	kind = name + "Params"
	g.line("\n// %s holds the parameters of %s. Empty ones are left out.\ntype %s struct {", kind, name, kind)
	for _, p := range o.Params {
		p.Schema.Description = p.Description
		g.line("%s %s `query:%q` // %s", goName(p.Name), g.typeOf(p.Schema), p.Name, noteOf(p.Schema))
	}
	if o.Filtered {
		g.line("Only Filters `query:\"f.\"` // keep these values of a dimension")
		g.line("Except Filters `query:\"x.\"` // leave out these values of a dimension")
	}
	g.line("}")
	return kind, "values(params)"
}

// initialisms are the words that Go writes in capitals.
var initialisms = []string{"id", "url", "ip", "api", "ai", "tz", "os", "isp", "asn", "ssl", "html", "http", "json", "csv", "ua"}

// goName returns the exported name for a name in snake case or camel case.
func goName(name string) string {
	var b strings.Builder
	var parts []string
	last := 0
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			parts, last = append(parts, string(runes[last:i])), i+1
		} else if i > last && unicode.IsUpper(r) && !unicode.IsUpper(runes[i-1]) {
			parts, last = append(parts, string(runes[last:i])), i
		}
	}
	for _, part := range append(parts, string(runes[last:])) {
		switch {
		case part == "":
		case slices.Contains(initialisms, strings.ToLower(part)):
			b.WriteString(strings.ToUpper(part))
		default:
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	if out := b.String(); out != "" && !unicode.IsDigit(rune(out[0])) {
		return out
	}
	return "N" + b.String()
}

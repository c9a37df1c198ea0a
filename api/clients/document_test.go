package clients

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated files")

// document is the part of the API's description that clients are made from.
type document struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Webhooks   map[string]json.RawMessage            `json:"webhooks"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

// schema is a JSON schema.
type schema struct {
	Ref         string            `json:"$ref"`
	Type        words             `json:"type"`
	Enum        []any             `json:"enum"`
	Properties  map[string]schema `json:"properties"`
	Required    []string          `json:"required"`
	Items       *schema           `json:"items"`
	Additional  *schema           `json:"additionalProperties"`
	AnyOf       []schema          `json:"anyOf"`
	OneOf       []schema          `json:"oneOf"`
	Description string            `json:"description"`
	GoName      string            `json:"x-go-name"` // set if the field's own name would become the Go name of another field
}

// words is a JSON value that is one word or a list of words.
type words []string

// UnmarshalJSON reads both forms.
func (w *words) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*w = words{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(w))
}

func (s schema) name() string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// plain returns the schema without null, and whether null is among its values.
func (s schema) plain() (schema, bool) {
	choices := slices.Concat(s.AnyOf, s.OneOf)
	if i := slices.IndexFunc(choices, func(c schema) bool { return slices.Equal(c.Type, words{"null"}) }); i >= 0 {
		rest := slices.Delete(choices, i, i+1)
		if len(rest) == 1 {
			rest[0].Description = s.Description
			return rest[0], true
		}
		return schema{AnyOf: rest, Description: s.Description}, true
	}
	if i := slices.Index(s.Type, "null"); i >= 0 && len(s.Type) > 1 {
		s.Type = slices.Delete(slices.Clone(s.Type), i, i+1)
		s.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(v any) bool { return v == nil })
		return s, true
	}
	return s, false
}

// each calls the function do for every property, in the order of their names.
func (s schema) each(do func(name string, p schema, required bool)) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		do(name, s.Properties[name], slices.Contains(s.Required, name))
	}
}

// operation is a call of the API.
type operation struct {
	ID, Method, Path, Summary string
	Params                    []parameter // in the query
	Filtered                  bool        // accepts the filters f.NAME and x.NAME
	PathParams                []string
	Body                      *schema
	Answer                    schema // the schema of data in the answer
	File                      bool   // the answer is a file, not JSON with data
	IfMatch                   bool
}

type parameter struct {
	Ref         string `json:"$ref"`
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description"`
	Schema      schema `json:"schema"`
}

// content has the schema of the body of a request or an answer, by media type.
type content map[string]struct {
	Schema schema `json:"schema"`
}

// list returns the schema of one row of a list, and the parameter that chooses a page: cursor or offset. The parameter is "" for
// a list without pages.
func (o operation) list(schemas map[string]schema) (row schema, by string) {
	answer := o.Answer
	if answer.Ref != "" {
		answer = schemas[answer.name()]
	}
	rows, ok := answer.Properties["rows"]
	if !ok || rows.Items == nil || rows.Items.Ref == "" {
		return schema{}, ""
	}
	for _, p := range o.Params {
		if p.Name == "cursor" || p.Name == "offset" {
			by = p.Name
		}
	}
	return *rows.Items, by
}

// read returns the document's schemas, and the operations whose paths begin with /api/v1/, sorted by id.
func read(t *testing.T) (map[string]schema, []operation) {
	t.Helper()
	raw, err := os.ReadFile("../../cmd/switchyard/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	var out []operation
	for path, methods := range d.Paths {
		if !strings.HasPrefix(path, "/api/v1/") {
			continue
		}
		for method, raw := range methods {
			out = append(out, readOperation(t, strings.ToUpper(method), path, raw))
		}
	}
	slices.SortFunc(out, func(a, b operation) int { return strings.Compare(a.ID, b.ID) })
	return d.Components.Schemas, out
}

func readOperation(t *testing.T, method, path string, raw json.RawMessage) operation {
	t.Helper()
	var from struct {
		ID         string      `json:"operationId"`
		Summary    string      `json:"summary"`
		Parameters []parameter `json:"parameters"`
		Body       struct {
			Content content `json:"content"`
		} `json:"requestBody"`
		Responses map[string]struct {
			Content content `json:"content"`
		} `json:"responses"`
	}
	if err := json.Unmarshal(raw, &from); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	o := operation{ID: from.ID, Method: method, Path: path, Summary: from.Summary}
	for _, p := range from.Parameters {
		switch name := p.Name + strings.TrimPrefix(p.Ref, "#/components/parameters/"); {
		case strings.HasPrefix(name, "f.") || strings.HasPrefix(name, "x."):
			o.Filtered = true
		case p.In == "query":
			o.Params = append(o.Params, p)
		case p.In == "path":
			o.PathParams = append(o.PathParams, p.Name)
		case name == "If-Match":
			o.IfMatch = true
		}
	}
	if c, ok := from.Body.Content["application/json"]; ok {
		o.Body = &c.Schema
	}
	for _, status := range []string{"200", "201"} {
		for kind, c := range from.Responses[status].Content {
			data, enveloped := c.Schema.Properties["data"]
			o.Answer, o.File = data, kind != "application/json" || !enveloped
		}
	}
	return o
}

// checkGenerated fails the test unless a generated file has this text. With -update it writes the file first.
func checkGenerated(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(file); err != nil || string(have) != text {
		t.Errorf("api/clients/%s is stale: go test ./api/clients -run TestGenerated -update (%v)", file, err)
	}
}

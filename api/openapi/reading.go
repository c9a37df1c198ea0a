package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/yuin/goldmark"

	"switchyard/db"
)

// operationContent is what the page of an operation shows.
type operationContent struct {
	Title, Method, Path  string
	Doc                  template.HTML // the description, made from Markdown
	Params, Shared, Body []fieldLine
	Request              string // a curl command for a shell
	Answers              []readAnswer
	Codes                []readAnswer
}

// readAnswer is the answer for a status. For an error, Doc lists the codes.
type readAnswer struct {
	Status, Doc, Example string
	Fields               []fieldLine
}

// fieldLine is a line of a list of fields. Name is the field's full path, such as rows[].id.
type fieldLine struct {
	Name, Type, Doc string
	Required        bool
}

var operationTemplate = template.Must(template.ParseFS(page, "page/operation.html"))

// reader reads the document of one operation, or of all events.
type reader struct{ doc object }

// operationPage makes the page of an operation, or of all events.
func operationPage(name string, document []byte) ([]byte, error) {
	var r reader
	if err := json.Unmarshal(document, &r.doc); err != nil {
		return nil, fmt.Errorf("openapi: page of %s: %w", name, err)
	}
	var list []operationContent
	for _, key := range []string{"paths", "webhooks"} {
		paths, _ := r.doc[key].(object)
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			for method, op := range paths[path].(object) {
				if op, ok := op.(object); ok {
					list = append(list, r.read(key, method, path, op))
				}
			}
		}
	}
	title := "Events of webhooks"
	if len(list) == 1 {
		title = list[0].Title
	}
	var out bytes.Buffer
	err := operationTemplate.Execute(&out, map[string]any{"Name": name, "Title": title, "Operations": list})
	return out.Bytes(), err
}

func (r reader) read(key, method, path string, op object) operationContent {
	out := operationContent{Title: textOf(op, "summary"), Doc: markdown(textOf(op, "description"))}
	if key == "paths" {
		out.Method, out.Path = strings.ToUpper(method), path
	}
	parameters, _ := op["parameters"].([]any)
	for _, p := range parameters {
		p := p.(object)
		_, shared := p["$ref"]
		p = r.resolve(p)
		line := fieldLine{textOf(p, "name"), r.kind(p["schema"]), textOf(p, "description"), p["required"] == true}
		if shared {
			out.Shared = append(out.Shared, line)
		} else {
			out.Params = append(out.Params, line)
		}
	}
	body := media(op["requestBody"])
	out.Body = r.fields("", body["schema"], nil)
	answers, _ := op["responses"].(object)
	for _, status := range slices.Sorted(maps.Keys(answers)) {
		answer := r.resolve(answers[status].(object))
		content := media(answer)
		a := readAnswer{Status: status, Doc: textOf(answer, "description"), Example: exampleText(content["example"])}
		if status >= "4" && a.Example == "" { // 4xx or 5xx
			out.Codes = append(out.Codes, a)
			continue
		}
		a.Fields = r.fields("", content["schema"], nil)
		out.Answers = append(out.Answers, a)
	}
	if strings.HasPrefix(path, Prefix) {
		out.Request = r.curl(out, parameters, body)
	}
	return out
}

// curl returns the example of a call as a curl command.
func (r reader) curl(op operationContent, parameters []any, body object) string {
	path, query := op.Path, []string{}
	for _, p := range parameters {
		p := r.resolve(p.(object))
		example := p["example"]
		if list, ok := example.([]any); ok {
			example = list[0]
		}
		name := textOf(p, "name")
		switch {
		case example == nil:
		case p["in"] == "path":
			path = strings.ReplaceAll(path, "{"+name+"}", fmt.Sprint(example))
		default:
			query = append(query, name+"="+fmt.Sprint(example))
		}
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	base := "https://localhost"
	if servers, ok := r.doc["servers"].([]any); ok && len(servers) > 0 {
		base = textOf(servers[0].(object), "url")
	}
	out := fmt.Sprintf("curl -X %s '%s%s' -H \"Authorization: Bearer $API_KEY\"", op.Method, base, path)
	if example := exampleText(body["example"]); example != "" {
		out += " -H 'Content-Type: application/json' -d '" + strings.ReplaceAll(example, "'", `'\''`) + "'"
	}
	return out
}

// maxNesting is the maximum number of nested references that a list of fields follows.
const maxNesting = 8

// fields lists the fields below a schema. ancestors holds the references whose fields are being listed. They are not listed
// again, so the list of a recursive schema ends.
func (r reader) fields(at string, schema any, ancestors []string) (out []fieldLine) {
	s, ok := schema.(object)
	if !ok || len(ancestors) > maxNesting {
		return nil
	}
	if ref, ok := s["$ref"].(string); ok {
		if slices.Contains(ancestors, ref) {
			return nil
		}
		ancestors = append(slices.Clone(ancestors), ref)
		s = r.resolve(s)
	}
	if items, ok := s["items"]; ok {
		return r.fields(at+"[]", items, ancestors)
	}
	for _, key := range []string{"anyOf", "oneOf"} { // if there are more than two forms, their fields are not listed
		forms, _ := s[key].([]any)
		if len(forms) <= 2 {
			for _, form := range forms {
				out = append(out, r.fields(at, form, ancestors)...)
			}
		}
	}
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		field := properties[name].(object)
		fieldPath := strings.TrimPrefix(at+"."+name, ".")
		doc := textOf(field, "description")
		if doc == "" {
			doc = textOf(r.resolve(field), "description")
		}
		out = append(out, fieldLine{fieldPath, r.kind(field), doc, slices.Contains(required, any(name))})
		out = append(out, r.fields(fieldPath, field, ancestors)...)
	}
	return out
}

// maxEnum is the maximum number of values of an enum that a page lists.
const maxEnum = 20

func texts(values []any) []string {
	return db.Map(values, func(v any) string { return fmt.Sprint(v) })
}

// kind describes in a few words which values a schema allows.
func (r reader) kind(schema any) string {
	s, ok := schema.(object)
	if !ok {
		return ""
	}
	s = r.resolve(s)
	if values, ok := s["enum"].([]any); ok {
		if len(values) > maxEnum {
			values = append(values[:maxEnum:maxEnum], "...")
		}
		return strings.Join(texts(values), ", ")
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if forms, ok := s[key].([]any); ok {
			if len(forms) > 3 {
				return "one of several forms"
			}
			return strings.Join(db.Map(forms, r.kind), " or ")
		}
	}
	out := textOf(s, "type")
	if types, ok := s["type"].([]any); ok {
		out = strings.Join(texts(types), " or ")
	}
	if items, ok := s["items"]; ok {
		return strings.Replace(out, "array", "array of "+r.kind(items), 1)
	}
	if format := textOf(s, "format"); format != "" {
		out += " (" + format + ")"
	}
	return out
}

// resolve returns the component to which an object refers, or the object itself if it is not a reference.
func (r reader) resolve(s object) object {
	ref, ok := s["$ref"].(string)
	if !ok {
		return s
	}
	parts := strings.Split(ref, "/") // "#", "components", the kind and the name
	found, _ := r.doc["components"].(object)[parts[2]].(object)[parts[3]].(object)
	return found
}

// media returns the media type object of a body or an answer.
func media(part any) object {
	o, _ := part.(object)
	content, _ := o["content"].(object) // by media type
	for _, m := range content {
		return m.(object)
	}
	return nil
}

// exampleText returns the text in which an example is shown.
func exampleText(example any) string {
	switch v := example.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(example) != nil {
		return "" // cannot happen: a value that was read from JSON can be written as JSON
	}
	return strings.TrimSpace(out.String())
}

// markdown converts a text of the document to HTML for the page. HTML in the text is left out.
func markdown(text string) template.HTML {
	var out bytes.Buffer
	if err := goldmark.Convert([]byte(text), &out); err != nil {
		panic(err) // writing to a buffer does not fail
	}
	return template.HTML(out.String()) //nolint:gosec // the text is the service's own, and goldmark leaves HTML in it out
}

func textOf(o object, name string) string {
	text, _ := o[name].(string)
	return text
}

// Package openapi makes an OpenAPI 3.1 document from the table of routes, and serves pages to read it.
package openapi

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"switchyard/api/route"
	"switchyard/models/bind"
)

// Info is for the head of the document.
type Info struct {
	BaseURL string // the service's address
	Version string
}

const intro = `Most answers are JSON of the form {data, error}; clients branch on error.code. Most lists have ` +
	`next_cursor, which is null at the end. Every POST accepts Idempotency-Key. Calls are counted per account in ` +
	`one-minute windows; answers to calls with a key carry RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset. The examples are ` +
	`real calls with their answers; a list is cut to two items.`

// Prefix begins the path of every route.
const Prefix = "/api/v1"

// Document returns the OpenAPI document of the routes, of the webhook events and of the tracking domains.
func Document(info Info, rows []route.Route) map[string]any {
	s := newSchemas()
	for _, row := range rows {
		if row.Slow != nil {
			s.addResult(row.WithDefaults().Answer)
		}
		if row.Starts != nil {
			s.addResult(row.Starts.Answer)
		}
	}
	webhooks := events(s)
	paths := object{}
	var groups []object
	for _, row := range rows {
		row = row.WithDefaults()
		item, _ := paths[Prefix+row.Path].(object)
		if item == nil {
			item = object{}
			paths[Prefix+row.Path] = item
		}
		item[strings.ToLower(row.Method)] = operation(s, row)
		if !slices.ContainsFunc(groups, func(g object) bool { return g["name"] == row.Group }) {
			groups = append(groups, object{"name": row.Group})
		}
	}
	addTracking(paths)
	groups = append(groups, object{"name": trackingGroup})
	return object{
		"openapi":  "3.1.0",
		"info":     object{"title": "Switchyard API", "version": info.Version, "description": intro},
		"servers":  []any{object{"url": info.BaseURL}},
		"tags":     groups,
		"paths":    paths,
		"webhooks": webhooks,
		"components": object{
			"schemas": s.components, "parameters": s.parameters, "responses": s.responses,
			"securitySchemes": object{
				"key": object{"type": "http", "scheme": "bearer", "description": "an API key: full or read-only"},
			},
		},
		"security": []any{object{"key": []string{}}},
	}
}

func operation(s *schemas, row route.Route) object {
	op := object{
		"operationId": operationID(row), "summary": row.Summary, "description": describe(row), "tags": []string{row.Group},
		"parameters": parameters(s, row), "responses": responses(s, row),
		"x-read-only-key": row.Scope != route.Write,
	}
	if row.Public {
		op["security"] = []any{}
	}
	if row.Deprecated != nil {
		op["deprecated"] = true
	}
	if row.Body != nil {
		op["requestBody"] = object{
			"required": !row.BodyOptional, "content": jsonContent(s.schemaOf(reflect.TypeOf(row.Body), inBody)),
		}
	}
	addExample(s, op, row)
	return op
}

func parameters(s *schemas, row route.Route) []object {
	out, e := []object{}, exampleOf(row.Method, row.Path)
	for _, name := range row.PathParams() {
		p := object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}}
		out = append(out, parameterExample(p, e.Path))
	}
	for _, q := range row.Params() {
		if _, shown := e.Query[q.Name]; shown || !q.Shared {
			out = append(out, parameterExample(parameter(q), e.Query))
			continue
		}
		s.parameters[q.Name] = parameter(q)
		out = append(out, object{"$ref": "#/components/parameters/" + q.Name})
	}
	if row.Method == http.MethodPost {
		out = append(out, object{
			"name": "Idempotency-Key", "in": "header", "required": false,
			"schema":      object{"type": "string", "minLength": 1, "maxLength": 255},
			"description": "a request that is sent again with the same key within 24 hours gets the first answer, and nothing is done again. If that answer was larger than 64 kB, or the plan's storage for answers is full, the repeated request gets 202 with the job or 409 idempotency_answer_dropped",
		})
	}
	if row.Versioned && row.Method != http.MethodGet {
		out = append(out, textParam("header", "If-Match", "the ETag or version that you have read; if it has changed since, the answer is 409 stale"))
	}
	if row.Version != nil {
		out = append(out, textParam("header", "If-Match",
			"the version, updated_at, updatedAt or savedAt that you have read; if the record has changed since, the answer is 409 stale and nothing is changed"))
	}
	return out
}

func parameter(q route.Param) object {
	doc := q.Doc
	if q.Max > 0 {
		doc += fmt.Sprintf(", %d-%d", q.Min, q.Max)
	}
	return object{"name": q.Name, "in": "query", "required": q.Required, "description": doc, "schema": paramSchema(q)}
}

func paramSchema(q route.Param) object {
	schema := object{"type": "string"}
	switch q.Type {
	case "", "string":
	case "uuid":
		schema["format"] = "uuid"
	default:
		schema["type"] = q.Type
	}
	if len(q.Enum) > 0 {
		schema["enum"] = q.Enum
	}
	if q.Default != "" {
		schema["default"] = q.Default
		if q.Type != "" && q.Type != "string" && q.Type != "uuid" {
			schema["default"] = bind.Literal(q.Default)
		}
	}
	if q.Repeated {
		return object{"type": "array", "items": schema}
	}
	return schema
}

func responses(s *schemas, row route.Route) object {
	out := object{strconv.Itoa(row.Status): success(s, row)}
	if row.Slow != nil {
		out["202"] = object{
			"description": "the job is still running; GET /jobs/{id} returns its state",
			"content":     jsonContent(enveloped(s.schemaOf(reflect.TypeFor[route.JobRef](), inAnswer))),
		}
	}
	byStatus := map[int][]string{}
	for _, c := range row.AllCodes() {
		byStatus[c.HTTP] = append(byStatus[c.HTTP], c.Code)
	}
	for status, codes := range byStatus {
		out[strconv.Itoa(status)] = s.errorResponse(status, codes)
	}
	return out
}

func success(s *schemas, row route.Route) object {
	if _, isFile := row.Answer.(route.File); isFile {
		return object{"description": "the file", "content": object{cmp.Or(row.FileType, "text/csv"): object{"schema": object{"type": "string"}}}}
	}
	schema := object{}
	if row.Answer != nil {
		schema = s.schemaOf(reflect.TypeOf(row.Answer), inAnswer)
	}
	if !row.Public {
		schema = enveloped(schema)
	}
	out := object{"description": row.Summary, "content": jsonContent(schema)}
	if row.Versioned {
		out["headers"] = object{"ETag": object{"schema": object{"type": "string"}, "description": "the version"}}
	}
	return out
}

func jsonContent(schema object) object { return object{"application/json": object{"schema": schema}} }

func enveloped(data object) object {
	return object{
		"type": "object", "required": []string{"data", "error"},
		"properties": object{"data": data, "error": object{"type": "null"}},
	}
}

// errorAnswer describes an error answer that has one of the codes.
func (s *schemas) errorAnswer(codes []string) object {
	return object{"description": strings.Join(codes, ", "), "x-codes": codes, "content": jsonContent(s.failure())}
}

// errorResponse returns the error answer for a status and its codes.
func (s *schemas) errorResponse(status int, codes []string) object {
	answer := s.errorAnswer(codes)
	name := strings.ReplaceAll(http.StatusText(status), " ", "") // such as PaymentRequired
	if known, ok := s.responses[name].(object); ok && known["description"] != answer["description"] {
		return answer
	}
	s.responses[name] = answer
	return object{"$ref": "#/components/responses/" + name}
}

// failure returns the schema of every error.
func (s *schemas) failure() object {
	return s.component("ErrorAnswer", object{"type": "object", "required": []string{"data", "error"}, "properties": object{
		"data": object{"type": "null"},
		"error": object{"type": "object", "required": []string{"message", "code"}, "properties": object{
			"message": object{"type": "string", "description": "text for a person"},
			"code":    object{"type": "string", "description": "a fixed word for programs, on which clients can branch"},
		}},
	}})
}

package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/bind"
)

// object is a JSON object of the document.
type object = map[string]any

// schemas makes JSON Schemas (2020-12) from Go types. Structs become named components.
type schemas struct {
	components object
	parameters object // parameters that several rows share
	responses  object // error answers that several rows share
	names      map[role]string
	results    []any // answers of calls that run as jobs
	payloads   []any // bodies of events
}

// role is a type and its use: as part of a body, or of an answer.
type role struct {
	reflect.Type
	body bool
}

func newSchemas() *schemas {
	return &schemas{components: object{}, parameters: object{}, responses: object{}, names: map[role]string{}}
}

// scalars are types whose JSON form differs from their Go kind.
var scalars = map[reflect.Type]object{
	reflect.TypeFor[uuid.UUID]():       {"type": "string", "format": "uuid"},
	reflect.TypeFor[decimal.Decimal](): {"type": "number"},
	reflect.TypeFor[models.Money]():    {"type": "number"},
	reflect.TypeFor[json.Number]():     {"type": "number"},
	reflect.TypeFor[models.ASN]():      {"type": []string{"integer", "null"}},
	reflect.TypeFor[netip.Addr]():      {"type": "string"},
	reflect.TypeFor[time.Time]():       {"type": "string", "format": "date-time"},
	reflect.TypeFor[models.Stamp]():    {"type": "string"},
	reflect.TypeFor[models.Active]():   {"type": "string"},
	reflect.TypeFor[models.TokenMacros](): {
		"type": "object", "additionalProperties": object{"type": "string"},
	},
}

// The two uses of a type. A request body may leave out every field that is not required. An answer may leave out a field only if
// the field has omitempty or omitzero, or belongs to an embedded pointer.
const (
	inBody   = true
	inAnswer = false
)

func (s *schemas) schemaOf(t reflect.Type, body bool) object {
	if t == reflect.TypeFor[uuid.NullUUID]() {
		id := s.schemaOf(reflect.TypeFor[uuid.UUID](), body)
		if body {
			return id
		}
		return nullable(id)
	}
	if known, ok := scalars[t]; ok {
		return maps.Clone(known)
	}
	if t == reflect.TypeFor[models.Condition]() {
		return s.condition(body)
	}
	if o, ok := reflect.New(t).Elem().Interface().(interface{ OptValue() any }); ok {
		return nullable(s.schemaOf(reflect.TypeOf(o.OptValue()), body))
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(s.schemaOf(t.Elem(), body))
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice, reflect.Array:
		return object{"type": "array", "items": s.schemaOf(t.Elem(), body)}
	case reflect.Map:
		if t.Elem().Kind() == reflect.Interface {
			return object{"type": "object"}
		}
		return object{"type": "object", "additionalProperties": s.schemaOf(t.Elem(), body)}
	case reflect.Struct:
		return s.named(t, body)
	}
	panic("openapi: a field of type " + t.String() + " needs the struct tag \"is\"")
}

// named adds a struct to the components, once, and returns a reference to it. If the struct has no name, it returns the schema.
func (s *schemas) named(t reflect.Type, body bool) object {
	if t.Name() == "" {
		return s.fields(t, body)
	}
	name, ok := s.names[role{t, body}]
	if !ok {
		name = s.freeName(t, body)
		s.names[role{t, body}] = name
		s.components[name] = object{} // ends the recursion of a type that has itself as a field
		s.components[name] = s.fields(t, body)
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// freeName returns the name of a type's component. A body and an answer need different names, because their schemas differ.
func (s *schemas) freeName(t reflect.Type, body bool) string {
	name, suffix := plainName(t.Name()), ""
	if body && !strings.HasSuffix(name, "Body") && !strings.HasSuffix(name, "Put") && !strings.HasSuffix(name, "Patch") {
		suffix = "Body"
	}
	if _, taken := s.components[name+suffix]; taken {
		name = plainName(t.PkgPath()) + name
	}
	return name + suffix
}

// plainName returns a type's name without brackets and paths, in upper camel case: list[a/b.C] becomes ListC.
func plainName(name string) string {
	var out strings.Builder
	brackets := func(r rune) bool { return strings.ContainsRune("[], ", r) }
	for part := range strings.FieldsFuncSeq(name, brackets) {
		part = part[strings.LastIndexAny(part, "/.")+1:]
		out.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return out.String()
}

func (s *schemas) fields(t reflect.Type, body bool) object {
	c := collector{schemas: s, body: body, properties: object{}, depths: map[string]int{}}
	c.collect(t, 0, false, false)
	out := object{"type": "object", "properties": c.properties}
	if len(c.required) > 0 {
		out["required"] = c.required
	}
	return out
}

// collector gathers the fields of one struct.
type collector struct {
	*schemas
	body       bool
	properties object
	required   []string
	depths     map[string]int // how deeply the struct of each property is embedded
}

// collect adds the fields of a struct and of the structs embedded in it, whose depth is greater by one. Of several fields with
// the same name, the field with the smallest depth counts, as in encoding/json. If null is true, a body may have null for each of
// the fields. If absent is true, an answer may leave all of them out.
func (c *collector) collect(t reflect.Type, depth int, null, absent bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		null := null || f.Tag.Get("optional") == "true"
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			c.collect(f.Type, depth+1, null, absent)
			continue
		}
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Pointer {
			c.collect(f.Type.Elem(), depth+1, null, true)
			continue
		}
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		if c.hides(t, name, depth) {
			continue
		}
		schema := c.fieldSchema(f)
		if c.body && null {
			schema = nullable(schema)
		}
		schema = c.described(schema, f)
		if c.hasAlike(name) {
			schema["x-go-name"] = f.Name
			if schema["enum"] != nil {
				schema["x-go-type-name"] = t.Name() + f.Name // the Go client has a type for each enum
			}
		}
		c.properties[name] = schema
		optional := absent || strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		if (c.body && bind.RulesOf(f).Required || !c.body && !optional) && !slices.Contains(c.required, name) {
			c.required = append(c.required, name)
		}
	}
}

// hides reports whether a field that was collected before hides a field of t. An earlier field that the new one hides
// is no longer required.
func (c *collector) hides(t reflect.Type, name string, depth int) bool {
	at, known := c.depths[name]
	if known && at == depth {
		panic("openapi: two fields of " + t.String() + ", or of structs embedded beside it, have the name " + name)
	}
	if known && at < depth {
		return true
	}
	c.depths[name] = depth
	c.required = slices.DeleteFunc(c.required, func(other string) bool { return other == name })
	return false
}

// hasAlike reports whether another property would get the same Go name in a generated client, as dateFormat and date_format
// would.
func (c *collector) hasAlike(name string) bool {
	for other := range c.properties {
		if other != name && strings.EqualFold(strings.ReplaceAll(other, "_", ""), strings.ReplaceAll(name, "_", "")) {
			return true
		}
	}
	return false
}

// described adds the information in a field's tags to its schema.
func (c *collector) described(schema object, f reflect.StructField) object {
	doc := f.Tag.Get("doc")
	if c.body {
		doc = cmp.Or(f.Tag.Get("send"), doc)
	}
	if _, isRef := schema["$ref"]; isRef && doc == "" {
		return schema
	}
	if doc != "" {
		schema["description"] = bind.Expand(doc)
	}
	bind.RulesOf(f).Schema(schema, c.body)
	if preset, ok := schema["default"]; ok {
		// Generated clients treat a field with a default as always present, and would require it to be sent.
		delete(schema, "default")
		schema["description"] = strings.TrimPrefix(fmt.Sprintf("%s; default %v", doc, preset), "; ")
	}
	return schema
}

// nullable adds null to the values of a schema.
func nullable(schema object) object {
	switch kind := schema["type"].(type) {
	case string:
		schema["type"] = []string{kind, "null"}
		return schema
	case []string:
		return schema
	}
	if len(schema) == 0 {
		return schema
	}
	return object{"anyOf": []any{schema, object{"type": "null"}}}
}

package openapi

import (
	"reflect"
	"slices"
	"strings"

	"switchyard/db"
	"switchyard/models/clickattr"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// fieldSchema returns the schema of a field. The struct tag "is" names a schema that the Go type does not determine.
func (c *collector) fieldSchema(f reflect.StructField) object {
	switch f.Tag.Get("is") {
	case "":
		return c.schemaOf(f.Type, c.body)
	case "paths":
		return object{"type": "array", "maxItems": flow.MaxPaths, "items": c.schemaOf(reflect.TypeFor[flow.Path](), inBody)}
	case "visitor":
		return c.visitor()
	case "texts":
		text := object{"type": "string"}
		return object{"anyOf": []any{text, object{"type": "array", "items": text}}}
	case "value":
		return c.conditionAnyValue()
	case "json": // any JSON value
		return object{}
	case "event":
		return c.component("Event", object{"description": "one of the events", "oneOf": c.payloads})
	case "result":
		return c.component("JobResult", object{
			"description": "the answer of the call that became the job", "anyOf": append(slices.Clone(c.results), object{"type": "null"}),
		})
	}
	panic("openapi: field " + f.Name + `: the tag "is" names no schema`)
}

// addResult adds the answer of a call that may become a job.
func (s *schemas) addResult(answer any) {
	result := s.schemaOf(reflect.TypeOf(answer), inAnswer)
	if !slices.ContainsFunc(s.results, func(other any) bool { return reflect.DeepEqual(other, result) }) {
		s.results = append(s.results, result)
	}
}

// component adds a named schema and returns a reference to it.
func (s *schemas) component(name string, schema object) object {
	if _, ok := s.components[name]; !ok {
		s.components[name] = schema
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// condition returns the schema of any condition.
func (s *schemas) condition(body bool) object {
	forms := db.Map(cond.Forms(), func(f cond.Form) any { return s.component(f.Name, s.conditionForm(f)) })
	if body {
		return s.component("ConditionBody", object{
			"description": "compares one attribute of a visitor. Values may be written in other ways too (us, phone, \"5\"); they are " +
				"saved and shown in the form described here",
			"oneOf": forms,
		})
	}
	text := object{"type": "string"}
	older := s.component("OlderCondition", object{
		"type": "object", "description": "a condition that was saved before values were checked; it matches no visitor",
		"required":   []string{"attribute", "operator", "value"},
		"properties": object{"attribute": text, "operator": text, "value": s.conditionAnyValue()},
	})
	return s.component("Condition", object{
		"description": "compares one attribute of a visitor", "anyOf": append(forms, older),
	})
}

func (s *schemas) conditionAnyValue() object {
	return s.component("ConditionValue", object{
		"description": "a value of the kind that the condition's attribute has",
		"anyOf": []any{
			object{"type": "string"},
			object{"type": "number"},
			object{"type": "boolean"},
			object{"type": "array", "items": object{"anyOf": []any{
				object{"type": "string"}, object{"type": "number"}, object{"type": "boolean"}, object{"type": "object"},
			}}},
		},
	})
}

func (s *schemas) conditionForm(f cond.Form) object {
	attribute := object{"type": "string", "enum": f.Attributes}
	if f.Families {
		family := object{"type": "string", "pattern": `^(param|header)\..+`, "description": "param.<name of a parameter>, header.<name>"}
		attribute = object{"anyOf": []any{attribute, family}}
	}
	value := s.conditionValue(f)
	if f.Operators[0] != "is_set" {
		value = object{"anyOf": []any{value, object{"type": "array", "minItems": 1, "maxItems": cond.MaxItems, "items": value}}}
	}
	return object{
		"type": "object", "description": f.Doc, "required": []string{"attribute", "operator", "value"},
		"properties": object{
			"attribute": attribute, "operator": object{"type": "string", "enum": f.Operators}, "value": value,
		},
		"examples": []any{f.Example},
	}
}

// conditionValue returns the schema of a single value in a form of condition.
func (s *schemas) conditionValue(f cond.Form) object {
	if f.Values != nil {
		return s.values(f.Values, f.Kind == cond.Number)
	}
	switch f.Kind {
	case cond.Number:
		return object{"type": "number"}
	case cond.Truth:
		return object{"type": "boolean"}
	case cond.Day:
		return object{"type": "string", "format": "date"}
	case cond.Timespan:
		time := object{"type": "string", "pattern": `^\d\d?:\d\d$`}
		return s.component("Timespan", object{"type": "object", "properties": object{
			"days": object{
				"type": "array", "items": s.values(clickattr.Weekdays, true), "description": "1 (Monday) to 7; if it is left out, every day",
			},
			"from": time, "to": time,
		}})
	case cond.Text, cond.Version, cond.Network:
	}
	return object{"type": "string"}
}

// values returns the schema of one of the values.
func (s *schemas) values(v *clickattr.Values, isNumber bool) object {
	list := v.List()
	if list == nil {
		return s.component(v.Name, object{"type": "string", "pattern": "^[a-z]{2,3}$"})
	}
	if isNumber {
		numbers := make([]int, len(list))
		for i := range list {
			numbers[i] = i + 1
		}
		return s.component(v.Name, object{"type": "integer", "enum": numbers, "description": "1 is Monday"})
	}
	return s.component(v.Name, object{"type": "string", "enum": list})
}

// visitor returns the schema of a visitor: an object of attributes with their values.
func (s *schemas) visitor() object {
	properties := object{}
	for name, a := range cond.Assignable() {
		switch {
		case a.Compare == clickattr.AsNumber:
			properties[name] = object{"type": "integer"}
		case a.Compare == clickattr.AsBool:
			properties[name] = object{"type": "boolean"}
		case a.Values != nil && !a.Values.Open:
			properties[name] = s.values(a.Values, false)
		default:
			properties[name] = object{"type": "string"}
		}
	}
	return s.component("VisitorBody", object{
		"type": "object", "properties": properties,
		"description": "attributes with their values: the listed ones, " + strings.Join(cond.Families, "<name>, ") + "<name>",
		"additionalProperties": object{"anyOf": []any{
			object{"type": "string"}, object{"type": "number"}, object{"type": "boolean"},
		}},
	})
}

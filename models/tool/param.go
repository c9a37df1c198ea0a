package tool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"switchyard/models"
)

const (
	maxArgument = 500 // bytes of a text
	maxItems    = 100
	maxFilters  = 12
	maxBytes    = 100_000 // bytes of all arguments
)

// Type is the type of a parameter.
type Type uint8

// Filters is a list of objects with a dimension and a value, and Weights a list of objects with an id and a weight. Visitor is an
// object whose members are attributes.
const (
	Text Type = iota
	ID
	Whole
	Number
	Flag
	Texts
	Filters
	Weights
	Visitor
)

// Param is a parameter of a tool.
type Param struct {
	Name     string
	Type     Type
	Required bool
	Enum     []string
	Min, Max int
	Doc      string
	// Long is the greatest number of bytes of a text. The default is maxArgument.
	Long int
}

func need(p Param) Param { p.Required = true; return p }

// Input returns the JSON schema of the arguments.
func (t *Tool) Input() map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, p := range t.Params {
		properties[p.Name] = p.schema()
		if p.Required {
			required = append(required, p.Name)
		}
	}
	out := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func (p Param) schema() map[string]any {
	s := map[string]any{"description": p.Doc}
	texts := map[string]any{"type": "string"}
	switch p.Type {
	case Text:
		s["type"], s["maxLength"] = "string", cmp.Or(p.Long, maxArgument)
	case ID:
		s["type"], s["format"] = "string", "uuid"
	case Whole:
		s["type"], s["minimum"], s["maximum"] = "integer", p.Min, p.Max
	case Number:
		s["type"] = "number"
	case Flag:
		s["type"] = "boolean"
	case Texts:
		s["type"], s["items"], s["maxItems"] = "array", texts, maxItems
	case Filters:
		s["type"], s["maxItems"] = "array", maxFilters
		s["items"] = members(map[string]any{"dimension": texts, "value": texts}, "dimension", "value")
	case Weights:
		s["type"], s["maxItems"] = "array", maxItems
		s["items"] = members(map[string]any{"id": texts, "weight": map[string]any{"type": "number"}}, "id", "weight")
	case Visitor:
		s["type"], s["additionalProperties"] = "object", texts
	}
	if p.Enum != nil {
		s["enum"] = p.Enum
		delete(s, "maxLength")
	}
	return s
}

func members(properties map[string]any, required ...string) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// Args are the arguments of a call, checked against the parameters of its tool.
type Args map[string]json.RawMessage

// parse reads the arguments. A null, or an empty text, counts as left out.
func (t *Tool) parse(raw json.RawMessage) (Args, error) {
	args := Args{}
	if len(raw) > maxBytes {
		return nil, models.Invalid("invalid", "the arguments may have at most %d bytes", maxBytes)
	}
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && json.Unmarshal(raw, &args) != nil {
		return nil, models.Invalid("invalid", "the arguments are not a JSON object")
	}
	for name, value := range args {
		i := slices.IndexFunc(t.Params, func(p Param) bool { return p.Name == name })
		if i < 0 {
			return nil, models.Invalid("invalid", "%s has no parameter %.40q", t.Name, name)
		}
		if s := string(value); s == "null" || s == `""` {
			delete(args, name)
			continue
		}
		if why := t.Params[i].check(args); why != "" {
			return nil, models.Invalid("invalid", "%s %s", name, why)
		}
	}
	for _, p := range t.Params {
		if _, sent := args[p.Name]; p.Required && !sent {
			return nil, models.Invalid("invalid", "%s is required", p.Name)
		}
	}
	return args, nil
}

func (p Param) check(args Args) string {
	raw := args[p.Name]
	switch p.Type {
	case Text, ID:
		return p.checkText(args)
	case Whole:
		n, err := strconv.Atoi(args.Text(p.Name))
		if err != nil || n < p.Min || n > p.Max {
			return "must be a whole number from " + strconv.Itoa(p.Min) + " to " + strconv.Itoa(p.Max)
		}
	case Number:
		if _, err := decimal.NewFromString(args.Text(p.Name)); err != nil || len(args.Text(p.Name)) > 40 {
			return "must be a number"
		}
	case Flag:
		if string(raw) != "true" && string(raw) != "false" {
			return "must be true or false"
		}
	case Texts:
		var l []string
		if json.Unmarshal(raw, &l) != nil || len(l) > maxItems || slices.ContainsFunc(l, tooLong) {
			return "must be a list of at most 100 texts of at most 500 bytes each"
		}
	case Filters:
		if _, ok := args.filters(p.Name); !ok {
			return "must be a list of at most 12 objects of dimension and value, both texts"
		}
	case Weights:
		if l, ok := args.weights(p.Name); !ok || len(l) > maxItems {
			return "must be a list of at most 100 objects of id and weight"
		}
	case Visitor:
		var m map[string]string
		if json.Unmarshal(raw, &m) != nil || len(m) > maxItems {
			return "must be an object of at most 100 attributes, whose values are texts"
		}
	}
	return ""
}

func (p Param) checkText(args Args) string {
	value, long := args.Text(p.Name), p.Long
	if long == 0 {
		long = maxArgument
	}
	switch {
	case value == "" || len(value) > long:
		return "must be a text of at most " + strconv.Itoa(long) + " bytes"
	case p.Type == ID:
		if _, ok := models.ParseID(value); !ok {
			return "is not an id"
		}
	case p.Enum != nil && !slices.Contains(p.Enum, value):
		return "must be one of " + strings.Join(p.Enum, ", ")
	}
	return ""
}

func tooLong(s string) bool { return len(s) > maxArgument }

// Text returns a text, or the digits of a number. It is empty if the argument is left out or has another type.
func (a Args) Text(name string) (value string) {
	if json.Unmarshal(a[name], &value) == nil {
		return value
	}
	var n json.Number
	_ = json.Unmarshal(a[name], &n)
	return n.String()
}

// Flag returns a truth value, or def if the argument is left out.
func (a Args) Flag(name string, def bool) bool {
	if raw, sent := a[name]; sent {
		return string(raw) == "true"
	}
	return def
}

// whole returns a whole number, or def if the argument is left out. parse has checked the argument.
func (a Args) whole(name string, def int) int {
	if n, err := strconv.Atoi(a.Text(name)); err == nil {
		return n
	}
	return def
}

func (a Args) texts(name string) (out []string) {
	_ = json.Unmarshal(a[name], &out) // parse has checked it
	return out
}

type filter struct {
	Dimension string `json:"dimension"`
	Value     string `json:"value"`
}

func (a Args) filters(name string) (out []filter, ok bool) {
	if raw, sent := a[name]; sent {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if dec.Decode(&out) != nil || len(out) > maxFilters || slices.ContainsFunc(out, func(f filter) bool { return tooLong(f.Value) }) {
			return nil, false
		}
	}
	return out, true
}

// The weight may be a text, because answers have decimals as texts.
type weight struct {
	ID     string      `json:"id"`
	Weight json.Number `json:"weight"`
}

func (a Args) weights(name string) (out []weight, ok bool) {
	if raw, sent := a[name]; sent && json.Unmarshal(raw, &out) != nil {
		return nil, false
	}
	return out, true
}

func (a Args) query(names ...string) url.Values {
	q := url.Values{}
	for _, name := range names {
		if v := a.Text(name); v != "" {
			q.Set(name, v)
		}
	}
	return q
}

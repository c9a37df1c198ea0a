package bind

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/measure"
)

// Rules are the rules for the value of a body field, from the field's tags: see the package. Decode enforces them, and Schema
// adds them to the OpenAPI document.
type Rules struct {
	Required bool // the field must be sent; it must also not be empty, unless it is an Opt or has the tag optional

	optional  bool   // an Opt or a field with the tag optional: leaving it out keeps the value, and an empty text is a value
	missing   string // error code if a required field was not sent or is empty
	blank     string // error code if an Opt or an optional field was sent with an empty value; no code: it may be empty
	form      string // error code for a value of the wrong type or form; no code: invalid_input, or the format's code
	beyond    string // error code for a value beyond a limit; no code: the limit's usual code
	null      string // "refused": null counts as the wrong form; "empty": null is an empty value
	loose     bool   // a value of another type counts as an empty text
	trim      bool
	omitBlank bool
	unique    bool
	toCase    func(string) string // changes a text to upper or lower case; nil: the case stays

	min, max             *decimal.Decimal
	minLength, maxLength int // limits of a text in characters; 0: no limit
	minItems, maxItems   int
	itemLength           int // maximum number of characters in an item
	enum                 []string
	pattern              *regexp.Regexp
	format               *format
	preset               string // the value if the field is left out
}

var cases = map[string]func(string) string{"upper": strings.ToUpper, "lower": strings.ToLower}

// Expand replaces {subs}, {lastSub}, {mostSubs} (names and number of the sub-parameters) and the placeholders of measure.Expand
// in a field's tag.
func Expand(tag string) string { return subs.Replace(measure.Expand(tag)) }

var subs = strings.NewReplacer(
	"{subs}", strings.Join(models.SubKeys[:], ","), "{lastSub}", models.SubKeys[models.Subs-1], "{mostSubs}", strconv.Itoa(models.Subs))

// RulesOf reads the tags of a field. It panics if a tag makes no sense.
func RulesOf(f reflect.StructField) Rules {
	tag := f.Tag
	if f.Type == reflect.TypeFor[models.Tags]() {
		tag = tagsRules + " " + tag
	}
	form, beyond, hasTwo := strings.Cut(tag.Get("bad"), ",")
	if !hasTwo {
		beyond = form
	}
	r := Rules{
		missing: tag.Get("required"), blank: tag.Get("empty"), form: form, beyond: beyond, null: tag.Get("null"),
		trim: tag.Get("trim") == "true", unique: tag.Get("unique") == "true", omitBlank: tag.Get("skipBlank") == "true",
		preset: tag.Get("default"), loose: tag.Get("loose") == "true",
	}
	r.Required = r.missing != ""
	if r.missing == "true" {
		r.missing = "required"
	}
	_, isOpt := reflect.New(f.Type).Interface().(opt)
	r.optional = isOpt || tag.Get("optional") == "true"
	for name, into := range map[string]*int{
		"minLength": &r.minLength, "maxLength": &r.maxLength, "minItems": &r.minItems, "maxItems": &r.maxItems,
		"itemLength": &r.itemLength,
	} {
		if text := Expand(tag.Get(name)); text != "" {
			*into = must(strconv.Atoi(text))
		}
	}
	for name, into := range map[string]**decimal.Decimal{"min": &r.min, "max": &r.max} {
		if text := Expand(tag.Get(name)); text != "" {
			*into = new(must(decimal.NewFromString(text)))
		}
	}
	if text := tag.Get("enum"); text != "" {
		r.enum = strings.Split(Expand(text), ",")
	}
	if text := tag.Get("pattern"); text != "" {
		r.pattern = regexp.MustCompile(text)
	}
	if text := tag.Get("case"); text != "" {
		if r.toCase = cases[text]; r.toCase == nil {
			panic(fmt.Sprintf("bind: field %s: there is no case %q", f.Name, text))
		}
	}
	if text := tag.Get("format"); text != "" {
		if r.format = formats[text]; r.format == nil {
			panic(fmt.Sprintf("bind: field %s: there is no format %q", f.Name, text))
		}
	}
	return r
}

func must[T any](v T, err error) T {
	if err != nil {
		panic("bind: tag: " + err.Error())
	}
	return v
}

// Schema adds the rules to the JSON Schema of the field's type. In a list, the rules for texts apply to the items. If body is
// false, only the enum is added, because the other rules do not apply to answers.
func (r Rules) Schema(schema map[string]any, body bool) {
	if !body {
		r = Rules{enum: r.enum}
	}
	texts := schema
	if items, ok := schema["items"].(map[string]any); ok {
		texts = items
		setLength(texts, "maxLength", r.itemLength)
	}
	setLength(schema, "minItems", r.minItems)
	setLength(schema, "maxItems", r.maxItems)
	setLength(texts, "minLength", r.minLength)
	setLength(texts, "maxLength", r.maxLength)
	if r.min != nil {
		schema["minimum"] = json.Number(r.min.String())
	}
	if r.max != nil {
		schema["maximum"] = json.Number(r.max.String())
	}
	if r.pattern != nil {
		texts["pattern"] = r.pattern.String()
	}
	if r.format != nil {
		for key, v := range r.format.schema {
			texts[key] = v
		}
	}
	filled := r.Required && !r.optional || r.blank != ""
	if filled && isText(schema) && schema["format"] != "uuid" && schema["pattern"] == nil {
		schema["minLength"] = max(r.minLength, 1)
	}
	if r.enum != nil {
		texts["enum"] = r.choices(isText(texts))
	}
	if r.preset != "" {
		schema["default"] = Literal(r.preset)
		if isText(schema) {
			schema["default"] = r.preset
		}
	}
}

func setLength(schema map[string]any, key string, n int) {
	if n > 0 {
		schema[key] = n
	}
}

func isText(schema map[string]any) bool {
	kind, ok := schema["type"].(string)
	if kinds, nullable := schema["type"].([]string); nullable {
		kind, ok = kinds[0], len(kinds) == 2
	}
	return ok && kind == "string"
}

func (r *Rules) choices(texts bool) any {
	if texts {
		return r.enum
	}
	out := make([]any, len(r.enum))
	for i, text := range r.enum {
		out[i] = Literal(text)
	}
	return out
}

// Literal parses the text of a tag as JSON, or returns the text itself if it is not JSON.
func Literal(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}

type field struct {
	Rules
	index []int
	name  string
}

var fieldsByType sync.Map // of reflect.Type to []field

func fieldsOf(t reflect.Type) []field {
	if known, ok := fieldsByType.Load(t); ok {
		return known.([]field) //nolint:forcetypeassert // nothing else is stored
	}
	var list []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		rules := RulesOf(f)
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				inner.optional = inner.optional || rules.optional
				inner.null = cmp.Or(inner.null, rules.null)
				list = append(list, inner)
			}
		case name != "" && name != "-":
			list = append(list, field{Rules: rules, index: f.Index, name: name})
		}
	}
	fieldsByType.Store(t, list)
	return list
}

package bind

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// check enforces the rules of the field and converts its texts to their stored form. If given is true, the body has a value other
// than null for the field. If null is true, the body has null.
func (f *field) check(v reflect.Value, path string, given, null bool) error {
	isText := v.Kind() == reflect.String
	nullIsValue := null && f.optional && f.null == "empty"
	if isText && f.trim && given {
		v.SetString(strings.TrimSpace(v.String()))
	}
	switch {
	case null && f.null == "refused":
		return spot{path, f.formCode()}.bad(typeInWords(v))
	// A required Opt (f.optional) may be sent with an empty value.
	case f.Required && (!given || !f.optional && isBlank(v)):
		return refuse(f.missing, "%s is required", path)
	// A field that was left out gets its default, and no other rule applies to it. Null counts as left out, unless the tag
	// null:"empty" turns it into the empty value. An empty text counts as left out, unless the field is an Opt or has the tag
	// optional.
	case !given && !nullIsValue, !f.optional && isText && v.Len() == 0:
		return f.setDefault(v, path)
	}
	if err := f.value(v, path); err != nil {
		return err
	}
	if f.blank != "" && isBlank(v) {
		return refuse(f.blank, "%s is required", path)
	}
	return nil
}

func (f *field) setDefault(v reflect.Value, path string) error {
	switch {
	case f.preset == "":
		return nil
	case v.Kind() == reflect.String:
		v.SetString(f.preset)
		return nil
	}
	return new(decoder).value(json.RawMessage(f.preset), v, spot{path, f.formCode()})
}

// isBlank reports whether a text, a list, an id or a raw JSON value is empty. Other types are never empty.
func isBlank(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return strings.TrimSpace(v.String()) == ""
	case reflect.Slice:
		return v.Len() == 0 || v.Type() == reflect.TypeFor[json.RawMessage]() && string(v.Bytes()) == "null"
	}
	return v.Type() == reflect.TypeFor[uuid.UUID]() && v.IsZero()
}

func typeInWords(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.String:
		return "a text"
	}
	return "a number"
}

func refuse(code, format string, args ...any) error { return models.Invalid(code, format, args...) }

func (r *Rules) formCode() string { return cmp.Or(r.form, "invalid_input") }

// limitCode returns the error code for a value beyond a limit. usual is the code if no tag sets another.
func (r *Rules) limitCode(usual string) string { return cmp.Or(r.beyond, usual) }

func (f *field) value(v reflect.Value, path string) error {
	switch into := v.Addr().Interface().(type) {
	case *decimal.Decimal:
		return f.inRange(*into, path)
	case *models.Money:
		return f.inRange(into.Decimal, path)
	}
	switch v.Kind() {
	case reflect.String:
		return f.text(v, path, f.maxLength)
	case reflect.Int, reflect.Int32, reflect.Int64:
		if text := strconv.FormatInt(v.Int(), 10); f.enum != nil && !slices.Contains(f.enum, text) {
			return f.notAmong(path)
		}
		return f.inRange(decimal.NewFromInt(v.Int()), path)
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return f.value(v.Elem(), path)
	case reflect.Slice:
		return f.list(v, path)
	}
	return nil
}

func (r *Rules) inRange(d decimal.Decimal, path string) error {
	if (r.min == nil || !d.LessThan(*r.min)) && (r.max == nil || !d.GreaterThan(*r.max)) {
		return nil
	}
	code := r.limitCode("out_of_range")
	switch {
	case r.max == nil:
		return refuse(code, "%s must be at least %s", path, r.min)
	case r.min == nil:
		return refuse(code, "%s must be at most %s", path, r.max)
	}
	return refuse(code, "%s must be from %s to %s", path, r.min, r.max)
}

func (r *Rules) notAmong(path string) error {
	return refuse(r.formCode(), "%s must be one of %s", path, strings.Join(r.enum, ", "))
}

func (r *Rules) text(v reflect.Value, path string, maxLength int) error {
	text := v.String()
	if r.trim {
		text = strings.TrimSpace(text)
	}
	if r.toCase != nil {
		text = r.toCase(text)
	}
	n := utf8.RuneCountInString(text)
	switch {
	case maxLength > 0 && n > maxLength:
		return refuse(r.limitCode("too_long"), "%s may have at most %d characters", path, maxLength)
	case n < r.minLength:
		return refuse(r.limitCode("too_short"), "%s must have at least %d characters", path, r.minLength)
	case r.enum != nil && !slices.Contains(r.enum, text):
		return r.notAmong(path)
	case r.pattern != nil && !r.pattern.MatchString(text):
		return refuse(r.formCode(), "%s must match %s", path, r.pattern)
	case r.format != nil:
		var err error
		if text, err = r.format.read(path, text); err != nil {
			return refuse(cmp.Or(r.form, r.format.code), "%s", err)
		}
	}
	v.SetString(text)
	return nil
}

// list enforces the rules for texts on each text of a list, and then the limits of the number of items.
func (f *field) list(v reflect.Value, path string) error {
	isText := v.Type().Elem().Kind() == reflect.String
	for i := 0; isText && i < v.Len(); i++ {
		at, item := path+"["+strconv.Itoa(i)+"]", v.Index(i)
		if blank := strings.TrimSpace(item.String()) == ""; blank && f.omitBlank {
			item.SetString("")
		} else if blank && f.unique {
			return refuse(f.formCode(), "%s is empty", at)
		} else if err := f.text(item, at, f.itemLength); err != nil {
			return err
		}
	}
	if isText && (f.unique || f.omitBlank) {
		v.Set(f.distinct(v))
	}
	n := v.Len()
	switch {
	case f.maxItems > 0 && n > f.maxItems:
		return refuse(f.limitCode("invalid_input"), "%s may have at most %d items", path, f.maxItems)
	case n < f.minItems:
		return refuse(f.limitCode("invalid_input"), "%s must have at least %d items", path, f.minItems)
	}
	return nil
}

// distinct returns the texts of a list without blank and repeated texts, ignoring case. The result is never nil.
func (r *Rules) distinct(v reflect.Value) reflect.Value {
	out, seen := reflect.MakeSlice(v.Type(), 0, v.Len()), map[string]bool{}
	for i := range v.Len() {
		text := v.Index(i).String()
		if folded := strings.ToLower(text); text != "" && !seen[folded] {
			seen[folded] = true
			out = reflect.Append(out, v.Index(i))
		}
	}
	return out
}

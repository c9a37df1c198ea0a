package bind

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// spot is the place of a value in the body, and the error code if the value has the wrong type.
type spot struct {
	path string
	code string
}

func (s spot) bad(want string) error { return models.Invalid(s.code, "%s must be %s", s.path, want) }

func (s spot) at(key string) spot { return spot{s.path + key, s.code} }

// decoder decodes one body. It continues after a broken rule, because a value of the wrong type is reported first, even if it
// comes later.
type decoder struct{ refused error } // the error of the first broken rule

// fields decodes and checks the fields of a struct in order. It returns the error about the first value of the wrong type. The
// first broken rule is in d.refused.
func (d *decoder) fields(sent map[string]json.RawMessage, v reflect.Value, prefix string) error {
	for _, f := range fieldsOf(v.Type()) {
		if err := d.field(&f, sent[f.name], v.FieldByIndex(f.index), prefix+f.name); err != nil {
			return err
		}
	}
	return nil
}

// field decodes and checks one field. raw is nil if the field was not sent.
func (d *decoder) field(f *field, raw json.RawMessage, v reflect.Value, path string) error {
	null := string(raw) == "null"
	given := raw != nil && !null
	if o, ok := v.Addr().Interface().(opt); ok {
		v = o.mark(raw != nil, null)
	}
	if given {
		if err := d.value(raw, v, spot{path, f.formCode()}); err != nil && !f.loose {
			return err
		}
	} else if null && f.optional && f.null == "empty" {
		v.SetZero()
	}
	if d.refused == nil {
		d.refused = f.check(v, path, given, null)
	}
	return nil
}

// value decodes one JSON value.
func (d *decoder) value(raw json.RawMessage, v reflect.Value, s spot) error {
	if string(raw) == "null" {
		return nil
	}
	switch into := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*into = raw
		return nil
	case *uuid.UUID:
		return idValue(raw, into, s)
	case *uuid.NullUUID:
		err := idValue(raw, &into.UUID, s)
		into.Valid = into.UUID != uuid.Nil
		return err
	case *decimal.Decimal:
		return number(raw, into, s)
	case *models.Money:
		return number(raw, &into.Decimal, s)
	case json.Unmarshaler:
		if err := into.UnmarshalJSON(raw); err != nil {
			return s.bad("in the documented form")
		}
		return nil
	}
	return d.byKind(raw, v, s)
}

func (d *decoder) byKind(raw json.RawMessage, v reflect.Value, s spot) error {
	switch v.Kind() {
	case reflect.String:
		if raw[0] != '"' {
			return s.bad("a text")
		}
		return unmarshal(raw, v, s, "a text")
	case reflect.Bool:
		return unmarshal(raw, v, s, "true or false")
	case reflect.Int, reflect.Int64, reflect.Int32:
		return wholeNumber(raw, v, s)
	case reflect.Float64:
		return unmarshal(raw, v, s, "a number")
	case reflect.Pointer:
		fresh := reflect.New(v.Type().Elem())
		if err := d.value(raw, fresh.Elem(), s); err != nil {
			return err
		}
		v.Set(fresh)
		return nil
	case reflect.Slice:
		return d.items(raw, v, s)
	case reflect.Map:
		return d.entries(raw, v, s)
	case reflect.Struct:
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil {
			return s.bad("an object")
		}
		return d.fields(fields, v, s.path+".")
	case reflect.Interface:
		return unmarshal(raw, v, s, "a JSON value")
	}
	panic("bind: no way to read a field of type " + v.Type().String())
}

func unmarshal(raw json.RawMessage, v reflect.Value, s spot, want string) error {
	if json.Unmarshal(raw, v.Addr().Interface()) != nil {
		return s.bad(want)
	}
	return nil
}

func (d *decoder) items(raw json.RawMessage, v reflect.Value, s spot) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return s.bad("a list")
	}
	out := reflect.MakeSlice(v.Type(), len(list), len(list))
	for i, item := range list {
		at := s.at("[" + strconv.Itoa(i) + "]")
		if string(item) == "null" && out.Index(i).Kind() == reflect.String {
			return at.bad("a text")
		}
		if err := d.value(item, out.Index(i), at); err != nil {
			return err
		}
		if out.Index(i).Type() == reflect.TypeFor[uuid.UUID]() && out.Index(i).IsZero() {
			return at.bad("a UUID")
		}
	}
	v.Set(out)
	return nil
}

func (d *decoder) entries(raw json.RawMessage, v reflect.Value, s spot) error {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return s.bad("an object")
	}
	out := reflect.MakeMapWithSize(v.Type(), len(fields))
	for key, item := range fields {
		fresh := reflect.New(v.Type().Elem()).Elem()
		if err := d.value(item, fresh, s.at("."+key)); err != nil {
			return err
		}
		out.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), fresh)
	}
	v.Set(out)
	return nil
}

// idValue reads a UUID. An empty text is the zero id.
func idValue(raw json.RawMessage, into *uuid.UUID, s spot) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return s.bad("a UUID")
	}
	if *into = uuid.Nil; text == "" {
		return nil
	}
	id, ok := models.ParseID(text)
	if !ok {
		return s.bad("a UUID")
	}
	*into = id
	return nil
}

const maxDigits = 40 // numbers with more digits before the point become 10^40: outside every range, and cheap to calculate with

// number reads an exact number. A text is not a number.
func number(raw json.RawMessage, into *decimal.Decimal, s spot) error {
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') || len(raw) > 400 {
		return s.bad("a number")
	}
	d, err := decimal.NewFromString(string(raw))
	if err != nil { // the text is valid JSON, so the only possible error is an exponent that is too large
		d = decimal.Zero
		if !strings.Contains(strings.ToLower(string(raw)), "e-") {
			d = decimal.New(1, maxDigits+1)
		}
		if raw[0] == '-' {
			d = d.Neg()
		}
	}
	switch magnitude := int64(d.NumDigits()) + int64(d.Exponent()); {
	case d.IsZero() || magnitude < -maxDigits:
		d = decimal.Zero
	case magnitude > maxDigits:
		d = decimal.New(int64(d.Sign()), maxDigits)
	}
	*into = d
	return nil
}

// beyondInt is beyond the range of every field, and so is its negative.
const beyondInt = math.MaxInt32 + 2

// wholeNumber reads a number without a fraction. Beyond 32 bits it becomes beyondInt or its negative, which the range of the
// field refuses.
func wholeNumber(raw json.RawMessage, v reflect.Value, s spot) error {
	var d decimal.Decimal
	if err := number(raw, &d, s); err != nil {
		return err
	}
	if !d.IsInteger() {
		return s.bad("a whole number")
	}
	limit := decimal.NewFromInt(beyondInt)
	if d.Abs().GreaterThan(limit) {
		d = limit.Mul(decimal.NewFromInt(int64(d.Sign())))
	}
	v.SetInt(d.IntPart())
	return nil
}

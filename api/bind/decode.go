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

// spot is where in the body a value stands and which code it gets when its type is wrong.
type spot struct {
	path string
	code string
}

func (s spot) bad(want string) error { return models.Invalid(s.code, "%s must be %s", s.path, want) }

func (s spot) at(key string) spot { return spot{s.path + key, s.code} }

// fill sets the fields of a struct in their order, so that of several mistakes the first field's is reported.
func fill(fields map[string]json.RawMessage, v reflect.Value, prefix string) error {
	for _, f := range fieldsOf(v.Type()) {
		if f.embedded {
			if err := fill(fields, v.Field(f.index), prefix); err != nil {
				return err
			}
			continue
		}
		raw, sent := fields[f.name]
		if !sent {
			continue
		}
		if err := value(raw, v.Field(f.index), spot{prefix + f.name, f.formCode()}); err != nil {
			return err
		}
	}
	return nil
}

// value decodes one JSON value. The raw text is valid JSON: the body was parsed as a whole before.
func value(raw json.RawMessage, v reflect.Value, s spot) error {
	null := string(raw) == "null"
	if o, ok := v.Addr().Interface().(optional); ok {
		place := o.mark(null)
		if null {
			return nil
		}
		return value(raw, reflect.ValueOf(place).Elem(), s)
	}
	if null {
		return nil
	}
	switch into := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*into = raw
		return nil
	case *uuid.UUID:
		return idValue(raw, into, s)
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
	return kind(raw, v, s)
}

func kind(raw json.RawMessage, v reflect.Value, s spot) error {
	switch v.Kind() {
	case reflect.String:
		if raw[0] != '"' {
			return s.bad("a text")
		}
		return plain(raw, v, s, "a text")
	case reflect.Bool:
		return plain(raw, v, s, "true or false")
	case reflect.Int, reflect.Int64, reflect.Int32:
		return whole(raw, v, s)
	case reflect.Float64:
		return plain(raw, v, s, "a number")
	case reflect.Pointer:
		fresh := reflect.New(v.Type().Elem())
		if err := value(raw, fresh.Elem(), s); err != nil {
			return err
		}
		v.Set(fresh)
		return nil
	case reflect.Slice:
		return items(raw, v, s)
	case reflect.Map:
		return entries(raw, v, s)
	case reflect.Struct:
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil {
			return s.bad("an object")
		}
		return fill(fields, v, s.path+".")
	case reflect.Interface:
		return plain(raw, v, s, "a JSON value")
	}
	panic("bind: no way to read a field of type " + v.Type().String())
}

func plain(raw json.RawMessage, v reflect.Value, s spot, want string) error {
	if json.Unmarshal(raw, v.Addr().Interface()) != nil {
		return s.bad(want)
	}
	return nil
}

func items(raw json.RawMessage, v reflect.Value, s spot) error {
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
		if err := value(item, out.Index(i), at); err != nil {
			return err
		}
		if out.Index(i).Type() == reflect.TypeFor[uuid.UUID]() && out.Index(i).IsZero() {
			return at.bad("a UUID")
		}
	}
	v.Set(out)
	return nil
}

func entries(raw json.RawMessage, v reflect.Value, s spot) error {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return s.bad("an object")
	}
	out := reflect.MakeMapWithSize(v.Type(), len(fields))
	for key, item := range fields {
		fresh := reflect.New(v.Type().Elem()).Elem()
		if err := value(item, fresh, s.at("."+key)); err != nil {
			return err
		}
		out.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), fresh)
	}
	v.Set(out)
	return nil
}

// idValue reads a UUID. An empty text is no id.
func idValue(raw json.RawMessage, into *uuid.UUID, s spot) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return s.bad("a UUID")
	}
	if text == "" {
		return nil
	}
	id, ok := ParseID(text)
	if !ok {
		return s.bad("a UUID")
	}
	*into = id
	return nil
}

// ParseID reads a UUID in its usual form of 36 characters, and no other.
func ParseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == 36
}

const maxDigits = 40 // beyond 10^40 a number counts as 10^40: no range reaches so far, and arithmetic stays cheap

// number reads an exact number. A text is not a number.
func number(raw json.RawMessage, into *decimal.Decimal, s spot) error {
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') || len(raw) > 400 {
		return s.bad("a number")
	}
	d, err := decimal.NewFromString(string(raw))
	if err != nil { // valid JSON, so it is only the exponent that goes too far
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

// whole reads a number without a fraction; one beyond the type's range becomes its largest.
func whole(raw json.RawMessage, v reflect.Value, s spot) error {
	var d decimal.Decimal
	if err := number(raw, &d, s); err != nil {
		return err
	}
	if !d.IsInteger() {
		return s.bad("a whole number")
	}
	limit := decimal.NewFromInt(math.MaxInt32)
	if d.Abs().GreaterThan(limit) {
		d = limit.Mul(decimal.NewFromInt(int64(d.Sign())))
	}
	v.SetInt(d.IntPart())
	return nil
}

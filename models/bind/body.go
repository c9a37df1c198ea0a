package bind

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"unicode/utf8"

	"switchyard/models"
)

const maxDepth = 32

// The errors for a body as a whole.
var (
	errBody  = models.Invalid("bad_body", "the body must be a JSON object")
	errDepth = models.Invalid("bad_body", "the body is nested too deeply")
	errNUL   = models.Invalid("invalid_input", "a text contains the character U+0000")
)

// Decode reads a JSON object into a struct, and checks it against the rules in the struct's tags. Names must match exactly.
// Unknown fields are ignored. If a field is repeated, the last value counts. A field that was left out does not change the
// struct, unless the field has a default. Null means the same as leaving the field out, unless a tag says otherwise.
//
// A body that is not an object, or is nested too deeply, is refused with 400 bad_body. A text with the character U+0000 is
// refused with 400 invalid_input. Any other mistake is refused with 400 and the code of its field. A value of the wrong type is
// reported before any broken rule.
func Decode(body []byte, into any) error { return DecodeKnown(body, nil, into) }

// DecodeKnown does the same as Decode, for an object in which only the names in keys are allowed. An unknown name is reported
// first.
func DecodeKnown(body []byte, keys *Keys, into any) error {
	fields, err := Object(body)
	if err == nil {
		err = keys.Check(body)
	}
	if err != nil {
		return err
	}
	var d decoder
	if err := d.fields(fields, reflect.ValueOf(into).Elem(), ""); err != nil {
		return err
	}
	return d.refused
}

// HasFields reports whether a body contains at least one field of the struct bodyType.
func HasFields(body []byte, bodyType any) bool {
	sent, err := Object(body)
	isSent := func(f field) bool { return sent[f.name] != nil }
	return err == nil && slices.ContainsFunc(fieldsOf(reflect.TypeOf(bodyType)), isSent)
}

// Object checks a body as a whole and splits it into its fields.
func Object(body []byte) (map[string]json.RawMessage, error) {
	body = withoutMark(body)
	if len(body) == 0 || body[0] != '{' || !utf8.Valid(body) {
		return nil, errBody
	}
	if err := scan(body); err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, errBody
	}
	return fields, nil
}

// withoutMark removes surrounding space, and the byte order mark that some editors write.
func withoutMark(body []byte) []byte {
	return bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xef\xbb\xbf"))
}

// scan checks the depth of nesting, and refuses an escaped NUL character. It runs before anything is decoded.
func scan(body []byte) error {
	depth, inText := 0, false
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case inText && c == '\\':
			if bytes.HasPrefix(body[i:], []byte(`\u0000`)) {
				return errNUL
			}
			i++
		case c == '"':
			inText = !inText
		case inText: // brackets in a text do not nest
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return errDepth
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

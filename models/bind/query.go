package bind

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/models"
)

// maxQuery is the length limit of a query string, in bytes.
const maxQuery = 16 << 10

// Query parses a query string. Malformed escapes, invalid UTF-8 and NUL characters are invalid_input.
func Query(raw string) (url.Values, error) {
	if len(raw) > maxQuery {
		return nil, models.Invalid("invalid_input", "the query is too long")
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, models.Invalid("invalid_input", "the query is malformed")
	}
	for name, list := range values {
		for _, text := range append(list, name) {
			if !ValidText(text) {
				return nil, models.Invalid("invalid_input", "the query contains characters that are not text")
			}
		}
	}
	return values, nil
}

// ValidText reports whether PostgreSQL can store a text: valid UTF-8 without NUL.
func ValidText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// Int reads a whole number. A number outside the range becomes the nearest one in it. A missing or empty parameter means the
// default, and any other text is invalid_input.
func Int(q url.Values, name string, def, low, high int) (int, error) {
	text := q.Get(name)
	if text == "" {
		return def, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // for a number that is too large, ParseInt returns the nearest int64
		return 0, models.Invalid("invalid_input", "%s must be a whole number", name)
	}
	return int(min(max(n, int64(low)), int64(high))), nil
}

// Bool reads true, false, 1 or 0. A missing or empty parameter means the default, and any other text is invalid_input.
func Bool(q url.Values, name string, def bool) (bool, error) {
	switch q.Get(name) {
	case "":
		return def, nil
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return false, models.Invalid("invalid_input", "%s must be true or false", name)
}

// QueryID reads an optional id. A missing or empty parameter means the zero id. A malformed id is a 400 with the given code.
func QueryID(q url.Values, name, code string) (uuid.UUID, error) {
	text := q.Get(name)
	if text == "" {
		return uuid.Nil, nil
	}
	id, ok := models.ParseID(text)
	if !ok {
		return uuid.Nil, models.Invalid(code, "%s must be a UUID", name)
	}
	return id, nil
}

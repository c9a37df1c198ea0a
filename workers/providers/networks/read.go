package networks

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// text reads what platforms write as texts, numbers and truths, now this way and now that. null and the object that some
// write in its place are empty.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		*t = text(s)
		return err
	case '{', '[', 'n':
		*t = ""
	default:
		*t = text(raw)
	}
	return nil
}

// number is the whole number that a text is; 0 if it is none.
func (t text) number() int {
	n, _ := strconv.Atoi(strings.TrimSpace(string(t)))
	return n
}

// list reads a list, and what platforms write in its place: one item, items by their keys, nothing.
type list[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *list[T]) UnmarshalJSON(raw []byte) error {
	*l = nil
	switch raw[0] {
	case '[':
		return json.Unmarshal(raw, (*[]T)(l))
	case '{':
		return l.fromObject(raw)
	}
	return nil
}

func (l *list[T]) fromObject(raw []byte) error {
	var byKey map[string]json.RawMessage
	if err := json.Unmarshal(raw, &byKey); err != nil {
		return err
	}
	keys := make([]string, 0, len(byKey))
	for key, v := range byKey {
		if v = bytes.TrimSpace(v); len(v) == 0 || v[0] != '{' {
			var one T // its members are no items, so it is one itself
			err := json.Unmarshal(raw, &one)
			*l = list[T]{one}
			return err
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		var one T
		if err := json.Unmarshal(byKey[key], &one); err != nil {
			return err
		}
		*l = append(*l, one)
	}
	return nil
}

// zoned and bare are the forms of times, with and without a zone.
var (
	zoned = []string{time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700"}
	bare  = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "02.01.2006 15:04:05", time.DateOnly}
)

// when reads a time. One without a zone is in the connection's. What is no time is the zero time.
func (s *session) when(t text) time.Time {
	word := strings.TrimSpace(string(t))
	for _, form := range zoned {
		if at, err := time.Parse(form, word); err == nil {
			return at.UTC()
		}
	}
	for _, form := range bare {
		if at, err := time.ParseInLocation(form, word, s.zone); err == nil {
			return at.UTC()
		}
	}
	if n, err := strconv.ParseInt(word, 10, 64); err == nil && n > 0 {
		if n > 1e11 {
			return time.UnixMilli(n).UTC()
		}
		return time.Unix(n, 0).UTC()
	}
	return time.Time{}
}

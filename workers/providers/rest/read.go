package rest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Text reads what providers write as texts, numbers and truths, now this way and now that. null and the object that some
// write in its place are empty.
type Text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		*t = Text(s)
		return err
	case '{', '[', 'n':
		*t = ""
	default:
		*t = Text(raw)
	}
	return nil
}

// Number is the whole number that a text is; 0 if it is none.
func (t Text) Number() int {
	n, _ := strconv.Atoi(strings.TrimSpace(string(t)))
	return n
}

// List reads a list, and what providers write in its place: one item, items by their keys, nothing.
type List[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *List[T]) UnmarshalJSON(raw []byte) error {
	*l = nil
	switch raw[0] {
	case '[':
		return json.Unmarshal(raw, (*[]T)(l))
	case '{':
		return l.fromObject(raw)
	}
	return nil
}

func (l *List[T]) fromObject(raw []byte) error {
	var byKey map[string]json.RawMessage
	if err := json.Unmarshal(raw, &byKey); err != nil {
		return err
	}
	keys := make([]string, 0, len(byKey))
	for key, v := range byKey {
		if v = bytes.TrimSpace(v); len(v) == 0 || v[0] != '{' {
			var one T // its members are no items, so it is one itself
			err := json.Unmarshal(raw, &one)
			*l = List[T]{one}
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

// Field gives a field of a row by its name or path; empty if there is none.
type Field func(path string) Text

// JSONRows reads the list at a path of an answer; an empty path: the answer is the list. name is the path's own name, for
// a person.
func JSONRows(body []byte, path, name string) ([]Field, error) {
	var answer any
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	dec.UseNumber()
	if dec.Decode(&answer) != nil {
		return nil, ErrForm
	}
	found, ok := at(answer, path).([]any)
	if !ok {
		return nil, errors.New("the answer has no list at " + name)
	}
	rows := make([]Field, len(found))
	for i, row := range found {
		rows[i] = func(path string) Text {
			if path == "" {
				return ""
			}
			return scalar(at(row, path))
		}
	}
	return rows, nil
}

// at follows a path of members, which dots part; empty: the value itself.
func at(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		if path == "" {
			break
		}
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func scalar(v any) Text {
	switch v := v.(type) {
	case string:
		return Text(v)
	case json.Number:
		return Text(v)
	case bool:
		return Text(strconv.FormatBool(v))
	}
	return ""
}

// CSVRows reads rows of CSV, whose first one has the names.
func CSVRows(body []byte) (rows []Field, err error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	columns := map[string]int{}
	for i, name := range head {
		columns[strings.TrimSpace(name)] = i
	}
	for err == nil {
		var cells []string
		if cells, err = r.Read(); err == nil {
			rows = append(rows, func(name string) Text {
				if i, ok := columns[name]; ok && i < len(cells) {
					return Text(cells[i])
				}
				return ""
			})
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, ErrForm
	}
	return rows, nil
}

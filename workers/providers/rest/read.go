package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"switchyard/models/csvfile"
	"switchyard/models/money"
)

// Text is a JSON text, number or boolean, read as text. Providers mix these forms. null, objects and lists give an empty text.
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

// Number returns the text as a whole number, or 0 if it is not one.
func (t Text) Number() int {
	n, _ := strconv.Atoi(strings.TrimSpace(string(t)))
	return n
}

// Record has the fields of a JSON object, by name. A field that is an object or a list is empty.
type Record map[string]Text

// Get returns the first of the fields that is not empty.
func (r Record) Get(names ...string) string {
	for _, name := range names {
		if r[name] != "" {
			return string(r[name])
		}
	}
	return ""
}

// List is a JSON list. It also decodes the forms that some providers write in its place: a single item, an object with the
// items as its members, or nothing.
type List[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *List[T]) UnmarshalJSON(raw []byte) error {
	*l = nil
	switch raw[0] {
	case '[':
		return l.fromList(raw)
	case '{':
		return l.fromObject(raw)
	}
	return nil
}

// fromList reads the items one by one, but at most MaxRows.
func (l *List[T]) fromList(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for len(*l) < MaxRows && dec.More() {
		var one T
		if err := dec.Decode(&one); err != nil {
			return err
		}
		*l = append(*l, one)
	}
	return nil
}

func (l *List[T]) fromObject(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return err
	}
	byKey := map[string]json.RawMessage{}
	var keys []string
	for len(byKey) < MaxRows && dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		key, _ := name.(string)
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return err
		}
		if v = bytes.TrimSpace(v); len(v) == 0 || v[0] != '{' {
			var one T // the members are not items, so the object itself is the only item
			err := json.Unmarshal(raw, &one)
			*l = List[T]{one}
			return err
		}
		if _, twice := byKey[key]; !twice {
			keys = append(keys, key)
		}
		byKey[key] = v
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

// Field returns a field of a row by its name or path, or "".
type Field func(path string) Text

// MaxRows is the maximum number of rows that are read of one answer. A caller that gets MaxRows rows knows that there are too many.
const MaxRows = 50_001

// maxRow is the maximum length of a row in bytes. Customers enter addresses of services, which may send rows of any length. A row takes about
// ten times its length in memory.
const maxRow = 64 << 10

// Row is a row of an answer. If the rows are the members of an object, Key is the name of the member.
type Row struct {
	Key   string
	value any
}

// Field returns a field by its name or path, or "".
func (r Row) Field(path string) Text {
	if path == "" {
		return ""
	}
	return scalar(at(r.value, path))
}

// Has reports whether the row has a field, even if the field is null.
func (r Row) Has(path string) bool {
	parent, last := "", path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		parent, last = path[:i], path[i+1:]
	}
	object, _ := at(r.value, parent).(map[string]any)
	_, has := object[last]
	return has
}

// Member returns a function that finds the first text that an answer has at one of the paths, or "".
func Member(paths ...string) func(body []byte) string {
	return func(body []byte) string {
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.UseNumber()
		var answer Row
		_ = dec.Decode(&answer.value)
		for _, path := range paths {
			if text := answer.Field(path); text != "" {
				return string(text)
			}
		}
		return ""
	}
}

// JSONRows calls the function each for every row of the list at a path of an answer. With an empty path, the answer itself is the
// list. If the path ends with *, the rows may be the members of an object. Error messages do not show the path, but
// the name of its setting.
func JSONRows(body []byte, path, name string, each func(Row)) error {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	path, members := strings.CutSuffix(path, "*")
	begin, err := enter(dec, strings.TrimSuffix(path, "."))
	if err != nil {
		return ErrForm
	}
	if begin != '[' && (begin != '{' || !members) {
		return errors.New("the answer has no list at " + name)
	}
	for n := 0; dec.More(); n++ {
		if n == MaxRows {
			return nil
		}
		key := ""
		if begin == '{' {
			t, err := dec.Token()
			if err != nil {
				return ErrForm
			}
			key, _ = t.(string)
		}
		row, err := jsonRow(dec)
		if err != nil {
			return err
		}
		each(Row{key, row})
	}
	if end, err := dec.Token(); err != nil || end != begin+2 { // ] is [+2, and } is {+2
		return ErrForm
	}
	return nil
}

func jsonRow(dec *json.Decoder) (row any, err error) {
	var raw json.RawMessage
	if dec.Decode(&raw) != nil {
		return nil, ErrForm
	}
	if len(raw) > maxRow {
		return nil, fmt.Errorf("a row of the answer has more than %d bytes", maxRow)
	}
	inner := json.NewDecoder(bytes.NewReader(raw))
	inner.UseNumber()
	if inner.Decode(&row) != nil {
		return nil, ErrForm
	}
	return row, nil
}

// enter reads JSON up to the first item of the value at a path, and returns the sign with which the value begins. It returns 0
// if the path leads to neither a list nor an object.
func enter(dec *json.Decoder, path string) (begin json.Delim, err error) {
	names := strings.Split(path, ".")
	if path == "" {
		names = nil
	}
	for _, name := range names {
		t, err := dec.Token()
		if err != nil || t != json.Delim('{') {
			return 0, err
		}
		if found, err := member(dec, name); err != nil || !found {
			return 0, err
		}
	}
	t, err := dec.Token()
	begin, _ = t.(json.Delim)
	return begin, err
}

// member reads JSON up to the value of a member of an object.
func member(dec *json.Decoder, name string) (found bool, err error) {
	for dec.More() {
		key, err := dec.Token()
		if err != nil || key == name {
			return err == nil, err
		}
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return false, err
		}
	}
	return false, nil
}

// at returns the value at a path of member names, separated by dots. With an empty path it returns the value itself.
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
		return Text(money.Exact(string(v)))
	case bool:
		return Text(strconv.FormatBool(v))
	}
	return ""
}

// CSVRows calls the function each for every row of a CSV text. The first row that is not empty has the names of the columns.
func CSVRows(body []byte, each func(Field)) error {
	text, _, err := csvfile.Decode(body)
	if err != nil {
		return ErrForm
	}
	s := csvfile.Guess(text)
	var columns map[string]int
	for n := 0; n < MaxRows; {
		r, ok := s.Next()
		switch {
		case !ok:
			return nil
		case r.Blank():
			continue
		case r.Fault != "":
			return ErrForm
		case columns == nil:
			columns = map[string]int{}
			for i, name := range r.Cells {
				columns[strings.TrimSpace(name)] = i
			}
			continue
		}
		n++
		each(func(name string) Text {
			if i, ok := columns[name]; ok && i < len(r.Cells) {
				return Text(r.Cells[i])
			}
			return ""
		})
	}
	return nil
}

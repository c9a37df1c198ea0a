package keitaro

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Limits of a serialised value.
const (
	maxPHPDepth  = 16
	maxPHPValues = 100_000
)

var errPHP = errors.New("keitaro: a serialised value of PHP cannot be read")

// phpReader reads the output of PHP's serialize. Objects are read as arrays. References are refused.
type phpReader struct {
	rest   string
	values int
}

func fromPHP(text string) (any, error) {
	r := phpReader{rest: text}
	v, err := r.value(0)
	if err == nil && strings.TrimSpace(r.rest) != "" {
		err = errPHP
	}
	return v, err
}

// looksSerialised recognises arrays and objects.
func looksSerialised(text string) bool {
	return len(text) > 3 && (text[0] == 'a' || text[0] == 'O') && text[1] == ':'
}

// until reads past a character and returns the text before it.
func (r *phpReader) until(sign byte) (string, error) {
	i := strings.IndexByte(r.rest, sign)
	if i < 0 {
		return "", errPHP
	}
	text := r.rest[:i]
	r.rest = r.rest[i+1:]
	return text, nil
}

func (r *phpReader) expect(text string) error {
	rest, ok := strings.CutPrefix(r.rest, text)
	if !ok {
		return errPHP
	}
	r.rest = rest
	return nil
}

func (r *phpReader) length(end byte) (int, error) {
	text, err := r.until(end)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > len(r.rest) {
		return 0, errPHP
	}
	return n, nil
}

func (r *phpReader) value(depth int) (any, error) {
	if r.values++; depth > maxPHPDepth || r.values > maxPHPValues || len(r.rest) < 2 {
		return nil, errPHP
	}
	kind := r.rest[0]
	if kind == 'N' {
		return nil, r.expect("N;")
	}
	if r.rest[1] != ':' {
		return nil, errPHP
	}
	r.rest = r.rest[2:]
	switch kind {
	case 'b':
		text, err := r.until(';')
		return text == "1", err
	case 'i', 'd':
		text, err := r.until(';')
		if err == nil && !json.Valid([]byte(text)) {
			err = errPHP
		}
		return json.Number(text), err
	case 's':
		return r.text()
	case 'a':
		return r.array(depth)
	case 'O':
		n, err := r.length(':') // the name of the class
		if err != nil || r.expect(`"`) != nil || n > len(r.rest) {
			return nil, errPHP
		}
		r.rest = r.rest[n:]
		if err := r.expect(`":`); err != nil {
			return nil, err
		}
		return r.array(depth)
	}
	return nil, errPHP
}

func (r *phpReader) text() (string, error) {
	n, err := r.length(':')
	if err != nil || r.expect(`"`) != nil || n > len(r.rest) {
		return "", errPHP
	}
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text, r.expect(`";`)
}

// array returns a list if the keys are 0, 1 and so on.
func (r *phpReader) array(depth int) (any, error) {
	n, err := r.length(':')
	if err != nil || r.expect("{") != nil {
		return nil, errPHP
	}
	object, list := map[string]any{}, []any{}
	for i := range n {
		key, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		name, isText := key.(string)
		if number, ok := key.(json.Number); ok {
			name, isText = number.String(), true
		}
		v, err := r.value(depth + 1)
		if err != nil || !isText {
			return nil, errPHP
		}
		object[name] = v
		if list != nil && name == strconv.Itoa(i) {
			list = append(list, v)
		} else {
			list = nil
		}
	}
	if list != nil {
		return list, r.expect("}")
	}
	return object, r.expect("}")
}

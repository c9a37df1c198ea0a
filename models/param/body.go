package param

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"switchyard/models/money"
)

// Errors for a body that cannot be read. Their texts are meant for the sender.
var (
	ErrJSON = errors.New("the body is not a JSON object")
	ErrForm = errors.New("the body is not a form")
)

// FromBody returns the parameters in a form or a JSON object, in order and in UTF-8. It also recognizes a JSON object without a
// Content-Type, and a form that a client calls JSON. A list or an object within an object is returned as its JSON text, and null
// is left out. Files in a form are skipped.
func FromBody(contentType string, body []byte, clues Clues) ([]Param, error) {
	kind, attributes, _ := mime.ParseMediaType(contentType)
	if findCharset(attributes["charset"]) != nil {
		clues.Charset = attributes["charset"]
	}
	if kind == "multipart/form-data" && len(body) > 0 {
		return fromParts(body, attributes["boundary"], clues)
	}
	body = bytes.Trim(withoutMark(body), " \t\r\n\x00")
	switch isJSON := strings.HasSuffix(kind, "json"); {
	case isJSON && slices.Contains(emptyBodies, string(body)):
		return nil, nil
	case isJSON && !isForm(body), len(body) > 0 && body[0] == '{':
		return fromJSON(body, clues)
	}
	return FromQuery(string(body), clues), nil
}

var emptyBodies = []string{"", "null", "[]", `""`, "{}"}

func isForm(body []byte) bool {
	name, _, found := bytes.Cut(body, []byte("="))
	return found && len(name) > 0 && !bytes.ContainsAny(name, "{}[]\"<> \t\r\n")
}

// withoutMark removes the byte order mark. It converts a body in UTF-16 to UTF-8.
func withoutMark(body []byte) []byte {
	if plain, ok := bytes.CutPrefix(body, []byte("\xef\xbb\xbf")); ok {
		return plain
	}
	if !bytes.HasPrefix(body, []byte("\xfe\xff")) && !bytes.HasPrefix(body, []byte("\xff\xfe")) {
		return body
	}
	plain, err := unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder().Bytes(body)
	if err != nil {
		return body
	}
	return plain
}

// fromJSON returns the members of a JSON object. If a charset is stated and the body is not UTF-8, the whole object is converted
// first, because in some charsets a byte of a letter looks like a quote.
func fromJSON(body []byte, clues Clues) (list []Param, err error) {
	stated := findCharset(clues.Charset)
	if stated != nil && !utf8.Valid(body) {
		text, ok := convert(stated, string(body))
		if !ok {
			return nil, ErrJSON
		}
		body = []byte(text)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, ErrJSON
	}
	texts := decoder{clues: clues}
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		var raw json.RawMessage
		if err != nil || !ok || dec.Decode(&raw) != nil {
			return nil, ErrJSON
		}
		plain := texts.utf8(string(raw))
		if value, ok := memberText([]byte(plain)); ok && !strings.ContainsRune(name, utf8.RuneError) {
			list = append(list, Param{Name: name, Value: value, IsLost: plain == ""})
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, ErrJSON
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrJSON
	}
	return list, nil
}

// memberText returns the text of a member. ok is false for null. raw is empty if the member could not be converted
// to UTF-8, and then the text is empty too.
func memberText(raw []byte) (text string, ok bool) {
	if string(raw) == "null" {
		return "", false
	}
	if len(raw) > 0 && json.Unmarshal(raw, &text) != nil {
		text = money.Exact(string(raw))
	}
	return text, true
}

// maxPart is the maximum number of bytes of a form's part that are read.
const maxPart = 64 << 10

func fromParts(body []byte, boundary string, clues Clues) (list []Param, err error) {
	form := multipart.NewReader(bytes.NewReader(withoutMark(body)), boundary)
	for {
		part, err := form.NextPart()
		if err == io.EOF { //nolint:errorlint // the reader returns io.EOF unwrapped
			clues.Decode(list)
			return list, nil
		}
		if err != nil {
			return nil, ErrForm
		}
		if part.FileName() != "" {
			continue
		}
		value, err := io.ReadAll(io.LimitReader(part, maxPart))
		if err != nil {
			return nil, ErrForm
		}
		list = append(list, Param{Name: part.FormName(), Value: string(value)})
	}
}

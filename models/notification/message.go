package notification

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"

	"switchyard/models/postback"
)

type message struct {
	Request
	secret     string
	fieldNames map[string]string // the network's own names of fields: see Scheme.Read
	words      map[string]string
	// units converts an amount of the message to whole units. It is nil if amounts are already in whole units.
	units   func(amount string) string
	consent string
	doc     document
	fields  []field
}

func (m *message) status(word string) string { return m.words[word] }

type field struct{ name, value string }

const maxFields = 2000

func (m *message) signedBase64(header string) bool {
	sum, err := base64.StdEncoding.DecodeString(strings.TrimSpace(m.Header[header]))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(m.secret))
	mac.Write(m.Body)
	return hmac.Equal(sum, mac.Sum(nil))
}

func (m *message) isSecret(text string) bool {
	return subtle.ConstantTimeCompare([]byte(m.secret), []byte(text)) == 1
}

func (m *message) parse() error {
	if body := m.trimmed(); len(body) > 0 && body[0] == '{' {
		return m.parseJSON(body)
	}
	return m.parseFields()
}

// parseFields reads a form, never JSON. A scheme that signs the fields of a form calls it instead of parse, because the members of a
// JSON object are not signed.
func (m *message) parseFields() error {
	kind, attributes, _ := mime.ParseMediaType(m.Header["content-type"])
	if kind == "multipart/form-data" {
		return m.parseParts(attributes["boundary"])
	}
	return m.parseForm(string(m.trimmed()))
}

func (m *message) trimmed() []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(m.Body, []byte("\ufeff")))
}

// key returns a text that is the same whenever the same message is sent. In a form, the decoded fields count, whatever their
// encoding and order. The query of the URL counts only for a message without fields and without a body.
func (m *message) key() string {
	sum := sha256.New()
	switch {
	case len(m.fields) > 0:
		for _, f := range m.sorted() {
			_, _ = fmt.Fprintf(sum, "%q=%q\n", f.name, f.value)
		}
	case len(m.Body) > 0:
		sum.Write(m.Body)
	default:
		sum.Write([]byte(m.Query))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func (m *message) parseJSON(body []byte) error {
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil || v == nil {
		return unreadable("the body is not a JSON object")
	}
	m.doc = document{v}
	return nil
}

func (m *message) parseForm(text string) error {
	for text != "" {
		var pair string
		pair, text, _ = strings.Cut(text, "&")
		name, value, _ := strings.Cut(pair, "=")
		if name = unescape(name); name == "" {
			continue
		}
		m.fields = append(m.fields, field{name, unescape(value)})
		if len(m.fields) > maxFields {
			return unreadable("the form has more than %d fields", maxFields)
		}
	}
	m.doc = nest(m.fields)
	return nil
}

func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

func (m *message) parseParts(boundary string) error {
	form := multipart.NewReader(bytes.NewReader(m.Body), boundary)
	for {
		part, err := form.NextPart()
		if err == io.EOF { //nolint:errorlint // the reader returns io.EOF unwrapped
			m.doc = nest(m.fields)
			return nil
		}
		if err != nil || len(m.fields) >= maxFields {
			return unreadable("the body is not a form")
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return unreadable("the body is not a form")
		}
		m.fields = append(m.fields, field{part.FormName(), string(value)})
	}
}

// If a name is used twice, the last value counts, as in PHP.
func (m *message) sorted(omitted ...string) []field {
	last := map[string]string{}
	for _, f := range m.fields {
		last[f.name] = f.value
	}
	var out []field
	for name, value := range last {
		if !slices.Contains(omitted, name) {
			out = append(out, field{name, value})
		}
	}
	slices.SortFunc(out, func(a, b field) int { return strings.Compare(a.name, b.name) })
	return out
}

// click returns the click id in a message. It searches named values, such as the attributes of an order, and texts, which may be a
// click id or a URL with a click id. The name in the network's settings comes first, then the usual names of click ids, then any
// text that is a click id of this service.
func (m *message) click(named []field, texts ...string) string {
	m.findConsent(named, texts)
	ownName := m.fieldNames["click_id"]
	candidates := []string{m.doc.text(ownName)}
	usual := postback.Names("click_id")
	for _, names := range [][]string{{ownName}, usual} {
		for _, f := range named {
			if f.name != "" && slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, f.name) }) {
				candidates = append(candidates, f.value)
			}
		}
	}
	for _, f := range named {
		texts = append(texts, f.value)
	}
	for _, text := range append(candidates, texts...) {
		if id := m.clickIn(text, ownName, usual); id != "" {
			return id
		}
	}
	return ""
}

// clickIn returns the click id that a text is or contains.
func (m *message) clickIn(text, ownName string, usual []string) string {
	isClick := func(s string) bool { return postback.IsClick(s, m.Received) }
	text = strings.TrimSpace(text)
	if isClick(text) {
		return text
	}
	if _, query, ok := strings.Cut(text, "?"); ok {
		text = query
	}
	text, _, _ = strings.Cut(text, "#")
	var values []field
	for pair := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("&;,| \t\n", r) }) {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			name, value = "", pair
		}
		values = append(values, field{unescape(name), strings.TrimSpace(unescape(value))})
	}
	for _, names := range [][]string{{ownName}, usual, nil} { // nil: any name
		for _, f := range values {
			if (names == nil || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, f.name) })) && isClick(f.value) {
				return f.value
			}
		}
	}
	return ""
}

func (m *message) applyFieldNames(r *Report) {
	if r.Same {
		return
	}
	if v := m.doc.text(m.fieldNames["payout"]); v != "" && r.Payout != "" && !strings.HasPrefix(r.Payout, "-") {
		if r.Payout = v; m.units != nil {
			r.Payout = m.units(v)
		}
	}
	if v := m.doc.text(m.fieldNames["goal"]); v != "" && r.Goal == "" {
		r.Goal = v
	}
}

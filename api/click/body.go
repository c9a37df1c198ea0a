package click

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"switchyard/models"
	"switchyard/models/postback"
)

// readBody reads a body of at most limit bytes. If Content-Length is larger, it reads nothing.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, tooLarge, broken error) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, tooLarge
	}
	if err != nil {
		return nil, broken
	}
	return body, nil
}

// addParam adds a parameter, cut to the limits. It keeps the first value of a name, and drops parameters beyond the greatest
// number.
func addParam(params map[string]string, name, value string) {
	name = postback.Clean(name, postback.MaxName)
	if _, twice := params[name]; twice || name == "" || len(params) >= postback.MaxParams {
		return
	}
	params[name] = postback.Clean(value, postback.MaxValue)
}

func addQuery(params map[string]string, raw string) {
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		name, value, _ := strings.Cut(pair, "=")
		addParam(params, unescapeLenient(name), unescapeLenient(value))
	}
}

// unescapeLenient unescapes a text, or returns it unchanged if an escape is broken. A network's broken escape must not cost a
// conversion.
func unescapeLenient(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

func addBody(params map[string]string, contentType string, body []byte) error {
	kind, attributes, _ := mime.ParseMediaType(contentType)
	trimmed := bytes.TrimSpace(body)
	switch {
	case kind == "multipart/form-data":
		return addParts(params, body, attributes["boundary"])
	case len(trimmed) > 0 && (trimmed[0] == '{' || strings.HasSuffix(kind, "json")):
		return addJSON(params, trimmed)
	}
	addQuery(params, string(trimmed))
	return nil
}

// addJSON adds the members of a JSON object. It keeps lists and objects among them as their JSON text.
func addJSON(params map[string]string, body []byte) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return models.Invalid("bad_body", "the body is not a JSON object")
	}
	for name, raw := range members {
		var text string
		if string(raw) == "null" {
			continue
		}
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		addParam(params, name, text)
	}
	return nil
}

// addParts adds the fields of a multipart form, the format that PHP's curl sends by default. It skips files.
func addParts(params map[string]string, body []byte, boundary string) error {
	form := multipart.NewReader(bytes.NewReader(body), boundary)
	for range postback.MaxParams {
		part, err := form.NextPart()
		if err == io.EOF { //nolint:errorlint // the reader returns it bare
			return nil
		}
		if err != nil {
			return models.Invalid("bad_body", "the body is not a form")
		}
		if part.FileName() != "" {
			continue
		}
		value, err := io.ReadAll(io.LimitReader(part, 4*postback.MaxValue))
		if err != nil {
			return models.Invalid("bad_body", "the body is not a form")
		}
		addParam(params, part.FormName(), string(value))
	}
	return nil
}

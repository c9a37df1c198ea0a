package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"switchyard/models/figurecheck"
	"switchyard/models/token"
)

// maxText is how long a text of data is that the model reads, in characters.
const maxText = 200

// readable is what the model reads of an answer: its rows up to a number and a size, without what is private, between
// marks. The facts are those that it reads.
func (s *session) readable(data json.RawMessage, l lookup) (string, figurecheck.Lookup, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // figures stay as they are
	var whole map[string]any
	if err := dec.Decode(&whole); err != nil {
		return "", figurecheck.Lookup{}, fmt.Errorf("chat: data of a look-up: %w", err)
	}
	clean(whole)
	rows := []any{whole}
	if l.list != "" {
		rows, _ = whole[l.list].([]any)
		delete(whole, l.list)
	}
	facts := figurecheck.Lookup{Whole: l.most == 0 || len(rows) < l.most, Rows: []json.RawMessage{}}
	if l.list != "" {
		beside, err := json.Marshal(whole)
		if err != nil {
			return "", facts, err
		}
		if len(beside) > maxBytes/3 {
			beside = []byte("{}")
		}
		facts.Beside = beside
	}
	size := len(facts.Beside)
	for _, row := range rows {
		raw, err := json.Marshal(row)
		if err != nil {
			return "", facts, err
		}
		if size += len(raw); len(facts.Rows) == maxRows || size > maxBytes {
			break
		}
		facts.Rows = append(facts.Rows, raw)
	}
	left := len(rows) - len(facts.Rows)
	facts.Whole = facts.Whole && left == 0
	text, err := json.Marshal(map[string]any{
		"rows": facts.Rows, "rows_left_off": left, "there_may_be_more": !facts.Whole, "beside": facts.Beside,
	})
	return s.wrapped(string(text)), facts, err
}

// private are parts of names of members that the model does not read: secrets, what tells who a visitor is, and notes that
// people keep for themselves. Raw queries have any of these.
var private = regexp.MustCompile(`(?i)(^|_)(ip|ips|notes?|visitor|visitor_id|user_agent|external_id)$|secret|token|password|credential|api_?key|signature|cookie|^params$`)

// queries are those of addresses, which have ids and keys of others in them.
var queries = regexp.MustCompile(`(https?://[^\s?#"'<>]*)[?#][^\s"'<>]*`)

// receivers are the types of alerts whose address is one that an account is told things at. Its path is often its key.
var receivers = []any{"webhook.failing", "source.failing"}

// clean takes out of a value what is private, and shortens its texts.
func clean(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if address, ok := v["url"].(string); ok && slices.Contains(receivers, v["type"]) {
			v["url"] = token.Origin(address)
		}
		for name, item := range v {
			if private.MatchString(name) {
				delete(v, name)
				continue
			}
			v[name] = clean(item)
		}
	case []any:
		for i := range v {
			v[i] = clean(v[i])
		}
	case string:
		text := queries.ReplaceAllString(strings.ToValidUTF8(v, ""), "$1")
		if runes := []rune(text); len(runes) > maxText {
			text = string(runes[:maxText]) + "…"
		}
		return text
	}
	return v
}

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

// maxText is the maximum length of a text in the data that the model reads, in characters.
const maxText = 200

// readable returns the part of an answer that the model reads, between marks: the first rows, up to maxRows and maxDataBytes, without
// private data. The returned facts are the figures of these rows.
func (s *session) readable(data json.RawMessage, l lookup) (string, figurecheck.Lookup, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // so that figures keep all digits
	var answer map[string]any
	if err := dec.Decode(&answer); err != nil {
		return "", figurecheck.Lookup{}, fmt.Errorf("chat: data of a look-up: %w", err)
	}
	clean(answer)
	rows := []any{answer}
	if l.list != "" {
		rows, _ = answer[l.list].([]any)
		delete(answer, l.list)
	}
	facts := figurecheck.Lookup{Whole: l.most == 0 || len(rows) < l.most, Rows: []json.RawMessage{}}
	if l.list != "" {
		beside, err := json.Marshal(answer)
		if err != nil {
			return "", facts, err
		}
		if len(beside) > maxDataBytes/3 {
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
		if size += len(raw); len(facts.Rows) == maxRows || size > maxDataBytes {
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

// private matches names of members that the model does not read: secrets, data that identifies a visitor, and notes that people
// keep for themselves. Raw queries contain any of these.
var private = regexp.MustCompile(`(?i)(^|_)(ip|ips|notes?|visitor|visitor_id|user_agent|external_id)$|secret|token|password|credential|api_?key|signature|cookie|^params$`)

// queries matches addresses with a query or fragment, which may contain ids and keys of third parties.
var queries = regexp.MustCompile(`(https?://[^\s?#"'<>]*)[?#][^\s"'<>]*`)

// receivers lists the types of alerts whose url is an address that receives the account's messages. Its path is often its key.
var receivers = []any{"webhook.failing", "source.failing"}

// clean removes private members from a value, and shortens its texts.
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

package keitaro

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
)

// text is a JSON text, number or boolean. PHP may write a value as any of these.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		*t = text(strings.TrimSpace(models.Storable(s)))
		return err
	case '{', '[', 'n':
		*t = ""
	default:
		*t = text(raw)
	}
	return nil
}

// is reports whether the text equals one of the words in upper or lower case.
func (t text) is(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(string(t), w) })
}

// number returns a number without its decimals, or 0 if the text is not a number.
func (t text) number() int {
	whole, _, _ := strings.Cut(string(t), ".")
	n, _ := strconv.Atoi(whole)
	return n
}

// id returns the id of a record, or an empty text if there is no record. PHP then writes 0 or nothing.
func (t text) id() string {
	if t == "0" {
		return ""
	}
	return string(t)
}

// flag is true for true, 1 and the texts true, 1, yes and on.
type flag bool

func (f *flag) UnmarshalJSON(raw []byte) error {
	var t text
	err := t.UnmarshalJSON(raw)
	*f = flag(t.is("true", "1", "yes", "on"))
	return err
}

// payload is a text. From an object it takes the first of the members url, campaign_id and id that is not empty.
type payload string

func (p *payload) UnmarshalJSON(raw []byte) error {
	var object struct {
		URL        text `json:"url"`
		CampaignID text `json:"campaign_id"`
		ID         text `json:"id"`
	}
	if raw[0] == '{' {
		err := json.Unmarshal(raw, &object)
		for _, t := range []text{object.URL, object.CampaignID, object.ID} {
			if *p == "" {
				*p = payload(t)
			}
		}
		return err
	}
	var s string
	if raw[0] == '"' {
		err := json.Unmarshal(raw, &s)
		*p = payload(models.Storable(s))
		return err
	}
	var t text
	err := t.UnmarshalJSON(raw)
	*p = payload(t)
	return err
}

// texts is a list of texts. It is also read from a text with commas and from the values of an object. For the value true it has the
// member's name, and for the value false nothing.
type texts []string

func (l *texts) UnmarshalJSON(raw []byte) error {
	*l = nil
	add := func(t text) {
		if t != "" {
			*l = append(*l, string(t))
		}
	}
	switch raw[0] {
	case '[':
		var list []text
		err := json.Unmarshal(raw, &list)
		for _, t := range list {
			add(t)
		}
		return err
	case '{':
		var object map[string]text
		err := json.Unmarshal(raw, &object)
		for _, name := range slices.Sorted(maps.Keys(object)) {
			switch t := object[name]; {
			case t == "true":
				add(text(name))
			case t != "false":
				add(t)
			}
		}
		return err
	}
	var t text
	if err := t.UnmarshalJSON(raw); err != nil {
		return err
	}
	for part := range strings.SplitSeq(string(t), ",") {
		add(text(strings.TrimSpace(part)))
	}
	return nil
}

// list is a JSON list. PHP writes an object if an item was removed, and sometimes an empty text for an empty list.
type list[T any] []T

func (l *list[T]) UnmarshalJSON(raw []byte) error {
	*l = nil
	switch raw[0] {
	case '[':
		return json.Unmarshal(raw, (*[]T)(l))
	case '{':
		var object map[string]T
		if err := json.Unmarshal(raw, &object); err != nil {
			return err
		}
		for _, name := range slices.SortedFunc(maps.Keys(object), byNumber) {
			*l = append(*l, object[name])
		}
	}
	return nil
}

// byNumber puts numbers in ascending order.
func byNumber(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

package keitaro

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"switchyard/models/cond"
	"switchyard/workers/providers/trackers/moved"
)

// mask is a value of a text filter.
type mask struct {
	operator string
	value    string
}

// maskOf reads text, text with * for anything, or /pattern/ with some of PHP's flags i, m, s, u and U. A pattern with another
// flag is text. ok is false if v has no characters other than asterisks.
func maskOf(v string) (m mask, ok bool) {
	if end := strings.LastIndexByte(v, '/'); len(v) > 2 && v[0] == '/' && end > 0 && strings.Trim(v[end+1:], "imsuU") == "" && end > 1 {
		pattern, flags := v[1:end], strings.NewReplacer("i", "", "u", "").Replace(v[end+1:])
		pattern = strings.ReplaceAll(pattern, `\/`, "/")
		if flags != "" {
			pattern = "(?" + flags + ")" + pattern
		}
		return mask{"regex", pattern}, true
	}
	inner := strings.Trim(v, "*")
	begins, ends := !strings.HasPrefix(v, "*"), !strings.HasSuffix(v, "*")
	switch {
	case inner == "":
		return m, false
	case strings.Contains(inner, "*"):
		parts := strings.Split(inner, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		pattern := strings.Join(parts, ".*")
		if begins {
			pattern = "^" + pattern
		}
		if ends {
			pattern += "$"
		}
		return mask{"regex", pattern}, true
	case begins && ends:
		return mask{"equals", inner}, true
	case begins:
		return mask{"starts_with", inner}, true
	case ends:
		return mask{"ends_with", inner}, true
	}
	return mask{"contains", inner}, true
}

// negated returns the mask of all other texts. Beginnings and ends have no negated operators and become patterns.
func (m mask) negated() mask {
	switch m.operator {
	case "starts_with":
		return mask{"not_regex", "^" + regexp.QuoteMeta(m.value)}
	case "ends_with":
		return mask{"not_regex", regexp.QuoteMeta(m.value) + "$"}
	}
	return mask{"not_" + m.operator, m.value}
}

func masks(attribute string, values []string, reject bool) (t test, ok bool) {
	byOperator := map[string][]any{}
	var order []string
	for _, v := range values {
		if v == empty {
			t.add(attribute, "is_set", reject)
			continue
		}
		m, ok := maskOf(v)
		if !ok || len(v) > cond.MaxItemLen && !strings.HasSuffix(m.operator, "regex") {
			return t, false
		}
		if reject {
			m = m.negated()
		}
		if byOperator[m.operator] == nil {
			order = append(order, m.operator)
		}
		byOperator[m.operator] = append(byOperator[m.operator], m.value)
	}
	t.or = !reject
	for _, operator := range order {
		for list := byOperator[operator]; len(list) > 0; {
			n := min(len(list), cond.MaxItems)
			t.add(attribute, operator, list[:n])
			list = list[n:]
		}
	}
	return t, len(t.list) > 0
}

// span is one version, or all versions between bounds. from and to belong to it; above and below do not. Empty means no limit.
type span struct{ exact, from, to, above, below string }

var (
	compared = regexp.MustCompile(`^(>=|<=|>|<|=)?\s*([0-9][0-9._]*)$`)
	between  = regexp.MustCompile(`^([0-9][0-9._]*)\s*-\s*([0-9][0-9._]*)$`)
)

// spansOf reads texts such as >=10, 9-11 and 10, or objects with bounds.
func spansOf(raw json.RawMessage) (out []span, ok bool) {
	var items list[json.RawMessage]
	if len(raw) == 0 {
		return nil, false
	}
	if raw[0] == '"' {
		items = list[json.RawMessage]{raw}
	} else if json.Unmarshal(raw, &items) != nil {
		return nil, false
	}
	for _, item := range items {
		var bounds struct {
			From text `json:"from"`
			To   text `json:"to"`
			Min  text `json:"min"`
			Max  text `json:"max"`
		}
		if strings.HasPrefix(string(item), "{") {
			if json.Unmarshal(item, &bounds) != nil {
				return nil, false
			}
			s := span{from: string(bounds.From + bounds.Min), to: string(bounds.To + bounds.Max)}
			if s == (span{}) {
				return nil, false
			}
			out = append(out, s)
			continue
		}
		var t text
		if len(item) == 0 || t.UnmarshalJSON(item) != nil {
			return nil, false
		}
		s, ok := spanOf(string(t))
		if !ok {
			return nil, false
		}
		out = append(out, s)
	}
	return out, len(out) > 0
}

func spanOf(t string) (s span, ok bool) {
	if m := between.FindStringSubmatch(t); m != nil {
		return span{from: m[1], to: m[2]}, true
	}
	m := compared.FindStringSubmatch(t)
	if m == nil {
		return s, false
	}
	switch m[1] {
	case ">=":
		s.from = m[2]
	case "<=":
		s.to = m[2]
	case ">":
		s.above = m[2]
	case "<":
		s.below = m[2]
	default:
		s.exact = m[2]
	}
	return s, true
}

// versions translates a filter on versions. If the filter rejects the versions, unknown versions pass. ok is false if the versions
// cannot be read, or if several spans are rejected and one of them is not a single version.
func versions(attribute string, raw json.RawMessage, reject bool) (t test, ok bool) {
	spans, ok := spansOf(raw)
	if !ok {
		return t, false
	}
	if reject && len(spans) > 1 {
		var exact []any
		for _, s := range spans {
			exact = append(exact, s.exact)
		}
		return one(attribute, "not_equals", exact), !slices.Contains(exact, any(""))
	}
	t.or = true
	for _, s := range spans {
		if reject {
			s.outside(&t, attribute)
			continue
		}
		switch {
		case s.exact != "":
			t.add(attribute, "equals", s.exact)
		case s.above != "":
			t.add(attribute, "gt", s.above)
		case s.below != "":
			t.add(attribute, "lt", s.below)
		case s.from != "" && s.to != "":
			t.add(attribute, "between", []any{s.from, s.to})
		case s.from != "":
			t.add(attribute, "gte", s.from)
		default:
			t.add(attribute, "lte", s.to)
		}
	}
	return t, true
}

func (s span) outside(t *test, attribute string) {
	if s.exact != "" {
		t.add(attribute, "not_equals", s.exact)
		return
	}
	t.add(attribute, "is_set", false)
	for _, side := range [][2]string{{"lte", s.above}, {"gte", s.below}, {"lt", s.from}, {"gt", s.to}} {
		if side[1] != "" {
			t.add(attribute, side[0], side[1])
		}
	}
}

func addresses(values []string, reject bool) (t test, ok bool) {
	var all []any
	for _, v := range values {
		network, ok := networkOf(v)
		if !ok {
			return t, false
		}
		all = append(all, network)
	}
	t.or = !reject
	for len(all) > 0 {
		n := min(len(all), cond.MaxItems)
		t.add("ip", moved.Choose(reject, "not_in_cidr", "in_cidr"), all[:n])
		all = all[n:]
	}
	return t, len(t.list) > 0
}

// networkOf reads an address, a network, a range, or a mask such as 192.0.2.*.
func networkOf(v string) (network string, ok bool) {
	v = strings.ReplaceAll(strings.TrimSpace(v), " ", "")
	if !strings.Contains(v, "*") {
		return v, cond.ParseRange(v).IsValid()
	}
	parts := strings.Split(strings.TrimRight(v, ".*"), ".")
	const bytes = 4
	if len(parts) >= bytes || strings.Trim(v[len(strings.Join(parts, ".")):], ".*") != "" {
		return "", false
	}
	bits := 8 * len(parts)
	for len(parts) < bytes {
		parts = append(parts, "0")
	}
	network = strings.Join(parts, ".") + "/" + strconv.Itoa(bits)
	p, err := netip.ParsePrefix(network)
	return fmt.Sprint(p), err == nil
}

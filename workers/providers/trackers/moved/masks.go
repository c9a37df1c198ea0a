package moved

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// Masks adds a test of whole texts, in which * at the beginning or the end stands for any text.
func (t *Test) Masks(name, attribute string, values []string, reject bool) {
	byOperator, order := map[string][]any{}, []string{}
	for _, v := range values {
		body := strings.Trim(v, "*")
		operator := "equals"
		switch before, after := strings.HasPrefix(v, "*"), strings.HasSuffix(v, "*"); {
		case body == "" || strings.Contains(body, "*"):
			t.Lose(name, values, reject)
			return
		case before && after:
			operator = "contains"
		case before:
			operator = "ends_with"
		case after:
			operator = "starts_with"
		}
		if byOperator[operator] == nil {
			order = append(order, operator)
		}
		byOperator[operator] = append(byOperator[operator], body)
	}
	t.groups(name, attribute, order, byOperator, values, reject)
}

// Contains adds a test: the attribute must contain one of the texts or, with reject, none.
func (t *Test) Contains(name, attribute string, values []string, reject bool) {
	list := []any{}
	for _, v := range values {
		list = append(list, v)
	}
	t.groups(name, attribute, []string{"contains"}, map[string][]any{"contains": list}, values, reject)
}

// negation returns the opposite condition.
func negation(operator string, list []any) (string, []any) {
	if operator == "equals" || operator == "contains" {
		return "not_" + operator, list
	}
	out := []any{}
	for _, v := range list {
		pattern := regexp.QuoteMeta(fmt.Sprint(v))
		if operator == "starts_with" {
			pattern = "^" + pattern
		} else {
			pattern += "$"
		}
		out = append(out, pattern)
	}
	return "not_regex", out
}

func (t *Test) groups(name, attribute string, order []string, lists map[string][]any, values []string, reject bool) {
	one := Test{}
	for _, operator := range order {
		list := lists[operator]
		if reject {
			operator, list = negation(operator, list)
		}
		if len(list) == 0 {
			one.Lose(name, values, reject)
			continue
		}
		one.Add(name, attribute, operator, list, reject)
	}
	switch {
	case len(one.lost) > 0 || len(one.all) == 0:
		t.Lose(name, values, reject)
	case reject || len(one.all) == 1:
		t.all = append(t.all, one.all...)
	default:
		t.any = append(t.any, one.all)
	}
}

// Networks adds a test of addresses, networks and masks such as 192.0.2.*.
func (t *Test) Networks(name string, values []string, reject bool) {
	list := []any{}
	for _, v := range values {
		text, ok := networkOf(v)
		if !ok {
			t.Lose(name, values, reject)
			return
		}
		list = append(list, text)
	}
	if len(list) == 0 {
		t.Lose(name, nil, reject)
		return
	}
	t.Add(name, "ip", Choose(reject, "not_in_cidr", "in_cidr"), list, reject)
}

func networkOf(v string) (string, bool) {
	if p, err := netip.ParsePrefix(v); err == nil {
		return p.String(), true
	}
	if a, err := netip.ParseAddr(v); err == nil {
		return netip.PrefixFrom(a, a.BitLen()).String(), true
	}
	parts := strings.Split(v, ".")
	bits := 0
	for i, part := range parts {
		switch {
		case part == "*":
			parts[i] = "0"
		case bits == 8*i:
			bits += 8
		default:
			return "", false
		}
	}
	if len(parts) > 4 || bits == 0 || bits == 32 {
		return "", false
	}
	for len(parts) < 4 {
		parts = append(parts, "0")
	}
	p, err := netip.ParsePrefix(strings.Join(parts, ".") + "/" + json.Number([]string{"0", "8", "16", "24"}[bits/8]).String())
	return p.String(), err == nil
}

// Connections adds a test of kinds of connections.
func (t *Test) Connections(name string, values []string, reject bool) {
	words := map[string][]string{
		"mobile": {"cellular"}, "cellular": {"cellular"}, "carrier": {"cellular"}, "3g": {"cellular"}, "4g": {"cellular"},
		"mobile connection": {"cellular"}, "mobile_connection": {"cellular"},
		"wifi": {"wifi", "cable_dsl", "corporate", "dialup", "satellite"}, "wi-fi": {"wifi", "cable_dsl", "corporate", "dialup", "satellite"},
		"broadband": {"cable_dsl", "wifi"}, "cable": {"cable_dsl"}, "dsl": {"cable_dsl"}, "cable/dsl": {"cable_dsl"}, "cabledsl": {"cable_dsl"},
		"xdsl": {"cable_dsl"}, "corporate": {"corporate"}, "dialup": {"dialup"}, "dial-up": {"dialup"}, "satellite": {"satellite"},
	}
	var list []string
	for _, v := range values {
		ours := words[strings.ToLower(v)]
		if ours == nil {
			t.Lose(name, values, reject)
			return
		}
		list = append(list, ours...)
	}
	t.Listed(name, "connection_type", list, reject)
}

// Proxies adds a test of the visitor's proxy, which must be of one of the kinds or, if want is false, of none.
func (t *Test) Proxies(name string, want bool, kinds ...any) {
	t.Add(name, "proxy_kind", Choose(!want, "not_equals", "equals"), kinds, !want)
}

// Weekdays adds a test of days of the week, by English name or number from 1 for Monday.
func (t *Test) Weekdays(name string, values []string, reject bool) {
	list := []any{}
	for _, v := range values {
		n := strings.Index(" montuewedthufrisatsun", strings.ToLower(v)[:min(len(v), 3)])
		switch {
		case len(v) == 1 && v >= "1" && v <= "7":
			list = append(list, json.Number(v))
		case len(v) >= 3 && n%3 == 1:
			list = append(list, json.Number(strconv.Itoa(1+n/3)))
		default:
			t.Lose(name, values, reject)
			return
		}
	}
	if len(list) == 0 {
		t.Lose(name, nil, reject)
		return
	}
	t.Add(name, "day_of_week", Choose(reject, "not_equals", "equals"), list, reject)
}

// Times adds a test of times of the day, such as 08:00-18:00, in the time zone of the account.
func (t *Test) Times(name string, values []string, reject bool) {
	list := []any{}
	for _, v := range values {
		from, to, ok := strings.Cut(strings.ReplaceAll(v, " ", ""), "-")
		if !ok || from == "" || to == "" {
			t.Lose(name, values, reject)
			return
		}
		list = append(list, map[string]any{"from": from, "to": to})
	}
	if len(list) == 0 {
		t.Lose(name, nil, reject)
		return
	}
	before := len(t.lost)
	t.Add(name, "schedule", Choose(reject, "not_equals", "equals"), list, reject)
	if len(t.lost) == before {
		t.Change("Times of the day are those of this account's time zone here.")
	}
}

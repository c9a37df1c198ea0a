package cond

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go4.org/netipx"
)

// items returns the values of a condition as texts. It leaves out blank values.
func items(v any) ([]string, *Error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	if len(list) > MaxItems {
		return nil, &Error{Reason: BadValue, Detail: "more than " + strconv.Itoa(MaxItems) + " values"}
	}
	out := make([]string, 0, len(list))
	for _, v := range list {
		s, ok := scalar(v)
		if !ok {
			return nil, &Error{Reason: BadValue, Detail: "it must be a text, a number, true or false"}
		}
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil, &Error{Reason: NoValue}
	}
	return out, nil
}

func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case json.Number:
		return v.String(), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	}
	return "", false
}

func tooLong(list []string) *Error {
	for _, s := range list {
		if utf8.RuneCountInString(s) > MaxItemLen {
			return &Error{Reason: BadValue, Detail: "a value is over " + strconv.Itoa(MaxItemLen) + " characters"}
		}
	}
	return nil
}

const maxDigits = 30

func parseNumber(s string) (float64, bool) {
	if strings.TrimLeft(s, "-.0123456789") != "" || len(strings.Trim(s, "-"))-strings.Count(s, ".") > maxDigits {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}

func parseBool(s string) (v, ok bool) {
	switch strings.ToLower(s) {
	case "true", "1", "yes":
		return true, true
	case "false", "0", "no":
		return false, true
	}
	return false, false
}

var dayNames = [...]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// parseDay parses a number from 1 (Monday) to 7, or the name of a day or its first three letters.
func parseDay(s string) (int, bool) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, 1 <= n && n <= 7
	}
	for i, name := range dayNames {
		if strings.EqualFold(s, name) || strings.EqualFold(s, name[:3]) {
			return i + 1, true
		}
	}
	return 0, false
}

func operand(a Attr, k kind, s string) (float64, bool) {
	switch {
	case k == kindDate:
		t, err := time.Parse(time.DateOnly, s)
		return float64(t.Year()*10000 + int(t.Month())*100 + t.Day()), err == nil
	case a == DayOfWeek:
		n, ok := parseDay(s)
		return float64(n), ok
	case a == ASN:
		s = withoutAS(s)
	}
	return parseNumber(s)
}

// withoutAS returns 3320 for AS3320.
func withoutAS(s string) string {
	if len(s) > 2 && strings.EqualFold(s[:2], "as") {
		return s[2:]
	}
	return s
}

// compareVersion compares versions segment by segment, as numbers. A missing segment counts as zero. A separator (. _ -) follows
// a digit. A version ends at the first character that is neither a digit nor such a separator.
func compareVersion(a, b string) int {
	for a != "" || b != "" {
		var x, y uint64
		x, a = segment(a)
		y, b = segment(b)
		if x != y {
			return cmp.Compare(x, y)
		}
	}
	return 0
}

// segment returns the first number of a version, and the rest after its separator.
func segment(s string) (n uint64, rest string) {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		if n < 1<<58 {
			n = n*10 + uint64(s[i]-'0')
		}
		i++
	}
	if i == 0 || i == len(s) || s[i] != '.' && s[i] != '_' && s[i] != '-' {
		return n, ""
	}
	return n, s[i+1:]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isVersion(s string) bool { return s != "" && isDigit(s[0]) }

// ParseRange parses a network in CIDR form, an address, or a range a-b. Any other text gives an invalid range. IPv4 addresses
// mapped into IPv6 become IPv4.
func ParseRange(s string) netipx.IPRange {
	if from, to, ok := strings.Cut(s, "-"); ok {
		return netipx.IPRangeFrom(parseAddr(from), parseAddr(to))
	}
	if !strings.Contains(s, "/") {
		return netipx.IPRangeFrom(parseAddr(s), parseAddr(s))
	}
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return netipx.IPRange{}
	}
	if a := p.Addr(); a.Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(a.Unmap(), p.Bits()-96)
	}
	return netipx.RangeOfPrefix(p)
}

func parseAddr(s string) netip.Addr {
	a, err := netip.ParseAddr(strings.TrimSpace(s))
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap().WithZone("")
}

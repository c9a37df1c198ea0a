package timetext

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

type number struct {
	digits   string
	fraction string
}

var (
	numeric    = regexp.MustCompile(`^([0-9]{1,25})(?:[.,]([0-9]{1,25}))?$`)
	scientific = regexp.MustCompile(`^([0-9])[.,]([0-9]{7,20})[eE]\+?([0-9]{1,2})$`)
	dotnet     = regexp.MustCompile(`^\\?/Date\(([0-9]{1,15})(?:[+-][0-9]{4})?\)\\?/$`)
)

// readNumber reads a text that is one number, or the number in a text such as /Date(1772600767000)/. The form 1.772600767e9 counts
// as a number only if it has at least eight digits, because a spreadsheet that shows fewer digits has rounded the number.
func readNumber(s string) (n number, ok bool) {
	if m := dotnet.FindStringSubmatch(s); m != nil {
		return number{digits: m[1]}, true
	}
	if m := numeric.FindStringSubmatch(s); m != nil {
		return number{m[1], m[2]}, true
	}
	m := scientific.FindStringSubmatch(s)
	if m == nil {
		return n, false
	}
	places, _ := strconv.Atoi(m[3])
	if missing := places - len(m[2]); missing > 0 {
		m[2] += strings.Repeat("0", missing)
	}
	return number{m[1] + m[2][:places], m[2][places:]}, true
}

// compact lists the forms of dates without separators, by their number of digits. Read as a time since 1970, such a text would
// never fall into one of the accepted years.
var compact = map[int]struct {
	form string
	unit time.Duration
}{
	8: {"20060102", 24 * time.Hour}, 12: {"200601021504", time.Minute}, 14: {"20060102150405", time.Second},
	17: {"20060102150405.000", time.Millisecond},
}

var units = []time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond}

const (
	firstSecond = 946684800
	lastSecond  = 4133980799
)

// The size of the number shows its unit, because the ranges of the units do not overlap.
func (n number) reading(zone *time.Location) (Reading, error) {
	if c, ok := compact[len(n.digits)]; ok && strings.HasPrefix(n.digits, "20") && n.fraction == "" {
		text := n.digits
		if len(text) == 17 { // a layout with milliseconds needs a dot
			text = text[:14] + "." + text[14:]
		}
		at, err := time.ParseInLocation(c.form, text, zone)
		if err != nil {
			return Reading{}, ErrNoDate
		}
		return Reading{at, c.unit}, nil
	}
	if len(n.digits) < 8 {
		return Reading{}, ErrForm
	}
	value, err := strconv.ParseInt(n.digits, 10, 64)
	if err != nil {
		return Reading{}, ErrYear
	}
	for _, unit := range units {
		perSecond := int64(time.Second / unit)
		if seconds := value / perSecond; seconds < firstSecond || seconds > lastSecond {
			continue
		}
		at := time.Unix(value/perSecond, value%perSecond*int64(unit)).UTC()
		return Reading{at.Add(fractionOf(n.fraction, unit)), fractionUnit(n.fraction, unit)}, nil
	}
	return Reading{}, ErrYear
}

func fractionOf(decimals string, unit time.Duration) time.Duration {
	var sum time.Duration
	for _, d := range decimals {
		unit /= 10
		sum += time.Duration(d-'0') * unit
	}
	return sum
}

func fractionUnit(decimals string, unit time.Duration) time.Duration {
	for range decimals {
		unit = max(unit/10, time.Nanosecond)
	}
	return unit
}

package token

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// DateLetter is a letter in the FORMAT of {date:FORMAT,TZ}.
type DateLetter struct {
	Letter byte
	Means  string // the meaning of the letter, with 5 March 2026, 14:07:09 in Berlin as the example

	layout string // Go's layout; empty if append writes the value
	append func(dst []byte, now time.Time) []byte
}

// DateLetters lists all letters, with the meaning that users of other trackers know. Any other character stands for itself, and
// so does a letter after a backslash.
var DateLetters = []DateLetter{
	{'Y', "year: 2026", "2006", nil},
	{'y', "year, two digits: 26", "06", nil},
	{'m', "month: 03", "01", nil},
	{'n', "month without zero: 3", "1", nil},
	{'M', "name of the month, short: Mar", "Jan", nil},
	{'F', "name of the month: March", "January", nil},
	{'d', "day: 05", "02", nil},
	{'j', "day without zero: 5", "2", nil},
	{'D', "name of the weekday, short: Thu", "Mon", nil},
	{'l', "name of the weekday: Thursday", "Monday", nil},
	{'N', "number of the weekday, from 1 (Monday): 4", "", func(dst []byte, now time.Time) []byte {
		return strconv.AppendInt(dst, int64((now.Weekday()+6)%7)+1, 10)
	}},
	{'H', "hour: 14", "15", nil},
	{'G', "hour without zero: 14", "", func(dst []byte, now time.Time) []byte {
		return strconv.AppendInt(dst, int64(now.Hour()), 10)
	}},
	{'h', "hour, 12-hour clock: 02", "03", nil},
	{'g', "hour, 12-hour clock, without zero: 2", "3", nil},
	{'A', "AM or PM: PM", "PM", nil},
	{'a', "am or pm: pm", "pm", nil},
	{'i', "minute: 07", "04", nil},
	{'s', "second: 09", "05", nil},
	{'e', "time zone, short: CET", "MST", nil},
	{'P', "offset from UTC: +01:00", "-07:00", nil},
	{'O', "offset from UTC without colon: +0100", "-0700", nil},
	{'c', "ISO 8601: 2026-03-05T14:07:09+01:00", time.RFC3339, nil},
	{'U', "seconds since 1970: 1772716029", "", func(dst []byte, now time.Time) []byte {
		return strconv.AppendInt(dst, now.Unix(), 10)
	}},
}

var letters = func() (found [256]*DateLetter) {
	for i := range DateLetters {
		found[DateLetters[i].Letter] = &DateLetters[i]
	}
	return found
}()

// newDate builds the token {date:FORMAT,TZ}. FORMAT consists of DateLetters and defaults to Y-m-d. TZ is the name of
// a time zone and defaults to the zone of Values.Now. With an unknown zone, the text counts as an unknown token.
func newDate(arg string) (part, bool) {
	format, name, zoned := splitDate(arg)
	var zone *time.Location
	if zoned {
		var err error
		if zone, err = time.LoadLocation(name); err != nil {
			return part{}, false
		}
	}
	return part{name: Date, text: arg, fill: func(dst []byte, v Values) []byte {
		now := v.Now()
		if zone != nil {
			now = now.In(zone)
		}
		return appendDate(dst, now, format)
	}}, true
}

// splitDate splits FORMAT,TZ. zoned reports whether there is a TZ.
func splitDate(arg string) (format, zone string, zoned bool) {
	format = arg
	if i := strings.LastIndexByte(arg, ','); i >= 0 {
		format, zone, zoned = arg[:i], strings.TrimSpace(arg[i+1:]), true
	}
	return cmp.Or(strings.TrimSpace(format), "Y-m-d"), zone, zoned
}

func appendDate(dst []byte, now time.Time, format string) []byte {
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c == '\\' && i+1 < len(format) {
			i++
			dst = append(dst, format[i])
			continue
		}
		switch l := letters[c]; {
		case l == nil:
			dst = append(dst, c)
		case l.append != nil:
			dst = l.append(dst, now)
		default:
			dst = now.AppendFormat(dst, l.layout)
		}
	}
	return dst
}

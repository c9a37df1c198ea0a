package token

import (
	"strconv"
	"strings"
	"time"
)

// layouts translates the letters of a date format, as migrants know them, to Go's.
var layouts = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'n': "1", 'd': "02", 'j': "2", 'H': "15", 'h': "03", 'g': "3", 'i': "04",
	's': "05", 'A': "PM", 'a': "pm", 'D': "Mon", 'l': "Monday", 'M': "Jan", 'F': "January", 'e': "MST", 'P': "-07:00",
	'O': "-0700", 'c': time.RFC3339,
}

// newDate builds {date:FORMAT,TZ}: letters as in Y-m-d H:i:s (and U, seconds since 1970; G, the hour without zero;
// N, the weekday from 1), the zone by its name, by default the zone of Values.Now. An unknown zone makes an unknown
// token.
func newDate(arg string) (part, bool) {
	format, zone := arg, (*time.Location)(nil)
	if i := strings.LastIndexByte(arg, ','); i >= 0 {
		loc, err := time.LoadLocation(strings.TrimSpace(arg[i+1:]))
		if err != nil {
			return part{}, false
		}
		format, zone = arg[:i], loc
	}
	if format = strings.TrimSpace(format); format == "" {
		format = "Y-m-d"
	}
	return part{name: Date, fill: func(dst []byte, v Values) []byte {
		now := v.Now()
		if zone != nil {
			now = now.In(zone)
		}
		return appendDate(dst, now, format)
	}}, true
}

func appendDate(dst []byte, now time.Time, format string) []byte {
	for i := range len(format) {
		c := format[i]
		switch layout := layouts[c]; {
		case layout != "":
			dst = now.AppendFormat(dst, layout)
		case c == 'U':
			dst = strconv.AppendInt(dst, now.Unix(), 10)
		case c == 'G':
			dst = strconv.AppendInt(dst, int64(now.Hour()), 10)
		case c == 'N':
			dst = strconv.AppendInt(dst, int64((now.Weekday()+6)%7)+1, 10)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

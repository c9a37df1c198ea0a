// Package timetext reads times as networks, shops, ad platforms and files write them. It never guesses: a text that may mean
// two times, such as 03/04/2026, is an error.
//
// Among others, these forms are read:
//
//   - ISO 8601, extended and basic: 2026-03-04T05:06:07Z, 20260304T050607+0100, 2026-063, 2026-W10-3. The offset may be
//     +01:00, +0100 or +01. A plus that arrived as a space is read as a plus. A fraction begins with a dot or a comma.
//   - Seconds, milliseconds, microseconds or nanoseconds since 1970, with or without a fraction.
//   - Dates with an English month: 4 Mar 2026, March 4, 2026, 04-Mar-26, and the forms of RFC 1123, RFC 850 and asctime.
//   - 25.03.2026 and 04.03.2026: with dots the day always comes first.
//   - 25/03/2026, 03/25/2026, 25-03-2026 and 03/03/2026, because each can mean only one day. 03/04/2026 is an error.
//   - A 12-hour clock with AM or PM, and the text of JavaScript's and Java's dates.
package timetext

import (
	"errors"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// MaxLength is the maximum length of a time's text in bytes.
const MaxLength = 100

// Reasons why a text is not read.
var (
	ErrEmpty     = errors.New("is empty")
	ErrForm      = errors.New("is not understood: write YYYY-MM-DD HH:MM:SS in UTC")
	ErrAmbiguous = errors.New("may be day/month or month/day: write YYYY-MM-DD")
	ErrYear      = errors.New("is not in the years 2000 to 2100")
	ErrNoDate    = errors.New("is not a day that exists")
	ErrWeekday   = errors.New("names a weekday that is not the weekday of its date")
	ErrZone      = errors.New("has a time zone that is not understood: write an offset such as +02:00")
)

// Reading is a time that was read.
type Reading struct {
	At        time.Time     // the time in the zone of the text, or else in the zone of the call, so that it has the date as written
	Precision time.Duration // unit of the last stated part: a day, an hour, a minute, a second, a millisecond or less
}

// Read reads a time. A text without an offset is read in the time zone "zone". The error is one of the reasons of this package.
func Read(text string, zone *time.Location) (r Reading, err error) {
	s := normalize(text)
	switch {
	case s == "":
		return r, ErrEmpty
	case len(s) > MaxLength:
		return r, ErrForm
	}
	if n, ok := readNumber(s); ok {
		r, err = n.reading(zone)
	} else {
		r, err = readParts(s, zone)
	}
	if err == nil && (r.At.UTC().Year() < 2000 || r.At.UTC().Year() > 2100) {
		err = ErrYear
	}
	if err != nil {
		return Reading{}, err
	}
	return r, nil
}

// ReadUTC reads a time and returns it in UTC. A text without an offset is in UTC.
func ReadUTC(text string) (time.Time, error) {
	r, err := Read(text, time.UTC)
	if err != nil {
		return time.Time{}, err
	}
	return r.At.UTC(), nil
}

// Day reads the date of a text and ignores a time of day.
func Day(text string) (time.Time, error) {
	r, err := Read(text, time.UTC)
	if err != nil {
		return time.Time{}, err
	}
	y, m, d := r.At.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC), nil
}

// Order says whether the day or the month comes first in a date whose numbers do not show it.
type Order uint8

// The orders.
const (
	NoOrder Order = iota
	DayFirst
	MonthFirst
)

// DayBy does the same as Day, for texts whose order of day and month is known. This order decides about a date such
// as 03/04/2026.
func DayBy(text string, order Order) (time.Time, error) {
	day, err := Day(text)
	m := yearLast.FindStringSubmatch(normalize(text))
	if !errors.Is(err, ErrAmbiguous) || order == NoOrder || m == nil {
		return day, err
	}
	d, month := numberOf(m[1]), numberOf(m[3])
	if order == MonthFirst {
		d, month = month, d
	}
	return time.Date(numberOf(m[5]), time.Month(month), d, 0, 0, 0, 0, time.UTC), nil
}

// normalize returns a text with plain spaces and signs, without quotes around it and without percent escapes.
func normalize(s string) string {
	if strings.Contains(s, "%") {
		if plain, err := url.PathUnescape(s); err == nil {
			s = plain
		}
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '\u200e', r == '\u200f', r == '\ufeff':
			return ' '
		case r == '\u2212', r == '\u2010', r == '\u2011', r == '\u2013':
			return '-'
		}
		return r
	}, s)
	return strings.Trim(s, ` "'`)
}

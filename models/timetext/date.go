package timetext

import (
	"regexp"
	"strings"
	"time"
)

var (
	yearFirst   = regexp.MustCompile(`^([0-9]{4})([-/.])([0-9]{1,2})([-/.])([0-9]{1,2})`)
	yearLast    = regexp.MustCompile(`^([0-9]{1,2})([-/.])([0-9]{1,2})([-/.])([0-9]{4})`)
	compactDate = regexp.MustCompile(`^([0-9]{4})([0-9]{2})([0-9]{2})`)
	ordinalDate = regexp.MustCompile(`^([0-9]{4})-?([0-9]{3})`)
	weekDate    = regexp.MustCompile(`^([0-9]{4})-?[Ww]([0-9]{2})-?([1-7])`)
	dayMonth    = regexp.MustCompile(`^([0-9]{1,2})(?:st|nd|rd|th)?[-/ .]*(?:of )?([A-Za-z]{3,9})\.?[-/ .,]*([0-9]{4}|[0-9]{2})`)
	monthDay    = regexp.MustCompile(`^([A-Za-z]{3,9})\.?[-/ ]*([0-9]{1,2})(?:st|nd|rd|th)?[-/ ,]+([0-9]{4})`)
	yearMonth   = regexp.MustCompile(`^([0-9]{4})[-/ .]([A-Za-z]{3,9})\.?[-/ .]([0-9]{1,2})`)
	noYear      = regexp.MustCompile(`^([A-Za-z]{3,9})\.? +([0-9]{1,2})`)
	noYearLast  = regexp.MustCompile(`^([0-9]{1,2}) ([A-Za-z]{3,9})`)
	yearAlone   = regexp.MustCompile(`^(20[0-9]{2}|2100)(?:$|[ ,])`)
)

var (
	months = []string{
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
	}
	weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
)

// indexOf returns the place of a name in the list, from 1. The argument word may be the whole name or its first three or more
// letters, as in Sept and Thurs. indexOf returns 0 if the list has no such name.
func indexOf(names []string, word string) int {
	word = strings.ToLower(word)
	for i, name := range names {
		if len(word) >= 3 && strings.HasPrefix(name, word) {
			return i + 1
		}
	}
	return 0
}

// readDate reads a date at the start of the text that is left. It returns false if the text does not begin with a date.
func (p *parts) readDate() (bool, error) {
	if m := p.cut(yearFirst); m != nil {
		if m[2] != m[4] {
			return false, ErrForm
		}
		return p.setDate(m[1], numberOf(m[3]), m[5])
	}
	if m := p.cut(yearLast); m != nil {
		return p.setUnordered(m)
	}
	if m := p.cut(weekDate); m != nil {
		return p.setWeek(numberOf(m[1]), numberOf(m[2]), numberOf(m[3]))
	}
	if m := p.cut(compactDate); m != nil {
		return p.setDate(m[1], numberOf(m[2]), m[3])
	}
	if m := p.cut(ordinalDate); m != nil {
		day := time.Date(numberOf(m[1]), 1, numberOf(m[2]), 0, 0, 0, 0, time.UTC)
		if day.Year() != numberOf(m[1]) || m[2] == "000" {
			return false, ErrNoDate
		}
		p.year, p.month, p.day, p.hasDate = day.Year(), int(day.Month()), day.Day(), true
		return true, p.noDigits()
	}
	return p.readNamed()
}

func (p *parts) readNamed() (bool, error) {
	for _, form := range []struct {
		form             *regexp.Regexp
		year, month, day int // places in the match; 0: the form has no such part
	}{{dayMonth, 3, 2, 1}, {monthDay, 3, 1, 2}, {yearMonth, 1, 2, 3}, {noYear, 0, 1, 2}, {noYearLast, 0, 2, 1}} {
		m := form.form.FindStringSubmatch(p.rest)
		if m == nil {
			continue
		}
		month := indexOf(months, m[form.month])
		after := p.rest[len(m[0]):]
		if month == 0 || form.year == 0 && strings.HasPrefix(after, ":") {
			continue
		}
		if form.year == 3 && after != "" && (isDigit(after[0]) || after[0] == ':' && len(m[3]) == 2) {
			continue
		}
		p.rest = after
		year := ""
		if form.year != 0 {
			if year = m[form.year]; len(year) == 2 {
				year = "20" + year
			}
		}
		return p.setDate(year, month, m[form.day])
	}
	return false, nil
}

func (p *parts) setDate(year string, month int, day string) (bool, error) {
	if year == "0000" {
		return false, ErrNoDate
	}
	p.year, p.month, p.day, p.hasDate = numberOf(year), month, numberOf(day), true
	return true, p.noDigits()
}

func (p *parts) noDigits() error {
	if p.rest != "" && isDigit(p.rest[0]) {
		return ErrForm
	}
	return nil
}

// setUnordered sets a date that ends in its year. If dots separate the numbers, the day comes first. With other
// separators, the numbers themselves must show which is the day.
func (p *parts) setUnordered(m []string) (bool, error) {
	first, second := numberOf(m[1]), numberOf(m[3])
	switch {
	case m[2] != m[4]:
		return false, ErrForm
	case m[2] == "." || first > 12 || first == second:
		return p.setDate(m[5], second, m[1])
	case second > 12:
		return p.setDate(m[5], first, m[3])
	case first == 0 || second == 0:
		return false, ErrNoDate
	}
	return false, ErrAmbiguous
}

func (p *parts) setWeek(year, week, day int) (bool, error) {
	jan4 := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC) // always in week 1
	monday := jan4.AddDate(0, 0, -(int(jan4.Weekday())+6)%7)
	at := monday.AddDate(0, 0, (week-1)*7+day-1)
	if y, w := at.ISOWeek(); y != year || w != week {
		return false, ErrNoDate
	}
	p.year, p.month, p.day, p.hasDate = at.Year(), int(at.Month()), at.Day(), true
	return true, p.noDigits()
}

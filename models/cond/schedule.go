package cond

import (
	"strconv"
	"strings"
)

// slot is a span of time on some days of the week (bit 1 = Monday). On each of these days, it begins at the minute `from` of the
// day and ends before the minute `to`. If `to` is not greater than `from`, it ends on the next day.
type slot struct {
	days     uint8
	from, to int
}

const (
	minutesPerDay = 24 * 60

	badDays = "days are 1 (Monday) to 7"
)

type scheduleTest []slot

func (t scheduleTest) test(f *Facts, _ *compiled) verdict {
	f.readClock()
	day, minute := int(f.num[DayOfWeek]), f.minute
	dayBefore := (day+5)%7 + 1
	for _, s := range t {
		today, yesterday := s.days&(1<<day) != 0, s.days&(1<<dayBefore) != 0
		switch {
		case s.from < s.to:
			if today && s.from <= minute && minute < s.to {
				return yes
			}
		case today && minute >= s.from, yesterday && minute < s.to:
			return yes
		}
	}
	return no
}

// parseSchedule reads a list of {days, from, to}. Days are numbers from 1 to 7, or names. An entry without `days` holds on every
// day. Times are HH:MM. An entry without `from` begins at 00:00, and an entry without `to` ends at 24:00.
func parseSchedule(v any) ([]slot, *Error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	if v == nil || len(list) == 0 {
		return nil, &Error{Reason: NoValue}
	}
	if len(list) > MaxItems {
		return nil, &Error{Reason: BadValue, Detail: "more than " + strconv.Itoa(MaxItems) + " entries"}
	}
	out := make([]slot, 0, len(list))
	for _, v := range list {
		s, detail := parseSlot(v)
		if detail != "" {
			return nil, &Error{Reason: BadValue, Detail: detail}
		}
		out = append(out, s)
	}
	return out, nil
}

// parseSlot reads one entry. detail says what is wrong with it, if anything is.
func parseSlot(v any) (s slot, detail string) {
	m, ok := v.(map[string]any)
	if !ok {
		return s, "an entry is not {days, from, to}"
	}
	if s.days, ok = parseDays(m["days"]); !ok {
		return s, badDays
	}
	var ok1, ok2 bool
	s.from, ok1 = parseMinute(m["from"], 0)
	s.to, ok2 = parseMinute(m["to"], minutesPerDay)
	if !ok1 || !ok2 || s.from == minutesPerDay {
		return s, "times are HH:MM"
	}
	return s, ""
}

func parseDays(v any) (mask uint8, ok bool) {
	list, isList := v.([]any)
	if v == nil || isList && len(list) == 0 {
		return 0xfe, true // every day
	}
	if !isList {
		list = []any{v}
	}
	for _, v := range list {
		text, _ := scalar(v)
		day, ok := parseDay(strings.TrimSpace(text))
		if !ok {
			return 0, false
		}
		mask |= 1 << day
	}
	return mask, true
}

func parseMinute(v any, absent int) (int, bool) {
	if v == nil {
		return absent, true
	}
	text, ok := v.(string)
	h, m, cut := strings.Cut(strings.TrimSpace(text), ":")
	if !ok || !cut || len(h) > 2 || len(m) != 2 {
		return 0, false
	}
	hour, err1 := strconv.ParseUint(h, 10, 8)
	minute, err2 := strconv.ParseUint(m, 10, 8)
	total := int(hour)*60 + int(minute)
	return total, err1 == nil && err2 == nil && minute < 60 && total <= minutesPerDay
}

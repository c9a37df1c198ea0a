package keitaro

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/moved"
)

// limit translates a limit of clicks. Only a limit per day exists here.
func limit(raw json.RawMessage, reject bool) (t test, ok bool) {
	var p struct {
		Hour  text `json:"per_hour"`
		Day   text `json:"per_day"`
		Total text `json:"total"`
	}
	if reject || len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &p) != nil {
		return t, false
	}
	t.cap = p.Day.number()
	var others []string
	for _, other := range []struct {
		value text
		name  string
	}{{p.Hour, "per hour"}, {p.Total, "in total"}} {
		if n := other.value.number(); n > 0 {
			others = append(others, fmt.Sprintf("%s (%d)", other.name, n))
		}
	}
	if t.cap <= 0 {
		return t, false
	}
	if len(others) > 0 {
		t.lost = []string{trackerimport.CapOnly(strings.Join(others, " and ")) + " The path is paused."}
	}
	return t, true
}

// zoneNote notes that the times of a filter are read in the account's time zone here. It is empty without a zone.
func zoneNote(zone text) string {
	if zone == "" {
		return ""
	}
	return fmt.Sprintf("Its times were in the time zone %[1]s; here they are in the account's. Set the account's time zone to %[1]s, or shift the times.", models.Shortened(string(zone), 60))
}

// interval translates a filter on two moments. Whole days are compared here, so a time within a day has no counterpart.
func interval(raw json.RawMessage, reject bool) (t test, ok bool) {
	var p struct {
		From     text `json:"from"`
		To       text `json:"to"`
		Timezone text `json:"timezone"`
	}
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &p) != nil || p.From+p.To == "" {
		return t, false
	}
	from, ok1 := dayOf(p.From, false)
	to, ok2 := dayOf(p.To, true)
	if !ok1 || !ok2 {
		return t, false
	}
	t.changed = zoneNote(p.Timezone)
	switch {
	case reject:
		t.or = true
		if from != "" {
			t.add("date", "lt", from)
		}
		if to != "" {
			t.add("date", "gt", to)
		}
	case to == "":
		t.add("date", "gte", from)
	case from == "":
		t.add("date", "lte", to)
	default:
		t.add("date", "between", []any{from, to})
	}
	return t, true
}

// dayOf returns the day of a moment, and an empty day for an empty moment. A time in the moment must be the start of the day or,
// with isEnd, the end of the day: 23:59, or 00:00 of the next day. Otherwise ok is false.
func dayOf(moment text, isEnd bool) (day string, ok bool) {
	if moment == "" {
		return "", true
	}
	for _, form := range []string{time.DateOnly, time.DateTime, "2006-01-02 15:04", time.RFC3339, "2006-01-02T15:04:05"} {
		at, err := time.Parse(form, string(moment))
		if err != nil {
			continue
		}
		clock := at.Format("15:04")
		switch {
		case form == time.DateOnly, !isEnd && clock == "00:00" && at.Second() == 0, isEnd && clock == "23:59":
			return at.Format(time.DateOnly), true
		case isEnd && clock == "00:00" && at.Second() == 0:
			return at.AddDate(0, 0, -1).Format(time.DateOnly), true
		}
		return "", false
	}
	return "", false
}

// slots are the weekly times of a filter. Versions of Keitaro use different names.
type slots struct {
	Days     texts       `json:"days"`
	Day      text        `json:"day"`
	Hours    texts       `json:"hours"`
	From     text        `json:"from"`
	To       text        `json:"to"`
	Timezone text        `json:"timezone"`
	Items    list[slots] `json:"intervals"`
}

func schedule(raw json.RawMessage, reject bool) (t test, ok bool) {
	var p slots
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &p) != nil {
		return t, false
	}
	items := p.Items
	if len(items) == 0 {
		items = list[slots]{p}
	}
	var out []any
	for _, s := range items {
		spans, ok := s.spans()
		if !ok {
			return t, false
		}
		out = append(out, spans...)
	}
	t = one("schedule", moved.Choose(reject, "not_equals", "equals"), out)
	t.changed = zoneNote(p.Timezone)
	return t, len(out) > 0
}

// spans writes Sunday as 7. Keitaro has 0 or 7.
func (s slots) spans() (out []any, ok bool) {
	days := []any{}
	for _, d := range append(s.Days, string(s.Day)) {
		if d == "0" {
			d = "7"
		}
		if d == "" {
			continue
		}
		if n, err := strconv.Atoi(d); err == nil {
			days = append(days, json.Number(strconv.Itoa(n)))
			continue
		}
		days = append(days, strings.ToLower(d))
	}
	add := func(from, to string) {
		span := members{"from": from, "to": to}
		if len(days) > 0 {
			span["days"] = days
		}
		out = append(out, span)
	}
	if len(s.Hours) == 0 {
		from, to := string(s.From), string(s.To)
		if from == "" && to == "" && len(days) == 0 {
			return nil, false
		}
		add(orText(from, "00:00"), orText(to, "24:00"))
		return out, true
	}
	hours := make([]int, 0, len(s.Hours))
	for _, h := range s.Hours {
		n, err := strconv.Atoi(h)
		if err != nil || n < 0 || n > 23 {
			return nil, false
		}
		hours = append(hours, n)
	}
	slices.Sort(hours)
	for i := 0; i < len(hours); {
		end := i + 1
		for end < len(hours) && hours[end] <= hours[end-1]+1 {
			end++
		}
		add(fmt.Sprintf("%02d:00", hours[i]), fmt.Sprintf("%02d:00", hours[end-1]+1))
		i = end
	}
	return out, true
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // includes the time zones in the program, because the system may lack them

	"switchyard/models"
)

// Buckets of trends.
const (
	Month       = "month"
	Day         = "day"
	Weekday     = "weekday"
	Hour        = "hour"
	WeekdayHour = "weekday_hour"
)

// Buckets lists the buckets of trends.
var Buckets = []string{Month, Day, Weekday, Hour, WeekdayHour}

// CheckBucket returns the error invalid_bucket if name is not a bucket.
func CheckBucket(name string) error {
	if !slices.Contains(Buckets, name) {
		return models.Invalid("invalid_bucket", "bucket must be one of %v", Buckets)
	}
	return nil
}

const maxZone = 64 // bytes

// Zone returns an IANA time zone. An empty name means UTC. For an unknown name it returns the error invalid_input.
func Zone(name string) (*time.Location, error) {
	if len(name) <= maxZone && !strings.EqualFold(name, "local") { // "local" would be the server's time zone
		if loc, err := time.LoadLocation(name); err == nil {
			return loc, nil
		}
	}
	return nil, models.Invalid("invalid_input", "tz must be an IANA time zone such as Europe/Berlin")
}

type span struct {
	start time.Time
	label string
}

// grain describes a kind of bucket: the length of the pieces into which it cuts local time, and the name of each bucket. Weekdays
// are named 1 (Monday) to 7.
type grain struct {
	seconds int64
	label   func(local time.Time) string
}

func weekday(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }

const (
	daySeconds  = 24 * 60 * 60
	hourSeconds = 60 * 60
)

var grains = map[string]grain{
	Month:   {daySeconds, func(t time.Time) string { return t.Format("2006-01") }},
	Day:     {daySeconds, func(t time.Time) string { return t.Format(time.DateOnly) }},
	Weekday: {daySeconds, func(t time.Time) string { return strconv.Itoa(weekday(t)) }},
	Hour:    {hourSeconds, hourLabel},
	WeekdayHour: {hourSeconds, func(t time.Time) string {
		return fmt.Sprintf("%d %02d:00", weekday(t), t.Hour())
	}},
}

// hourLabel returns the name of an hour of local time. Outside UTC the name includes the offset, which distinguishes the two
// equal hours when clocks go back.
func hourLabel(t time.Time) string {
	if t.Location() == time.UTC {
		return t.Format("2006-01-02 15:00:00")
	}
	return t.Format("2006-01-02 15:00:00-07:00")
}

// spans cuts [from, to) where the local clock of a zone goes from one bucket to the next: at whole hours or midnights of the
// zone, and where clocks are put forward or back. A day without a midnight begins when clocks are put forward. If clocks are put
// back over midnight, the same day has two spans with the same label. If there are more spans than limit, the result is nil or has
// one span too many.
func spans(from, to time.Time, zone *time.Location, g grain, limit int) []span {
	var out []span
	add := func(at time.Time) {
		label := g.label(at.In(zone))
		if n := len(out); n == 0 || out[n-1].label != label {
			out = append(out, span{at, label})
		}
	}
	for at := from; at.Before(to); {
		local := at.In(zone)
		add(at)
		_, offset := local.Zone()
		_, end := local.ZoneBounds()
		if !end.IsZero() && !end.After(at) { // ZoneBounds can return this in years far ahead
			end = at.Truncate(day).Add(day)
		}
		if end.IsZero() || end.After(to) {
			end = to
		}
		step := time.Duration(g.seconds) * time.Second
		for next := following(at, offset, g.seconds); next.Before(end); next = next.Add(step) {
			if add(next); len(out) > limit {
				return nil
			}
		}
		at = end
	}
	return out
}

// following returns the next time at which a clock with this offset shows a whole multiple of the given seconds.
func following(at time.Time, offset int, seconds int64) time.Time {
	local := at.Unix() + int64(offset)
	past := (local%seconds + seconds) % seconds
	return time.Unix(at.Unix()+seconds-past, 0).UTC()
}

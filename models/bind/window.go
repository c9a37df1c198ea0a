package bind

import (
	"net/url"
	"strings"
	"time"

	"switchyard/models"
)

// Window is a span of time in UTC. Both ends are included, to the second.
type Window struct{ From, To time.Time }

// End returns the first second after the window.
func (w Window) End() time.Time { return w.To.Add(time.Second) }

// Range is a window in the form of answers.
type Range struct {
	From string `json:"from" doc:"YYYY-MM-DD HH:MM:SS, UTC"`
	To   string `json:"to" doc:"YYYY-MM-DD HH:MM:SS, UTC"`
}

const windowDays = 7

// Range returns the window in the form that answers have.
func (w Window) Range() Range { return Range{w.From.Format(time.DateTime), w.To.Format(time.DateTime)} }

// RangeOf returns the range [from, end).
func RangeOf(from, end time.Time) Range {
	return Window{from.UTC(), end.UTC().Add(-time.Second)}.Range()
}

// ParseWindow reads the parameters "from" and "to": YYYY-MM-DD or YYYY-MM-DD HH:MM:SS, in UTC. A date in "to" means the end of that
// day. The default is the last seven days, including today. If "to" is before these days, and "from" is missing, the window is the
// seven days that end with "to". A malformed date or a reversed window is invalid_input.
func ParseWindow(q url.Values, now time.Time) (Window, error) {
	today := now.UTC().Truncate(24 * time.Hour)
	w := Window{From: today.AddDate(0, 0, 1-windowDays), To: endOfDay(today)}
	from, to := q.Get("from"), q.Get("to")
	if to != "" {
		t, bare, err := parseMoment("to", to)
		if err != nil {
			return w, err
		}
		w.To = t
		if bare {
			w.To = endOfDay(t)
		}
		if w.To.Before(w.From) {
			w.From = w.To.Truncate(24*time.Hour).AddDate(0, 0, 1-windowDays)
		}
	}
	if from != "" {
		t, _, err := parseMoment("from", from)
		if err != nil {
			return w, err
		}
		w.From = t
	}
	if w.From.After(w.To) {
		return w, models.Invalid("invalid_input", "the window ends before it begins: from is after to")
	}
	return w, nil
}

// ParseRange parses FROM..TO. Both parts have the form that ParseWindow accepts. Any other text is invalid_input.
func ParseRange(name, text string) (Window, error) {
	from, to, ok := strings.Cut(text, "..")
	if !ok || from == "" || to == "" {
		return Window{}, models.Invalid("invalid_input", "%s must be FROM..TO, each YYYY-MM-DD or YYYY-MM-DD HH:MM:SS", name)
	}
	return ParseWindow(url.Values{"from": {from}, "to": {to}}, time.Time{})
}

// HasWindow reports whether the parameter "from" or "to" was sent.
func HasWindow(q url.Values) bool { return q.Get("from") != "" || q.Get("to") != "" }

func endOfDay(day time.Time) time.Time { return day.Add(24*time.Hour - time.Second) }

func parseMoment(name, text string) (t time.Time, bare bool, err error) {
	t, err = time.Parse(time.DateOnly, text)
	bare = err == nil
	if !bare {
		t, err = time.Parse(time.DateTime, text)
	}
	// The year must be plausible: 1970 or later. time.Parse also accepts fractions of a second, which the length excludes.
	if err != nil || len(text) != len(time.DateOnly) && len(text) != len(time.DateTime) || t.Year() < 1970 {
		return t, bare, models.Invalid("invalid_input", "%s must be YYYY-MM-DD or YYYY-MM-DD HH:MM:SS", name)
	}
	return t, bare, nil
}

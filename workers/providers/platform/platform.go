// Package platform has what the adapters of affiliate networks and of ad platforms have in common: the options of a client, the
// state of a connection, and the reading of a range page by page.
package platform

import (
	"context"
	"errors"
	"strconv"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// Options are the options of a client. Only Egress is needed.
type Options struct {
	Egress *egress.Client
	// URL replaces the addresses of all platforms, for tests; empty: each platform's own address.
	URL string
	Now func() time.Time
	// Pace returns a limit on the requests of a connection over all processes: at most burst at once, and one more after each
	// interval.
	Pace func(key string, burst int, interval time.Duration) rest.Pace
	Wait func(ctx context.Context, d time.Duration) error
	// Timeout returns the timeout of the next request; nil: the default of rest.API.
	Timeout func() time.Duration
}

// WithDefaults returns the options with time.Now as Now if Now is nil.
func (o Options) WithDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Rate limits the requests of a connection: at most Burst at once, and one more after each Interval. A Burst of 0 means no limit.
type Rate struct {
	Burst    int
	Interval time.Duration
}

// Session is the state of a connection while requests are made.
type Session struct {
	rest.API
	used *Usage
}

// Usage counts the requests and pages of a connection.
type Usage struct {
	Requests int
	Pages    int
}

// Session returns a session with the API at base. retry is how long one request waits for a platform that is busy or fails. key
// is the name of the connection for its rate limit. PublicError hides the secrets.
func (o Options) Session(base, key string, rate Rate, retry time.Duration, secrets ...string) Session {
	s := Session{used: &Usage{}}
	s.API = rest.API{
		Out: o.Egress, Base: base, Now: o.Now, RetryTime: retry, Wait: o.Wait, Timeout: o.Timeout, Requested: func() { s.used.Requests++ },
	}.WithSecrets(secrets...)
	if o.Pace != nil && rate.Burst > 0 {
		s.Pace = o.Pace(key, rate.Burst, rate.Interval)
	}
	return s
}

// RetryTime is how long one request of a sync waits for a platform that is busy or fails.
const RetryTime = time.Minute

// Used returns the requests and pages so far.
func (s Session) Used() Usage { return *s.used }

// PublicError converts an error to a text for a person. Errors of package models and ErrTooMany stay unchanged.
func (s Session) PublicError(err error) error {
	if _, known := models.AsError(err); known || errors.Is(err, ErrTooMany) {
		return err
	}
	return s.API.PublicError(err)
}

// ErrTooMany says that a range has more rows than may be read at once.
var ErrTooMany = errors.New("the range has too many rows")

// Range is a range of days in the time zone of the connection. From and To are both included.
type Range struct{ From, To time.Time }

// First returns the first day as text, YYYY-MM-DD.
func (r Range) First() string { return r.From.Format(time.DateOnly) }

// Last returns the last day as text.
func (r Range) Last() string { return r.To.Format(time.DateOnly) }

// End returns the moment at which the range is over.
func (r Range) End() time.Time { return r.To.AddDate(0, 0, 1) }

// Has reports whether a moment is in the range.
func (r Range) Has(at time.Time) bool { return !at.Before(r.From) && at.Before(r.End()) }

// Split divides a range into ranges of at most the given number of days; 0: the range is not divided.
func (r Range) Split(days int) []Range {
	if days == 0 {
		return []Range{r}
	}
	var out []Range
	for from := r.From; !from.After(r.To); from = from.AddDate(0, 0, days) {
		to := from.AddDate(0, 0, days-1)
		if to.After(r.To) {
			to = r.To
		}
		out = append(out, Range{from, to})
	}
	return out
}

// Place returns the place that Next has written into a cursor. For an empty cursor it returns the parameter first.
func Place(cursor string, first int) int { return max(rest.Text(cursor).Number(), first) }

// Next returns the cursor of the next page. place is the number of that page or of its first row. Without more pages, the cursor
// is empty.
func Next(more bool, place int) string {
	if !more {
		return ""
	}
	return strconv.Itoa(place)
}

// maxPages is the maximum number of pages that a session reads.
const maxPages = 1000

// Read reads a range page by page, in requests of at most the given number of days. page reads the page at a cursor and returns
// the next cursor. The first cursor is empty, and so is the one after the last page. A cursor that comes again is an error,
// because the pages would never end. Errors are texts for a person, or ErrTooMany.
func (s Session) Read(period Range, days int, page func(period Range, cursor string) (next string, err error)) error {
	for _, part := range period.Split(days) {
		seen := map[string]bool{}
		for cursor := ""; ; {
			next, err := page(part, cursor)
			if err != nil {
				return s.PublicError(err)
			}
			s.used.Pages++
			if next == "" {
				break
			}
			if seen[next] || s.used.Pages > maxPages {
				return s.PublicError(rest.ErrForm)
			}
			cursor, seen[next] = next, true
		}
	}
	return nil
}

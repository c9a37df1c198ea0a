// Package networks reads conversions from the APIs of affiliate networks. Each platform is a row of the table and a file.
// README.md shows how one is added.
//
// Credentials never leave this package. No error contains one.
package networks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// Order is a conversion as a network reports it. Texts are the network's own.
type Order struct {
	Click    string // the sub-id that is a click id of ours, else the first that is not empty
	ID       string // by which the network knows the order when it changes
	Goal     string // empty: the plain conversion
	Word     string // for its status
	Status   string // what the word means to the network; empty: it is not known
	Payout   string // what we earn; empty: not said
	Currency string // empty: not said
	At       time.Time
	// Alone is a reversal whose order was not read with it: its payout is what it takes back, which may be a part.
	Alone bool

	// For a platform that reports one order by several records: record identifies this one, whole identifies what they all
	// belong to, and back says that this record takes money back.
	record, whole string
	back          bool
}

// Usage counts the requests and pages that reading took.
type Usage struct {
	Requests int
	Pages    int
}

// MaxOrders is the maximum number of orders that a caller waits for.
const MaxOrders = 5000

// ErrTooMany says that a range has more orders than may be read at once.
var ErrTooMany = errors.New("the range has too many orders")

// Options of a Client. URL, Now, Pace, Wait and Timeout are optional.
type Options struct {
	Egress *egress.Client
	// URL takes the place of every platform's address, for tests; empty: their own.
	URL string
	Now func() time.Time
	// Pace gives what holds back the requests of a connection over all processes: at most burst at once, and one more after
	// each interval.
	Pace func(key string, burst int, interval time.Duration) rest.Pace
	Wait func(ctx context.Context, d time.Duration) error
	// Timeout returns the timeout of the next request; nil: the default of rest.API.
	Timeout func() time.Duration
}

// Client opens connections. Safe for concurrent use.
type Client struct{ o Options }

// New makes a Client.
func New(o Options) *Client {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Client{o}
}

// platform is how a provider of models.NetworkProviders is asked.
type platform struct {
	base string // address of its API, without a slash at the end; empty: a credential says it
	own  bool   // the address is the customer's own, and tests do not replace it
	// open prepares the session: how it signs, and how its failures look; nil: nothing to prepare.
	open func(s *session)
	// test makes a cheap request; nil: the first page of today.
	test func(ctx context.Context, s *session) error
	// page reads a page of the orders of a range. cursor is empty for the first one. next is empty after the last one.
	page func(ctx context.Context, s *session, of Range, cursor string) (orders []Order, next string, err error)
	days int // maximum days of one request; 0: no limit
	// words are what the platform's words for a status mean, in lower case.
	words map[string]string
	// At most burst requests at once, and one more after each interval; 0: as many as one likes.
	burst    int
	interval time.Duration
}

// platforms are the providers, by name.
var platforms = map[string]platform{
	"admitad":    admitad,
	"affise":     affise,
	"awin":       awin,
	"cake":       cake,
	"cj":         cj,
	"clickbank":  clickbank,
	"custom":     custom,
	"everflow":   everflow,
	"impact":     impact,
	"partnerize": partnerize,
	"rakuten":    rakuten,
	"tune":       tune,
}

// Range are days, both included, in the time zone of the connection.
type Range struct{ From, To time.Time }

// End is the moment at which the range is over.
func (r Range) End() time.Time { return r.To.AddDate(0, 0, 1) }

// has reports whether a moment is in the range.
func (r Range) has(at time.Time) bool { return !at.Before(r.From) && at.Before(r.End()) }

// split divides a range into ranges of at most the given number of days; 0: the range is not divided.
func (r Range) split(days int) []Range {
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

// session is a connection while it is asked.
type session struct {
	rest.API
	platform

	c    map[string]string // credentials
	zone *time.Location    // in which the platform tells times and days
	used *Usage

	token string                                    // of a platform whose tokens are fetched
	fetch func(ctx context.Context) (string, error) // gets one
}

// retryTime is how long one request waits for a platform that is busy or fails.
const retryTime = time.Minute

// Connection is a connection to a platform. It is for one goroutine.
type Connection struct{ s *session }

// Open makes a connection with credentials, which are complete. key names it, for its pace.
func (c *Client) Open(name, key string, credentials map[string]string) (*Connection, error) {
	p, known := models.NetworkProviderNamed(name)
	how, ok := platforms[name]
	if !known || !ok {
		return nil, fmt.Errorf("networks: there is no platform %q", name)
	}
	zone, err := time.LoadLocation(credentials["timezone"]) // empty: UTC
	if err != nil {
		return nil, fmt.Errorf("networks: time zone: %w", err)
	}
	_, secrets := p.Split(credentials)
	s := &session{platform: how, c: credentials, zone: zone, used: &Usage{}}
	s.API = rest.API{
		Out: c.o.Egress, Base: how.base, Now: c.o.Now, RetryTime: retryTime, Wait: c.o.Wait, Timeout: c.o.Timeout,
		Asked: func() { s.used.Requests++ },
	}.Keep(slices.Collect(maps.Values(secrets))...)
	if c.o.Pace != nil && how.burst > 0 {
		s.Pace = c.o.Pace("network:"+key, how.burst, how.interval)
	}
	if how.open != nil {
		how.open(s)
	}
	if c.o.URL != "" && !how.own {
		s.Base = c.o.URL + "/" + name
	}
	return &Connection{s}, nil
}

// Used is what was asked so far.
func (c *Connection) Used() Usage { return *c.s.used }

// Test makes a request that shows whether the credentials are right. Errors are for a person.
func (c *Connection) Test(ctx context.Context) error {
	if c.s.test != nil {
		return c.s.Shown(c.s.test(ctx, c.s))
	}
	today := c.s.day(c.s.Now())
	_, _, err := c.s.page(ctx, c.s, Range{today, today}, "")
	return c.s.Shown(err)
}

// maxPages is how many pages of a range are read.
const maxPages = 1000

// Orders reads the orders of the days from one date to another, both included. The time of day does not matter. If there are
// more than most orders, the error is ErrTooMany. Other errors are for a person.
func (c *Connection) Orders(ctx context.Context, from, to time.Time, most int) ([]Order, error) {
	var all []Order
	for _, part := range (Range{c.s.date(from), c.s.date(to)}).split(c.s.days) {
		cursor := ""
		for {
			orders, next, err := c.s.page(ctx, c.s, part, cursor)
			if err != nil {
				return nil, c.s.Shown(err)
			}
			for _, o := range orders {
				all = append(all, c.s.clean(o))
			}
			c.s.used.Pages++
			switch {
			case len(all) > most:
				return nil, ErrTooMany
			case next == "":
			case next == cursor, c.s.used.Pages > maxPages:
				return nil, c.s.Shown(rest.ErrForm)
			}
			if cursor = next; cursor == "" {
				break
			}
		}
	}
	return settle(all), nil
}

// date is the day of a date in the connection's zone.
func (s *session) date(d time.Time) time.Time {
	return time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, s.zone)
}

// day is the day of a moment in the connection's zone.
func (s *session) day(at time.Time) time.Time { return s.date(at.In(s.zone)) }

// clean trims the texts of an order and reads its word for the status.
func (s *session) clean(o Order) Order {
	for _, text := range []*string{&o.Click, &o.ID, &o.Goal, &o.Word, &o.Status, &o.Payout, &o.Currency} {
		*text = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(*text, "\x00", ""), ""))
	}
	if o.Status == "" {
		o.Status = s.words[strings.ToLower(o.Word)]
	}
	return o
}

// clickOf gives the text that is a click id of ours, else the first that is not empty.
func clickOf(texts ...text) string {
	first := ""
	for _, t := range texts {
		word := strings.TrimSpace(string(t))
		if _, err := models.ParseClickID(word); err == nil {
			return word
		}
		if first == "" {
			first = word
		}
	}
	return first
}

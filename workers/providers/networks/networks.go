// Package networks reads conversions from the APIs of affiliate networks. Each platform has an entry in the table platforms
// and a file. README.md shows how to add one.
//
// No error contains credentials.
package networks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/platform"
)

// Order is a conversion as a network reports it, in the network's own texts.
type Order struct {
	Click string // the sub-id that is one of our click ids, else the first sub-id that is not empty
	ID    string // the network's id of the order, which stays the same when the order changes
	Goal  string // empty: the plain conversion
	// Ref and GoalRef are the order's id and goal as the network's postbacks write them; empty: the same.
	Ref, GoalRef string
	Word         string // the network's word for the status
	Status       string // our status that Word stands for, such as models.StatusApproved; empty: not known
	Payout       string // the amount that we earn; empty: not known
	Currency     string // empty: not known
	// Sale is the amount of the sale for which the network pays, in SaleCurrency; empty: not known. If SaleCurrency is
	// empty, the sale is in Currency.
	Sale, SaleCurrency string
	At                 Moment
	// Alone marks a reversal that was read without its order. Payout is then what the reversal takes back, perhaps only a part.
	Alone bool
	// StatusOnly marks a record that has the status of an order but no amount. It changes only a recorded order.
	StatusOnly bool

	// recordID and orderKey are for platforms that report one order, orderKey, as several records.
	recordID, orderKey string
	isReversal         bool
}

// MaxOrders is the maximum number of orders of a request that a user waits for.
const MaxOrders = 5000

// ErrTooMany says that a range has more orders than may be read at once.
var ErrTooMany = platform.ErrTooMany

// Options of a Client.
type Options = platform.Options

// Range is a range of days in the time zone of the connection.
type Range = platform.Range

// Client opens connections. Safe for concurrent use.
type Client struct{ o Options }

// New makes a Client.
func New(o Options) *Client { return &Client{o.WithDefaults()} }

// adapter describes how to call a provider of models.NetworkProviders.
type adapter struct {
	base         string // address of its API, without a slash at the end; empty: a credential has it
	customerHost bool   // the address is the customer's own, so Options.URL does not replace it
	// open sets how requests are signed and how failures are recognized; nil: nothing to set.
	open func(s *session)
	// test makes a cheap request; nil: Test reads the first page of today's orders.
	test func(ctx context.Context, s *session) error
	page pageFunc
	days int // maximum days of one request; 0: no limit
	// feeds are the requests for orders by the date of a change, if any.
	feeds     []feed
	feedDays  int // maximum days of one request by date of change
	feedReach int // how many days back the platform answers by date of change; 0: no limit
	// vanishes says that the platform stops reporting an order that was rejected.
	vanishes bool
	// statuses maps the platform's words for a status, in lower case, to our statuses.
	statuses map[string]string
	// At most burst requests at once, and one more after each interval; 0: no limit.
	burst    int
	interval time.Duration
}

var platforms = map[string]adapter{
	"admitad":     admitad,
	"affise":      affise,
	"awin":        awin,
	"cake":        cake,
	"cj":          cj,
	"clickbank":   clickbank,
	"custom":      custom,
	"digistore24": digistore24,
	"ebay":        ebay,
	"everflow":    everflow,
	"impact":      impact,
	"partnerize":  partnerize,
	"rakuten":     rakuten,
	"tune":        tune,
}

// session is the state of a connection while requests are made.
type session struct {
	platform.Session
	adapter

	c    map[string]string // credentials
	zone *time.Location    // time zone of the platform's days and times
	feed string            // the name of the feed that is read; empty: none

	token string // of a platform whose tokens are fetched
	fetch func(ctx context.Context) (string, error)

	unknown map[string]bool // fields that the platform has refused to report
}

// Connection is a connection to a platform. It is for one goroutine.
type Connection struct{ s *session }

// Open makes a connection. The credentials must be complete. key is the name of the connection for its rate limit.
func (c *Client) Open(name, key string, credentials map[string]string) (*Connection, error) {
	p, known := models.NetworkProviderNamed(name)
	entry, ok := platforms[name]
	if !known || !ok {
		return nil, fmt.Errorf("networks: there is no platform %q", name)
	}
	zone, err := time.LoadLocation(credentials["timezone"]) // empty: UTC
	if err != nil {
		return nil, fmt.Errorf("networks: time zone: %w", err)
	}
	_, secrets := p.Split(credentials)
	s := &session{
		Session: c.o.Session(entry.base, "network:"+name+":"+key, platform.Rate{Burst: entry.burst, Interval: entry.interval}, platform.RetryTime,
			slices.Collect(maps.Values(secrets))...),
		adapter: entry, c: credentials, zone: zone,
	}
	if entry.open != nil {
		entry.open(s)
	}
	if c.o.URL != "" && !entry.customerHost {
		s.Base = c.o.URL + "/" + name
	}
	return &Connection{s}, nil
}

// Used returns the requests and pages so far.
func (c *Connection) Used() platform.Usage { return c.s.Used() }

// Test makes a request that shows whether the credentials are right.
func (c *Connection) Test(ctx context.Context) error {
	if c.s.test != nil {
		return c.s.PublicError(c.s.test(ctx, c.s))
	}
	today := c.s.day(c.s.Now())
	_, _, err := c.s.page(ctx, c.s, Range{From: today, To: today}, "")
	return c.s.PublicError(err)
}

// Orders reads the orders of the days from one date to another, both included. The error is ErrTooMany if there are more than
// `most`. Other errors are texts for a person.
func (c *Connection) Orders(ctx context.Context, from, to time.Time, most int) ([]Order, error) {
	var all []Order
	if err := c.read(ctx, Range{From: c.s.date(from), To: c.s.date(to)}, c.s.days, c.s.page, most, &all); err != nil {
		return nil, err
	}
	return netReversals(all), nil
}

// pageFunc reads a page of the orders of a range. cursor and next are empty before the first and after the last page.
type pageFunc func(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error)

// read appends the orders of a range to *all. The error is ErrTooMany if the list gets longer than `most`.
func (c *Connection) read(ctx context.Context, period Range, days int, page pageFunc, most int, all *[]Order) error {
	return c.s.Read(period, days, func(period Range, cursor string) (string, error) {
		orders, next, err := page(ctx, c.s, period, cursor)
		for _, o := range orders {
			*all = append(*all, c.s.clean(o))
		}
		if err == nil && len(*all) > most {
			err = ErrTooMany
		}
		return next, err
	})
}

// Standing returns the range of days for which Orders lists every order that was not rejected. A recorded order of these days
// that is not listed was rejected. ok is false for a platform that reports rejected orders. It is also false for a range that
// ends before today, because an order on hold may be listed under a later day.
func (c *Connection) Standing(from, to time.Time) (period Range, ok bool) {
	period = Range{From: c.s.date(from), To: c.s.date(to)}
	return period, c.s.vanishes && period.End().After(c.s.Now())
}

// date returns the start of a calendar day in the connection's zone.
func (s *session) date(d time.Time) time.Time {
	return time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, s.zone)
}

// day returns the start of a moment's day in the connection's zone.
func (s *session) day(at time.Time) time.Time { return s.date(at.In(s.zone)) }

func (s *session) clean(o Order) Order {
	for _, text := range []*string{
		&o.Click, &o.ID, &o.Goal, &o.Ref, &o.GoalRef, &o.Word, &o.Status, &o.Payout, &o.Currency, &o.Sale, &o.SaleCurrency, &o.At.Unread,
	} {
		*text = strings.TrimSpace(models.Storable(*text))
	}
	if o.Status == "" {
		o.Status = s.statuses[strings.ToLower(o.Word)]
	}
	return o
}

// clickOf returns the text that is one of our click ids, else the first text that is not empty.
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

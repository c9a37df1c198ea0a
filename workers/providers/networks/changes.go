package networks

import (
	"context"
	"errors"
	"slices"
	"time"
)

// feed is a request for orders by the date of a change, such as the date of the network's decision. It finds decisions about
// orders of any age.
type feed struct {
	name string   // the platform's name of that date
	page pageFunc // reads a page; nil: adapter.page
}

const (
	// Changes begins to read up to this much earlier than its caller asks. A platform may show a decision some hours after its
	// date, and clocks and time zones differ.
	overlap = 48 * time.Hour
	// maxParts limits how short a period of Changes becomes: a month divided by 512 is less than two hours.
	maxParts = 512
)

// Feeds lists the providers whose orders can be requested by the date of a change.
func Feeds() []string {
	var names []string
	for name, entry := range platforms {
		if len(entry.feeds) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Changes reads the orders that the platform has changed or decided since the given time. It reads one period and returns its
// end, where the next call continues. The period begins up to two days earlier, so some orders are read again. A period with too
// many orders is shortened. ErrTooMany says that the shortest one has too many. Other errors are texts for a person.
func (c *Connection) Changes(ctx context.Context, since time.Time, most int) (orders []Order, until time.Time, err error) {
	for parts := time.Duration(1); ; parts *= 8 {
		period := c.s.changePeriod(since, parts)
		if orders, err = c.changed(ctx, period, most); !errors.Is(err, ErrTooMany) || parts >= maxParts {
			return orders, period.End(), err
		}
	}
}

// changePeriod returns the period that Changes reads. The period begins earlier than the given time, by at most overlap,
// but not more than feedReach days ago. It ends now at the latest. The more parts, the shorter is the period.
func (s *session) changePeriod(since time.Time, parts time.Duration) Range {
	now, day := s.Now().UTC().Truncate(time.Second), 24*time.Hour
	if since = since.UTC().Truncate(time.Second); since.After(now) {
		since = now
	}
	from := since.Add(-overlap / parts)
	if oldest := now.Add(-time.Duration(s.feedReach) * day); s.feedReach > 0 && from.Before(oldest) {
		from = oldest
	}
	until := from.Add(time.Duration(s.feedDays) * day / parts).Truncate(time.Second)
	if until.After(now) {
		until = now
	}
	return Range{From: from.Truncate(time.Second), To: until.AddDate(0, 0, -1)}
}

// feedParam returns the name of the feed as a query parameter, or nil without a feed.
func (s *session) feedParam() []string {
	if s.feed == "" {
		return nil
	}
	return []string{s.feed}
}

func (c *Connection) changed(ctx context.Context, period Range, most int) ([]Order, error) {
	defer func() { c.s.feed = "" }()
	var all []Order
	for _, f := range c.s.feeds {
		page := f.page
		if c.s.feed = f.name; page == nil {
			page = c.s.page
		}
		if err := c.read(ctx, period, 0, page, most, &all); err != nil {
			return nil, err
		}
	}
	return netReversals(all), nil
}

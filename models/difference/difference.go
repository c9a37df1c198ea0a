// Package difference compares the figures that a traffic source or a network reports with ours, by day and campaign. It splits
// each difference into causes. These and an unexplained rest add up to the difference exactly.
package difference

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// Limits of a comparison. A larger comparison gives the error too_many.
const (
	MaxDays        = 62
	MaxRows        = 5000   // combinations of a day and a campaign
	MaxConversions = 50_000 // conversions; for a network, orders and conversions together may be twice as many
	MaxRefused     = 50_000 // postbacks that did not become conversions
)

// The causes of a difference, in the order in which they are shown. "They" are the traffic source or the network. The amount of a
// cause is positive if it makes their figure larger than ours.
const (
	NotRead       = "not_read"       // none of their figures is stored for the day
	TimeZone      = "time_zone"      // their day begins at another moment than ours
	ConversionDay = "conversion_day" // they count a conversion on its own day, and we count it on the day of its click
	Bots          = "bots"           // clicks that arrived, but that we count as bots
	Hops          = "hops"           // visitors that did not go on from a landing page to the offer
	Unmatched     = "unmatched"      // their conversion names no click of ours
	NotReceived   = "not_received"   // their conversion was never reported to us
	Refused       = "refused"        // we refused their conversion, although it names a click of ours
	NotSent       = "not_sent"       // our conversion was not sent to them, or they did not accept it
	Late          = "late"           // one side changed after the figures of the other were read
	Currency      = "currency"       // the amount is in another currency
	Correction    = "correction"     // an amount or a conversion was entered or changed by hand
)

// Causes lists the causes in order.
var Causes = []string{NotRead, TimeZone, ConversionDay, Bots, Hops, Unmatched, NotReceived, Refused, NotSent, Late, Currency, Correction}

// The origins of their figures.
const (
	FromPlatform  = "platform"  // spend that was read through the connection of a source
	FromSpend     = "spend"     // spend of a source that was not read from the platform, but entered by a person or imported from a file
	FromOrders    = "orders"    // orders that were read through the connection of a network or from a file
	FromTotals    = "totals"    // daily sums from a network's file
	FromPostbacks = "postbacks" // postbacks that a network has sent
	FromNothing   = ""          // nothing is stored
)

// The kinds of the other side, which is called "they" here.
const (
	OfSource  = "source"
	OfNetwork = "network"
)

// Args select a comparison.
type Args struct {
	Kind string    `json:"kind"` // OfSource or OfNetwork
	ID   uuid.UUID `json:"id"`
	From string    `json:"from"` // first day, YYYY-MM-DD; From and To are included
	To   string    `json:"to"`
	TZ   string    `json:"tz"` // time zone of our days; empty: UTC
	// TheirZone is the time zone of their days. An empty TheirZone means the time zone of their connection, or else UTC.
	TheirZone string `json:"their_zone"`
}

// Days returns the first and the last day as midnights in UTC.
func (a Args) Days() (from, to time.Time, err error) {
	if from, err = time.Parse(time.DateOnly, a.From); err == nil {
		to, err = time.Parse(time.DateOnly, a.To)
	}
	return from, to, err
}

// Figures are the figures that are compared.
type Figures struct {
	Clicks      int64           `json:"clicks"`
	Conversions int64           `json:"conversions"`
	Money       decimal.Decimal `json:"money"`
}

// Plus returns the sum of two figures.
func (f Figures) Plus(g Figures) Figures {
	return Figures{f.Clicks + g.Clicks, f.Conversions + g.Conversions, f.Money.Add(g.Money)}
}

// Minus returns the difference of two figures.
func (f Figures) Minus(g Figures) Figures { return f.Plus(g.Neg()) }

// Neg returns the figures with the opposite sign.
func (f Figures) Neg() Figures { return Figures{-f.Clicks, -f.Conversions, f.Money.Neg()} }

// IsZero reports whether all figures are zero.
func (f Figures) IsZero() bool { return f.Clicks == 0 && f.Conversions == 0 && f.Money.IsZero() }

// Measures says which figures are compared. These are the figures that the other side reports.
type Measures struct {
	Clicks      bool `json:"clicks"`
	Conversions bool `json:"conversions"`
	Money       bool `json:"money"`
}

// Figures that are not compared become zero. Amounts are rounded before they are added, so that the shown amounts add up.
func (m Measures) only(f Figures) Figures {
	if !m.Clicks {
		f.Clicks = 0
	}
	if !m.Conversions {
		f.Conversions = 0
	}
	if f.Money = f.Money.Round(6); !m.Money {
		f.Money = decimal.Zero
	}
	return f
}

// Part is the part of a difference that has one cause. Reason is text for people. Only parts of the totals have it.
type Part struct {
	Cause  string `json:"cause"`
	Reason string `json:"reason"`
	Figures
}

// Cell is a day and one of our campaigns. The zero campaign stands for conversions and spend without a campaign.
type Cell struct {
	Day      string    `json:"day"` // YYYY-MM-DD
	Campaign uuid.UUID `json:"campaign_id"`
}

// Row is a cell with our figures and theirs. For each compared figure, Theirs minus Ours is the sum of Causes and Unexplained.
type Row struct {
	Cell
	Theirs      Figures `json:"theirs"`
	Ours        Figures `json:"ours"`
	Causes      []Part  `json:"causes"`
	Unexplained Figures `json:"unexplained"`
}

// Example is a conversion or an order that differs. If Cause is empty, Reason says what differs.
type Example struct {
	Cause        string           `json:"cause"`
	Reason       string           `json:"reason"`
	Day          string           `json:"day"` // day of the order or, if there is no order, of our conversion
	OrderID      string           `json:"order_id"`
	ClickID      uuid.UUID        `json:"click_id"`
	ConversionID string           `json:"conversion_id"`
	TheirStatus  string           `json:"their_status"` // empty: they do not have it
	OurStatus    string           `json:"our_status"`   // empty: we do not have it
	Payout       *decimal.Decimal `json:"payout"`       // theirs; nil: not reported
	Currency     string           `json:"currency"`
	OurPayout    *decimal.Decimal `json:"our_payout"` // nil: we do not have it
	OurCurrency  string           `json:"our_currency"`
}

// RateUsed is the range of the exchange rates with which amounts in a currency were converted. Missing is the number of amounts
// without a rate, which do not count.
type RateUsed struct {
	Currency string          `json:"currency"`
	Lowest   decimal.Decimal `json:"lowest"`
	Highest  decimal.Decimal `json:"highest"`
	Missing  int             `json:"missing"`
}

// Result is a comparison. Its amounts are in Currency.
type Result struct {
	Args
	Basis         string     `json:"basis"`    // the origin of their figures
	TheirTZ       string     `json:"their_tz"` // time zone of their days
	ReadAt        *time.Time `json:"read_at"`  // when their figures were last read
	Currency      string     `json:"currency"`
	TheirCurrency string     `json:"their_currency"` // empty: several currencies, all converted to Currency
	Compares      Measures   `json:"compares"`
	Rates         []RateUsed `json:"rates"`
	Total         Row        `json:"total"`
	Rows          []Row      `json:"rows"`
	Examples      []Example  `json:"examples"`
	// Names has the names of campaigns by id.
	Names map[string]string `json:"names"`
}

// Limits of the lists that a Sheet returns.
const (
	maxReasons  = 20  // for a cause; parts with other reasons are added up without a reason
	maxExamples = 10  // for a cause and reason
	allExamples = 200 // in all
)

// Sheet adds up a comparison. Its methods may be called in any order before Finish.
type Sheet struct {
	cells    map[Cell]*entry
	reasons  map[[2]string]Figures
	examples []Example
	listed   map[[2]string]int
}

type entry struct {
	theirs, ours Figures
	causes       map[string]Figures
}

// NewSheet returns an empty sheet.
func NewSheet() *Sheet {
	return &Sheet{cells: map[Cell]*entry{}, reasons: map[[2]string]Figures{}, listed: map[[2]string]int{}}
}

func (s *Sheet) at(c Cell) *entry {
	e := s.cells[c]
	if e == nil {
		e = &entry{causes: map[string]Figures{}}
		s.cells[c] = e
	}
	return e
}

// Len returns the number of cells.
func (s *Sheet) Len() int { return len(s.cells) }

func rounded(f Figures) Figures { return Measures{true, true, true}.only(f) }

// AddTheirs adds figures of the other side.
func (s *Sheet) AddTheirs(c Cell, f Figures) { e := s.at(c); e.theirs = e.theirs.Plus(rounded(f)) }

// AddOurs adds figures of ours.
func (s *Sheet) AddOurs(c Cell, f Figures) { e := s.at(c); e.ours = e.ours.Plus(rounded(f)) }

// Explain adds a part of the difference, with its cause.
func (s *Sheet) Explain(c Cell, cause, reason string, f Figures) {
	if f = rounded(f); f.IsZero() {
		return
	}
	e := s.at(c)
	e.causes[cause] = e.causes[cause].Plus(f)
	s.reasons[[2]string{cause, reason}] = s.reasons[[2]string{cause, reason}].Plus(f)
}

// AddExample lists a conversion or an order that differs. Beyond a limit, it does nothing.
func (s *Sheet) AddExample(x Example) {
	at := [2]string{x.Cause, x.Reason}
	if s.listed[at]++; s.listed[at] <= maxExamples && len(s.examples) < allExamples {
		s.examples = append(s.examples, x)
	}
}

// Finish writes the rows, the totals and the examples to a result. In Ours, all figures are set. Theirs, Causes and Unexplained have
// only the figures that the result compares.
func (s *Sheet) Finish(out *Result) {
	out.Rows, out.Examples = make([]Row, 0, len(s.cells)), append([]Example{}, s.examples...)
	out.Total = Row{Causes: []Part{}}
	for cell, e := range s.cells {
		r := Row{Cell: cell, Theirs: out.Compares.only(e.theirs), Ours: e.ours, Causes: []Part{}}
		r.Unexplained = out.Compares.only(r.Theirs.Minus(r.Ours))
		for _, cause := range Causes {
			if f := out.Compares.only(e.causes[cause]); !f.IsZero() {
				r.Causes = append(r.Causes, Part{Cause: cause, Figures: f})
				r.Unexplained = r.Unexplained.Minus(f)
			}
		}
		out.Total.Theirs, out.Total.Ours = out.Total.Theirs.Plus(r.Theirs), out.Total.Ours.Plus(r.Ours)
		out.Total.Unexplained = out.Total.Unexplained.Plus(r.Unexplained)
		out.Rows = append(out.Rows, r)
	}
	slices.SortFunc(out.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Campaign.String(), b.Campaign.String()))
	})
	for _, cause := range Causes {
		out.Total.Causes = append(out.Total.Causes, s.partsOf(cause, out.Compares)...)
	}
}

// partsOf returns the parts of the totals with a cause, one for each reason, the largest first. Parts after the first maxReasons
// are added up as one part without a reason.
func (s *Sheet) partsOf(cause string, m Measures) (list []Part) {
	for at, f := range s.reasons {
		if f = m.only(f); at[0] == cause && !f.IsZero() {
			list = append(list, Part{Cause: cause, Reason: at[1], Figures: f})
		}
	}
	slices.SortFunc(list, func(a, b Part) int {
		return cmp.Or(cmp.Compare(size(b.Conversions), size(a.Conversions)), b.Money.Abs().Cmp(a.Money.Abs()), cmp.Compare(a.Reason, b.Reason))
	})
	if len(list) <= maxReasons {
		return list
	}
	remaining := Part{Cause: cause}
	for _, p := range list[maxReasons:] {
		remaining.Figures = remaining.Plus(p.Figures)
	}
	return append(list[:maxReasons:maxReasons], remaining)
}

func size(n int64) int64 { return max(n, -n) }

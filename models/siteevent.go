package models

import (
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// SiteEvent is what a visitor did on a page of the account, as the page tag or a server reports it.
type SiteEvent struct {
	ID         uuid.UUID // by SiteEventID: the same event that is sent again has the same
	AccountID  uuid.UUID
	SiteID     uuid.UUID
	ReceivedAt time.Time
	At         time.Time
	ClickID    uuid.UUID // zero: a visitor of no click
	Arrival    string    // how the click was found, one of Arrivals; empty: not said
	AdID       string    // of the ad platform that Arrival names
	Name       string    // EventView, EventClick or the key of a goal
	Host       string
	Path       string // without query
	Referrer   string
	Value      decimal.Decimal // zero: not said
	Currency   string          // three letters, or empty
	OrderID    string
	Items      []SiteItem
	Slot       int    // that was clicked
	Source     string // FromTag or FromGoalAPI
	TimeZone   string // of the browser: its offset from UTC, as +02:00
	Screen     string // width x height
	WebDriver  bool   // the browser says that a program drives it
	Domain     string // that it was sent to
	IP         netip.Addr
	Goals      []ReachedGoal
}

// SiteItem is a product of an order.
type SiteItem struct {
	SKU      string `json:"sku,omitempty"`
	Name     string `json:"name,omitempty"`
	Price    Money  `json:"price"`
	Quantity int    `json:"quantity"`
}

// ReachedGoal is a goal that an event reached, by the settings of that moment.
type ReachedGoal struct {
	Key      string          `json:"key"`
	Value    decimal.Decimal `json:"value"`
	Currency string          `json:"currency"`
	Status   string          `json:"status,omitempty"` // empty: approved
	OrderID  string          `json:"order_id,omitempty"`
}

// Names of events that are not goals: events that the page tag sends automatically, and the event that identifies the visitor.
// The OrderID of EventIdentify is the account's own name for its visitor. All other events have the key of a goal as their
// name.
const (
	EventView     = "view"
	EventClick    = "click"
	EventIdentify = "identify"
)

// Arrivals are the ways in which a page finds the click of its visitor, in the order in which the page tag tries them.
// Direct finds none.
var Arrivals = slices.Concat([]string{"url", "cookie", "local", "redirect"}, AdArrivals, []string{ArrivalDirect})

// AdArrivals are the arrivals of visitors that an ad platform sent: the parameters of its click ids.
var AdArrivals = []string{"gclid", "fbclid", "msclkid", "ttclid"}

// ArrivalDirect is the arrival of a visitor without a click.
const ArrivalDirect = "direct"

// SiteEventID makes the id of an event from its source and the sender's own id, which is unique among the events of that source
// in the account. Any client can send events of the page tag. Because the source is part of the hash, such a client cannot name
// a server's event.
func SiteEventID(account uuid.UUID, source, own string) uuid.UUID {
	return hashID(account[:], []byte(source), []byte{0}, []byte(own))
}

// AdKey returns the key that finds a click by an ad platform's click id: a hash of the parameter and its value.
func AdKey(kind, value string) uuid.UUID { return hashID([]byte(kind), []byte{0}, []byte(value)) }

// hashID returns a UUID of version 8 that follows from its parts.
func hashID(parts ...[]byte) uuid.UUID {
	h := sha256.New()
	for _, p := range parts {
		_, _ = h.Write(p)
	}
	id := uuid.UUID(h.Sum(nil)[:16])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return id
}

// FindsClick reports whether the event tells how the click of its visitor was found.
func (e *SiteEvent) FindsClick() bool {
	return e.ClickID != uuid.Nil && e.Arrival != ArrivalDirect && slices.Contains(Arrivals, e.Arrival)
}

// Reach records each goal that the event reaches. A goal is reached if it is active, and if its key is the event's name or the
// event views its page.
func (e *SiteEvent) Reach(s SiteTerms, goals []GoalTerms) {
	for _, g := range goals {
		if !g.IsActive || g.Key != e.Name && !g.isPage(e) {
			continue
		}
		value, currency := g.worth(e, s)
		r := ReachedGoal{Key: g.Key, Value: value, Currency: currency}
		if g.Status == StatusPending {
			r.Status = StatusPending
		}
		if g.Dedupe == PerOrder {
			r.OrderID = e.OrderID
		}
		e.Goals = append(e.Goals, r)
	}
}

// Postbacks are the messages that report the goals of an event, each with the same id whenever it is made.
func (e *SiteEvent) Postbacks() []*Postback {
	if e.ClickID == uuid.Nil {
		return nil
	}
	var list []*Postback
	for _, g := range e.Goals {
		p := &Postback{
			ID: hashID(e.ID[:], []byte(g.Key)), AccountID: e.AccountID, ClickID: e.ClickID, Source: e.Source, Domain: e.Domain,
			IP: e.IP, Params: map[string]string{
				"clickid": FormatClickID(e.ClickID), "goal": g.Key, "payout": g.Value.String(),
				"time": e.At.UTC().Format(time.RFC3339Nano),
			},
		}
		var at [8]byte
		binary.BigEndian.PutUint64(at[:], uint64(max(e.ReceivedAt.UnixMilli(), 0))<<16)
		copy(p.ID[:6], at[:6])
		p.ID[6] = p.ID[6]&0x0f | 0x70
		for name, v := range map[string]string{"currency": g.Currency, "status": g.Status, "conversion_id": g.OrderID} {
			if v != "" {
				p.Params[name] = v
			}
		}
		list = append(list, p)
	}
	return list
}

// Kinds, ways to count and worths of a goal.
const (
	GoalEvent = "event"
	GoalPage  = "page"

	PerClick = "per_click"
	PerOrder = "per_order"

	ValueNone      = "none"
	ValueFixed     = "fixed"
	ValueFromEvent = "from_event"
)

// SiteTerms are what a site says about its events.
type SiteTerms struct {
	Domain      string `db:"domain" json:"domain"`
	Currency    string `db:"currency" json:"currency"`
	RevenueFrom string `db:"revenue_from" json:"revenueFrom" enum:"order,fixed"`
	IsActive    bool   `db:"is_active" json:"isActive"`
}

// What the orders of a site are worth: what they say, or the value of their goal, whatever they say.
const (
	RevenueOrder = "order"
	RevenueFixed = "fixed"
)

// Has reports whether a page of a host is of the site: the domain itself or one below it.
func (s SiteTerms) Has(host string) bool {
	return s.Domain != "" && (host == s.Domain || strings.HasSuffix(host, "."+s.Domain))
}

// GoalTerms are what decides when a goal is reached, and what that is worth.
type GoalTerms struct {
	Key       string `db:"key,once" json:"key"`
	Kind      string `db:"kind" json:"kind" enum:"event,page"`
	MatchPath string `db:"match_path" json:"matchPath"`
	Dedupe    string `db:"dedupe" json:"dedupe" enum:"per_click,per_order"`
	ValueMode string `db:"value_mode" json:"valueMode" enum:"none,fixed,from_event"`
	Value     Money  `db:"value" json:"value"`
	Currency  string `db:"currency" json:"currency"`
	Status    string `db:"status" json:"status" enum:"pending,approved"`
	IsActive  bool   `db:"is_active" json:"isActive"`
}

// isPage reports whether the event is a view of the goal's page.
func (g GoalTerms) isPage(e *SiteEvent) bool {
	return g.Kind == GoalPage && e.Name == EventView && MatchesPath(g.MatchPath, e.Path)
}

// worth is what an event that reaches the goal is worth.
func (g GoalTerms) worth(e *SiteEvent, s SiteTerms) (value decimal.Decimal, currency string) {
	currency = g.Currency
	if currency == "" {
		currency = s.Currency
	}
	switch {
	case g.ValueMode == ValueFixed, g.ValueMode == ValueFromEvent && s.RevenueFrom == RevenueFixed:
		return g.Value.Decimal, currency
	case g.ValueMode == ValueFromEvent:
		if e.Currency != "" {
			currency = e.Currency
		}
		return e.Value, currency
	}
	return decimal.Zero, currency
}

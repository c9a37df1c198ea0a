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

	"switchyard/models/money"
)

// SiteEvent is an action of a visitor of one of the account's sites, as the page tag or a server reports it.
type SiteEvent struct {
	ID         uuid.UUID       `db:"id" spool:"1"` // from SiteEventID: an event that is sent again has the same id
	AccountID  uuid.UUID       `db:"account_id" spool:"2"`
	SiteID     uuid.UUID       `db:"site_id" spool:"3"`
	ReceivedAt time.Time       `db:"received_at" spool:"4"`
	At         time.Time       `db:"at" spool:"5"`
	ClickID    uuid.UUID       `db:"click_id" spool:"6"` // zero: the visitor has no click
	Arrival    string          `db:"arrival" spool:"7"`  // how the click was found, one of Arrivals; empty: not reported
	AdID       string          `db:"ad_id" spool:"8"`
	Name       string          `db:"name" spool:"9"` // EventView, EventClick, EventIdentify or another name, such as the key of a goal
	Host       string          `db:"host" spool:"10"`
	Path       string          `db:"path" spool:"11"` // without the query
	Referrer   string          `db:"referrer" spool:"12"`
	Value      decimal.Decimal `db:"value" spool:"13"`    // zero: not reported
	Currency   string          `db:"currency" spool:"14"` // three letters, or empty
	OrderID    string          `db:"order_id" spool:"15"`
	Items      []SiteItem      `db:"items,json" spool:"16"`
	Slot       int             `db:"slot" spool:"17"`
	Source     string          `db:"source" spool:"18"`
	TimeZone   string          `db:"time_zone" spool:"19"`  // the browser's offset from UTC, such as +02:00
	Screen     string          `db:"screen" spool:"20"`     // width x height
	WebDriver  bool            `db:"web_driver" spool:"21"` // the browser reports that a program controls it
	Domain     string          `spool:"22"`
	IP         netip.Addr      `spool:"23"`
	Goals      []ReachedGoal   `spool:"24"`
	// Keys are the sealed hashes of the visitor's personal data, and KeyNames are the names of the keys, separated by
	// commas. ConsentDenied says that the visitor refuses the use of the data, so the stored data is deleted.
	Keys          []byte `spool:"25"`
	KeyNames      string `spool:"26"`
	ConsentDenied bool   `spool:"27"`
}

// SiteItem is a product of an order.
type SiteItem struct {
	SKU      string `json:"sku,omitempty"`
	Name     string `json:"name,omitempty"`
	Price    Money  `json:"price"`
	Quantity int    `json:"quantity"`
}

// ReachedGoal is a goal that an event reached, according to the goal's settings at that moment.
type ReachedGoal struct {
	Key      string          `json:"key"`
	Value    decimal.Decimal `json:"value"`
	Currency string          `json:"currency"`
	Status   string          `json:"status,omitempty"` // empty: approved
	OrderID  string          `json:"order_id,omitempty"`
}

// Names of events that are not goals. EventIdentify identifies the visitor: its OrderID is the account's own name for the
// visitor.
const (
	EventView     = "view"
	EventClick    = "click"
	EventIdentify = "identify"
)

// Arrivals lists the values of SiteEvent.Arrival: the ways in which a visitor's click is found, and ArrivalDirect.
var Arrivals = slices.Concat([]string{"url", "cookie", "local", "redirect"}, AdArrivals, []string{ArrivalDirect})

// AdArrivals lists the arrivals of visitors that an ad platform sent.
var AdArrivals = []string{"gclid", "fbclid", "msclkid", "ttclid"}

// ArrivalDirect is the arrival of a visitor without a click.
const ArrivalDirect = "direct"

// SiteEventID returns the id of an event. senderID is the id that the sender gave the event. It must be unique among the
// account's events from the same source. The source is part of the hash, so that an event of the page tag, which anyone can send,
// cannot take the id of a server's event.
func SiteEventID(account uuid.UUID, source, senderID string) uuid.UUID {
	return hashID(account[:], []byte(source), []byte{0}, []byte(senderID))
}

// AdKey returns the key by which a click is found from an ad platform's click id: a hash of the parameter and its value.
func AdKey(kind, value string) uuid.UUID { return hashID([]byte(kind), []byte{0}, []byte(value)) }

func hashID(parts ...[]byte) uuid.UUID {
	h := sha256.New()
	for _, p := range parts {
		_, _ = h.Write(p)
	}
	id := uuid.UUID(h.Sum(nil)[:16])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return id
}

// FindsClick reports whether the event names both a click and the way in which the click was found.
func (e *SiteEvent) FindsClick() bool {
	return e.ClickID != uuid.Nil && e.Arrival != ArrivalDirect && slices.Contains(Arrivals, e.Arrival)
}

// RecordGoals records each goal that the event reaches. An active page goal is also reached by a view of its page.
func (e *SiteEvent) RecordGoals(s SiteTerms, goals []GoalTerms) {
	for _, g := range goals {
		if !g.IsActive || g.Key != e.Name && !g.isPage(e) {
			continue
		}
		value, currency := g.valueOf(e, s)
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

// Postbacks returns the postbacks that report the event's goals. The list is empty if the event has no click. The id of a postback
// is derived from the event, the time at which it was received, and the goal.
func (e *SiteEvent) Postbacks() []*Postback {
	if e.ClickID == uuid.Nil {
		return nil
	}
	var list []*Postback
	for _, g := range e.Goals {
		p := &Postback{
			ID: hashID(e.ID[:], []byte(g.Key)), AccountID: e.AccountID, ClickID: e.ClickID, Source: e.Source, Domain: e.Domain,
			IP: e.IP, Params: map[string]string{
				"clickid": FormatClickID(e.ClickID), "goal": g.Key, "payout": money.Text(g.Value),
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

// The kinds of a goal, the ways to count it, and the sources of its value.
const (
	GoalEvent = "event"
	GoalPage  = "page"

	PerClick = "per_click"
	PerOrder = "per_order"

	ValueNone      = "none"
	ValueFixed     = "fixed"
	ValueFromEvent = "from_event"
)

// SiteTerms are the settings of a site that apply to its events.
type SiteTerms struct {
	Domain      string `db:"domain" json:"domain"`
	Currency    string `db:"currency" json:"currency"`
	RevenueFrom string `db:"revenue_from" json:"revenueFrom" enum:"order,fixed"`
	IsActive    bool   `db:"is_active" json:"isActive"`
}

// The sources of an order's value.
const (
	RevenueOrder = "order"
	RevenueFixed = "fixed"
)

// Has reports whether host belongs to the site: it is the site's domain or a subdomain of it.
func (s SiteTerms) Has(host string) bool {
	return s.Domain != "" && (host == s.Domain || strings.HasSuffix(host, "."+s.Domain))
}

// GoalTerms are the settings that decide when a goal is reached and what reaching it is worth.
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

func (g GoalTerms) isPage(e *SiteEvent) bool {
	return g.Kind == GoalPage && e.Name == EventView && MatchesPath(g.MatchPath, e.Path)
}

func (g GoalTerms) valueOf(e *SiteEvent, s SiteTerms) (value decimal.Decimal, currency string) {
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

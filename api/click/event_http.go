package click

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/api/click/tag"
	"switchyard/api/routing"
	"switchyard/models"
	"switchyard/models/matchkey"
	"switchyard/models/money"
	"switchyard/models/netguard"
)

// pageMessage is the body that the page tag sends: some events of one page, and the time by the page's clock.
type pageMessage struct {
	Site   loose             `json:"site"`
	Now    loose             `json:"now"`
	Events []json.RawMessage `json:"events"`
}

// pageEvent is one event in a message of the page tag.
type pageEvent struct {
	ID         loose           `json:"id"`
	Name       loose           `json:"name"`
	At         loose           `json:"at"` // time of the event by the page's clock, like Now
	URL        loose           `json:"url"`
	Referrer   loose           `json:"ref"`
	Click      loose           `json:"click"`
	From       loose           `json:"from"` // how the page got the click's id: one of pageArrivals
	Ad         loose           `json:"ad"`   // an ad platform's click id, such as gclid=XYZ
	ExternalID loose           `json:"external_id"`
	Value      looseAmount     `json:"value"`
	Currency   loose           `json:"currency"`
	OrderID    loose           `json:"order_id"`
	Items      json.RawMessage `json:"items"`
	Slot       loose           `json:"slot"`
	TimeZone   loose           `json:"tz"` // minutes east of UTC
	Screen     loose           `json:"screen"`
	WebDriver  loose           `json:"webdriver"`
	User       json.RawMessage `json:"user"`
	Consent    loose           `json:"consent"`
}

// pageItem is a product of an order. It also accepts the names item_id and item_name, which pages already use for analytics
// tools.
type pageItem struct {
	SKU      loose       `json:"sku"`
	ItemID   loose       `json:"item_id"`
	Name     loose       `json:"name"`
	ItemName loose       `json:"item_name"`
	Price    looseAmount `json:"price"`
	Quantity loose       `json:"quantity"`
}

// loose is a value that a page sends as a text, a number or a boolean, kept as text. It is empty for null, lists and objects.
type loose string

// UnmarshalJSON implements json.Unmarshaler. It accepts any value.
func (l *loose) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		return json.Unmarshal(b, (*string)(l))
	case 'n', '{', '[':
		*l = ""
	default:
		*l = loose(b)
	}
	return nil
}

// looseAmount is an amount that a page sends as a text or as a number. A number goes through money.Exact, because its point is always
// the decimal point. A text may use any notation that money.Read accepts.
type looseAmount loose

// UnmarshalJSON implements json.Unmarshaler. It accepts any value.
func (l *looseAmount) UnmarshalJSON(b []byte) error {
	err := (*loose)(l).UnmarshalJSON(b)
	if b[0] != '"' {
		*l = looseAmount(money.Exact(string(*l)))
	}
	return err
}

// number returns the value as a number, or 0 if it is no number or is too large.
func (l loose) number() float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(string(l)), 64)
	if err != nil || f != f || f > 1e15 || f < -1e15 {
		return 0
	}
	return f
}

// offset returns a value in minutes east of UTC in the form +02:00.
func (l loose) offset() string {
	const day = 24 * 60
	minutes := l.number()
	if l == "" || minutes <= -day || minutes >= day {
		return ""
	}
	return time.Unix(0, 0).In(time.FixedZone("", int(minutes)*60)).Format("-07:00")
}

var (
	errEventsTooLarge = models.Errorf(models.KindTooLarge, "too_large", "a message has at most %d bytes", tag.MaxBody)
	errNoMessage      = models.Invalid("bad_body", `the body is not a JSON object like {"site": "...", "events": [...]}`)
	errNoEvents       = models.Invalid("no_events", "a message has 1 to %d events", tag.MaxEvents)
	errNoEventID      = models.Invalid("invalid_event", "each event must have an id of its own, with 1 to %d characters", tag.MaxID)
	errEventName      = models.Invalid("bad_key", "the name of an event is a goal's key: a lower-case letter, then 1 to 63 letters, digits and _")
	errUnknownKey     = models.Errorf(models.KindNotFound, "unknown_site_key",
		"no account has this site key on this domain; the right one is in GET /api/v1/goals")
	errSiteless = models.Errorf(models.KindNotFound, "no_site",
		"the page belongs to no active site; create a site with POST /api/v1/sites")
)

// refusedEvent is an event that was not accepted, with the reason.
type refusedEvent struct {
	Index   int    `json:"index"` // index of the event in the message
	Code    string `json:"code"`
	Message string `json:"message"`
}

// notKept is a value of an event's personal data that is not kept.
type notKept struct {
	Index int `json:"index"` // index of the event in the message
	matchkey.Dropped
}

// eventsReply is the answer to a message that was not stored completely.
type eventsReply struct {
	Accepted int            `json:"accepted"`
	Refused  []refusedEvent `json:"refused"`
	NotKept  []notKept      `json:"not_kept,omitempty"`
}

// pageEvents answers /t/event, where the page tag reports what happened on a page. 204 means that all events are on stable
// storage. If some events are malformed, the others are stored, and the answer lists the malformed events. Any page may send
// events, because the site key is public and the answer discloses nothing.
func (h *Handler) pageEvents(w http.ResponseWriter, r *http.Request) {
	allowOrigin(w.Header(), r)
	if r.Method == http.MethodOptions {
		w.Header().Set("Access-Control-Allow-Methods", "POST")
		w.Header().Set("Access-Control-Allow-Headers", "Content-Type")
		w.Header().Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	out, err := h.readEvents(w, r)
	switch {
	case err != nil:
		h.metrics.eventsRefused.Inc()
		replyError(w, err)
	case len(out.Refused)+len(out.NotKept) > 0:
		if len(out.Refused) > 0 {
			h.metrics.eventsRefused.Inc()
		}
		writeReply(w, http.StatusOK, reply{Data: out})
	default:
		w.Header()["Cache-Control"] = noStore
		w.WriteHeader(http.StatusNoContent)
	}
}

// allowOrigin lets a page of any origin read the answer, even if its request had cookies.
func allowOrigin(h http.Header, r *http.Request) {
	h["Cross-Origin-Resource-Policy"] = crossOrigin
	h.Set("Vary", "Origin")
	if origin := r.Header.Get("Origin"); origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Credentials", "true")
	}
}

// readEvents reads a message and stores its events. The errors are worded for the sender.
func (h *Handler) readEvents(w http.ResponseWriter, r *http.Request) (out eventsReply, err error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST, OPTIONS")
		return out, errPostOnly
	}
	from, now := netguard.ClientPrefix(h.visitors.ClientIP(r)), time.Now()
	if !h.eventLimits.senders.Allow(from, now) {
		return out, h.tooMany()
	}
	if !h.Ready() {
		return out, errUnavailable
	}
	m, err := readPageMessage(w, r)
	if err != nil {
		return out, err
	}
	domain, account := h.routes.Current().Domain(models.BareHost(r.Host)), h.routes.Current().AccountOfSiteKey(string(m.Site))
	if domain == nil || account == nil || !domain.Serves(account.Row.ID) {
		return out, errUnknownKey
	}
	n := len(m.Events) // senders.Allow above has counted the first event already
	if !h.eventLimits.senders.AllowN(from, n-1, now) || !h.eventLimits.admits(addressee{account: account.Row.ID}, from, n, now) {
		return out, h.tooMany()
	}
	events, out, err := h.eventsOf(r, m, account, now)
	if len(events) == 0 {
		return out, err
	}
	switch err := h.storeEvents(r.Context(), account, events); {
	case errors.Is(err, errNoSite):
		return out, errSiteless
	case err != nil:
		return out, errUnavailable
	}
	return out, nil
}

func readPageMessage(w http.ResponseWriter, r *http.Request) (m pageMessage, err error) {
	body, err := readBody(w, r, tag.MaxBody, errEventsTooLarge, errNoMessage)
	if err != nil {
		return m, err
	}
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) || json.Unmarshal(body, &m) != nil {
		return m, errNoMessage
	}
	if len(m.Events) == 0 || len(m.Events) > tag.MaxEvents {
		return m, errNoEvents
	}
	return m, nil
}

// eventsOf returns the accepted events of a message, and an answer that lists the refused events and the personal data that are
// not kept. The error is the one of the last refused event, or errUnavailable with no events if personal data could not be
// encrypted.
func (h *Handler) eventsOf(r *http.Request, m pageMessage, a *routing.Account, now time.Time) (
	events []models.SiteEvent, out eventsReply, last error,
) {
	known, findCountry := h.knownClick(r, a.Row.ID), h.countryFinder(r, fromBrowser)
	out.Refused = []refusedEvent{}
	snapshot, host, ip := h.routes.Current(), models.BareHost(r.Host), h.visitors.ClientIP(r)
	for i, raw := range m.Events {
		var p pageEvent
		e, err := models.SiteEvent{}, errNoEventID
		if json.Unmarshal(raw, &p) == nil {
			e, err = p.event(m.Now.number(), known, now)
			if err == nil {
				e.Host = cmp.Or(models.BareHost(e.Host), originHost(r))
				err = p.readMoney(&e, siteCurrency(snapshot.SiteOf(a.Row.ID, e.Host)))
			}
		}
		if err != nil {
			out.Refused, last = append(out.Refused, refusedEvent{i, err.Code, err.Message}), err
			continue
		}
		e.ID = models.SiteEventID(a.Row.ID, models.FromTag, string(p.ID))
		e.Source, e.Domain, e.IP = models.FromTag, host, ip
		dropped, failure := h.setMatchKeys(r.Context(), a.Row.ID, &e, p.User, string(p.Consent), findCountry)
		if failure != nil {
			h.logThrottled(r.Context(), failure)
			return nil, out, errUnavailable
		}
		for _, d := range dropped {
			out.NotKept = append(out.NotKept, notKept{i, d})
		}
		events = append(events, e)
	}
	out.Accepted = len(events)
	return events, out, last
}

// knownClick returns the click in the sender's cookie of this domain, if it belongs to this account.
func (h *Handler) knownClick(r *http.Request, account uuid.UUID) uuid.UUID {
	snap := h.routes.Current()
	for _, t := range clickCookies(r.Header, snap.Domain(models.BareHost(r.Host))) {
		if c := snap.Campaign(t.Campaign); c != nil && c.Row.AccountID == account {
			return t.Click
		}
	}
	return uuid.Nil
}

func originHost(r *http.Request) string {
	_, host, _ := strings.Cut(r.Header.Get("Origin"), "://")
	return host
}

// pageArrivals lists the ways in which a page may say that it got the click's id. "cookie" is the page's own cookie, in which the
// page tag keeps the click.
var pageArrivals = []loose{"url", "cookie", "local"}

// event reads an event of a page. clock is the page's time when the message was sent, and known is the click in the sender's
// cookie.
func (p *pageEvent) event(clock float64, known uuid.UUID, now time.Time) (e models.SiteEvent, err *models.Error) {
	if p.ID == "" || utf8.RuneCountInString(string(p.ID)) > tag.MaxID {
		return e, errNoEventID
	}
	name := strings.ToLower(strings.TrimSpace(string(p.Name)))
	if !models.ValidGoalKey(name) {
		return e, errEventName
	}
	e = models.SiteEvent{
		Name: name, At: now, Referrer: string(p.Referrer), OrderID: string(p.OrderID),
		Slot: int(p.Slot.number()), TimeZone: p.TimeZone.offset(), Screen: string(p.Screen), WebDriver: p.WebDriver == "true",
	}
	if name == models.EventIdentify {
		e.OrderID = string(p.ExternalID)
	}
	if age := clock - p.At.number(); age > 0 && p.At != "" {
		e.At = now.Add(-time.Duration(min(age, float64(maxEventAge.Milliseconds()))) * time.Millisecond)
	}
	p.setFoundBy(&e, known)
	address := strings.TrimPrefix(strings.TrimPrefix(string(p.URL), "https://"), "http://")
	host, path, _ := strings.Cut(address, "/")
	e.Host, e.Path = host, "/"+path
	return e, nil
}

// setFoundBy records how the click is found: by the page, by the cookie of the tracking domain, by an ad platform's id, or not at
// all.
func (p *pageEvent) setFoundBy(e *models.SiteEvent, known uuid.UUID) {
	id, err := models.ParseClickID(string(p.Click))
	kind, ad, _ := strings.Cut(string(p.Ad), "=")
	switch {
	case err == nil && id != uuid.Nil:
		e.ClickID, e.Arrival = id, string(pageArrivals[0])
		if slices.Contains(pageArrivals, p.From) {
			e.Arrival = string(p.From)
		}
	case known != uuid.Nil:
		e.ClickID, e.Arrival = known, "redirect" // our redirect set this cookie
	case ad != "" && slices.Contains(models.AdArrivals, kind):
		e.Arrival, e.AdID = kind, ad
	default:
		e.Arrival = models.ArrivalDirect
	}
}

// readMoney sets the value, the currency and the products of an event. fallback is the currency of amounts that state no
// currency.
func (p *pageEvent) readMoney(e *models.SiteEvent, fallback string) *models.Error {
	if err := readValue(e, string(p.Value), string(p.Currency), fallback); err != nil {
		return err
	}
	var list []pageItem
	if json.Unmarshal(p.Items, &list) != nil {
		return nil
	}
	for _, i := range list[:min(len(list), maxItems)] {
		e.Items = append(e.Items, models.SiteItem{
			SKU: string(cmp.Or(i.SKU, i.ItemID)), Name: string(cmp.Or(i.Name, i.ItemName)),
			Price: readPrice(string(i.Price), e, fallback), Quantity: int(cmp.Or(i.Quantity, "1").number()),
		})
	}
	return nil
}

func siteCurrency(s *routing.Site) string {
	if s == nil {
		return ""
	}
	return s.Row.Currency
}

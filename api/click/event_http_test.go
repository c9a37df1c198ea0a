package click

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/click/tag"
	"switchyard/db/dbtest"
	"switchyard/models"
	"switchyard/models/bucket"
)

func (w *env) postEvents(events string, edits ...edit) (status int, code string) {
	w.Helper()
	return w.postBody(fmt.Sprintf(`{"site": %q, "now": 1700000060000, "events": [%s]}`, w.account, events), edits...)
}

func (w *env) postBody(body string, edits ...edit) (status int, code string) {
	w.Helper()
	all := append([]edit{header("Content-Type", "text/plain;charset=UTF-8"), header("Origin", "https://shop.test")}, edits...)
	res := w.send(http.MethodPost, "/t/event", body, all...)
	if got := res.Header.Get("Access-Control-Allow-Origin"); got != "https://shop.test" {
		w.Errorf("the answer allows the origin %q, want https://shop.test", got)
	}
	if res.StatusCode == http.StatusNoContent {
		return res.StatusCode, ""
	}
	var got struct {
		Data  struct{ Refused []refusedEvent }
		Error struct{ Code, Message string }
	}
	text, err := io.ReadAll(res.Body)
	if err != nil || json.Unmarshal(text, &got) != nil {
		w.Fatalf("the answer %d %s is not JSON: %v", res.StatusCode, text, err)
	}
	var codes []string
	for _, r := range got.Data.Refused {
		codes = append(codes, strconv.Itoa(r.Index)+":"+r.Code)
	}
	return res.StatusCode, strings.Join(codes, " ") + got.Error.Code
}

var equal = []cmp.Option{
	cmp.Comparer(func(a, b decimal.Decimal) bool { return a.Equal(b) }),
	cmp.Comparer(func(a, b models.Money) bool { return a.Equal(b.Decimal) }),
	cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
}

// TestPageEvents: a page's report becomes an event, in whatever form the page writes its values.
func TestPageEvents(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	site := w.site("shop.test", "")
	mine := w.campaign("summer-sale", nil, path("lander", nil, to(w.lander("https://shop.test/")), to(w.offer("https://offer.test/", uuid.Nil))))
	w.reload()
	click := models.NewClickID()
	cookies := func(campaign uuid.UUID) edit {
		return header("Cookie", clickCookieName+"="+string(appendIDs(nil, click, campaign, uuid.Nil, uuid.Nil, uuid.Nil)))
	}
	view := models.SiteEvent{Name: "view", Arrival: models.ArrivalDirect, Host: "shop.test", Path: "/"}
	wantWith := func(change func(e *models.SiteEvent)) models.SiteEvent {
		e := view
		change(&e)
		return e
	}
	named := fmt.Sprintf(`"id": "1", "name": "view", "url": "shop.test", "click": %q`, models.FormatClickID(click))
	for _, c := range []struct {
		name, event string
		edit        edit
		want        models.SiteEvent
	}{
		{"no click", `{"id": "1", "name": "view"}`, nil, view},
		{"from an address", `{` + named + `, "from": "url"}`, nil, wantWith(func(e *models.SiteEvent) { e.ClickID, e.Arrival = click, "url" })},
		{"from localStorage", `{` + named + `, "from": "local"}`, nil, wantWith(func(e *models.SiteEvent) { e.ClickID, e.Arrival = click, "local" })},
		{"unknown value of from, read as url", `{` + named + `, "from": "gclid"}`, nil, wantWith(func(e *models.SiteEvent) { e.ClickID, e.Arrival = click, "url" })},
		{"the page's click precedes the cookie's", `{` + named + `, "from": "cookie"}`, cookies(mine), wantWith(func(e *models.SiteEvent) { e.ClickID, e.Arrival = click, "cookie" })},
		{"the click in our cookie precedes an ad's id", `{"id": "1", "name": "view", "ad": "gclid=a=b"}`, cookies(mine), wantWith(func(e *models.SiteEvent) { e.ClickID, e.Arrival = click, "redirect" })},
		{"another account's click", `{"id": "1", "name": "view", "ad": "gclid=a=b"}`, cookies(uuid.New()), wantWith(func(e *models.SiteEvent) { e.Arrival, e.AdID = "gclid", "a=b" })},
		{"made-up platform", `{"id": "1", "name": "view", "ad": "xclid=a"}`, nil, view},
		{"no click id", `{"id": "1", "name": "view", "click": "../../", "from": "url"}`, nil, view},
		{"an address", `{"id": "1", "name": "view", "url": "https://WWW.shop.test:8443/a/b?c=d"}`, nil, wantWith(func(e *models.SiteEvent) { e.Host, e.Path = "www.shop.test", "/a/b" })},
		{"a router's address", `{"id": "1", "name": "view", "url": "shop.test/app#/thanks"}`, nil, wantWith(func(e *models.SiteEvent) { e.Path = "/app#/thanks" })},
		{"the browser", `{"id": "1", "name": "view", "tz": -570, "screen": "800x600", "webdriver": true}`, nil, wantWith(func(e *models.SiteEvent) {
			e.TimeZone, e.Screen, e.WebDriver = "-09:30", "800x600", true
		})},
		{"a slot", `{"id": "1", "name": "click", "slot": "3"}`, nil, wantWith(func(e *models.SiteEvent) { e.Name, e.Slot = "click", 3 })},
		{"an order", `{"id": "1", "name": "Purchase", "value": "1,299.50", "currency": "eur", "order_id": 1234,
			"items": [{"sku": "a", "price": "9.50", "quantity": "2"}, {"item_id": 7, "item_name": "b", "price": 1}]}`, nil, wantWith(func(e *models.SiteEvent) {
			e.Name, e.Value, e.Currency, e.OrderID = "purchase", decimal.RequireFromString("1299.5"), "EUR", "1234"
			e.Items = []models.SiteItem{
				{SKU: "a", Price: models.NewMoney(decimal.RequireFromString("9.5")), Quantity: 2},
				{SKU: "7", Name: "b", Price: models.NewMoney(decimal.NewFromInt(1)), Quantity: 1},
			}
		})},
		{"identify", `{"id": "1", "name": "identify", "external_id": "u1"}`, nil, wantWith(func(e *models.SiteEvent) { e.Name, e.OrderID = "identify", "u1" })},
		{"values of other types", `{"id": 1, "name": "view", "value": {"a": [1]}, "order_id": [], "items": "x", "slot": {}, "at": null}`, nil, view},
		{"long texts", `{"id": "1", "name": "lead", "order_id": "` + strings.Repeat("o", 1000) + `"}`, nil, wantWith(func(e *models.SiteEvent) {
			e.Name, e.OrderID = "lead", strings.Repeat("o", maxOrderText)
		})},
	} {
		w.spool.records = nil
		edits := []edit{}
		if c.edit != nil {
			edits = append(edits, c.edit)
		}
		if status, code := w.postEvents(c.event, edits...); status != http.StatusNoContent {
			t.Errorf("%s: the event gets %d %s, want 204", c.name, status, code)
			continue
		}
		got, want := w.spool.events()[0], c.want
		want.ID, want.AccountID, want.SiteID = models.SiteEventID(w.account, models.FromTag, "1"), w.account, site
		want.Source, want.Domain, want.IP = models.FromTag, sharedHost, got.IP
		want.ReceivedAt, want.At = got.ReceivedAt, got.At
		if d := cmp.Diff(want, got, equal...); d != "" || got.IP.String() != "8.8.8.8" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// TestPageEventTimes: an event's age is computed by the page's clock, even if that clock is wrong.
func TestPageEventTimes(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.site("", "")
	w.reload()
	w.postEvents(`{"id": "a", "name": "view", "value": 1, "at": 1700000000000}, {"id": "b", "name": "view", "value": 2, "at": 1800000000000},
		{"id": "c", "name": "view", "value": 3, "at": 1e300}, {"id": "d", "name": "view", "value": 4, "at": "NaN"}, {"id": "e", "name": "view", "value": 5}`)
	got := w.spool.events()
	for i, want := range []time.Duration{time.Minute, 0, 0, 0, 0} {
		if age := got[i].ReceivedAt.Sub(got[i].At).Round(time.Minute); age != want {
			t.Errorf("event %d is %s old, want %s", i, age, want)
		}
	}
}

// TestPageEventsRefused: input that is not a valid event is refused with a code.
func TestPageEventsRefused(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.reload()
	const view = `{"id": "1", "name": "view"}`
	if status, code := w.postEvents(view); status != http.StatusNotFound || code != "no_site" {
		t.Errorf("an event of an account without a site gets %d %s, want 404 no_site", status, code)
	}
	w.site("shop.test", "")
	other := w.newAccount()
	w.reload()
	message := func(events string) string { return fmt.Sprintf(`{"site": %q, "events": [%s]}`, w.account, events) }
	for _, c := range []struct {
		name, body string
		edit       edit
		status     int
		code       string
	}{
		{"an empty body", ``, nil, 400, "bad_body"},
		{"a list", `[]`, nil, 400, "bad_body"},
		{"null", `null`, nil, 400, "bad_body"},
		{"half a message", message(view)[:40], nil, 400, "bad_body"},
		{"deeply nested, not closed", `{"site": ` + strings.Repeat("[", 60_000), nil, 400, "bad_body"},
		{"deeply nested, closed", message(`{"id": ` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}`), nil, 400, "invalid_event"},
		{"10 MB", strings.Repeat(" ", 10<<20), nil, 413, "too_large"},
		{"10 MB without a stated length", strings.Repeat(" ", 10<<20), func(r *http.Request) { r.ContentLength = -1 }, 413, "too_large"},
		{"no events", message(""), nil, 400, "no_events"},
		{"a value that is no amount", message(`{"id": "1", "name": "view", "value": "many"}`), nil, 400, "invalid_value"},
		{"an exponent", message(`{"id": "1", "name": "view", "value": 1e14}`), nil, 400, "invalid_value"},
		{"an amount that is too large", message(`{"id": "1", "name": "view", "value": 100000000000000}`), nil, 400, "invalid_value"},
		{"an amount below zero", message(`{"id": "1", "name": "view", "value": -1}`), nil, 400, "invalid_value"},
		{"too many events", message(strings.TrimSuffix(strings.Repeat(view+",", tag.MaxEvents+1), ",")), nil, 400, "no_events"},
		{"no id", message(`{"name": "view"}`), nil, 400, "invalid_event"},
		{"a long id", message(`{"name": "view", "id": "` + strings.Repeat("i", tag.MaxID+1) + `"}`), nil, 400, "invalid_event"},
		{"the longest id, of 2 bytes for each character", message(`{"name": "view", "id": "` + strings.Repeat("ü", tag.MaxID) + `"}`), nil, 204, ""},
		{"an event that is no object", message(`7`), nil, 400, "invalid_event"},
		{"no name", message(`{"id": "1"}`), nil, 400, "bad_key"},
		{"a bad name", message(`{"id": "1", "name": "buy now"}`), nil, 400, "bad_key"},
		{"two good events and two bad ones", message(view + `, 7, {"id": "2"}, {"id": "2", "name": "lead"}`), nil, 200, "1:invalid_event 2:bad_key"},
		{"unknown key", `{"site": "nobody's", "events": [` + view + `]}`, nil, 404, "unknown_site_key"},
		{"another's domain", fmt.Sprintf(`{"site": %q, "events": [%s]}`, other, view), host(ownHost), 404, "unknown_site_key"},
		{"an unknown domain", message(view), host("nobody.test"), 404, "unknown_site_key"},
	} {
		edits := []edit{}
		if c.edit != nil {
			edits = append(edits, c.edit)
		}
		if status, code := w.postBody(c.body, edits...); status != c.status || code != c.code {
			t.Errorf("%s: %d %q, want %d %q", c.name, status, code, c.status, c.code)
		}
	}
	if n := len(w.spool.events()); n != 3 {
		t.Errorf("%d events are stored, want the 3 good ones", n)
	}
	if n := counter(t, w.h, "switchyard_site_events_refused_total"); n != 24 {
		t.Errorf("%v messages are counted as refused, want 24", n)
	}
	res := w.send(http.MethodGet, "/t/event", "")
	if res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Allow") != "POST, OPTIONS" {
		t.Errorf("GET gets the status %d with Allow %q, want 405 with POST, OPTIONS", res.StatusCode, res.Header.Get("Allow"))
	}
	res = w.send(http.MethodOptions, "/t/event", "", header("Origin", "https://shop.test"))
	if res.StatusCode != http.StatusNoContent || res.Header.Get("Access-Control-Allow-Methods") != "POST" {
		t.Errorf("OPTIONS gets the status %d, want 204 with the allowed method POST: %v", res.StatusCode, res.Header)
	}
}

// TestPageEventsLimited checks the limits of events for an account and for a sender, and that no answer claims that an event is
// stored if it is not.
func TestPageEventsLimited(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.site("", "")
	w.reload()
	const view = `{"id": "1", "name": "view"}`
	w.spool.full = true
	if status, code := w.postEvents(view); status != http.StatusServiceUnavailable || code != "unavailable" {
		t.Errorf("while the disk is full, an event gets %d %s, want 503 unavailable", status, code)
	}
	w.spool.full = false
	w.h.eventLimits.addressees = bucket.New[addressee](never, 2, 100)
	w.h.eventLimits.reserve = bucket.New[netip.Prefix](never, 1, 100)
	for i, want := range []int{204, 204, 204, 429} {
		if status, _ := w.postEvents(view); status != want {
			t.Errorf("message %d gets the status %d, want %d", i, status, want)
		}
	}
	if status, _ := w.postEvents(view, peer("9.9.9.9:1")); status != http.StatusNoContent {
		t.Errorf("the account is over its limit; a sender of few messages gets the status %d, want 204", status)
	}
	three := strings.Join([]string{view, view, view}, ",")
	w.h.eventLimits.addressees = bucket.New[addressee](never, 5, 100)
	for i, c := range []struct {
		events string
		want   int
	}{{three, 204}, {three, 429}, {view, 204}, {view, 204}, {view, 429}} {
		if status, _ := w.postEvents(c.events); status != c.want {
			t.Errorf("message %d gets the status %d, want %d, because each event counts against the limit", i, status, c.want)
		}
	}
	w.h.eventLimits.addressees = bucket.New[addressee](never, 100, 100)
	w.h.eventLimits.senders = bucket.New[netip.Prefix](never, 5, 100)
	for i, want := range []int{204, 429} {
		if status, _ := w.postEvents(three, peer("9.9.9.2:1")); status != want {
			t.Errorf("message %d of one sender gets the status %d, want %d, because each event counts against the limit", i, status, want)
		}
	}
	w.h.eventLimits.senders = bucket.New[netip.Prefix](never, 1, 100)
	for i, want := range []int{204, 429} {
		if status, _ := w.postEvents(view, peer("9.9.9.1:1")); i == 1 && status != want {
			t.Errorf("message %d of one sender gets the status %d, want %d", i, status, want)
		}
	}
	if res := w.send(http.MethodPost, "/postback", "clickid="+models.FormatClickID(models.NewClickID())); res.StatusCode != http.StatusOK {
		t.Errorf("after many page events, a postback gets the status %d, want 200", res.StatusCode)
	}
}

// TestTagIsServed: the tag is served on every tracking domain, and on no other host.
func TestTagIsServed(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	dbtest.Exec(w, w.db, `UPDATE domains SET tag_name = 'shop-stats' WHERE host = $1`, ownHost)
	w.reload()
	for _, c := range []struct {
		host, target string
		status       int
	}{
		{sharedHost, "/t.js", 200},
		{ownHost, "/t.js", 200},
		{"nobody.test", "/t.js", 404},
		{sharedHost, "/t.js/x", 404},
		{sharedHost, "/t", 404},
		{ownHost, "/shop-stats.js", 200},
		{ownHost, "/shop-stats.js?v=2", 200},
		{sharedHost, "/shop-stats.js", 404},
		{ownHost, "/shop-stats.js/x", 404},
		{ownHost, "/shop-stats", 404},
		{ownHost, "/other.js", 404},
		{ownHost, "/.js", 404},
		{sharedHost, "/.js", 404},
	} {
		got := w.get(c.target, host(c.host))
		if got.StatusCode != c.status {
			t.Errorf("%s%s: %d, want %d", c.host, c.target, got.StatusCode, c.status)
		}
		if embed := got.Header.Get("Cross-Origin-Resource-Policy"); c.status == 200 && embed != "cross-origin" {
			t.Errorf("%s%s: a page of another site is not allowed to embed the tag: %q", c.host, c.target, embed)
		}
	}
	// A tag that was given another name sends its events to its own address.
	for _, c := range []struct {
		method, host, target string
		status               int
	}{
		{"POST", ownHost, "/shop-stats.js", 400},
		{"OPTIONS", ownHost, "/shop-stats.js", 204},
		{"POST", ownHost, "/t.js", 405},
		{"POST", sharedHost, "/shop-stats.js", 405},
		{"POST", ownHost, "/shop-stats.js/x", 405},
		{"PUT", ownHost, "/shop-stats.js", 405},
		{"POST", ownHost, "/t/event", 400},
	} {
		got := w.send(c.method, c.target, "no message", host(c.host))
		if got.StatusCode != c.status {
			t.Errorf("%s %s%s: %d, want %d", c.method, c.host, c.target, got.StatusCode, c.status)
		}
		if embed := got.Header.Get("Cross-Origin-Resource-Policy"); c.status < 405 && embed != "cross-origin" {
			t.Errorf("%s %s: a page of another site is not allowed to read the answer: %q", c.method, c.target, embed)
		}
	}
}

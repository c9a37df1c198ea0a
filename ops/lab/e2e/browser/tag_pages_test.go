package browser

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"switchyard/api/click/tag"
)

// collector is a fake tracking domain. It serves the page tag and stores the messages that tags send.
type collector struct {
	*httptest.Server

	mu       sync.Mutex
	messages []tagMessage
	status   int           // status of the answers; 0 means 204
	hold     chan struct{} // answers wait until it is closed; nil means at once
}

type tagMessage struct {
	Site   string
	Now    float64
	Events []tagEvent
}

type tagEvent struct {
	ID, Name, URL, Ref, Click, From, Ad, Screen string
	At, Slot, Value, TZ                         float64
	OrderID                                     string `json:"order_id"`
	Items                                       []struct{ SKU string }
	WebDriver                                   bool
	site, to                                    string // the site key, and the path to which the event was sent
}

// ownTag is the path of the tag under a name of the customer's choice.
const ownTag = "/shop-stats.js"

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet && (r.URL.Path == "/t.js" || r.URL.Path == ownTag):
		tag.Serve(w, r)
	case r.URL.Path != "/t/event" && r.URL.Path != ownTag:
		_, _ = w.Write([]byte("<p>offer of " + r.URL.RequestURI()))
	default:
		var m tagMessage
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
			m.Site = fmt.Sprint("bad message: ", err, r.Header)
		}
		for i := range m.Events {
			m.Events[i].to = r.URL.Path
		}
		c.mu.Lock()
		c.messages = append(c.messages, m)
		status, hold := c.status, c.hold
		c.mu.Unlock()
		if hold != nil {
			<-hold
		}
		if status == 0 {
			status = http.StatusNoContent
		}
		w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
		w.Header().Set("Access-Control-Allow-Credentials", "true")
		w.WriteHeader(status)
	}
}

// answer sets the status of all answers. They wait until hold is closed, unless hold is nil.
func (c *collector) answer(status int, hold chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status, c.hold = status, hold
}

// reset deletes the stored messages and returns how many there were. Answers are 204 and immediate again.
func (c *collector) reset() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.messages)
	c.messages, c.status, c.hold = nil, 0, nil
	return n
}

func (c *collector) sent() (events []tagEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.messages {
		for _, e := range m.Events {
			e.site = m.Site
			events = append(events, e)
		}
	}
	return events
}

// get waits until the events have arrived. It fails the test if they have other names or another order.
func (c *collector) get(p *page, names ...string) []tagEvent {
	p.t.Helper()
	var got []tagEvent
	p.until("the events "+strings.Join(names, ", ")+" are sent", func() bool {
		got = c.sent()
		return len(got) >= len(names)
	})
	for i, e := range got {
		if i >= len(names) || e.Name != names[i] || e.site == "" || e.ID == "" || e.At == 0 {
			p.t.Fatalf("event %d is %+v, want %v", i, e, names)
		}
	}
	return got
}

// shop is a customer's web server. It serves its pages on all hosts that end in shop.test.
type shop struct {
	port  string
	mu    sync.Mutex
	pages map[string]shopPage // by path
}

type shopPage struct{ kind, policy, text string }

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{pages: map[string]shopPage{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	_, s.port, _ = net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	return s
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	p, ok := s.pages[r.URL.Path]
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", p.kind)
	if p.policy != "" {
		w.Header().Set("Content-Security-Policy", p.policy)
	}
	_, _ = w.Write([]byte(p.text))
}

// page adds a page and returns its address.
func (s *shop) page(path, body string, tags ...string) string {
	s.set(path, shopPage{"text/html; charset=utf-8", "", "<!doctype html><title>" + path + "</title><body>" + body + strings.Join(tags, "")})
	return s.at("www.shop.test", path)
}

func (s *shop) set(path string, p shopPage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = p
}

func (s *shop) at(host, path string) string { return "http://" + net.JoinHostPort(host, s.port) + path }

// snippet returns the script element that installs a tag on a page.
func snippet(domain, site string, attributes ...string) string {
	return snippetOf(domain+"/t.js", site, attributes...)
}

func snippetOf(src, site string, attributes ...string) string {
	return `<script src="` + src + `" data-site="` + site + `" async ` + strings.Join(attributes, " ") + `></script>`
}

// errorsNoted is a script that collects the uncaught errors and unhandled rejections of a page in window.errors.
const errorsNoted = `window.errors = [];
	addEventListener('error', (e) => errors.push(String(e.message)));
	addEventListener('unhandledrejection', (e) => errors.push('rejected: ' + e.reason));`

// prepare runs a script in every page before the scripts of that page.
func (p *page) prepare(script string) *page {
	p.t.Helper()
	p.call("Page.enable", nil, nil)
	p.call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": script}, nil)
	return p
}

// at waits until the page has the path.
func (p *page) at(path string) {
	p.t.Helper()
	p.until("the page is "+path, func() bool {
		got, err := p.evaluate("location.pathname")
		return err == nil && got == path
	})
}

// loaded waits until the tag of a page has run.
func (p *page) loaded() {
	p.t.Helper()
	p.until("the tag has run", func() bool { return p.run(`window.trk && trk.clickId ? 1 : 0`) == "1" })
}

// stored returns the cookies, and the names of the localStorage entries, whose names begin with trk.
func (p *page) stored() (names []string) {
	p.t.Helper()
	text := p.run(`JSON.stringify([...Object.keys(localStorage), ...document.cookie.split('; ')].filter((n) => n.startsWith('trk')))`)
	if err := json.Unmarshal([]byte(text), &names); err != nil {
		p.t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// waiting returns how many events the tag has stored to send later.
func (p *page) waiting() (n int) {
	p.t.Helper()
	for _, name := range p.stored() {
		if strings.HasPrefix(name, "trk_q:") {
			n++
		}
	}
	return n
}

// silent tells the page that it is online and that it is being hidden. It fails the test if the page has sent an event.
func (p *page) silent() {
	p.t.Helper()
	p.run(`(() => { dispatchEvent(new Event('online')); dispatchEvent(new Event('pagehide')) })()`)
	for _, address := range p.requested() {
		if u, err := url.Parse(address); err != nil || u.Path == "/t/event" {
			p.t.Errorf("the page requested %s, want no event", address)
		}
	}
}

func (p *page) waitPromise(promise string) {
	p.t.Helper()
	p.call("Runtime.evaluate", map[string]any{"expression": promise, "awaitPromise": true}, nil)
}

// unharmed fails the test if the page had an uncaught error.
func (p *page) unharmed() {
	p.t.Helper()
	if got := p.run(`window.errors && errors.join('; ')`); got != "" {
		p.t.Errorf("the page had the uncaught errors: %s", got)
	}
}

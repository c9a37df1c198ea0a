package smoke

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// arrival is one visit to a page, such as a lander or an offer.
type arrival struct {
	kind, name string // for example "offer" and "param" for a visit to the offer with the name param
	query      url.Values
	referrer   string
}

// pages is a web server that stands for the servers of the landers and the offers. It records each arrival.
type pages struct {
	url    string
	server *http.Server
	mu     sync.Mutex
	seen   map[string][]arrival // by click id
}

// tokens begins the query in every page's address. The service fills in the tokens that it knows.
const tokens = "?cid={clickid}&camp={campaign_id}&cname={campaign_name}&path={path_id}&pname={path_name}" +
	"&offer={offer_id}&lander={lander_id}&src={source_id}&cc={country}&dt={device_type}&os={os}&br={browser}" +
	"&lang={language}&s1={sub1}&s2={sub2}&xid={external_id}&ip={ip}&ua={user_agent}&kw={keyword}&odd={no_such_token}"

func newPages() (*pages, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &pages{url: "http://" + l.Addr().String(), seen: map[string][]arrival{}}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(l) }()
	return p, nil
}

// ServeHTTP records an arrival.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	a := arrival{kind: kind, name: name, query: r.URL.Query(), referrer: r.Referer()}
	p.mu.Lock()
	p.seen[a.query.Get("cid")] = append(p.seen[a.query.Get("cid")], a)
	p.mu.Unlock()
	w.WriteHeader(http.StatusOK)
}

func (p *pages) offer(name string) string { return p.url + "/offer/" + name + tokens }
func (p *pages) lander(name string) string {
	return p.url + "/lander/" + name + tokens + "&dom={domain}"
}

func (p *pages) arrivals(click string) []arrival {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen[click]
}

var errNoPage = errors.New("the address is not one of our pages")

// parsePage parses an address to which the service sent a visitor. For another server it returns errNoPage.
func (p *pages) parsePage(address string) (arrival, error) {
	rest, ok := strings.CutPrefix(address, p.url+"/")
	if !ok {
		return arrival{}, errNoPage
	}
	u, err := url.Parse("/" + rest)
	if err != nil {
		return arrival{}, err
	}
	kind, name, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return arrival{kind: kind, name: name, query: u.Query()}, nil
}

package middleware

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"switchyard/api/envelope"
	"switchyard/api/route"
	"switchyard/models"
)

// Site is where people sign in: the host of the service's address. A session counts nowhere else, so that a page on a
// tracking host cannot use one.
type Site struct {
	url    string
	host   string // without its port
	secure bool
	origin http.CrossOriginProtection
	// client is the address of a caller behind trusted proxies.
	client func(*http.Request) netip.Addr
}

// NewSite makes the site at an address. client finds the address of a caller; nil: it is the peer's.
func NewSite(baseURL string, client func(*http.Request) netip.Addr) *Site {
	s := &Site{url: baseURL, client: client}
	if u, err := url.Parse(baseURL); err == nil {
		s.host, s.secure = u.Hostname(), u.Scheme == "https"
	}
	return s
}

// Is reports whether a request is for the host of the site.
func (s *Site) Is(r *http.Request) bool {
	u := url.URL{Host: r.Host}
	return s.host != "" && strings.EqualFold(u.Hostname(), s.host)
}

// Secure reports whether the site is reached by https.
func (s *Site) Secure() bool { return s.secure }

// cookieName is the name of the session's cookie. A browser takes the prefix from the host itself by https only.
func (s *Site) cookieName() string {
	if s.secure {
		return "__Host-switchyard"
	}
	return "switchyard"
}

// Token returns the token of a request's session. It is empty unless the request is for the site's host and has exactly one
// session cookie.
func (s *Site) Token(r *http.Request) string {
	cookies := r.CookiesNamed(s.cookieName())
	if len(cookies) != 1 || !s.Is(r) {
		return ""
	}
	return cookies[0].Value
}

// SetToken gives a browser the token of its session; an empty one takes it away.
func (s *Site) SetToken(h http.Header, token string) {
	c := &http.Cookie{ //nolint:gosec // by http a browser would drop a secure one
		Name: s.cookieName(), Value: token, Path: "/", HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteStrictMode,
		MaxAge: int(models.SessionLife.Seconds()),
	}
	if token == "" {
		c.MaxAge = -1
	}
	h.Add("Set-Cookie", c.String())
}

// clientOf is the address of a caller.
func (s *Site) clientOf(r *http.Request) netip.Addr {
	if s.client != nil {
		return s.client(r).Unmap()
	}
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	return peer.Addr().Unmap()
}

// own are the values of Sec-Fetch-Site of a page of ours, and of an address that a person typed.
var own = []string{"", "same-origin", "none"}

// PageHeader is the header that the dashboard's script sends with every write. A link or a form cannot send one, and a page
// of another origin is not allowed to.
const PageHeader = "X-Switchyard-Page"

// check refuses a request that a page of another origin has made, and a write that the dashboard's script has not made, such
// as a form that a tracking link sends: 403 cross_site.
func (s *Site) check(r *http.Request) error {
	if s.origin.Check(r) != nil || !slices.Contains(own, r.Header.Get("Sec-Fetch-Site")) {
		return models.Errorf(models.KindForbidden, "cross_site", "this call comes from a page of another site")
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && !byScript(r.Header) {
		return models.Errorf(models.KindForbidden, "cross_site",
			"with a session only the dashboard changes something; a program needs a key")
	}
	return nil
}

// byScript reports whether the dashboard's script has made a request: no navigation, and with the header of the page.
func byScript(h http.Header) bool {
	return h.Get(PageHeader) != "" && h.Get("Sec-Fetch-Mode") != "navigate" && h.Get("Sec-Fetch-Dest") != "document"
}

// visitor finds the person of a session.
func (p *Pipeline) visitor(c *route.Call, token string) error {
	if err := p.site.check(c.Request); err != nil {
		return err
	}
	v, err := p.store.Visit(c.Context(), token)
	if err != nil {
		return err
	}
	c.Account, c.Person, c.Session, c.Role = v.Account, v.Person, v.Session, v.Role
	return nil
}

// open runs a route that does not identify its caller. It serves only requests from the dashboard's own pages.
func (p *Pipeline) open(next step) step {
	return func(c *route.Call) envelope.Reply {
		if !p.site.Is(c.Request) {
			return envelope.Of(c, nil, models.Errorf(models.KindNotFound, "not_found", "there is no such path"))
		}
		if err := p.site.check(c.Request); err != nil {
			return envelope.Of(c, nil, err)
		}
		return next(c)
	}
}

// mayPerson refuses what a person's role does not include, and what asks for a fresh proof.
func mayPerson(c *route.Call) error {
	switch {
	case c.Role.Includes(c.Route.Role):
	case c.Route.Declares(http.StatusForbidden, buyerOnly):
		return models.Errorf(models.KindForbidden, buyerOnly, "a %s may not create campaigns", c.Role)
	default:
		return models.Errorf(models.KindForbidden, "role_required", "this takes the role %s, and you are %s", c.Route.Role, c.Role)
	}
	if c.Route.Confirm && !c.Session.Proven(time.Now()) {
		return models.Errorf(models.KindForbidden, "confirm", "confirm that it is you")
	}
	return nil
}

const buyerOnly = "buyer_only"

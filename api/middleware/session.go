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
	"switchyard/db/people"
	"switchyard/models"
)

// Site is where people sign in: the host of the service's address. A session is valid only there, so that a page on a tracking
// host cannot use a session.
type Site struct {
	url    string
	host   string // without its port
	secure bool
	origin http.CrossOriginProtection
	// client returns the address of a caller, also behind trusted proxies.
	client func(*http.Request) netip.Addr
}

// NewSite returns the site at an address. client returns the address of a caller. If it is nil, the address of the connection's
// peer is used.
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

// cookieName returns the name of the session's cookie. Browsers accept the prefix __Host- only by https and from the host itself.
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

// SetToken sends a browser the cookie with the token of its session. An empty token deletes the cookie.
func (s *Site) SetToken(h http.Header, token string) {
	c := &http.Cookie{ //nolint:gosec // not always Secure, because a browser drops a Secure cookie that it gets by http
		Name: s.cookieName(), Value: token, Path: "/", HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteStrictMode,
		MaxAge: int(models.SessionLife.Seconds()),
	}
	if token == "" {
		c.MaxAge = -1
	}
	h.Add("Set-Cookie", c.String())
}

func (s *Site) clientOf(r *http.Request) netip.Addr {
	if s.client != nil {
		return s.client(r).Unmap()
	}
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	return peer.Addr().Unmap()
}

// acceptedFetchSites are the accepted values of Sec-Fetch-Site. Browsers send "same-origin" for a page of this service, and "none"
// for an address that the user typed. Old browsers and programs do not send the header.
var acceptedFetchSites = []string{"", "same-origin", "none"}

// PageHeader is the header that the dashboard's script sends with every write. Links and forms cannot send it, and browsers do
// not let a page of another origin send it.
const PageHeader = "X-Switchyard-Page"

// checkOrigin refuses with 403 cross_site a request that comes from a page of another origin. It also refuses a write that the
// dashboard's script has not made.
func (s *Site) checkOrigin(r *http.Request) error {
	if s.origin.Check(r) != nil || !slices.Contains(acceptedFetchSites, r.Header.Get("Sec-Fetch-Site")) {
		return models.Errorf(models.KindForbidden, "cross_site", "this call comes from a page of another site")
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && !byScript(r.Header) {
		return models.Errorf(models.KindForbidden, "cross_site",
			"with a session, changes can be made only on the dashboard's pages; a program needs a key")
	}
	return nil
}

// byScript reports whether the dashboard's script made a request: it has the page's header and is not a navigation.
func byScript(h http.Header) bool {
	return h.Get(PageHeader) != "" && h.Get("Sec-Fetch-Mode") != "navigate" && h.Get("Sec-Fetch-Dest") != "document"
}

// sessionHolder finds the person of a session and sets the call's account, person, session and role.
func (p *Pipeline) sessionHolder(c *route.Call, token string) error {
	if err := p.site.checkOrigin(c.Request); err != nil {
		return err
	}
	v, err := people.New(p.store).FindSession(c.Context(), token)
	if err != nil {
		return err
	}
	c.Account, c.Person, c.Session, c.Role = v.Account, v.Person, v.Session, v.Role
	return nil
}

// unidentified runs a route that does not identify its caller. It serves only requests to the dashboard's host that checkOrigin
// accepts.
func (p *Pipeline) unidentified(next step) step {
	return func(c *route.Call) envelope.Reply {
		if !p.site.Is(c.Request) {
			return envelope.New(c, nil, models.Errorf(models.KindNotFound, "not_found", "there is no such path"))
		}
		if err := p.site.checkOrigin(c.Request); err != nil {
			return envelope.New(c, nil, err)
		}
		return next(c)
	}
}

// checkPerson refuses a call that the person's role does not allow, or that needs a more recent proof of identity.
func checkPerson(c *route.Call) error {
	if err := checkRole(c); err != nil {
		return err
	}
	if c.Route.Confirm && !c.Session.Proven(time.Now()) {
		return errConfirm
	}
	return nil
}

var errConfirm = models.Errorf(models.KindForbidden, "confirm", "confirm that it is you")

// checkRole refuses a call that the role does not include.
func checkRole(c *route.Call) error {
	switch {
	case c.Role.Includes(c.Route.Role):
		return nil
	case c.Route.Declares(http.StatusForbidden, buyerOnly):
		return models.Errorf(models.KindForbidden, buyerOnly, "a %s may not create campaigns", c.Role)
	}
	return models.Errorf(models.KindForbidden, "role_required", "this needs the role %s, and your role is %s", c.Route.Role, c.Role)
}

const buyerOnly = "buyer_only"

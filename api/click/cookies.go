package click

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/models/token"
)

// The cookies of a tracking domain. They hold only ids. The id of a campaign, path, lander or offer counts only if the snapshot
// confirms it.
const (
	visitorCookieName = "sy_v" // the visitor id
	clickCookieName   = "sy_c" // a clickCookie: the last click and where the visitor was sent
	bindCookieName    = "sy_b" // followed by the campaign's id; the value has the path, lander and offer of a bound visitor
)

const (
	visitorCookieAge = 365 * 24 * time.Hour
	clickCookieAge   = 60 * 24 * time.Hour
)

// visitHistory is what this process and the cookies know about earlier visits of a visitor.
type visitHistory struct {
	isNew       bool // the visitor id was made for this request
	bound       flow.Binding
	stored      *storedBinding // the binding of the fingerprint; nil if it does not exist or has expired
	isReturning bool           // this process or the binding cookie knows a visit within the campaign's uniqueness time
}

// storedBinding is the binding that this process keeps for a fingerprint, with its expiry time.
type storedBinding struct {
	bound flow.Binding
	until time.Time
}

func cookie(h http.Header, name string) string {
	for _, line := range h["Cookie"] {
		for line != "" {
			var part string
			part, line, _ = strings.Cut(line, ";")
			part = strings.TrimLeft(part, " ")
			if len(part) > len(name) && part[len(name)] == '=' && part[:len(name)] == name {
				return part[len(name)+1:]
			}
		}
	}
	return ""
}

// cookieName returns the name of a cookie for an account's visitors at a domain. On a shared domain each account has its own
// cookies. So no account can recognize the visitors of another one.
func cookieName(d *routing.Domain, name string, account uuid.UUID) string {
	if d == nil || d.AccountID.Valid {
		return name
	}
	return name + models.FormatClickID(account)
}

// clickCookies returns the click cookies of a request: at most one cookie at an account's own domain, and one per account at a
// shared domain. There, a browser may still have an old cookie whose name lacks the account. Such a cookie is returned only if
// there is no other.
func clickCookies(h http.Header, d *routing.Domain) []clickCookie {
	isShared := d != nil && !d.AccountID.Valid
	var ofAccounts, withoutAccount []clickCookie
	for _, line := range h["Cookie"] {
		for part := range strings.SplitSeq(line, ";") {
			name, value, _ := strings.Cut(strings.TrimLeft(part, " "), "=")
			if name != clickCookieName && (!isShared || !strings.HasPrefix(name, clickCookieName)) {
				continue
			}
			t, ok := parseClickCookie(value)
			switch {
			case !ok || t.Click == uuid.Nil: // not the form of a click cookie
			case name == clickCookieName:
				withoutAccount = append(withoutAccount, t)
			default:
				ofAccounts = append(ofAccounts, t)
			}
			if !isShared {
				return withoutAccount
			}
		}
	}
	if len(ofAccounts) == 0 {
		return withoutAccount
	}
	return ofAccounts
}

// soleClick returns the click cookie of a request that has only one. With cookies of several accounts it returns false, because a
// guess could credit one account's visitor or sale to another account.
func soleClick(h http.Header, d *routing.Domain) (clickCookie, bool) {
	all := clickCookies(h, d)
	if len(all) != 1 {
		return clickCookie{}, false
	}
	return all[0], true
}

func (r *request) setCookie(h http.Header, name string, age time.Duration, ids ...uuid.UUID) {
	b := append(append(r.scratch[:0], name...), '=')
	if strings.HasPrefix(name, visitorCookieName) {
		b = models.AppendClickID(b, ids[0])
	} else {
		b = appendIDs(b, ids...)
	}
	b = strconv.AppendInt(append(b, "; Path=/; Max-Age="...), int64(age/time.Second), 10)
	b = append(b, "; HttpOnly; SameSite=Lax"...)
	if r.isHTTPS {
		b = append(b, "; Secure"...)
	}
	h["Set-Cookie"] = append(h["Set-Cookie"], string(b))
	r.scratch = b[:0]
}

// identify takes the visitor id from the cookie, or makes a new id.
func (r *request) identify() {
	id, err := models.ParseClickID(cookie(r.http.Header, r.visitorName()))
	if err != nil || id == uuid.Nil {
		id, r.history.isNew = uuid.New(), true
	}
	r.click.VisitorID = id
	r.click.Arrival = "redirect"
	if !r.history.isNew {
		r.click.Arrival = "cookie"
	}
}

// visitorName returns the name of the cookie with the visitor id, for the account of the click.
func (r *request) visitorName() string {
	return cookieName(r.domain, visitorCookieName, r.click.AccountID)
}

// clickName returns the name of the cookie with the last click, for the account of the click.
func (r *request) clickName() string { return cookieName(r.domain, clickCookieName, r.click.AccountID) }

// recall computes the visitor's fingerprint in the campaign, and looks up the visitor's binding: in the campaign's own cookie, or
// else by the fingerprint.
func (r *request) recall() {
	row := &r.camp.Row
	r.click.UniqueKey, r.click.UniqueHours = r.fingerprint(), row.UniquenessTTLHours
	r.history.bound, r.history.isReturning, r.history.stored = flow.Binding{}, false, nil
	if stored, ok := r.h.fingerprints.GetIfPresent(r.click.UniqueKey); ok && r.now.Before(stored.until) {
		r.history.bound, r.history.isReturning, r.history.stored = stored.bound, true, stored
	}
	if r.camp.Plan.Bind().BindsPath() {
		if b, ok := parseIDs[[3]uuid.UUID](cookie(r.http.Header, r.bindName())); ok {
			r.history.bound, r.history.isReturning = flow.Binding{Path: b[0], Lander: b[1], Offer: b[2]}, true
		}
	}
	r.unique = !r.history.isReturning
	r.visitor.Bound = r.history.bound
}

func (r *request) bindName() string { return bindCookieName + models.FormatClickID(r.camp.Row.ID) }

// fingerprint returns a hash that identifies the visitor within the campaign by the campaign's uniqueness method. If the method is
// "param", a visitor without the parameter is identified by address and user agent.
func (r *request) fingerprint() (key [16]byte) {
	row := &r.camp.Row
	b := r.scratch[:0]
	b = append(b, row.ID[:]...)
	method, value := row.UniquenessMethod, ""
	if method == "param" {
		if value = r.Param(row.UniquenessParam); value == "" {
			method = "ip_ua"
		}
	}
	b = append(append(b, method...), 0)
	switch method {
	case "param":
		b = append(b, value...)
	case "cookie":
		b = append(b, r.click.VisitorID[:]...)
	default:
		b = r.appendAddress(b, r.seen.IP)
		if method != "ip" {
			b = append(b, r.click.UserAgent...)
		}
	}
	sum := sha256.Sum256(b)
	r.scratch = b[:0]
	return [16]byte(sum[:16])
}

// remember stores the visitor's id, click and binding for the next visit, in this process and in cookies.
func (r *request) remember(h http.Header, d *flow.Decision) {
	if r.history.isNew {
		r.setCookie(h, r.visitorName(), visitorCookieAge, r.click.VisitorID)
	}
	reached := flow.Binding{Path: r.click.StreamID, Lander: r.click.LanderID, Offer: r.bindableOffer(d.URL)}
	bound := r.bind(h, reached, d.Bindable)
	r.setClickCookie(h, clickCookie{r.click.ID, r.click.CampaignID, r.click.StreamID, r.click.LanderID, bound.Offer})
}

// bind remembers the visitor's campaign and, if the campaign binds visitors, the path, lander and offer that the visitor reached.
func (r *request) bind(h http.Header, reached flow.Binding, bindable bool) flow.Binding {
	bindable = bindable && r.camp.Plan.Bind().BindsPath()
	ttl := time.Duration(r.camp.Row.UniquenessTTLHours) * time.Hour
	bound := r.history.bound
	if bindable {
		if reached.Offer == uuid.Nil && reached.Path == bound.Path {
			reached.Offer = bound.Offer
		}
		bound = reached
	}
	if r.history.stored == nil || r.history.stored.bound != bound {
		r.h.fingerprints.Set(r.click.UniqueKey, &storedBinding{bound: bound, until: r.now.Add(ttl)})
	}
	if bindable && bound != r.history.bound {
		r.setCookie(h, r.bindName(), ttl, bound.Path, bound.Lander, bound.Offer)
	}
	return bound
}

// bindableOffer returns the id of the click's offer. If the visitor was sent to an address without an offer, and the campaign binds
// offers, it returns the id of that address.
func (r *request) bindableOffer(url *token.Template) uuid.UUID {
	if r.click.OfferID == uuid.Nil && url != nil && r.camp.Plan.Bind().BindsOffer() {
		return url.ID()
	}
	return r.click.OfferID
}

// clickCookie is the content of the click cookie. If the visitor is bound to an address without an offer, Offer is the id of that
// address.
type clickCookie struct{ Click, Campaign, Path, Lander, Offer uuid.UUID }

func (r *request) setClickCookie(h http.Header, t clickCookie) {
	r.setCookie(h, r.clickName(), clickCookieAge, t.Click, t.Campaign, t.Path, t.Lander, t.Offer)
}

func parseClickCookie(value string) (clickCookie, bool) {
	ids, ok := parseIDs[[5]uuid.UUID](value)
	return clickCookie{ids[0], ids[1], ids[2], ids[3], ids[4]}, ok
}

const maxCookieIDs = 5

func appendIDs(b []byte, ids ...uuid.UUID) []byte {
	var raw [16 * maxCookieIDs]byte
	n := 0
	for _, id := range ids {
		n += copy(raw[n:], id[:])
	}
	return base64.RawURLEncoding.AppendEncode(b, raw[:n])
}

func parseIDs[T [3]uuid.UUID | [5]uuid.UUID](s string) (T, bool) {
	var ids T
	var buf [16 * maxCookieIDs]byte
	if len(s) == 0 || base64.RawURLEncoding.DecodedLen(len(s)) != 16*len(ids) {
		return ids, false
	}
	n, err := base64.RawURLEncoding.Decode(buf[:], []byte(s))
	if err != nil || n != 16*len(ids) {
		return ids, false
	}
	for i := range len(ids) {
		ids[i] = uuid.UUID(buf[16*i : 16*i+16])
	}
	return ids, true
}

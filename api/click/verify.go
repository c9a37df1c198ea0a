package click

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"switchyard/api/click/visitor"
	"switchyard/api/routing"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/interval"
)

// verdict is the answer to a landing page about its visitor.
type verdict struct {
	Allowed     bool    `json:"allowed"`
	Reason      string  `json:"reason"`       // one of the reasons below
	FallbackURL *string `json:"fallback_url"` // where to send a visitor who is not allowed; null: nowhere, show nothing
}

// Why a visitor is allowed, or is not.
const (
	reasonOK       = "ok"
	reasonOpen     = "not_protected" // the page has no protection
	reasonNoKey    = "no_key"        // mode signed: there is no key; mode click: there is no key, click id or click cookie
	reasonBadKey   = "bad_key"       // not a key of this install, or a key for another visitor or page
	reasonExpired  = "expired"
	reasonUsed     = "used"         // a single-use key or click let a visitor in before
	reasonNoClick  = "no_click"     // no such click led to this page
	reasonNoLander = "no_lander"    // there is no such page on this domain
	reasonList     = "not_eligible" // the page's lists refuse the country or the device, or the visitor is a bot
)

// entry is the key or click that a visitor brought to a page.
type entry struct {
	lander uuid.UUID
	click  uuid.UUID // zero: none
	until  time.Time // expiry of the key, or time of the click
	mode   string    // the protection mode that the entry satisfies
	reason string    // why the entry is not valid; empty: it is valid
}

// verifyLander answers /lp/verify, which a protected page calls to check its visitor. The documentation of the package describes
// the parameters. The page's lists of countries and devices, and whether the visitor is a bot, are checked only if the visitor's
// browser calls.
//
// While PostgreSQL cannot be reached, a click of another process cannot be checked. Its visitor is let in if the request names
// the page, so that an outage closes no page.
func (h *Handler) verifyLander(w http.ResponseWriter, req *http.Request, d *routing.Domain, subpath string) {
	if subpath != "verify" {
		notFound(w)
		return
	}
	r := h.acquire(req)
	defer h.release(r)
	r.domain, r.account, r.source, r.isHTTPS = d, routing.UnknownAccount, routing.NoSource, h.isHTTPS(req)
	r.readQuery(req.URL.RawQuery)
	v := r.verify()
	w.Header()["Cache-Control"] = noStore
	w.Header()["Access-Control-Allow-Origin"] = anyOrigin
	body, err := json.Marshal(struct {
		Data verdict `json:"data"`
	}{v})
	if err != nil {
		body = []byte(`{"data":{"allowed":false,"reason":"bad_key","fallback_url":null}}`)
	}
	writePage(w, http.StatusOK, asJSON, body)
}

var anyOrigin = []string{"*"}

func (r *request) verify() verdict {
	e := r.entry()
	l := r.snap.Lander(e.lander)
	if l == nil || l.Removed || !r.domain.Serves(l.Row.AccountID) {
		if e.reason == "" {
			e.reason = reasonNoLander
		}
		return verdict{Reason: e.reason}
	}
	if l.Guard == nil {
		return verdict{Allowed: true, Reason: reasonOpen}
	}
	refuse := func(reason string) verdict {
		v := verdict{Reason: reason}
		if l.Guard.Fallback != nil && l.Guard.FallbackStatus == http.StatusFound {
			v.FallbackURL = new(r.fallbackURL(l, e))
		}
		return v
	}
	switch {
	case l.Guard.Mode == models.ProtectOff:
		e = entry{} // the page needs neither a key nor a click, and only its lists count
	case e.mode == "", l.Guard.Mode == models.ProtectSigned && e.mode != models.ProtectSigned:
		return refuse(reasonNoKey)
	case e.reason != "":
		return refuse(e.reason)
	case e.mode == models.ProtectClick && r.now.After(e.until.Add(time.Duration(l.Guard.TTLSeconds)*time.Second)),
		e.mode == models.ProtectSigned && r.now.After(e.until):
		return refuse(reasonExpired)
	}
	switch {
	case r.Param("ip") == "" && !r.eligible(l):
		return refuse(reasonList)
	case l.Guard.SingleUse && e.click != uuid.Nil && !r.h.claimEntry(r.http.Context(), e, r.now.Add(maxProtection)):
		return refuse(reasonUsed)
	}
	return verdict{Allowed: true, Reason: reasonOK}
}

// fallbackURL returns the fallback address for a refused visitor. It fills the address from the click that brought the visitor to
// the page, if a key or the visitor's cookie proves that click. Otherwise it uses only the ids of the click and, if the visitor's
// browser calls, the visitor of the request.
func (r *request) fallbackURL(l *routing.Lander, e entry) string {
	r.camp = &routing.Campaign{}
	var c *models.Click
	if e.click != uuid.Nil {
		c, _ = r.h.findClick(r.http.Context(), e.click)
	}
	switch {
	case c != nil && c.LanderID == l.Row.ID:
		r.account, r.source = r.snap.Account(c.AccountID), r.snap.Source(uuid.NullUUID{UUID: c.SourceID, Valid: true})
		if camp := r.snap.Campaign(c.CampaignID); camp != nil {
			r.camp = camp
		}
		if e.mode == models.ProtectSigned || r.madeClick(c) {
			r.click = *c
			break
		}
		r.rebuild(clickCookie{Click: c.ID, Campaign: c.CampaignID, Path: c.StreamID, Lander: c.LanderID})
		if r.Param("ip") != "" { // the request comes from the page's server, not from the visitor
			r.click.Visitor = models.Visitor{}
		}
	case r.Param("ip") == "":
		r.describe()
	}
	return string(r.expand(nil, l.Guard.Fallback, nil))
}

// maxProtection is how long a used key or click is remembered.
const maxProtection = 25 * time.Hour

// entry returns the key that the request brings, or else its click, or else only the page's id.
func (r *request) entry() entry {
	if text := cmp.Or(r.Param("key"), r.Param("lp_key")); text != "" {
		return r.keyEntry(text)
	}
	named, _ := uuid.Parse(r.Param("lander"))
	id, err := models.ParseClickID(r.Param("clickid"))
	if err != nil {
		t, ok := soleClick(r.http.Header, r.domain)
		if !ok {
			return entry{lander: named}
		}
		id = t.Click
	}
	return r.clickEntry(id, named)
}

func (r *request) keyEntry(text string) entry {
	named, _ := uuid.Parse(r.Param("lander"))
	e := entry{lander: named, mode: models.ProtectSigned}
	if r.signer == nil {
		e.reason = reasonBadKey
		return e
	}
	ip, agent := r.visitorOf()
	k, err := r.signer.parse(text, ip, agent)
	switch {
	case err != nil, named != uuid.Nil && named != k.lander:
		e.reason = reasonBadKey
	default:
		e.lander, e.click, e.until = k.lander, k.click, k.expires
	}
	return e
}

// visitorOf returns the address and user agent to compare with a key: the parameters ip and ua of the page's server, or else the
// request's own.
func (r *request) visitorOf() (netip.Addr, string) {
	ip, err := netip.ParseAddr(r.Param("ip"))
	if err != nil {
		ip = r.h.visitors.ClientIP(r.http)
	}
	agent := r.Param("ua")
	if agent == "" {
		r.h.visitors.Describe(r.http, r.snap.BotData(), &r.seen)
		agent = r.seen.UserAgent
	}
	return ip.Unmap(), agent
}

func (r *request) clickEntry(id, named uuid.UUID) entry {
	e := entry{lander: named, click: id, mode: models.ProtectClick, until: models.ClickTime(id)}
	c, known := r.h.findClick(r.http.Context(), id)
	switch {
	case c != nil && c.LanderID != uuid.Nil && (named == uuid.Nil || named == c.LanderID):
		e.lander = c.LanderID
	case c == nil && !known && named != uuid.Nil: // accepted unchecked
	default:
		e.reason = reasonNoClick
	}
	return e
}

// eligible reports whether the page's lists admit the visitor.
func (r *request) eligible(l *routing.Lander) bool {
	r.seen = visitor.Description{}
	r.account = r.snap.Account(l.Row.AccountID)
	r.click.AccountID = l.Row.AccountID
	r.describe()
	r.facts.SetClick(&r.click)
	r.scoreBot()
	c := r.click
	c.ReferrerDomain = "" // here the referrer is the page itself; the redirect has checked where the visitor came from
	g := *l.Guard
	g.Referrers = nil
	return g.Admits(&c)
}

// claimEntry marks the entry as used and reports whether this was its first use. The mark may be deleted after keepUntil.
func (h *Handler) claimEntry(ctx context.Context, e entry, keepUntil time.Time) bool {
	hash := sha256.Sum256(append(append([]byte(e.mode), e.click[:]...), e.lander[:]...))
	if _, used := h.used.GetIfPresent(hash); used {
		return false
	}
	_, fresh := h.used.SetIfAbsent(hash, struct{}{})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.timeout)
	defer cancel()
	first, err := store.UseLanderKey(ctx, h.db, hash[:], keepUntil)
	if err != nil && !errors.Is(err, context.Canceled) {
		return fresh // PostgreSQL cannot be reached: this process decides
	}
	return fresh && first
}

// pruneUsedKeys deletes the marks of used keys and clicks that have expired, until the context ends.
func (h *Handler) pruneUsedKeys(ctx context.Context) {
	interval.Every(ctx, pruneEvery, func() {
		limited, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		_ = store.PruneLanderKeys(limited, h.db) // marks that stay do no harm
	})
}

const (
	pruneEvery  = 10 * time.Minute
	maxUsedKeys = 100_000
)

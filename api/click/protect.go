package click

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/models/token"
)

// guard is the protection of a landing page, ready to be asked. The redirect asks its lists; what it cannot know, that
// a visitor of the page came through it, the page asks at /lp/verify.
type guard struct {
	models.Protection
	fallback *token.Template // nil: nowhere
}

func newLander(row store.RoutingLander) *lander {
	l := &lander{row: row, url: compileURL(row.URL)}
	p := models.DefaultProtection()
	// What cannot be read protects from nobody: a page that nobody sees costs its owner more.
	if len(row.Protection) == 0 || json.Unmarshal(row.Protection, &p) != nil || !p.Enabled {
		return l
	}
	l.guard = &guard{Protection: p, fallback: compileURL(p.FallbackURL)}
	return l
}

// admits tells whether the lists let a visitor in. An unknown country, device or referrer is on no list.
func (g *guard) admits(c *models.Click) bool {
	switch {
	case g.BlockBots && c.IsBot,
		len(g.Countries) > 0 && !slices.Contains(g.Countries, c.Country),
		c.Country != "" && slices.Contains(g.DenyCountries, c.Country),
		len(g.Devices) > 0 && !slices.Contains(g.Devices, c.DeviceType),
		len(g.Referrers) > 0 && !slices.ContainsFunc(g.Referrers, func(d string) bool { return within(c.ReferrerDomain, d) }):
		return false
	}
	return true
}

// within tells whether a host is a domain or lies below it.
func within(host, domain string) bool {
	rest, ok := strings.CutSuffix(strings.ToLower(host), domain)
	return ok && (rest == "" || strings.HasSuffix(rest, "."))
}

// refuse turns the decision for a protected page into its fallback: nobody saw the page, so no view is counted and
// nothing is kept for the visitor's return.
func (r *request) refuse(d *flow.Decision, g *guard) {
	r.refused, r.lander, r.offer = g, nil, nil
	d.Lander, d.Offer, d.Bindable = nil, nil, false
	r.click.LanderID, r.click.OfferID, r.click.NetworkID = uuid.Nil, uuid.Nil, uuid.Nil
	r.out = r.out[:0]
	if g.FallbackStatus == http.StatusFound {
		r.out = r.expand(r.out, g.fallback, nil)
	}
	r.click.Destination = string(r.out)
}

// answerRefused sends a refused visitor to the fallback, or shows that there is nothing for him.
func (r *request) answerRefused(w http.ResponseWriter) {
	switch {
	case len(r.out) > 0:
		r.send(w, flow.Transition302)
	case r.refused.FallbackStatus == http.StatusForbidden:
		w.Header()["Cache-Control"] = noStore
		writePage(w, http.StatusForbidden, asHTML, forbiddenPage)
	default:
		notFound(w)
	}
}

var forbiddenPage = []byte(`<!doctype html><html><head><meta charset="utf-8"><title>Forbidden</title></head>` +
	`<body><h1>Forbidden</h1><p>This page is not for you.</p></body></html>`)

// appendPass adds to the address of a protected page what it verifies its visitors by, unless the address says itself
// where that goes.
func (r *request) appendPass(dst []byte, l *lander) []byte {
	if r.click.ID == uuid.Nil || len(dst) == 0 {
		return dst
	}
	switch {
	case l.guard.Mode == models.ProtectSigned && !l.url.Uses(token.LPKey):
		return appendParam(dst, "lp_key", string(r.appendLanderKey(nil)))
	case l.guard.Mode == models.ProtectClick && !l.url.Uses(token.ClickID):
		return appendParam(dst, "clickid", models.FormatClickID(r.click.ID))
	}
	return dst
}

// appendLanderKey appends the key of the request's landing page, if it asks for one. It is bound to the click, the
// page, and what the page wants of the visitor.
func (r *request) appendLanderKey(dst []byte) []byte {
	l := asLander(r.lander)
	if l == nil || l.guard == nil || l.guard.Mode != models.ProtectSigned || r.snap.signer == nil || r.click.ID == uuid.Nil {
		return dst
	}
	k := landerKey{
		click: r.click.ID, lander: l.row.ID, bindIP: l.guard.BindIP, bindAgent: l.guard.BindUserAgent,
		expires: r.now.Add(time.Duration(l.guard.TTLSeconds) * time.Second),
	}
	return r.snap.signer.append(dst, k, r.click.IP, r.click.UserAgent)
}

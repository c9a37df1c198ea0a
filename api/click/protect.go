package click

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/models/token"
)

// refuse replaces the decision for a protected page by the page's fallback. The visitor did not see the page, so no view is counted
// and no binding is kept for the next visit.
func (r *request) refuse(d *flow.Decision, g *routing.Guard) {
	r.refused, r.lander, r.offer = g, nil, nil
	d.Lander, d.Offer, d.Bindable = nil, nil, false
	r.click.LanderID, r.click.OfferID, r.click.NetworkID = uuid.Nil, uuid.Nil, uuid.Nil
	r.out = r.out[:0]
	if g.FallbackStatus == http.StatusFound {
		r.out = r.expand(r.out, g.Fallback, nil)
	}
	r.click.Destination = string(r.out)
}

// answerRefused sends a refused visitor to the fallback, or answers 403 or 404.
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

// appendPass adds to the address of a protected page the parameter by which the page verifies its visitors, unless the address
// already has the token for it.
func (r *request) appendPass(dst []byte, l *routing.Lander) []byte {
	if r.click.ID == uuid.Nil || len(dst) == 0 {
		return dst
	}
	switch {
	case l.Guard.Mode == models.ProtectSigned && !l.URL.Uses(token.LPKey):
		return appendParam(dst, "lp_key", string(r.appendLanderKey(nil)))
	case l.Guard.Mode == models.ProtectClick && !l.URL.Uses(token.ClickID):
		return appendParam(dst, "clickid", models.FormatClickID(r.click.ID))
	}
	return dst
}

// appendLanderKey appends the key of the request's landing page, if the page's mode uses a key. Two settings of the page can also
// bind the key to the visitor's address range and to the visitor's user agent.
func (r *request) appendLanderKey(dst []byte) []byte {
	l := r.lander
	if l == nil || l.Guard == nil || l.Guard.Mode != models.ProtectSigned || r.signer == nil || r.click.ID == uuid.Nil {
		return dst
	}
	k := landerKey{
		click: r.click.ID, lander: l.Row.ID, bindIP: l.Guard.BindIP, bindAgent: l.Guard.BindUserAgent,
		expires: r.now.Add(time.Duration(l.Guard.TTLSeconds) * time.Second),
	}
	return r.signer.append(dst, k, r.seen.IP, r.click.UserAgent)
}

package click

import (
	"net/http"
	"time"

	"switchyard/api/routing"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// otherLink answers a path that is not the alias of a campaign. It serves smartlinks, links that were copied together with a dot
// or a bracket after them, and addresses of another tracker.
func (h *Handler) otherLink(w http.ResponseWriter, req *http.Request, d *routing.Domain, word, subpath string) {
	if models.TrimLink(subpath) == "" {
		trimmed := models.TrimLink(word)
		if _, c := h.find(d.Host, trimmed); c != nil {
			h.track(w, req, d, c)
			return
		}
		if l := h.routes.Current().Smartlink(d, trimmed); l != nil {
			h.serveSmartlink(w, req, d, l)
			return
		}
	}
	if !h.foreignLink(w, req, d, word, subpath) {
		notFound(w)
	}
}

func (h *Handler) serveSmartlink(w http.ResponseWriter, req *http.Request, d *routing.Domain, l *routing.Smartlink) {
	start := time.Now()
	r := h.acquire(req)
	defer h.release(r)
	r.initClick(d, l.AsCampaign)
	if r.isPrefetch() {
		refusePrefetch(w)
		return
	}
	// A visitor is unique if no cookie says that the account has seen this browser at this domain before.
	r.unique = r.history.isNew
	r.facts.SetBool(cond.IsUnique, r.unique)
	rule, template, source := l.Choose(&r.facts)
	if r.facts.Exhausted() {
		r.h.metrics.overBudget.Inc()
	}
	r.out = r.expand(r.out[:0], template, nil)
	if len(r.out) == 0 {
		notFound(w)
		return
	}
	r.click.Destination = string(r.out)
	if r.counted {
		h.record(spool.Record{Smart: &models.SmartlinkClick{
			Click: r.click, SmartlinkID: l.Row.ID, RuleID: rule, DestinationURL: source,
		}})
		if r.history.isNew {
			r.setCookie(w.Header(), r.visitorName(), visitorCookieAge, r.click.VisitorID)
		}
	}
	r.send(w, flow.Transition302)
	h.metrics.observe(time.Since(start))
}

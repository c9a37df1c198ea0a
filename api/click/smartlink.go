package click

import (
	"net/http"
	"time"

	"switchyard/api/routing"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/cond"
	"switchyard/models/flow"
	"switchyard/models/postback"
)

// shortLink answers a word that is no campaign's.
func (h *Handler) shortLink(w http.ResponseWriter, req *http.Request, d *routing.Domain, word string) {
	if l := h.routes.Current().Smartlink(d, word); l != nil {
		h.follow(w, req, d, l)
		return
	}
	notFound(w)
}

// follow answers a smartlink: the first rule that matches the visitor says where he goes.
func (h *Handler) follow(w http.ResponseWriter, req *http.Request, d *routing.Domain, l *routing.Smartlink) {
	start := time.Now()
	r := h.take(req)
	defer h.give(r)
	r.domain, r.camp, r.isHTTPS = d, l.As, h.isHTTPS(req)
	r.account, r.source = r.snap.Account(l.Row.AccountID), r.snap.Source(l.Row.SourceID)
	r.meet(l)
	rule, template, where := l.Choose(&r.facts)
	r.out = r.expand(r.out[:0], template, nil)
	if len(r.out) == 0 {
		notFound(w)
		return
	}
	r.click.Destination = string(r.out)
	if r.counted {
		h.record(spool.Record{Smart: &models.SmartlinkClick{
			Click: r.click, SmartlinkID: l.Row.ID, RuleID: rule, DestinationURL: where,
		}})
		if r.known.isNew {
			r.setCookie(w.Header(), visitorCookie, visitorAge, r.click.VisitorID)
		}
	}
	r.send(w, flow.Transition302)
	h.metrics.observe(time.Since(start))
}

// meet fills the click with what is known before a rule is chosen. A visitor is unique whom the domain has not seen
// before, as far as his cookies tell.
func (r *request) meet(l *routing.Smartlink) {
	c := &r.click
	r.readQuery(r.http.URL.RawQuery)
	c.AccountID, c.Domain = l.Row.AccountID, r.domain.Host
	if l.Row.SourceID.Valid && r.source != routing.NoSource {
		c.SourceID = l.Row.SourceID.UUID
	}
	c.Params = postback.Clean(r.http.URL.RawQuery, maxParams)
	r.readSubs()
	c.ExternalID = received(r.externalID())
	r.identify()
	r.unique = r.known.isNew
	r.describe()
	r.judge()
	r.setFacts()
	r.facts.SetBool(cond.IsUnique, r.unique)
	r.counted = r.http.Method == http.MethodGet && r.seen.Signals&(bot.Prefetch|bot.HeadRequest) == 0
	if r.counted {
		c.ID = models.NewClickID()
	}
}

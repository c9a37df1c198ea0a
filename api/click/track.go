package click

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/cond"
	"switchyard/models/flow"
	"switchyard/models/token"
)

func (h *Handler) track(w http.ResponseWriter, req *http.Request, d *routing.Domain, c *routing.Campaign) {
	start := time.Now()
	r := h.acquire(req)
	defer h.release(r)
	r.header = w.Header()
	decision := r.routeVisitor(d, c, r)
	if r.isPrefetch() {
		refusePrefetch(w)
		return
	}
	if r.counted {
		if decision.Collect {
			h.record(spool.Record{Click: &r.click})
		}
		if decision.Collect && !r.click.IsBot && r.camp.CountsClicks {
			h.caps.add(r.click.CampaignID, localDay(r.now, r.account.Zone))
		}
		r.remember(w.Header(), &decision)
		if decision.Lander != nil {
			h.recent.Set(r.click.ID, new(r.click))
		}
	}
	r.answer(w, &decision)
	h.metrics.redirected[decision.Via].Inc()
	h.metrics.observe(time.Since(start))
}

// routeVisitor fills the click, decides where the visitor goes, and fills the destination.
func (r *request) routeVisitor(d *routing.Domain, c *routing.Campaign, visit routing.Visit) flow.Decision {
	r.initClick(d, c)
	c.Price.Apply(&r.click, c.Row.TrafficLossPct, r.source, r.givenCost())
	decision := r.decide(visit)
	r.resolve(&decision)
	return decision
}

// initClick fills the part of the click that is known before the routing decision.
func (r *request) initClick(d *routing.Domain, camp *routing.Campaign) {
	c, row := &r.click, &camp.Row
	r.domain, r.camp, r.isHTTPS = d, camp, r.h.isHTTPS(r.http)
	r.account, r.source = r.snap.Account(row.AccountID), r.snap.Source(row.SourceID)
	r.readQuery(r.http.URL.RawQuery)
	c.AccountID, c.CampaignID, c.Domain, c.Currency = row.AccountID, row.ID, r.domain.Host, row.Currency
	if row.SourceID.Valid && r.source != routing.NoSource {
		c.SourceID = row.SourceID.UUID
	}
	c.Params = r.storedQuery()
	r.readSubs()
	c.ExternalID = r.externalID()
	r.identify()
	r.describe()
	r.setFacts()
	r.scoreBot()
	if r.counted = r.isReal(); r.counted {
		c.ID = models.NewClickID()
	}
}

// isReal reports whether the request is a real click, not a prefetch of a browser or a request for headers only. The request must
// be described already.
func (r *request) isReal() bool {
	return r.http.Method == http.MethodGet && r.seen.Signals&(bot.Prefetch|bot.HeadRequest) == 0
}

// isPrefetch reports whether a browser loads the link ahead of a click that may never come. The request must be described
// already.
func (r *request) isPrefetch() bool { return r.seen.Signals&bot.Prefetch != 0 }

// refusePrefetch answers 503 to a browser that loads a link ahead of a click. Browsers discard an error and ask again when the
// user clicks. They would use a redirect for the click, which would then not be counted.
func refusePrefetch(w http.ResponseWriter) {
	w.Header()["Cache-Control"] = noStore
	writePage(w, http.StatusServiceUnavailable, asText, []byte("this link cannot be loaded ahead of a click\n"))
}

// Enter makes c the campaign that routes the visitor from now on. It implements routing.Visit.
func (r *request) Enter(c *routing.Campaign) {
	r.camp = c
	if c.Row.ID != r.click.CampaignID {
		if r.click.ParentCampaignID == uuid.Nil {
			r.click.ParentCampaignID = r.click.CampaignID
		}
		r.click.CampaignID = c.Row.ID
	}
	r.recall()
	r.facts.SetText(cond.CampaignID, c.Text())
	r.facts.SetBool(cond.IsUnique, r.unique)
	if c.CountsClicks {
		r.facts.SetInt(cond.ClicksToday, int64(r.h.caps.today(c.Row.ID, localDay(r.now, r.account.Zone))))
	}
}

// HandOver binds the visitor to the path that leads to the next campaign. It implements routing.Visit.
func (r *request) HandOver(path uuid.UUID, bindable bool) {
	if r.counted {
		r.bind(r.header, flow.Binding{Path: path}, bindable)
	}
}

// decide picks a path, following hand-overs from campaign to campaign.
func (r *request) decide(visit routing.Visit) flow.Decision {
	c := &r.click
	if !r.camp.Active() { // the campaign is paused
		visit.Enter(r.camp)
		d, _ := r.camp.Plan.Fallback()
		c.Via = int(d.Via)
		return d
	}
	c.RouteSeed = r.pcg.Uint64()
	if seed, ok := r.edgeSeed(); ok {
		c.RouteSeed = seed
	}
	out := r.snap.Decide(r.camp, &r.visitor, &r.env, c.RouteSeed, visit)
	c.FlowHash, c.Via = out.FlowHash, int(out.Via)
	if r.facts.Exhausted() {
		r.h.metrics.overBudget.Inc()
	}
	return out.Decision
}

// resolve records the decision in the click and fills the destination.
func (r *request) resolve(d *flow.Decision) {
	c := &r.click
	page, o := routing.Record(c, d)
	r.route, r.lander, r.offer = d.Route, page, o
	template := d.URL
	if page != nil {
		template = page.URL
	}
	if o != nil {
		template = o.URL
	}
	if page != nil && page.Guard != nil && !page.Guard.Admits(c) {
		r.refuse(d, page.Guard)
		return
	}
	r.out = r.expand(r.out[:0], template, o)
	if page != nil && page.Guard != nil {
		r.out = r.appendPass(r.out, page)
	}
	c.Destination = string(r.out)
}

// expand appends a destination with its tokens filled. If an offer's address has no token for the click id, expand adds the click
// id in the parameter that the offer's network names.
func (r *request) expand(dst []byte, t *token.Template, o *routing.Offer) []byte {
	if t == nil {
		return dst
	}
	dst = t.Expand(dst, r)
	if !isAddress(dst) {
		return dst[:0]
	}
	if o == nil || r.click.ID == uuid.Nil {
		return dst
	}
	if n := r.snap.Network(o.Row.NetworkID.UUID); n != nil {
		if param := t.AddedParam(n.Row.ClickParam); param != "" {
			dst = appendParam(dst, param, models.FormatClickID(r.click.ID))
		}
	}
	return dst
}

// isAddress reports whether b begins with http:// or https://. It is the last check before a Location header, because a path that
// was stored long ago may contain anything.
func isAddress(b []byte) bool {
	n := min(len(b), len("https://"))
	head := strings.ToLower(string(b[:n]))
	return strings.HasPrefix(head, "http://") || head == "https://"
}

// appendParam adds a parameter to the query of an address, before its fragment.
func appendParam(url []byte, name, value string) []byte {
	text := string(url)
	text, fragment, hasFragment := strings.Cut(text, "#")
	sep := byte('?')
	if strings.IndexByte(text, '?') >= 0 {
		sep = '&'
	}
	b := url[:0]
	b = append(b, text...)
	if last := text[len(text)-1]; last != '?' && last != '&' {
		b = append(b, sep)
	}
	b = token.AppendEscaped(b, name)
	b = append(b, '=')
	b = token.AppendEscaped(b, value)
	if hasFragment {
		b = append(append(b, '#'), fragment...)
	}
	return b
}

// record puts rec on stable storage, even if the visitor hangs up. If that takes longer than the timeout, the visitor is sent on,
// and the spool writes rec as soon as the disk accepts it.
func (h *Handler) record(rec spool.Record) {
	ctx := h.deadlines.contextFor(h.timeout)
	err := h.spool.Append(ctx, rec)
	switch {
	case err == nil:
		h.metrics.clicks.Inc()
		return
	case errors.Is(err, spool.ErrWaiting):
		h.metrics.late.Inc()
	default:
		h.metrics.unrecorded.Inc()
	}
	h.logThrottled(ctx, err)
}

// deadlines returns contexts that end one timeout from now, or up to deadlineStep later. One timer serves all requests of a step,
// because a timer for each request would cost as much as choosing a path.
type deadlines struct{ current atomic.Pointer[deadline] }

type deadline struct {
	context.Context
	cancel context.CancelFunc // never called: the deadline ends the context
	fresh  time.Time          // new requests get the context until this time
}

const deadlineStep = 50 * time.Millisecond

func (d *deadlines) contextFor(timeout time.Duration) context.Context {
	now := time.Now()
	if c := d.current.Load(); c != nil && now.Before(c.fresh) {
		return c
	}
	c := &deadline{fresh: now.Add(deadlineStep)}
	//nolint:gosec // many requests share the context, so none of them may cancel it
	c.Context, c.cancel = context.WithDeadline(context.Background(), now.Add(timeout+deadlineStep))
	d.current.Store(c)
	return c
}

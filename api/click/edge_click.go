package click

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/textproto"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/models/postback"
	"switchyard/models/token"
)

const (
	maxEdgeHeaders = 64
	maxEdgeTarget  = 16 << 10
)

// notFromVisitors are headers that are removed from the visitor's request.
var notFromVisitors = []string{"X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Cookie", edgeHeader}

// request returns the visitor's request as if it had come to this service.
func (e *edgeClick) request() (req *http.Request, ok bool) {
	target, err := url.ParseRequestURI(e.Target)
	addr, err2 := netip.ParseAddr(e.IP)
	if err != nil || err2 != nil || len(e.Target) > maxEdgeTarget || len(e.Headers) > maxEdgeHeaders {
		return nil, false
	}
	req = &http.Request{
		Method: http.MethodGet, URL: target, Host: e.Host, Header: make(http.Header, len(e.Headers)+1),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, RemoteAddr: net.JoinHostPort(addr.String(), "0"),
	}
	for name, value := range e.Headers {
		req.Header[textproto.CanonicalMIMEHeaderKey(name)] = []string{value}
	}
	for _, name := range notFromVisitors {
		req.Header.Del(name)
	}
	req.Header["Cookie"] = []string{visitorCookieName + "=" + e.Visitor}
	if e.HTTPS {
		req.TLS = &tls.ConnectionState{}
	}
	return req, true
}

// edgeClick returns the click of a visitor that the edge has routed. It describes, scores and prices the click as if it had come
// to this service, but uses the edge's decision.
func (h *Handler) edgeClick(e *edgeClick) (c *models.Click, ok bool) {
	id, err := models.ParseClickID(e.ID)
	at, now := models.ClickTime(id), time.Now()
	visitor, err2 := models.ParseClickID(e.Visitor)
	if err != nil || err2 != nil || visitor == uuid.Nil || id.Version() != 7 || now.Sub(at) > maxEdgeAge || at.Sub(now) > edgeSkew {
		return nil, false
	}
	req, ok := e.request()
	snap := h.routes.Current()
	d := snap.Domain(models.BareHost(e.Host))
	if !ok || d == nil || len(e.Hops) == 0 || len(e.Hops) > flow.MaxHandovers+1 || e.Via < 0 || e.Via > int(flow.ViaDestination) {
		return nil, false
	}
	first := snap.Campaign(e.Hops[0].Campaign)
	if first == nil || !d.Serves(first.Row.AccountID) {
		return nil, false
	}
	r := h.acquire(req)
	defer h.release(r)
	r.now, r.header = at, http.Header{}
	r.initClick(d, first)
	if !r.counted {
		return nil, false
	}
	r.click.ID = id
	if e.New {
		r.history.isNew, r.click.Arrival = true, "redirect"
	}
	first.Price.Apply(&r.click, first.Row.TrafficLossPct, r.source, r.givenCost())
	if !r.applyEdge(e) {
		return nil, false
	}
	return new(r.click), true
}

// applyEdge stores the edge's decision in the click, and binds the visitor as the edge did. The click has no hash of the flows if the
// edge's flows differ from the flows of this service. applyEdge returns false if the seed is malformed, or if a campaign no longer
// exists or belongs to another account.
func (r *request) applyEdge(e *edgeClick) bool {
	c := &r.click
	seed, err := strconv.ParseUint(e.Seed, 16, 64)
	if err != nil {
		return false
	}
	c.RouteSeed, c.Via = seed, e.Via
	sameFlows := true
	for i := range e.Hops {
		hop := &e.Hops[i]
		camp := r.snap.Campaign(hop.Campaign)
		if camp == nil || camp.Row.AccountID != c.AccountID {
			return false
		}
		r.Enter(camp)
		c.FlowHash = r.snap.FlowHash(c.FlowHash, camp)
		sameFlows = sameFlows && hop.Flow == routing.FlowText(r.snap.FlowHash(0, camp))
		if i < len(e.Hops)-1 {
			r.HandOver(hop.Path, hop.Bindable)
			continue
		}
		c.StreamID, c.LanderID = hop.Path, r.ownID(e.Lander)
		c.OfferID = r.ownID(e.Offer)
		if o := r.snap.Offer(c.OfferID); o != nil && o.Row.NetworkID.Valid {
			c.NetworkID = o.Row.NetworkID.UUID
		}
		r.bind(r.header, flow.Binding{Path: hop.Path, Lander: c.LanderID, Offer: e.Bound}, hop.Bindable)
	}
	if !sameFlows {
		c.FlowHash = 0
	}
	if e.Passed != uuid.Nil && e.PassedWhy == string(flow.RefusedDestinations) {
		c.PassedStreamID, c.PassedReason = e.Passed, e.PassedWhy
	}
	if token.ValidURL(e.Destination) == nil {
		c.Destination = postback.Clean(e.Destination, maxEdgeTarget)
	}
	return true
}

// ownID returns id, the id of an offer or a landing page. If another account has an offer or landing page with this id, ownID returns
// the zero id.
func (r *request) ownID(id uuid.UUID) uuid.UUID {
	if o := r.snap.Offer(id); o != nil && o.Row.AccountID != r.click.AccountID {
		return uuid.Nil
	}
	if l := r.snap.Lander(id); l != nil && l.Row.AccountID != r.click.AccountID {
		return uuid.Nil
	}
	return id
}

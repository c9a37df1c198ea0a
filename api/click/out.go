package click

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/models/token"
)

// clickOut answers /out and /out/{slot}: it sends the visitor of a lander on to the next destination of the visitor's path. With the
// subpath hopWord, it answers the second page of double_meta.
func (h *Handler) clickOut(w http.ResponseWriter, req *http.Request, d *routing.Domain, subpath string) {
	if subpath == hopWord {
		h.secondPage(w, req, d)
		return
	}
	slot := 1
	if subpath != "" {
		n, err := strconv.Atoi(subpath)
		if err != nil || n < 1 || n > flow.MaxSlot {
			notFound(w)
			return
		}
		slot = n
	}
	h.sendOut(w, req, d, slot, clickParams)
}

// clickParams are the parameters in which the address of a click-out may name its click.
var clickParams = []string{"clickid"}

func (h *Handler) sendOut(w http.ResponseWriter, req *http.Request, d *routing.Domain, slot int, params []string) {
	r := h.acquire(req)
	defer h.release(r)
	r.domain, r.slot, r.isHTTPS, r.clickParams = d, slot, h.isHTTPS(req), params
	r.readQuery(req.URL.RawQuery)
	t, ok := r.resume()
	switch {
	case !ok && r.camp != nil: // the campaign exists, but no longer has the path to a landing page
		r.sendToFallback(w)
		return
	case !ok:
		notFound(w)
		return
	}
	url, ok := r.nextDestination(t.Offer)
	if !ok {
		r.sendToFallback(w)
		return
	}
	if len(r.out) == 0 {
		notFound(w)
		return
	}
	h.visitors.Describe(req, r.snap.BotData(), &r.seen)
	if r.isPrefetch() {
		refusePrefetch(w)
		return
	}
	if r.isReal() && r.route.Collect {
		h.record(spool.Record{Out: &models.ClickOut{
			ID: models.NewClickID(), ClickID: r.click.ID,
			AccountID: r.click.AccountID, Slot: slot, OfferID: r.click.OfferID, NetworkID: r.click.NetworkID,
			Destination: r.click.Destination,
		}})
		r.bindOffer(w.Header(), t, r.bindableOffer(url))
	}
	r.send(w, flow.Transition302)
}

// nextDestination chooses the destination of a lander's visitor for the slot, and fills it into the request. Its argument is the id
// of the offer or of the address that the visitor is bound to. If this id is zero or cannot be used, the destination is chosen at
// random. nextDestination returns the destination's address with its tokens unfilled.
func (r *request) nextDestination(bound uuid.UUID) (url *token.Template, ok bool) {
	ref, url, ok := r.camp.Plan.PickOffer(r.route, r.slot, bound, r.pcg.Uint64())
	if !ok {
		return nil, false
	}
	o := routing.OfferOf(ref)
	r.offer, r.click.OfferID, r.click.NetworkID = o, uuid.Nil, uuid.Nil // clear the values of an earlier click-out
	if o != nil {
		url, r.click.OfferID = o.URL, o.Row.ID
		if o.Row.NetworkID.Valid {
			r.click.NetworkID = o.Row.NetworkID.UUID
		}
	}
	r.out = r.expand(r.out[:0], url, o)
	r.click.Destination = string(r.out)
	return url, true
}

// resume finds the click that brought the visitor to the lander: by a parameter that names the click, or else by the cookie. If
// the visitor's cookie proves that the visitor made the click, the request gets the whole recorded click. Otherwise it gets the
// click's ids and the data of the present request. If the campaign exists but no longer has the path to a landing page, resume
// returns false and sets the request's campaign.
func (r *request) resume() (clickCookie, bool) {
	t, isNamed := r.startingClick()
	known := t.Click != uuid.Nil && r.confirm(t)
	if !known && !isNamed && r.camp == nil {
		return t, false
	}
	if c, _ := r.h.findClick(r.http.Context(), t.Click); c != nil {
		full := clickCookie{c.ID, c.CampaignID, c.StreamID, c.LanderID, t.Offer}
		ok := r.confirm(full)
		switch {
		case r.camp == nil || r.camp.Row.ID != c.CampaignID:
		case r.madeClick(c):
			r.click = *c
		default:
			r.source = r.snap.Source(uuid.NullUUID{UUID: c.SourceID, Valid: true})
			r.rebuild(full)
			r.click.SourceID = c.SourceID
		}
		return full, ok
	}
	if known {
		r.rebuild(t)
	}
	return t, known
}

// startingClick returns the click that the address names, with the ids of its cookie if the request has that cookie. If the
// address names no click, it returns the click of the cookie.
func (r *request) startingClick() (t clickCookie, isNamed bool) {
	all := clickCookies(r.http.Header, r.domain)
	for _, name := range r.clickParams {
		id, err := models.ParseClickID(r.Param(name))
		if err != nil {
			continue
		}
		for _, t := range all {
			if t.Click == id {
				return t, true
			}
		}
		return clickCookie{Click: id}, true
	}
	if len(all) > 1 { // clicks of several accounts: keep the click whose landing page the visitor comes from
		all = slices.DeleteFunc(all, func(t clickCookie) bool { return !r.comesFrom(r.snap.Lander(t.Lander)) })
	}
	if len(all) != 1 {
		return clickCookie{}, false
	}
	return all[0], false
}

// comesFrom reports whether the visitor's Referer names the host of a landing page.
func (r *request) comesFrom(l *routing.Lander) bool {
	if l == nil || l.URL == nil {
		return false
	}
	page, err := url.Parse(l.URL.Source())
	from, err2 := url.Parse(r.http.Referer())
	return err == nil && err2 == nil && from.Host != "" && strings.EqualFold(page.Host, from.Host)
}

// confirm checks the click cookie against the snapshot. If the campaign no longer has the path to a landing page, confirm returns
// false, but sets the request's campaign.
func (r *request) confirm(t clickCookie) bool {
	c := r.snap.Campaign(t.Campaign)
	if c == nil || t.Lander == uuid.Nil || // the visitor was not sent to a landing page
		!r.domain.Serves(c.Row.AccountID) {
		return false
	}
	r.camp, r.route = c, c.Plan.Route(t.Path)
	r.account, r.source = r.snap.Account(c.Row.AccountID), r.snap.Source(c.Row.SourceID)
	r.lander = nil
	if l := r.snap.Lander(t.Lander); l != nil && l.Row.AccountID == c.Row.AccountID {
		r.lander = l
	}
	return r.route != nil && r.route.Action == flow.ActionLander
}

// madeClick reports whether the visitor of this request made the click: the visitor's cookie must have the click's visitor id. A
// click id alone proves nothing, because it is in addresses that others see.
func (r *request) madeClick(c *models.Click) bool {
	id, err := models.ParseClickID(cookie(r.http.Header, cookieName(r.domain, visitorCookieName, c.AccountID)))
	return err == nil && id != uuid.Nil && id == c.VisitorID
}

// rebuild fills a click as far as possible from its ids and from the visitor of the present request. It is used if the request
// does not prove that its visitor made the click, or if only the cookie knows the click.
func (r *request) rebuild(t clickCookie) {
	c := &r.click
	*c = models.Click{
		ID: t.Click, AccountID: r.camp.Row.AccountID, CampaignID: t.Campaign, StreamID: t.Path, LanderID: t.Lander,
		Domain: r.domain.Host, Currency: r.camp.Row.Currency, SourceID: r.camp.Row.SourceID.UUID,
	}
	r.readSubs()
	c.ExternalID = r.externalID()
	r.identify()
	r.describe()
}

// findClick returns a click from memory or, within the timeout, from PostgreSQL. It returns nil if neither has the click. known
// is false if PostgreSQL did not answer.
func (h *Handler) findClick(ctx context.Context, id uuid.UUID) (c *models.Click, known bool) {
	if c, ok := h.recent.GetIfPresent(id); ok {
		return c, true
	}
	ctx, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	found, ok, err := h.clicks.FindByID(ctx, id)
	if err != nil || !ok {
		return nil, err == nil
	}
	h.recent.Set(id, &found.Click)
	return &found.Click, true
}

// bindOffer binds the visitor to an offer for the next click-out and the next visit. If the visitor goes to an address that is not
// an offer's, the last argument is the id of that address.
func (r *request) bindOffer(h http.Header, t clickCookie, offer uuid.UUID) {
	if !r.camp.Plan.Bind().BindsOffer() || offer == uuid.Nil || t.Offer == offer {
		return
	}
	t.Offer = offer
	ttl := time.Duration(r.camp.Row.UniquenessTTLHours) * time.Hour
	r.setClickCookie(h, t)
	r.setCookie(h, r.bindName(), ttl, t.Path, t.Lander, t.Offer)
	key := r.click.UniqueKey
	if key != [16]byte{} {
		bound := flow.Binding{Path: t.Path, Lander: t.Lander, Offer: t.Offer}
		r.h.fingerprints.Set(key, &storedBinding{bound: bound, until: r.now.Add(ttl)})
	}
}

// sendToFallback sends a visitor whose lander no longer leads anywhere to the campaign's fallback. If the campaign has no fallback,
// the visitor goes to the campaign's own destination, if there is one.
func (r *request) sendToFallback(w http.ResponseWriter) {
	r.out = r.expand(r.out[:0], r.camp.Plan.LastResort().URL, nil)
	if len(r.out) == 0 {
		notFound(w)
		return
	}
	r.click.Destination = string(r.out)
	r.send(w, flow.Transition302)
}

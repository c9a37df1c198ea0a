package click

import (
	"net/http"

	"switchyard/api/routing"
	"switchyard/models"
	"switchyard/models/foreign"
)

// foreignMark is the header of a postback that one of these services has sent on. Such a postback is never sent on again.
const foreignMark = "Switchyard-Forwarded"

// foreignReport answers a conversion that is reported to an address of another tracker, on a domain that moved here. It is read like a
// postback to /postback: the domain names the account. A key in the path is not checked, because the secrets of the networks hold. The
// method reports whether the address is such a one. A path that cannot be costs nothing.
func (h *Handler) foreignReport(w http.ResponseWriter, r *http.Request, word, subpath string) bool {
	if !foreign.MayReport(word, subpath) {
		return false
	}
	a := foreign.Read(word, subpath, r.URL.RawQuery)
	if a.Kind != foreign.Postback && a.Kind != foreign.Pixel {
		return false
	}
	d, _ := h.find(models.BareHost(r.Host), word)
	if d == nil || !h.routes.Current().AnswersForeign(d) {
		return false
	}
	if a.Kind == foreign.Pixel {
		h.pixel(w, r)
	} else {
		h.postback(w, r, "")
	}
	return true
}

// foreignLink answers a link of another tracker, and the step from a landing page to an offer, on a domain that moved here. It comes
// after everything that the domain answers by itself. It reports whether the address is such a one.
func (h *Handler) foreignLink(w http.ResponseWriter, req *http.Request, d *routing.Domain, word, subpath string) bool {
	snap := h.routes.Current()
	if !snap.AnswersForeign(d) {
		return false
	}
	a := foreign.Read(word, subpath, req.URL.RawQuery)
	switch a.Kind {
	case foreign.Link:
		c := snap.ForeignCampaign(d, a)
		if c == nil {
			return false
		}
		h.track(w, req, d, c)
	case foreign.Out:
		h.sendOut(w, req, d, a.Slot, foreign.ClickParams)
	default:
		return false
	}
	return true
}

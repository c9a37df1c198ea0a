package click

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/models"
	"switchyard/models/foreign"
	"switchyard/models/postback"
)

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
// after all own addresses of the domain. It reports whether the address is such a one.
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

// noteReceived keeps the path and the query of a message that may have to be sent on to the tracker from which its account moved. The
// id of a network means nothing there.
func (h *Handler) noteReceived(p *models.Postback, r *http.Request) {
	if r.Method != http.MethodHead && r.Header.Get(models.ForwardedHeader) == "" && h.routes.Current().OldTracker(p.AccountID) != "" {
		if p.Received = r.URL.RequestURI(); p.NetworkID != uuid.Nil {
			p.Received = "/postback?" + r.URL.RawQuery
		}
	}
}

// isOfMove reports whether a message that names no click of ours may name one of the tracker from which its account moved. All such
// messages are stored, so that they can be counted. isSentOn reports whether the message is to be sent on to that tracker, because its
// click id has the form of that tracker's. A click id that may be one of a click that was brought over is kept in p.
func (h *Handler) isOfMove(p *models.Postback, n postback.Network) (isOfMove, isSentOn bool) {
	snap, text := h.routes.Current(), postback.ClickID(p.Params, n)
	tracker, hasOld := snap.OldTracker(p.AccountID), snap.HasOldClicks(p.AccountID)
	if isOfMove = text != "" && (tracker != "" || hasOld); isOfMove && hasOld {
		p.OldClick = text
	}
	return isOfMove, isOfMove && tracker != "" && p.Received != "" && foreign.IsClick(tracker, text)
}

// sealReceived seals the path and the query of a message that is sent on, because they may have secrets and personal data.
func (h *Handler) sealReceived(ctx context.Context, p *models.Postback) (err error) {
	p.Forward, err = h.proofs.SealProof(ctx, p.ID, postback.Proof{Raw: &models.RawMessage{Query: p.Received}})
	return err
}

// withForm adds the fields of a form to an address, because postbacks are sent on as GET requests.
func withForm(address string, form []byte) string {
	sep := "?"
	if strings.Contains(address, "?") {
		sep = "&"
	}
	return address + sep + string(form)
}

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

// foreignReport answers a conversion that is reported to an address of another tracker, on a domain that moved here. It reads the
// report like a request for /postback or /pixel.gif. A key of the other tracker in the path is not checked: the secrets of the
// account's networks are checked instead.
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

// foreignLink answers a link of another tracker, and the step from a landing page to an offer, on a domain that moved here. It is
// tried after all links that the domain has here.
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

// recordReceived stores the path and the query of a postback that may have to be forwarded to the account's old tracker. It leaves
// out the id of a network, which means nothing to that tracker.
func (h *Handler) recordReceived(p *models.Postback, r *http.Request) {
	if r.Method != http.MethodHead && r.Header.Get(models.ForwardedHeader) == "" && h.routes.Current().OldTracker(p.AccountID) != "" {
		if p.Received = r.URL.RequestURI(); p.NetworkID != uuid.Nil {
			p.Received = "/postback?" + r.URL.RawQuery
		}
	}
}

// isOfMove reports whether a postback that names no click of ours may name a click of the account's old tracker. All such postbacks
// are stored, so that they can be counted. isSentOn reports whether the postback is to be forwarded to that tracker, because its
// click id has the form of that tracker's ids. If the account's old clicks were imported, the click id is kept in p.
func (h *Handler) isOfMove(p *models.Postback, n postback.Network) (isOfMove, isSentOn bool) {
	snap, text := h.routes.Current(), postback.ClickID(p.Params, n)
	tracker, hasOld := snap.OldTracker(p.AccountID), snap.HasOldClicks(p.AccountID)
	if isOfMove = text != "" && (tracker != "" || hasOld); isOfMove && hasOld {
		p.OldClick = text
	}
	return isOfMove, isOfMove && tracker != "" && p.Received != "" && foreign.IsClick(tracker, text)
}

// sealReceived seals the path and the query of a postback that is forwarded, because they may contain secrets and personal data.
func (h *Handler) sealReceived(ctx context.Context, p *models.Postback) (err error) {
	p.Forward, err = h.proofs.SealProof(ctx, p.ID, postback.Proof{Raw: &models.RawMessage{Query: p.Received}})
	return err
}

// withForm adds the fields of a form to an address, because postbacks are forwarded as GET requests.
func withForm(address string, form []byte) string {
	sep := "?"
	if strings.Contains(address, "?") {
		sep = "&"
	}
	return address + sep + string(form)
}

package click

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/netguard"
)

const (
	// trapWord is part of the address of the link that the page tag hides from people: /t/h/{click id}.
	trapWord = "h/"
	// maxTrapAge is the greatest age of a click whose hidden link still counts. The page tag remembers a click for the same time.
	maxTrapAge = 90 * 24 * time.Hour
	// unstoredFor is the time after a click during which the click is possibly not in PostgreSQL yet. The time in a click id may also
	// be this far in the future, because clocks differ.
	unstoredFor = time.Minute
)

// hiddenLink answers /t/h/{click id}. The click is marked as a bot's only if the sender has the same address and user agent as
// the click's visitor. The answer does not disclose whether the click exists.
func (h *Handler) hiddenLink(w http.ResponseWriter, req *http.Request, text string) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		refuseMethod(w)
		return
	}
	d := h.routes.Current().Domain(models.BareHost(req.Host))
	if d == nil {
		notFound(w)
		return
	}
	if t, ok := h.newTrap(req, d, text); ok {
		h.recordTrap(req.Context(), t)
	}
	w.Header()["Cache-Control"] = noStore
	w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	w.WriteHeader(http.StatusNoContent)
}

// newTrap returns the trap to record, which says that the hidden link of a click was followed. ok is false if nothing is recorded.
func (h *Handler) newTrap(req *http.Request, d *routing.Domain, text string) (t models.ClickTrap, ok bool) {
	id, err := models.ParseClickID(text)
	now := time.Now()
	age := now.Sub(models.ClickTime(id))
	if err != nil || id == uuid.Nil || age < -unstoredFor || age > maxTrapAge {
		return t, false
	}
	r := h.acquire(req)
	defer h.release(r)
	h.visitors.Describe(req, r.snap.BotData(), &r.seen)
	from := netguard.ClientPrefix(h.visitors.ClientIP(req))
	if !r.isReal() {
		return t, false
	}
	if !h.eventLimits.senders.Allow(from, now) {
		h.metrics.limited.Inc()
		return t, false
	}
	r.click.Visitor = r.seen.Visitor
	r.truncateAddress()
	t = models.ClickTrap{ClickID: id, AccountID: d.AccountID.UUID, Sender: r.click.Sender()}
	c, known := h.findClick(req.Context(), id)
	switch {
	case c != nil && !d.Serves(c.AccountID):
		return t, false
	case c != nil:
		t.AccountID = c.AccountID
	case known && age > unstoredFor:
		return t, false
	}
	return t, h.eventLimits.admits(addressee{account: t.AccountID}, from, 1, now)
}

// recordTrap puts the trap on stable storage, in the same spool as events of pages.
func (h *Handler) recordTrap(ctx context.Context, t models.ClickTrap) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), messageBudget)
	defer cancel()
	if err := h.postbacks.Append(ctx, spool.Record{Trap: &t}); err != nil {
		h.metrics.unrecorded.Inc()
		h.logThrottled(ctx, err)
		return
	}
	h.metrics.traps.Inc()
}

package click

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"switchyard/db/spool"
	"switchyard/models"
)

// edgeHeader is the header that signs a request of the edge: "{seconds since 1970}.{text}.{HMAC-SHA256 in hex}". The edge is the
// script in ops/deploy/edge, which routes visitors at Cloudflare and reports their clicks to this service. The text is empty for
// a batch of clicks. For a visitor that the edge could not route, the text is the seed of the random numbers that choose among
// the visitor's paths, in hex. This service uses the same seed, because a second random choice would distort the weights.
const edgeHeader = "Switchyard-Edge"

// edgeBatchHeader is a second signature of a batch of clicks. It has the same form, but does not cover the body, so that a
// stranger is refused before the body is read.
const edgeBatchHeader = "Switchyard-Edge-Batch"

const (
	maxEdgeBody   = 1 << 20
	maxEdgeClicks = 100
	// edgeSkew is how far the clock of the edge may be off.
	edgeSkew = 5 * time.Minute
	// edgeTimeout is the time within which a batch must reach stable storage.
	edgeTimeout = 5 * time.Second
	maxEdgeAge  = time.Hour
	// maxEdgeSeen is the number of the edge's clicks that this process remembers. It recognizes repeated clicks by them.
	maxEdgeSeen = 50_000
)

var (
	errNoEdge     = models.Errorf(models.KindNotFound, "edge_not_configured", "this install has no EDGE_SECRET")
	errEdgeProof  = models.Errorf(models.KindUnauthenticated, "unauthorized", "a header that begins with %s is missing, wrong or too old", edgeHeader)
	errEdgeLarge  = models.Errorf(models.KindTooLarge, "too_large", "a batch has at most %d bytes and %d clicks", maxEdgeBody, maxEdgeClicks)
	errEdgeBroken = models.Invalid("bad_body", `the body is not a JSON object like {"clicks": [...]}`)
)

// edgeProof makes and checks signatures of the edge.
type edgeProof []byte

// sum returns the HMAC over a purpose, a time, a text and a subject. The subject depends on the purpose: it is empty for "batch", the
// body of the request for "clicks", and the key of the link for "route".
func (s edgeProof) sum(purpose, at, text, subject string) []byte {
	m := hmac.New(sha256.New, s)
	for _, part := range [...]string{purpose, at, text, subject} {
		_, _ = m.Write([]byte(part + "\n"))
	}
	return m.Sum(nil)
}

// read returns the text of a header value. ok is false if the signature is missing or wrong, or if the value's time differs from now
// by more than edgeSkew.
func (s edgeProof) read(value, purpose, subject string, now time.Time) (text string, ok bool) {
	at, textAndSum, _ := strings.Cut(value, ".")
	text, given, _ := strings.Cut(textAndSum, ".")
	seconds, err := strconv.ParseInt(at, 10, 64)
	mac, err2 := hex.DecodeString(given)
	if len(s) == 0 || len(value) > 200 || err != nil || err2 != nil || now.Sub(time.Unix(seconds, 0)).Abs() > edgeSkew {
		return "", false
	}
	return text, hmac.Equal(mac, s.sum(purpose, at, text, subject))
}

// edgeSeed returns the seed that the edge chose at random for this visitor before it handed the visitor over.
func (r *request) edgeSeed() (seed uint64, ok bool) {
	v := r.http.Header[edgeHeader]
	if len(v) == 0 {
		return 0, false
	}
	text, ok := r.h.edge.read(v[0], "route", models.EdgeKey(r.domain.Host, r.camp.Row.Alias), r.now)
	if !ok {
		return 0, false
	}
	seed, err := strconv.ParseUint(text, 16, 64)
	return seed, err == nil
}

// edgeBatch is the body that the edge sends.
type edgeBatch struct {
	Clicks []edgeClick `json:"clicks"`
}

// edgeClick is the edge's report of a visitor that it has routed.
type edgeClick struct {
	ID          string            `json:"id"`     // a click id
	Host        string            `json:"host"`   // host of the tracking link
	Target      string            `json:"target"` // path and query of the tracking link
	HTTPS       bool              `json:"https"`
	IP          string            `json:"ip"`
	Headers     map[string]string `json:"headers"`
	Visitor     string            `json:"visitor"` // the visitor's id, as in the cookie
	New         bool              `json:"new"`     // the edge made the visitor's id
	Seed        string            `json:"seed"`    // the seed of the random numbers, in hex
	Via         int               `json:"via"`     // a flow.Via
	Hops        []edgeHop         `json:"hops"`    // campaigns in the order in which they routed
	Lander      uuid.UUID         `json:"lander"`
	Offer       uuid.UUID         `json:"offer"`
	Bound       uuid.UUID         `json:"bound"` // id of the offer, or of the path's URL (token.Template.ID), to which the visitor is bound
	Destination string            `json:"destination"`
	Passed      uuid.UUID         `json:"passed"` // the path that could not take the visitor
	PassedWhy   string            `json:"passed_why"`
}

// edgeHop is a campaign that routed the visitor, and the path that it chose. Flow is the hash of the campaign's flow at the edge.
type edgeHop struct {
	Campaign uuid.UUID `json:"campaign"`
	Path     uuid.UUID `json:"path"`
	Flow     string    `json:"flow"`
	Bindable bool      `json:"bindable"`
}

// edgeResult reports how many clicks of a batch were stored.
type edgeResult struct {
	Accepted int `json:"accepted"` // clicks on stable storage, including repeated clicks
	Dropped  int `json:"dropped"`  // clicks that can never be recorded, such as clicks of deleted campaigns
}

// edgeClicks answers POST /edge/clicks. 200 means that all clicks of the batch that can be recorded are on stable storage. After
// any 5xx the edge sends the batch again, up to three times.
func (h *Handler) edgeClicks(w http.ResponseWriter, r *http.Request) {
	result, err := h.receiveEdgeClicks(w, r)
	if err != nil {
		replyError(w, err)
		return
	}
	writeReply(w, http.StatusOK, reply{Data: result})
}

func (h *Handler) receiveEdgeClicks(w http.ResponseWriter, r *http.Request) (out edgeResult, err error) {
	switch {
	case len(h.edge) == 0:
		return out, errNoEdge
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST")
		return out, errPostOnly
	case !h.Ready():
		return out, errUnavailable
	}
	if _, ok := h.edge.read(r.Header.Get(edgeBatchHeader), "batch", "", time.Now()); !ok {
		return out, errEdgeProof
	}
	body, err := readBody(w, r, maxEdgeBody, errEdgeLarge, errEdgeBroken)
	if err != nil {
		return out, err
	}
	if _, ok := h.edge.read(r.Header.Get(edgeHeader), "clicks", string(body), time.Now()); !ok {
		return out, errEdgeProof
	}
	var batch edgeBatch
	if json.Unmarshal(body, &batch) != nil {
		return out, errEdgeBroken
	}
	if len(batch.Clicks) > maxEdgeClicks {
		return out, errEdgeLarge
	}
	return h.storeEdgeClicks(r.Context(), batch.Clicks)
}

// storeEdgeClicks records a batch. It does not write a click again if this process remembers that it has recorded the click.
func (h *Handler) storeEdgeClicks(ctx context.Context, list []edgeClick) (out edgeResult, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), edgeTimeout)
	defer cancel()
	var all sync.WaitGroup
	errs := make([]error, len(list))
	for i := range list {
		c, ok := h.edgeClick(&list[i])
		if !ok {
			out.Dropped++
			h.metrics.edge.WithLabelValues("dropped").Inc()
			continue
		}
		out.Accepted++
		if _, known := h.edgeSeen.GetIfPresent(c.ID); known {
			h.metrics.edge.WithLabelValues("repeated").Inc()
			continue
		}
		all.Go(func() { errs[i] = h.storeEdgeClick(ctx, c) }) // concurrently, so that the clicks share a sync of the disk
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		h.logThrottled(ctx, err)
		return out, errUnavailable
	}
	return out, nil
}

func (h *Handler) storeEdgeClick(ctx context.Context, c *models.Click) error {
	if err := h.spool.Append(ctx, spool.Record{Click: c}); err != nil {
		return err
	}
	if _, first := h.edgeSeen.SetIfAbsent(c.ID, struct{}{}); !first {
		h.metrics.edge.WithLabelValues("repeated").Inc()
		return nil
	}
	h.metrics.edge.WithLabelValues("stored").Inc()
	h.metrics.clicks.Inc()
	snap := h.routes.Current()
	if camp := snap.Campaign(c.CampaignID); !c.IsBot && camp != nil && camp.CountsClicks {
		h.caps.add(c.CampaignID, localDay(models.ClickTime(c.ID), snap.Account(c.AccountID).Zone))
	}
	if c.LanderID != uuid.Nil {
		h.recent.Set(c.ID, c)
	}
	return nil
}

package click

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/flow"
)

var edgeSecret = edgeProof(strings.Repeat("s", 32))

func (s edgeProof) signed(purpose, text, about string, at time.Time) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	return seconds + "." + text + "." + hex.EncodeToString(s.sum(purpose, seconds, text, about))
}

func (w *env) report(body []byte, proof string) *httptest.ResponseRecorder {
	w.Helper()
	r := httptest.NewRequestWithContext(w.Context(), http.MethodPost, "/edge/clicks", bytes.NewReader(body))
	r.Header.Set(edgeHeader, proof)
	r.Header.Set(edgeBatchHeader, edgeSecret.signed("batch", "", "", time.Now()))
	rec := httptest.NewRecorder()
	w.h.ServeHTTP(rec, r)
	return rec
}

func (w *env) reportClicks(clicks ...edgeClick) (edgeResult, int) {
	w.Helper()
	body, err := json.Marshal(edgeBatch{clicks})
	if err != nil {
		w.Fatal(err)
	}
	rec := w.report(body, edgeSecret.signed("clicks", "", string(body), time.Now()))
	var answer struct{ Data edgeResult }
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil {
		w.Fatal(err)
	}
	return answer.Data, rec.Code
}

func (w *env) edgeClick(campaign, stream, offer uuid.UUID) edgeClick {
	return edgeClick{
		ID: models.FormatClickID(models.NewClickID()), Host: ownHost, Target: "/summer-1?zone=7&bid=0.5&x=%41", HTTPS: true, IP: "81.2.69.142",
		Headers: map[string]string{"user-agent": chrome, "accept-language": "de-AT,de", "referer": "https://www.google.com/", "x-forwarded-for": "1.1.1.1"},
		Visitor: models.FormatClickID(uuid.New()), New: true, Seed: "ff", Via: int(flow.ViaRegular),
		Hops:  []edgeHop{{Campaign: campaign, Path: stream, Bindable: true}},
		Offer: offer, Destination: "https://shop.test/?c=1",
	}
}

// TestEdgeClicks checks that a click of the edge is described and priced like a click that came to this service, and that
// a click of an earlier batch is not written again.
func TestEdgeClicks(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.h.edge = edgeSecret
	network := w.network()
	offer := w.offer("https://shop.test/?c={clickid}", network)
	p := path("offer", nil, to(offer))
	id := w.campaign("summer-1", m{"domain_id": w.ownDomain, "cost_model": "auto"}, p)
	w.reload()
	e := w.edgeClick(id, uuid.MustParse(p["id"].(string)), offer)
	for range 2 {
		if got, status := w.reportClicks(e, e); status != http.StatusOK || got != (edgeResult{Accepted: 2}) {
			t.Fatalf("a batch that contains one click twice gets %d %+v, want 200 and 2 accepted", status, got)
		}
	}
	c := w.spool.last()
	if n := len(w.spool.clicks()); n < 1 || n > 2 { // both copies in one batch may be written at the same time; PostgreSQL keeps one
		t.Errorf("%d clicks are written, want 1 or 2", n)
	}
	got := fmt.Sprintln(models.FormatClickID(c.ID), c.CampaignID, c.StreamID, c.OfferID, c.NetworkID, c.SourceID, c.IP, c.Country, c.Language,
		c.OS, c.Subs[0], c.Cost, c.Arrival, c.RouteSeed, c.Via, c.Destination, c.ReferrerDomain, models.FormatClickID(c.VisitorID))
	want := fmt.Sprintln(e.ID, id, e.Hops[0].Path, offer, network, w.source, e.IP, "GB", "de", "Windows", "7", "0.5", "redirect", 0xff, e.Via, e.Destination,
		"google.com", e.Visitor)
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if c.UniqueKey == [16]byte{} || c.UniqueHours == 0 || c.FlowHash != 0 {
		t.Errorf("the click is %+v, want a unique key and no flow hash", c)
	}
	e.ID, e.Hops[0].Flow = models.FormatClickID(models.NewClickID()), "1"
	if w.reportClicks(e); w.spool.last().FlowHash != 0 {
		t.Error("the click has a flow hash although the edge used a flow that this service does not have")
	}
}

// TestEdgeClicksRefused: nothing is accepted without a valid signature. A click that cannot be recorded is dropped, and the other
// clicks of its batch are recorded.
func TestEdgeClicksRefused(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.h.edge = edgeSecret
	offer := w.offer("https://shop.test/", uuid.Nil)
	p := path("offer", nil, to(offer))
	id := w.campaign("summer-1", m{"domain_id": w.ownDomain}, p)
	own := w.account
	w.account = w.newAccount()
	theirs := w.campaign("theirs-1", m{"domain_id": w.shared})
	w.account = own
	w.reload()
	good := func() edgeClick { return w.edgeClick(id, uuid.MustParse(p["id"].(string)), offer) }
	var list []edgeClick
	for _, spoil := range []func(*edgeClick){
		func(e *edgeClick) { e.Hops[0].Campaign = uuid.New() },
		func(e *edgeClick) { e.Hops[0].Campaign = theirs },
		func(e *edgeClick) { e.Hops = append(e.Hops, edgeHop{Campaign: theirs}) },
		func(e *edgeClick) { e.Hops = nil },
		func(e *edgeClick) { e.Host = "elsewhere.test" },
		func(e *edgeClick) { e.ID = models.FormatClickID(uuid.New()) },
		func(e *edgeClick) { e.ID = models.FormatClickID(models.FloorClickID(time.Now().Add(-2 * time.Hour))) },
		func(e *edgeClick) { e.IP = "nowhere" },
		func(e *edgeClick) { e.Target = "::" },
		func(e *edgeClick) { e.Seed = "-" },
		func(e *edgeClick) { e.Visitor = "" },
		func(e *edgeClick) { e.Via = 99 },
		func(e *edgeClick) { e.Headers["sec-purpose"] = "prefetch" },
	} {
		e := good()
		spoil(&e)
		list = append(list, e)
	}
	list = append(list, good())
	if got, status := w.reportClicks(list...); status != http.StatusOK || got != (edgeResult{1, len(list) - 1}) || len(w.spool.clicks()) != 1 {
		t.Errorf("a batch with one good click gets %d %+v and %d clicks are written, want 200, 1 accepted and 1 written", status, got, len(w.spool.clicks()))
	}
	body := []byte(`{"clicks": []}`)
	now := time.Now()
	large := bytes.Repeat([]byte(" "), maxEdgeBody+1)
	for name, c := range map[string]struct {
		body   []byte
		proof  string
		status int
	}{
		"no clicks":       {body, edgeSecret.signed("clicks", "", string(body), now), 200},
		"no proof":        {body, "", 401},
		"malformed proof": {body, "1.2.3", 401},
		"another secret":  {body, edgeProof("x").signed("clicks", "", string(body), now), 401},
		"other body":      {body, edgeSecret.signed("clicks", "", "{}", now), 401},
		"other purpose":   {body, edgeSecret.signed("route", "", string(body), now), 401},
		"old proof":       {body, edgeSecret.signed("clicks", "", string(body), now.Add(-2*edgeSkew)), 401},
		"no json":         {[]byte("x"), edgeSecret.signed("clicks", "", "x", now), 400},
		"too large":       {large, edgeSecret.signed("clicks", "", string(large), now), 413},
	} {
		if rec := w.report(c.body, c.proof); rec.Code != c.status {
			t.Errorf("%s: %d, want %d", name, rec.Code, c.status)
		}
	}
	if _, status := w.reportClicks(make([]edgeClick, maxEdgeClicks+1)...); status != 413 {
		t.Errorf("a batch with too many clicks gets the status %d, want 413", status)
	}
	if res := w.get("/edge/clicks"); res.StatusCode != 405 {
		t.Errorf("GET gets the status %d, want 405", res.StatusCode)
	}
	w.spool.full = true
	if _, status := w.reportClicks(good()); status != 503 {
		t.Errorf("while the disk is full, a batch gets the status %d, want 503", status)
	}
	w.h.edge = nil
	if _, status := w.reportClicks(); status != 404 {
		t.Errorf("without an edge, a batch gets the status %d, want 404", status)
	}
}

// TestEdgeSeed checks that this service uses the edge's seed for a visitor that the edge could not route, if the seed is signed
// for the link.
func TestEdgeSeed(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.h.edge = edgeSecret
	w.campaign("summer-1", m{"domain_id": w.ownDomain}, path("offer", nil, to(w.offer("https://shop.test/", uuid.Nil))))
	w.reload()
	w.get("/summer-1", host(ownHost), header(edgeHeader, edgeSecret.signed("route", "abc", models.EdgeKey(ownHost, "summer-1"), time.Now())))
	if c := w.spool.last(); c.RouteSeed != 0xabc {
		t.Errorf("the click has the seed %x, want abc", c.RouteSeed)
	}
	w.get("/summer-1", host(ownHost), header(edgeHeader, edgeSecret.signed("route", "abc", models.EdgeKey(ownHost, "winter-1"), time.Now())))
	if c := w.spool.last(); c.RouteSeed == 0xabc {
		t.Error("a seed that is signed for another link was used")
	}
}

// unreadBody is a body that fails the test if it is read.
type unreadBody struct{ *testing.T }

func (u unreadBody) Read([]byte) (int, error) {
	u.Error("the body of an unsigned request was read")
	return 0, io.EOF
}

// TestEdgeUnsigned: the body of a request is never read if the signature in the batch header is missing or not valid.
func TestEdgeUnsigned(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.h.edge = edgeSecret
	w.reload()
	now := time.Now()
	for name, batch := range map[string]string{
		"no signature":                   "",
		"a signature of another purpose": edgeSecret.signed("clicks", "", "", now),
		"a signature of another subject": edgeSecret.signed("batch", "", "x", now),
		"an old signature":               edgeSecret.signed("batch", "", "", now.Add(-edgeSkew-time.Minute)),
		"a signature by another secret":  edgeProof(strings.Repeat("t", 32)).signed("batch", "", "", now),
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/edge/clicks", unreadBody{t})
		r.ContentLength = maxEdgeBody
		r.Header.Set(edgeHeader, edgeSecret.signed("clicks", "", "", now))
		r.Header.Set(edgeBatchHeader, batch)
		rec := httptest.NewRecorder()
		if w.h.ServeHTTP(rec, r); rec.Code != http.StatusUnauthorized {
			t.Errorf("a batch with %s gets the status %d, want 401", name, rec.Code)
		}
	}
}

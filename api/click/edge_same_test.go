package click

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/flow"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
)

// edgeOrigin is the service behind an edge. It answers visitors that the edge hands over and takes the edge's clicks, each batch
// twice. The first answer to every fifth batch gets lost.
type edgeOrigin struct {
	h  *Handler
	mu sync.Mutex

	batches int
	clicks  map[string]edgeClick // by id
	lost    map[string]bool      // batches whose answer was lost
}

func (o *edgeOrigin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/edge/clicks" {
		w.Header().Set("X-Origin", r.Header.Get(edgeHeader))
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for range 2 {
		repeated := r.Clone(r.Context())
		repeated.Body = io.NopCloser(bytes.NewReader(body))
		rec := httptest.NewRecorder()
		o.h.ServeHTTP(rec, repeated)
		if rec.Code != http.StatusOK {
			w.WriteHeader(rec.Code)
			return
		}
	}
	var batch edgeBatch
	_ = json.Unmarshal(body, &batch) // the handler has read it
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range batch.Clicks {
		o.clicks[c.ID] = c
	}
	if o.batches++; o.batches%5 == 0 && !o.lost[string(body)] {
		o.lost[string(body)] = true
		w.WriteHeader(http.StatusBadGateway)
	}
}

func (o *edgeOrigin) has(id string) (edgeClick, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c, ok := o.clicks[id]
	return c, ok
}

// bundleServer implements the protocol by which the runtime reads Workers KV.
func bundleServer(t *testing.T, a *edgeAccounts) (url string, bundles map[string]models.EdgeBundle) {
	t.Helper()
	all, err := routing.NewExplainer(a.records).Snapshot().EdgeBundles()
	if err != nil {
		t.Fatal(err)
	}
	bundles = map[string]models.EdgeBundle{}
	for _, b := range all {
		bundles[b.Key] = b
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, ok := bundles[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write(b.Value)
	}))
	t.Cleanup(server.Close)
	return server.URL, bundles
}

// edgeAnswer is the edge's answer to a visitor, and the answer that this service gives to the same visitor.
type edgeAnswer struct {
	visitor edgeVisitor
	status  int
	to      string            // the address of the redirect
	cookies map[string]string // the visitor's cookies after the answer
	proof   string            // if the edge handed the visitor over: the signed seed, or noProof

	wantClick    models.Click
	wantDecision flow.Decision
	wantCookies  map[string]string
	wantSeed     uint64
}

// noProof is the value of edgeAnswer.proof if the edge handed the visitor over without a seed.
const noProof = "-"

// TestEdgeEqualsService sends 2,000 random visitors (10,000 in the long form of the test) to 50 random campaigns at the edge, in
// the edge's own runtime. Each visitor that the edge routes must get the path, destination, final address and cookies that this
// service chooses with the same random numbers. The clicks, each sent twice, must be in PostgreSQL once.
func TestEdgeEqualsService(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	const campaigns, atOnce = 50, 8
	visitors := longtest.Size(2000, 10_000)
	a := newEdgeAccounts(1, campaigns)
	disk, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	origin := &edgeOrigin{h: handlerOf(t, disk, a.records), clicks: map[string]edgeClick{}, lost: map[string]bool{}}
	origin.h.routes, origin.h.edge = routing.Fixed(routing.Compile(a.records)), edgeSecret
	originServer := httptest.NewServer(origin)
	t.Cleanup(originServer.Close)
	bundles, known := bundleServer(t, a)
	edge := startEdge(t, bundles, originServer.URL)

	live := handlerOf(t, &memorySpool{}, a.records)
	live.visitors = placedDescriber{live.visitors}
	answers := make([][]*edgeAnswer, visitors)
	var all sync.WaitGroup
	next := make(chan int)
	for range atOnce {
		all.Go(func() {
			for i := range next {
				answers[i] = a.visit(t, edge, live, uint64(i))
			}
		})
	}
	for i := range visitors {
		next <- i
	}
	close(next)
	all.Wait()
	routed := a.compare(t, origin, known, slices.Concat(answers...))
	if t.Failed() {
		return
	}
	a.checkStored(t, disk, routed)
}

// visit sends visitor n to a random campaign at the edge, once or twice.
func (a *edgeAccounts) visit(t *testing.T, edge *edgeRuntime, h *Handler, n uint64) (list []*edgeAnswer) {
	t.Helper()
	copied := *a
	copied.simulated = &simulated{Rand: rand.New(rand.NewPCG(n, 5))}
	campaign := pick(copied.simulated, a.all...)
	v := copied.visitor(campaign)
	cookies := map[string]string{}
	for round := range 1 + copied.IntN(2) {
		if round > 0 {
			v.ip = copied.visitor(campaign).ip
		}
		answer := a.once(t, edge, h, campaign, v, cookies, rand.New(rand.NewPCG(n, uint64(round))))
		if list = append(list, answer); answer == nil || answer.proof != "" {
			break
		}
		cookies = answer.cookies
	}
	return list
}

// Sends a visitor with cookies to the edge, once, and returns the answer.
func (a *edgeAccounts) once(
	t *testing.T, edge *edgeRuntime, h *Handler, campaign uuid.UUID, v edgeVisitor, cookies map[string]string, rnd *rand.Rand,
) *edgeAnswer {
	t.Helper()
	now := time.Now().Add(-time.Duration(rnd.IntN(3000)) * time.Second)
	seedHigh, seedLow := rnd.Uint64(), rnd.Uint64()
	pcg := rand.NewPCG(seedHigh, seedLow)
	var draws []string
	for range 12 {
		draws = append(draws, strconv.FormatUint(pcg.Uint64(), 16))
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, edge.url, nil)
	if err != nil {
		t.Error(err)
		return nil
	}
	req.URL.Path, req.URL.RawQuery, _ = strings.Cut(v.target, "?")
	req.Host = a.hosts[campaign]
	for name, value := range v.headers {
		req.Header.Set(name, value)
	}
	if v.headers["User-Agent"] == "" {
		req.Header["User-Agent"] = []string{""}
	}
	for _, name := range slices.Sorted(maps.Keys(cookies)) {
		req.AddCookie(&http.Cookie{Name: name, Value: cookies[name]})
	}
	out := &edgeAnswer{visitor: v, cookies: maps.Clone(cookies), wantCookies: maps.Clone(cookies)}
	out.wantSeed, _ = strconv.ParseUint(draws[0], 16, 64)
	a.decide(h, req.Clone(t.Context()), campaign, now, seedHigh, seedLow, out)
	proto := "http"
	if v.https {
		proto = "https"
	}
	place, _ := json.Marshal(v.place)
	for name, value := range map[string]string{
		"X-Test-Draws": strings.Join(draws, ","), "X-Test-Now": strconv.FormatInt(now.UnixMilli(), 10), "X-Test-Proto": proto,
		"X-Test-Cf": string(place), "CF-Connecting-IP": v.ip.String(),
	} {
		req.Header.Set(name, value)
	}
	res, err := edge.client.Do(req)
	if err != nil {
		t.Error(err)
		return nil
	}
	_ = res.Body.Close()
	out.status, out.to, out.proof = res.StatusCode, res.Header.Get("Location"), res.Header.Get("X-Origin")
	for _, c := range res.Cookies() {
		out.cookies[c.Name] = c.Value
	}
	return out
}

// decide stores the answer of this service to the visitor in the fields wantClick, wantDecision and wantCookies.
func (a *edgeAccounts) decide(h *Handler, req *http.Request, campaign uuid.UUID, now time.Time, seedHigh, seedLow uint64, out *edgeAnswer) {
	place, _ := json.Marshal(out.visitor.place)
	req.Header[placeHeader] = []string{string(place)}
	req.RemoteAddr = net.JoinHostPort(out.visitor.ip.String(), "1")
	if out.visitor.https {
		req.TLS = &tls.ConnectionState{}
	}
	r, _ := h.newRequest().(*request)
	r.begin(req)
	r.now, r.header = time.UnixMilli(now.UnixMilli()), http.Header{}
	r.pcg.Seed(seedHigh, seedLow)
	d := r.snap.Domain(a.hosts[campaign])
	decision := r.routeVisitor(d, r.snap.Campaign(campaign), r)
	r.remember(r.header, &decision)
	out.wantClick, out.wantDecision = r.click, decision
	for _, c := range (&http.Response{Header: r.header}).Cookies() {
		out.wantCookies[c.Name] = c.Value
	}
}

// compare checks the answers of the edge against the answers of this service. It returns the ids of the clicks that the edge routed.
func (a *edgeAccounts) compare(t *testing.T, origin *edgeOrigin, bundles map[string]models.EdgeBundle, answers []*edgeAnswer) map[string]bool {
	t.Helper()
	routed, counts := map[string]bool{}, map[string]int{}
	for n, x := range answers {
		if x == nil {
			return nil // the reason was reported
		}
		first := x.wantClick.CampaignID
		if x.wantClick.ParentCampaignID != uuid.Nil {
			first = x.wantClick.ParentCampaignID
		}
		key := models.EdgeKey(a.hosts[first], a.aliases[first])
		if x.proof != "" {
			counts["handed over"]++
			if fault := x.handOverFault(key, bundles[key]); fault != "" {
				t.Errorf("visitor %d, %s: %s", n, key, fault)
			}
			continue
		}
		counts["by "+flow.Via(x.wantClick.Via).String()]++
		if len(bundles[key].Origin) > 0 {
			counts["of campaigns that the edge can route only in part"]++
		}
		if want, got := x.expected(), x.got(); want != got {
			t.Errorf("visitor %d, %s, %+v\n got %s\nwant %s", n, key, x.visitor, got, want)
			continue
		}
		if !x.wantDecision.Collect {
			continue
		}
		id := models.FormatClickID(x.clickCookie().Click)
		routed[id] = true
		await.Until(t, "the click "+id+" is reported", func() bool { _, ok := origin.has(id); return ok })
		e, _ := origin.has(id)
		c, ok := origin.h.edgeClick(&e)
		if want, got := describeClick(&x.wantClick), describeClick(c); !ok || want != got {
			t.Errorf("visitor %d, %s, reported %+v\n got %s\nwant %s", n, key, e, got, want)
		}
	}
	t.Log(counts, "in", origin.batches, "messages")
	for via := flow.ViaForced; via <= flow.ViaDestination; via++ {
		if counts["by "+via.String()] == 0 {
			t.Errorf("no visitor was routed by %s, want at least one", via)
		}
	}
	if counts["handed over"] > len(answers)/3 || counts["handed over"] == 0 {
		t.Errorf("%d of %d visitors were handed over, want at least one and at most a third", counts["handed over"], len(answers))
	}
	return routed
}

// handOverFault returns the mistake in how the edge has handed a visitor over, or an empty text.
func (x *edgeAnswer) handOverFault(key string, b models.EdgeBundle) string {
	if x.proof == noProof {
		if strings.Contains(string(b.Value), `"https_only":true`) && !x.visitor.https {
			return ""
		}
		return "the edge handed the visitor over without a seed"
	}
	text, ok := edgeSecret.read(x.proof, "route", key, time.Now())
	if seed, err := strconv.ParseUint(text, 16, 64); !ok || err != nil || seed != x.wantSeed {
		return fmt.Sprintf("the seed is %q, not %x", x.proof, x.wantSeed)
	}
	if strings.Contains(x.visitor.target, badEscape) {
		return ""
	}
	if len(b.Origin) == 0 && x.wantClick.Destination != "" && !strings.Contains(string(b.Value), `"keyword"`) {
		return fmt.Sprintf("the edge could have routed the visitor: %+v", x.visitor)
	}
	return ""
}

func (x *edgeAnswer) clickCookie() clickCookie {
	t, _ := parseClickCookie(x.cookies[clickCookieName])
	return t
}

// expected returns the answer of this service, with the ids that the edge has made.
func (x *edgeAnswer) expected() string {
	visitor, _ := models.ParseClickID(x.cookies[visitorCookieName])
	ids := strings.NewReplacer(models.FormatClickID(x.wantClick.ID), models.FormatClickID(x.clickCookie().Click),
		x.wantClick.VisitorID.String(), visitor.String())
	t, _ := parseClickCookie(x.wantCookies[clickCookieName])
	t.Click = uuid.Nil
	status := redirects[x.wantDecision.Transition()]
	return fmt.Sprintln(status, ids.Replace(x.wantClick.Destination), t, len(x.wantCookies), bindings(x.wantCookies))
}

func (x *edgeAnswer) got() string {
	t := x.clickCookie()
	t.Click = uuid.Nil
	return fmt.Sprintln(x.status, x.to, t, len(x.cookies), bindings(x.cookies))
}

func bindings(cookies map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(cookies)) {
		if strings.HasPrefix(name, bindCookieName) {
			list = append(list, name+"="+cookies[name])
		}
	}
	return list
}

// describeClick returns, as text, the fields of a click that must be the same at the edge and in this service.
func describeClick(c *models.Click) string {
	if c == nil {
		return "none"
	}
	return fmt.Sprintln(c.AccountID, c.CampaignID, c.ParentCampaignID, c.StreamID, c.LanderID, c.OfferID, c.NetworkID, c.SourceID,
		c.ExternalID, c.Domain, c.Arrival, c.Params, c.Subs, c.IP, c.Language, c.UserAgent, c.Referrer, c.OS, c.Browser, c.Keyword,
		c.Cost, c.Currency, c.UniqueKey, c.UniqueHours, c.RouteSeed, c.FlowHash, c.Via, c.PassedStreamID, c.PassedReason)
}

// checkStored ingests the spool and checks that PostgreSQL then has each click exactly once.
func (a *edgeAccounts) checkStored(t *testing.T, disk *spool.Spool, routed map[string]bool) {
	t.Helper()
	d := dbtest.New(t)
	for _, row := range store.RoutingRows[*store.RoutingAccount](a.records) {
		dbtest.Exec(t, d, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', $2)`, row.ID, row.ID.String())
	}
	if err := ingest.NewIngester(disk, d, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	var ids []uuid.UUID
	if err := d.SelectContext(t.Context(), &ids, `SELECT id FROM clicks`); err != nil {
		t.Fatal(err)
	}
	var counted int
	if err := d.GetContext(t.Context(), &counted, `SELECT coalesce(sum(clicks + bot_clicks), 0) FROM ledger`); err != nil {
		t.Fatal(err)
	}
	if len(ids) != len(routed) || counted != len(routed) {
		t.Errorf("%d clicks are stored and %d counted, want %d", len(ids), counted, len(routed))
	}
	for _, id := range ids {
		if !routed[models.FormatClickID(id)] {
			t.Errorf("click %s belongs to no visitor", id)
		}
	}
}

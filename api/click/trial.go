package click

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"switchyard/api/routing"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// Tester runs test requests through the code that answers real requests. It stores nothing: no click, no count of a cap, and no
// binding for the visitor's next visit. Safe for concurrent use.
type Tester struct{ visitors Describer }

// NewTester returns a Tester that describes visitors with v.
func NewTester(v Describer) *Tester { return &Tester{v} }

// handler returns a Handler for trials, without anything to write to.
func (t *Tester) handler(s *routing.Snapshot) *Handler {
	return &Handler{
		visitors: t.visitors, limits: newPostbackLimits(), routes: routing.Fixed(s), caps: newCapCounter(nil),
		fingerprints: otter.Must(&otter.Options[[16]byte, *storedBinding]{MaximumSize: 1}), metrics: newMetrics(),
	}
}

// Trial is the result of testing a tracking link.
type Trial struct {
	Word     string            // the first part of the path: an alias or a slug
	Domain   *routing.Domain   // nil: the host is not a tracking domain, and all fields below are empty
	Campaign *routing.Campaign // nil: the word names no campaign, and all fields below except Smart are empty
	Smart    *routing.Smartlink

	Params      []TrialParam // parameters in the order of the query
	Click       models.Click // the click as it would be recorded
	Explanation routing.Explanation
	Status      int          // status of the answer
	Offers      []TrialOffer // the destinations of the lander's slots
}

// TrialParam is a parameter of the link.
type TrialParam struct {
	Name  string
	Value string // value as the service reads it; empty for a macro that was not filled
	Sent  string
	Field string // the field of the click that it fills; empty: only conditions and tokens read it
}

// TrialOffer is the destination of one slot of a lander.
type TrialOffer struct {
	Slot        int
	OfferID     uuid.UUID // zero: the slot leads to an address, not to an offer
	Offer       string
	Destination string
}

// Click tests a tracking link. clicks has the number of today's clicks by the id of a path or campaign, for decisions by caps.
func (t *Tester) Click(x *routing.Explainer, clicks map[uuid.UUID]int, req *http.Request) (out Trial) {
	h := t.handler(x.Snapshot())
	snap := h.routes.Current()
	word, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	out.Word = models.TrimLink(word)
	out.Domain, out.Campaign = snap.Find(models.BareHost(req.Host), out.Word)
	if out.Domain != nil && out.Campaign == nil {
		out.Smart = snap.Smartlink(out.Domain, out.Word)
	}
	if out.Campaign == nil {
		return out
	}
	r, _ := h.newRequest().(*request)
	r.begin(req)
	zone := snap.Account(out.Campaign.Row.AccountID).Zone
	for id, n := range clicks {
		h.caps.sync(id, localDay(r.now, zone), n)
	}
	visit := &trialVisit{request: r}
	decision := r.routeVisitor(out.Domain, out.Campaign, visit)
	w := &discarder{header: http.Header{}}
	r.answer(w, &decision)
	out.Params, out.Status = r.trialParams(), w.status
	out.Explanation = routing.Explanation{
		Outcome: routing.Outcome{Decision: decision, FlowHash: r.click.FlowHash}, Stages: visit.stages,
	}
	out.Click = r.click
	if decision.Lander != nil {
		out.Offers = r.trialOffers()
	}
	return out
}

// Visitors returns a function that computes the facts on which conditions decide, for a visitor who requests a campaign's link on
// a host. The campaign must be known to x. The function must not be called by two goroutines at the same time.
func (t *Tester) Visitors(x *routing.Explainer) func(campaign uuid.UUID, host string, at time.Time, req *http.Request) *cond.Facts {
	h := t.handler(x.Snapshot())
	return func(campaign uuid.UUID, host string, at time.Time, req *http.Request) *cond.Facts {
		r, _ := h.newRequest().(*request)
		r.begin(req)
		r.now = at
		r.initClick(&routing.Domain{RoutingDomain: store.RoutingDomain{Host: host}}, r.snap.Campaign(campaign))
		r.facts.SetBool(cond.IsUnique, true)
		return &r.facts
	}
}

// trialVisit records the stages of the routing and remembers no visitor.
type trialVisit struct {
	*request
	stages []routing.ExplainedStage
}

// Enter implements routing.Visit. If campaigns hand over in a circle, a visitor who comes to a campaign again is not unique in
// it.
func (v *trialVisit) Enter(c *routing.Campaign) {
	v.request.Enter(c)
	if slices.ContainsFunc(v.stages, func(s routing.ExplainedStage) bool { return s.CampaignID == c.Row.ID }) {
		v.facts.SetBool(cond.IsUnique, false)
	}
	v.env.Trace = &flow.Trace{}
	v.stages = append(v.stages, routing.ExplainedStage{CampaignID: c.Row.ID, Name: c.Row.Name, Trace: v.env.Trace})
}

// HandOver implements routing.Visit.
func (v *trialVisit) HandOver(uuid.UUID, bool) {}

// trialParams returns the parameters of the query, each with the field of the click that it fills.
func (r *request) trialParams() []TrialParam {
	fields := map[string]string{}
	setField := func(param, field string) {
		if param = strings.ToLower(param); param != "" && fields[param] == "" {
			fields[param] = field
		}
	}
	for _, p := range r.source.ExternalIDParams() {
		setField(p, "external_id")
	}
	setField(costParam(r.source), "cost")
	for _, s := range r.source.Subs {
		setField(s.Param, "sub"+strconv.Itoa(s.Sub+1))
	}
	setField(currencyParam, "currency")
	for p, n := range genericSubs {
		setField(p, "sub"+strconv.Itoa(n+1))
	}
	setField("keyword", "keyword")
	list := make([]TrialParam, len(r.params))
	for i, p := range r.params {
		list[i] = TrialParam{Name: p.Name, Sent: p.Value, Value: cleanReceived(p.Value), Field: fields[strings.ToLower(p.Name)]}
	}
	return list
}

// trialOffers returns the destinations of the lander's slots. It leaves out slots without a destination.
func (r *request) trialOffers() (list []TrialOffer) {
	for r.slot = 1; r.slot <= flow.MaxSlot; r.slot++ {
		if _, ok := r.nextDestination(uuid.Nil); ok && len(r.out) > 0 {
			offer := TrialOffer{Slot: r.slot, OfferID: r.click.OfferID, Destination: r.click.Destination}
			if r.offer != nil {
				offer.Offer = r.offer.Row.Name
			}
			list = append(list, offer)
		}
	}
	return list
}

// discarder is a response writer that keeps only the status.
type discarder struct {
	header http.Header
	status int
}

// Header implements http.ResponseWriter.
func (d *discarder) Header() http.Header { return d.header }

// Write implements http.ResponseWriter.
func (d *discarder) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader implements http.ResponseWriter.
func (d *discarder) WriteHeader(status int) { d.status = status }

// Postback reads a test postback with the code that reads real postbacks.
func (t *Tester) Postback(s *routing.Snapshot, req *http.Request, network string) (*models.Postback, error) {
	return t.handler(s).readPostback(&discarder{header: http.Header{}}, req, network)
}

// TrialAddress is the source address of a trial request that names none. It is reserved for documentation.
const TrialAddress = "192.0.2.1"

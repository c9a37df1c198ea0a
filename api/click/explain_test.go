package click

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// TestExplainDecidesAgain checks that an Explainer repeats a click's decision from the data recorded with the click.
func TestExplainDecidesAgain(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	var offers []m
	for range 6 {
		offers = append(offers, to(w.offer("https://o.test/?a={clickid}", uuid.Nil)))
	}
	last := w.campaign("explained-end", m{"bind_visitors": "streams_landers_offers", "flow_rotation": "weight"},
		path("offer", nil, offers[:3]...), path("offer", m{"weight": 40}, offers[3:]...))
	first := w.campaign("explained-start", nil,
		path("offer", m{"filters": []m{{"attribute": "sub1", "operator": "equals", "value": "x"}}}, offers[0]),
		path("campaign", m{"campaign_id": last}))
	w.reload()
	explainer := func() *routing.Explainer {
		r, err := store.CampaignRouting(t.Context(), w.db, w.account, first)
		if err != nil {
			t.Fatal(err)
		}
		return routing.NewExplainer(r)
	}
	firstExplainer := explainer()
	var cookies []*http.Cookie
	paths, vias := map[uuid.UUID]int{}, map[flow.Via]int{}
	for i := range 60 {
		if i%3 == 0 {
			cookies = nil
		}
		handOvers := min(i%10, 1) // 0 for every tenth click: its sub1 is x, so the filter keeps it in the first campaign
		res := w.get("/explained-start?sub1="+[]string{"x", "y"}[handOvers], withCookies(cookies), peer(fmt.Sprintf("9.9.9.%d:1", 1+i/3)))
		cookies = append(cookies, res.Cookies()...)
		c := w.spool.last()
		facts := &cond.Facts{}
		facts.SetText(cond.Named("sub1"), c.Subs[0])
		q := routing.Question{Campaign: first, Facts: facts, Seed: c.RouteSeed}
		if flow.Via(c.Via) == flow.ViaBound {
			q.Bound = map[uuid.UUID]flow.Binding{c.CampaignID: {Path: c.StreamID, Lander: c.LanderID, Offer: c.OfferID}}
		}
		e := firstExplainer.Explain(q)
		if e.FlowHash != c.FlowHash || e.Route.ID != c.StreamID || e.Offer.ID != c.OfferID || int(e.Via) != c.Via {
			t.Fatalf("click %d went by %s to %s, but is explained as %s to %s", i, flow.Via(c.Via), c.OfferID, e.Via, e.Offer.ID)
		}
		if e.URL() != "https://o.test/?a={clickid}" || len(e.Stages) != 1+handOvers || len(e.Stages[0].Trace.Steps) == 0 {
			t.Fatalf("click %d is explained with the address %s and %d campaigns, want the offer's address and %d campaigns",
				i, e.URL(), len(e.Stages), 1+handOvers)
		}
		paths[e.Route.ID]++
		vias[e.Via]++
	}
	if len(paths) != 3 || vias[flow.ViaBound] == 0 || vias[flow.ViaRegular] == 0 {
		t.Errorf("the clicks took the paths %v by %v, want three paths, some bound and some regular", paths, vias)
	}
	dbtest.Exec(w, w.db, `UPDATE campaigns SET flow_rotation = 'position' WHERE id = $1`, last)
	sameHash := firstExplainer.Explain(routing.Question{Campaign: first, Facts: &cond.Facts{}}).FlowHash
	if explainer().Explain(routing.Question{Campaign: first, Facts: &cond.Facts{}}).FlowHash == sameHash {
		t.Error("the flow hash stays the same although the last campaign changed")
	}
	if r, err := store.CampaignRouting(t.Context(), w.db, uuid.New(), first); err != nil || len(campaignsOf(r)) != 0 {
		t.Errorf("another account reads %d campaigns, want none; error %v", len(campaignsOf(r)), err)
	}
}

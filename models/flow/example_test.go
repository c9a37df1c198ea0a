package flow_test

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"switchyard/models/cond"
	"switchyard/models/flow"
)

// A flow is read, validated and compiled once. The plan then chooses a path for any number of visitors.
func Example() {
	offer := uuid.MustParse("00000000-0000-4000-8000-000000000001")
	paths, err := flow.Parse(json.RawMessage(`[
		{"name": "Germany", "action": "offer", "destinations": [{"id": "00000000-0000-4000-8000-000000000001"}],
			"filters": [{"attribute": "country", "operator": "equals", "value": "DE"}]},
		{"name": "Rest", "stream_type": "default", "action": "redirect",
			"destinations": [{"url": "https://rest.example/?c={clickid}"}]}]`))
	if err == nil {
		err = flow.Validate(paths, flow.Known{Offers: map[uuid.UUID]bool{offer: true}})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	ref := flow.NewRef(offer, flow.KindOffer, "the best offer")
	plan, err := flow.Compile(paths, flow.Options{Ref: func(uuid.UUID) *flow.Ref { return ref }})
	if err != nil {
		fmt.Println(err)
		return
	}
	visit := func(country string) {
		var facts cond.Facts
		facts.SetText(cond.Named("country"), country)
		d := plan.Pick(&flow.Visitor{Facts: &facts}, flow.Env{}, 1) // 1 is the seed: the same seed gives the same decision
		if d.Offer != nil {
			fmt.Println(d.Via, d.Route.Name, d.Offer.Record())
		} else {
			fmt.Println(d.Via, d.Route.Name, d.URL.Source())
		}
	}
	visit("DE")
	visit("FR")
	ref.SetPaused(true) // takes effect immediately in every plan
	visit("DE")
	// Output:
	// regular Germany the best offer
	// default Rest https://rest.example/?c={clickid}
	// default Rest https://rest.example/?c={clickid}
}

package redtrack_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"switchyard/models/accountconfig"
	"switchyard/workers/providers/trackers/moved/movedtest"
	"switchyard/workers/providers/trackers/redtrack/redtracktest"
)

type object = map[string]any

func streamOf(g movedtest.Group) object {
	p := g.Paths[0]
	var pages, offers []object
	for n, w := range p.Pages {
		if n > 0 {
			pages = append(pages, object{"id": redtracktest.ID(3, n), "weight": w})
		}
	}
	for n, w := range p.Offers {
		offers = append(offers, object{"id": redtracktest.ID(4, n+1), "weight": w})
	}
	filters := object{"city": object{"active": false, "values": []string{"Berlin"}}}
	if len(g.Countries) > 0 {
		filters["country"] = object{"active": true, "values": g.Countries}
	}
	if g.NotDevice != "" {
		filters["device_type"] = object{"active": true, "exclude": true, "values": []string{g.NotDevice}}
	}
	return object{"weight": p.Weight, "stream": object{"title": "Stream", "filters": filters, "landings": pages, "offers": offers}}
}

func trackerOf(t *testing.T, specs []movedtest.Spec) []byte {
	t.Helper()
	var pages, offers, campaigns []object
	for n := 1; n <= 3; n++ {
		address := fmt.Sprintf("https://x.example/%d", n)
		pages = append(pages, object{"id": redtracktest.ID(3, n), "title": fmt.Sprint("Page ", n), "url": address})
		offers = append(offers, object{"id": redtracktest.ID(4, n), "title": fmt.Sprint("Offer ", n), "url": address, "status": 1})
	}
	for i, s := range specs {
		var streams []object
		for _, g := range s.Groups {
			streams = append(streams, streamOf(g))
		}
		campaigns = append(campaigns, object{"id": redtracktest.ID(5, i+1), "title": fmt.Sprint("Campaign ", i+1), "status": 1, "streams": streams})
	}
	raw, err := json.Marshal(object{
		"domains": []object{}, "networks": []object{}, "sources": []object{}, "landings": pages, "offers": offers, "campaigns": campaigns,
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTheSameVisitorGoesToTheSamePlace(t *testing.T) {
	t.Parallel()
	specs := movedtest.Specs(42, true)
	kinds := map[accountconfig.Kind]int{accountconfig.Landers: 3, accountconfig.Offers: 4, accountconfig.Campaigns: 5}
	movedtest.SameDecisions(t, readAll(t, trackerOf(t, specs)), specs, true, func(kind accountconfig.Kind, n int) string {
		return "redtrack.tracker.example." + redtracktest.ID(kinds[kind], n)
	})
}

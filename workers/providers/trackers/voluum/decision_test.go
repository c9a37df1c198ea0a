package voluum_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"switchyard/models/accountconfig"
	"switchyard/workers/providers/trackers/moved/movedtest"
	"switchyard/workers/providers/trackers/voluum/voluumtest"
)

type object = map[string]any

func pathsOf(g movedtest.Group) (out []object) {
	for _, p := range g.Paths {
		var pages, offers []object
		for n, w := range p.Pages {
			if n > 0 {
				pages = append(pages, object{"lander": object{"id": voluumtest.UUID(3, n)}, "weight": w})
			}
		}
		for n, w := range p.Offers {
			offers = append(offers, object{"offer": object{"id": voluumtest.UUID(4, n+1)}, "weight": w})
		}
		out = append(out, object{"name": "Path", "active": !p.Off, "weight": p.Weight, "landers": pages, "offers": offers})
	}
	return out
}

func trackerOf(t *testing.T, specs []movedtest.Spec) []byte {
	t.Helper()
	var pages, offers, campaigns []object
	for n := 1; n <= 3; n++ {
		address := fmt.Sprintf("https://x.example/%d", n)
		pages = append(pages, object{"id": voluumtest.UUID(3, n), "name": fmt.Sprint("Page ", n), "url": address})
		offers = append(offers, object{"id": voluumtest.UUID(4, n), "name": fmt.Sprint("Offer ", n), "url": address, "payout": object{"type": "AUTO"}})
	}
	for i, s := range specs {
		flow := object{}
		var groups []object
		for j, g := range s.Groups {
			if j == len(s.Groups)-1 {
				flow["defaultPaths"] = pathsOf(g)
				continue
			}
			var codes []object
			for _, c := range g.Countries {
				codes = append(codes, object{"code": c})
			}
			conditions := object{"country": object{"predicate": "MUST_BE", "countries": codes}}
			if g.NotDevice != "" {
				conditions["deviceType"] = object{"predicate": "MUST_NOT_BE", "deviceTypes": []string{strings.ToUpper(g.NotDevice)}}
			}
			groups = append(groups, object{"name": fmt.Sprint("Group ", j), "active": !g.Off, "conditions": conditions, "paths": pathsOf(g)})
		}
		flow["conditionalPathsGroups"] = groups
		campaigns = append(campaigns, object{
			"id": voluumtest.UUID(5, i+1), "name": fmt.Sprint("Campaign ", i+1), "redirectTarget": object{"inlineFlow": flow},
		})
	}
	raw, err := json.Marshal(object{
		"tracker-domain": []object{}, "affiliate-network": []object{}, "traffic-source": []object{}, "flow": []object{},
		"lander": pages, "offer": offers, "campaign": campaigns,
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTheSameVisitorGoesToTheSamePlace(t *testing.T) {
	t.Parallel()
	specs := movedtest.Specs(41, false)
	for i := range specs { // a path of Voluum with landing pages sends all visitors to them
		for _, g := range specs[i].Groups {
			for j := range g.Paths {
				if p := &g.Paths[j]; len(p.Pages) > 0 {
					p.Pages = slices.Clone(p.Pages)
					p.Pages[0] = 0
				}
			}
		}
	}
	kinds := map[accountconfig.Kind]int{accountconfig.Landers: 3, accountconfig.Offers: 4, accountconfig.Campaigns: 5}
	movedtest.SameDecisions(t, readAll(t, trackerOf(t, specs)), specs, false, func(kind accountconfig.Kind, n int) string {
		return "voluum.tracker.example." + voluumtest.UUID(kinds[kind], n)
	})
}

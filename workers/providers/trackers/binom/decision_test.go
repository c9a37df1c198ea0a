package binom_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"switchyard/models/accountconfig"
	"switchyard/workers/providers/trackers/moved/movedtest"
)

type object = map[string]any

func pathOf(p movedtest.SpecPath) object {
	out := object{"name": "Path", "enabled": !p.Off, "weight": p.Weight}
	var pages, offers []object
	for n, w := range p.Pages { // the page 0 is Binom's DIRECT, which means no landing page
		pages = append(pages, object{"id": n, "weight": w, "enabled": true})
	}
	for n, w := range p.Offers {
		offers = append(offers, object{"offerId": n + 1, "weight": w, "enabled": true})
	}
	out["landings"], out["offers"] = pages, offers
	return out
}

func trackerOf(t *testing.T, specs []movedtest.Spec) []byte {
	t.Helper()
	tracker := object{"groups": object{}, "domains": []object{}, "affiliate_network": []object{}, "traffic_source": []object{}, "rotation": []object{}}
	var pages, offers, campaigns []object
	for n := 1; n <= 3; n++ {
		address := fmt.Sprintf("https://x.example/%d", n)
		pages = append(pages, object{"id": n, "name": fmt.Sprint("Page ", n), "location": address})
		offers = append(offers, object{"id": n, "name": fmt.Sprint("Offer ", n), "url": address})
	}
	for i, s := range specs {
		rotation := object{}
		var rules []object
		for j, g := range s.Groups {
			var paths []object
			for _, p := range g.Paths {
				paths = append(paths, pathOf(p))
			}
			if j == len(s.Groups)-1 {
				rotation["defaultPaths"] = paths
				continue
			}
			criteria := []object{{"type": "country", "mode": "include", "values": g.Countries}}
			if g.NotDevice != "" {
				criteria = append(criteria, object{"type": "device_type", "mode": "exclude", "values": []string{g.NotDevice}})
			}
			rules = append(rules, object{"name": fmt.Sprint("Rule ", j), "enabled": !g.Off, "criteria": criteria, "paths": paths})
		}
		rotation["rules"] = rules
		campaigns = append(campaigns, object{"id": i + 1, "name": fmt.Sprint("Campaign ", i+1), "key": fmt.Sprintf("key%06d", i), "customRotation": rotation})
	}
	tracker["landing"], tracker["offer"], tracker["campaign"] = pages, offers, campaigns
	raw, err := json.Marshal(tracker)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTheSameVisitorGoesToTheSamePlace(t *testing.T) {
	t.Parallel()
	specs := movedtest.Specs(40, false)
	result := readAll(t, trackerOf(t, specs))
	movedtest.SameDecisions(t, result, specs, false, func(_ accountconfig.Kind, n int) string {
		return fmt.Sprint("binom.tracker.example.", n)
	})
}

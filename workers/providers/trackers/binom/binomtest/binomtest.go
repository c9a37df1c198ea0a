// Package binomtest is a fake of the API of Binom 2. It serves groups and domains as complete lists, and networks as a list of ids
// and names. It serves other records as a list of ids and names, and each of them by its id.
package binomtest

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"switchyard/workers/providers/trackers/moved/movedtest"
)

// Key is the key that the fake accepts. Limited is a key without rights.
const (
	Key     = "b1n0mb1n0m873455"
	Limited = "000000000000dead"
)

//go:embed testdata
var fixtures embed.FS

// Fixture returns a file of a fixture, such as plain/in/tracker.json.
func Fixture(name string) []byte {
	raw, err := fixtures.ReadFile("testdata/" + name)
	if err != nil {
		panic("binomtest: " + err.Error())
	}
	return raw
}

// New returns a fake that serves a tracker in the form of a fixture's tracker.json.
func New(tracker []byte) *movedtest.Fake {
	f := &movedtest.Fake{Allow: allow, Serve: serve, Refuse: refuse}
	f.Load(tracker)
	return f
}

func allow(r *http.Request) int {
	switch r.Header.Get("Api-Key") {
	case Key:
		return http.StatusOK
	case Limited:
		return http.StatusForbidden
	}
	return http.StatusUnauthorized
}

func refuse(status int, r *http.Request) any {
	return map[string]string{"error": http.StatusText(status) + " for " + r.Header.Get("Api-Key")}
}

func serve(t *movedtest.Parsed, r *http.Request) (any, bool) {
	path, ok := strings.CutPrefix(r.URL.Path, "/public/api/v1/")
	if !ok || r.Method != http.MethodGet {
		return nil, false
	}
	switch path {
	case "groups":
		return t.Whole("groups"), true
	case "domains":
		return t.List("domains"), true
	}
	kind, rest, _ := strings.Cut(path, "/")
	switch {
	case rest == "list/filtered":
		return t.Thin(kind, "id", "name"), true
	case kind == "affiliate_network":
		return nil, false
	}
	return t.One(kind, rest)
}

type object = map[string]any

// Big returns a tracker with many campaigns and offers.
func Big(campaigns, offers int) []byte {
	t := object{
		"groups": object{"campaigns": []object{{"uuid": "g", "name": "Big"}}}, "rotation": []object{},
		"domains":           []object{{"id": "d", "domain": "go.big.example", "isDefault": true, "isSsl": true}},
		"affiliate_network": []object{{"id": 1, "name": "Big network"}},
		"traffic_source":    []object{{"id": 1, "name": "Big source", "tokens": object{"1": object{"parameter": "zone", "placeholder": "{zoneid}", "name": "Zone"}}}},
		"landing":           []object{{"id": 1, "name": "Big page", "location": "https://page.example/"}},
	}
	var list []object
	for i := 1; i <= offers; i++ {
		list = append(list, object{
			"id": i, "name": fmt.Sprintf("Offer %d", i), "url": fmt.Sprintf("https://offer.example/%d?s={clickid}", i), "affiliateNetworkId": 1,
			"payout": object{"money": object{"amount": float64(i%50) + 0.5, "currency": "USD"}},
		})
	}
	t["offer"] = list
	var all []object
	for i := 1; i <= campaigns; i++ {
		path := func(n int) object {
			return object{
				"name": fmt.Sprintf("Path %d", n), "enabled": true, "weight": 100,
				"landings": []object{{"id": 1, "weight": 100, "enabled": true}},
				"offers":   []object{{"offerId": (i*3+n)%max(offers, 1) + 1, "weight": 100, "enabled": true}},
			}
		}
		all = append(all, object{
			"id": i, "name": fmt.Sprintf("Campaign %d", i), "key": fmt.Sprintf("big%06d", i), "groupUuid": "g", "domainUuid": "d",
			"trafficSourceId": 1, "cost": object{"model": "CPC", "money": object{"amount": 0.05, "currency": "USD"}},
			"customRotation": object{
				"rules": []object{{
					"name": "Germany", "enabled": true, "paths": []object{path(1)},
					"criteria": []object{{"type": "country", "mode": "include", "values": []string{"DE"}}},
				}},
				"defaultPaths": []object{path(2), path(3)},
			},
		})
	}
	t["campaign"] = all
	raw, err := json.Marshal(t)
	if err != nil {
		panic("binomtest: " + err.Error())
	}
	return raw
}

// Package voluumtest is a fake of the API of Voluum. Like the real API, it opens a session, demands its token in all other
// requests, and puts each list into an object.
package voluumtest

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"switchyard/workers/providers/trackers/moved/movedtest"
)

// The access key that the fake accepts, and the token of its session.
const (
	ID    = "0b3c0c1e-voluum"
	Key   = "v0luum-secret-key"
	token = "t0ken-0f-the-session"
)

//go:embed testdata
var fixtures embed.FS

// Fixture returns a file of a fixture, such as plain/in/tracker.json.
func Fixture(name string) []byte {
	raw, err := fixtures.ReadFile("testdata/" + name)
	if err != nil {
		panic("voluumtest: " + err.Error())
	}
	return raw
}

// New returns a fake with the content of a fixture's tracker.json, or of Big.
func New(tracker []byte) *movedtest.Fake {
	f := &movedtest.Fake{Allow: allow, Serve: serve, Refuse: refuse}
	f.Load(tracker)
	return f
}

func allow(r *http.Request) int {
	if r.URL.Path != "/auth/access/session" {
		if r.Header.Get("cwauth-token") != token {
			return http.StatusUnauthorized
		}
		return http.StatusOK
	}
	var body struct {
		ID  string `json:"accessId"`
		Key string `json:"accessKey"`
	}
	switch {
	case r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&body) != nil:
		return http.StatusBadRequest
	case body.ID != ID:
		return http.StatusForbidden
	case body.Key != Key:
		return http.StatusUnauthorized
	}
	return http.StatusOK
}

func refuse(status int, r *http.Request) any {
	return map[string]any{"error": map[string]any{
		"code": http.StatusText(status), "messages": []string{http.StatusText(status)}, "description": "for " + Key + r.Header.Get("cwauth-token"),
	}}
}

// lists has the JSON member with the list of each kind.
var lists = map[string]string{
	"affiliate-network": "affiliateNetworks", "traffic-source": "trafficSources", "lander": "landers", "offer": "offers", "flow": "flows",
	"campaign": "campaigns",
}

func serve(t *movedtest.Parsed, r *http.Request) (any, bool) {
	path := strings.Trim(r.URL.Path, "/")
	switch path {
	case "auth/access/session":
		return map[string]any{"token": token, "expirationTimestamp": "2026-11-27T20:00:00.000Z", "inaccessible": false}, true
	case "tracker-domain":
		return map[string]any{"trackerDomains": t.List(path)}, true
	}
	kind, id, one := strings.Cut(path, "/")
	switch {
	case lists[kind] == "" || r.Method != http.MethodGet:
		return nil, false
	case one:
		return t.One(kind, id)
	}
	return map[string]any{lists[kind]: t.Thin(kind, "id", "name", "deleted")}, true
}

type object = map[string]any

// UUID returns an id in Voluum's format.
func UUID(kind, n int) string { return fmt.Sprintf("%08d-0000-4000-8000-%012d", kind, n) }

// Big returns an account for New. Each campaign has a group of paths with a condition, and default paths.
func Big(campaigns, offers int) []byte {
	t := object{
		"tracker-domain":    []object{{"id": "d", "domain": "go.big.example"}},
		"affiliate-network": []object{{"id": UUID(1, 1), "name": "Big network"}},
		"traffic-source":    []object{{"id": UUID(2, 1), "name": "Big source", "currencyCode": "USD", "customVariables": []object{{"index": 1, "name": "zone", "parameter": "zone", "placeholder": "{zoneid}"}}}},
		"lander":            []object{{"id": UUID(3, 1), "name": "Big page", "url": "https://page.example/"}},
	}
	var list, all []object
	for i := 1; i <= offers; i++ {
		list = append(list, object{
			"id": UUID(4, i), "name": fmt.Sprintf("Offer %d", i), "url": fmt.Sprintf("https://offer.example/%d?s={clickid}", i),
			"affiliateNetwork": object{"id": UUID(1, 1)}, "payout": object{"type": "MANUAL", "value": float64(i%50) + 0.5}, "currencyCode": "USD",
		})
	}
	for i := 1; i <= campaigns; i++ {
		path := func(n int) object {
			return object{
				"name": fmt.Sprintf("Path %d", n), "active": true, "weight": 100, "landers": []object{{"lander": object{"id": UUID(3, 1)}, "weight": 100}},
				"offers": []object{{"offer": object{"id": UUID(4, (i*3+n)%max(offers, 1)+1)}, "weight": 100}},
			}
		}
		all = append(all, object{
			"id": UUID(5, i), "name": fmt.Sprintf("Campaign %d", i), "trafficSource": object{"id": UUID(2, 1)},
			"costModel": object{"type": "CPC", "value": 0.05}, "redirectTarget": object{"inlineFlow": object{
				"defaultPaths": []object{path(2), path(3)},
				"conditionalPathsGroups": []object{{
					"name": "Germany", "active": true, "paths": []object{path(1)},
					"conditions": object{"country": object{"predicate": "MUST_BE", "countries": []object{{"code": "DE"}}}},
				}},
			}},
		})
	}
	t["offer"], t["campaign"], t["flow"] = list, all, []object{}
	raw, err := json.Marshal(t)
	if err != nil {
		panic("voluumtest: " + err.Error())
	}
	return raw
}

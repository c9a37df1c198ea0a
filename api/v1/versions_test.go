package v1_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"switchyard/api/apitest"
)

// versionedRecord is a record that a call with If-Match changes.
type versionedRecord struct {
	method, path string
	change       object
	list         string // path of the GET request that reads the record; empty: same as path
	version      func(object) any
}

func rowVersion(list, key string, id any, version string) func(object) any {
	return func(answer object) any {
		for _, row := range answer[list].([]any) {
			if row := row.(object); row[key] == id {
				return row[version]
			}
		}
		return nil
	}
}

func versionedRecords(t *testing.T, s *apitest.Server) []versionedRecord {
	t.Helper()
	domain := addDomain(t, s, "versions.example")
	made := func(path string, body object) any {
		t.Helper()
		return s.Do("POST", path, body).Want(201, "").Map()["id"]
	}
	listed := func(method, path string, id any, change object) versionedRecord {
		return versionedRecord{method, path, with(change, "id", id), "", rowVersion("rows", "id", id, "updated_at")}
	}
	hookID := made("/webhooks", hook())
	siteID := s.Do("POST", "/sites", object{"name": "Shop"}).Want(200, "").Map()["site"].(object)["id"]
	s.Do("PUT", "/goals", object{"key": "lead", "siteId": siteID}).Want(200, "")
	cloudflare := object{"provider": "cloudflare", "credentials": object{"api_token": "t0ken"}}
	dnsID := s.Do("PUT", "/integrations", cloudflare).Want(200, "").Map()["id"]
	connected := func(path string, change object) versionedRecord {
		t.Helper()
		return versionedRecord{"PUT", path, change, "", func(answer object) any { return answer["version"] }}
	}
	sourceID, networkID := made("/traffic-sources", source("B")), made("/networks", network("B"))
	return []versionedRecord{
		listed("PUT", "/offers", made("/offers", offer("A")), offer("A")),
		listed("PATCH", "/offers", made("/offers", offer("B")), object{"is_active": true}),
		listed("PUT", "/landers", made("/landers", lander("A")), lander("A")),
		listed("PUT", "/traffic-sources", made("/traffic-sources", source("A")), source("A")),
		listed("PUT", "/networks", made("/networks", network("A")), network("A")),
		listed("PUT", "/short-links", made("/short-links", smartlink("a-link", domain)), smartlink("a-link", domain)),
		listed("PUT", "/rules", made("/rules", rule("A")), rule("A")),
		listed("PUT", "/flows", made("/flows", savedFlow("A")), savedFlow("A")),
		listed("PATCH", "/domains", domain, object{"group_name": "g"}),
		listed("PATCH", "/copilot/rules", made("/copilot/rules", copilotRule()), object{"name": "Changed"}),
		{"PATCH", "/webhooks", object{"id": hookID, "name": "Mine"}, "", rowVersion("rows", "id", hookID, "updatedAt")},
		{"PUT", "/sites", object{"id": siteID, "name": "Shop"}, "", rowVersion("sites", "id", siteID, "updatedAt")},
		{
			"PUT", "/goals",
			object{"key": "lead", "siteId": siteID, "name": "Lead"},
			fmt.Sprint("/goals?site=", siteID),
			rowVersion("goals", "key", "lead", "updatedAt"),
		},
		{"PUT", "/integrations", with(cloudflare, "id", dnsID), "", rowVersion("accounts", "id", dnsID, "savedAt")},
		connected(fmt.Sprintf("/networks/%s/integration", networkID), everflow(nil)),
		connected(fmt.Sprintf("/traffic-sources/%s/integration", sourceID),
			object{"provider": "meta", "credentials": object{"pixel_id": "12345", "capi_token": "t0ken-of-meta-1234"}, "is_enabled": false}),
	}
}

// TestWritersWithOneVersion: of several writers with the same version of a record, one can save. The others get the error stale.
func TestWritersWithOneVersion(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for _, r := range versionedRecords(t, s) {
		name := r.method + " " + r.path
		read := func() string {
			t.Helper()
			list := r.list
			if list == "" {
				list = r.path
			}
			return fmt.Sprintf("%q", r.version(s.Do("GET", list, nil).Want(200, "").Map()))
		}
		before := read()
		if got := race(s, r, before); got["200 "] != 1 || got["409 stale"] != 3 {
			t.Errorf("%s: the answers are %v, want one save", name, got)
		}
		after := read()
		if after == before {
			t.Errorf("%s: after a change the record still has the version %s", name, after)
		}
		s.Do(r.method, r.path, r.change, "If-Match", before).Want(409, "stale")
		if now := read(); now != after {
			t.Errorf("%s: a refused change has changed the record: %s, want %s", name, now, after)
		}
		s.Do(r.method, r.path, r.change, "If-Match", before+", "+after).Want(200, "")
		s.Do(r.method, r.path, r.change, "If-Match", "*").Want(200, "")
		s.Do(r.method, r.path, r.change).Want(200, "") // without If-Match the last writer wins
	}
}

// race sends one change by four writers at once, and counts the answers.
func race(s *apitest.Server, r versionedRecord, version string) map[string]int {
	answers := make(chan string, 4)
	for range 4 {
		go func() {
			a := s.Do(r.method, r.path, r.change, "If-Match", version)
			answers <- fmt.Sprint(a.Status, " ", a.Code)
		}()
	}
	count := map[string]int{}
	for range 4 {
		count[<-answers]++
	}
	return count
}

// TestIfMatchOfNoRecord: If-Match does not change the answer for an unknown record, a wrong body or a GET request.
func TestIfMatchOfNoRecord(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := s.Do("POST", "/offers", offer("Mine")).Want(201, "").Map()["id"]
	_, other, _ := s.NewAccount("scale")
	s.As(other).Do("PUT", "/offers", with(offer("Theirs"), "id", id), "If-Match", `"x"`).Want(404, "not_found")
	s.Do("PUT", "/offers", with(offer("Mine"), "id", "none"), "If-Match", `"x"`).Want(400, "invalid_id")
	s.Do("PUT", "/offers", "{", "If-Match", `"x"`).Want(400, "bad_body")
	s.Do("PUT", "/offers", object{"id": id}, "If-Match", "*").Want(400, "required")
	s.Do("PUT", "/goals", object{"key": "new"}, "If-Match", `"x"`).Want(400, "no_site")
	s.Do("GET", "/offers", nil, "If-Match", `"x"`).Want(200, "")
}

// TestConnectionOfOneVersion: if two people connect a network that both have seen without a connection, the second gets the error
// stale. Bot settings work in the same way.
func TestConnectionOfOneVersion(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	path := fmt.Sprintf("/networks/%s/integration", s.Do("POST", "/networks", network("A")).Want(201, "").Map()["id"])
	none := fmt.Sprintf("%q", s.Do("GET", path, nil).Want(200, "").Map()["version"])
	saved := s.Do("PUT", path, everflow(nil), "If-Match", none).Want(200, "").Map()["version"]
	if now := s.Do("GET", path, nil).Want(200, "").Map()["version"]; now != saved {
		t.Errorf("GET shows the version %v, want %v, the version in the answer of the save", now, saved)
	}
	s.Do("PUT", path, everflow(nil), "If-Match", none).Want(409, "stale")
	_, other, _ := s.NewAccount("scale")
	s.As(other).Do("PUT", path, everflow(nil), "If-Match", none).Want(404, "not_found")

	bots := s.Do("GET", "/bot-detection", nil).Want(200, "").Header.Get("ETag")
	changed := s.Do("PUT", "/bot-detection", object{"threshold": 40, "days": 0}, "If-Match", bots).Want(200, "")
	s.Do("PUT", "/bot-detection", object{"threshold": 60, "days": 0}, "If-Match", bots).Want(409, "stale")
	now := s.Do("GET", "/bot-detection", nil).Want(200, "")
	same(t, now.Map(), object{"threshold": 40, "version": changed.Map()["version"]})
	if tag := changed.Header.Get("ETag"); tag != now.Header.Get("ETag") || tag != fmt.Sprintf("%q", now.Map()["version"]) {
		t.Errorf("the ETag is %s, then %s, and the version is %v, want one value in all three", tag, now.Header.Get("ETag"), now.Map()["version"])
	}
}

// TestSettingsOfOneVersion: of several people who change the same version of the settings, one can save.
func TestSettingsOfOneVersion(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	read := s.Do("GET", "/settings", nil).Want(200, "")
	tag := read.Header.Get("ETag")
	if version := fmt.Sprintf("%q", read.Map()["version"]); tag != version {
		t.Errorf("the ETag is %s, want the version %s", tag, version)
	}
	settings := versionedRecord{method: "PATCH", path: "/settings", change: object{"timezone": "Asia/Kolkata"}}
	if got := race(s, settings, tag); got["200 "] != 1 || got["409 stale"] != 3 {
		t.Errorf("the answers are %v, want one save", got)
	}
	refused := s.Do("PATCH", "/settings", object{"timezone": "UTC"}, "If-Match", tag).Want(http.StatusConflict, "stale")
	if refused.Header.Get("ETag") != "" {
		t.Error("a refused change has an ETag")
	}
	now := s.Do("GET", "/settings", nil).Want(200, "")
	same(t, now.Map(), object{"timezone": "Asia/Kolkata"})
	saved := s.Do("PATCH", "/settings", object{"timezone": "UTC"}, "If-Match", now.Header.Get("ETag")).Want(200, "")
	if again := s.Do("GET", "/settings", nil).Want(200, ""); again.Header.Get("ETag") != saved.Header.Get("ETag") {
		t.Errorf("the settings have the version %s, the answer of their change has %s", again.Header.Get("ETag"), saved.Header.Get("ETag"))
	}
	if fields := slices.Sorted(maps.Keys(saved.Map())); !slices.Contains(fields, "version") {
		t.Errorf("the answer has the fields %v, want version among them", fields)
	}
}

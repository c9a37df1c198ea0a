package v1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/v1"
)

// TestTrackingURL: the address that a buyer pastes at his source has the source's parameters, its macros as they are and
// nothing that breaks out of them.
func TestTrackingURL(t *testing.T) {
	t.Parallel()
	d := newDesk(t, apitest.Options{V1: v1.Deps{BaseURL: "http://localhost:8080"}})
	id := d.Do("POST", "/traffic-sources", `{"name": "S", "external_id_param": "cid", "external_id_macro": " ##CLICK_ID(x)## ",
		"cost_param": "bid", "cost_macro": "${cost}", "token_macros": {"zone": "[zone]", "a&b=c": "x&y=1#{z}\"<", "CID": "{old}"}}`).
		Want(201, "").Map()["id"]
	body := with(d.campaign("C"), "source_id", id)
	const query = `?cid=##CLICK_ID(x)##&bid=${cost}&zone=[zone]&a%26b%3Dc=x%26y%3D1%23{z}%22%3C`
	want := fmt.Sprintf("https://own.test/%v%s", body["alias"], query)
	made := d.make(t, body)
	same(t, made, map[string]any{"tracking_url": want})
	read := d.read(t, made["id"])
	same(t, read, map[string]any{"tracking_url": want, "links": made["links"]})
	row := rowOf(t, d.Server, "/campaigns", made["id"])
	same(t, row, map[string]any{"tracking_url": want})
	if _, ok := row["links"]; ok {
		t.Error("a list has the links of every campaign")
	}
	d.Do("PATCH", path(made["id"]), read).Want(200, "") // what was read can be sent back

	// The Host of the request has no part in it.
	raw := string(d.Do("GET", path(made["id"]), nil, "Host", "evil.test", "X-Forwarded-Host", "evil.test").Want(200, "").Raw)
	if strings.Contains(raw, "evil.test") {
		t.Error("a header of the request stands in an address")
	}
	// Without a source, and with one that adds its click id itself, nothing is made up.
	plain := d.make(t, d.campaign("plain"))
	same(t, plain, map[string]any{"tracking_url": plain["url"]})
	d.Do("PUT", "/traffic-sources", map[string]any{"id": id, "name": "S", "external_id_param": "gclid"}).Want(200, "")
	same(t, d.read(t, made["id"]), map[string]any{"tracking_url": fmt.Sprintf("https://own.test/%v", body["alias"])})
}

// TestLinks: a link on each domain where it works, and on no other.
func TestLinks(t *testing.T) {
	t.Parallel()
	d := newDesk(t, apitest.Options{V1: v1.Deps{BaseURL: "http://localhost:8080"}})
	domain := func(account any, host string, verified bool) string {
		id := uuid.NewString()
		d.sql(t, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, $3, $4)`, id, account, host, verified)
		return id
	}
	second := domain(d.Account.ID, "second.test", true)
	domain(d.Account.ID, "unverified.test", false)
	other, otherKey, _ := d.NewAccount("scale")
	domain(other.ID, "theirs.test", true)
	links := func(m map[string]any) (hosts []string) {
		for _, l := range m["links"].([]any) {
			link := l.(map[string]any)
			hosts = append(hosts, fmt.Sprint(link["domain"]))
			if !strings.Contains(fmt.Sprint(link["tracking_url"]), fmt.Sprint(link["url"])) ||
				!strings.Contains(fmt.Sprint(link["url"]), fmt.Sprint(link["domain"])) {
				t.Errorf("%v", link)
			}
		}
		return hosts
	}
	body := d.campaign("A")
	made := d.make(t, body)
	same(t, map[string]any{"links": links(made)}, map[string]any{"links": "[own.test second.test]"})
	namesake := with(d.campaign("B"), "domain_id", second)
	namesake["alias"] = body["alias"]
	later := d.make(t, namesake)
	same(t, map[string]any{"links": links(later)}, map[string]any{"links": "[second.test]"})
	same(t, map[string]any{"links": links(d.read(t, made["id"]))}, map[string]any{"links": "[own.test]"})
	// On the shared domain an alias belongs to one account, and works on the own ones too.
	shared := d.campaign("C")
	delete(shared, "domain_id")
	got := d.make(t, shared)
	same(t, map[string]any{"links": links(got)}, map[string]any{"links": "[localhost own.test second.test]"})
	same(t, got["links"].([]any)[0].(map[string]any), map[string]any{"url": fmt.Sprintf("http://localhost:8080/%v", got["alias"])})
	d.As(otherKey).Do("GET", path(made["id"]), nil).Want(404, "not_found")
}

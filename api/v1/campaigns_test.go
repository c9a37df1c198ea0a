package v1_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/models"
)

// campaignEnv is an account with the records that a campaign needs.
type campaignEnv struct {
	*apitest.Server
	offer, lander, network, source, ownDomain string // the ids; the host of ownDomain is own.test
}

func newCampaignEnv(t *testing.T, o ...apitest.Options) *campaignEnv {
	t.Helper()
	d := &campaignEnv{Server: apitest.New(t, append(o, apitest.Options{})[0])}
	if err := store.EnsureSharedDomains(t.Context(), d.DB, []string{"localhost", "other.test"}); err != nil {
		t.Fatal(err)
	}
	d.network = d.add(t, `INSERT INTO networks (id, account_id, name) VALUES ($1, $2, 'Net')`)
	d.source = d.add(t, `INSERT INTO traffic_sources (id, account_id, name) VALUES ($1, $2, 'Source')`)
	d.lander = d.add(t, `INSERT INTO landers (id, account_id, name, url) VALUES ($1, $2, 'Page', 'https://l.test')`)
	d.offer = d.add(t, `INSERT INTO offers (id, account_id, name, url, network_id)
		VALUES ($1, $2, 'Offer', 'https://o.test', $3)`, d.network)
	d.ownDomain = d.add(t, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, 'own.test', true)`)
	return d
}

// add inserts a row for the account and returns its id. $1 is the id and $2 the account.
func (d *campaignEnv) add(t *testing.T, query string, args ...any) string {
	t.Helper()
	id := uuid.NewString()
	dbtest.Exec(t, d.DB, query, append([]any{id, d.Account.ID}, args...)...)
	return id
}

// campaign returns a valid body of a campaign on the account's own domain.
func (d *campaignEnv) campaign(name string) map[string]any {
	alias := "alias-" + uuid.NewString()[:8]
	return map[string]any{"name": name, "alias": alias, "domain_id": d.ownDomain, "offer_id": d.offer}
}

func (d *campaignEnv) make(t *testing.T, body map[string]any) map[string]any {
	t.Helper()
	return d.In(t).Do("POST", "/campaigns", body).Want(201, "").Map()
}

func (d *campaignEnv) read(t *testing.T, id any) map[string]any {
	t.Helper()
	return d.In(t).Do("GET", fmt.Sprintf("/campaigns/%v", id), nil).Want(200, "").Map()["campaign"].(map[string]any)
}

func campaignPath(id any) string { return fmt.Sprintf("/campaigns/%v", id) }

func streamsOf(m map[string]any) []map[string]any {
	var out []map[string]any
	for _, p := range m["streams"].([]any) {
		out = append(out, p.(map[string]any))
	}
	return out
}

func wantFields(t *testing.T, where string, got, want map[string]any) {
	t.Helper()
	for field, value := range want {
		if fmt.Sprint(got[field]) != fmt.Sprint(value) {
			t.Errorf("%s: %s is %v, want %v", where, field, got[field], value)
		}
	}
}

func TestCampaignRoundTrip(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t, apitest.Options{V1: v1.Deps{BaseURL: "http://localhost:8080"}})
	site := siteOf(d.Server, object{"name": "Shop"})
	made := d.make(t, map[string]any{
		"name": " Summer ", "alias": "Summer_2026-x", "domain_id": d.ownDomain, "source_id": d.source, "status": "paused",
		"mode": "store", "destination_url": "https://shop.test/{clickid}", "primary_goal_key": "sale",
		"measurement_site_id": site, "tracked_goal_keys": []any{"sale", "BAD", 5, nil, "lead_1", "sale"},
		"cost_model": "cpc", "cost_value": 0.125, "currency": "eur", "flow_rotation": "weight",
		"bind_visitors": "streams_landers", "uniqueness_method": "param", "uniqueness_param": "uid",
		"uniqueness_ttl_hours": 8760, "traffic_loss_pct": 99.99, "group_name": " G ", "country": "de",
		"tags": []string{"a", "A", "b"}, "is_pinned": true, "notes": "n", "fallback_url": "https://f.test",
		"lander_id": d.lander, "offer_id": d.offer,
	})
	wantFields(t, "created", made, map[string]any{
		"name": "Summer", "alias": "Summer_2026-x", "status": "paused",
		"url": "https://own.test/Summer_2026-x",
	})
	streams := streamsOf(made)
	if len(streams) != 1 || streams[0]["action"] != "lander" || len(streams[0]["destinations"].([]any)) != 2 {
		t.Fatalf("the flow is %v, want one path to the landing page and the offer", streams)
	}

	got := d.Do("GET", campaignPath(made["id"]), nil).Want(200, "").Map()
	wantFields(t, "read", got["campaign"].(map[string]any), map[string]any{
		"id": made["id"], "name": "Summer", "alias": "Summer_2026-x", "domain_id": d.ownDomain, "domain": "own.test",
		"source_id": d.source, "source_name": "Source", "status": "paused", "mode": "store",
		"destination_url": "https://shop.test/{clickid}", "primary_goal_key": "sale", "measurement_site_id": site,
		"tracked_goal_keys": []string{"sale", "lead_1"}, "cost_model": "cpc", "cost_value": 0.125, "currency": "EUR",
		"flow_rotation": "weight", "bind_visitors": "streams_landers", "uniqueness_method": "param",
		"uniqueness_param": "uid", "uniqueness_ttl_hours": 8760, "traffic_loss_pct": 99.99, "group_name": "G",
		"country": "DE", "tags": []string{"a", "b"}, "is_pinned": true, "notes": "n", "fallback_url": "https://f.test",
		"shared_domain": false, "path_count": 1,
	})
	if fmt.Sprint(streamsOf(got)) != fmt.Sprint(streams) {
		t.Errorf("the flow was saved as %v, but POST answered %v", streamsOf(got), streams)
	}
	if n := fmt.Sprint(got["networks"]); n != fmt.Sprintf("[map[currency:USD id:%s name:Net status:active]]", d.network) {
		t.Errorf("the networks of the flow are %s, want only Net", n)
	}

	deleted := d.Do("DELETE", campaignPath(made["id"]), nil).Want(200, "").Map()
	wantFields(t, "deleted", deleted, map[string]any{"id": made["id"], "deleted": true})
	d.Do("DELETE", campaignPath(made["id"]), nil).Want(404, "not_found")
	d.Do("GET", campaignPath(made["id"]), nil).Want(404, "not_found")
	again := d.make(t, with(d.campaign("summer"), "alias", "Summer_2026-x")) // name and alias are free again
	wantFields(t, "defaults", d.read(t, again["id"]), map[string]any{
		"status": "active", "mode": "affiliate", "source_id": nil, "measurement_site_id": nil, "cost_model": "auto",
		"cost_value": 0, "currency": "USD", "flow_rotation": "position", "bind_visitors": "none",
		"uniqueness_method": "ip_ua", "uniqueness_ttl_hours": 24, "traffic_loss_pct": 0, "is_pinned": false,
		"tags": []string{}, "tracked_goal_keys": []string{}, "country": "",
	})
}

func TestCampaignLink(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t, apitest.Options{V1: v1.Deps{BaseURL: "http://localhost:8080"}})
	body := func(name string, domain any) map[string]any {
		return with(with(d.campaign(name), "domain_id", domain), "alias", "chosen-one")
	}
	// If no domain is sent and the account has no default domain, the first shared link domain is used.
	shared := d.make(t, body("shared", nil))
	alias, _ := shared["alias"].(string)
	if alias == "chosen-one" || len(alias) != models.AliasLen || shared["url"] != "http://localhost:8080/"+alias {
		t.Errorf("the campaign on the shared domain has no generated alias, or another link: %v", shared)
	}
	same(t, shared, map[string]any{"alias_replaced": true})
	sharedID := d.read(t, shared["id"])["domain_id"]
	if again := d.make(t, body("shared again", sharedID)); again["alias"] == alias {
		t.Errorf("two campaigns on the shared domain have the same alias: %v", again)
	}
	// A verified default domain of the account comes before the shared domain.
	dbtest.Exec(t, d.DB, `UPDATE domains SET is_default = true, is_verified = false WHERE id = $1`, d.ownDomain)
	if c := d.make(t, body("unverified", "")); c["alias"] == "chosen-one" {
		t.Errorf("the chosen alias was kept, although the default domain is not verified: %v", c)
	}
	dbtest.Exec(t, d.DB, `UPDATE domains SET is_verified = true WHERE id = $1`, d.ownDomain)
	if c := d.make(t, body("default", nil)); c["url"] != "https://own.test/chosen-one" || c["alias_replaced"] != false {
		t.Errorf("the campaign on the default domain lost its alias, or has another link: %v", c)
	}
	if c := d.make(t, body("named", sharedID)); c["alias"] == "chosen-one" {
		t.Errorf("the chosen alias was kept on the shared domain, which was sent by its id: %v", c)
	}
	d.Do("POST", "/campaigns", body("taken", d.ownDomain)).Want(409, "alias_taken")
	d.make(t, with(body("other case", d.ownDomain), "alias", "Chosen-One")) // aliases are case-sensitive
}

func TestCampaignPatch(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	made := d.make(t, map[string]any{
		"name": "One", "alias": "first-one", "domain_id": d.ownDomain, "source_id": d.source, "offer_id": d.offer,
		"destination_url": "https://d.test", "primary_goal_key": "sale", "tags": []string{"x"}, "notes": "keep",
		"country": "FR", "tracked_goal_keys": []string{"sale"}, "uniqueness_param": "u",
	})
	patch := func(body any) map[string]any {
		return d.Do("PATCH", campaignPath(made["id"]), body).Want(200, "").Map()
	}

	wantFields(t, "renamed", patch(map[string]any{"name": " Two "}),
		map[string]any{"id": made["id"], "name": "Two", "alias": "first-one", "status": "active"})
	wantFields(t, "kept", d.read(t, made["id"]), map[string]any{
		"source_id": d.source, "notes": "keep", "country": "FR",
		"destination_url": "https://d.test", "tags": []string{"x"}, "domain_id": d.ownDomain, "tracked_goal_keys": []string{"sale"},
	})

	patch(`{"source_id":null,"destination_url":"","primary_goal_key":null,"country":"","tags":null,"tracked_goal_keys":[]}`)
	wantFields(t, "cleared", d.read(t, made["id"]), map[string]any{
		"source_id": nil, "notes": "keep", "country": "",
		"destination_url": "", "primary_goal_key": "", "tags": []string{}, "tracked_goal_keys": []string{},
	})
	revision := d.read(t, made["id"])["revision"]
	patch(map[string]any{"country": "DE", "revision": revision})
	d.Do("PATCH", campaignPath(made["id"]), map[string]any{"country": "AT", "revision": revision}).Want(409, "stale")
	patch(map[string]any{"source_id": d.source})
	patch(map[string]any{"source_id": ""})
	if got := d.read(t, made["id"])["source_id"]; got != nil {
		t.Errorf("after an empty source_id the source is %v, want null", got)
	}
	patch(map[string]any{"uniqueness_method": "param"})
	d.Do("PATCH", campaignPath(made["id"]), map[string]any{"uniqueness_param": ""}).Want(400, "uniqueness_param_required")

	// An existing alias in a form that is refused today may be sent unchanged.
	dbtest.Exec(t, d.DB, `UPDATE campaigns SET alias = 'old!' WHERE id = $1`, made["id"])
	patch(map[string]any{"alias": "old!", "notes": "x"})
	patch(map[string]any{"alias": "second-one"})

	// On the shared link domain, a campaign gets a generated alias and cannot get a chosen one.
	moved := patch(map[string]any{"domain_id": nil})
	if moved["alias"] == "second-one" {
		t.Errorf("the campaign kept its chosen alias on the shared domain: %v", moved)
	}
	if c := d.read(t, made["id"]); c["shared_domain"] != true || c["domain"] != "localhost" {
		t.Errorf("the campaign is on the domain %v, want the shared domain localhost", c["domain"])
	}
	d.Do("PATCH", campaignPath(made["id"]), map[string]any{"alias": "third-one"}).Want(400, "shared_alias")
	patch(map[string]any{"alias": moved["alias"], "domain_id": ""})
	back := patch(map[string]any{"domain_id": d.ownDomain, "alias": "third-one"})
	if back["alias"] != "third-one" {
		t.Errorf("after the move back to the own domain the alias is not third-one: %v", back)
	}
	other := d.make(t, with(d.campaign("Other"), "alias", "fourth-one"))
	d.Do("PATCH", campaignPath(made["id"]), map[string]any{"alias": "fourth-one"}).Want(409, "alias_taken")
	d.Do("PATCH", campaignPath(made["id"]), map[string]any{"name": "OTHER"}).Want(409, "duplicate_name")
	for _, status := range []string{"archived", "paused", "active", "archived", "active"} {
		got := d.Do("PATCH", campaignPath(other["id"]), map[string]any{"status": status}).Want(200, "").Map()
		if got["status"] != status {
			t.Errorf("status %v, want %s", got["status"], status)
		}
	}
}

func to(field string, value any) []any { return []any{map[string]any{field: value}} }

func TestCampaignFlow(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	made := d.make(t, d.campaign("Flow"))
	first := streamsOf(made)[0]["id"]
	foreign := streamsOf(d.make(t, d.campaign("Other")))[0]["id"]
	put := d.Do("PUT", campaignPath(made["id"])+"/flow", map[string]any{"streams": []any{
		map[string]any{"id": first, "name": "kept", "action": "offer", "destinations": to("id", d.offer)},
		map[string]any{"id": foreign, "name": "new", "action": "redirect", "destinations": to("url", "https://x.test")},
		map[string]any{"action": "campaign", "campaign_id": made["id"]},
		map[string]any{"action": "nothing", "stream_type": "default", "response": map[string]any{"status": 204}},
	}}).Want(200, "").Map()
	streams := streamsOf(put)
	if put["campaign_id"] != made["id"] || len(streams) != 4 {
		t.Fatalf("want the campaign's id and four paths: %v", put)
	}
	if streams[0]["id"] != first || streams[1]["id"] == foreign {
		t.Errorf("the paths have the ids %v and %v, want the first id as sent; the second belongs to another campaign, so want a new id instead",
			streams[0]["id"], streams[1]["id"])
	}
	read := d.Do("GET", campaignPath(made["id"]), nil).Want(200, "").Map()
	if fmt.Sprint(streamsOf(read)) != fmt.Sprint(streams) {
		t.Errorf("the flow was saved as %v, but PUT answered %v", streamsOf(read), streams)
	}
	// A campaign with a destination address may be made without streams, but not with an empty list of streams.
	bare := map[string]any{"name": "Bare", "alias": "bare-one", "domain_id": d.ownDomain, "destination_url": "https://d.test"}
	if got := streamsOf(d.make(t, bare)); len(got) != 0 {
		t.Errorf("a campaign that was made without a flow has the paths %v", got)
	}
	d.Do("POST", "/campaigns", with(with(bare, "streams", []any{}), "name", "x")).Want(400, "no_streams")
}

func TestCampaignClone(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	body := with(with(d.campaign("Boots"), "notes", "n"), "source_id", d.source)
	delete(body, "offer_id")
	body["streams"] = []any{
		map[string]any{"action": "offer", "destinations": to("id", d.offer)},
		map[string]any{"action": "redirect", "destinations": to("url", "https://direct.test")},
	}
	made := d.make(t, body)
	ids := map[any]bool{}
	aliases := map[any]bool{made["alias"]: true}
	for _, p := range streamsOf(made) {
		ids[p["id"]] = true
	}
	for _, want := range []string{"Boots (copy)", "Boots (copy 2)"} {
		got := d.Do("POST", campaignPath(made["id"])+"/clone", nil).Want(201, "").Map()
		wantFields(t, "clone", got, map[string]any{"name": want, "status": "paused", "paths": 2})
		if aliases[got["alias"]] {
			t.Errorf("the copy has the alias %v, which another campaign has already", got["alias"])
		}
		aliases[got["alias"]] = true
		copied := d.Do("GET", campaignPath(got["id"]), nil).Want(200, "").Map()
		wantFields(t, "copy", copied["campaign"].(map[string]any), map[string]any{
			"notes": "n", "domain_id": d.ownDomain,
			"source_id": d.source,
		})
		for _, p := range streamsOf(copied) {
			if ids[p["id"]] {
				t.Errorf("the copy shares the path %v", p["id"])
			}
			ids[p["id"]] = true
		}
	}
	dbtest.Exec(t, d.DB, `UPDATE traffic_sources SET deactivated_at = now() WHERE id = $1`, d.source)
	d.Do("POST", campaignPath(made["id"])+"/clone", nil).Want(201, "") // without the source
	dbtest.Exec(t, d.DB, `UPDATE offers SET deactivated_at = now() WHERE id = $1`, d.offer)
	d.Do("POST", campaignPath(made["id"])+"/clone", nil).Want(400, "invalid_destination")
	d.Do("PATCH", campaignPath(made["id"]), map[string]any{"source_id": d.source, "notes": "x"}).Want(200, "")
}

func TestCampaignList(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	for i := range 6 {
		c := d.make(t, with(d.campaign(fmt.Sprint("c", i)), "is_pinned", i == 1 || i == 3))
		dbtest.Exec(t, d.DB, `UPDATE campaigns SET created_at = now() - $2 * interval '1 hour' WHERE id = $1`, c["id"], 10-i)
	}
	walk := func(limit int, between func()) (names []string) {
		cursor := ""
		for {
			page := d.Do("GET", fmt.Sprintf("/campaigns?limit=%d&cursor=%s", limit, cursor), nil).Want(200, "").Map()
			for _, r := range page["rows"].([]any) {
				names = append(names, r.(map[string]any)["name"].(string))
			}
			if page["next_cursor"] == nil {
				return names
			}
			cursor = page["next_cursor"].(string)
			between()
		}
	}
	want := []string{"c3", "c1", "c5", "c4", "c2", "c0"}
	for limit := 1; limit <= 6; limit++ {
		if got := walk(limit, func() {}); !slices.Equal(got, want) {
			t.Errorf("pages of %d: %v, want %v", limit, got, want)
		}
	}
	// No campaign is missed, even if campaigns are pinned or unpinned between the pages.
	for limit := 1; limit <= 4; limit++ {
		step := 0
		got := walk(limit, func() {
			dbtest.Exec(t, d.DB, `UPDATE campaigns SET is_pinned = NOT is_pinned, updated_at = clock_timestamp() WHERE name = $1`,
				[]string{"c0", "c1", "c4", "c2", "c3", "c5"}[step%6])
			step++
		})
		slices.Sort(got)
		if got = slices.Compact(got); len(got) != 6 {
			t.Errorf("the pages of %d campaigns have only %v, want all six campaigns", limit, got)
		}
	}
	for _, bad := range []string{"x", strings.Repeat("A", 60)} {
		d.Do("GET", "/campaigns?cursor="+bad, nil).Want(400, "invalid_input")
	}
	d.Do("GET", "/campaigns?from=x", nil).Want(400, "invalid_input")
	_, other, _ := d.NewAccount("scale")
	if rows := d.As(other).Do("GET", "/campaigns", nil).Want(200, "").Map()["rows"].([]any); len(rows) != 0 {
		t.Errorf("another account sees %v", rows)
	}
}

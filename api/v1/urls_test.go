package v1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
)

// TestTrackingURL: the address for the traffic source has the source's parameters and unchanged macros. The text around a macro is
// encoded, so that it cannot add another parameter.
func TestTrackingURL(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t, apitest.Options{V1: v1.Deps{BaseURL: "http://localhost:8080"}})
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
		t.Error("the list of campaigns contains links")
	}
	d.Do("PATCH", campaignPath(made["id"]), read).Want(200, "")

	// The Host header does not influence the addresses.
	raw := string(d.Do("GET", campaignPath(made["id"]), nil, "Host", "evil.test", "X-Forwarded-Host", "evil.test").Want(200, "").Raw)
	if strings.Contains(raw, "evil.test") {
		t.Error("an address contains a header of the request")
	}
	// No parameters are added without a source, or for a source that appends its click id itself.
	plain := d.make(t, d.campaign("plain"))
	same(t, plain, map[string]any{"tracking_url": plain["url"]})
	d.Do("PUT", "/traffic-sources", map[string]any{"id": id, "name": "S", "external_id_param": "gclid"}).Want(200, "")
	same(t, d.read(t, made["id"]), map[string]any{"tracking_url": fmt.Sprintf("https://own.test/%v", body["alias"])})
}

// TestLinks: the answer has a link for each domain on which the campaign works, and for no other domain.
func TestLinks(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t, apitest.Options{V1: v1.Deps{BaseURL: "http://localhost:8080"}})
	domain := func(account any, host string, verified bool) string {
		id := uuid.NewString()
		dbtest.Exec(t, d.DB, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, $3, $4)`, id, account, host, verified)
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
				t.Errorf("the addresses of the link do not fit together: %v", link)
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
	// An alias of the shared domain works on the account's own domains too.
	shared := d.campaign("C")
	delete(shared, "domain_id")
	got := d.make(t, shared)
	same(t, map[string]any{"links": links(got)}, map[string]any{"links": "[localhost own.test second.test]"})
	same(t, got["links"].([]any)[0].(map[string]any), map[string]any{"url": fmt.Sprintf("http://localhost:8080/%v", got["alias"])})
	d.As(otherKey).Do("GET", campaignPath(made["id"]), nil).Want(404, "not_found")
}

// TestSourceOfPlatform: the name of a platform is enough to create a source. Sent fields override the template.
func TestSourceOfPlatform(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	made := s.Do("POST", "/traffic-sources", `{"platform": "richads"}`).Want(201, "").Map()
	same(t, made, map[string]any{
		"name": "RichAds", "platform": "richads", "external_id_param": "click_id", "external_id_macro": "[CLICK_ID]",
		"cost_param": "cost", "cost_macro": "[BID_PRICE]", "cost_model": "cpc",
		"token_macros": "map[campaign:[CAMPAIGN_ID] creative:[CREATIVE_ID] publisher:[PUBLISHER_ID] site:[SITE_ID] zone:[ZONE_ID]]",
		"postback_url": "http://xml.auxml.com/log?action=conversion&key={external_id}&price={payout}", "postback_statuses": "[approved]",
	})
	same(t, made, map[string]any{"postback_example": made["postback_url"]})
	same(t, rowOf(t, s, "/traffic-sources", made["id"]), map[string]any{"postback_example": made["postback_url"]})
	// A template's postback address with a placeholder for a value of the account is left out.
	taboola := s.Do("POST", "/traffic-sources", `{"platform": "taboola", "name": "T", "cost_macro": null, "token_macros": {"a": "{b}"},
		"external_id_macro": ""}`).Want(201, "").Map()
	same(t, taboola, map[string]any{
		"name": "T", "cost_macro": "{cpc}", "token_macros": "map[a:{b}]", "external_id_macro": "", "postback_url": "",
		"postback_example": "https://trc.taboola.com/actions-handler/log/3/s2s-action?click-id={external_id}&name=YOUR_EVENT&revenue={payout}&currency={currency}&orderid={conversion_id}",
	})
	s.Do("POST", "/traffic-sources", `{"platform": "richads"}`).Want(409, "duplicate_name")
	for _, nothing := range []string{`"custom"`, `"Taboola"`, `"nobody"`, `["taboola"]`, `null`, `""`} {
		s.Do("POST", "/traffic-sources", `{"platform": `+nothing+`}`).Want(400, "required")
	}
	s.Do("POST", "/traffic-sources", `{"platform": "mgid", "name": ""}`).Want(400, "required")
	s.Do("POST", "/traffic-sources", `{"platform": "mgid", "naame": "x"}`).Want(400, "invalid_input")
	s.Do("POST", "/traffic-sources", `{"platform": "mgid"`).Want(400, "bad_body")
	// PUT does not use the template.
	s.Do("PUT", "/traffic-sources", map[string]any{"id": made["id"], "platform": "richads"}).Want(400, "required")
	s.Do("PUT", "/traffic-sources", map[string]any{"id": made["id"], "platform": "richads", "name": "R"}).Want(200, "")
	same(t, rowOf(t, s, "/traffic-sources", made["id"]), map[string]any{"cost_macro": "", "postback_url": "", "external_id_macro": ""})
}

// TestNetworkOfTemplate: the name of a built-in or own template is enough to create a network.
func TestNetworkOfTemplate(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	made := s.Do("POST", "/networks", `{"template": " affise "}`).Want(201, "").Map()
	same(t, made, map[string]any{
		"name": "Affise", "click_param": "sub1", "offer_url_suffix": "sub1={clickid}",
		"status_map": "map[approved:[1] pending:[2 5] rejected:[3]]",
	})
	if want := "&status={status}&conversion_id={transactionid}&goal={goal}&currency={currency}"; !strings.HasSuffix(fmt.Sprint(made["postback_url"]), want) {
		t.Errorf("the postback URL is %v, want one that ends with %s", made["postback_url"], want)
	}
	s.Do("POST", "/networks", `{"template": "Affise"}`).Want(409, "duplicate_name")
	byID := s.Do("POST", "/networks", map[string]any{"template": named(s, "Everflow")[0]["id"], "name": "Mine", "currency": "eur"}).Want(201, "").Map()
	same(t, byID, map[string]any{"name": "Mine", "click_param": "sub1", "currency": "EUR"})
	if a := s.Do("POST", "/networks", `{"template": "everflw"}`).Want(400, "invalid_template"); !strings.Contains(a.Message, "did you mean Everflow?") {
		t.Errorf("the message does not suggest the most similar name: %s", a.Message)
	}
	s.Do("POST", "/networks", map[string]any{"template": strings.Repeat("x", 2000)}).Want(400, "too_long")
	s.Do("POST", "/networks", `{"template": 5}`).Want(400, "invalid_input")
	s.Do("PUT", "/networks", map[string]any{"id": made["id"], "name": "x", "template": "Affise"}).Want(400, "invalid_input")

	_, otherKey, _ := s.NewAccount("scale")
	other := s.As(otherKey)
	other.Do("POST", "/network-templates", `{"name": "Theirs", "click_param": "theirs"}`).Want(201, "")
	if a := s.Do("POST", "/networks", `{"template": "Theirs"}`).Want(400, "invalid_template"); strings.Contains(a.Message, "mean Theirs") {
		t.Errorf("another account's template is named: %s", a.Message)
	}
	s.Do("POST", "/networks", map[string]any{"template": named(other, "Theirs")[0]["id"]}).Want(400, "invalid_template")
	same(t, other.Do("POST", "/networks", `{"template": "THEIRS"}`).Want(201, "").Map(), map[string]any{"name": "Theirs", "click_param": "theirs"})
}

// TestPostbackURL: the answer has the address to paste at a network. Only a key that may write sees the network's secret.
func TestPostbackURL(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{BaseURL: "http://localhost:8080"}})
	const secret = "s&cret=#1"
	made := s.Do("POST", "/networks", map[string]any{
		"name": "N", "postback_secret": secret, "click_param": "a&b", "postback_params": map[string]any{"click_id": "my click", "secret": "tok&en"},
		"macros": map[string]any{"click_id": "{aff_sub}", "payout": "#price#", "goal": "x&y=1"},
	}, "Host", "evil.test").Want(201, "").Map()
	base := fmt.Sprintf("http://localhost:8080/postback/%v", made["id"])
	const query = "?my%20click={aff_sub}&payout=#price#&goal=x%26y%3D1&tok%26en="
	want := map[string]any{"postback_url": base + query + "s%26cret%3D%231", "offer_url_suffix": "a%26b={clickid}"}
	same(t, made, want)
	same(t, rowOf(t, s, "/networks", made["id"]), want)
	masked := rowOf(t, s.As(s.ReadKey), "/networks", made["id"])
	same(t, masked, map[string]any{"postback_url": base + query + "***"})
	if raw := string(s.As(s.ReadKey).Do("GET", "/networks", nil).Want(200, "").Raw); strings.Contains(raw, "cret%3D") || strings.Contains(raw, secret) {
		t.Error("a read-only key sees the secret")
	}
	_, otherKey, _ := s.NewAccount("scale")
	if raw := string(s.As(otherKey).Do("GET", "/networks", nil).Want(200, "").Raw); strings.Contains(raw, fmt.Sprint(made["id"])) {
		t.Error("another account sees the network")
	}
	// A row can be sent back, and the network keeps its secret.
	row := rowOf(t, s.As(s.ReadKey), "/networks", made["id"])
	same(t, s.Do("PUT", "/networks", row).Want(200, "").Map(), want)

	// A parameter without a macro is empty in the address.
	same(t, s.Do("POST", "/networks", `{"name": "plain"}`).Want(201, "").Map(), map[string]any{"offer_url_suffix": ""})
	plain := s.Do("POST", "/networks", `{"name": "custom", "macros": {"payout": "{p}", "secret": "{s}"}}`).Want(201, "").Map()
	if want := "?clickid=&status=&conversion_id=&payout={p}&secret={s}"; !strings.HasSuffix(fmt.Sprint(plain["postback_url"]), want) {
		t.Errorf("the postback URL is %v, want one that ends with %s", plain["postback_url"], want)
	}

	// The host is the shared link domain, else a verified domain of the account, else the host of BaseURL.
	dbtest.Exec(t, s.DB, `INSERT INTO domains (id, account_id, host, is_verified) VALUES (gen_random_uuid(), $1, 'mine.test', true)`, s.Account.ID)
	same(t, rowOf(t, s, "/networks", made["id"]), map[string]any{"postback_url": strings.Replace(fmt.Sprint(want["postback_url"]), "http://localhost:8080", "https://mine.test", 1)})
	dbtest.Exec(t, s.DB, `INSERT INTO domains (id, host, is_verified) VALUES (gen_random_uuid(), 'shared.test', true)`)
	same(t, rowOf(t, s, "/networks", made["id"]), map[string]any{"postback_url": strings.Replace(fmt.Sprint(want["postback_url"]), "localhost", "shared.test", 1)})
}

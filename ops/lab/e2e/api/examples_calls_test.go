package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/oauth"
	"switchyard/db"
	"switchyard/db/dbtest"
	dboauth "switchyard/db/oauth"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/flow"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/dns/dnstest"
	"switchyard/workers/providers/networks/networkstest"
	provider "switchyard/workers/providers/oauth"
	"switchyard/workers/providers/oauth/oauthtest"
	"switchyard/workers/providers/trackers/redtrack/redtracktest"
)

type params = map[string]string

var germany = object{"attribute": "country", "operator": "in", "value": []string{"DE", "AT"}}

func (x *exampleEnv) build() {
	x.ids["dns account"] = x.call("PUT /integrations", nil, object{
		"provider": "cloudflare", "label": "Main", "credentials": dnstest.Fakes["cloudflare"].Credentials(),
	})["id"].(string)
	x.call("POST /integrations/test", nil, object{"id": x.ids["dns account"]})
	x.call("GET /integrations/zones", nil, nil)
	x.make("domain", "POST /domains", nil, object{
		"domain": "go.acme.example", "group_name": "Main", "dns_account_id": x.ids["dns account"],
	})
	x.also("second domain", "/domains", object{"domain": "old.acme.example"})
	x.call("POST /domains/{id}/verify", x.id("domain"), nil)
	dbtest.Exec(x.t, x.DB, `UPDATE domains SET is_verified = true, proof = 'txt' WHERE id = $1`, x.ids["domain"])
	x.call("PATCH /domains", nil, object{"id": x.ids["domain"], "group_name": "Main", "crawlers": "allow"})
	x.call("GET /domains", params{"limit": "1"}, nil)
	for _, op := range []string{"POST /domains/{id}/certificate", "GET /domains/{id}/certificate", "DELETE /domains/{id}/certificate"} {
		x.call(op, x.id("domain"), nil)
		x.cloud.SetStates("go.acme.example", "pending", models.SSLPendingValidation) // a fixed state, however long the next call takes
	}
	x.call("POST /domains/{id}/point", x.id("domain"), nil)
	x.call("GET /integrations", nil, nil)
	x.make("alert channel", "POST /alerts/channels", nil, object{
		"kind": "email", "name": "Media buying", "severity": "critical", "credentials": object{"address": "alerts@acme.com"},
	})
	code, err := db.Get[string](x.t.Context(), x.DB, "code", `SELECT code FROM alert_channels WHERE id = $1`, x.ids["alert channel"])
	if err != nil {
		x.t.Fatal(err)
	}
	await.Until(x.t, "the code was sent", func() bool {
		sent, err := db.Get[bool](x.t.Context(), x.DB, "code", `SELECT sent_at IS NOT NULL FROM alert_channels WHERE id = $1`, x.ids["alert channel"])
		if err != nil {
			x.t.Fatal(err)
		}
		return sent
	})
	x.call("POST /alerts/channels/confirm", nil, object{"id": x.ids["alert channel"], "code": code})
	x.call("PATCH /alerts/channels", nil, object{"id": x.ids["alert channel"], "severity": "warning"})
	x.call("POST /alerts/channels/test", nil, object{"id": x.ids["alert channel"]})
	x.call("GET /alerts/channels", nil, nil)
	x.call("GET /edge", nil, nil)
	x.call("POST /edge", nil, nil)
	x.call("DELETE /domains", x.id("second domain"), nil)

	template := x.call("POST /network-templates", nil, object{
		"name": "Shop partners", "click_param": "subid", "currency": "EUR", "macros": object{"click_id": "{subid}", "payout": "{sum}"},
	})
	x.call("GET /network-templates", nil, nil)
	x.make("network", "POST /networks", nil, object{"name": "Everflow EU", "template": "Everflow", "postback_secret": "k7-Kx2q"})
	x.call("PUT /networks", nil, object{
		"id": x.ids["network"], "name": "Everflow EU", "click_param": "sub1", "currency": "EUR",
		"macros":     object{"click_id": "{sub1}", "payout": "{payout_amount}", "conversion_id": "{transaction_id}"},
		"status_map": object{"rejected": []string{"scrubbed"}},
	})
	x.call("PATCH /networks", nil, object{"id": x.ids["network"], "is_active": true})
	file := x.call("GET /networks/{id}/template", x.id("network"), nil)
	file["template"].(map[string]any)["name"] = "Everflow of a friend"
	x.call("POST /networks/import", nil, file)
	x.also("second network", "/networks", object{"name": "Old network"})
	x.call("DELETE /networks", x.id("second network"), nil)
	saved := template["rows"].([]any)[0].(map[string]any)["id"].(string)
	x.call("DELETE /network-templates", params{"id": saved}, nil)

	x.call("GET /traffic-source-templates", nil, nil)
	x.make("source", "POST /traffic-sources", nil, object{
		"name": "Propeller push", "platform": "propellerads", "postback_url": x.outside + "/conversion?visitor_id={external_id}&payout={payout}",
	})
	x.call("PUT /traffic-sources", nil, object{
		"id": x.ids["source"], "name": "Propeller push", "platform": "propellerads", "external_id_param": "visitor_id",
		"external_id_macro": "${SUBID}", "cost_param": "cost", "cost_macro": "{cost}", "token_macros": object{"zoneid": "{zoneid}"},
		"postback_url":      x.outside + "/conversion?visitor_id={external_id}&payout={payout}",
		"postback_statuses": []string{"approved"}, "send_payout_pct": 90,
	})
	x.call("PATCH /traffic-sources", nil, object{"id": x.ids["source"], "is_active": true})
	file = x.call("GET /traffic-sources/{id}/template", x.id("source"), nil)
	file["template"].(map[string]any)["name"] = "Push of a friend"
	x.call("POST /traffic-sources/import", nil, file)
	x.also("second source", "/traffic-sources", object{"name": "Old source"})
	x.call("DELETE /traffic-sources", x.id("second source"), nil)
	x.pages()
}

func (x *exampleEnv) pages() {
	offer := object{
		"name": "Sneakers DE", "url": x.outside + "/sneakers?sub1={clickid}", "network_id": x.ids["network"], "payout": 12.5,
		"currency": "EUR", "country": "DE", "tags": []string{"shoes"},
	}
	x.make("offer", "POST /offers", nil, offer)
	offer["id"], offer["daily_cap"] = x.ids["offer"], 200
	x.call("PUT /offers", nil, offer)
	x.call("PATCH /offers", nil, object{"id": x.ids["offer"], "is_active": true})
	copied := x.call("POST /offers/{id}/clone", x.id("offer"), nil)
	x.call("POST /offers/bulk", nil, object{"ids": []any{x.ids["offer"]}, "group_name": "Shoes", "add_tags": []string{"autumn"}})
	x.call("DELETE /offers", params{"id": copied["id"].(string)}, nil)

	lander := object{"name": "Five shoes", "url": x.outside + "/five-shoes", "click_slots": 2, "country": "DE"}
	x.make("lander", "POST /landers", nil, lander)
	lander["id"], lander["group_name"] = x.ids["lander"], "Listicles"
	x.call("PUT /landers", nil, lander)
	x.call("PATCH /landers", nil, object{
		"id": x.ids["lander"], "protection": object{"enabled": true, "mode": "click", "fallbackUrl": "https://acme.example/"},
	})
	copied = x.call("POST /landers/{id}/clone", x.id("lander"), nil)
	x.call("POST /landers/bulk", nil, object{"ids": []any{x.ids["lander"]}, "remove_tags": []string{"old"}, "add_tags": []string{"shoes"}})
	x.call("DELETE /landers", params{"id": copied["id"].(string)}, nil)
	x.call("POST /tools/check-links", nil, object{"offer_id": x.ids["offer"]})

	rule := object{"name": "German speakers", "notes": "", "logic": "and", "conditions": []object{germany}}
	x.make("rule", "POST /rules", nil, rule)
	rule["id"], rule["notes"] = x.ids["rule"], "Germany and Austria"
	x.call("PUT /rules", nil, rule)
	x.call("GET /rules", params{"limit": "1"}, nil)
	saved := object{"name": "Listicle first", "paths": []object{x.path()}}
	x.make("flow", "POST /flows", nil, saved)
	saved["id"], saved["tags"] = x.ids["flow"], []string{"shoes"}
	x.call("PUT /flows", nil, saved)
	x.call("PATCH /flows", nil, object{"id": x.ids["flow"], "is_active": true})
	x.call("GET /flows", params{"q": "listicle"}, nil)

	link := object{
		"slug": "shoes", "name": "Newsletter", "destination_url": "https://acme.example/shoes", "domain_id": x.ids["domain"],
		"rules": []object{{"name": "Germany", "destination_url": "https://acme.example/de/shoes", "conditions": []object{germany}}},
	}
	x.make("smartlink", "POST /short-links", nil, link)
	link["id"], link["notes"] = x.ids["smartlink"], "In every mail"
	x.call("PUT /short-links", nil, link)
	x.call("PATCH /short-links", nil, object{"id": x.ids["smartlink"], "is_active": true})
	x.make("second smartlink", "POST /short-links/{id}/clone", x.id("smartlink"), nil)
	x.call("DELETE /short-links", x.id("second smartlink"), nil)

	x.make("bot entry", "POST /bot-lists", nil, object{
		"list_type": "deny", "attribute": "ip_range", "operator": "in_cidr", "value": []string{"192.0.2.0/24", "198.51.100.7-198.51.100.9"},
		"note": "a competitor's office",
	})

	x.sites()
	x.make("webhook", "POST /webhooks", nil, object{
		"url": x.outside + "/switchyard", "name": "Bookkeeping", "events": []string{"conversion.created", "conversion.updated"},
	})
	x.call("PATCH /webhooks", nil, object{"id": x.ids["webhook"], "name": "Bookkeeping and stock"})
	x.call("POST /webhooks/rotate", nil, object{"id": x.ids["webhook"]})
}

func (x *exampleEnv) sites() {
	shop := object{"name": "Acme shoes", "domain": "acme.example", "currency": "EUR", "seedGoals": true}
	x.ids["site"] = x.call("POST /sites", nil, shop)["site"].(map[string]any)["id"].(string)
	x.call("PUT /sites", nil, object{"id": x.ids["site"], "name": "Acme shoes", "domain": "acme.example", "currency": "EUR"})
	x.call("PUT /goals", nil, object{
		"key": "thanks", "name": "Newsletter", "kind": "page", "matchPath": "/newsletter/thanks", "siteId": x.ids["site"],
	})
	x.call("POST /goals", nil, nil)
	x.call("POST /sites/lead", nil, nil)
}

func (x *exampleEnv) path() object {
	return object{
		"name": "German speakers", "action": "lander", "rules": []object{{"name": "German speakers", "rule_id": x.ids["rule"]}},
		"destinations": []object{{"id": x.ids["lander"], "weight": 100}, {"id": x.ids["offer"], "weight": 100, "slot": 1}},
	}
}

func (x *exampleEnv) route() {
	rest := object{
		"name": "Everybody else", "action": "redirect", "stream_type": "default",
		"destinations": []object{{"url": "https://acme.example/?click={clickid}"}},
	}
	x.make("campaign", "POST /campaigns", nil, object{
		"name": "Shoes DE push", "alias": "shoes-de-push", "domain_id": x.ids["domain"], "source_id": x.ids["source"],
		"cost_model": "cpc", "cost_value": 0.02, "currency": "EUR", "streams": []object{x.path(), rest},
	})
	x.call("PATCH /campaigns/{id}", x.id("campaign"), object{"group_name": "Germany", "fallback_url": "https://acme.example/"})
	block := object{"scope": "campaign", "campaign_id": x.ids["campaign"], "dimension": "sub1", "values": []string{"4711", "4712"}}
	x.ids["block list"] = x.call("POST /blocks", nil, block)["list_id"].(string)
	one := x.id("campaign")
	streams := x.call("GET /campaigns/{id}/flow", one, nil)["streams"].([]any)
	x.ids["path"] = streams[0].(map[string]any)["id"].(string)
	streams[0].(map[string]any)["daily_cap"] = 5000
	x.call("PUT /campaigns/{id}/flow", one, object{"streams": streams})
	x.call("PATCH /campaigns/{id}/flow", one, object{"path_id": x.ids["path"], "weight": 80})
	x.make("copy", "POST /campaigns/{id}/clone", one, nil)
	x.replaceEverywhere()
	x.configure()
	x.call("DELETE /campaigns/{id}", x.id("copy"), nil)
	x.call("POST /campaigns/{id}/test-click", one, object{
		"url": "https://go.acme.example/shoes-de-push?visitor_id=9214&cost=0.018&zoneid=311", "ip": "203.0.113.20", "language": "de",
	})
	x.call("POST /networks/{id}/test-postback", x.id("network"), object{"payout": "12.50", "status": "approved"})
	x.call("PUT /networks/{id}/integration", x.id("network"), object{
		"provider": "everflow", "credentials": networkstest.Fakes["everflow"].Credentials(),
	})
	x.call("POST /networks/{id}/integration/test", x.id("network"), nil)
	day := x.today.Format(time.DateOnly)
	x.call("POST /networks/{id}/integration/sync", x.id("network"), object{"from": day, "to": day, "apply": false})
	x.call("GET /networks/{id}/integration", x.id("network"), nil)
	x.call("DELETE /networks/{id}/integration", x.id("network"), nil)
	x.call("PUT /traffic-sources/{id}/integration", x.id("source"), object{
		"provider": "propellerads", "credentials": adstest.Fakes["propellerads"].Credentials(),
	})
	x.call("POST /traffic-sources/{id}/integration", x.id("source"), object{"action": "sync", "from": day, "to": day})
	x.call("GET /traffic-sources/{id}/integration", x.id("source"), nil)
	x.call("DELETE /traffic-sources/{id}/integration", x.id("source"), nil)
	x.signIn()
	x.call("POST /tools/simulate", nil, object{
		"campaign_id": x.ids["campaign"], "seed": 7, "draws": 100, "visitor": object{"country": "DE", "device_type": "mobile"},
		"at": x.today.Format(time.DateTime),
	})
}

func (x *exampleEnv) replaceEverywhere() {
	x.also("next offer", "/offers", object{"name": "Sneakers DE (exclusive)", "url": x.outside + "/sneakers-2?sub1={clickid}"})
	x.also("next lander", "/landers", object{"name": "Seven shoes", "url": x.outside + "/seven-shoes", "click_slots": 2})
	undo := func(done object) {
		x.t.Helper()
		x.Do("POST", "/changes/"+done["change_id"].(string)+"/undo", nil).Want(http.StatusOK, "")
	}
	x.call("GET /offers/{id}/uses", params{"id": x.ids["offer"], "with": x.ids["next offer"]}, nil)
	done := x.call("POST /offers/{id}/replace", x.id("offer"), object{"with": x.ids["next offer"]})
	x.call("POST /changes/{id}/undo", params{"id": done["change_id"].(string)}, nil)
	x.call("GET /landers/{id}/uses", params{"id": x.ids["lander"], "with": x.ids["next lander"]}, nil)
	undo(x.call("POST /landers/{id}/replace", x.id("lander"), object{
		"with": x.ids["next lander"], "campaigns": []any{x.ids["campaign"]},
	}))
	undo(x.call("POST /campaigns/bulk", nil, object{
		"ids": []any{x.ids["campaign"], x.ids["copy"]}, "cost_model": "cpc", "cost_value": 0.03, "add_tags": []string{"autumn"},
	}))
	x.Do("DELETE", "/offers?id="+x.ids["next offer"], nil).Want(http.StatusOK, "")
	x.Do("DELETE", "/landers?id="+x.ids["next lander"], nil).Want(http.StatusOK, "")
}

func (x *exampleEnv) configure() {
	document := object{"version": 1, "offers": object{"sneakers-fr": object{
		"name": "Sneakers FR", "url": x.outside + "/sneakers-fr?sub1={clickid}", "country": "FR", "currency": "EUR", "payout": 11,
	}}}
	x.call("GET /config", params{"kinds": "networks"}, nil)
	plan := x.call("POST /config/plan", nil, object{"document": document})
	x.ids["plan"] = plan["plan_id"].(string)
	x.call("GET /config/plans", nil, nil)
	x.call("GET /config/plans/{id}", x.id("plan"), nil)
	x.call("GET /config/plans/{id}/items", x.id("plan"), nil)
	x.call("POST /config/apply", nil, object{"plan_id": x.ids["plan"]})
	x.call("POST /config/undo", nil, object{"plan_id": x.ids["plan"]})
	x.checkMove()
	x.readHistory()
	x.call("POST /config/import", nil, object{"tracker": "keitaro", "url": x.outside, "key": "0123456789abcdef"})
}

func (x *exampleEnv) readHistory() {
	day := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	dbtest.Exec(x.t, x.DB, `INSERT INTO config_keys (account_id, kind, key, record_id) VALUES ($1, 'campaigns', 'redtrack.api.redtrack.io.1', $2)
		ON CONFLICT (account_id, kind, record_id) DO UPDATE SET key = EXCLUDED.key`, x.Account.ID, x.ids["campaign"])
	defer dbtest.Exec(x.t, x.DB, `DELETE FROM config_keys WHERE account_id = $1 AND key = 'redtrack.api.redtrack.io.1'`, x.Account.ID)
	fake := httptest.NewServer(redtracktest.New([]byte(`{"tracks": [], "conversions": []}`)))
	defer fake.Close()
	hosts := x.hosts
	defer func() { x.hosts = hosts }()
	x.hosts = strings.NewReplacer(fake.URL, "https://api.redtrack.io", redtracktest.Key, "0123456789abcdef")
	x.call("POST /config/history", nil, object{"tracker": "redtrack", "url": fake.URL, "key": redtracktest.Key, "from": day, "to": day})
}

func (x *exampleEnv) checkMove() {
	dbtest.Exec(x.t, x.DB, `INSERT INTO foreign_links (id, account_id, form, foreign_id, campaign_id) VALUES ($1, $2, 'path', 'shoes', $3)`,
		uuid.New(), x.Account.ID, x.ids["campaign"])
	defer dbtest.Exec(x.t, x.DB, `DELETE FROM foreign_links WHERE account_id = $1`, x.Account.ID)
	checks := x.call("GET /config/checks", params{"limit": "1"}, nil)
	x.call("GET /config/checks/curl", nil, nil)
	visitor := checks["rows"].([]any)[0].(map[string]any)["visitors"].([]any)[0].(map[string]any)["id"]
	x.call("POST /config/checks/compare", nil, object{
		"answers": fmt.Sprintf("# asked 1773656640\n%s - 302 https://offers.example/shoes?s=8f2a\n", visitor), "country": "US",
	})
}

func (x *exampleEnv) signIn() {
	x.logins.SignIn(oauthtest.User{ID: "104211906732054881337", Name: "jane@acme.example"})
	x.logins.SetAdAccounts(models.GoogleAds, "4829301756", "7193046825")
	of := params{"provider": models.GoogleAds}
	begun := x.call("POST /oauth/{provider}/connect", of, nil)["url"].(string)
	_, state, _ := strings.Cut(begun, "state=")
	a, err := dboauth.NewAttempts(x.Store).Find(x.t.Context(), state, time.Now())
	if err != nil {
		x.t.Fatal(err)
	}
	page, err := provider.Apps{ByProvider: oauthtest.Apps(), URL: x.logins.URL}.Address(a.Provider, state, a.Verifier, a.Redirect)
	if err != nil {
		x.t.Fatal(err)
	}
	done, err := oauth.Complete(x.t.Context(), dboauth.NewAttempts(x.Store), x.client, state, x.logins.Visit(x.t, page).Query().Get("code"))
	if err != nil {
		x.t.Fatal(err)
	}
	x.ids["connection"] = done.ID.String()
	x.call("GET /oauth/connections", nil, nil)
	x.Do("PUT", "/traffic-sources/"+x.ids["source"]+"/integration", object{
		"provider": models.GoogleAds, "credentials": object{"customer_id": "4829301756"}, "is_enabled": false,
	}).Want(200, "")
	x.call("POST /traffic-sources/{id}/integration/conversion-actions", x.id("source"), object{"name": "Shop sales"})
	x.call("GET /traffic-sources/{id}/integration/conversion-actions", x.id("source"), nil)
	x.Do("DELETE", "/traffic-sources/"+x.ids["source"]+"/integration", nil).Want(200, "")
	x.call("GET /oauth/{provider}/accounts", params{"provider": models.GoogleAds, "connection": x.ids["connection"]}, nil)
}

func (x *exampleEnv) at(n, days int) *models.Click {
	id := models.FloorClickID(x.today.AddDate(0, 0, -days).Add(time.Duration(min(days, 1)*(14*60+n)) * time.Minute))
	id[15] = byte(n)
	os, browser := [2]string{"Android", "14"}, [2]string{"Chrome", "126"}
	if n%2 == 1 {
		os, browser = [2]string{"iOS", "17.5"}, [2]string{"Safari", "17.5"}
	}
	c := &models.Click{
		ID: id, AccountID: x.Account.ID, CampaignID: uuid.MustParse(x.ids["campaign"]), StreamID: uuid.MustParse(x.ids["path"]),
		SourceID: uuid.MustParse(x.ids["source"]), LanderID: uuid.MustParse(x.ids["lander"]), VisitorID: uuid.UUID{6: 0x40, 15: byte(n + 1)},
		ExternalID: "92" + strconv.Itoa(14+n), Domain: "go.acme.example", Destination: x.outside + "/five-shoes", Arrival: "redirect",
		Params: "visitor_id=92" + strconv.Itoa(14+n) + "&cost=0.018&zoneid=311", Cost: decimal.New(18, -3), Currency: "EUR",
		UniqueKey: [16]byte{byte(n)}, UniqueHours: 24, RouteSeed: uint64(n + 1), Via: int(flow.ViaRegular),
		Visitor: models.Visitor{
			IP: netip.AddrFrom4([4]byte{203, 0, 113, byte(n / 2)}), Country: "DE", City: "Berlin", Language: "de", ISP: "Example Telecom",
			ASN: 64500, ConnectionType: "cellular", DeviceType: "mobile", DeviceBrand: "Google", OS: os[0], OSVersion: os[1],
			Browser: browser[0], BrowserVersion: browser[1], UserAgent: "Mozilla/5.0 (Linux; Android 14)",
		},
	}
	c.Subs[0] = "311"
	return c
}

func (x *exampleEnv) earn() {
	for n := range 6 {
		c := x.at(n, n%3)
		put(x.t, x.spool, spool.Record{Click: c})
		if n < 4 {
			out := c.ID
			out[15] += 100
			put(x.t, x.spool, spool.Record{Out: &models.ClickOut{
				ID: out, ClickID: c.ID, AccountID: x.Account.ID, Slot: 1, OfferID: uuid.MustParse(x.ids["offer"]),
				NetworkID: uuid.MustParse(x.ids["network"]), Destination: x.outside + "/sneakers",
			}})
		}
	}
	x.ids["click"] = models.FormatClickID(x.at(1, 1).ID)
	put(x.t, x.spool, spool.Record{Smart: &models.SmartlinkClick{
		SmartlinkID: uuid.MustParse(x.ids["smartlink"]), DestinationURL: "https://acme.example/shoes",
		Click: models.Click{
			ID: models.FloorClickID(x.today), AccountID: x.Account.ID, Domain: "go.acme.example",
			Destination: "https://acme.example/shoes",
			Visitor:     models.Visitor{IP: netip.MustParseAddr("203.0.113.9"), Country: "FR", DeviceType: "desktop"},
		},
	}})
	x.ingest()
	x.inboxEnv.id = uuid.MustParse(x.ids["network"])
	for n, txid := range []string{"A-1001", "A-1002"} {
		x.send(params{
			"sub1": models.FormatClickID(x.at(n, n%3).ID), "clickid": models.FormatClickID(x.at(n, n%3).ID), "payout": "12.50",
			"conversion_id": txid, "status": "approved", "secret": "k7-Kx2q",
		})
		x.ingestAll()
	}
	x.ids["unmatched"] = x.send(params{"clickid": "{sub1}", "payout": "12.50", "secret": "k7-Kx2q"}).String()
	x.ingestAll()
	await.Until(x.t, "the source and the endpoint are notified", func() bool {
		for _, open := range []string{
			"/logs/postbacks?direction=out&result=pending", "/webhooks/deliveries?status=pending",
		} {
			if rows := x.Do("GET", open, nil).Want(http.StatusOK, "").Map()["rows"].([]any); len(rows) > 0 {
				return false
			}
		}
		return len(x.rows("direction=out")) == 2
	})
}

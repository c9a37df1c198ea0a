package v1_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/launchcheck"
)

// launchEnv is an account with a campaign in which no check finds a fault.
type launchEnv struct {
	*apitest.Server
	t                                                *testing.T
	domain, network, offer, lander, source, campaign string
}

func newLaunchEnv(t *testing.T) *launchEnv {
	t.Helper()
	e := &launchEnv{Server: apitest.New(t, apitest.Options{Plan: "growth"}), t: t, domain: uuid.NewString()}
	e.sql(`INSERT INTO domains (id, account_id, host, is_verified) VALUES ($2, $1, 'go.acme.com', true)`, e.domain)
	e.sql(`INSERT INTO domain_checks (account_id, domain_id, checked_at, points, https, registered_until)
		VALUES ($1, $2, now(), true, true, now() + interval '1 year')`, e.domain)
	e.sql(`INSERT INTO certificates (account_id, domain_id, host, edge, serving, expires_at)
		VALUES ($1, $2, 'go.acme.com', 'own', true, now() + interval '60 days')`, e.domain)
	e.network = e.create("/networks", object{"name": "Deals", "macros": object{"payout": "{sum}"}})
	e.postback(e.network)
	e.offer = e.create("/offers", object{
		"name": "Shop", "url": "https://o.acme.com/?c={clickid}", "payout": 10, "network_id": e.network, "daily_cap": 5, "currency": "USD",
	})
	e.lander = e.create("/landers", object{"name": "Page", "url": "https://l.acme.com/"})
	e.source = e.create("/traffic-sources", object{
		"name": "Push", "token_macros": object{"zone": "{zoneid}"}, "cost_macro": "{bid}", "external_id_macro": "{sid}",
		"postback_url": "https://t.acme.com/?c={external_id}",
	})
	e.campaign = e.create("/campaigns", object{"name": "Spring", "alias": "spring", "domain_id": e.domain, "source_id": e.source, "streams": e.paths()})
	e.looked("offer", e.offer)
	e.looked("lander", e.lander)
	e.visit(e.lander, true)
	return e
}

func (e *launchEnv) paths() []object {
	return []object{{
		"name": "Rest", "action": "lander", "daily_cap": 1000, "destinations": []object{{"id": e.lander}, {"id": e.offer}},
	}, {"name": "Full", "action": "offer", "destinations": []object{{"id": e.offer}}}}
}

func (e *launchEnv) create(path string, body object) string {
	e.t.Helper()
	return fmt.Sprint(e.Do("POST", path, body).Want(201, "").Map()["id"])
}

func (e *launchEnv) sql(query string, args ...any) {
	e.t.Helper()
	dbtest.Exec(e.t, e.DB, query, append([]any{e.Account.ID}, args...)...)
}

func (e *launchEnv) set(fields object) {
	e.t.Helper()
	e.Do("PATCH", "/campaigns/"+e.campaign, fields).Want(200, "")
}

func (e *launchEnv) route(paths ...object) {
	e.t.Helper()
	e.Do("PUT", "/campaigns/"+e.campaign+"/flow", object{"streams": paths}).Want(200, "")
}

func (e *launchEnv) postback(network string) {
	e.t.Helper()
	e.sql(`INSERT INTO postbacks (account_id, id, network_id, source, domain, params, received_at, outcome)
		VALUES ($1, gen_random_uuid(), $2, 'postback', 'go.acme.com', '{}', now() - interval '2 days', 'recorded')`, network)
}

// looked stores a link check that says that the record's present link works.
func (e *launchEnv) looked(kind, id string) {
	e.t.Helper()
	e.sql(`INSERT INTO link_checks (account_id, kind, record_id, url, checked_at, http_status, error, failures)
		SELECT $1, $2, id, url, now() - interval '1 minute', 200, '', 0 FROM (
			SELECT id, url FROM offers UNION ALL SELECT id, url FROM landers) r WHERE id = $3
		ON CONFLICT (kind, record_id) DO UPDATE SET url = excluded.url, error = '', broken_at = NULL`, kind, id)
}

// visit stores a click that was sent to a landing page and, if out is set, went on to the offer.
func (e *launchEnv) visit(lander string, out bool) {
	e.t.Helper()
	log, err := spool.Open(e.t.TempDir(), spool.Options{})
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	c := &models.Click{
		ID: models.NewClickID(), AccountID: e.Account.ID, CampaignID: uuid.MustParse(e.campaign), LanderID: uuid.MustParse(lander),
		Currency: "USD", Cost: decimal.New(1, -2),
	}
	records := []spool.Record{{Click: c}}
	if out {
		records = append(records, spool.Record{Out: &models.ClickOut{
			ID: models.NewClickID(), ClickID: c.ID, AccountID: c.AccountID, Slot: 1, OfferID: uuid.MustParse(e.offer), Destination: "https://o.acme.com/",
		}})
	}
	for _, r := range records {
		if err := log.Append(e.t.Context(), r); err != nil {
			e.t.Fatal(err)
		}
	}
	if err := ingest.NewIngester(log, e.DB, ingest.Options{}).Drain(e.t.Context()); err != nil {
		e.t.Fatal(err)
	}
}

func (e *launchEnv) check() map[string]any {
	e.t.Helper()
	return e.Do("GET", "/campaigns/"+e.campaign+"/check", nil).Want(200, "").Map()
}

func found(answer map[string]any) (list []map[string]any) {
	for _, area := range answer["checks"].([]any) {
		for _, f := range area.(map[string]any)["findings"].([]any) {
			list = append(list, f.(map[string]any))
		}
	}
	return list
}

func codes(list []map[string]any) []string {
	var names []string
	for _, f := range list {
		names = append(names, fmt.Sprint(f["code"]))
	}
	return names
}

// other creates a paused campaign and returns its id.
func (e *launchEnv) other() string {
	return e.create("/campaigns", object{"name": "Old", "alias": "old-campaign", "domain_id": e.domain, "status": "paused", "destination_url": "https://o.acme.com/"})
}

// site adds a site that measures the campaign.
func (e *launchEnv) site(active bool) {
	id := uuid.NewString()
	e.sql(`INSERT INTO sites (id, account_id, name, kind, currency, is_active) VALUES ($2, $1, 'Own shop', 'store', 'USD', $3)`, id, active)
	e.sql(`UPDATE campaigns SET measurement_site_id = $2 WHERE account_id = $1`, id)
}

// faults maps the code of each finding to a function that breaks the campaign in this way only.
var faults = map[string]func(e *launchEnv){
	"domain_unverified": func(e *launchEnv) { e.sql(`UPDATE domains SET is_verified = false WHERE account_id = $1`) },
	"domain_elsewhere": func(e *launchEnv) {
		e.sql(`UPDATE domain_checks SET points = false, wrong_since = now(), detail = 'It leads to 192.0.2.7.' WHERE account_id = $1`)
	},
	"domain_unsafe": func(e *launchEnv) {
		e.sql(`INSERT INTO link_screens (account_id, kind, record_id, url, checked_at, threats, unsafe_at)
			VALUES ($1, 'domain', $2, 'http://go.acme.com/', now(), '{MALWARE}', now())`, e.domain)
	},
	"certificate_failing": func(e *launchEnv) { e.sql(`UPDATE domain_checks SET https = false WHERE account_id = $1`) },
	"certificate_ending": func(e *launchEnv) {
		e.sql(`UPDATE certificates SET expires_at = now() + interval '3 days' WHERE account_id = $1`)
	},
	"registration_ending": func(e *launchEnv) {
		e.sql(`UPDATE domain_checks SET registered_until = now() + interval '3 days' WHERE account_id = $1`)
	},
	"domain_unlooked": func(e *launchEnv) {
		e.sql(`UPDATE domain_checks SET checked_at = now() - interval '4 days' WHERE account_id = $1`)
	},
	"destination_broken": func(e *launchEnv) {
		e.sql(`UPDATE link_checks SET error = 'the page answered 404', failures = 2, broken_at = now() WHERE account_id = $1 AND kind = 'offer'`)
	},
	"destination_failing": func(e *launchEnv) {
		e.sql(`UPDATE link_checks SET error = 'the page answered 503', failures = 1 WHERE account_id = $1 AND kind = 'offer'`)
	},
	"destination_unsafe": func(e *launchEnv) {
		e.sql(`INSERT INTO link_screens (account_id, kind, record_id, url, checked_at, threats, unsafe_at)
			VALUES ($1, 'lander', $2, 'https://l.acme.com/', now(), '{MALWARE}', now())`, e.lander)
	},
	"destination_unchecked": func(e *launchEnv) { e.sql(`DELETE FROM link_checks WHERE account_id = $1 AND kind = 'lander'`) },
	"path_without_destination": func(e *launchEnv) {
		// The API refuses the weight 0 for the only landing page, so the statement writes it to the row.
		e.sql(`UPDATE campaigns SET streams = jsonb_set(streams, '{0,destinations,0,weight}', '0') WHERE account_id = $1`)
	},
	"handover_closed": func(e *launchEnv) {
		e.route(append([]object{{"name": "Old", "action": "campaign", "campaign_id": e.other(), "filters": []object{germans}}}, e.paths()...)...)
	},
	"destination_closed": func(e *launchEnv) {
		second := e.create("/offers", object{"name": "Second", "url": "https://o.acme.com/?c={clickid}", "payout": 1, "network_id": e.network})
		e.looked("offer", second)
		e.route(object{"action": "offer", "destinations": []object{{"id": e.offer}, {"id": second}}})
		e.Do("PATCH", "/offers", object{"id": second, "is_active": false}).Want(200, "")
	},
	"destination_gone": func(e *launchEnv) {
		e.sql(`UPDATE campaigns SET streams = jsonb_set(streams, '{1,destinations,1}', jsonb_build_object('id', $2::text, 'weight', 5)) WHERE account_id = $1`,
			uuid.NewString())
	},
	"address_unchecked": func(e *launchEnv) { e.set(object{"fallback_url": "https://f.acme.com/"}) },
	"macro_foreign":     func(e *launchEnv) { e.address("https://o.acme.com/?c={clickid}&s=##SUB##") },
	"macro_unknown":     func(e *launchEnv) { e.address("https://o.acme.com/?c={clickid}&s={zoneid}") },
	"click_id_missing":  func(e *launchEnv) { e.address("https://o.acme.com/") },
	"click_id_elsewhere": func(e *launchEnv) {
		e.sql(`UPDATE networks SET click_param = 'sub1' WHERE account_id = $1`)
		e.address("https://o.acme.com/?sub1=x&c={clickid}")
	},
	"postback_placeholder": func(e *launchEnv) {
		e.sql(`UPDATE traffic_sources SET postback_url = 'https://t.acme.com/?a=YOUR_AID' WHERE account_id = $1`)
	},
	"postback_macro": func(e *launchEnv) {
		e.sql(`UPDATE traffic_sources SET postback_url = 'https://t.acme.com/?a={oops}' WHERE account_id = $1`)
	},
	"sub_unfilled":   func(e *launchEnv) { e.sql(tokenRow, e.source) },
	"source_missing": func(e *launchEnv) { e.set(object{"source_id": "", "cost_model": "cpc", "cost_value": 1}) },
	"subs_missing":   func(e *launchEnv) { e.sql(`UPDATE traffic_sources SET token_macros = '{}' WHERE account_id = $1`) },
	"sub_without_macro": func(e *launchEnv) {
		e.sql(`UPDATE traffic_sources SET token_macros = '{"zone": ""}' WHERE account_id = $1`)
	},
	"source_click_id_missing": func(e *launchEnv) { e.sql(`UPDATE traffic_sources SET external_id_macro = '' WHERE account_id = $1`) },
	"cost_missing":            func(e *launchEnv) { e.sql(`UPDATE traffic_sources SET cost_macro = '' WHERE account_id = $1`) },
	"cost_zero":               func(e *launchEnv) { e.set(object{"cost_model": "cpc"}) },
	"spend_failing": func(e *launchEnv) {
		e.sql(fmt.Sprintf(sourceRow, "failure, failures, failing_since", "'no', 9, now()"), e.source)
	},
	"postbacks_failing": func(e *launchEnv) { e.sql(fmt.Sprintf(badRows, "unmatched"), e.network) },
	"network_missing":   func(e *launchEnv) { e.sql(`UPDATE offers SET network_id = NULL WHERE account_id = $1`) },
	"postback_unseen": func(e *launchEnv) { // the postback is a test from the dashboard
		e.sql(`UPDATE postbacks SET params = '{"conversion_id": "test"}' WHERE account_id = $1`)
	},
	"payout_missing": func(e *launchEnv) {
		e.sql(`UPDATE offers SET payout = 0, payout_from_param = false WHERE account_id = $1`)
	},
	"payout_untold": func(e *launchEnv) {
		e.sql(`UPDATE offers SET payout = 0 WHERE account_id = $1`)
		e.sql(`UPDATE networks SET macros = '{}' WHERE account_id = $1`)
	},
	"path_unreachable": func(e *launchEnv) {
		e.route(append(e.paths(), object{"name": "Late", "action": "offer", "destinations": []object{{"id": e.offer}}})...)
	},
	"path_without_share": func(e *launchEnv) {
		e.route(append([]object{{"name": "None", "weight": 0, "action": "offer", "destinations": []object{{"id": e.offer}}}}, e.paths()...)...)
	},
	"fallback_missing": func(e *launchEnv) { e.route(e.paths()[0]) },
	"bots_off": func(e *launchEnv) {
		var names []string
		for s := range bot.All() {
			if s.CanDisable {
				names = append(names, s.Reason)
			}
		}
		e.sql(`UPDATE accounts SET bot_disabled = string_to_array($2, ',') WHERE id = $1`, strings.Join(names, ","))
	},
	"offer_capped": func(e *launchEnv) {
		for range 5 {
			e.sql(conversionRow, e.offer)
		}
	},
	"path_capped": func(e *launchEnv) {
		e.sql(`INSERT INTO ledger (account_id, hour, campaign_id, stream_id, lander_id, offer_id, source_id, country, device_type, os,
				browser, clicks, unique_clicks, bot_clicks, lp_views, lp_clicks, approved, pending, rejected, chargebacks, cost, revenue,
				pending_revenue)
			SELECT $1, date_trunc('hour', now()), id, (streams->0->>'id')::uuid, id, id, id, '', '', '', '', 1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
			FROM campaigns WHERE account_id = $1`)
	},
	"rate_missing": func(e *launchEnv) { e.sql(`UPDATE offers SET currency = 'VND' WHERE account_id = $1`) },
	"slot_without_offer": func(e *launchEnv) {
		e.sql(`UPDATE landers SET click_slots = 2 WHERE account_id = $1`)
		e.route(object{"action": "lander", "destinations": []object{{"id": e.lander}, {"id": e.offer, "slot": 1}}})
	},
	"lander_untried": func(e *launchEnv) { e.newPage() },
	"lander_unclicked": func(e *launchEnv) {
		page := e.newPage()
		for range 50 {
			e.visit(page, false)
		}
	},
	"site_inactive": func(e *launchEnv) { e.site(false) },
	"tag_unseen":    func(e *launchEnv) { e.site(true) },
}

// address changes the address of the offer, and stores a check in which the new address worked.
func (e *launchEnv) address(url string) {
	e.sql(`UPDATE offers SET url = $2 WHERE account_id = $1`, url)
	e.looked("offer", e.offer)
}

// newPage gives the campaign a single path, from a new landing page to the offer. It returns the id of the page.
func (e *launchEnv) newPage() string {
	page := e.create("/landers", object{"name": "New page", "url": "https://n.acme.com/"})
	e.looked("lander", page)
	e.route(object{"action": "lander", "destinations": []object{{"id": page}, {"id": e.offer}}})
	return page
}

// TestEveryCheck breaks a sound campaign in each way of launchcheck.Table. The check finds only this fault.
func TestEveryCheck(t *testing.T) {
	t.Parallel()
	for i := range launchcheck.Table {
		row := &launchcheck.Table[i]
		t.Run(row.Code, func(t *testing.T) {
			t.Parallel()
			e := newLaunchEnv(t)
			if sound := e.check(); sound["state"] != launchcheck.OK {
				t.Fatalf("the campaign already has findings before the fault: %v", found(sound))
			}
			fault := faults[row.Code]
			if fault == nil {
				t.Fatal("faults has no function for this code")
			}
			fault(e)
			answer := e.check()
			list := found(answer)
			if got := codes(list); len(got) != 1 || got[0] != row.Code {
				t.Fatalf("the fault has the findings %v, want only its own code: %v", got, list)
			}
			same(t, list[0], map[string]any{"state": row.State, "mend": row.Mend})
			for _, text := range []string{"message", "costs", "do"} {
				if s := fmt.Sprint(list[0][text]); s == "" || strings.Contains(strings.ReplaceAll(s, "{clickid}", ""), "{") && row.Area != "macros" {
					t.Errorf("the text %s is empty, or has a placeholder that was not filled in: %q", text, s)
				}
			}
			if answer["state"] != row.State {
				t.Errorf("the state of the campaign is %v, want %s", answer["state"], row.State)
			}
			e.Do("PATCH", "/campaigns/"+e.campaign, object{"status": "active"}).Want(200, "") // a campaign with faults can be started
		})
	}
	for _, code := range slices.Sorted(maps.Keys(faults)) {
		if !slices.ContainsFunc(launchcheck.Table, func(c launchcheck.Check) bool { return c.Code == code }) {
			t.Errorf("no row of the table has the code %s", code)
		}
	}
}

// TestCheckOfClickParam: an offer URL may lack the network's parameter for the click id, because the redirect adds it.
func TestCheckOfClickParam(t *testing.T) {
	t.Parallel()
	e := newLaunchEnv(t)
	e.sql(`UPDATE networks SET click_param = 'Sub[1]' WHERE account_id = $1`)
	for _, url := range []string{"https://o.acme.com/", "https://o.acme.com/?x=1&sub%5B1%5D={click_id}#top"} {
		e.address(url)
		if answer := e.check(); answer["state"] != launchcheck.OK {
			t.Errorf("with the offer URL %s the check has the findings %v, want none", url, found(answer))
		}
	}
}

// TestCheckTable: the rows of launchcheck.Table have different codes, and no unknown value or empty text.
func TestCheckTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range launchcheck.Table {
		if seen[c.Code] || !slices.Contains(launchcheck.Areas, c.Area) || !slices.Contains(launchcheck.States, c.State) ||
			!slices.Contains(launchcheck.Mends, c.Mend) || c.Costs == "" || c.Do == "" {
			t.Errorf("the row has a repeated code, an unknown value or an empty text: %+v", c)
		}
		seen[c.Code] = true
	}
}

// A finding names the record and the field that have the fault. Only the areas link and destinations have a time in looked_at.
func TestCheckCampaign(t *testing.T) {
	t.Parallel()
	e := newLaunchEnv(t)
	path := "/campaigns/" + e.campaign + "/check"
	_, _, key := e.NewAccount("growth")
	e.As(key).Do("GET", path, nil).Want(404, "not_found")
	e.Do("GET", "/campaigns/"+uuid.NewString()+"/check", nil).Want(404, "not_found")
	e.Do("GET", "/campaigns/x/check", nil).Want(400, "invalid_id")

	e.sql(`DELETE FROM link_checks WHERE account_id = $1 AND kind = 'offer'`)
	e.set(object{"fallback_url": "https://f.acme.com/?z={zone}"})
	answer := e.check()
	same(t, answer, map[string]any{"state": "problem", "problems": 1, "unknown": 2, "warnings": 0})
	list := found(answer)
	if got := fmt.Sprint(codes(list)); got != "[destination_unchecked address_unchecked macro_unknown]" {
		t.Fatalf("the findings are %s, want destination_unchecked, address_unchecked and macro_unknown", got)
	}
	same(t, list[0], map[string]any{"message": "It is not known whether Shop answers. Last checked: never.", "at": nil})
	same(t, list[0]["where"].(map[string]any), map[string]any{"kind": "offer", "id": e.offer, "name": "Shop", "path_name": "Rest"})
	same(t, list[2], map[string]any{"value": "{zone}"})
	same(t, list[2]["where"].(map[string]any), map[string]any{"kind": "campaign", "id": e.campaign, "field": "fallback_url", "path_id": nil})
	for _, area := range answer["checks"].([]any) {
		if a := area.(map[string]any); (a["check"] == "link" || a["check"] == "destinations") == (a["looked_at"] == nil) {
			t.Errorf("%v has looked_at %v, want a time only for link and destinations", a["check"], a["looked_at"])
		}
	}
}

// A flow of 100 paths with 50 destinations each is checked in one call. The answer has the first findings and counts the others.
func TestCheckOfLargeFlow(t *testing.T) {
	t.Parallel()
	e := newLaunchEnv(t)
	e.sql(`INSERT INTO offers (id, account_id, name, url, network_id)
		SELECT gen_random_uuid(), $1, 'Offer ' || n, 'https://o.acme.com/{zone}?n=' || n, $2 FROM generate_series(1, 5000) n`, e.network)
	e.sql(`UPDATE campaigns SET streams = (SELECT jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'name', 'Path ' || n, 'action', 'offer',
		'weight', 1, 'is_active', true, 'stream_type', 'regular', 'destinations', d)) FROM (
			SELECT n % 100 AS n, jsonb_agg(jsonb_build_object('id', id, 'weight', 1)) AS d
			FROM (SELECT id, row_number() OVER () AS n FROM offers WHERE account_id = $1 AND name LIKE 'Offer %') o GROUP BY 1) p)
		WHERE account_id = $1`)
	answer := e.check()
	same(t, answer, map[string]any{"state": "problem", "unknown": 5000})
	list := found(answer)
	count := map[string]int{}
	for _, code := range codes(list) {
		count[code]++
	}
	if count["destination_unchecked"] != launchcheck.MaxFindings || count["macro_unknown"] != launchcheck.MaxFindings {
		t.Errorf("findings by code: %v, want %d of each code", count, launchcheck.MaxFindings)
	}
	left := answer["checks"].([]any)[1].(map[string]any)["left_off"]
	if fmt.Sprint(left) != strconv.Itoa(5000-launchcheck.MaxFindings) {
		t.Errorf("left_off is %v, want %d", left, 5000-launchcheck.MaxFindings)
	}
}

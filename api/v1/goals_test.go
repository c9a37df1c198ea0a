package v1_test

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/apitest"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
)

func siteOf(s *apitest.Server, body object) string {
	return s.Do("POST", "/sites", body).Want(200, "").Map()["site"].(map[string]any)["id"].(string)
}

func goalOf(s *apitest.Server, body object) map[string]any {
	return s.Do("PUT", "/goals", body).Want(200, "").Map()["goal"].(map[string]any)
}

// storeRecords stores records with an ingester.
func storeRecords(t *testing.T, s *apitest.Server, records ...spool.Record) {
	t.Helper()
	log, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	for _, r := range records {
		if err := log.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := ingest.NewIngester(log, s.DB, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestSites(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	made := d.Do("POST", "/sites", object{
		"name": " Shop ", "domain": "https://Shop.Example.com/x", "currency": "eur", "seedGoals": true,
	}).Want(200, "").Map()["site"].(map[string]any)
	same(t, made, object{
		"name": "Shop", "domain": "shop.example.com", "currency": "EUR", "kind": "store", "revenueFrom": "order", "isActive": true,
	})
	id := made["id"].(string)
	d.Do("POST", "/sites", object{"name": "SHOP"}).Want(409, "duplicate_name")
	other := siteOf(d.Server, object{"name": "Shop", "kind": "lead", "isActive": false})
	for what, body := range map[string]object{
		"no name": {}, "domain": {"name": "x", "domain": "localhost"}, "currency": {"name": "x", "currency": "euro"},
		"kind": {"name": "x", "kind": "shop"}, "revenue": {"name": "x", "revenueFrom": "x"}, "type": {"name": 1},
		"long": {"name": strings.Repeat("x", 121)}, "active": {"name": "x", "isActive": "x"},
	} {
		if a := d.Do("POST", "/sites", body); a.Status != 400 || a.Code != "invalid" {
			t.Errorf("%s: answered %d %s, want 400 invalid", what, a.Status, a.Code)
		}
	}
	put := d.Do("PUT", "/sites", object{"id": other, "name": "Form"}).Want(200, "").Map()["site"].(map[string]any)
	same(t, put, object{"name": "Form", "kind": "store", "currency": "USD", "isActive": false})
	d.Do("PUT", "/sites", object{"name": "x"}).Want(400, "no_id")
	d.Do("PUT", "/sites", object{"id": other, "name": ""}).Want(400, "invalid")
	d.Do("PUT", "/sites", object{"id": other, "name": "shop"}).Want(409, "duplicate_name")
	d.Do("PUT", "/sites", object{"id": uuid.NewString(), "name": "x"}).Want(404, "not_found")

	first := d.Do("POST", "/sites/lead", nil).Want(200, "").Map()["site"].(map[string]any)
	again := d.Do("POST", "/sites/lead", nil).Want(200, "").Map()["site"].(map[string]any)
	if first["kind"] != "lead" || again["id"] != first["id"] {
		t.Errorf("want the same lead site twice: %v, then %v", first, again)
	}
	list := d.Do("GET", "/sites", nil).Want(200, "").Map()["sites"].([]any)
	if len(list) != 3 || list[0].(map[string]any)["id"] != id {
		t.Errorf("want three sites, the oldest first: %v", list)
	}

	campaign := with(d.campaign("Measured"), "measurement_site_id", id)
	measured := d.make(t, campaign)["id"]
	d.Do("DELETE", "/sites", nil).Want(400, "no_id")
	same(t, d.Do("DELETE", "/sites?id="+id, nil).Want(200, "").Map(), object{"deleted": true, "campaigns": 1.0})
	same(t, d.Do("DELETE", "/sites?id="+id, nil).Want(200, "").Map(), object{"deleted": false, "campaigns": 0.0})
	got := d.Do("GET", fmt.Sprint("/campaigns/", measured), nil).Want(200, "").Map()["campaign"].(map[string]any)
	same(t, got, object{"measurement_site_id": nil})
	d.Do("PATCH", fmt.Sprint("/campaigns/", measured), object{"measurement_site_id": id}).Want(400, "invalid_site")
	d.Do("POST", "/campaigns", with(campaign, "name", "Another")).Want(400, "invalid_site")
}

func TestGoals(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.Do("PUT", "/goals", object{"key": "lead"}).Want(400, "no_site")
	s.Do("DELETE", "/goals?key=lead", nil).Want(400, "no_site")
	first, second := siteOf(s, object{"name": "A", "currency": "EUR"}), siteOf(s, object{"name": "B"})
	g := goalOf(s, object{"key": "lead", "isPrimary": true, "isActive": false})
	same(t, g, object{
		"key": "lead", "name": "lead", "kind": "event", "matchPath": "", "dedupe": "per_click", "valueMode": "none", "value": 0,
		"siteId": first, "currency": "", "status": "approved", "isPrimary": true, "isActive": false,
	})
	again := goalOf(s, object{"key": "lead", "name": "A lead", "valueMode": "fixed", "value": 2.5, "currency": "gbp", "status": "pending"})
	same(t, again, object{
		"id": g["id"], "name": "A lead", "valueMode": "fixed", "value": 2.5, "currency": "GBP", "status": "pending", "isPrimary": true,
		"isActive": false,
	})
	page := goalOf(s, object{"key": "thanks", "kind": "page", "matchPath": "https://a.test/thanks?x=1#y", "isPrimary": true})
	same(t, page, object{"kind": "page", "matchPath": "/thanks", "isPrimary": true})
	same(t, goalOf(s, object{"key": "thanks", "kind": "page", "matchPath": "/#/thanks?x=1", "isPrimary": true}), object{"matchPath": "/#/thanks"})
	same(t, goalOf(s, object{"key": "lead", "siteId": second}), object{"siteId": second, "isActive": true})
	for what, c := range map[string]struct {
		body object
		http int
		code string
	}{
		"no key":        {object{}, 400, "bad_key"},
		"bad key":       {object{"key": "Lead!"}, 400, "bad_key"},
		"page":          {object{"key": "x1", "kind": "page"}, 400, "bad_goal_shape"},
		"page path":     {object{"key": "x1", "kind": "page", "matchPath": "thanks"}, 400, "bad_goal_shape"},
		"page star":     {object{"key": "x1", "kind": "page", "matchPath": "/a*b"}, 400, "bad_goal_shape"},
		"page orders":   {object{"key": "x1", "kind": "page", "matchPath": "/x", "dedupe": "per_order"}, 400, "bad_goal_shape"},
		"event path":    {object{"key": "x1", "matchPath": "/x"}, 400, "bad_goal_shape"},
		"no value":      {object{"key": "x1", "valueMode": "fixed"}, 400, "no_value"},
		"too little":    {object{"key": "x1", "valueMode": "fixed", "value": 0.0000001}, 400, "no_value"},
		"negative":      {object{"key": "x1", "value": -1}, 400, "no_value"},
		"unknown site":  {object{"key": "x1", "siteId": uuid.NewString()}, 400, "no_site"},
		"bad site id":   {object{"key": "x1", "siteId": "x"}, 400, "no_site"},
		"name":          {object{"key": "x1", "name": "a LEAD"}, 409, "duplicate_name"},
		"name as a key": {object{"key": "x1", "name": "Thanks"}, 409, "duplicate_name"},
	} {
		if a := s.Do("PUT", "/goals", c.body); a.Status != c.http || a.Code != c.code {
			t.Errorf("%s: answered %d %s (%s), want %d %s", what, a.Status, a.Code, a.Message, c.http, c.code)
		}
	}
	list := s.Do("GET", "/goals", nil).Want(200, "").Map()
	goals := list["goals"].([]any)
	for _, g := range goals { // a goal from the list can be sent back
		same(t, goalOf(s, g.(map[string]any)), object{"key": g.(map[string]any)["key"], "isPrimary": g.(map[string]any)["isPrimary"]})
	}
	if len(goals) != 2 || goals[0].(map[string]any)["key"] != "thanks" || goals[1].(map[string]any)["isPrimary"] != false {
		t.Errorf("want two goals, the primary goal first: %v", goals)
	}
	same(t, list, object{"currency": "EUR", "secretSet": false, "secretSetAt": nil, "planIncludes": true, "siteKey": s.Account.SiteKey})
	if none := s.Do("GET", "/goals?site="+uuid.NewString(), nil).Want(200, "").Map(); none["site"] != nil || len(none["goals"].([]any)) > 0 {
		t.Errorf("an unknown site has the goals %v", none)
	}
	s.Do("DELETE", "/goals", nil).Want(400, "no_key")
	s.Do("DELETE", "/goals?key=lead&site=x", nil).Want(400, "no_site")
	same(t, s.Do("DELETE", "/goals?key=lead&site="+second, nil).Want(200, "").Map(), object{"deleted": true})
	same(t, s.Do("DELETE", "/goals?key=lead&site="+second, nil).Want(200, "").Map(), object{"deleted": false})

	secrets := map[string]bool{}
	for range 2 {
		secret := s.Do("POST", "/goals", nil).Want(200, "").Map()["secret"].(string)
		secrets[secret] = true
		dbtest.Exec(t, s.DB, `DO $$ BEGIN ASSERT (SELECT count(*) FROM accounts a WHERE strpos(a::text, '`+secret+`') > 0) = 0; END $$`)
	}
	if list := s.Do("GET", "/goals", nil).Want(200, "").Map(); len(secrets) != 2 || list["secretSet"] != true || list["secretSetAt"] == nil {
		t.Errorf("want two different secrets and the time of the last one: %d secrets, set at %v", len(secrets), list["secretSetAt"])
	}
}

// TestGoalPlan: no goal can be added beyond the plan. Existing goals stay in the list and can be changed.
func TestGoalPlan(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := siteOf(s, object{"name": "A"})
	goalOf(s, object{"key": "lead"})
	for i := range 99 {
		dbtest.Exec(t, s.DB, `INSERT INTO goals (id, account_id, site_id, key, name) VALUES ($1, $2, $3, $4, $4)`, uuid.New(), s.Account.ID, id,
			fmt.Sprint("many", i))
	}
	dbtest.Exec(t, s.DB, `UPDATE accounts SET plan = 'pro' WHERE id = $1`, s.Account.ID)
	s.Do("PUT", "/goals", object{"key": "one_more"}).Want(402, "plan_limit")
	dbtest.Exec(t, s.DB, `UPDATE accounts SET plan = 'growth' WHERE id = $1`, s.Account.ID)
	s.Do("POST", "/sites", object{"name": "B"}).Want(402, "plan_limit")
	s.Do("POST", "/sites/lead", nil).Want(402, "plan_limit")
	s.Do("PUT", "/goals", object{"key": "other"}).Want(402, "plan_limit")
	s.Do("PUT", "/goals", object{"key": "lead", "name": "kept"}).Want(200, "")
	s.Do("PUT", "/sites", object{"id": id, "name": "C"}).Want(200, "")
	if list := s.Do("GET", "/goals", nil).Want(200, "").Map(); list["planIncludes"] != false || len(list["goals"].([]any)) != 100 {
		t.Errorf("want a plan without goal tracking, and 100 goals: %v, %d goals", list["planIncludes"], len(list["goals"].([]any)))
	}
}

// TestGoalFigures: the list shows the figures of goals and products. Events that look like a new goal become
// suggestions.
func TestGoalFigures(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	visits := newTrafficEnv(t, s, 30, 2).visits
	dbtest.SetRates(t, s.DB, "1.5")
	site := uuid.MustParse(siteOf(s, object{"name": "A", "currency": "EUR", "seedGoals": true}))
	var records []spool.Record
	send := func(visit int, eventID string, edit func(*models.SiteEvent)) {
		now := time.Now()
		e := &models.SiteEvent{
			ID: models.SiteEventID(s.Account.ID, models.FromTag, eventID), AccountID: s.Account.ID, SiteID: site, ReceivedAt: now, At: now,
			ClickID: visits[visit].ID, Name: models.EventView, Host: "a.test", Source: models.FromTag, Currency: "EUR",
		}
		edit(e)
		records = append(records, spool.Record{Event: e})
	}
	order := func(id string) func(*models.SiteEvent) {
		return func(e *models.SiteEvent) {
			e.Name, e.Path, e.OrderID, e.Goals = "purchase", "/order-received/", id, []models.ReachedGoal{{Key: "purchase", OrderID: id}}
			e.Items = []models.SiteItem{
				{SKU: "S1", Name: "Shoe", Price: models.NewMoney(decimal.New(105, -1)), Quantity: 2},
				{Name: "Sock", Price: models.NewMoney(decimal.New(1, 0)), Quantity: 1},
			}
		}
	}
	plain := func(name, path string) func(*models.SiteEvent) {
		return func(e *models.SiteEvent) { e.Name, e.Path = name, path }
	}
	send(0, "1", order("A1"))
	send(0, "2", order("A1"))                // the same order again
	send(1, "3", func(e *models.SiteEvent) { // an empty currency means the site's currency
		order("A2")(e)
		e.Currency = ""
	})
	for i, e := range []string{"/", "/thank-you/", "/thank-you/"} {
		send(i, "view"+strconv.Itoa(i), plain("view", e))
	}
	send(0, "paid", plain("view", "/order-received/")) // this page already reaches a goal
	send(2, "trial", func(e *models.SiteEvent) {       // without an order id, items do not count as sold
		e.Name, e.Items = "start_trial", []models.SiteItem{{SKU: "S9", Price: models.NewMoney(decimal.New(99, 0)), Quantity: 1}}
	})
	send(2, "odd", plain("Not A Key", ""))
	send(2, "who", func(e *models.SiteEvent) { e.Name, e.OrderID = models.EventIdentify, "user-7" })
	person := slices.IndexFunc(visits, func(v *visit) bool { return !v.IsBot })
	send(person, "arrived", func(e *models.SiteEvent) { e.Name, e.Arrival = models.EventClick, "gclid" })
	storeRecords(t, s, records...)
	payout := decimal.NewFromInt(22)
	recordConversion(t, s.DB, conversion.Input{
		ClickID: visits[0].ID, Goal: "purchase", ConversionID: "A1", Payout: &payout, Currency: "EUR", OwnValue: true, Source: models.FromTag,
	})
	got := s.Do("GET", "/goals?site="+site.String(), nil).Want(200, "").Map()
	same(t, got["siteTotals"].(map[string]any), object{"events": 11.0, "views": 4.0, "orders": 2.0, "conversions": 1.0, "revenue": 33.0})
	same(t, got["goals"].([]any)[0].(map[string]any), object{
		"key": "purchase", "events": 3.0, "clicks": 2.0, "conversions": 1.0, "approved": 1.0, "pending": 0.0, "revenue": 33.0,
	})
	products := got["products"].([]any)
	if len(products) != 2 {
		t.Fatal(products)
	}
	same(t, products[0].(map[string]any), object{"sku": "S1", "name": "Shoe", "orders": 2.0, "quantity": 4.0, "revenue": 42.0, "currency": "EUR"})
	live := got["live"].(map[string]any)
	same(t, live, object{"windowMinutes": 5.0, "views": 4.0, "events": 11.0})
	var keys []string
	for _, g := range got["suggested"].([]any) {
		keys = append(keys, g.(map[string]any)["key"].(string))
	}
	if !slices.Equal(keys, []string{"page_thank_you", "start_trial"}) {
		t.Errorf("the suggested goals are %v, want page_thank_you and start_trial", keys)
	}
	page := got["suggested"].([]any)[0].(map[string]any)
	same(t, page, object{"kind": "page", "matchPath": "/thank-you/", "events": 2.0})
	goalOf(s, object{"key": "page_thank_you", "kind": "page", "matchPath": "/thank-you/"})

	dbtest.Exec(t, s.DB, `UPDATE campaigns SET measurement_site_id = $2 WHERE id = $1`, visits[0].CampaignID, site)
	funnel := s.Do("GET", fmt.Sprintf("/campaigns/%s/funnel", visits[0].CampaignID), nil).Want(200, "").Map()
	same(t, funnel, object{"primaryGoalKey": "purchase", "goalKeys": "[purchase signup page_thank_you]"})
	for _, step := range funnel["steps"].([]any) {
		if step := step.(map[string]any); step["key"] == "sales" && step["count"] != 1.0 {
			t.Errorf("want one sale in the funnel: %v", funnel["steps"])
		}
	}
	for _, row := range s.Do("GET", "/campaigns?limit=100", nil).Want(200, "").Map()["rows"].([]any) {
		row := row.(map[string]any)
		goals := row["goals"].([]any)
		if row["id"] != visits[0].CampaignID.String() {
			if len(goals) > 0 {
				t.Errorf("a campaign without goals has %v", goals)
			}
			continue
		}
		if len(goals) != 3 {
			t.Fatalf("the row has the goals %v, want 3", goals)
		}
		same(t, goals[0].(map[string]any), object{"key": "purchase", "is_primary": true, "clicks": 1.0, "approved": 1.0, "revenue": 33.0})
		same(t, goals[1].(map[string]any), object{"key": "signup", "is_primary": false, "clicks": 0.0, "approved": 0.0, "revenue": 0.0})
	}
	for goals, want := range map[string]object{
		"purchase":     {"conversions": 1.0, "revenue": 33.0},
		"signup, lead": {"conversions": 0.0, "revenue": 0.0}, "purchase,signup": {"conversions": 1.0, "revenue": 33.0},
	} {
		a := s.Do("GET", "/reports/performance?goal="+url.QueryEscape(goals), nil).Want(200, "").Map()
		totals := a["totals"].(map[string]any)
		if same(t, totals, want); totals["clicks"] != s.Do("GET", "/reports/performance", nil).Map()["totals"].(map[string]any)["clicks"] {
			t.Errorf("with the goals %q the report has %v clicks, want the clicks of the whole report", goals, totals["clicks"])
		}
	}
	for _, goals := range []string{"Big", ",", strings.Repeat("ab,", 20) + "ab"} {
		s.Do("GET", "/reports/performance?goal="+goals, nil).Want(400, "invalid_input")
	}
	checkArrival(t, s, visits[person].ID)
}

// checkArrival checks that only this click has the arrival gclid, in the log and in the report.
func checkArrival(t *testing.T, s *apitest.Server, click uuid.UUID) {
	t.Helper()
	rows := s.Do("GET", "/reports/performance?dimension=arrival&f.arrival=gclid", nil).Want(200, "").Map()["rows"].([]any)
	if len(rows) != 1 || rows[0].(map[string]any)["clicks"] != 1.0 {
		t.Errorf("want one click with the arrival gclid: %v", rows)
	}
	id := models.FormatClickID(click)
	log := s.Do("GET", "/logs/clicks?limit=1000", nil).Want(200, "").Map()["rows"].([]any)
	for _, row := range log {
		if row := row.(map[string]any); (row["click_id"] == id) != (row["arrival"] == "gclid") {
			t.Errorf("the log has the arrival %v for the click %v; only the test's click has gclid", row["arrival"], row["click_id"])
		}
	}
}

func TestGoalLanders(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	campaign := with(with(d.campaign("Leads"), "mode", "lead"), "primary_goal_key", "lead")
	id := uuid.MustParse(d.make(t, campaign)["id"].(string))
	d.make(t, d.campaign("Other"))
	var records []spool.Record
	for i := range 3 {
		c := &models.Click{ID: models.NewClickID(), AccountID: d.Account.ID, CampaignID: id, UniqueKey: [16]byte{byte(i)}, UniqueHours: 24}
		if i > 0 {
			c.LanderID = uuid.MustParse(d.lander)
		}
		records = append(records, spool.Record{Click: c})
	}
	storeRecords(t, d.Server, records...)
	list := d.Do("GET", "/goals/landers", nil).Want(200, "").Map()["campaigns"].([]any)
	if len(list) != 1 {
		t.Fatal(list)
	}
	row := list[0].(map[string]any)
	same(t, row, object{"id": id, "name": "Leads", "primaryGoalKey": "lead", "siteId": nil})
	landers := row["landers"].([]any)
	if len(landers) != 1 {
		t.Fatal(landers)
	}
	same(t, landers[0].(map[string]any), object{"id": d.lander, "name": "Page", "clicks": 2.0, "conversions": 0.0})
}

package v1_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
)

func smartlink(slug, domain string) map[string]any {
	return map[string]any{"slug": slug, "destination_url": "https://rest.example/?c={clickid}", "domain_id": domain}
}

func linkRule(url string, conditions ...map[string]any) map[string]any {
	return map[string]any{"destination_url": url, "conditions": conditions}
}

func is(attribute string, value any) map[string]any {
	return map[string]any{"attribute": attribute, "operator": "in", "value": value}
}

func TestSmartlinkRoundTrip(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	domain := addDomain(t, s, "l.example")
	from := s.Do("POST", "/traffic-sources", source("Push")).Want(201, "").Map()["id"]
	body := smartlink("Deal_1", domain)
	body["name"], body["notes"], body["source_id"] = " Deal ", "n", from
	body["rules"] = []any{
		with(linkRule("https://b.example", is("country", "DE")), "position", 2),
		with(with(linkRule("https://a.example/{sub1}", is("os", []string{"iOS", "Android"}), is("is_bot", "false")), "logic", "or"),
			"position", 1),
	}
	made := s.Do("POST", "/short-links", body).Want(201, "").Map()
	same(t, made, map[string]any{
		"slug": "Deal_1", "name": "Deal", "notes": "n", "destination_url": "https://rest.example/?c={clickid}",
		"domain_id": domain, "source_id": from, "source_name": "Push", "rule_count": 2, "domain": "l.example",
		"url": "https://l.example/Deal_1", "is_active": true, "status": "active", "clicks": 0, "last_click_at": nil,
	})
	rules := made["rules"].([]any)
	first, second := rules[0].(map[string]any), rules[1].(map[string]any)
	same(t, first, map[string]any{"destination_url": "https://a.example/{sub1}", "logic": "or", "position": 1})
	same(t, second, map[string]any{"destination_url": "https://b.example", "logic": "and", "position": 2})

	s.Do("PATCH", "/short-links", map[string]any{"id": made["id"], "is_active": false}).Want(200, "")
	again := smartlink("Deal_1", domain)
	again["id"] = made["id"]
	again["rules"] = []any{
		with(linkRule("https://c.example", is("country", "FR")), "id", second["id"]), linkRule("https://d.example", is("country", "FR")),
		with(linkRule("https://e.example", is("country", "FR")), "id", second["id"]),
	}
	put := s.Do("PUT", "/short-links", again).Want(200, "").Map()
	same(t, put, map[string]any{
		"name": "", "source_id": nil, "source_name": nil, "rule_count": 3, "is_active": false, "status": "paused",
		"created_at": made["created_at"],
	})
	rules = put["rules"].([]any)
	ids := map[any]bool{}
	for _, r := range rules {
		ids[r.(map[string]any)["id"]] = true
	}
	if rules[0].(map[string]any)["id"] != second["id"] || len(ids) != 3 {
		t.Errorf("want three rules with different ids, the kept one first: %v", rules)
	}
	same(t, s.Do("PUT", "/short-links", with(again, "is_active", true)).Want(200, "").Map(), map[string]any{"is_active": true})

	named := s.Do("PUT", "/short-links", with(again, "name", "N")).Want(200, "").Map()
	for _, want := range []string{"N (copy)", "N (copy 2)"} {
		copied := s.Do("POST", fmt.Sprintf("/short-links/%v/clone", made["id"]), nil).Want(201, "").Map()
		same(t, copied, map[string]any{"name": want, "rules": 3, "status": "paused"})
		if slug := copied["slug"]; slug == named["slug"] || slug == "" {
			t.Errorf("the copy has the slug %v, want a new slug", slug)
		}
	}
	gone := s.Do("DELETE", fmt.Sprintf("/short-links?id=%v", made["id"]), nil).Want(200, "").Map()
	same(t, gone, map[string]any{"id": made["id"], "deleted": true})
	for _, call := range [][2]string{
		{"DELETE", "/short-links?id=%v"}, {"POST", "/short-links/%v/clone"}, {"GET", "/short-links/%v/stats"},
	} {
		s.Do(call[0], fmt.Sprintf(call[1], made["id"]), nil).Want(404, "not_found")
	}
	if rows := s.Do("GET", "/short-links", nil).Want(200, "").Map()["rows"].([]any); len(rows) != 2 {
		t.Errorf("want two smartlinks after the deletion: %v", rows)
	}
	s.Do("POST", "/short-links", with(smartlink("Deal_1", domain), "name", "N")).Want(201, "") // the name and the slug are free again
}

func TestSmartlinkErrors(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	domain := addDomain(t, s, "l.example")
	_, otherKey, _ := s.NewAccount("scale")
	other := s.As(otherKey)
	foreignDomain := addDomain(t, other, "foreign.example")
	foreignSource := other.Do("POST", "/traffic-sources", source("F")).Want(201, "").Map()["id"]
	shared := uuid.NewString()
	dbtest.Exec(t, s.DB, `INSERT INTO domains (id, host, is_verified) VALUES ($1, 'go.sy.example', true)`, shared)
	s.Do("POST", "/short-links", with(smartlink("taken", domain), "name", "Taken")).Want(201, "")
	id := s.Do("POST", "/short-links", smartlink("mine", domain)).Want(201, "").Map()["id"]
	s.Do("POST", "/campaigns", map[string]any{
		"name": "c", "alias": "campaign-1", "domain_id": domain, "destination_url": "https://a.example",
	}).Want(201, "")
	x := func(field string, value any) map[string]any { return with(smartlink("x", domain), field, value) }
	rules := func(list ...any) map[string]any { return x("rules", list) }
	ok := is("country", "DE")
	many := make([]any, 21)
	for i := range many {
		many[i] = linkRule("https://a.example", ok)
	}
	conditions := make([]map[string]any, 21)
	for i := range conditions {
		conditions[i] = ok
	}
	refused(t, s, "/short-links", id, map[string]refusal{
		"not json":            {`x`, 400, "bad_body"},
		"no slug":             {x("slug", ""), 400, "required"},
		"no destination":      {x("destination_url", " "), 400, "required"},
		"no domain":           {x("domain_id", nil), 400, "required"},
		"slug shape":          {x("slug", "a b"), 400, "invalid_slug"},
		"slug long":           {x("slug", strings.Repeat("a", 65)), 400, "invalid_slug"},
		"slug type":           {x("slug", 5), 400, "invalid_slug"},
		"slug reserved":       {x("slug", "LP"), 400, "invalid_slug"},
		"name long":           {x("name", strings.Repeat("n", 256)), 400, "too_long"},
		"notes long":          {x("notes", strings.Repeat("n", 2001)), 400, "too_long"},
		"destination long":    {x("destination_url", "https://a.example/"+strings.Repeat("a", 4000)), 400, "too_long"},
		"destination form":    {x("destination_url", "ftp://a.example"), 400, "invalid_url"},
		"destination host":    {x("destination_url", "https://{sub1}.example"), 400, "invalid_url"},
		"destination type":    {x("destination_url", 1), 400, "invalid_url"},
		"domain form":         {x("domain_id", "x"), 400, "invalid_domain"},
		"domain unknown":      {x("domain_id", uuid.NewString()), 400, "invalid_domain"},
		"domain foreign":      {x("domain_id", foreignDomain), 400, "invalid_domain"},
		"domain shared":       {x("domain_id", shared), 400, "invalid_domain"},
		"source form":         {x("source_id", "x"), 400, "invalid_source"},
		"source unknown":      {x("source_id", uuid.NewString()), 400, "invalid_source"},
		"source foreign":      {x("source_id", foreignSource), 400, "invalid_source"},
		"rules type":          {x("rules", "x"), 400, "invalid_input"},
		"rule type":           {rules(1), 400, "invalid_input"},
		"21 rules":            {rules(many...), 400, "out_of_range"},
		"position low":        {rules(with(linkRule("https://a.example", ok), "position", 0)), 400, "out_of_range"},
		"position high":       {rules(with(linkRule("https://a.example", ok), "position", 21)), 400, "out_of_range"},
		"position type":       {rules(with(linkRule("https://a.example", ok), "position", "1")), 400, "invalid_number"},
		"rule url":            {rules(linkRule("gopher://a.example", ok)), 400, "invalid_rule_url"},
		"rule url missing":    {rules(linkRule("", ok)), 400, "invalid_rule_url"},
		"rule url type":       {rules(map[string]any{"destination_url": 1, "conditions": []any{ok}}), 400, "invalid_rule_url"},
		"rule url host":       {rules(linkRule("https://{country}/", ok)), 400, "invalid_rule_url"},
		"rule logic":          {rules(with(linkRule("https://a.example", ok), "logic", "xor")), 400, "invalid_input"},
		"no conditions":       {rules(linkRule("https://a.example")), 400, "no_conditions"},
		"conditions missing":  {rules(map[string]any{"destination_url": "https://a.example"}), 400, "no_conditions"},
		"conditions type":     {rules(with(linkRule("https://a.example"), "conditions", 5)), 400, "invalid_condition"},
		"condition type":      {rules(with(linkRule("https://a.example"), "conditions", []any{5})), 400, "invalid_condition"},
		"21 conditions":       {rules(linkRule("https://a.example", conditions...)), 400, "invalid_condition"},
		"condition attribute": {rules(linkRule("https://a.example", is("planet", "Mars"))), 400, "invalid_condition"},
		"condition operator": {rules(linkRule("https://a.example",
			map[string]any{"attribute": "os", "operator": "likes", "value": "x"})), 400, "invalid_condition"},
		"condition value": {rules(linkRule("https://a.example",
			map[string]any{"attribute": "os", "operator": "regex", "value": "("})), 400, "invalid_condition"},
		"is_active type": {x("is_active", "yes"), 400, "invalid_input"},
		"same slug":      {x("slug", "taken"), 400, "duplicate_slug"},
		"campaign's":     {x("slug", "campaign-1"), 400, "duplicate_slug"},
		"same name":      {x("name", "TAKEN"), 409, "duplicate_name"},
		"other case":     {x("slug", "Taken"), 201, ""},
		"rule by url": {with(smartlink("by-url", domain), "rules",
			[]any{map[string]any{"url": "https://a.example", "conditions": []any{ok}}}), 201, ""},
	})
	s.Do("PUT", "/short-links", with(with(smartlink("mine", domain), "id", id), "name", "taken")).Want(409, "duplicate_name")
	s.Do("PUT", "/short-links", with(smartlink("mine", domain), "id", id)).Want(200, "") // its own slug
	// A smartlink and a campaign cannot have the same address.
	s.Do("POST", "/short-links", smartlink("campaign-2", domain)).Want(201, "")
	s.Do("POST", "/campaigns", map[string]any{
		"name": "d", "alias": "campaign-2", "domain_id": domain, "destination_url": "https://a.example",
	}).Want(409, "alias_taken")
}

func TestSmartlinksOfOthers(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	mine := s.Do("POST", "/short-links", smartlink("a", addDomain(t, s, "l.example"))).Want(201, "").Map()
	_, otherKey, otherReader := s.NewAccount("scale")
	other := s.As(otherKey)
	for _, id := range []any{mine["id"], uuid.NewString()} {
		body := with(smartlink("b", addDomain(t, other, fmt.Sprintf("l-%v.example", id))), "id", id)
		other.Do("PUT", "/short-links", body).Want(404, "not_found")
		other.Do("PATCH", "/short-links", map[string]any{"id": id, "is_active": false}).Want(404, "not_found")
		other.Do("DELETE", fmt.Sprintf("/short-links?id=%v", id), nil).Want(404, "not_found")
		other.Do("POST", fmt.Sprintf("/short-links/%v/clone", id), nil).Want(404, "not_found")
		other.Do("GET", fmt.Sprintf("/short-links/%v/stats", id), nil).Want(404, "not_found")
		other.Do("DELETE", fmt.Sprintf("/short-links/%v/stats", id), nil).Want(404, "not_found")
	}
	reader := s.As(s.ReadKey)
	path := fmt.Sprintf("/short-links/%v", mine["id"])
	reader.Do("GET", path+"/stats", nil).Want(200, "")
	body := with(smartlink("a", mine["domain_id"].(string)), "id", mine["id"])
	reader.Do("POST", "/short-links", body).Want(403, "read_only_key")
	reader.Do("PUT", "/short-links", body).Want(403, "read_only_key")
	reader.Do("PATCH", "/short-links", map[string]any{"id": mine["id"], "is_active": false}).Want(403, "read_only_key")
	reader.Do("DELETE", fmt.Sprintf("/short-links?id=%v", mine["id"]), nil).Want(403, "read_only_key")
	s.Do("DELETE", "/short-links", nil).Want(400, "invalid_id")
	s.Do("DELETE", "/short-links?id=x", nil).Want(400, "invalid_id")
	reader.Do("DELETE", path+"/stats", nil).Want(403, "read_only_key")
	reader.Do("POST", path+"/clone", nil).Want(403, "read_only_key")
	s.As(otherReader).Do("GET", path+"/stats", nil).Want(404, "not_found")
	for _, bad := range []any{"x", 5, nil, ""} {
		s.Do("PUT", "/short-links", with(smartlink("z", mine["domain_id"].(string)), "id", bad)).Want(400, "invalid_id")
		s.Do("PATCH", "/short-links", map[string]any{"id": bad, "is_active": true}).Want(400, "invalid_id")
	}
	for _, bad := range []any{"true", 1, nil} {
		s.Do("PATCH", "/short-links", map[string]any{"id": mine["id"], "is_active": bad}).Want(400, "invalid_status")
	}
	s.Do("PATCH", "/short-links", map[string]any{"id": mine["id"]}).Want(400, "invalid_status")
	s.Do("POST", "/short-links/x/clone", nil).Want(400, "invalid_id")
	s.Do("GET", "/short-links/x/stats", nil).Want(400, "invalid_input")
	s.Do("GET", path+"/stats?from=yesterday", nil).Want(400, "invalid_input")
	if rows := s.Do("GET", "/short-links", nil).Want(200, "").Map()["rows"].([]any); len(rows) != 1 ||
		rows[0].(map[string]any)["slug"] != "a" || rows[0].(map[string]any)["is_active"] != true {
		t.Errorf("want the account's one smartlink, unchanged by the refused calls: %v", rows)
	}
}

// If many calls want the same address at once, one campaign or smartlink gets it.
func TestAddressRace(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	domain := addDomain(t, s, "l.example")
	for round := range 5 {
		word := fmt.Sprintf("address-%d", round)
		statuses := make(chan int, 8)
		for i := range 8 {
			go func() {
				if i%2 == 0 {
					statuses <- s.Do("POST", "/short-links", smartlink(word, domain)).Status
					return
				}
				statuses <- s.Do("POST", "/campaigns", map[string]any{
					"name": fmt.Sprint(word, i), "alias": word, "domain_id": domain, "destination_url": "https://a.example",
				}).Status
			}()
		}
		count := map[int]int{}
		for range 8 {
			count[<-statuses]++
		}
		if count[http.StatusCreated] != 1 || count[http.StatusBadRequest]+count[http.StatusConflict] != 7 {
			t.Fatalf("number of answers by status: %v, want one 201", count)
		}
	}
}

func TestSmartlinkStats(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	made := s.Do("POST", "/short-links", with(smartlink("a", addDomain(t, s, "l.example")), "rules",
		[]any{with(linkRule("https://de.example", is("country", "DE")), "name", "Germans")})).Want(201, "").Map()
	link := uuid.MustParse(made["id"].(string))
	germans := uuid.MustParse(made["rules"].([]any)[0].(map[string]any)["id"].(string))
	dir := t.TempDir()
	log, err := spool.Open(dir, spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	now := time.Now().UTC()
	last := now.Add(-time.Minute)
	for _, c := range []struct {
		at   time.Time
		rule uuid.UUID
		to   string
		bot  bool
	}{
		{now.Add(-20 * 24 * time.Hour), germans, "https://old.example", false},
		{now.Add(-time.Hour), germans, "https://de.example", false},
		{last, germans, "https://de.example", false},
		{now, germans, "https://de.example", true},
		{now.Add(-2 * time.Hour), uuid.Nil, "https://rest.example/?c={clickid}", false},
		{now.Add(-3 * time.Hour), uuid.New(), "https://gone.example", false},
	} {
		rec := spool.Record{Smart: &models.SmartlinkClick{
			Click:       models.Click{ID: idAt(c.at), AccountID: s.Account.ID, Visitor: models.Visitor{IsBot: c.bot}},
			SmartlinkID: link, RuleID: c.rule, DestinationURL: c.to,
		}}
		if err := log.Append(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := ingest.NewIngester(log, s.DB, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, rowOf(t, s, "/short-links", made["id"]), map[string]any{
		"clicks": 5, "last_click_at": last.Truncate(time.Millisecond).Format(models.EventTimeFormat),
	})
	path := fmt.Sprintf("/short-links/%v/stats", made["id"])
	stats := s.Do("GET", path, nil).Want(200, "").Map()
	same(t, stats, map[string]any{"clicks": 4, "bot_clicks": 1})
	same(t, stats["link"].(map[string]any), map[string]any{"id": made["id"], "slug": "a", "name": ""})
	rules := stats["rules"].([]any)
	same(t, rules[0].(map[string]any), map[string]any{"rule_id": germans, "name": "Germans", "clicks": 2, "bot_clicks": 1})
	same(t, rules[1].(map[string]any), map[string]any{"rule_id": nil, "clicks": 1})
	same(t, rules[2].(map[string]any), map[string]any{"name": "", "clicks": 1})
	first := stats["destinations"].([]any)[0].(map[string]any)
	same(t, first, map[string]any{"destination_url": "https://de.example", "clicks": 2, "bot_clicks": 1})

	// The 2 + 2 clicks of two rules with the same destination are more than the 3 of another rule.
	hour := last.Truncate(time.Hour).Add(-2 * time.Hour)
	for _, f := range []struct {
		to     string
		clicks int
	}{{"https://one.example", 3}, {"https://shared.example", 2}, {"https://shared.example", 2}} {
		dbtest.Exec(t, s.DB, `INSERT INTO smartlink_hours (smartlink_id, hour, rule_id, destination_url, account_id, clicks, bot_clicks)
			VALUES ($1, $2, $3, $4, $5, $6, 0)`, made["id"], hour, uuid.New(), f.to, s.Account.ID, f.clicks)
	}
	top := s.Do("GET", path, nil).Want(200, "").Map()["destinations"].([]any)[0].(map[string]any)
	same(t, top, map[string]any{"destination_url": "https://shared.example", "clicks": 4})

	// The job that clears the clicks is stored before the call is answered.
	a := s.Do("DELETE", path+"?from=2026-01-02&to=2026-01-03", nil, "Prefer", "respond-async").Want(202, "")
	job := a.Map()["job"].(map[string]any)
	dbtest.Exec(t, s.DB, `UPDATE jobs SET state = 'done', result = args || '{"clicks": 7}' WHERE id = $1 AND kind = 'smartlink:clear'
		AND args ->> 'to' = '2026-01-04T00:00:00Z'`, job["id"])
	done := s.Do("GET", fmt.Sprint("/jobs/", job["id"]), nil).Want(200, "").Map()
	same(t, done["result"].(map[string]any), map[string]any{
		"id": made["id"], "clicks": 7, "range": map[string]any{"from": "2026-01-02 00:00:00", "to": "2026-01-03 23:59:59"},
	})
}

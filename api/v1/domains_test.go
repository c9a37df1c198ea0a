package v1_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

func domainServer(t *testing.T, plan string) *apitest.Server {
	t.Helper()
	s := apitest.New(t, apitest.Options{
		Plan: plan, V1: v1.Deps{BaseURL: "https://app.sy.example:8443", Tracker: models.DomainTracker{Host: "track.sy.example", OwnTargets: true}},
	})
	dbtest.Exec(t, s.DB, `INSERT INTO domains (id, host, is_verified, is_default) VALUES ($1, 'go.sy.example', true, true)`, uuid.New())
	dbtest.Exec(t, s.DB, `INSERT INTO domains (id, host, is_verified) VALUES ($1, 'localhost', true)`, uuid.New())
	return s
}

func addDomain(t *testing.T, s *apitest.Server, host string) string {
	t.Helper()
	return s.Do("POST", "/domains", map[string]any{"domain": host}).Want(201, "").Map()["id"].(string)
}

func TestDomainRoundTrip(t *testing.T) {
	t.Parallel()
	s := domainServer(t, "scale")
	made := s.Do("POST", "/domains", map[string]any{
		"domain":     "https://Go.Example.com:8443/path?q, a.example.com\n\tgo.example.com.  bücher.example",
		"group_name": " G ", "crawlers": "allow", "https_only": false, "index_page": "https://www.example.com/",
	}).Want(201, "").Map()
	same(t, made, map[string]any{
		"domain": "go.example.com", "is_verified": false, "added": "[go.example.com a.example.com xn--bcher-kva.example]",
		"skipped": "[]", "dns": "[]",
	})
	same(t, rowOf(t, s, "/domains", made["id"]), map[string]any{
		"domain": "go.example.com", "is_verified": false, "is_default": false, "group_name": "G", "crawlers": "allow",
		"https_only": false, "index_page": "https://www.example.com/", "campaigns": 0, "smartlinks": 0,
	})
	again := s.Do("POST", "/domains", map[string]any{"domain": "a.example.com new.example.com"}).Want(201, "").Map()
	same(t, again, map[string]any{"domain": "new.example.com", "added": "[new.example.com]", "skipped": "[a.example.com]"})
	same(t, rowOf(t, s, "/domains", again["id"]), map[string]any{
		"group_name": "", "crawlers": "disallow", "https_only": true, "index_page": "",
	})

	patched := s.Do("PATCH", "/domains", map[string]any{"id": made["id"], "group_name": "H"}).Want(200, "").Map()
	if _, shown := patched["is_default"]; shown || patched["domain"] != "go.example.com" {
		t.Errorf("want the domain's name, and no is_default after a change of the group: %v", patched)
	}
	same(t, rowOf(t, s, "/domains", made["id"]), map[string]any{ // crawlers, https_only, index_page and group_name go back to their defaults if they are left out
		"group_name": "H", "crawlers": "disallow", "https_only": true, "index_page": "",
	})
	for _, id := range []any{again["id"], made["id"]} {
		got := s.Do("PATCH", "/domains", map[string]any{"id": id, "action": "set_default", "group_name": "X"}).Want(200, "").Map()
		same(t, got, map[string]any{"id": id, "is_default": true})
	}
	same(t, rowOf(t, s, "/domains", made["id"]), map[string]any{"is_default": true, "group_name": "H", "failover": false})
	s.Do("PATCH", "/domains", map[string]any{"id": made["id"], "failover": true}).Want(200, "")
	s.Do("PATCH", "/domains", map[string]any{"id": made["id"], "group_name": "H"}).Want(200, "")
	same(t, rowOf(t, s, "/domains", made["id"]), map[string]any{"failover": true, "failed_over": 0, "group_name": "H"})
	s.Do("PATCH", "/domains", map[string]any{"id": made["id"], "failover": "x"}).Want(400, "invalid_input")
	// A change that leaves out tag_name keeps the tag's name, because pages use the name.
	s.Do("PATCH", "/domains", map[string]any{"id": made["id"], "tag_name": " Shop-Stats "}).Want(200, "")
	s.Do("PATCH", "/domains", map[string]any{"id": made["id"], "group_name": "H"}).Want(200, "")
	same(t, rowOf(t, s, "/domains", made["id"]), map[string]any{"tag_name": "shop-stats"})
	for _, name := range []string{"t", "robots", "lp", "a.b", "a/b", "-a", "ä", "shop stats", strings.Repeat("x", 51)} {
		s.Do("PATCH", "/domains", map[string]any{"id": made["id"], "tag_name": name}).Want(400, "invalid_input")
		s.Do("POST", "/domains", map[string]any{"domain": "tags.example.org", "tag_name": name}).Want(400, "invalid_input")
	}
	s.Do("PATCH", "/domains", map[string]any{"id": made["id"], "tag_name": nil}).Want(200, "")
	same(t, rowOf(t, s, "/domains", made["id"]), map[string]any{"tag_name": "", "group_name": ""})
	same(t, rowOf(t, s, "/domains", again["id"]), map[string]any{"is_default": false})

	list := s.Do("GET", "/domains?limit=1", nil).Want(200, "").Map()
	if len(list["rows"].([]any)) != 1 || list["next_cursor"] == nil || list["cname_target"] != s.Account.DomainToken+".track.sy.example" {
		t.Errorf("want one domain, a cursor and the account's own CNAME target: %v", list)
	}
	if shared := fmt.Sprint(list["shared"]); !strings.Contains(shared, "domain:go.sy.example") {
		t.Errorf("the shared link domain go.sy.example is not listed: %s", shared)
	}
	gone := s.Do("DELETE", fmt.Sprintf("/domains?id=%v", made["id"]), nil).Want(200, "").Map()
	same(t, gone, map[string]any{"id": made["id"], "deleted": true, "certificate_released": false})
	s.Do("DELETE", fmt.Sprintf("/domains?id=%v", made["id"]), nil).Want(404, "not_found")
	addDomain(t, s, "go.example.com")
}

func TestDomainErrors(t *testing.T) {
	t.Parallel()
	s := domainServer(t, "scale")
	id := addDomain(t, s, "taken.example")
	hosts := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("h%d.many.example", i))
		}
		return strings.Join(list, ",")
	}
	add := func(host string) map[string]any { return map[string]any{"domain": host} }
	dns := uuid.NewString()
	for name, c := range map[string]refusal{
		"not json":              {`x`, 400, "bad_body"},
		"missing":               {map[string]any{}, 400, "required"},
		"blank":                 {add("  "), 400, "required"},
		"separators":            {add(" , ,"), 400, "required"},
		"long":                  {add(strings.Repeat("a.example,", 401)), 400, "too_long"},
		"domain type":           {map[string]any{"domain": 5}, 400, "invalid_input"},
		"IP address":            {add("192.0.2.1"), 400, "invalid_domain"},
		"one label":             {add("intranet"), 400, "invalid_domain"},
		"one of two is invalid": {add("ok.example -bad.example"), 400, "invalid_domain"},
		"wildcard":              {add("*.ok.example"), 400, "invalid_domain"},
		"public suffix":         {add("co.uk"), 400, "invalid_domain"},
		"suffix of a host":      {add("github.io"), 400, "invalid_domain"},
		"51":                    {add(hosts(51)), 400, "too_many"},
		"11 with DNS":           {with(add(hosts(11)), "dns_account_id", dns), 400, "too_many"},
		"own address":           {add("app.sy.example"), 400, "reserved_domain"},
		"tracking host":         {add("ok.example, TRACK.sy.example"), 400, "reserved_domain"},
		"below the address":     {add("x.app.sy.example"), 400, "reserved_domain"},
		"beside the address":    {add("evil.sy.example"), 400, "reserved_domain"},
		"above the address":     {add("sy.example"), 400, "reserved_domain"},
		"an own target":         {add(s.Account.DomainToken + ".track.sy.example"), 400, "reserved_domain"},
		"shared":                {add("go.sy.example"), 409, "shared_domain"},
		"shared without dot":    {add("http://localhost:8080"), 409, "shared_domain"},
		"DNS form":              {with(add("x.example"), "dns_account_id", "x"), 400, "invalid_dns_account"},
		"DNS type":              {with(add("x.example"), "dns_account_id", 7), 400, "invalid_dns_account"},
		"DNS unknown":           {with(add("x.example"), "dns_account_id", dns), 400, "dns_account_not_found"},
		"index":                 {with(add("x.example"), "index_page", "ftp://x.example"), 400, "invalid_index_page"},
		"index type":            {with(add("x.example"), "index_page", 1), 400, "invalid_index_page"},
		"index token host":      {with(add("x.example"), "index_page", "https://{sub1}/"), 400, "invalid_index_page"},
		"group":                 {with(add("x.example"), "group_name", strings.Repeat("g", 101)), 400, "too_long"},
		"crawlers":              {with(add("x.example"), "crawlers", "some"), 400, "invalid_input"},
		"https_only":            {with(add("x.example"), "https_only", "yes"), 400, "invalid_input"},
		"duplicate":             {add("taken.example,TAKEN.example"), 409, "duplicate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.In(t).Do("POST", "/domains", c.body).Want(c.status, c.code)
		})
	}
	for name, c := range map[string]refusal{
		"array":          {`[]`, 400, "bad_body"},
		"no id":          {map[string]any{}, 400, "invalid_id"},
		"bad id":         {map[string]any{"id": "x"}, 400, "invalid_id"},
		"unknown":        {map[string]any{"id": uuid.NewString()}, 404, "not_found"},
		"index":          {map[string]any{"id": id, "index_page": "javascript:x"}, 400, "invalid_index_page"},
		"unknown action": {map[string]any{"id": id, "action": "drop"}, 400, "invalid_input"},
		"group":          {map[string]any{"id": id, "group_name": strings.Repeat("g", 101)}, 400, "invalid_input"},
		"crawlers":       {map[string]any{"id": id, "crawlers": "x"}, 400, "invalid_input"},
	} {
		s.In(t).Do("PATCH", "/domains", c.body).Want(c.status, c.code)
		_ = name
	}
	s.Do("DELETE", "/domains", nil).Want(400, "invalid_id")
	s.Do("DELETE", "/domains?id=x", nil).Want(400, "invalid_id")
}

func TestDomainsOfOthers(t *testing.T) {
	t.Parallel()
	s := domainServer(t, "scale")
	_, otherKey, _ := s.NewAccount("scale")
	other := s.As(otherKey)
	foreign, mine := addDomain(t, other, "foreign.example"), addDomain(t, s, "mine.example")
	var shared string
	if err := s.DB.GetContext(t.Context(), &shared, `SELECT id FROM domains WHERE host = 'go.sy.example'`); err != nil {
		t.Fatal(err)
	}
	for _, missing := range []string{uuid.NewString(), foreign, shared} {
		s.Do("PATCH", "/domains", map[string]any{"id": missing}).Want(404, "not_found")
		s.Do("PATCH", "/domains", map[string]any{"id": missing, "action": "set_default"}).Want(404, "not_found")
		s.Do("DELETE", "/domains?id="+missing, nil).Want(404, "not_found")
		for _, method := range []string{"GET", "POST", "DELETE"} {
			s.Do(method, "/domains/"+missing+"/certificate", nil).Want(404, "not_found")
		}
		s.Do("POST", "/domains/"+missing+"/point", nil).Want(404, "not_found")
		s.Do("POST", "/domains/"+missing+"/verify", nil).Want(404, "not_found")
	}
	for _, method := range []string{"GET", "POST", "DELETE"} {
		s.Do(method, "/domains/x/certificate", nil).Want(400, "invalid_id")
		s.Do(method, "/domains/"+mine+"/certificate", nil).Want(503, "edge_not_configured")
	}
	s.Do("POST", "/domains/x/verify", nil).Want(400, "invalid_id")
	s.Do("POST", "/domains/x/point", nil).Want(400, "invalid_input")
	s.Do("POST", "/domains/"+mine+"/point", nil).Want(400, "no_provider")
	unset := apitest.New(t, apitest.Options{DB: s.DB})
	bare := unset.As(s.Key)
	bare.Do("POST", "/domains/"+mine+"/verify", nil).Want(503, "tracking_domain_unset")
	if target := bare.Do("GET", "/domains", nil).Want(200, "").Map()["cname_target"]; target != nil {
		t.Errorf("cname_target is %v, want null without a tracking host", target)
	}
	reader := s.As(s.ReadKey)
	reader.Do("POST", "/domains", map[string]any{"domain": "y.example"}).Want(403, "read_only_key")
	reader.Do("PATCH", "/domains", map[string]any{"id": mine}).Want(403, "read_only_key")
	reader.Do("DELETE", "/domains?id="+mine, nil).Want(403, "read_only_key")
	reader.Do("GET", "/domains/"+mine+"/certificate", nil).Want(503, "edge_not_configured")
	for _, path := range []string{"certificate", "point", "verify"} {
		reader.Do("POST", "/domains/"+mine+"/"+path, nil).Want(403, "read_only_key")
	}
	if rows := reader.Do("GET", "/domains", nil).Want(200, "").Map()["rows"].([]any); len(rows) != 1 {
		t.Errorf("another account's domains are listed: %v", rows)
	}

	// Any account may claim a host, but the host serves only one account.
	claimed := addDomain(t, s, "foreign.example")
	table := s.Store.Domains()
	if _, err := table.SetVerified(t.Context(), s.Account.ID, uuid.MustParse(claimed), true); err != nil {
		t.Fatal(err)
	}
	list, err := table.ByHost(t.Context(), "foreign.example")
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	_, err = table.SetVerified(t.Context(), list[0].AccountID, list[0].ID, true)
	if e, ok := models.AsError(err); !ok || e.Code != "domain_taken" {
		t.Errorf("verifying a host that another account uses is not refused: %v", err)
	}
	if !rowOf(t, s, "/domains", claimed)["is_verified"].(bool) || rowOf(t, other, "/domains", foreign)["is_verified"].(bool) {
		t.Error("the wrong domain is verified")
	}
}

// TestVerifyDomain: the result of a check is in the answer and in the list. A domain that points elsewhere raises an alert.
func TestVerifyDomain(t *testing.T) {
	t.Parallel()
	s := domainServer(t, "scale")
	mine := addDomain(t, s, "mine.example")
	yes, no, cname, none, now := true, false, models.ProofCNAME, models.ProofNone, time.Now().UTC().Truncate(time.Millisecond)
	found := models.DomainCheck{
		At: now, Points: &yes, HTTPS: &no, AnsweredHere: true, Proof: &cname, Records: []string{"CNAME track.sy.example"}, Detail: "here",
	}
	jobstest.Answer(s.Jobs, jobs.VerifyDomain, func(account uuid.UUID, a jobs.VerifyDomainArgs) (jobs.VerifiedDomain, error) {
		state, err := s.Store.Domains().RecordCheck(t.Context(), account, a.ID, found)
		return jobs.VerifiedDomain{
			ID: state.ID, Host: state.Host, Expected: "track.sy.example", Verified: state.IsVerified, DomainCheck: state.Checked,
		}, err
	})
	stamp := now.Format(models.EventTimeFormat)
	same(t, s.Do("POST", "/domains/"+mine+"/verify", nil).Want(200, "").Map(), map[string]any{
		"id": mine, "domain": "mine.example", "expected": "track.sy.example", "verified": true, "points": true, "https": false,
		"records": "[CNAME track.sy.example]", "proof": "cname", "checked_at": stamp, "detail": "here",
	})
	same(t, rowOf(t, s, "/domains", mine), map[string]any{"is_verified": true, "proof": "cname", "points": true, "https": false, "checked_at": stamp})

	found = models.DomainCheck{At: now.Add(time.Hour), Points: &no, Proof: &none, Records: []string{}, Detail: "elsewhere."}
	got := s.Do("POST", "/domains/"+mine+"/verify", nil).Want(200, "").Map()
	same(t, got, map[string]any{"verified": true, "points": false, "https": nil, "records": "[]", "proof": "none"})
	if n, err := db.Get[int](t.Context(), s.DB, "audit", `SELECT count(*) FROM audit WHERE route LIKE '%/verify'`); err != nil || n != 0 {
		t.Errorf("%d checks of a domain are in the audit log, want 0: %v", n, err)
	}
	alerts := s.Do("GET", "/alerts", nil).Want(200, "").Map()
	if alerts["count"] != 1.0 {
		t.Fatalf("want one alert for the domain that points elsewhere: %v", alerts)
	}
	same(t, alerts["alerts"].([]any)[0].(map[string]any), map[string]any{
		"type": "domain.stray", "severity": "critical", "kind": "domain", "id": mine, "name": "mine.example",
		"since":   now.Add(time.Hour).Format(models.EventTimeFormat),
		"message": "elsewhere. Links on it stop working on " + now.Add(time.Hour+models.UnverifyAfter).Format(time.DateOnly) + ".",
	})
	dbtest.Exec(t, s.DB, `UPDATE domains SET is_verified = false WHERE id = $1`, mine)
	dbtest.Exec(t, s.DB, `UPDATE domain_checks SET wrong_since = now() - interval '4 days' WHERE domain_id = $1`, mine)
	dbtest.Exec(t, s.DB, `INSERT INTO smartlinks (id, account_id, domain_id, slug, destination_url) VALUES ($1, $2, $1, 's', 'https://x.example')`,
		mine, s.Account.ID)
	lost := s.Do("GET", "/alerts", nil).Want(200, "").Map()["alerts"].([]any)
	if len(lost) != 1 || lost[0].(map[string]any)["message"] != "elsewhere. Links on it do not work until it is verified." {
		t.Errorf("want one alert that links do not work until the domain is verified: %v", lost)
	}
	dns := s.Do("PUT", "/integrations", rfc2136(nil)).Want(200, "").Map()["id"]
	dbtest.Exec(t, s.DB, `UPDATE dns_accounts SET checked_at = now(), failing_since = now(), failure = 'the key is refused' WHERE id = $1`, dns)
	alerts = s.Do("GET", "/alerts", nil).Want(200, "").Map()
	i := slices.IndexFunc(alerts["alerts"].([]any), func(a any) bool { return a.(map[string]any)["kind"] == "dns_account" })
	if alerts["count"] != 2.0 || i < 0 {
		t.Fatalf("want a second alert, for the DNS account: %v", alerts)
	}
	same(t, alerts["alerts"].([]any)[i].(map[string]any), map[string]any{
		"type": "dns_account.failing", "id": dns, "message": "the key is refused",
	})
	_, otherKey, _ := s.NewAccount("scale")
	if other := s.As(otherKey).Do("GET", "/alerts", nil).Want(200, "").Map(); other["count"] != 0.0 {
		t.Errorf("another account sees %v", other)
	}
}

// TestDomainRecords: the list shows the DNS records to set, with the account's token.
func TestDomainRecords(t *testing.T) {
	t.Parallel()
	s := domainServer(t, "scale")
	_, otherKey, _ := s.NewAccount("scale")
	shown := func(who *apitest.Server) string {
		list := who.Do("GET", "/domains", nil).Want(200, "").Map()
		token, _, _ := strings.Cut(list["cname_target"].(string), ".")
		if len(token) != 32 || list["cname_target"] != token+".track.sy.example" {
			t.Errorf("cname_target is %v, want a token of 32 characters before the tracking host", list["cname_target"])
		}
		for _, row := range list["rows"].([]any) {
			row := row.(map[string]any)
			point := fmt.Sprintf("map[name:%v type:CNAME value:%s.track.sy.example]", row["domain"], token)
			if row["domain"] == "shop.example" {
				point = "map[name:shop.example type:ALIAS value:track.sy.example]"
			}
			want := fmt.Sprintf("[%s map[name:_switchyard.%v type:TXT value:%s]]", point, row["domain"], token)
			if fmt.Sprint(row["dns_records"]) != want || row["proof"] != "none" {
				t.Errorf("%v, want %s", row, want)
			}
		}
		return token
	}
	other := s.As(otherKey)
	for _, host := range []string{"go.shop.example", "shop.example"} {
		addDomain(t, s, host)
		addDomain(t, other, host)
	}
	if mine, theirs := shown(s), shown(other); mine == theirs || mine != shown(s) {
		t.Errorf("two accounts have the tokens %s and %s, want a different, constant token for each", mine, theirs)
	}
}

func TestDomainInUse(t *testing.T) {
	t.Parallel()
	s := domainServer(t, "scale")
	id := addDomain(t, s, "used.example")
	campaign := func(alias string) any {
		return s.Do("POST", "/campaigns", map[string]any{
			"name": alias, "alias": alias, "domain_id": id, "destination_url": "https://a.example",
		}).Want(201, "").Map()["id"]
	}
	link := s.Do("POST", "/short-links", smartlink("s", id)).Want(201, "").Map()["id"]
	kept := campaign("campaign-1")
	same(t, rowOf(t, s, "/domains", id), map[string]any{"campaigns": 1, "smartlinks": 1})
	s.Do("DELETE", "/domains?id="+id, nil).Want(409, "domain_in_use")
	s.Do("DELETE", fmt.Sprintf("/campaigns/%v", kept), nil).Want(200, "")
	s.Do("DELETE", "/domains?id="+id, nil).Want(409, "domain_in_use")
	s.Do("DELETE", fmt.Sprintf("/short-links?id=%v", link), nil).Want(200, "")
	s.Do("DELETE", "/domains?id="+id, nil).Want(200, "")
	var left int
	err := s.DB.GetContext(t.Context(), &left, `SELECT count(*) FROM campaigns WHERE id = $1 AND domain_id IS NULL`, kept)
	if err != nil || left != 1 {
		t.Errorf("%d rows of the deleted campaign are without a domain, want 1: %v", left, err)
	}
}

func TestDomainAllowance(t *testing.T) {
	t.Parallel()
	s := domainServer(t, "growth") // 10 domains
	s.Do("POST", "/domains", map[string]any{"domain": "a.example b.example c.example d.example e.example f.example"}).Want(201, "")
	s.Do("POST", "/domains", map[string]any{"domain": "g.example h.example i.example j.example k.example"}).Want(402, "plan_limit")
	if rows := s.Do("GET", "/domains", nil).Want(200, "").Map()["rows"].([]any); len(rows) != 6 {
		t.Errorf("a refused call added domains, want only the first six: %v", rows)
	}
	statuses := make(chan int, 8)
	for i := range 8 {
		go func() {
			statuses <- s.Do("POST", "/domains", map[string]any{"domain": fmt.Sprintf("race%d.example", i)}).Status
		}()
	}
	count := map[int]int{}
	for range 8 {
		count[<-statuses]++
	}
	if count[201] != 4 || count[402] != 4 {
		t.Errorf("number of answers by status: %v, want four 201 and four 402", count)
	}
}

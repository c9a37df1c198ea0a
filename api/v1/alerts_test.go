package v1_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	apialerts "switchyard/api/v1/alerts"
	"switchyard/db"
	"switchyard/db/alerts"
	"switchyard/db/dbtest"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/models"
)

// TestAlerts: GET /alerts lists the current problems of this account. A problem that has been solved disappears.
func TestAlerts(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	reader := s.As(s.ReadKey)
	empty := reader.Do("GET", "/alerts", nil).Want(200, "").Map()
	if len(empty["alerts"].([]any)) != 0 || empty["count"] != 0.0 || empty["checkedAt"] != nil {
		t.Errorf("at first want no alerts and no time of a check: %v", empty)
	}
	for name, want := range map[string]string{
		"link_checks": "waiting", "safe_browsing": "waiting", "jobs": "waiting", "clicks": "waiting", "database": "ok", "edge": "off",
	} {
		if got := service(empty, name); got["status"] != want {
			t.Errorf("at first the service %s is %v, want the status %s", name, got, want)
		}
	}

	now := time.Now().UTC().Truncate(time.Millisecond)
	offer := s.Do("POST", "/offers", map[string]any{"name": "Shop", "url": "https://o.acme.com/?c={clickid}"}).Want(201, "").Map()
	page := s.Do("POST", "/landers", map[string]any{"name": "Page", "url": "https://l.acme.com/"}).Want(201, "").Map()
	links := s.Store.Links()
	due, err := links.Unchecked(t.Context(), now, 9)
	if err != nil || len(due) != 2 {
		t.Fatal(due, err)
	}
	status := 404
	for i := range 2 {
		for _, l := range due {
			at := now.Add(time.Duration(i-9) * time.Hour)
			r := models.LinkResult{At: at, Status: &status, Error: "the page answered 404"}
			if l.Kind == "lander" {
				r = models.LinkResult{At: at}
			}
			if _, err := links.RecordCheck(t.Context(), l, r); err != nil {
				t.Fatal(err)
			}
		}
		if due, err = links.Unchecked(t.Context(), now, 9); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range due {
		if l.Kind == "lander" {
			l.CheckedAt = nil
			if _, err := links.RecordScreen(t.Context(), l, "web_risk", now, []string{"MALWARE"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	hookID := s.Do("POST", "/webhooks", hook()).Want(201, "").Map()["id"]
	dbtest.Exec(t, s.DB, `UPDATE webhook_endpoints SET consecutive_failures = 3, failing_since = $2 WHERE id = $1`, hookID, now.Add(-time.Hour))
	if _, err := s.Store.Usage().Announce(t.Context(), store.PlanLimit{
		AccountID: s.Account.ID, Plan: "growth", Allowance: 1_000_000, Clicks: 1_000_007, ReachedAt: time.Now(),
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{models.ServiceLinkChecks, models.ServiceSafeBrowsing} {
		err := links.SaveService(t.Context(), models.LinkService{Name: name, Status: models.ServiceOK, CheckedAt: now})
		if err != nil {
			t.Fatal(err)
		}
	}

	dbtest.Exec(t, s.DB, `INSERT INTO account_rates (account_id, day, currency, rate, since) VALUES ($1, '2026-03-02', 'VND', NULL, $2),
		($1, '2026-03-01', 'VND', NULL, $2), ($1, '2026-03-03', 'VND', 2, $2), ($1, '2026-03-03', 'EUR', 1.1, $2)`, s.Account.ID, now)

	got := reader.Do("GET", "/alerts", nil).Want(200, "").Map()
	stamp := now.Format(models.EventTimeFormat)
	if got["count"] != 5.0 || got["checkedAt"] != stamp {
		t.Errorf("want 5 alerts, and the time of the last check: %v", got)
	}
	byType := map[any]map[string]any{}
	for _, a := range got["alerts"].([]any) {
		byType[a.(map[string]any)["type"]] = a.(map[string]any)
	}
	same(t, byType["link.broken"], map[string]any{
		"kind": "offer", "id": offer["id"], "name": "Shop", "url": "https://o.acme.com/?c={clickid}", "status": 404,
		"message": "the page answered 404", "since": now.Add(-9 * time.Hour).Format(models.EventTimeFormat),
	})
	same(t, byType["link.unsafe"], map[string]any{"kind": "lander", "id": page["id"], "threats": "[MALWARE]", "since": stamp})
	same(t, byType["webhook.failing"], map[string]any{"kind": "webhook", "id": hookID})
	same(t, byType["currency.unconverted"], map[string]any{
		"kind": "account", "id": s.Account.ID, "name": "VND", "since": stamp,
		"message": "amounts in VND are not counted on 2 days since 2026-03-01: there is no exchange rate to USD. They will count once there is one",
	})
	same(t, byType["plan.limit_reached"], map[string]any{"kind": "account", "id": s.Account.ID})

	_, otherKey, _ := s.NewAccount("growth")
	if other := s.As(otherKey).Do("GET", "/alerts", nil).Want(200, "").Map(); other["count"] != 0.0 {
		t.Errorf("another account sees %v", other)
	}
	s.Do("PATCH", "/offers", map[string]any{"id": offer["id"], "is_active": false}).Want(200, "")
	s.Do("PATCH", "/webhooks", map[string]any{"id": hookID, "active": false}).Want(200, "")
	dbtest.Exec(t, s.DB, `UPDATE accounts SET plan = 'pro' WHERE id = $1`, s.Account.ID)
	dbtest.Exec(t, s.DB, `UPDATE account_rates SET rate = 2`)
	if got = s.Do("GET", "/alerts", nil).Want(200, "").Map(); got["count"] != 1.0 {
		t.Errorf("after all problems but one were solved: %v, want one alert", got)
	}
	s.As("").Do("GET", "/alerts", nil).Want(401, "unauthenticated")
}

func service(answer map[string]any, name string) map[string]any {
	for _, v := range answer["services"].([]any) {
		if s := v.(map[string]any); s["name"] == name {
			return s
		}
	}
	return nil
}

// TestAlertNames: the enums of the OpenAPI document match db/alerts.
func TestAlertNames(t *testing.T) {
	t.Parallel()
	for field, want := range map[string][]string{
		"Type": db.Map(alerts.Types, func(t alerts.Type) string { return t.Name }), "Kind": alerts.Kinds, "Severity": {alerts.Warning, alerts.Critical},
	} {
		f, _ := reflect.TypeFor[apialerts.Alert]().FieldByName(field)
		if got := strings.Split(f.Tag.Get("enum"), ","); !slices.Equal(got, want) {
			t.Errorf("%s: the document has %v, the table %v", field, got, want)
		}
	}
}

// TestServices: GET /alerts lists the services on which figures depend. Only a failing service has a message.
func TestServices(t *testing.T) {
	t.Parallel()
	var lag atomic.Int64
	s := apitest.New(t, apitest.Options{Plan: "growth", V1: v1.Deps{
		Spool: func() spool.Stats { return spool.Stats{PendingBytes: 9, Lag: time.Duration(lag.Load())} }, EdgePublishing: true,
	}})
	ran := func(ago time.Duration) {
		t.Helper()
		err := s.Store.Links().SaveService(t.Context(), models.LinkService{
			Name: models.ServiceJobs, Status: models.ServiceOK, CheckedAt: time.Now().Add(-ago),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want map[string]string) {
		t.Helper()
		got := s.Do("GET", "/alerts", nil).Want(200, "").Map()
		for name, status := range want {
			v := service(got, name)
			if v["status"] != status || (v["message"] == nil) != (status != "failing") {
				t.Errorf("the service is %v, want the status %s, with a message only if it fails", v, status)
			}
		}
	}
	ran(0)
	expect(map[string]string{"jobs": "ok", "clicks": "ok", "edge": "waiting"})
	ran(time.Hour)
	lag.Store(int64(3 * time.Minute))
	dbtest.Exec(t, s.DB, `INSERT INTO edge_accounts (owner_id, failure) VALUES ($1, 'refused') ON CONFLICT (owner_id) DO UPDATE SET failure = 'refused'`,
		s.Account.ID)
	expect(map[string]string{"jobs": "failing", "clicks": "failing", "edge": "failing"})
}

// TestClicksOfOthers: the service "clicks" shows the lag of other processes, unless they were last seen an hour ago.
func TestClicksOfOthers(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	expect := func(status string, alerts float64) {
		t.Helper()
		got := s.Do("GET", "/alerts", nil).Want(200, "").Map()
		if v := service(got, "clicks"); v["status"] != status || (v["message"] == nil) != (status != "failing") || got["count"] != alerts {
			t.Errorf("the service clicks is %v and there are %v alerts, want the status %s and %v alerts", v, got["count"], status, alerts)
		}
	}
	expect("waiting", 0)
	dbtest.Exec(t, s.DB, `INSERT INTO spool_states (process, seen_at) VALUES (gen_random_uuid(), now())`)
	expect("ok", 0)
	dbtest.Exec(t, s.DB, `INSERT INTO spool_states VALUES (gen_random_uuid(), now(), now() - interval '1 minute', now() - interval '3 minutes')`)
	expect("failing", 1)
	dbtest.Exec(t, s.DB, `UPDATE spool_states SET seen_at = now() - interval '1 hour'`)
	expect("waiting", 0)
}

// TestJobsBehind: there is an alert while due jobs of the account do not run.
func TestJobsBehind(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	_, otherKey, _ := s.NewAccount("growth")
	due := time.Now().Add(-time.Hour).UTC().Truncate(time.Millisecond)
	for minute := range 3 {
		dbtest.Exec(t, s.DB, `INSERT INTO jobs (id, kind, account_id, args, next_attempt_at) VALUES (gen_random_uuid(), 'export:run', $1, '{}', $2)`,
			s.Account.ID, due.Add(time.Duration(minute)*time.Minute))
	}
	expect := func(jobs int, since time.Time) {
		t.Helper()
		got := s.Do("GET", "/alerts", nil).Want(200, "").Map()["alerts"].([]any)
		if len(got) != 1 {
			t.Fatal(got)
		}
		same(t, got[0].(map[string]any), map[string]any{
			"type": "jobs.behind", "kind": "account", "id": s.Account.ID.String(), "name": "export:run", "since": since.Format(models.EventTimeFormat),
			"message": fmt.Sprintf("%d jobs are due and do not run, the oldest since %s", jobs, since.Format(time.RFC3339)),
		})
	}
	expect(3, due)
	dbtest.Exec(t, s.DB, `UPDATE jobs SET state = 'done', finished_at = now() WHERE next_attempt_at = $1`, due)
	expect(2, due.Add(time.Minute))
	if other := s.As(otherKey).Do("GET", "/alerts", nil).Want(200, "").Map(); other["count"] != 0.0 {
		t.Errorf("another account sees %v", other)
	}
	dbtest.Exec(t, s.DB, `UPDATE jobs SET state = 'done', finished_at = now()`)
	if got := s.Do("GET", "/alerts", nil).Want(200, "").Map(); got["count"] != 0.0 {
		t.Errorf("after the jobs ran there are still alerts: %v", got)
	}
}

// TestPlanNear: an allowance that is nearly used up raises an alert until the allowance is larger.
func TestPlanNear(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	dbtest.Exec(t, s.DB, `INSERT INTO ledger (account_id, hour, campaign_id, stream_id, lander_id, offer_id, source_id, country,
		device_type, os, browser, clicks, unique_clicks, bot_clicks, lp_views, lp_clicks, approved, pending, rejected,
		chargebacks, cost, revenue, pending_revenue)
		VALUES ($1, $2, $3, $3, $3, $3, $3, '', '', '', '', 799999, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
		s.Account.ID, models.MonthOf(time.Now()), uuid.Nil)
	expect := func(n float64) {
		t.Helper()
		if got := s.Do("GET", "/alerts", nil).Want(200, "").Map(); got["count"] != n {
			t.Errorf("%v, want %v", got, n)
		}
	}
	expect(0)
	dbtest.Exec(t, s.DB, `UPDATE ledger SET clicks = 800000`)
	expect(1)
	dbtest.Exec(t, s.DB, `UPDATE accounts SET plan = 'pro' WHERE id = $1`, s.Account.ID)
	expect(0)
}

// TestPostbackAlerts: a network raises an alert if many of its postbacks match no click, or if many more of them are refused than
// in the week before. Other accounts do not see the alert.
func TestPostbackAlerts(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	var ids []any
	for _, name := range []string{"Good", "Broken", "Jumped", "Usual"} {
		ids = append(ids, s.Do("POST", "/networks", map[string]any{"name": name}).Want(201, "").Map()["id"])
	}
	add := func(network any, outcome, age string, n int) {
		t.Helper()
		dbtest.Exec(t, s.DB, `INSERT INTO postbacks (id, account_id, network_id, source, domain, params, received_at, outcome)
			SELECT gen_random_uuid(), $1, $2, 'postback', '', '{}', now() - $3::interval, $4 FROM generate_series(1, $5)`,
			s.Account.ID, network, age, outcome, n)
	}
	for i, id := range ids {
		add(id, "recorded", "1 hour", 50)
		add(id, "recorded", "2 days", 100)
		add(id, "pending", "1 minute", 100) // they may still be matched
		if i == 3 {
			add(id, "refused", "2 days", 10)
		}
	}
	add(ids[0], "unmatched", "2 hours", 9)
	add(ids[1], "pending", "2 hours", 60) // their clicks never come
	add(ids[2], "refused", "3 hours", 12)
	add(ids[3], "refused", "3 hours", 12)
	alerts := s.Do("GET", "/alerts", nil).Want(200, "").Map()["alerts"].([]any)
	got := map[any]any{}
	for _, v := range alerts {
		a := v.(map[string]any)
		got[a["name"]] = a["type"]
	}
	if len(alerts) != 2 || got["Broken"] != "postbacks.unmatched" || got["Jumped"] != "postbacks.refused" {
		t.Errorf("want one alert for each of the networks Broken and Jumped: %v", alerts)
	}
	_, key, _ := s.NewAccount("scale")
	if got := s.As(key).Do("GET", "/alerts", nil).Want(200, "").Map(); got["count"] != 0.0 {
		t.Errorf("another account sees the alerts %v", got)
	}
}

// TestSourceAlerts: a traffic source raises an alert if the last three postbacks to its present address failed. Failures at an
// earlier address do not count.
func TestSourceAlerts(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	failing := func() []any {
		t.Helper()
		return s.Do("GET", "/alerts", nil).Want(200, "").Map()["alerts"].([]any)
	}
	row := with(source("Deaf"), "postback_url", "https://pb.example.com/told?e={external_id}")
	id := s.Do("POST", "/traffic-sources", row).Want(201, "").Map()["id"]
	fail := func(origin string, times int) {
		t.Helper()
		dbtest.Exec(t, s.DB, `INSERT INTO source_failures (source_id, origin, account_id, failures) VALUES ($1, $2, $3, $4)
			ON CONFLICT (source_id, origin) DO UPDATE SET failures = $4`, id, origin, s.Account.ID, times)
	}
	fail("https://pb.example.com", 2)
	fail("https://before.example.com", 9)
	if got := failing(); len(got) != 0 {
		t.Errorf("there are alerts after two failed postbacks, want none before the third: %v", got)
	}
	fail("https://pb.example.com", 3)
	got := failing()
	if len(got) != 1 {
		t.Fatalf("%d alerts after three failed postbacks, want 1: %v", len(got), got)
	}
	same(t, got[0].(map[string]any), map[string]any{
		"type": "source.failing", "kind": "source", "id": id, "name": "Deaf", "url": "https://pb.example.com/told?e={external_id}",
		"message": "the last 3 attempts to report conversions were not accepted",
	})
	_, otherKey, _ := s.NewAccount("growth")
	if other := s.As(otherKey).Do("GET", "/alerts", nil).Want(200, "").Map(); other["count"] != 0.0 {
		t.Errorf("another account sees %v", other)
	}
	s.Do("PATCH", "/traffic-sources", map[string]any{"id": id, "is_active": false}).Want(200, "")
	if got := failing(); len(got) != 0 {
		t.Errorf("a paused source raises the alerts %v, want none", got)
	}
}

// TestWaitingCounts: GET /alerts counts the account's unmatched postbacks of the last week, at most 100, and its open suggestions.
func TestWaitingCounts(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	expect := func(s *apitest.Server, unmatched, suggestions float64) {
		t.Helper()
		same(t, s.Do("GET", "/alerts", nil).Want(200, "").Map(), map[string]any{"unmatchedPostbacks": unmatched, "openSuggestions": suggestions})
	}
	add := func(outcome, age string, n int) {
		t.Helper()
		dbtest.Exec(t, s.DB, `INSERT INTO postbacks (id, account_id, network_id, source, domain, params, received_at, outcome)
			SELECT gen_random_uuid(), $1, $2, 'postback', '', '{}', now() - $3::interval, $4 FROM generate_series(1, $5)`,
			s.Account.ID, uuid.Nil, age, outcome, n)
	}
	expect(s, 0, 0)
	add("unmatched", "1 hour", 2)
	add("unmatched", "6 days", 1)
	add("unmatched", "8 days", 1)
	add("refused", "1 hour", 1)
	suggest(t, s, "one")
	expect(s, 3, 1)
	add("unmatched", "2 days", 120)
	expect(s, 100, 1)
	_, otherKey, _ := s.NewAccount("growth")
	expect(s.As(otherKey), 0, 0)
}

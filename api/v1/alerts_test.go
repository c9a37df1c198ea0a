package v1_test

import (
	"fmt"
	"testing"
	"time"

	"switchyard/api/apitest"
	"switchyard/db/store"
	"switchyard/models"
)

// TestAlerts shows what needs attention now, of this account, until it does no more.
func TestAlerts(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	reader := s.As(s.ReadKey)
	empty := reader.Do("GET", "/alerts", nil).Want(200, "").Map()
	if len(empty["alerts"].([]any)) != 0 || empty["count"] != 0.0 || empty["checkedAt"] != nil {
		t.Errorf("at first: %v", empty)
	}
	for _, v := range empty["services"].([]any) {
		if v.(map[string]any)["status"] != models.ServiceWaiting {
			t.Errorf("service %v has not run", v)
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
	exec(t, s, `UPDATE webhook_endpoints SET consecutive_failures = 3, failing_since = $2 WHERE id = $1`, hookID, now.Add(-time.Hour))
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

	exec(t, s, `INSERT INTO account_rates (account_id, day, currency, rate, since) VALUES ($1, '2026-03-02', 'VND', NULL, $2),
		($1, '2026-03-01', 'VND', NULL, $2), ($1, '2026-03-03', 'VND', 2, $2), ($1, '2026-03-03', 'EUR', 1.1, $2)`, s.Account.ID, now)

	got := reader.Do("GET", "/alerts", nil).Want(200, "").Map()
	stamp := now.Format(models.EventTimeFormat)
	if got["count"] != 5.0 || got["checkedAt"] != stamp {
		t.Errorf("alerts %v", got)
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
		"message": "amounts in VND count no money on 2 days from 2026-03-01 on: there is no rate to USD. They will count once there is one",
	})
	same(t, byType["plan.limit_reached"], map[string]any{"kind": "account", "id": s.Account.ID})

	_, otherKey, _ := s.NewAccount("growth")
	if other := s.As(otherKey).Do("GET", "/alerts", nil).Want(200, "").Map(); other["count"] != 0.0 {
		t.Errorf("another account sees %v", other)
	}
	s.Do("PATCH", "/offers", map[string]any{"id": offer["id"], "is_active": false}).Want(200, "")
	s.Do("PATCH", "/webhooks", map[string]any{"id": hookID, "active": false}).Want(200, "")
	exec(t, s, `UPDATE accounts SET plan = 'pro' WHERE id = $1`, s.Account.ID)
	exec(t, s, `UPDATE account_rates SET rate = 2`)
	if got = s.Do("GET", "/alerts", nil).Want(200, "").Map(); got["count"] != 1.0 {
		t.Errorf("afterwards: %v", got)
	}
	s.As("").Do("GET", "/alerts", nil).Want(401, "unauthenticated")
}

// A network whose postbacks stop to match is an alert of its account, and of no other.
func TestPostbackAlerts(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	var ids []any
	for _, name := range []string{"Good", "Broken", "Jumped", "Usual"} {
		ids = append(ids, s.Do("POST", "/networks", map[string]any{"name": name}).Want(201, "").Map()["id"])
	}
	add := func(network any, outcome, age string, n int) {
		t.Helper()
		exec(t, s, `INSERT INTO postbacks (id, account_id, network_id, source, domain, params, received_at, outcome)
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
	add(ids[1], "pending", "2 hours", 60) // a click that never comes
	add(ids[2], "refused", "3 hours", 12)
	add(ids[3], "refused", "3 hours", 12)
	alerts := s.Do("GET", "/alerts", nil).Want(200, "").Map()["alerts"].([]any)
	got := map[any]any{}
	for _, v := range alerts {
		a := v.(map[string]any)
		got[a["name"]] = a["type"]
	}
	if len(alerts) != 2 || got["Broken"] != "postbacks.unmatched" || got["Jumped"] != "postbacks.refused" {
		t.Errorf("%v", alerts)
	}
	_, key, _ := s.NewAccount("scale")
	if got := s.As(key).Do("GET", "/alerts", nil).Want(200, "").Map(); got["count"] != 0.0 {
		t.Errorf("another account: %v", got)
	}
}

// A traffic source that cannot be told of conversions is an alert of its account, while it is active and has the host.
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
		exec(t, s, `INSERT INTO source_failures (source_id, origin, account_id, failures) VALUES ($1, $2, $3, $4)
			ON CONFLICT (source_id, origin) DO UPDATE SET failures = $4`, id, origin, s.Account.ID, times)
	}
	fail("https://pb.example.com", 2)
	fail("https://before.example.com", 9)
	if got := failing(); len(got) != 0 {
		t.Errorf("too early: %v", got)
	}
	fail("https://pb.example.com", 3)
	got := failing()
	if len(got) != 1 {
		t.Fatalf("%d alerts: %v", len(got), got)
	}
	same(t, got[0].(map[string]any), map[string]any{
		"type": "source.failing", "kind": "source", "id": id, "name": "Deaf", "url": "https://pb.example.com/told?e={external_id}",
		"message": fmt.Sprintf("the last 3 attempts to tell it of conversions failed; see GET /logs/postbacks?direction=out&source=%v", id),
	})
	_, otherKey, _ := s.NewAccount("growth")
	if other := s.As(otherKey).Do("GET", "/alerts", nil).Want(200, "").Map(); other["count"] != 0.0 {
		t.Errorf("another account sees %v", other)
	}
	s.Do("PATCH", "/traffic-sources", map[string]any{"id": id, "is_active": false}).Want(200, "")
	if got := failing(); len(got) != 0 {
		t.Errorf("paused: %v", got)
	}
}

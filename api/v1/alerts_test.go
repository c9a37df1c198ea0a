package v1_test

import (
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

	got := reader.Do("GET", "/alerts", nil).Want(200, "").Map()
	stamp := now.Format(models.EventTimeFormat)
	if got["count"] != 4.0 || got["checkedAt"] != stamp {
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
	same(t, byType["plan.limit_reached"], map[string]any{"kind": "account", "id": s.Account.ID})

	_, otherKey, _ := s.NewAccount("growth")
	if other := s.As(otherKey).Do("GET", "/alerts", nil).Want(200, "").Map(); other["count"] != 0.0 {
		t.Errorf("another account sees %v", other)
	}
	s.Do("PATCH", "/offers", map[string]any{"id": offer["id"], "is_active": false}).Want(200, "")
	s.Do("PATCH", "/webhooks", map[string]any{"id": hookID, "active": false}).Want(200, "")
	exec(t, s, `UPDATE accounts SET plan = 'pro' WHERE id = $1`, s.Account.ID)
	if got = s.Do("GET", "/alerts", nil).Want(200, "").Map(); got["count"] != 1.0 {
		t.Errorf("afterwards: %v", got)
	}
	s.As("").Do("GET", "/alerts", nil).Want(401, "unauthenticated")
}

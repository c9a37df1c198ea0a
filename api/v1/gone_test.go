package v1_test

import (
	"fmt"
	"slices"
	"testing"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
)

// A deactivated record may stay in the flows that name it. DELETE lists these flows, and PATCH restores the record.
func TestDeactivatedInFlows(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	at, streams := d.twoPaths(t)
	d.Do("POST", "/flows", map[string]any{"name": "Saved", "paths": []any{streams[0]}}).Want(201, "")
	gone := d.Do("DELETE", "/offers?id="+d.offer, nil).Want(200, "").Map()
	users := gone["used_by"].([]any)
	if len(users) != 2 || gone["deactivated"] != true {
		t.Fatalf("want the offer deactivated, with the two flows that use it: %v", gone)
	}
	same(t, users[0].(map[string]any), map[string]any{"kind": "campaign", "name": "Two", "status": "active"})
	same(t, users[1].(map[string]any), map[string]any{"kind": "flow", "name": "Saved", "status": "active"})
	if pageUsers := d.Do("DELETE", "/landers?id="+d.lander, nil).Want(200, "").Map()["used_by"].([]any); len(pageUsers) != 0 {
		t.Errorf("the answer lists records that use the page, want none: %v", pageUsers)
	}

	read := d.Do("GET", at, nil).Want(200, "").Map()
	d.Do("PUT", at, read).Want(200, "") // sent back unchanged
	d.Do("PATCH", at, map[string]any{"path_id": streams[1]["id"], "weight": 3}).Want(200, "")
	other := d.make(t, with(with(d.campaign("Other"), "offer_id", nil), "streams", []any{redirectPath("x")}))
	d.Do("PUT", campaignPath(other["id"])+"/flow", read).Want(400, "invalid_destination")
	d.Do("POST", "/tools/simulate", map[string]any{"streams": read["streams"]}).Want(400, "invalid_destination")

	back := map[string]any{"id": d.offer, "is_active": true}
	d.Do("PATCH", "/offers", with(map[string]any{"id": d.offer}, "is_active", false)).Want(404, "not_found")
	_, otherKey, _ := d.NewAccount("scale")
	d.As(otherKey).Do("PATCH", "/offers", back).Want(404, "not_found")
	taken := d.Do("POST", "/offers", offer("Offer")).Want(201, "").Map()["id"]
	d.Do("PATCH", "/offers", back).Want(409, "duplicate_name")
	d.Do("DELETE", fmt.Sprint("/offers?id=", taken), nil).Want(200, "")
	for resource, id := range map[string]string{
		"/offers": d.offer, "/landers": d.lander, "/networks": d.network, "/traffic-sources": d.source,
	} {
		if resource == "/networks" || resource == "/traffic-sources" {
			d.Do("DELETE", resource+"?id="+id, nil).Want(200, "")
		}
		d.Do("PATCH", resource, map[string]any{"id": id, "is_active": true}).Want(200, "")
		if row := rowOf(t, d.Server, resource, id); row["status"] != "active" {
			t.Errorf("%s: the restored record is %v, want active", resource, row["status"])
		}
	}
}

// TestUsedBy: the answer to a deletion lists the records that still name the deleted record.
func TestUsedBy(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	rule := d.Do("POST", "/rules", map[string]any{
		"name": "R", "conditions": []any{map[string]any{"attribute": "country", "operator": "equals", "value": "DE"}},
	}).Want(201, "").Map()["id"]
	target := d.make(t, d.campaign("Target"))["id"]
	d.make(t, with(with(with(d.campaign("User"), "offer_id", nil), "source_id", d.source), "streams", []any{map[string]any{
		"action": "campaign", "campaign_id": target, "rules": []any{map[string]any{"rule_id": rule}},
	}}))
	for gone, user := range map[string]string{
		fmt.Sprint("/rules?id=", rule): "User", campaignPath(target): "User", "/traffic-sources?id=" + d.source: "User",
		"/networks?id=" + d.network: "Offer",
	} {
		users := d.Do("DELETE", gone, nil).Want(200, "").Map()["used_by"].([]any)
		if !slices.ContainsFunc(users, func(u any) bool { return u.(map[string]any)["name"] == user }) {
			t.Errorf("%s: the answer lacks the record that uses it: %v", gone, users)
		}
	}
}

// TestRestoreWithinThePlan: a restored record counts towards the plan like a new record.
func TestRestoreWithinThePlan(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	id := s.Do("POST", "/offers", offer("Back")).Want(201, "").Map()["id"]
	s.Do("DELETE", fmt.Sprint("/offers?id=", id), nil).Want(200, "")
	dbtest.Exec(t, s.DB, `INSERT INTO offers (id, account_id, name, url)
		SELECT gen_random_uuid(), $1, 'o' || n, 'https://x.example' FROM generate_series(1, 500) n`, s.Account.ID)
	s.Do("PATCH", "/offers", map[string]any{"id": id, "is_active": true}).Want(402, "plan_limit")
}

// TestCappedOffers: an offer that has reached its cap is marked in the list and raises an alert.
func TestCappedOffers(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 60, 1)
	full, free := r.offers[0], r.offers[1]
	dbtest.Exec(t, s.DB, `UPDATE offers SET daily_cap = CASE WHEN id = $1 THEN 2 ELSE 1000 END WHERE account_id = $2`, full, s.Account.ID)
	dbtest.Exec(t, s.DB, `UPDATE conversions SET recorded_at = now() - interval '9 days' WHERE account_id = $1`, s.Account.ID)
	convert := func(status string) {
		dbtest.Exec(t, s.DB, `UPDATE conversions SET offer_id = $1, status = $2, recorded_at = now() WHERE id = (
			SELECT id FROM conversions WHERE account_id = $3 AND recorded_at < now() - interval '1 day' LIMIT 1)`,
			full, status, s.Account.ID)
	}
	check := func(want bool) {
		t.Helper()
		if got := rowOf(t, s, "/offers", full.String())["capped_today"]; got != want {
			t.Errorf("capped_today is %v, want %v", got, want)
		}
		alerts := s.Do("GET", "/alerts", nil).Want(200, "").Map()["alerts"].([]any)
		if (len(alerts) == 1) != want {
			t.Fatalf("the number of alerts does not match the cap: %v", alerts)
		}
		if want {
			same(t, alerts[0].(map[string]any), map[string]any{"type": "offer.capped", "kind": "offer", "id": full.String()})
		}
	}
	convert("approved")
	convert("rejected")
	check(false)
	convert("pending")
	check(true)
	if got := rowOf(t, s, "/offers", free.String())["capped_today"]; got != false {
		t.Errorf("the other offer is capped: %v", got)
	}
}

package v1_test

import (
	"cmp"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/models"
)

// TestPlan: the limits in the answer match the table of plans, and the usage matches the account's records.
func TestPlan(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	s.Do("POST", "/offers", map[string]any{"name": "A", "url": "https://o.acme.com/"}).Want(201, "")
	s.Do("POST", "/networks", map[string]any{"name": "N"}).Want(201, "")
	s.Do("POST", "/webhooks", hook()).Want(201, "")
	month := models.MonthOf(time.Now())
	for hour, clicks := range map[time.Time]int{month: 300_000, month.Add(-time.Hour): 5} {
		dbtest.Exec(t, s.DB, `INSERT INTO ledger (account_id, hour, campaign_id, stream_id, lander_id, offer_id, source_id, country,
			device_type, os, browser, clicks, unique_clicks, bot_clicks, lp_views, lp_clicks, approved, pending, rejected,
			chargebacks, cost, revenue, pending_revenue)
			VALUES ($1, $2, $3, $3, $3, $3, $3, '', '', '', '', $4, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
			s.Account.ID, hour, uuid.Nil, clicks)
	}
	reset := month.AddDate(0, 1, 0).Format(models.EventTimeFormat)
	want := map[string]any{
		"plan": "growth", "status": "active", "period": "month", "cancelAtPeriodEnd": false, "currentPeriodEnd": reset,
	}
	reader := s.As(s.ReadKey)
	got := reader.Do("GET", "/plan", nil).Want(200, "").Map()
	same(t, got, want)
	same(t, got["allowances"].(map[string]any), map[string]any{
		"campaigns": 100, "offers": 500, "landers": 500, "integrations": 50, "domains": 10, "clicksPerMonth": 1e6,
		"clickHistoryDays": 180, "callsPerMinute": 300, "webhooks": 10,
	})
	same(t, got["includes"].(map[string]any), map[string]any{"api": true, "webhooks": true, "goalTracking": false})

	got = reader.Do("GET", "/plan/usage", nil).Want(200, "").Map()
	same(t, got, want)
	detail := got["detail"].(map[string]any)
	same(t, detail, map[string]any{"resetsAt": reset})
	days := detail["daily"].([]any)
	if len(days) != time.Now().UTC().Day() {
		t.Errorf("%d days are listed, want the days of this month up to today", len(days))
	}
	same(t, days[0].(map[string]any), map[string]any{"date": month.Format(time.DateOnly), "clicks": 300_000.})
	same(t, detail["team"].(map[string]any), map[string]any{"apiKeys": 2})
	same(t, detail["integrations"].(map[string]any), map[string]any{"used": 1, "limit": 50, "networks": 1, "sources": 0})
	forecast := detail["forecast"].(map[string]any)
	same(t, forecast, map[string]any{"isOver": false, "remaining": 700_000.})
	if forecast["clicks"].(float64) < 300_000 {
		t.Errorf("the forecast %v is below the clicks so far", forecast)
	}
	usage := detail["plan"].(map[string]any)
	for what, used := range map[string]any{"clicks": 300_000., "offers": 1., "campaigns": 0., "webhooks": 1.} {
		same(t, usage[what].(map[string]any), map[string]any{"used": used})
	}
	scale, key, _ := s.NewAccount("scale")
	got = s.As(key).Do("GET", "/plan/usage", nil).Want(200, "").Map()
	if got["allowances"].(map[string]any)["campaigns"] != nil || got["plan"] != scale.Plan {
		t.Errorf("want the plan scale with unlimited campaigns: %v", got)
	}
	starter, _, key := s.NewAccount("starter")
	if s.As(key).Do("GET", "/plan", nil).Want(402, "plan_limit"); starter.Plan != "starter" {
		t.Error(starter.Plan)
	}
}

// TestPlanIsComplete: GET /plan has every allowance and feature of the table of plans.
func TestPlanIsComplete(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	got := s.Do("GET", "/plan", nil).Want(200, "").Map()
	allowances, includes := got["allowances"].(map[string]any), got["includes"].(map[string]any)
	if got["pastAllowance"] == "" {
		t.Error("the answer does not say what happens to clicks beyond the allowance")
	}
	shownAs := map[string]string{"historyDays": "clickHistoryDays"}
	plan := reflect.ValueOf(models.Plans[1]) // the plan growth
	for i := range plan.NumField() {
		words := strings.Split(plan.Type().Field(i).Tag.Get("json"), "_")
		for i := range words[1:] {
			words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
		}
		name := strings.Join(words, "")
		name = cmp.Or(shownAs[name], name)
		var shown any
		switch v := plan.Field(i); v.Kind() {
		case reflect.Bool:
			if shown = includes[name]; shown != v.Bool() {
				t.Errorf("the feature %s of the plan is %v, but the answer has %v", name, v, shown)
			}
		case reflect.Int, reflect.Int64:
			if shown = allowances[name]; shown != float64(v.Int()) {
				t.Errorf("the allowance %s of the plan is %v, but the answer has %v", name, v, shown)
			}
		}
	}
}

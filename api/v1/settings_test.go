package v1_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/apitest"
	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/exchangerate"
	"switchyard/models"
)

// TestSettings changes the settings of an account.
func TestSettings(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	same(t, s.As(s.ReadKey).Do("GET", "/settings", nil).Want(200, "").Map(), object{
		"organizationName": s.Account.Name, "siteKey": s.Account.SiteKey, "currency": "USD", "timezone": "UTC",
		"dateFormat": "YYYY-MM-DD", "timeFormat": "24h",
	})
	all := object{
		"currency": " eur", "timezone": "America/New_York", "date_format": "DD MMM YYYY", "time_format": "12h",
		"organization_name": " Müller & Co ",
	}
	want := object{
		"organizationName": "Müller & Co", "currency": "EUR", "timezone": "America/New_York", "dateFormat": "DD MMM YYYY",
		"timeFormat": "12h",
	}
	same(t, s.Do("PATCH", "/settings", all).Want(200, "").Map(), want)
	same(t, s.Do("GET", "/settings", nil).Want(200, "").Map(), want)
	for field, bad := range map[string][]any{
		"currency":          {"EURO", "E1R", "€", 7},
		"timezone":          {"Local", "Mars/Phobos", "../../etc/passwd", "+02:00"},
		"date_format":       {"YYYY", "yyyy-mm-dd"},
		"time_format":       {"24"},
		"organization_name": {"", "  ", string(make([]byte, 201))},
	} {
		code := cmp.Or(map[string]string{"currency": "invalid_currency", "timezone": "invalid_timezone"}[field], "invalid_input")
		for _, v := range bad {
			s.Do("PATCH", "/settings", object{field: v}).Want(400, code)
		}
	}
	s.Do("PATCH", "/settings", "{").Want(400, "bad_body")
	same(t, s.Do("GET", "/settings", nil).Want(200, "").Map(), want)

	same(t, s.Do("PATCH", "/settings", object{"timezone": "Asia/Kolkata"}).Want(200, "").Map(), object{
		"organizationName": "Müller & Co", "currency": "USD", "timezone": "Asia/Kolkata", "dateFormat": "YYYY-MM-DD", "timeFormat": "24h",
	})
	// The body also accepts the names of the answer.
	read := s.Do("GET", "/settings", nil).Want(200, "").Map()
	read["dateFormat"], read["timeFormat"], read["organizationName"], read["assistantChanges"] = "DD.MM.YYYY", "12h", "Acme", 7
	same(t, s.Do("PATCH", "/settings", read).Want(200, "").Map(),
		object{"dateFormat": "DD.MM.YYYY", "timeFormat": "12h", "organizationName": "Acme", "assistantChanges": 7})
	read["date_format"] = "MM/DD/YYYY"
	same(t, s.Do("PATCH", "/settings", read).Want(200, "").Map(), object{"dateFormat": "MM/DD/YYYY", "timeFormat": "12h"})
	s.Do("PATCH", "/settings", object{"dateFormat": "YYYY"}).Want(400, "invalid_input")
	s.Do("PATCH", "/settings", object{"dateFormatt": "DD.MM.YYYY"}).Want(400, "invalid_input")
	other, key, _ := s.NewAccount("scale")
	same(t, s.As(key).Do("GET", "/settings", nil).Want(200, "").Map(), object{"organizationName": other.Name, "currency": "USD"})
}

// TestChangeCurrency: once amounts are recorded, the currency must be sent, and a change converts each amount by the rate of its
// day.
func TestChangeCurrency(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Do("PATCH", "/settings", object{"currency": "GBP"}).Want(200, "")
	storeClicks(t, s, &models.Click{
		ID: models.NewClickID(), AccountID: s.Account.ID, CampaignID: uuid.New(), Currency: "GBP", Cost: decimal.New(4, 0), UniqueHours: 24,
	})
	cost := func() any {
		t.Helper()
		return s.Do("GET", "/reports/performance", nil).Want(200, "").Map()["totals"].(map[string]any)["cost"]
	}
	same(t, s.Do("PATCH", "/settings", object{"currency": "GBP", "timezone": "Europe/London"}).Want(200, "").Map(),
		object{"currency": "GBP", "jobId": nil})
	s.Do("PATCH", "/settings", object{}).Want(400, "invalid_currency")
	missing := s.Do("PATCH", "/settings", object{"currency": "EUR"}).Want(409, "rate_missing")
	if !strings.Contains(missing.Message, "no rate of GBP on 20") {
		t.Error(missing.Message)
	}
	if got := cost(); got != 4. {
		t.Errorf("the cost is %v, want 4", got)
	}
	if wanted, err := exchangerate.NeedsFetch(t.Context(), s.DB); err != nil || !wanted {
		t.Error("exchange rates are not requested", err)
	}
	dbtest.Exec(t, s.DB, `INSERT INTO currency_rates (base, currency, day, rate, source) VALUES ('EUR', 'GBP', current_date - 1, 0.8, 'file')`)
	for _, kind := range []string{"campaign:clear", "correction:costs", "correction:set-cost", "correction:undo-cost"} {
		dbtest.Exec(t, s.DB, `INSERT INTO jobs (id, account_id, kind) VALUES ($1, $2, $3)`, uuid.New(), s.Account.ID, kind)
		s.Do("PATCH", "/settings", object{"currency": "EUR"}).Want(409, "busy")
		dbtest.Exec(t, s.DB, `DELETE FROM jobs`)
	}

	rule := s.Do("POST", "/copilot/rules", object{
		"name": "Dear", "looks_at": "campaign", "action": "alert", "conditions": []object{{"figure": "cost", "operator": ">", "value": 8}},
	}).Want(201, "").Map()["id"]
	changed := s.Do("PATCH", "/settings", object{"currency": "EUR", "timezone": "Europe/Paris"}).Want(200, "").Map()
	same(t, changed, object{"currency": "EUR", "timezone": "Europe/Paris"})
	if got := cost(); got != 5. {
		t.Errorf("the cost is %v, want 5", got)
	}
	if got := fmt.Sprint(s.Do("GET", "/copilot/rules", nil).Want(200, "").Map()); !strings.Contains(got, fmt.Sprint(rule)) || !strings.Contains(got, "value:10") {
		t.Errorf("the rules are %s, want 8 pounds converted to 10 euros", got)
	}
	same(t, s.Do("GET", "/settings", nil).Want(200, "").Map(), object{"currency": "EUR", "timezone": "Europe/Paris", "jobId": changed["jobId"]})
	same(t, s.Do("GET", "/jobs/"+fmt.Sprint(changed["jobId"]), nil).Want(200, "").Map(), object{"kind": "currency:change"})
	s.Do("PATCH", "/settings", object{"currency": "USD"}).Want(409, "busy")
	s.Do("PATCH", "/settings", object{"currency": "EUR"}).Want(200, "")
}

// TestAmountsWithoutMoney: the amount of a rule is converted too, even if no amounts are recorded.
func TestAmountsWithoutMoney(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	condition := func(figure string) object {
		return object{
			"name": figure, "looks_at": "campaign", "action": "alert", "conditions": []object{{"figure": figure, "operator": ">", "value": 8}},
		}
	}
	s.Do("POST", "/copilot/rules", condition("clicks")).Want(201, "")
	s.Do("PATCH", "/settings", object{"currency": "GBP"}).Want(200, "") // no amount, so no exchange rate is needed
	s.Do("POST", "/copilot/rules", condition("cost")).Want(201, "")
	s.Do("PATCH", "/settings", object{"timezone": "UTC"}).Want(400, "invalid_currency")
	s.Do("PATCH", "/settings", object{"currency": "EUR"}).Want(409, "rate_missing")
	dbtest.Exec(t, s.DB, `INSERT INTO currency_rates (base, currency, day, rate, source) VALUES ('EUR', 'GBP', current_date - 1, 0.8, 'file')`)
	changed := s.Do("PATCH", "/settings", object{"currency": "EUR"}).Want(200, "").Map()
	if got := fmt.Sprint(s.Do("GET", "/copilot/rules", nil).Want(200, "").Map()); changed["jobId"] == nil ||
		!strings.Contains(got, "value:10") || !strings.Contains(got, "value:8") {
		t.Errorf("want 8 pounds as 10 euros, and 8 clicks unchanged: %v, %s", changed, got)
	}
}

// TestCapsWithoutMoney: the daily cap on the value of uploads is converted too.
func TestCapsWithoutMoney(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	source := s.Do("POST", "/traffic-sources", object{"name": "Push"}).Want(201, "").Map()["id"]
	dbtest.Exec(t, s.DB, `INSERT INTO source_integrations (account_id, source_id, provider, secrets, next_at, wide_at, daily_cap_value)
		VALUES ($1, $2, 'meta', '', now(), now(), 40)`, s.Account.ID, source)
	s.Do("PATCH", "/settings", object{"currency": "EUR"}).Want(409, "rate_missing")
	dbtest.Exec(t, s.DB, `INSERT INTO currency_rates (base, currency, day, rate, source) VALUES ('EUR', 'USD', current_date - 1, 1.25, 'file')`)
	s.Do("PATCH", "/settings", object{"currency": "EUR"}).Want(200, "")
	if cap, err := db.Get[string](t.Context(), s.DB, "cap", `SELECT trim_scale(daily_cap_value) FROM source_integrations`); err != nil || cap != "32" {
		t.Errorf("40 dollars are %s euros, want 32: %v", cap, err)
	}
}

// TestShownFormats: the date and time formats of the settings are for programs that show times to people. The API does not use
// them, and reports do not use the account's time zone.
func TestShownFormats(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Do("PATCH", "/settings", object{"timezone": "Asia/Kolkata", "date_format": "DD/MM/YYYY", "time_format": "12h"}).Want(200, "")
	made := s.Do("POST", "/offers", object{"name": "Shop", "url": "https://o.acme.com/"}).Want(201, "").Map()["id"]
	at := fmt.Sprint(rowOf(t, s, "/offers", made)["created_at"])
	if _, err := time.Parse(models.EventTimeFormat, at); err != nil {
		t.Error(err)
	}
	for query, want := range map[string]string{"": "UTC", "&tz=Asia/Kolkata": "Asia/Kolkata"} {
		if got := s.Do("GET", "/reports/trends?bucket=day"+query, nil).Want(200, "").Map()["tz"]; got != want {
			t.Errorf("%q: buckets of %v, want %s", query, got, want)
		}
	}
}

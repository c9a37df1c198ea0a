package v1_test

import (
	"cmp"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
)

// TestSettings changes the settings of an account, and meets what is refused.
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
	other, key, _ := s.NewAccount("scale")
	same(t, s.As(key).Do("GET", "/settings", nil).Want(200, "").Map(), object{"organizationName": other.Name, "currency": "USD"})
}

// TestCurrencyStays records money, after which the currency of an account is what it is.
func TestCurrencyStays(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Do("PATCH", "/settings", object{"currency": "GBP"}).Want(200, "")
	exec(t, s, `INSERT INTO ledger (account_id, hour, campaign_id, stream_id, lander_id, offer_id, source_id, country,
		device_type, os, browser, clicks, unique_clicks, bot_clicks, lp_views, lp_clicks, approved, pending, rejected,
		chargebacks, cost, revenue, pending_revenue)
		VALUES ($1, now(), $2, $2, $2, $2, $2, '', '', '', '', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0, 0)`, s.Account.ID, uuid.Nil)
	s.Do("PATCH", "/settings", object{"currency": "EUR"}).Want(400, "invalid_currency")
	s.Do("PATCH", "/settings", object{}).Want(400, "invalid_currency")
	s.Do("PATCH", "/settings", object{"currency": "GBP", "timezone": "Europe/London"}).Want(200, "")
}

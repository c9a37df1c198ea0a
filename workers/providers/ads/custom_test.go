package ads_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/ads"
	"switchyard/workers/providers/platform"
)

func endpoint(t *testing.T, e models.CostEndpoint, credentials map[string]string, serve http.HandlerFunc) *ads.Connection {
	t.Helper()
	server := httptest.NewTLSServer(serve)
	t.Cleanup(server.Close)
	e.URL = server.URL + e.URL
	c, err := ads.New(ads.Options{Options: platform.Options{Egress: egresstest.Client(t, server, egress.Options{})}}).Open(ads.Account{
		Provider: models.CustomCost, Key: "s1", Credentials: credentials, Endpoint: e,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCustomEndpoint: days, token and headers are filled in, paths lead to figures, and rows of one day and campaign are added up.
func TestCustomEndpoint(t *testing.T) {
	t.Parallel()
	hundred := models.NewMoney(decimal.NewFromInt(100))
	asked := ""
	c := endpoint(t, models.CostEndpoint{
		URL: "/spend?a={from}&b={to}&t={token}", Method: "POST", Headers: map[string]string{"X-Key": models.MaskedSecret},
		Body: []byte(`{"since": "{from}", "key": "{token}"}`), RowsPath: "data.rows", DayField: "when.day", CampaignField: "c", SpendField: "cents",
		ClicksField: "clicks", SpendDivisor: &hundred, Currency: "GBP",
	}, map[string]string{"token": `canary "&`, models.HeaderCredential + "X-Key": "Bearer {token}"}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = r.Method + " " + r.URL.RawQuery + " " + r.Header.Get("X-Key") + " " + string(body)
		_, _ = io.WriteString(w, "\ufeff"+`{"data": {"rows": [
			{"when": {"day": "2026-11-01T23:30:00-05:00"}, "c": 77, "cents": "1,250", "clicks": "3"},
			{"when": {"day": "2026-11-01"}, "c": "77", "cents": 50.5, "clicks": 4}, {"when": {"day": "2026-11-02"}, "cents": null},
			{"when": {"day": "2026-11-09"}, "cents": 1}]}}`)
	})
	got, err := c.Spend(t.Context(), first, last)
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if want := `POST a=2026-11-01&b=2026-11-07&t=canary+%22%26 Bearer canary "& {"since": "2026-11-01", "key": "canary \"\u0026"}`; asked != want {
		t.Errorf("asked %s\nwant  %s", asked, want)
	}
	if r := got[0]; r.Amount.String() != "13.005" || r.Currency != "GBP" || *r.Clicks != 7 || r.Campaign != "77" || r.Impressions != nil {
		t.Errorf("%+v", r)
	}
	if r := got[1]; !r.Amount.IsZero() || r.Campaign != "" {
		t.Errorf("%+v", r)
	}
}

// TestCustomEndpointFails: an answer that cannot be read gives an error without secrets. So does an answer with too many rows.
func TestCustomEndpointFails(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"rows": []}`:   "the answer has no list at rowsPath",
		`[{"spend": 1}]`: "a row of the platform has no day",
		`[{"day": "2026-11-01", "spend": "a lot"}]`:  "a row of the platform has no amount",
		`[{"day": "2026-11-01", "spend": -1}]`:       "a row of the platform has no amount",
		`[{"day": "2026-11-01", "spend": 1e999999}]`: "a row of the platform has no amount",
		`<html>`:                         "another form",
		`[{"day": "canary-secret-Zq7"}]`: "no day: \"***\"",
	} {
		c := endpoint(t, models.CostEndpoint{URL: "/{token}"}, map[string]string{"token": "canary-secret-Zq7"}, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, body)
		})
		if _, err := c.Spend(t.Context(), first, last); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", body, err)
		}
	}
	many := make([]string, ads.MaxRows+1)
	for i := range many {
		many[i] = fmt.Sprintf(`{"day":"2026-11-01","c":%d,"spend":1}`, i)
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "["+strings.Join(many, ",")+"]")
	}))
	t.Cleanup(server.Close)
	c, err := ads.New(ads.Options{Options: platform.Options{Egress: egresstest.Client(t, server, egress.Options{MaxBody: 32 << 20})}}).Open(ads.Account{
		Provider: models.CustomCost, Endpoint: models.CostEndpoint{URL: server.URL, CampaignField: "c"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Spend(t.Context(), first, last); err == nil || err.Error() != ads.ErrTooMany.Error() {
		t.Error(err)
	}
}

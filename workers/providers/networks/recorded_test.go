package networks_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/networks"
	"switchyard/workers/providers/networks/networkstest"
)

// TestRecorded reads one answer of each platform in the table below, in the form that the platform's documents show.
// networkstest/source.md names the documents.
func TestRecorded(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{ // click, id, ref, goal, status, payout, currency, sale, its currency, time
		"admitad":    "their click|807084961|||rejected|104.66|RUB|209.32||2026-11-01T10:48:02Z",
		"affise":     "their click|59359e1d7e28feb7568b456a|||approved|12.34|USD|||2026-11-01T03:08:29Z",
		"awin":       "their click|259630312|||pending|5.59|GBP|55.96|GBP|2026-11-01T22:04:00Z",
		"cake":       "their click|4456789|||approved|5.0||||2026-11-01T10:00:00Z",
		"cj":         "their click|1618033988|||approved|10||100||2026-11-01T11:22:33Z",
		"clickbank":  "their click|ABC12345|||approved|20.1|USD|47.0||2026-11-01T17:00:00Z",
		"ebay":       "their click|2461001|||approved|3.60||120.00||2026-11-01T16:15:00Z",
		"impact":     "their click|1000.4636.158133|||rejected|0.88|USD|21.99||2026-11-01T17:42:38Z",
		"partnerize": "their click|111111l314|||pending|95.5|EUR|955||2026-11-01T17:18:33Z",
		"rakuten":    "their click|etx-1|||approved|4.05|USD|40.5||2026-11-01T12:30:31Z",
		"tune":       "their click|123456|1027c887059b47bc69c699f45466b9|Purchase|pending|25.00|USD|250.00||2026-11-01T10:00:00Z",
	} {
		body, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/token") {
				body := `{"access_token": "a token", "token_type": "bearer", "expires_in": 3600}`
				_, _ = w.Write([]byte(body))
				return
			}
			_, _ = w.Write(body)
		}))
		t.Cleanup(server.Close)
		c, err := networks.New(networks.Options{URL: server.URL, Egress: egresstest.Client(t, server, egress.Options{}), Now: now}).
			Open(name, "n1", networkstest.Fakes[name].Credentials())
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Orders(t.Context(), day, day, networks.MaxOrders)
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		o := got[0]
		text := strings.Join([]string{
			o.Click, o.ID, o.Ref, o.Goal, o.Status, o.Payout, o.Currency, o.Sale, o.SaleCurrency, o.At.Format(time.RFC3339),
		}, "|")
		if text != want {
			t.Errorf("%s:\n%s, want\n%s", name, text, want)
		}
	}
}

package networks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"testing"
	"time"

	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/networks"
	"switchyard/workers/providers/networks/networkstest"
)

// TestDigistoreAnswers reads answers in the form of Digistore24's OpenAPI document. The commissions of a transaction are one
// order, and a refund takes back an earlier payment.
func TestDigistoreAnswers(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/digistore24.json")
	var answers map[string]json.RawMessage
	if err != nil || json.Unmarshal(raw, &answers) != nil {
		t.Fatal(err)
	}
	var asked []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		asked = append(asked, path.Base(r.URL.Path)+" "+q.Get("search[purchase_id]")+q.Get("purchase_id")+" "+q.Get("from"))
		_, _ = fmt.Fprintf(w, `{"api_version": "1.2", "current_time": "2026-11-21 01:00:00", "result": "success", "data": %s}`, answers[path.Base(r.URL.Path)])
	}))
	t.Cleanup(server.Close)
	credentials := networkstest.Fakes["digistore24"].Credentials()
	credentials["timezone"] = "Europe/Berlin"
	c, err := networks.New(networks.Options{URL: server.URL, Egress: egresstest.Client(t, server, egress.Options{}), Now: now}).
		Open("digistore24", "n1", credentials)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Orders(t.Context(), day, day.AddDate(0, 0, 6), networks.MaxOrders)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, o := range got {
		texts = append(texts, fmt.Sprintf("%s|%s|%s|%s %s|%s %s|%v|%s", o.Click, o.ID, o.Status, o.Payout, o.Currency, o.Sale, o.SaleCurrency, o.Alone,
			o.At.Format(time.RFC3339)))
	}
	if want := []string{
		"their click|98765|approved|14 EUR|40.5 EUR|false|2026-11-01T16:49:40Z",
		"their second|98770|approved|5 EUR + 5 USD EUR|30 EUR|false|2026-11-02T07:00:00Z",
		"|98790|approved|9 EUR|18 USD|false|2026-11-04T08:00:00Z",
		"their third|90002|rejected|-20 EUR|-50 EUR|true|2026-11-03T07:00:00Z",
	}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
	const purchases = "ABC1234,DEF1234,GHI1234,JKL1234"
	if want := []string{
		"listCommissions  2026-11-01 00:00:00", "listTransactions " + purchases + " start", "getPurchaseTracking " + purchases + " ",
	}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

package networks_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/networks"
	"switchyard/workers/providers/networks/networkstest"
)

// TestItems: if the items of a conversion differ in their status, the payout and the sale are sums of the items that are not rejected.
func TestItems(t *testing.T) {
	t.Parallel()
	s := newSuite(t, "partnerize")
	list := s.orders(1)
	list[0].Word = "mixed"
	s.platforms.Set(list...)
	if got := s.read(s.open(nil)); len(got) != 1 || got[0].Status != models.StatusApproved || got[0].Payout != "1.5" || got[0].Sale != "15" {
		t.Errorf("%+v", got)
	}
}

// TestNoOrders: records that are not customers' orders, such as fees and test sales, are left out.
func TestNoOrders(t *testing.T) {
	t.Parallel()
	s := newSuite(t, "clickbank")
	list := s.orders(3)
	list[0].Word, list[1].Word = "FEE", "TEST_SALE"
	s.platforms.Set(list...)
	if got := s.read(s.open(nil)); len(got) != 1 || got[0].ID != list[2].ID {
		t.Errorf("%+v", got)
	}
}

// TestHosts: a credential that is part of a platform's host name may contain only a host name.
func TestHosts(t *testing.T) {
	t.Parallel()
	server := networkstest.Serve(t, &networkstest.Platforms{})
	client := networks.New(networks.Options{Egress: egresstest.Client(t, server, egress.Options{})})
	for name, field := range map[string]string{"tune": "network_id", "affise": "tenant", "cake": "domain"} {
		for _, host := range []string{"evil.example/#", "a@evil.example", "evil.example?", "evil.example:8080", "evil example"} {
			credentials := networkstest.Fakes[name].Credentials()
			credentials[field] = host
			c, err := client.Open(name, "n1", credentials)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Test(t.Context()); err == nil || !strings.Contains(err.Error(), "the provider's address cannot be read") {
				t.Errorf("%s at %s: %v", name, host, err)
			}
		}
	}
}

// TestImpactPages: 5,001 orders are read in two pages.
func TestImpactPages(t *testing.T) {
	t.Parallel()
	s := newSuite(t, "impact")
	s.platforms.Set(s.orders(5001)...)
	c := s.open(nil)
	got, err := c.Orders(t.Context(), day, day.AddDate(0, 0, 6), 2*networks.MaxOrders)
	if used := c.Used(); err != nil || len(got) != 5001 || used.Pages != 2 {
		t.Errorf("%d orders, used %+v, %v", len(got), used, err)
	}
}

// TestCakeDisposition: a conversion without a disposition (CAKE's word for a status) is approved.
func TestCakeDisposition(t *testing.T) {
	t.Parallel()
	s := newSuite(t, "cake")
	list := s.orders(2)
	list[0].Status, list[1].Status, list[1].Word = models.StatusApproved, models.StatusApproved, "Approved"
	s.platforms.Set(list...)
	got := s.read(s.open(nil))
	if len(got) != 2 || got[0].Status != models.StatusApproved || got[0].Word != "" || got[1].Status != models.StatusApproved {
		t.Errorf("%+v", got)
	}
}

// TestPartnerizePages: the next page is requested by the answer's cursor, or by the address of the next page.
func TestPartnerizePages(t *testing.T) {
	t.Parallel()
	const order = `{"conversions": [{"conversion_data": {"conversion_id": "%s", "conversion_value": {"conversion_status": "approved"}}}]%s}`
	for name, c := range map[string]struct{ more, param, value string }{
		"a member":       {`, "cursor_id": 7, "hypermedia": {"pagination": {"next_page": "/r?limit=300"}}`, "cursor_id", "7"},
		"in the address": {`, "hypermedia": {"pagination": {"next_page": "/r?limit=300&cursor_id=10325942995"}}`, "cursor_id", "10325942995"},
		"by the offset":  {`, "hypermedia": {"pagination": {"next_page": "/r?limit=300&offset=300"}}`, "offset", "300"},
	} {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get(c.param) == c.value {
				_, _ = fmt.Fprintf(w, order, "2", "")
				return
			}
			_, _ = fmt.Fprintf(w, order, "1", c.more)
		}))
		t.Cleanup(server.Close)
		conn, err := networks.New(networks.Options{URL: server.URL, Egress: egresstest.Client(t, server, egress.Options{})}).
			Open("partnerize", "n1", networkstest.Fakes["partnerize"].Credentials())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := conn.Orders(t.Context(), day, day, networks.MaxOrders); err != nil || len(got) != 2 || got[1].ID != "2" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestEbayRecords: the next page is requested with the parameters of its address, but always on the host of the API. The records
// of a transaction are sorted by their update time, so that the latest one counts.
func TestEbayRecords(t *testing.T) {
	t.Parallel()
	var asked []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Get("Page")+" "+r.URL.Query().Get("STATUS"))
		if r.URL.Query().Get("Page") == "2" {
			_, _ = fmt.Fprint(w, `{"Records": [{"EpnTransactionId": "2", "EventName": "New Buyer", "Status": "Pending"}], "@nextpageuri": ""}`)
			return
		}
		_, _ = fmt.Fprint(w, `{"@nextpageuri": "https://elsewhere.example/Mediapartners/x?STATUS=ALL&Page=2", "Records": [
			{"EpnTransactionId": "1", "EventName": "Sale", "Status": "Approved", "Earnings": "3", "UpdateDate": "2026-11-05T00:00:00-0700"},
			{"EpnTransactionId": "1", "EventName": "Sale", "Status": "Pending", "Earnings": "4", "UpdateDate": "2026-11-01T00:00:00-0700"}]}`)
	}))
	t.Cleanup(server.Close)
	conn, err := networks.New(networks.Options{URL: server.URL, Egress: egresstest.Client(t, server, egress.Options{})}).
		Open("ebay", "n1", networkstest.Fakes["ebay"].Credentials())
	if err != nil {
		t.Fatal(err)
	}
	got, err := conn.Orders(t.Context(), day, day, networks.MaxOrders)
	if err != nil || len(got) != 3 || got[0].Payout != "4" || got[1].Payout != "3" || got[1].Status != models.StatusApproved || got[1].Goal != "" ||
		got[2].Goal != "New Buyer" || fmt.Sprint(asked) != "[ ALL 2 ALL]" { // the first page without a number, then page 2
		t.Errorf("%+v, %q, %v", got, asked, err)
	}
}

// TestNoCursor: an answer that promises more pages without a cursor is an error.
func TestNoCursor(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"partnerize": `{"conversions": [{"conversion_data": {"conversion_id": "1"}}], "hypermedia": {"pagination": {"next_page": "/x"}}}`,
		"cj":         `{"data": {"publisherCommissions": {"payloadComplete": false, "records": [{"commissionId": "1"}]}}}`,
	} {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		t.Cleanup(server.Close)
		c, err := networks.New(networks.Options{URL: server.URL, Egress: egresstest.Client(t, server, egress.Options{})}).
			Open(name, "n1", networkstest.Fakes[name].Credentials())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Orders(t.Context(), day, day, networks.MaxOrders); err == nil || !strings.Contains(err.Error(), "another form") {
			t.Errorf("%s: %d orders, %v", name, len(got), err)
		}
	}
}

package networks_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/networks"
	"switchyard/workers/providers/rest"
)

// customFields are the credentials of the endpoint: its header, its time zone, and where its rows have the fields of an order.
var customFields = map[string]string{
	"header": "X-Key", "header_value": "canary-Zq7", "rows_path": "data.orders", "click_field": "click.sub", "id_field": "id",
	"payout_field": "money.amount", "sale_field": "money.sale", "currency_field": "money.currency", "status_field": "state", "time_field": "at", "goal_field": "goal",
	"timezone": "America/New_York",
}

// custom opens a connection to an endpoint that answers with a body. It also returns the queries that the endpoint receives.
func custom(t *testing.T, body string, change map[string]string) (*networks.Connection, *[]url.Values) {
	t.Helper()
	asked := &[]url.Values{}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "canary-Zq7" {
			w.WriteHeader(http.StatusForbidden)
			_, _ = fmt.Fprintf(w, `{"message": "no key like %s"}`, r.Header.Get("X-Key"))
			return
		}
		*asked = append(*asked, r.URL.Query())
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	credentials := maps.Clone(customFields)
	credentials["url"] = server.URL + "/orders?since={from}&until={to}"
	maps.Copy(credentials, change)
	p, _ := models.NetworkProviderNamed("custom")
	credentials, err := p.Complete(credentials, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := networks.New(networks.Options{Egress: egresstest.Client(t, server, egress.Options{})}).Open("custom", "n1", credentials)
	if err != nil {
		t.Fatal(err)
	}
	return c, asked
}

// TestCustom: the fields of an order are found by their paths in JSON, and by their columns in CSV.
func TestCustom(t *testing.T) {
	t.Parallel()
	click := models.FormatClickID(models.NewClickID())
	at := time.Date(2026, 11, 1, 14, 30, 0, 0, time.UTC) // half past nine in New York
	want := []networks.Order{
		{Click: click, ID: "7", Goal: "lead", Word: "Approved", Status: models.StatusApproved, Payout: "1.50", Sale: "15", Currency: "EUR", At: networks.Moment{Time: at}},
		{Click: "theirs", ID: "8", Word: "on the moon", Payout: "2", At: networks.Moment{Unread: "never"}},
		{ID: "9", Status: models.StatusApproved},
	}
	json := `{"data": {"orders": [
		{"click": {"sub": "` + click + `"}, "id": 7, "goal": "lead", "state": "Approved", "at": "2026-11-01 09:30:00",
			"money": {"amount": 1.50, "sale": 15, "currency": "EUR"}},
		{"click": {"sub": "theirs"}, "id": "8", "state": "on the moon", "money": {"amount": "2"}, "at": "never"},
		{"click": null, "id": 9, "money": 5}
	]}}`
	csv := "\ufeffid, click ,state,amount,currency,at,goal,sale\r\n" +
		"7," + click + ",Approved,1.50,EUR,2026-11-01 09:30:00,lead,15\r\n8,theirs,\"on the moon\",2,,never,\r\n9\r\n"
	for name, c := range map[string]struct {
		body   string
		change map[string]string
	}{
		"json":          {json, nil},
		"json with bom": {"\ufeff" + json, nil},
		"csv": {csv, map[string]string{
			"format": "csv", "click_field": "click", "payout_field": "amount", "sale_field": "sale", "currency_field": "currency",
		}},
	} {
		conn, asked := custom(t, c.body, c.change)
		got, err := conn.Orders(t.Context(), day, day.AddDate(0, 0, 6), networks.MaxOrders)
		if err != nil || len(got) != len(want) {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: order %+v, want %+v", name, got[i], want[i])
			}
		}
		if len(*asked) != 1 || (*asked)[0].Get("since") != "2026-11-01" || (*asked)[0].Get("until") != "2026-11-07" {
			t.Errorf("%s: asked %v", name, *asked)
		}
		if err := conn.Test(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCustomFails: the error says what is wrong with an answer, without the header's value. An answer without orders is no error.
func TestCustomFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body, says string
		change     map[string]string
	}{
		"no list":    {`{"data": {"orders": {"id": 1}}}`, "no list at rows_path", nil},
		"elsewhere":  {`{"orders": []}`, "no list at rows_path", nil},
		"a text":     {`"<html>"`, "no list at rows_path", nil},
		"no json":    {`<html>`, "another form", nil},
		"wrong key":  {`[]`, "refused the credentials: no key like ***", map[string]string{"header_value": "canary-wrong"}},
		"no address": {`[]`, "address", map[string]string{"url": "https://%zz/"}},
	} {
		conn, _ := custom(t, c.body, c.change)
		_, err := conn.Orders(t.Context(), day, day, networks.MaxOrders)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
		if errors.Is(err, rest.ErrRefused) != (name == "wrong key") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		body   string
		change map[string]string
	}{
		"an empty list":  {`[]`, map[string]string{"rows_path": " "}},
		"an empty table": {"", map[string]string{"format": "csv"}},
		"a head alone":   {"id,click\n", map[string]string{"format": "csv"}},
	} {
		conn, _ := custom(t, c.body, c.change)
		if got, err := conn.Orders(t.Context(), day, day, networks.MaxOrders); err != nil || len(got) != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestCustomToken: a token replaces its placeholder in the address and the header, and no error contains a part of it.
func TestCustomToken(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("key") != "canary&Zq7" || r.Header.Get("Authorization") != "Token canary&Zq7" {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = fmt.Fprintf(w, `{"message": "you sent %s and %s"}`, r.URL.RawQuery, r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	read := func(address, rows string) error {
		t.Helper()
		p, _ := models.NetworkProviderNamed("custom")
		credentials, err := p.Complete(map[string]string{
			"url": address, "token": "canary&Zq7", "header": "Authorization", "header_value": "Token {token}", "click_field": "c", "id_field": "i",
			"rows_path": rows,
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if open, _ := p.Split(credentials); strings.Contains(fmt.Sprint(open), "canary") {
			t.Errorf("%v is shown", open)
		}
		c, err := networks.New(networks.Options{Egress: egresstest.Client(t, server, egress.Options{})}).Open("custom", "n1", credentials)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Orders(t.Context(), day, day, networks.MaxOrders)
		return err
	}
	if err := read(server.URL+"/?key={token}", "rows"); err == nil || err.Error() != "the answer has no list at rows_path" {
		t.Errorf("%v", err)
	}
	if err := read(server.URL+"/?other={token}", "rows"); !errors.Is(err, rest.ErrRefused) || strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
	if err := read("http://shop.example.com/?key={token}", ""); err == nil || err.Error() != "the address must begin with https://" {
		t.Errorf("%v", err)
	}
}

package networks_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/networks"
	"switchyard/workers/providers/networks/networkstest"
)

// TestEverflowRecorded reads answers in the form that Everflow gives to affiliates.
func TestEverflowRecorded(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"/everflow/affiliates/reporting/conversions": "testdata/everflow_conversions.json",
		"/everflow/affiliates/reporting/onhold":      "testdata/everflow_onhold.json",
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := os.ReadFile(answers[r.URL.Path])
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	c, err := networks.New(networks.Options{
		URL: server.URL, Egress: egresstest.Client(t, server, egress.Options{}), Now: now,
	}).Open("everflow", "n1", networkstest.Fakes["everflow"].Credentials())
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Orders(t.Context(), day, day, networks.MaxOrders)
	if err != nil || len(got) != 4 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, want := range []networks.Order{
		{
			Click: "timesunion", ID: "cc39700ee5f14f96aaa7b5ab4c286940", GoalRef: "Purchase", Ref: "6ec1d143e7934029aa1bd8147c8befcf",
			Status: models.StatusApproved, Payout: "25.996", Sale: "64.99", Currency: "USD",
		},
		{
			Click: "timesunion", ID: "62532feabe8c4a04ade969cc7cade7dc", Goal: "Upsell", GoalRef: "Upsell", Ref: "6ec1d143e7934029aa1bd8147c8befcf",
			Status: models.StatusApproved, Payout: "3.5", Sale: "9", Currency: "USD",
		},
		{
			Click: "timesunion", ID: "8199059e82d94fb5a9435cde956ecaa3", GoalRef: "Base", Ref: "97dcc812b9fd4eeea69a217e3f7d827b",
			Word: "on_hold", Status: models.StatusPending, Payout: "25.996", Sale: "64.99",
		},
		{
			Click: "timesunion", ID: "71372f08d70b427f94d5f1b3b98e0cf9", Goal: "Upsell", GoalRef: "Upsell", Ref: "97dcc812b9fd4eeea69a217e3f7d827b",
			Word: "rejected", Status: models.StatusRejected, Payout: "3.5", Sale: "9",
		},
	} {
		if got[i].At.IsZero() {
			t.Errorf("order %d has no time", i)
		}
		if got[i].At = (networks.Moment{}); got[i] != want {
			t.Errorf("order %d:\n%+v, want\n%+v", i, got[i], want)
		}
	}
}

// TestEverflowOld: a range that begins more than 365 days ago is refused before a request is sent. Today is 20 days after day.
func TestEverflowOld(t *testing.T) {
	t.Parallel()
	s := newSuite(t, "everflow")
	_, err := s.open(nil).Orders(t.Context(), day.AddDate(0, 0, -346), day, networks.MaxOrders)
	if e, ok := models.AsError(err); !ok || e.Code != "bad_range" || s.platforms.Calls() != 0 {
		t.Errorf("%v after %d requests", err, s.platforms.Calls())
	}
	if _, err = s.open(nil).Orders(t.Context(), day.AddDate(0, 0, -345), day, networks.MaxOrders); err != nil {
		t.Error(err)
	}
}

// TestStanding: Standing accepts only a platform that stops reporting rejected orders, and a range that does not end before
// today.
func TestStanding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		days int // from today to the end of the range
		want bool
	}{
		{"everflow", 0, true},
		{"everflow", 1, true},
		{"everflow", -1, false},
		{"affise", 0, false},
	} {
		conn := newSuite(t, c.name).open(nil)
		standing, ok := conn.Standing(day, now().AddDate(0, 0, c.days))
		if ok != c.want || !standing.From.Equal(day) || !standing.End().Equal(now().AddDate(0, 0, c.days+1)) {
			t.Errorf("%s, %d days: %v, %v", c.name, c.days, standing, ok)
		}
	}
}

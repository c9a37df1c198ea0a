package networks_test

import (
	"errors"
	"slices"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/networks"
	"switchyard/workers/providers/networks/networkstest"
	"switchyard/workers/providers/rest"
	"switchyard/workers/providers/rest/resttest"
)

func (s *suite) read(c *networks.Connection) []networks.Order {
	s.Helper()
	got, err := c.Orders(s.Context(), day, day.AddDate(0, 0, 6), networks.MaxOrders)
	if err != nil {
		s.Fatal(err)
	}
	return got
}

// refusal: the returned error contains the text of the platform's error.
func (s *suite) refusal() {
	s.platforms.Fail(resttest.Refusal)
	_, err := s.open(nil).Orders(s.Context(), day, day, networks.MaxOrders)
	if err == nil || !strings.Contains(err.Error(), resttest.RefusalText) || errors.Is(err, rest.ErrRefused) || errors.Is(err, rest.ErrBusy) {
		s.Error(err)
	}
}

// tokens: if a token expires between two pages, a new one is fetched once.
func (s *suite) tokens() {
	if !networkstest.Fakes[s.name].Tokens {
		return
	}
	s.platforms.Set(s.orders(1203)...)
	s.platforms.Fail(resttest.None, resttest.None, resttest.Expired, resttest.None)
	c := s.open(nil)
	if got := s.read(c); len(got) != 1203 {
		s.Errorf("%d orders were read, want 1203", len(got))
	}
	if used := c.Used(); used.Requests != used.Pages+3 { // two requests for tokens, and the page that was refused
		s.Errorf("reading the orders used %+v, want 3 requests more than pages", used)
	}
	before := s.platforms.Calls()
	s.platforms.Fail(resttest.Expired)
	if _, err := s.open(nil).Orders(s.Context(), day, day, networks.MaxOrders); !errors.Is(err, rest.ErrRefused) || s.platforms.Calls() != before+2 {
		s.Errorf("the error is %v after %d requests, want ErrRefused after 2", err, s.platforms.Calls()-before)
	}
}

// quoted: if a platform writes its numbers as texts, the orders are the same.
func (s *suite) quoted() {
	s.platforms.Set(s.orders(1203)...)
	plain := s.read(s.open(nil))
	s.platforms.Quote()
	if got := s.read(s.open(nil)); len(got) != 1203 || !slices.Equal(got, plain) {
		s.Errorf("%d orders, or the orders differ", len(got))
	}
}

// bare: an order without payout, currency and time is still read.
func (s *suite) bare() {
	list := s.orders(2)
	list[0].Bare = true
	s.platforms.Set(list...)
	got := s.read(s.open(nil))
	i := slices.IndexFunc(got, func(o networks.Order) bool { return o.ID == list[0].ID })
	if len(got) != 2 || i < 0 {
		s.Fatalf("%+v", got)
	}
	if o := got[i]; o.Click != list[0].Click || o.Payout != "" || o.Currency != "" || !o.At.IsZero() || o.Status != list[0].Status {
		s.Errorf("%+v", o)
	}
}

// zone: days and times are right for a platform in New York on the day with 25 hours. For platforms that report times in UTC,
// days are UTC days.
func (s *suite) zone() {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		s.Fatal(err)
	}
	p, _ := models.NetworkProviderNamed(s.name)
	change, zone := map[string]string{}, time.UTC
	if slices.ContainsFunc(p.Fields, func(f models.CredentialField) bool { return f.Zone }) {
		change["timezone"], zone = newYork.String(), newYork
	}
	if s.name == "clickbank" { // its days are in its own time zone
		zone = newYork
	}
	s.platforms.SetZone(newYork)
	first := time.Date(2026, 11, 1, 0, 0, 0, 0, zone)
	end := time.Date(2026, 11, 2, 0, 0, 0, 0, zone)
	if zone == newYork && end.Sub(first) != 25*time.Hour {
		s.Fatal("the day does not have 25 hours")
	}
	list := s.orders(6)
	for i, moment := range []time.Time{
		first.Add(-time.Minute), first, first.Add(30 * time.Minute), first.Add(12 * time.Hour), end.Add(-time.Minute), end,
	} {
		list[i].At = moment.UTC()
	}
	s.platforms.Set(list...)
	got, err := s.open(change).Orders(s.Context(), day, day, networks.MaxOrders)
	if err != nil || len(got) != 4 {
		s.Fatalf("%+v, %v", got, err)
	}
	for _, want := range list[1:5] {
		if !slices.ContainsFunc(got, func(o networks.Order) bool { return o.ID == want.ID && o.At.Equal(want.At) }) {
			s.Errorf("no order %s of %v in %+v", want.ID, want.At, got)
		}
	}
}

// twice: an order that the platform lists twice is read once, or twice with the same values.
func (s *suite) twice() {
	order := s.orders(1)[0]
	s.platforms.Set(order, order)
	got := s.read(s.open(nil))
	if len(got) == 0 || len(got) > 2 {
		s.Fatalf("%+v", got)
	}
	for _, o := range got {
		if o.ID != order.ID || o.Status != order.Status || o != got[0] {
			s.Errorf("%+v", got)
		}
	}
}

// foreign: an order whose click is not ours is read too, with the platform's text for the click. Some fakes
// have the text "banner" in another field of the order, and it may be read instead.
func (s *suite) foreign() {
	list := s.orders(2)
	list[0].Click, list[1].Click = "", "somebody-else"
	s.platforms.Set(list...)
	got := s.read(s.open(nil))
	slices.SortFunc(got, func(a, b networks.Order) int { return strings.Compare(a.ID, b.ID) })
	if len(got) != 2 || len(got[0].Click) > len("banner") || !slices.Contains([]string{"somebody-else", "banner"}, got[1].Click) {
		s.Errorf("%+v", got)
	}
}

// reversals: an order that the platform takes back is rejected, charged back or no longer listed. An order that is taken back in part
// has a smaller payout.
func (s *suite) reversals() {
	list := s.orders(1)
	list[0].Status = models.StatusChargeback
	s.platforms.Set(list...)
	reversed := []string{models.StatusRejected, models.StatusChargeback}
	got := s.read(s.open(nil))
	if networkstest.Fakes[s.name].Vanish {
		if len(got) != 0 {
			s.Errorf("a charged-back order: %+v", got)
		}
	} else if len(got) != 1 || !slices.Contains(reversed, got[0].Status) || got[0].ID != list[0].ID {
		s.Errorf("a charged-back order: %+v", got)
	}
	list[0].Status, list[0].Payout = models.StatusApproved, "10"
	if networkstest.Fakes[s.name].SeparateReversals {
		for back, want := range map[string]networks.Order{
			"10": {Status: models.StatusRejected, Payout: "10"}, "2.5": {Status: models.StatusApproved, Payout: "7.5"},
		} {
			list[0].TakenBack = back
			s.platforms.Set(list...)
			got := s.read(s.open(nil))
			if len(got) != 1 || got[0].ID != list[0].ID || got[0].Status != want.Status || got[0].Payout != want.Payout {
				s.Errorf("after %s was taken back: %+v", back, got)
			}
		}
		list[0].TakenBack = ""
	}
	list[0].Payout = "12.75"
	s.platforms.Set(list...)
	if got := s.read(s.open(nil)); len(got) != 1 || got[0].Payout != "12.75" || got[0].Status != models.StatusApproved {
		s.Errorf("an amended order: %+v", got)
	}
}

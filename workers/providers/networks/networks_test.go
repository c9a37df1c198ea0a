package networks_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/money"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/networks"
	"switchyard/workers/providers/networks/networkstest"
	"switchyard/workers/providers/rest"
	"switchyard/workers/providers/rest/resttest"
)

// day is the day of the first order in most tests.
var day = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// now is the clock of the tests, twenty days later.
func now() time.Time { return day.AddDate(0, 0, 20) }

// fakes returns the platforms that have a fake. The custom endpoint has its own test.
func fakes(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, p := range models.NetworkProviders {
		if p.Name != "custom" {
			names = append(names, p.Name)
		}
	}
	if have := slices.Sorted(maps.Keys(networkstest.Fakes)); !slices.Equal(have, slices.Sorted(slices.Values(names))) {
		t.Fatalf("the fakes are %v, but the providers are %v", have, names)
	}
	return names
}

type suite struct {
	*testing.T
	name      string
	platforms *networkstest.Platforms
	client    *networks.Client
	waits     []time.Duration
	waited    func()
	limit     time.Duration
}

func newSuite(t *testing.T, name string) *suite {
	t.Helper()
	s := &suite{T: t, name: name, platforms: &networkstest.Platforms{}, limit: time.Minute}
	server := networkstest.Serve(t, s.platforms)
	s.client = networks.New(networks.Options{
		Egress: egresstest.Client(t, server, egress.Options{MaxBody: 32 << 20}), URL: server.URL,
		Now: now,
		Wait: func(_ context.Context, d time.Duration) error {
			if s.waits = append(s.waits, d); s.waited != nil {
				s.waited()
			}
			return nil
		},
		Timeout: func() time.Duration { return s.limit },
	})
	return s
}

// open opens a connection with the fake's credentials.
func (s *suite) open(change map[string]string) *networks.Connection {
	s.Helper()
	credentials := networkstest.Fakes[s.name].Credentials()
	maps.Copy(credentials, change)
	p, _ := models.NetworkProviderNamed(s.name)
	credentials, err := p.Complete(credentials, nil)
	if err != nil {
		s.Fatal(err)
	}
	c, err := s.client.Open(s.name, "n1", credentials)
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// orders returns n orders of one click, a minute apart, with all statuses that the platform can report.
func (s *suite) orders(n int) []networkstest.Order {
	click := models.FormatClickID(models.NewClickID())
	statuses := networkstest.Fakes[s.name].Statuses
	if statuses == nil {
		statuses = []string{models.StatusApproved, models.StatusPending, models.StatusRejected}
	}
	out := make([]networkstest.Order, n)
	for i := range out {
		out[i] = networkstest.Order{
			ID: fmt.Sprintf("T%05d", i), Click: click, Status: statuses[i%len(statuses)],
			Payout: fmt.Sprintf("%d.25", i%7), Sale: fmt.Sprintf("%d.5", i%9+1), Currency: "EUR", At: day.Add(time.Duration(i) * time.Minute),
		}
	}
	return out
}

// TestPlatforms runs the suite for each platform against a fake of its API.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	for _, name := range fakes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for part, test := range map[string]func(*suite){
				"pages": (*suite).pages, "days": (*suite).days, "failures": (*suite).failures, "slow": (*suite).slow, "credentials": (*suite).credentials,
				"words": (*suite).words, "too many": (*suite).tooMany, "refusal": (*suite).refusal, "tokens": (*suite).tokens,
				"quoted": (*suite).quoted, "bare": (*suite).bare, "zone": (*suite).zone, "twice": (*suite).twice,
				"foreign": (*suite).foreign, "reversals": (*suite).reversals,
			} {
				t.Run(part, func(t *testing.T) { test(newSuite(t, name)) })
			}
		})
	}
}

// pages: all orders of all pages are read, each with the fields that the platform reports.
func (s *suite) pages() {
	c := s.open(nil)
	if got, err := c.Orders(s.Context(), day, day.AddDate(0, 0, 6), networks.MaxOrders); err != nil || len(got) != 0 {
		s.Fatalf("a range without orders: %v, %v", got, err)
	}
	want := s.orders(1203)
	s.platforms.Set(want...)
	got, err := c.Orders(s.Context(), day, day.AddDate(0, 0, 6), networks.MaxOrders)
	if err != nil || len(got) != len(want) {
		s.Fatalf("%d orders of %d, %v", len(got), len(want), err)
	}
	byID := map[string]networks.Order{}
	for _, o := range got {
		byID[o.ID] = o
	}
	for _, w := range want {
		o := byID[w.ID]
		payout, err := money.Read(o.Payout, o.Currency)
		if o.Click != w.Click || o.Status != w.Status || err != nil || !payout.Value.Abs().Equal(decimal.RequireFromString(w.Payout)) || o.Goal != "" ||
			o.Currency != "" && o.Currency != w.Currency || !o.At.Equal(w.At) {
			s.Fatalf("order %+v, want %+v", o, w)
		}
		if sale, err := money.Read(o.Sale, o.Currency); !networkstest.Fakes[s.name].NoSale &&
			(err != nil || !sale.Value.Equal(decimal.RequireFromString(w.Sale)) || o.SaleCurrency != "" && o.SaleCurrency != w.Currency) {
			s.Fatalf("order %+v has a sale of %q %s, want %s", o, o.Sale, o.SaleCurrency, w.Sale)
		}
	}
}

// days: only orders of the requested days are read, both days included.
func (s *suite) days() {
	inside := s.orders(2)
	inside[0].At, inside[1].At = day, day.AddDate(0, 0, 1).Add(-time.Minute)
	before, after := inside[0], inside[1]
	before.ID, before.At, after.ID, after.At = "before", day.Add(-time.Minute), "after", day.AddDate(0, 0, 1)
	s.platforms.Set(before, inside[0], inside[1], after)
	got, err := s.open(nil).Orders(s.Context(), day, day, networks.MaxOrders)
	if err != nil || len(got) != 2 {
		s.Errorf("the orders of one day: %+v, %v", got, err)
	}
	if got, err = s.open(nil).Orders(s.Context(), day.AddDate(0, 0, -60), day.AddDate(0, 0, 60), networks.MaxOrders); err != nil || len(got) != 4 {
		s.Errorf("the orders of several months: %+v, %v", got, err)
	}
}

// failures: the connection waits out a temporary failure. The error of a permanent failure contains no credentials.
func (s *suite) failures() {
	s.platforms.Set(s.orders(3)...)
	for _, faults := range [][]resttest.Fault{
		{resttest.Busy, resttest.None}, {resttest.Swamped, resttest.None}, {resttest.Down, resttest.Cut, resttest.None},
	} {
		s.waits = nil
		s.platforms.Fail(faults...)
		got, err := s.open(nil).Orders(s.Context(), day, day, networks.MaxOrders)
		if err != nil || len(got) != 3 || len(s.waits) != len(faults)-1 {
			s.Errorf("after %v: %d orders, %v, waits %v", faults, len(got), err, s.waits)
		}
		if faults[0] == resttest.Busy && s.waits[0] != 7*time.Second {
			s.Errorf("waits %v, but the platform asks for 7 s", s.waits)
		}
	}
	for _, f := range []resttest.Fault{
		resttest.Busy, resttest.Down, resttest.Cut, resttest.Elsewhere, resttest.Echo, resttest.Strange,
	} {
		s.platforms.Fail(f)
		c := s.open(nil)
		for _, err := range []error{c.Test(s.Context()), func() error { _, err := c.Orders(s.Context(), day, day, networks.MaxOrders); return err }()} {
			if err == nil || strings.Contains(err.Error(), "canary") {
				s.Errorf("fault %d: %v", f, err)
			}
			if errors.Is(err, rest.ErrBusy) != (f == resttest.Busy) {
				s.Errorf("fault %d is %v", f, err)
			}
		}
	}
}

// slow: an answer that takes longer than the timeout is requested again. An answer that never comes is an error.
func (s *suite) slow() {
	s.platforms.Set(s.orders(3)...)
	s.platforms.Fail(resttest.Slow)
	s.limit = 20 * time.Millisecond
	c := s.open(nil)
	_, read := c.Orders(s.Context(), day, day, networks.MaxOrders)
	for what, err := range map[string]error{"test": c.Test(s.Context()), "read": read} {
		if err == nil || !strings.Contains(err.Error(), "no complete answer in time") || errors.Is(err, rest.ErrBusy) || errors.Is(err, rest.ErrRefused) {
			s.Errorf("%s: %v", what, err)
		}
	}
	if len(s.waits) < 2 {
		s.Errorf("waits %v", s.waits)
	}
	s.waits, s.waited = nil, func() {
		s.platforms.Fail(resttest.None)
		s.limit = time.Minute
	}
	if got, err := c.Orders(s.Context(), day, day, networks.MaxOrders); err != nil || len(got) != 3 || len(s.waits) != 1 {
		s.Errorf("after a slow answer: %d orders, %v, waits %v", len(got), err, s.waits)
	}
}

// credentials: correct credentials pass the test. Each wrong secret is refused, and the error does not repeat it.
func (s *suite) credentials() {
	if err := s.open(nil).Test(s.Context()); err != nil {
		s.Fatal(err)
	}
	p, _ := models.NetworkProviderNamed(s.name)
	for _, f := range p.Fields {
		if !f.Secret {
			continue
		}
		err := s.open(map[string]string{f.Name: "wrong-Zq7"}).Test(s.Context())
		if !errors.Is(err, rest.ErrRefused) || strings.Contains(err.Error(), "Zq7") {
			s.Errorf("with a wrong %s: %v", f.Name, err)
		}
	}
}

// words: an unknown word for a status gives an empty status, and the order is still read.
func (s *suite) words() {
	list := s.orders(1)
	list[0].Word = "on the moon"
	s.platforms.Set(list...)
	got, err := s.open(nil).Orders(s.Context(), day, day, networks.MaxOrders)
	if err != nil || len(got) != 1 || got[0].Status != "" || got[0].Word == "" {
		s.Errorf("%+v, %v", got, err)
	}
}

// tooMany: a range with more than MaxOrders orders is an error.
func (s *suite) tooMany() {
	s.platforms.Set(s.orders(networks.MaxOrders + 1)...)
	if _, err := s.open(nil).Orders(s.Context(), day, day.AddDate(0, 0, 6), networks.MaxOrders); !errors.Is(err, networks.ErrTooMany) {
		s.Error(err)
	}
}

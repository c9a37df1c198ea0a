package copilot_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/copilot"
	"switchyard/models/flow"
)

var now = time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC)

const (
	otherOffer = "44444444-4444-4444-8444-444444444444"
	lander     = "55555555-5555-4555-8555-555555555555"
	sourceID   = "66666666-6666-4666-8666-666666666666"
)

// quiet returns the data of an account that needs no change: one campaign with two offers that earn alike.
func quiet() copilot.Input {
	in := copilot.Input{Now: now, Currency: "USD", Offers: map[string]copilot.OfferInput{}, Landers: map[string]copilot.LanderInput{}}
	for day := range copilot.WindowDays {
		in.Days = append(in.Days, now.AddDate(0, 0, day-copilot.WindowDays).Format(time.DateOnly))
	}
	for i, id := range []string{offer.UUID.String(), otherOffer} {
		o := models.Offer{Pausable: models.Pausable{IsActive: true}}
		o.ID, o.Name, o.Currency, o.PayoutType = uuid.MustParse(id), fmt.Sprint("offer ", i), "USD", "fixed"
		o.Payout = models.NewMoney(decimal.NewFromInt(10))
		in.Offers[id] = copilot.OfferInput{Offer: o}
	}
	in.Landers[lander] = copilot.LanderInput{Name: "page", Active: true}
	c := copilot.CampaignInput{}
	c.ID, c.Name, c.FlowRotation, c.Status = campaign.UUID, "shoes", "weight", models.CampaignActive
	c.SourceID = uuid.NullUUID{UUID: uuid.MustParse(sourceID), Valid: true}
	p := flow.NewPath()
	p.ID, p.Name, p.Action = pathA, "main", flow.ActionOffer
	p.Destinations = []flow.Destination{{ID: offer.UUID.String(), Weight: 100}, {ID: otherOffer, Weight: 100}}
	c.Paths = []flow.Path{p}
	for day := range in.Days {
		for _, id := range []string{offer.UUID.String(), otherOffer} {
			c.Rows = append(c.Rows, copilot.ArmRow{Path: pathA, Offer: id, Day: day, Clicks: 100, Conversions: 2, Value: 20, Cost: 15})
		}
	}
	in.Campaigns = []copilot.CampaignInput{c}
	return in
}

// worse sets the number of clicks of each row, and makes the second offer earn a quarter of the first offer's earnings.
func worse(in *copilot.Input, clicks int64) {
	for i := range in.Campaigns[0].Rows {
		r := &in.Campaigns[0].Rows[i]
		r.Clicks = clicks
		if r.Offer == otherOffer {
			r.Conversions, r.Value = int64(i%4/3), 10*float64(i%4/3)
		}
	}
}

func placement(in *copilot.Input, attribute, value string, clicks int64) {
	c := &in.Campaigns[0]
	c.Values = append(c.Values, copilot.ValueRow{Attribute: attribute, Value: value, Clicks: clicks, Cost: 200})
}

// capped gives the second offer a daily cap and the same figures on each day.
func capped(in *copilot.Input, most int, day copilot.OfferDay) {
	o := in.Offers[otherOffer]
	o.DailyCap = &most
	for range in.Days {
		o.Days = append(o.Days, day)
	}
	in.Offers[otherOffer] = o
}

// TestKinds checks that each kind except move_weight is found where it occurs, and no other kind with it. A similar account without
// it, or with a smaller sample, gets no suggestion.
func TestKinds(t *testing.T) {
	t.Parallel()
	source := copilot.SourceInput{ID: uuid.New(), Name: "push", Macros: map[string]string{"sub2": "{creative}"}}
	for _, c := range []struct {
		kind      string
		op        string // empty: advice only
		change    func(in *copilot.Input)
		unchanged func(in *copilot.Input) // a similar account that must get no suggestion
		values    []string
	}{
		{"pause_loser", copilot.OpSetDestinationWeights, func(in *copilot.Input) { worse(in, 100) }, func(in *copilot.Input) { worse(in, 3) }, nil},
		{
			"raise_cap", copilot.OpSetCap, func(in *copilot.Input) { capped(in, 20, copilot.OfferDay{Approved: 20}) },
			func(in *copilot.Input) { capped(in, 20, copilot.OfferDay{Approved: 19}) }, nil,
		},
		{
			"lower_cap", copilot.OpSetCap, func(in *copilot.Input) { capped(in, 30, copilot.OfferDay{Approved: 10, Rejected: 10}) },
			func(in *copilot.Input) { capped(in, 30, copilot.OfferDay{Approved: 1}) }, nil,
		},
		{
			"block_value", copilot.OpDeny, func(in *copilot.Input) { placement(in, "sub1", "p7", 900); placement(in, "sub1", "p8", 900) },
			func(in *copilot.Input) { placement(in, "sub1", "p7", 9) },
			[]string{"p7", "p8"},
		},
		{
			"block_isp", copilot.OpDeny, func(in *copilot.Input) { placement(in, "isp", "Acme", 900) },
			func(in *copilot.Input) { placement(in, "isp", "Acme", 9) },
			[]string{"Acme"},
		},
		{
			"block_device", "", func(in *copilot.Input) { placement(in, "device_type", "tv", 900) },
			func(in *copilot.Input) { placement(in, "device_type", "tv", 9) }, nil,
		},
		{"block_device", copilot.OpExclude, func(in *copilot.Input) {
			placement(in, "device_type", "tv", 900)
			rest := flow.NewPath()
			rest.ID, rest.StreamType = pathB, flow.Default
			in.Campaigns[0].Paths = append(in.Campaigns[0].Paths, rest)
		}, func(in *copilot.Input) { placement(in, "device_type", "tv", 9) }, []string{"tv"}},
		{
			"no_return", copilot.OpDeny, func(in *copilot.Input) { placement(in, "country", "NZ", 900) },
			func(in *copilot.Input) { placement(in, "country", "NZ", 9) },
			[]string{"NZ"},
		},
		{
			"no_return", "", func(in *copilot.Input) { placement(in, "hour_of_day", "3", 900) },
			func(in *copilot.Input) { placement(in, "hour_of_day", "3", 9) }, nil,
		},
		{
			"bot_source", "", func(in *copilot.Input) { v := source; v.Clicks, v.Bots = 500, 500; in.Sources = append(in.Sources, v) },
			func(in *copilot.Input) { v := source; v.Clicks, v.Bots = 200, 200; in.Sources = append(in.Sources, v) }, nil,
		},
		{"empty_token", "", func(in *copilot.Input) {
			v := source
			v.Clicks, v.Empty = 300, map[string]int64{"sub2": 300}
			in.Sources = append(in.Sources, v)
		}, func(in *copilot.Input) {
			v := source
			v.Clicks, v.Empty = 300, map[string]int64{"sub2": 299}
			in.Sources = append(in.Sources, v)
		}, nil},
		{"bad_link", copilot.OpSetDestinationWeights, func(in *copilot.Input) { broken(in, otherOffer) }, func(*copilot.Input) {}, nil},
		{"bad_link", "", func(in *copilot.Input) {
			in.Campaigns[0].Paths[0].Destinations = in.Campaigns[0].Paths[0].Destinations[1:]
			broken(in, otherOffer)
		}, func(*copilot.Input) {}, nil},
		{"bad_link", copilot.OpSwapDestination, func(in *copilot.Input) { // a spare destination of the path
			in.Campaigns[0].Paths[0].Destinations[0].Weight = 0
			broken(in, otherOffer)
		}, func(in *copilot.Input) { in.Campaigns[0].Paths[0].Destinations[0].Weight = 0 }, nil},
		{"bad_link", copilot.OpSwapDestination, func(in *copilot.Input) { // an offer of another path for the same visitors
			second(in, "DE", "DE")
			broken(in, otherOffer)
		}, func(in *copilot.Input) { second(in, "DE", "DE") }, nil},
		{"bad_link", "", func(in *copilot.Input) { // an offer of a path for other visitors
			second(in, "DE", "AT")
			broken(in, otherOffer)
		}, func(in *copilot.Input) { second(in, "DE", "AT") }, nil},
		{"bad_link", "", func(in *copilot.Input) { // a spare destination that does not work either
			in.Campaigns[0].Paths[0].Destinations[0].Weight = 0
			broken(in, otherOffer)
			broken(in, offer.UUID.String())
		}, func(*copilot.Input) {}, nil},
		{
			"unmatched_postbacks", copilot.OpMapPostback, func(in *copilot.Input) { unmatchedNetwork(in, 12, 20, 11, 5) },
			func(in *copilot.Input) { unmatchedNetwork(in, 9, 9, 9, 0) }, nil,
		},
		{"unmatched_postbacks", "", func(in *copilot.Input) { unmatchedNetwork(in, 12, 20, 3, 0) }, func(in *copilot.Input) { unmatchedNetwork(in, 9, 20, 3, 0) }, nil},
		{"unmatched_postbacks", "", func(in *copilot.Input) { unmatchedNetwork(in, 12, 24, 12, 0) }, func(*copilot.Input) {}, nil},  // half of all postbacks match, so the settings are right
		{"unmatched_postbacks", "", func(in *copilot.Input) { unmatchedNetwork(in, 12, 12, 12, 12) }, func(*copilot.Input) {}, nil}, // the settings already read the parameter
		{"tracking_gap", "", func(in *copilot.Input) { views(in, 400, 0) }, func(in *copilot.Input) { views(in, 400, 1) }, nil},
		{"duplicate_campaign", "", func(in *copilot.Input) {
			twin := in.Campaigns[0]
			twin.ID, twin.Name, twin.Rows = uuid.New(), "shoes 2", nil
			twin.Paths = slices.Clone(twin.Paths)
			twin.Paths[0].ID = pathB
			in.Campaigns = append(in.Campaigns, twin)
		}, func(in *copilot.Input) {
			twin := in.Campaigns[0]
			twin.ID, twin.Country, twin.Rows = uuid.New(), "DE", nil
			in.Campaigns = append(in.Campaigns, twin)
		}, nil},
		{"expiring_domain", "", func(in *copilot.Input) {
			in.Domains = []copilot.DomainInput{{ID: uuid.New(), Host: "go.test", ExpiresAt: now.AddDate(0, 0, 5), Campaigns: 1}}
		}, func(in *copilot.Input) {
			in.Domains = []copilot.DomainInput{{ID: uuid.New(), Host: "go.test", ExpiresAt: now.AddDate(0, 0, 50), Campaigns: 1}}
		}, nil},
	} {
		t.Run(c.kind+" "+c.op, func(t *testing.T) {
			t.Parallel()
			in, similar := quiet(), quiet()
			c.change(&in)
			c.unchanged(&similar)
			if list, _ := copilot.Judge(similar); len(list) > 0 {
				t.Errorf("suggestions for an account that must get none: %+v", list)
			}
			list, scope := copilot.Judge(in)
			if len(list) != 1 || list[0].Kind != c.kind || scope.Judged() == 0 || !slices.ContainsFunc(scope.Checks, func(k copilot.Check) bool {
				return k.Kind == c.kind && k.Judged > 0 && k.Minimum != ""
			}) || scope.Campaigns != len(in.Campaigns) {
				t.Fatalf("%d suggestions, want one of the kind %s, and a scope that counts it: %+v %+v", len(list), c.kind, list, scope)
			}
			s := list[0]
			if s.Title == "" || s.Detail == "" || s.Key == "" || s.Evidence.Sample <= 0 || s.Evidence.Confidence <= 0.9 || s.Evidence.Minimum == "" || s.ExpiresAt.Time != now.Add(copilot.Life) {
				t.Errorf("the suggestion lacks a text, a key, a sample, a confidence above 0.9, a minimum or the right ExpiresAt: %+v", s)
			}
			switch {
			case c.op == "" && s.Action != nil:
				t.Errorf("the action is %+v, want advice without an action", s.Action)
			case c.op != "" && (s.Action == nil || s.Action.Op != c.op || s.Digest == "" || !slices.Equal(s.Action.Values, c.values)):
				t.Errorf("the action is %+v with the digest %q, want %s with the values %v and a digest", s.Action, s.Digest, c.op, c.values)
			}
			if s.Action != nil {
				if err := s.Action.Validate(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestBlocks checks that an action that blocks a value claims no effect, because the clicks must still be paid for at the traffic
// source. Advice has an effect. The confidence is lower if payouts vary.
func TestBlocks(t *testing.T) {
	t.Parallel()
	block := func(attribute string, change func(in *copilot.Input)) copilot.Suggestion {
		t.Helper()
		in := quiet()
		placement(&in, attribute, "p7", 900)
		change(&in)
		list, _ := copilot.Judge(in)
		if len(list) != 1 || len(list[0].Evidence.Figures) == 0 {
			t.Fatalf("the suggestions are %+v, want one with figures", list)
		}
		return list[0]
	}
	rest := func(in *copilot.Input) {
		p := flow.NewPath()
		p.ID, p.StreamType = pathB, flow.Default
		in.Campaigns[0].Paths = append(in.Campaigns[0].Paths, p)
	}
	for _, s := range []copilot.Suggestion{block("sub1", func(*copilot.Input) {}), block("device_type", rest)} {
		if s.Effect != nil || !strings.Contains(s.Title, "at the traffic source") || !strings.Contains(s.Detail, "still paid for") {
			t.Errorf("the suggestion claims an effect, or does not say that the clicks must be blocked at the source: %s. %s %+v", s.Title, s.Detail, s.Effect)
		}
	}
	if s := block("device_type", func(*copilot.Input) {}); s.Action != nil || s.Effect == nil || !s.Effect.Low.IsPositive() ||
		s.Effect.Low.GreaterThan(s.Effect.Value.Decimal) || s.Effect.Value.GreaterThan(s.Effect.High.Decimal) {
		t.Errorf("advice to block a value must have no action, and an effect within its interval: %+v, %+v", s.Action, s.Effect)
	}
	even := func(in *copilot.Input) { in.Campaigns[0].Values[0].Cost = 120 }
	uneven := func(in *copilot.Input) {
		even(in)
		for i := range in.Campaigns[0].Rows { // the mean stays 10
			r := &in.Campaigns[0].Rows[i]
			r.Value = 20 + 4*float64(1-2*(r.Day%2))
		}
	}
	if a, b := block("sub1", even).Evidence.Confidence, block("sub1", uneven).Evidence.Confidence; a <= b {
		t.Errorf("the confidence is %v with even payouts and %v with uneven ones, want it lower with uneven ones", a, b)
	}
}

// TestExpiring checks that a registration and a certificate that end are separate suggestions.
func TestExpiring(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		certificate, registration int // days until the certificate and the registration end; 0: no end is known
		want                      []string
	}{
		{5, 0, []string{"The HTTPS certificate of go.test ends on 2026-04-06"}},
		{0, 5, []string{"The registration of go.test ends on 2026-04-06"}},
		{5, 29, []string{"The HTTPS certificate of go.test ends on 2026-04-06", "The registration of go.test ends on 2026-04-30"}},
		{15, 31, nil},
		{-1, -1, []string{"The HTTPS certificate of go.test ends on 2026-03-31", "The registration of go.test ends on 2026-03-31"}},
	} {
		in := quiet()
		d := copilot.DomainInput{ID: uuid.New(), Host: "go.test", Campaigns: 1}
		if c.certificate != 0 {
			d.ExpiresAt = now.AddDate(0, 0, c.certificate)
		}
		if c.registration != 0 {
			d.RegisteredUntil = now.AddDate(0, 0, c.registration)
		}
		in.Domains = []copilot.DomainInput{d}
		list, _ := copilot.Judge(in)
		var titles, keys []string
		for _, s := range list {
			titles, keys = append(titles, s.Title), append(keys, s.Key)
		}
		slices.Sort(titles)
		slices.Sort(keys)
		if !slices.Equal(titles, c.want) || len(slices.Compact(keys)) != len(c.want) {
			t.Errorf("certificate ends in %d days, registration in %d: titles %q, want %q, each with its own key: %q",
				c.certificate, c.registration, titles, c.want, keys)
		}
	}
}

func broken(in *copilot.Input, id string) {
	o := in.Offers[id]
	o.Problem = "it answers 404"
	in.Offers[id] = o
}

// second gives each of the two offers its own path with a filter for a country.
func second(in *copilot.Input, countries ...string) {
	first := in.Campaigns[0].Paths[0]
	in.Campaigns[0].Paths = nil
	for i, country := range countries {
		p := first
		p.ID, p.Name, p.Destinations = []string{pathA, pathB}[i], country, []flow.Destination{first.Destinations[1-i]}
		p.Filters = []cond.Condition{{Attribute: "country", Operator: "equals", Value: country}}
		in.Campaigns[0].Paths = append(in.Campaigns[0].Paths, p)
	}
}

// unmatchedNetwork adds a network. total is the number of its postbacks, and unmatched the number without a click. found is the
// number of unmatched postbacks with a click id in aff_sub. The last argument is the number of these in which the settings already
// find the click id.
func unmatchedNetwork(in *copilot.Input, unmatched, total, found, read int64) {
	n := copilot.NetworkInput{Unmatched: unmatched, Total: total, Parameter: "aff_sub", Found: found, Read: read, Examined: unmatched}
	n.ID, n.Name = uuid.New(), "network"
	in.Networks = append(in.Networks, n)
}

func views(in *copilot.Input, n, on int64) {
	c := &in.Campaigns[0]
	c.Paths[0].Destinations = append(c.Paths[0].Destinations, flow.Destination{ID: lander, Weight: 100})
	c.Rows = append(c.Rows, copilot.ArmRow{Path: pathA, Lander: lander, Clicks: n, LPViews: n, LPClicks: on})
}

func TestEveryKindHasATest(t *testing.T) {
	t.Parallel()
	tested := []string{
		"pause_loser", "raise_cap", "lower_cap", "block_value", "block_isp", "block_device", "no_return", "bot_source", "empty_token", "bad_link",
		"unmatched_postbacks", "tracking_gap", "duplicate_campaign", "expiring_domain",
		"move_weight", // TestWeights
	}
	for _, kind := range copilot.Kinds() {
		if !slices.Contains(tested, kind) {
			t.Errorf("the kind %s has no test", kind)
		}
	}
}

// TestWeights checks that each of two offers keeps at least 5 % of the weight, and that the sum of the weights stays.
func TestWeights(t *testing.T) {
	t.Parallel()
	for good := int64(50); good < 400; good += 10 {
		in := quiet()
		in.Campaigns[0].Rows = nil
		for day := range in.Days[:5] {
			for i, id := range []string{offer.UUID.String(), otherOffer} {
				n := []int64{good, 50}[i] / 5
				in.Campaigns[0].Rows = append(in.Campaigns[0].Rows, copilot.ArmRow{
					Path: pathA, Offer: id, Day: day, Clicks: 2000, Conversions: n, Value: 10 * float64(n),
				})
			}
		}
		list, _ := copilot.Judge(in)
		if len(list) == 0 || list[0].Kind != "move_weight" {
			continue
		}
		w := list[0].Action.Weights
		if len(w) != 2 || w[0].Weight <= w[1].Weight || w[1].Weight < 0.05*200-1e-3 || math.Abs(w[0].Weight+w[1].Weight-200) > 1 || w[0].Weight != math.Round(w[0].Weight) {
			t.Errorf("the weights are %+v, want more for the first offer, at least 10 for the second, and 200 in total", w)
		}
		return
	}
	t.Error("none of the tried differences between the offers leads to a suggestion of weights")
}

// TestBreakEvenIsNotBlocked checks that values that pay exactly for their clicks are rarely blocked, even if they are judged many
// times.
func TestBreakEvenIsNotBlocked(t *testing.T) {
	t.Parallel()
	const markets, cost, payout = 400, 1.0, 10.0
	blocked := 0
	for m := range markets {
		r := rand.New(rand.NewPCG(uint64(m), 3))
		v := copilot.ValueRow{Attribute: "sub1", Value: "p"}
		for range copilot.WindowDays {
			clicks := int64(20)
			v.Clicks, v.Cost = v.Clicks+clicks, v.Cost+cost*float64(clicks)
			for range clicks {
				if r.Float64() < cost/payout {
					v.Conversions, v.Returns = v.Conversions+1, v.Returns+payout
				}
			}
			in := quiet()
			in.Campaigns[0].Values = []copilot.ValueRow{v}
			for i := range in.Campaigns[0].Rows { // the campaign costs as much per click as the value
				in.Campaigns[0].Rows[i].Cost = 100
			}
			if list, _ := copilot.Judge(in); len(list) > 0 {
				blocked++
				break
			}
		}
	}
	if blocked > markets/100 {
		t.Errorf("%d of %d break-even values were blocked", blocked, markets)
	}
}

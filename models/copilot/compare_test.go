package copilot_test

import (
	"math"
	"testing"

	"switchyard/models/copilot"
	"switchyard/models/flow"
)

// TestSamplesOfAPublishedExample checks the sample size of Chow, Shao and Wang (2008, section 4.2): rates of 0.65 and 0.85 need
// 70 in each arm.
func TestSamplesOfAPublishedExample(t *testing.T) {
	t.Parallel()
	variance := func(p float64) float64 { return p * (1 - p) }
	if n := math.Ceil(copilot.Samples(0.20, variance(0.65), variance(0.85))); n != 70 {
		t.Errorf("each arm needs %v clicks, want 70", n)
	}
}

// TestProbabilityAndIntervalOfClosedForms checks the probability of being the best against the closed form for counts (Miller,
// Formulas for Bayesian A/B Testing, 2014). The difference of two exponential variables with the same rate has a Laplace
// distribution, whose quantiles are known.
func TestProbabilityAndIntervalOfClosedForms(t *testing.T) {
	t.Parallel()
	closed := func(shapeA int, rateA, shapeB, rateB float64) (sum float64) {
		for k := range shapeA {
			beta := func(a, b float64) float64 {
				x, _ := math.Lgamma(a)
				y, _ := math.Lgamma(b)
				z, _ := math.Lgamma(a + b)
				return x + y - z
			}
			n := float64(k)
			sum += math.Exp(n*math.Log(rateA) + shapeB*math.Log(rateB) - (n+shapeB)*math.Log(rateA+rateB) - math.Log(n+shapeB) - beta(n+1, shapeB))
		}
		return sum
	}
	for _, c := range []struct{ a, ra, b, rb float64 }{{31, 1000, 21, 1000}, {6, 200, 40, 1500}, {120, 4000, 118, 4000}} {
		got, _ := copilot.Between(c.a, c.ra, c.b, c.rb, 0.5)
		want := closed(int(c.a), c.ra, c.b, c.rb)
		if math.Abs(got-want) > 0.003 {
			t.Errorf("%+v: %.4f, want %.4f", c, got, want)
		}
	}
	for q, want := range map[float64]float64{0.025: math.Log(0.05), 0.5: 0, 0.975: -math.Log(0.05)} {
		if _, got := copilot.Between(1, 1, 1, 1, q); math.Abs(got-want) > 0.05 {
			t.Errorf("quantile %v: %.4f, want %.4f", q, got, want)
		}
	}
}

// TestCompareOffers checks that the comparison of two offers that earn alike is open, and that an offer that earns only a quarter
// of the other loses.
func TestCompareOffers(t *testing.T) {
	t.Parallel()
	in := quiet()
	list, left := copilot.Compare(&in, &in.Campaigns[0], copilot.ByOffer)
	if len(list) != 1 || len(left) != 0 || list[0].State != copilot.Open || list[0].MoreClicks != nil || !list[0].InMoney {
		t.Fatalf("two offers that earn alike: %+v, left out %+v", list, left)
	}
	for _, a := range list[0].Arms {
		if math.Abs(*a.Best-0.5) > 0.01 || *a.Low >= *a.Earns || *a.High <= *a.Earns {
			t.Errorf("earning alike: %s is the best with probability %.3f, earns %v (%v to %v)", a.Name, *a.Best, *a.Earns, *a.Low, *a.High)
		}
	}
	worse(&in, 100)
	list, _ = copilot.Compare(&in, &in.Campaigns[0], copilot.ByOffer)
	first, second := list[0].Arms[0], list[0].Arms[1]
	if list[0].State != copilot.Decided || first.Name != "offer 0" || *first.Best < 0.99 || first.Behind != nil {
		t.Errorf("one offer earns a quarter: the state is %s, and the best offer is %+v", list[0].State, first)
	}
	if !second.Loses || *second.BehindLow <= 0 || *second.BehindHigh <= *second.Behind || *second.Proposed < 1 || *first.Proposed < 180 {
		t.Errorf("the offer that earns a quarter does not lose clearly: %+v", second)
	}
	if sum := *first.Proposed + *second.Proposed; math.Abs(sum-200) > 1 {
		t.Errorf("the weights add up to %v, want about 200 as before", sum)
	}
	// Proposed weights must be as round as weights that people choose.
	for scale, unit := range map[float64]float64{1: 1, 0.2: 0.1, 0.005: 0.01, 0.00001: 0.001} {
		d := in.Campaigns[0].Paths[0].Destinations
		for i := range d {
			d[i].Weight = 100 * scale
		}
		list, _ = copilot.Compare(&in, &in.Campaigns[0], copilot.ByOffer)
		for _, a := range list[0].Arms {
			if units := *a.Proposed / unit; units < 1-1e-9 || math.Abs(units-math.Round(units)) > 1e-6 {
				t.Errorf("with weights of %v: the weight %v is proposed, want a multiple of %v", 100*scale, *a.Proposed, unit)
			}
		}
	}
}

// TestCompareTooEarly checks that nothing is estimated below the minimum samples.
func TestCompareTooEarly(t *testing.T) {
	t.Parallel()
	in := quiet()
	in.Campaigns[0].Rows = in.Campaigns[0].Rows[:2] // the first day: 200 clicks, 4 conversions
	list, _ := copilot.Compare(&in, &in.Campaigns[0], copilot.ByOffer)
	c := list[0]
	if c.State != copilot.TooEarly || c.MoreClicks == nil || *c.MoreClicks != 800 || c.MoreDays != 2 {
		t.Errorf("the comparison is %+v, want too_early, 800 more clicks and 2 more days", c)
	}
	if a := c.Arms[0]; a.Best != nil || a.Earns != nil || a.Proposed != nil || a.Clicks != 100 {
		t.Errorf("an arm has estimates below the minimum samples: %+v", a)
	}
	in.Campaigns[0].Rows = nil
	if list, _ = copilot.Compare(&in, &in.Campaigns[0], copilot.ByOffer); list[0].MoreClicks != nil || list[0].State != copilot.TooEarly {
		t.Errorf("without conversions the number of missing clicks is known: %+v", list[0])
	}
}

// TestCompareNamesWhatIsLeftOut checks that what cannot be compared is listed with its reason.
func TestCompareNamesWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	in := quiet()
	c := &in.Campaigns[0]
	capped(&in, 5, copilot.OfferDay{})
	c.Paths[0].Destinations = append(c.Paths[0].Destinations, flow.Destination{URL: "https://x.example", Weight: 1})
	rest := flow.NewPath()
	rest.ID, rest.Name, rest.StreamType = pathB, "rest", flow.Default
	c.Paths = append(c.Paths, rest)
	for by, want := range map[string][]string{
		copilot.ByPath: {copilot.ReasonAlone, copilot.ReasonNotDrawn}, copilot.ByLander: nil,
		copilot.ByOffer: {copilot.ReasonAlone, copilot.ReasonCapped, copilot.ReasonAddress},
	} {
		list, left := copilot.Compare(&in, c, by)
		if len(list) != 0 || len(left) != len(want) {
			t.Errorf("%s: compared %+v, left out %+v, want nothing compared and the reasons %v", by, list, left, want)
			continue
		}
		for i, l := range left {
			if l.Reason != want[i] {
				t.Errorf("%s: left out %+v, want the reason %s", by, l, want[i])
			}
		}
	}
}

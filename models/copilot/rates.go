package copilot

import "gonum.org/v1/gonum/mathext"

// Rate counts the clicks of a window and the conversions among them.
type Rate struct{ Clicks, Conversions int64 }

// States of a comparison of two rates. The third state is TooEarly.
const (
	ByChance = "by_chance" // the difference may be chance
	Certain  = "certain"   // the rates differ, at the significance level levelMove
)

// minRateConversions is the minimum number of conversions in both windows together.
const minRateConversions = int64(minArmsConverted)

// CompareRates tests whether the conversion rates of two windows differ. p is the p value of the hypothesis that they are equal.
//
// The test is exact. Under the hypothesis, the probability that a conversion belongs to a window is that window's share of the
// clicks. The number of conversions in a window is therefore binomial (Przyborowski and Wilenski, 1940). p is twice the smaller
// tail.
func CompareRates(a, b Rate) (p float64, state string) {
	n := a.Conversions + b.Conversions
	if n < minRateConversions || a.Clicks <= 0 || b.Clicks <= 0 || min(a.Conversions, b.Conversions) < 0 {
		return 1, TooEarly
	}
	share := float64(a.Clicks) / float64(a.Clicks+b.Clicks)
	p = min(1, 2*min(binomialTail(a.Conversions, n, share), binomialTail(b.Conversions, n, 1-share)))
	if p <= levelMove {
		return p, Certain
	}
	return p, ByChance
}

// binomialTail returns the probability of at least k successes in n trials. share is the probability of a success.
func binomialTail(k, n int64, share float64) float64 {
	if k <= 0 {
		return 1
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), share)
}

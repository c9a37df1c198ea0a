package copilot

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Arm is one of several alternatives among which visitors are distributed at random: a path, or an offer or a landing page of a
// path.
type Arm struct {
	ID   string
	Name string
	// Share is the arm's share of the visitors by the weights.
	Share float64
	Days  []Day // one for each day of the window; all arms have the same days
}

// Day holds the figures of an arm on a day. A conversion belongs to the day of its click.
type Day struct {
	Clicks      float64
	Conversions float64
	Value       float64 // sum of approved and pending payouts
}

// judgement is the result of comparing competing arms. Lists are in the order of the arms.
type judgement struct {
	clicks, conversions []float64
	payout              []float64 // mean value of a conversion
	spread              float64   // squared coefficient of variation of payouts
	assumed             bool      // spread is assumed, because there are too few days with payouts to estimate it
	epc                 []posterior
	best                []float64 // probability of being the best; nil if no test is significant
	loses               []float64 // p value of the hypothesis that no other arm is better; valid however often it is tested
	differ              float64   // p value of the hypothesis that all arms are equally good; valid however often it is tested
}

// judge compares arms that compete for the same visitors.
//
// A day that was good or bad for all arms must not count for or against an arm that had more or fewer clicks on that day. So an arm's
// conversions are compared with its expected conversions: each day's conversions of all arms, distributed in proportion to clicks
// (indirect standardisation). The test for judgement.loses examines how each day's conversions are divided between two arms (a
// conditional test). Conversions that are not reported yet are missing for both alike.
func judge(arms []Arm) judgement {
	j := judgement{}
	for _, a := range arms {
		d := total(a.Days)
		j.clicks, j.conversions = append(j.clicks, d.Clicks), append(j.conversions, d.Conversions)
	}
	all := pooled(arms)
	mean := 1.0 // without payouts, only the number of conversions counts
	if all.Value > 0 {
		mean = all.Value / all.Conversions
	}
	j.spread, j.assumed = payoutSpread(arms)
	rate := 0.0
	if all.Clicks > 0 {
		rate = all.Conversions / all.Clicks
	}
	expected := expectedConversions(arms)
	for i, a := range arms {
		// The mean payout of an arm is moved towards the mean payout of all arms, as if the arm had one more conversion with that
		// payout.
		value := total(a.Days).Value
		if all.Value <= 0 {
			value = j.conversions[i]
		}
		j.payout = append(j.payout, (max(value, 0)+mean)/(j.conversions[i]+1))
		// The gamma posterior of the arm's earnings per click. The prior is one conversion where one was expected.
		shape := j.conversions[i] + 1
		relative := 1/shape + j.spread/shape
		j.epc = append(j.epc, gammaOf(shape/(expected[i]+1)*rate*j.payout[i], relative))
	}
	var average float64 // average of the evidence that each arm is not the best
	for i := range arms {
		var sum float64
		for k := range arms {
			if k != i {
				sum += evidence(arms[k].Days, arms[i].Days, j.payout[k], j.payout[i], 1+j.spread)
			}
		}
		// If arm i is the best, each term of the sum has an expected value of at most 1, and so has their mean (Vovk and Wang,
		// 2021).
		mean := sum / float64(len(arms)-1)
		j.loses = append(j.loses, pValue(mean))
		average += mean / float64(len(arms))
	}
	j.differ = pValue(average)
	if min(j.differ, slices.Min(j.loses)) <= levelMove { // otherwise best is not needed
		j.best = probabilityBest(j.epc)
	}
	return j
}

func (d Day) plus(o Day) Day {
	return Day{d.Clicks + o.Clicks, d.Conversions + o.Conversions, d.Value + o.Value}
}

func total(days []Day) (sum Day) {
	for _, d := range days {
		sum = sum.plus(d)
	}
	return sum
}

func pooled(arms []Arm) (sum Day) {
	for _, a := range arms {
		sum = sum.plus(total(a.Days))
	}
	return sum
}

func expectedConversions(arms []Arm) []float64 {
	expected := make([]float64, len(arms))
	for day := range arms[0].Days {
		var all Day
		for _, a := range arms {
			all = all.plus(a.Days[day])
		}
		for i, a := range arms {
			if all.Clicks > 0 {
				expected[i] += all.Conversions * a.Days[day].Clicks / all.Clicks
			}
		}
	}
	return expected
}

// payoutSpread returns the squared coefficient of variation of the payouts. It is estimated from the mean payouts of days (method
// of moments). It is assumed to be 1, as for exponential payouts, if there are too few days with conversions.
func payoutSpread(arms []Arm) (spread float64, assumed bool) {
	squares, degrees, days := 0.0, 0.0, 0
	for _, a := range arms {
		sum := total(a.Days)
		if sum.Conversions == 0 || sum.Value <= 0 {
			continue
		}
		mean := sum.Value / sum.Conversions
		degrees--
		for _, d := range a.Days {
			if d.Conversions > 0 {
				deviation := d.Value/d.Conversions/mean - 1
				squares += d.Conversions * deviation * deviation
				degrees++
				days++
			}
		}
	}
	if days < 5 || degrees < 1 {
		return 1, true
	}
	return squares / degrees, false
}

// evidence returns how much better the figures fit "the first arm earns more per click than the second" than "it earns at most as
// much". It is a mixture of likelihood ratios over possible gains of the first arm (mixture sequential probability ratio test:
// Robbins, 1970). If the first arm earns at most as much as the second, the expected value of the result is at most 1, however
// often the result is calculated. So the inverse of the result is a p value that stays valid every day (Ville's inequality).
// Varying payouts weaken the evidence in proportion to their dispersion (quasi-likelihood).
func evidence(first, second []Day, payoutFirst, payoutSecond, dispersion float64) float64 {
	logs := make([]float64, len(gains))
	for i := range first {
		a, b := first[i], second[i]
		if a.Clicks <= 0 || b.Clicks <= 0 || a.Conversions+b.Conversions == 0 {
			continue
		}
		// payoutSecond / payoutFirst is the value of a conversion of the second arm in conversions of the first.
		odds := a.Clicks / b.Clicks * payoutSecond / payoutFirst
		even := odds / (1 + odds)
		for g, gain := range gains {
			p := odds * gain / (1 + odds*gain)
			logs[g] += a.Conversions*math.Log(p/even) + b.Conversions*math.Log((1-p)/(1-even))
		}
	}
	sum := 0.0
	for g := range gains {
		sum += gainWeights[g] * math.Exp(min(logs[g]/dispersion, 700)) // larger exponents would overflow
	}
	return sum
}

// gains lists the factors by which an arm may be better, and gainWeights their prior probabilities. The logarithm of a gain has a
// half-normal distribution with a standard deviation of 0.4, cut off at 1.6. So gains of 10 to 100 % count most.
var gains, gainWeights = func() (list, weights []float64) {
	const steps, widest, deviation = 40, 1.6, 0.4
	sum := 0.0
	for i := range steps {
		x := (float64(i) + 0.5) * widest / steps
		w := math.Exp(-x * x / (2 * deviation * deviation))
		list, weights = append(list, math.Exp(x)), append(weights, w)
		sum += w
	}
	for i := range weights {
		weights[i] /= sum
	}
	return list, weights
}()

// shortfall returns the evidence that the visitors of one group, such as a placement, convert too rarely to pay for their clicks.
// due is the number of conversions that would pay for them. The result is a mixture of Poisson likelihood ratios, uniform over the
// rates from 0 to break-even. It is valid however often it is calculated, like the result of the function evidence.
func shortfall(conversions, due, dispersion float64) float64 {
	const steps = 100
	sum := 0.0
	for i := range steps {
		share := (float64(i) + 0.5) / steps
		log := (conversions*math.Log(share) + (1-share)*due) / dispersion
		sum += math.Exp(min(log, 700)) / steps
	}
	return sum
}

func pValue(evidence float64) float64 { return min(1, 1/evidence) }

type posterior struct{ shape, rate float64 }

func gammaOf(mean, relative float64) posterior {
	mean = max(mean, 1e-12)
	return posterior{1 / relative, 1 / (relative * mean)}
}

func (p posterior) mean() float64 { return p.shape / p.rate }

func (p posterior) below(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return mathext.GammaIncReg(p.shape, x*p.rate)
}

func (p posterior) quantile(q float64) float64 { return mathext.GammaIncRegInv(p.shape, q) / p.rate }

// probabilityBest returns, for each posterior, the probability that it is the largest. It uses the midpoint rule over the
// quantiles.
func probabilityBest(list []posterior) []float64 {
	const nodes = 200
	best, sum := make([]float64, len(list)), 0.0
	for i, p := range list {
		for n := range nodes {
			x := p.quantile((float64(n) + 0.5) / nodes)
			all := 1.0
			for k, other := range list {
				if k != i {
					all *= other.below(x)
				}
			}
			best[i] += all / nodes
		}
		sum += best[i]
	}
	for i := range best {
		best[i] /= sum
	}
	return best
}

// shareInterval returns the 5 % and 95 % quantiles of a share after a number of hits in a sample. The prior is the Jeffreys
// prior.
func shareInterval(hits, sample float64) (low, high float64) {
	a, b := hits+0.5, sample-hits+0.5
	return mathext.InvRegIncBeta(a, b, 0.05), mathext.InvRegIncBeta(a, b, 0.95)
}

// largestRejected returns the largest p value that is rejected, or -1 if none is. At most the given share of the rejected
// hypotheses is expected to be true (Benjamini and Hochberg, 1995).
func largestRejected(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	for i := len(sorted) - 1; i >= 0; i-- {
		if sorted[i] <= share*float64(i+1)/float64(len(sorted)) {
			return sorted[i]
		}
	}
	return -1
}

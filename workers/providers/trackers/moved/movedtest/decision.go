package movedtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/models/accountconfig"
	"switchyard/models/cond"
	"switchyard/models/flow"
	"switchyard/models/trackerimport"
)

// Campaigns is the number of campaigns of a test. Each visitor is sent to a tenth of the campaigns.
const (
	Campaigns = 200
	visitors  = 10_000
)

// Spec describes a campaign of another tracker.
type Spec struct{ Groups []Group }

// Group is a rule with its paths, or a stream. Without countries and device it takes every visitor, unless it is off.
type Group struct {
	Countries []string
	NotDevice string // refuses this device
	Off       bool
	Paths     []SpecPath
}

// SpecPath is a path, with the weights of its pages and offers. Page 0 means that the path sends visitors to the offer directly.
type SpecPath struct {
	Weight        int
	Off           bool
	Pages, Offers []int // Pages[n] is for page n, Offers[n] for offer n+1
}

// Visitor is a made-up visitor.
type Visitor struct{ Country, Device string }

var (
	countries = []string{"DE", "AT", "FR", "US"}
	devices   = []string{"desktop", "mobile"}
)

// Specs returns random campaigns. If streams is true, each group has one path and is active.
func Specs(seed uint64, streams bool) []Spec {
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // the same each time
	out := make([]Spec, Campaigns)
	for i := range out {
		for n := range 1 + r.IntN(4) {
			g := Group{Off: !streams && r.IntN(8) == 0}
			if n > 0 || streams && r.IntN(2) == 0 {
				g.Countries = countries[:1+r.IntN(3)]
			}
			if n > 0 && r.IntN(3) == 0 {
				g.NotDevice = devices[r.IntN(2)]
			}
			paths := 1
			if !streams {
				paths += r.IntN(3)
			}
			for range paths {
				p := SpecPath{Weight: 10 * (1 + r.IntN(10)), Off: !streams && r.IntN(6) == 0}
				p.Offers = []int{r.IntN(100), r.IntN(2) * 50, 1 + r.IntN(100)}
				if r.IntN(2) == 0 {
					p.Pages = []int{0, 1 + r.IntN(100), r.IntN(100)}
					if !streams {
						p.Pages[0] = r.IntN(2) * 40
					}
				}
				g.Paths = append(g.Paths, p)
			}
			out[i].Groups = append(out[i].Groups, g)
		}
		slices.Reverse(out[i].Groups) // unless streams is true, the last group has no conditions
		out[i].Groups[len(out[i].Groups)-1].Off = false
	}
	return out
}

func (g *Group) fits(v Visitor) bool {
	return !g.Off && (len(g.Countries) == 0 || slices.Contains(g.Countries, v.Country)) && (g.NotDevice == "" || g.NotDevice != v.Device)
}

// model returns the chance of each outcome. With streams, a path is drawn from all groups that take the visitor, otherwise from
// the first that has an active path.
func (s *Spec) model(v Visitor, streams bool) map[string]float64 {
	var drawn []SpecPath
	for i := range s.Groups {
		g := &s.Groups[i]
		if !g.fits(v) || len(drawn) > 0 && !streams {
			continue
		}
		for _, p := range g.Paths {
			if !p.Off {
				drawn = append(drawn, p)
			}
		}
	}
	out, total := map[string]float64{}, 0
	for _, p := range drawn {
		total += p.Weight
	}
	if total == 0 {
		out["none"] = 1
		return out
	}
	for _, p := range drawn {
		pages := p.Pages
		if len(pages) == 0 {
			pages = []int{1}
		}
		for page, pageWeight := range pages {
			for offer, offerWeight := range p.Offers {
				part := float64(p.Weight) / float64(total) * float64(pageWeight) / float64(sum(pages)) * float64(offerWeight) / float64(sum(p.Offers))
				if part > 0 {
					out[fmt.Sprintf("page %d, offer %d", page, offer+1)] += part
				}
			}
		}
	}
	return out
}

func sum(list []int) (n int) {
	for _, w := range list {
		n += w
	}
	return n
}

// SameDecisions sends visitors to imported campaigns and compares the shares of outcomes with the model. key returns the key of
// page, offer or campaign n in the document.
func SameDecisions(t *testing.T, result trackerimport.Result, specs []Spec, streams bool, key func(kind accountconfig.Kind, n int) string) {
	t.Helper()
	refs := map[uuid.UUID]*flow.Ref{}
	for kind, as := range map[accountconfig.Kind]flow.Kind{accountconfig.Offers: flow.KindOffer, accountconfig.Landers: flow.KindLander} {
		for n := 1; n <= 3; n++ {
			id := ID(kind, key(kind, n))
			refs[id] = flow.NewRef(id, as, n)
		}
	}
	plans := make([]*flow.Plan, len(specs))
	for i := range specs {
		c := Campaign(t, result, key(accountconfig.Campaigns, i+1))
		plan, err := flow.Compile(c.Paths, flow.Options{
			Rotation: flow.Rotation(c.FlowRotation), Ref: func(id uuid.UUID) *flow.Ref { return refs[id] },
		})
		if err != nil {
			t.Fatal(err)
		}
		plans[i] = plan
	}
	r := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // the same each time
	type cell struct {
		campaign int
		visitor  Visitor
	}
	counts := map[cell]map[string]int{}
	for n := range visitors {
		v := Visitor{countries[r.IntN(len(countries))], devices[r.IntN(len(devices))]}
		var facts cond.Facts
		facts.SetText(cond.Named("country"), v.Country)
		facts.SetText(cond.Named("device_type"), v.Device)
		for i := n % 10; i < len(specs); i += 10 {
			at := cell{i, v}
			if counts[at] == nil {
				counts[at] = map[string]int{}
			}
			counts[at][outcome(plans[i], &facts, r)]++
		}
	}
	statistic, freedom := 0.0, 0
	for at, got := range counts {
		s, f := chi(t, fmt.Sprint(at), got, specs[at.campaign].model(at.visitor, streams))
		statistic, freedom = statistic+s, freedom+f
	}
	// Wilson and Hilferty: the cube root of chi-square is nearly normally distributed. z exceeds 3.09 by chance with a
	// probability of 0.001.
	k := float64(freedom)
	z := (math.Cbrt(statistic/k) - (1 - 2/(9*k))) / math.Sqrt(2/(9*k))
	if freedom < Campaigns || z > 3.09 {
		t.Errorf("the shares differ: chi-square %.1f with %d degrees of freedom, %.2f deviations", statistic, freedom, z)
	}
}

func outcome(plan *flow.Plan, facts *cond.Facts, r *rand.Rand) string {
	d := plan.Pick(&flow.Visitor{Facts: facts}, flow.Env{}, r.Uint64())
	offer, page := d.Offer, 0
	if d.Lander != nil {
		page, _ = d.Lander.Record().(int)
		offer, _, _ = plan.PickOffer(d.Route, 1, uuid.Nil, r.Uint64())
	}
	if offer == nil {
		return "none"
	}
	n, _ := offer.Record().(int)
	return fmt.Sprintf("page %d, offer %d", page, n)
}

// chi returns a chi-square statistic. Outcomes expected fewer than five times are counted together. If even
// together they are expected fewer than five times, they are left out.
func chi(t *testing.T, name string, got map[string]int, want map[string]float64) (statistic float64, freedom int) {
	t.Helper()
	total := 0
	for outcome, n := range got {
		total += n
		if want[outcome] == 0 {
			t.Errorf("%s: %d visitors had the outcome %s, which is impossible there; possible are %s", name, n, outcome, possible(want))
		}
	}
	const few = 5
	rareWant, rareGot, cells := 0.0, 0, 0
	add := func(seen int, expected float64) {
		statistic += (float64(seen) - expected) * (float64(seen) - expected) / expected
		cells++
	}
	for outcome, part := range want {
		if expected := part * float64(total); expected < few {
			rareWant, rareGot = rareWant+expected, rareGot+got[outcome]
		} else {
			add(got[outcome], expected)
		}
	}
	if rareWant >= few {
		add(rareGot, rareWant)
	}
	return statistic, max(cells-1, 0)
}

func possible(want map[string]float64) string {
	var out []string
	for outcome := range want {
		out = append(out, outcome)
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

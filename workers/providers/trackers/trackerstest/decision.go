// Package trackerstest compares where visitors go at another tracker and in the campaigns that were imported from it.
package trackerstest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/uuid"
	"gonum.org/v1/gonum/stat/distuv"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// Visitor is a made-up visitor.
type Visitor struct {
	Attributes map[string]string // by the names in conditions; empty: unknown
	IP         netip.Addr
	IsBot      bool
	IsUnique   bool
}

var values = map[string][]string{
	"country": {"DE", "AT", "US", "GB", "IN", ""}, "language": {"de", "en", "fr", ""}, "os": {"iOS", "Android", "Windows", "macOS"},
	"browser": {"Chrome", "Safari", "Firefox", ""}, "device_type": {"mobile", "desktop", "tablet"}, "os_version": {"9.1", "14.0.3", "17.2", ""},
	"connection_type": {"cellular", "cable_dsl", ""}, "city": {"Berlin", "Wien", ""}, "isp": {"Vodafone", "Deutsche Telekom", ""},
	"user_agent": {"Mozilla/5.0 (iPhone) Mobile Safari", "Mozilla/5.0 (Windows) Chrome", "curl/8"},
	"referrer":   {"https://www.facebook.com/x", "https://news.example/", ""}, "keyword": {"shoes", "red shoes", ""},
	"sub1": {"zone-1", "zone-22", "other", ""}, "sub2": {"a", "b", ""}, "sub3": {"x1", "x2", ""},
}

// Visitors makes the same visitors for the same seed.
func Visitors(n int, seed uint64) []Visitor {
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // not secret
	names := slices.Sorted(maps.Keys(values))
	list := make([]Visitor, n)
	for i := range list {
		v := Visitor{Attributes: map[string]string{}, IsBot: random.IntN(8) == 0, IsUnique: random.IntN(2) == 0}
		for _, name := range names {
			v.Attributes[name] = values[name][random.IntN(len(values[name]))]
		}
		v.IP = netip.AddrFrom4([4]byte{198, 51, byte(100 + random.IntN(3)), byte(random.IntN(256))}) //nolint:gosec // it is below 256
		list[i] = v
	}
	return list
}

// Values returns the known values of an attribute.
func Values(attribute string) []string {
	return slices.DeleteFunc(slices.Clone(values[attribute]), func(v string) bool { return v == "" })
}

// Facts returns what conditions can test.
func (v *Visitor) Facts() *cond.Facts {
	f := &cond.Facts{}
	for name, value := range v.Attributes {
		if !f.Assign(name, value) {
			panic("trackerstest: " + name + " is not an attribute with the value " + value)
		}
	}
	f.SetIP(v.IP)
	f.SetBool(cond.IsBot, v.IsBot)
	f.SetBool(cond.IsUnique, v.IsUnique)
	return f
}

// Choice has probabilities, of paths by name or of destinations by key. An empty name is no path.
type Choice map[string]float64

// Model decides as another tracker does.
type Model interface {
	// Paths returns the paths that may take a visitor of a campaign.
	Paths(v *Visitor) Choice
	// Destinations returns where a path may send visitors first: its landing pages, or its offers if it has no landing page.
	Destinations(path string) Choice
}

type plan struct {
	*flow.Plan
	keys map[uuid.UUID]string // of destinations
}

type ids map[uuid.UUID]string

func (k ids) ID(kind accountconfig.Kind, key string) (uuid.UUID, bool) {
	id := uuid.NewSHA1(uuid.Nil, []byte(string(kind)+"/"+key))
	k[id] = key
	return id, true
}

func (k ids) Key(accountconfig.Kind, uuid.UUID) (string, bool) { return "", false }

func planOf(tb testing.TB, doc accountconfig.Document, key string) plan {
	tb.Helper()
	p := plan{keys: map[uuid.UUID]string{}}
	c, err := accountconfig.CampaignCodec(models.Account{Currency: "USD"}).Decode(key, doc[accountconfig.Campaigns][key], ids(p.keys))
	if err != nil {
		tb.Fatal(err)
	}
	p.Plan, err = flow.Compile(c.Paths, flow.Options{
		Rotation: flow.Rotation(c.FlowRotation), Bind: flow.Bind(c.BindVisitors),
		Ref: func(id uuid.UUID) *flow.Ref {
			kind := flow.KindOffer
			if lander, _ := (ids{}).ID(accountconfig.Landers, p.keys[id]); lander == id {
				kind = flow.KindLander
			}
			return flow.NewRef(id, kind, nil)
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// tally counts the choices for visitors with the same probabilities.
type tally struct {
	want  Choice
	count map[string]int
	total int
}

type tallies map[string]*tally

func (all tallies) add(group string, want Choice, got string) {
	c := all[group]
	if c == nil {
		c = &tally{want, map[string]int{}, 0}
		all[group] = c
	}
	c.count[got]++
	c.total++
}

// check is a chi-square test. It leaves out groups with an expected count below five and groups with only one choice, and returns
// the number of the other groups.
func (all tallies) check(tb testing.TB, what string) (groups int) {
	tb.Helper()
	const least, smallest = 0.001, 5.0
	sum, freedom := 0.0, 0
	for _, c := range all {
		chi, n := 0.0, 0
		for name, p := range c.want {
			expected := p * float64(c.total)
			if p > 0 && expected < smallest {
				n = 0
				break
			}
			if p > 0 {
				d := float64(c.count[name]) - expected
				chi += d * d / expected
				n++
			}
		}
		if n > 1 {
			sum, freedom, groups = sum+chi, freedom+n-1, groups+1
		}
	}
	if freedom > 0 {
		if p := (distuv.ChiSquared{K: float64(freedom)}).Survival(sum); p <= least {
			tb.Errorf("%s: the shares differ: chi-square %.1f with %d degrees of freedom, p = %.5f", what, sum, freedom, p)
		}
	}
	return groups
}

// Compare sends visitors to an imported campaign and compares its decisions with the model. It returns the number of visitors
// whose path was not chosen at random, and the number of groups of choices whose shares were compared.
func Compare(tb testing.TB, doc accountconfig.Document, key string, model Model, visitors []Visitor, seed uint64) (sure, groups int) {
	tb.Helper()
	p := planOf(tb, doc, key)
	paths, destinations := tallies{}, tallies{}
	for i := range visitors {
		v := &visitors[i]
		want := model.Paths(v)
		d := p.Pick(&flow.Visitor{Facts: v.Facts()}, flow.Env{}, seed+uint64(i)*0x9e3779b9)
		got, to := "", ""
		if d.Route != nil {
			got = d.Route.Name
		}
		for _, ref := range []*flow.Ref{d.Lander, d.Offer} {
			if ref != nil {
				to = p.keys[ref.ID]
			}
		}
		if want[got] <= 0 {
			tb.Errorf("%s: visitor %d (%v) took the path %q, want %v", key, i, v, got, want)
			return sure, groups
		}
		if want[got] == 1 {
			sure++
		} else {
			paths.add(fmt.Sprint(want), want, got)
		}
		if next := model.Destinations(got); len(next) > 0 {
			if next[to] <= 0 {
				tb.Errorf("%s: the path %q led to %q, want %v", key, got, to, next)
				return sure, groups
			}
			destinations.add(got, next, to)
		}
	}
	return sure, paths.check(tb, key+": paths") + destinations.check(tb, key+": destinations")
}

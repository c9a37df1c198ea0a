package flow_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"switchyard/models/cond"
	"switchyard/models/flow"
)

func possible(p *flow.Plan, f *cond.Facts, unsure ...string) (names []string, certain bool) {
	list, certain := p.Possible(f, func(a string) bool { return slices.Contains(unsure, a) })
	for _, d := range list {
		names = append(names, nameOf(d))
	}
	slices.Sort(names)
	return slices.Compact(names), certain
}

func nameOf(d flow.Decision) string {
	if d.Route == nil {
		return d.Via.String()
	}
	return d.Route.Name
}

func redirecting(name string, weight float64, group int, filters ...cond.Condition) flow.Path {
	p := flow.NewPath()
	p.Name, p.Action, p.Weight, p.RuleGroup, p.Filters = name, flow.ActionRedirect, weight, group, filters
	p.ID = "00000000-0000-4000-8000-0000000000" + name
	p.Destinations = []flow.Destination{{URL: "https://a.example/" + name, Weight: 100}}
	return p
}

// TestPossibleNamesEveryDrawAndNoOther checks that Possible lists the paths that Pick can choose, and no others. Each visitor
// with known attributes is routed 500 times.
func TestPossibleNamesEveryDrawAndNoOther(t *testing.T) {
	t.Parallel()
	is := func(attribute, operator string, value any) cond.Condition {
		return cond.Condition{Attribute: attribute, Operator: operator, Value: value}
	}
	paths := []flow.Path{
		redirecting("11", 100, 0, is("city", "equals", "Bern")),
		redirecting("12", 50, 1, is("country", "equals", []any{"DE", "AT"})),
		redirecting("13", 50, 1, is("country", "equals", "DE"), is("isp", "equals", "Vodafone")),
		redirecting("14", 0, 1),
		redirecting("15", 50, 2, is("language", "equals", "pt")),
	}
	paused := redirecting("16", 50, 2)
	paused.IsActive = false
	paths = append(paths, paused)
	plan, err := flow.Compile(paths, flow.Options{Explained: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		country, language, city, isp string
		unsure                       []string
		want                         []string
		certain                      bool
	}{
		{"DE", "de", "", "", nil, []string{"12"}, true},
		{"DE", "de", "", "Vodafone", nil, []string{"12", "13"}, true},
		{"DE", "de", "", "", []string{"isp"}, []string{"12", "13"}, false},
		{"DE", "de", "", "", []string{"city"}, []string{"11", "12"}, false},
		{"AT", "de", "", "", []string{"isp"}, []string{"12"}, true}, // the country certainly excludes path 13
		{"CH", "pt", "", "", []string{"isp"}, []string{"15"}, true},
		{"CH", "de", "Bern", "", nil, []string{"11"}, true},
		{"CH", "de", "", "", nil, []string{"none"}, true},
		{"CH", "de", "", "", []string{"country"}, []string{"12", "none"}, false},
	} {
		f := &cond.Facts{}
		for name, value := range map[string]string{"country": c.country, "language": c.language, "city": c.city, "isp": c.isp} {
			f.Assign(name, value)
		}
		if names, certain := possible(plan, f, c.unsure...); !slices.Equal(names, c.want) || certain != c.certain {
			t.Errorf("%+v: the possible paths are %v, certain: %t", c, names, certain)
		}
		if len(c.unsure) > 0 {
			continue
		}
		drawn := map[string]bool{}
		for range 500 {
			d := plan.Pick(&flow.Visitor{Facts: f}, flow.Env{}, rand.Uint64())
			drawn[nameOf(d)] = true
		}
		if len(drawn) != len(c.want) {
			t.Errorf("%+v: Pick chose the paths %v, want exactly the possible paths", c, drawn)
		}
		for name := range drawn {
			if !slices.Contains(c.want, name) {
				t.Errorf("%+v: Pick chose the path %s, which is not listed as possible", c, name)
			}
		}
	}
}

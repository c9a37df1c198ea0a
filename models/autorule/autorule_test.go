package autorule_test

import (
	"cmp"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"switchyard/models"
	"switchyard/models/autorule"
	"switchyard/models/bind"
	"switchyard/models/botlist"
	"switchyard/models/copilot"
	"switchyard/models/flow"
	"switchyard/models/measure"
)

func enum(t *testing.T, structValue any, field string) []string {
	t.Helper()
	f, ok := reflect.TypeOf(structValue).FieldByName(field)
	if !ok {
		t.Fatalf("the struct has no field %s", field)
	}
	return strings.Split(bind.Expand(f.Tag.Get("enum")), ",")
}

// counts generates small figures, so that equal figures and zeros occur.
func counts(t *rapid.T) (f models.Figures) {
	for i, at := range f.AppendPointersTo(nil) {
		name := measure.Counters[i].Name
		switch at := at.(type) {
		case *int64:
			*at = rapid.Int64Range(0, 4).Draw(t, name)
		case *decimal.Decimal:
			*at = decimal.New(rapid.Int64Range(0, 400).Draw(t, name), -2)
		}
	}
	return f
}

// plain calculates a figure by its definition, without rounding. It returns nil for a division by zero and for an unknown payout.
func plain(f models.Figures, payout *decimal.Decimal, name string) *big.Rat {
	m := measure.Find(name)
	switch {
	case name == autorule.Payout && payout == nil:
		return nil
	case name == autorule.Payout:
		return payout.Rat()
	case m.IsCounter():
		value, _ := f.Value(name)
		return value.Rat()
	}
	sum := func(terms []measure.Term) *big.Rat {
		out := new(big.Rat)
		for _, t := range terms {
			if value := plain(f, payout, t.Name); t.Minus {
				out.Sub(out, value)
			} else {
				out.Add(out, value)
			}
		}
		return out
	}
	over, under := m.Terms()
	if len(under) == 0 {
		return sum(over)
	}
	by := sum(under)
	if by.Sign() == 0 {
		return nil
	}
	out := new(big.Rat).Quo(sum(over), by)
	if m.IsPercent() {
		out.Mul(out, big.NewRat(100, 1))
	}
	return out
}

// evaluate evaluates a comparison by its definition. The second result is true if both sides differ by less than the rounding of a
// ratio.
func evaluate(c autorule.Comparison, f models.Figures, payout *decimal.Decimal) (yes, close bool) {
	left, right := plain(f, payout, c.Figure), c.Value.Rat()
	if c.Times != "" {
		other := plain(f, payout, c.Times)
		if other == nil {
			return false, false
		}
		right = new(big.Rat).Mul(right, other)
	}
	if left == nil {
		return false, false
	}
	gap := new(big.Rat).Sub(left, right)
	near := new(big.Rat).Abs(gap).Cmp(big.NewRat(1, 10_000)) < 0
	switch c.Operator {
	case ">":
		return gap.Sign() > 0, near
	case ">=":
		return gap.Sign() >= 0, near
	case "<":
		return gap.Sign() < 0, near
	case "<=":
		return gap.Sign() <= 0, near
	case "=":
		return gap.Sign() == 0, near
	}
	return gap.Sign() != 0, near
}

func TestMatches(t *testing.T) {
	t.Parallel()
	figures, operators, times := enum(t, autorule.Comparison{}, "Figure"), enum(t, autorule.Comparison{}, "Operator"), enum(t, autorule.Comparison{}, "Times")
	ratios := measure.Names((*measure.Measure).IsRatio)
	matched := 0
	rapid.Check(t, func(rt *rapid.T) {
		f := counts(rt)
		var payout *decimal.Decimal
		if rapid.Bool().Draw(rt, "payout is known") {
			p := decimal.New(rapid.Int64Range(1, 300).Draw(rt, "payout"), -2)
			payout = &p
		}
		var s autorule.Settings
		want, doubt := true, false
		for range rapid.IntRange(1, 3).Draw(rt, "comparisons") {
			c := autorule.Comparison{
				Figure: rapid.SampledFrom(figures).Draw(rt, "figure"), Operator: rapid.SampledFrom(operators).Draw(rt, "operator"),
				Times: rapid.SampledFrom(times).Draw(rt, "times"), Value: models.NewMoney(decimal.New(rapid.Int64Range(-2, 8).Draw(rt, "value"), 0)),
			}
			s.Conditions = append(s.Conditions, c)
			yes, near := evaluate(c, f, payout)
			want = want && yes
			doubt = doubt || near && (slices.Contains(ratios, c.Figure) || slices.Contains(ratios, c.Times))
		}
		got := s.Matches(&autorule.Target{Figures: f, Payout: payout})
		if got != want && !doubt { // Matches compares rounded ratios, as reports show them
			rt.Fatalf("the rule %s matches the figures %+v with the payout %v: %v, want %v", s.Text(), f, payout, got, want)
		}
		if got {
			matched++
		}
	})
	if matched == 0 {
		t.Error("no rule matched in any run")
	}
	if (autorule.Settings{}).Matches(&autorule.Target{}) {
		t.Error("a rule without conditions matches")
	}
}

// TestTables checks that a request may name exactly the existing figures, and that values of each attribute can be blocked.
func TestTables(t *testing.T) {
	t.Parallel()
	have := enum(t, autorule.Comparison{}, "Figure")
	if want := measure.Names(measure.Every); !slices.Equal(have, want) {
		t.Errorf("figures %v, want %v", have, want)
	}
	if times := enum(t, autorule.Comparison{}, "Times"); !slices.Equal(times, append([]string{"", autorule.Payout}, have...)) {
		t.Errorf("the values of times are %v, want an empty text, payout and all figures", times)
	}
	for _, name := range enum(t, autorule.Settings{}, "Attribute")[1:] {
		if _, ok := copilot.BlockOp(name); !ok {
			t.Errorf("no operation blocks values of %s", name)
		}
	}
}

func settings(change func(*autorule.Settings)) autorule.Settings {
	s := autorule.Defaults()
	s.Conditions = []autorule.Comparison{{Figure: "cost", Operator: ">", Value: whole(3), Times: autorule.Payout}}
	change(&s)
	return s
}

func whole(n int64) models.Money { return models.NewMoney(decimal.NewFromInt(n)) }

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*autorule.Settings)
		code   string
	}{
		"the default":                     {func(*autorule.Settings) {}, ""},
		"the weight of a path is changed": {func(s *autorule.Settings) { s.LooksAt, s.Action, s.Factor = autorule.Path, autorule.Weight, whole(2) }, ""},
		"a value is denied":               {func(s *autorule.Settings) { s.LooksAt, s.Action, s.Attribute = autorule.Value, autorule.Deny, "sub3" }, ""},
		"a campaign is denied":            {func(s *autorule.Settings) { s.Action = autorule.Deny }, "invalid_rule"},
		"no attribute given":              {func(s *autorule.Settings) { s.LooksAt, s.Action = autorule.Value, autorule.Deny }, "invalid_rule"},
		"an attribute that is not used":   {func(s *autorule.Settings) { s.Attribute = "sub1" }, "invalid_rule"},
		"too many days":                   {func(s *autorule.Settings) { s.Window = autorule.MaxDays + 1 }, "invalid_rule"},
		"most days":                       {func(s *autorule.Settings) { s.Window = autorule.MaxDays }, ""},
		"a factor of 1":                   {func(s *autorule.Settings) { s.LooksAt, s.Action = autorule.Path, autorule.Weight }, "invalid_rule"},
		"the limits in the wrong order": {func(s *autorule.Settings) {
			s.LooksAt, s.Action, s.Factor, s.MinWeight, s.MaxWeight = autorule.Path, autorule.Weight, whole(2), whole(9), whole(8)
		}, "invalid_rule"},
		"an offer is paused": {func(s *autorule.Settings) { s.LooksAt, s.Action = autorule.Offer, autorule.Pause }, ""},
		"an offer is paused for one campaign": {func(s *autorule.Settings) {
			s.LooksAt, s.Action, s.CampaignIDs = autorule.Offer, autorule.Pause, []uuid.UUID{uuid.New()}
		}, "invalid_rule"},
		"an offer is paused for one source": {func(s *autorule.Settings) {
			s.LooksAt, s.Action, s.SourceIDs = autorule.Offer, autorule.Pause, []uuid.UUID{uuid.New()}
		}, "invalid_rule"},
		"an alert about an offer of one campaign": {func(s *autorule.Settings) {
			s.LooksAt, s.CampaignIDs = autorule.Offer, []uuid.UUID{uuid.New()}
		}, ""},
		"an offer is taken out of one campaign": {func(s *autorule.Settings) {
			s.LooksAt, s.Action, s.CampaignIDs = autorule.Destination, autorule.Weight, []uuid.UUID{uuid.New()}
			s.Factor, s.MinWeight = whole(0), whole(0)
		}, ""},
		"no conditions": {func(s *autorule.Settings) { s.Conditions = nil }, "invalid_condition"},
	} {
		err := settings(c.change).Validate()
		if e, _ := models.AsError(err); (err == nil) != (c.code == "") || e != nil && e.Code != c.code {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
	}
}

// TestWindows checks that a window consists of whole hours, or of whole days in the account's time zone. With IncludeCurrent, it
// ends now.
func TestWindows(t *testing.T) {
	t.Parallel()
	account := models.Account{Timezone: "Asia/Tokyo"}
	now := time.Date(2026, 4, 15, 3, 20, 0, 0, time.UTC) // 12:20 in Tokyo
	for _, c := range []struct {
		n        int
		unit     string
		current  bool
		from, to string
	}{
		{1, autorule.Days, true, "2026-04-14T15:00:00Z", "2026-04-15T03:20:00Z"},
		{3, autorule.Days, false, "2026-04-11T15:00:00Z", "2026-04-14T15:00:00Z"},
		{2, autorule.Hours, true, "2026-04-15T02:00:00Z", "2026-04-15T03:20:00Z"},
		{2, autorule.Hours, false, "2026-04-15T01:00:00Z", "2026-04-15T03:00:00Z"},
	} {
		s := autorule.Settings{Window: c.n, WindowUnit: c.unit, IncludeCurrent: c.current}
		from, to := s.WindowAt(account, now)
		if from.UTC().Format(time.RFC3339) != c.from || to.UTC().Format(time.RFC3339) != c.to {
			t.Errorf("a window of %d %s is from %v to %v, want %s to %s", c.n, c.unit, from.UTC(), to.UTC(), c.from, c.to)
		}
	}
}

// TestWeigh checks that a weight stops at its limit and never moves in the other direction.
func TestWeigh(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := autorule.Settings{
			Factor:    models.NewMoney(decimal.New(rapid.Int64Range(0, 300).Draw(rt, "factor"), -2)),
			MinWeight: whole(rapid.Int64Range(0, 20).Draw(rt, "min")), MaxWeight: whole(rapid.Int64Range(20, 100).Draw(rt, "max")),
		}
		before := float64(rapid.Int64Range(0, 200).Draw(rt, "weight"))
		after, low, high := s.Weigh(before), s.MinWeight.InexactFloat64(), s.MaxWeight.InexactFloat64()
		switch {
		case s.Factor.LessThan(decimal.NewFromInt(1)) && (after > before || after < min(low, before)):
			rt.Fatalf("the weight %v was lowered to %v, want at most %v and not below the limit %v", before, after, before, low)
		case s.Factor.GreaterThanOrEqual(decimal.NewFromInt(1)) && (after < before || after > max(high, before)):
			rt.Fatalf("the weight %v was raised to %v, want at least %v and not above the limit %v", before, after, before, high)
		}
	})
}

// TestActs checks how changes are grouped. One change denies all values of a campaign or sets the weights of all its paths, but
// each path is paused by its own change.
func TestActs(t *testing.T) {
	t.Parallel()
	campaign, paths := uuid.New(), []flow.Path{{ID: uuid.NewString(), Weight: 40}, {ID: uuid.NewString(), Weight: 1}, {ID: uuid.NewString(), Weight: 10}}
	actsOf := func(s autorule.Settings, list ...autorule.Target) ([]autorule.Act, []autorule.Target) {
		for i := range list {
			list[i].Campaign = campaign
		}
		return s.Acts(list, func(uuid.UUID) []flow.Path { return paths })
	}
	deny := settings(func(s *autorule.Settings) { s.LooksAt, s.Action, s.Attribute = autorule.Value, autorule.Deny, "sub1" })
	acts, idle := actsOf(deny, autorule.Target{Value: "a"}, autorule.Target{Value: "b"})
	if len(acts) != 1 || !slices.Equal(acts[0].Action.Values, []string{"a", "b"}) || len(acts[0].Targets) != 2 || len(idle) != 0 {
		t.Errorf("two values are denied by the changes %+v, idle %v, want one change for both", acts, idle)
	}
	weigh := settings(func(s *autorule.Settings) {
		s.LooksAt, s.Action, s.Factor = autorule.Path, autorule.Weight, models.NewMoney(decimal.RequireFromString("0.5"))
	})
	// The weight of the second target is at its lower limit, and the path of the last target does not exist.
	acts, idle = actsOf(weigh, autorule.Target{Path: paths[0].ID}, autorule.Target{Path: paths[1].ID}, autorule.Target{Path: paths[2].ID}, autorule.Target{Path: uuid.NewString()})
	if len(acts) != 1 || len(acts[0].Action.Weights) != 2 || acts[0].Action.Weights[0].Weight != 20 || acts[0].Action.Weights[1].Weight != 5 || len(idle) != 2 {
		t.Errorf("weights are set by the changes %+v, idle %v, want one change with the weights 20 and 5, and two idle targets", acts, idle)
	}
	pause := settings(func(s *autorule.Settings) { s.LooksAt, s.Action = autorule.Path, autorule.Pause })
	if acts, _ = actsOf(pause, autorule.Target{Path: paths[0].ID}, autorule.Target{Path: paths[1].ID}); len(acts) != 2 {
		t.Errorf("two paths are paused by the changes %+v, want one change for each", acts)
	}
	for _, a := range acts {
		if err := a.Action.Validate(); err != nil {
			t.Errorf("the action of the change %+v is invalid: %v", a, err)
		}
	}
}

// TestDenies checks that a rule can deny a value of each attribute, by an entry of bot lists or by conditions of paths.
func TestDenies(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"country": "DE", "isp": "Acme", "asn": "64500", "ip": "192.0.2.1", "device_type": "mobile", "os": "iOS", "browser": "Chrome",
		"connection_type": "cellular", "mobile_operator": "Acme", "hour_of_day": "13",
	}
	regular, rest := flow.NewPath(), flow.NewPath()
	rest.StreamType = flow.Default
	paths := flow.Normalize([]flow.Path{regular, rest})
	for _, name := range enum(t, autorule.Settings{}, "Attribute")[1:] {
		s := settings(func(s *autorule.Settings) { s.LooksAt, s.Action, s.Attribute = autorule.Value, autorule.Deny, name })
		value := cmp.Or(values[name], "zone-1")
		acts, idle := s.Acts([]autorule.Target{{Campaign: uuid.New(), Value: value}}, nil)
		if len(acts) != 1 || len(idle) != 0 {
			t.Fatalf("denying a value of %s gives the changes %+v and %d idle targets, want one change", name, acts, len(idle))
		}
		after, _, _, err := acts[0].Action.Apply(copilot.Record{Paths: paths})
		if err != nil {
			t.Errorf("the change for %s cannot be applied: %v", name, err)
		}
		for _, e := range after.Entries {
			if err := botlist.Check(&e, func(int) string { return "value" }); err != nil || botlist.TooBroad(&e) != "" {
				t.Errorf("the entry for %s is too broad, or refused with the error %v", name, err)
			}
		}
		if len(after.Entries) == 0 && !copilot.Excludes(after.Paths, name, value) {
			t.Errorf("%s: the value %s is not excluded: %+v", name, value, after.Paths[0].Filters)
		}
	}
}

package cond_test

import (
	"math/rand/v2"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"switchyard/models/cond"
	"switchyard/models/longtest"
)

// TestPatternsMatchAsRegexp checks that a pattern gives the same result as package regexp.
func TestPatternsMatchAsRegexp(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{
		"bot", "Bot", "k", "s", "ſ", "ß", "é", "[ab]", "[Kk]", "(?-i:a)", "(?-i:[A])", "(?-i:1)", "[0-9]", "[^a]", "(x|yz)?", "a?", "",
		"(bot|crawl|)", ".", "^", "$", "b+", "(?:a|b|(c))",
	})
	pattern := rapid.Custom(func(t *rapid.T) string {
		var alternatives []string
		for range rapid.IntRange(1, 3).Draw(t, "alternatives") {
			alternatives = append(alternatives, strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "parts"), ""))
		}
		return strings.Join(alternatives, "|")
	})
	rapid.Check(t, func(rt *rapid.T) {
		p, text := pattern.Draw(rt, "pattern"), rapid.StringMatching(`[abBcxyzkKKsSſßẞéÉ10t]{1,8}`).Draw(rt, "text")
		if strings.TrimSpace(p) == "" {
			return
		}
		m, err := cond.Compile([]cond.Condition{{Attribute: "user_agent", Operator: "regex", Value: p}}, "")
		if err != nil {
			rt.Fatal(err)
		}
		f := &cond.Facts{}
		f.Assign("user_agent", text)
		if got, want := m.Match(f), regexp.MustCompile("(?i:"+p+")").MatchString(text); got != want {
			rt.Fatalf("%q in %q: %v, want %v", p, text, got, want)
		}
	})
}

// TestCost checks that a list of texts costs almost nothing, also as a pattern. Any other pattern costs its maximum work.
func TestCost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		operator string
		value    any
		most     int
	}{
		{"regex", "bot|crawl(er)?|spid[ea]r|slurp", 100},
		{"regex", "^mozilla.*android", 25 * 512},
		{"contains", []any{"a", "b"}, 50},
		{"in", []any{"a", "b"}, 10},
	} {
		c, err := cond.CostOf([]cond.Condition{{Attribute: "user_agent", Operator: tt.operator, Value: tt.value}})
		if err != nil || c.Steps > tt.most || c.Steps < tt.most/10 || c.Bytes < 100 {
			t.Errorf("%s %v costs %+v (error %v), want %d to %d steps and at least 100 bytes", tt.operator, tt.value, c, err, tt.most/10, tt.most)
		}
	}
	big := cond.Cost{Steps: cond.RuleBudget.Steps + 1}
	if err := big.Check(cond.RuleBudget); err == nil || !strings.Contains(err.Error(), strconv.Itoa(big.Steps)) {
		t.Errorf("too many steps give the error %v, want one with their number", err)
	}
	big = cond.Cost{Bytes: cond.RuleBudget.Bytes + 1}
	if err := big.Check(cond.RuleBudget); err == nil || !strings.Contains(err.Error(), strconv.Itoa(big.Bytes)) {
		t.Errorf("too many bytes give the error %v, want one with their number", err)
	}
	if err := cond.RuleBudget.Check(cond.RuleBudget); err != nil {
		t.Error(err)
	}
}

// TestExhausted checks that a decision ends when it has used up its steps. Match then finds nothing, but Explain gives each
// condition steps of its own.
func TestExhausted(t *testing.T) {
	t.Parallel()
	costly := cond.Condition{Attribute: "user_agent", Operator: "not_regex", Value: strings.Repeat("(a|b|c|.d)?", 40) + "z$"}
	m, err := cond.Compile([]cond.Condition{costly}, "")
	if err != nil {
		t.Fatal(err)
	}
	anybody, err := cond.Compile(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	f := &cond.Facts{}
	f.Assign("user_agent", strings.Repeat("a", 100))
	matches := 0
	for ; m.Match(f); matches++ {
		if matches > 1000 {
			t.Fatal("the decision is not exhausted after 1000 matches")
		}
	}
	if matches == 0 || !f.Exhausted() || m.Match(f) {
		t.Errorf("after %d matches, the decision is exhausted: %v, want at least one match, then none", matches, f.Exhausted())
	}
	if matched, found := m.Explain(f); len(found) != 1 || !found[0].Matched || matched || !f.Exhausted() {
		t.Errorf("Explain of an exhausted decision returns %v %+v, want false with one matched condition", matched, found)
	}
	if f.Reset(); f.Exhausted() || !anybody.Match(f) {
		t.Error("after Reset, the steps of the former decision still count")
	}
}

// TestLongTextsEnd checks that a decision ends soon even if a long URL contains the beginnings of many listed texts.
func TestLongTextsEnd(t *testing.T) {
	t.Parallel()
	values := make([]any, cond.MaxItems)
	for i := range values {
		values[i] = "aaaaaaaa" + strconv.Itoa(100_000+i)
	}
	list := cond.Condition{Attribute: "url", Operator: "contains", Value: values}
	m, err := cond.Compile([]cond.Condition{list, list}, "or")
	if err != nil {
		t.Fatal(err)
	}
	for length, ends := range map[int]bool{400: false, 60_000: true} {
		f := &cond.Facts{}
		f.Assign("url", "https://x.example/?"+strings.Repeat("a1000", length/5))
		if m.Match(f); f.Exhausted() != ends {
			t.Errorf("a URL with %d bytes exhausts the decision: %v, want %v", length, f.Exhausted(), ends)
		}
	}
}

// randomRules returns rules of all kinds, including rules that try to be slow or large.
func randomRules(r *rand.Rand) []cond.Condition {
	patterns := []string{
		"(x+x+)+y", `[^z]{1,100}z`, strings.Repeat("(a?)", 50) + "b", `(.*)(.*)(.*)(.*)z$`, `\pL{200}`, `[^\x{1234}]{100}`, `(?:a|b|ab|[a-c]+)*z`,
		"bot|crawl|spider", `^\w+ .*(a|b)+$`,
	}
	attributes := []string{"user_agent", "url", "referrer", "country", "sub1", "param.x", "header.accept", "browser_version", "ip"}
	operators := []string{"regex", "not_regex", "contains", "not_contains", "in", "starts_with", "ends_with", "gte", "in_cidr"}
	var list []cond.Condition
	for range 1 + r.IntN(cond.MaxConditions) {
		var values []any
		c := cond.Condition{Attribute: attributes[r.IntN(len(attributes))], Operator: operators[r.IntN(len(operators))]}
		for range 1 + r.IntN(1+r.IntN(cond.MaxItems)) {
			switch {
			case strings.HasSuffix(c.Operator, "regex"):
				values = append(values, patterns[r.IntN(len(patterns))])
			case c.Operator == "in_cidr":
				values = append(values, "10."+strconv.Itoa(r.IntN(256))+"."+strconv.Itoa(r.IntN(256))+".0/24")
			case c.Operator == "gte":
				values = append(values, strconv.Itoa(r.IntN(1000)))
			default:
				values = append(values, strings.Repeat("aA", 1+r.IntN(90))+strconv.Itoa(r.IntN(1e6)))
			}
		}
		c.Value = values
		if cond.Validate(c) == nil {
			list = append(list, c)
		}
	}
	return list
}

// TestRandomRulesWithinTheBudget checks that rules within the budget need no more memory than their cost says.
func TestRandomRulesWithinTheBudget(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	r := rand.New(rand.NewPCG(1, 2))
	f := &cond.Facts{}
	var matchers []*cond.Matcher
	statedBytes, refused, heap, slowest := 0, 0, heapSize(), time.Duration(0)
	for n := range longtest.Size(400, 10_000) {
		list := randomRules(r)
		logic := []string{"and", "or"}[n%2]
		m, err := cond.Compile(list, logic)
		if err != nil {
			t.Fatal(err)
		}
		m.DiscardConditions()
		cost := m.Cost()
		if cost.Check(cond.RuleBudget) != nil {
			refused++
			continue
		}
		taken := time.Hour
		for range 3 { // another process may have had the processor, and the first match allocates
			taken = min(taken, processorTime(func() { m.Match(longTexts(f)) }))
		}
		slowest = max(slowest, taken)
		matchers, statedBytes = append(matchers, m), statedBytes+cost.Bytes
	}
	if taken := heapSize() - heap; taken > statedBytes {
		t.Errorf("%d rule sets take %d bytes, but their costs add up to %d", len(matchers), taken, statedBytes)
	}
	if refused == 0 || len(matchers) < refused/100 {
		t.Errorf("%d rule sets were refused and %d kept, want at least one refused, and one kept for every 100 refused", refused, len(matchers))
	}
	t.Logf("%d kept, %d refused; the slowest decision took %s", len(matchers), refused, slowest) // only logged, because machines differ
}

// longTexts returns the facts of a visitor with long texts. Only the URL and the referrer of a click can be longer.
func longTexts(f *cond.Facts) *cond.Facts {
	f.Reset()
	f.Assign("user_agent", strings.Repeat("aA", 256))
	f.Assign("url", "https://"+strings.Repeat("a", 2000))
	f.Assign("referrer", strings.Repeat("ab", 250)+"é")
	f.Assign("sub1", strings.Repeat("x", 512))
	return f
}

func heapSize() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

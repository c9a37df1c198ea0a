package cond_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"switchyard/models/clickattr"
	"switchyard/models/cond"
)

type request map[string]string

func (r request) Param(name string) string  { return r["param."+name] }
func (r request) Header(name string) string { return r["header."+name] }

// facts describes a visitor on Wednesday 2026-03-04 23:30 in Berlin.
func facts(tb testing.TB) *cond.Facts {
	tb.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		tb.Fatal(err)
	}
	f := &cond.Facts{}
	f.SetText(cond.Named("country"), "DE")
	f.SetText(cond.Named("city"), "Zürich Straße")
	f.SetText(cond.Named("user_agent"), "Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/131.0.0.0")
	f.SetText(cond.Named("os_version"), "10.15")
	f.SetText(cond.Named("sub1"), "12.50")
	f.SetText(cond.Named("sub2"), "abc")
	f.SetInt(cond.ASN, 64500)
	f.SetInt(cond.BotScore, 0)
	f.SetBool(cond.IsUnique, true)
	f.SetIP(netip.MustParseAddr("::ffff:192.0.2.77"))
	f.SetTime(time.Date(2026, 3, 4, 22, 30, 0, 0, time.UTC), berlin)
	f.SetSource(request{"param.zone": "Alpha-7", "param.n": "15", "header.Accept-Encoding": "gzip, br"})
	return f
}

func parse(tb testing.TB, text string) cond.Condition {
	tb.Helper()
	var c cond.Condition
	parts := strings.SplitN(text, " ", 3)
	raw := fmt.Sprintf(`{"attribute":%q,"operator":%q,"value":%s}`, parts[0], parts[1], parts[2])
	if err := json.Unmarshal([]byte(raw), &c); err != nil {
		tb.Fatalf("%s: %v", raw, err)
	}
	return c
}

func TestMatch(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		`country equals "de"`:                                       true,
		`country not_equals "de"`:                                   false,
		`country in ["US","De"]`:                                    true,
		`country not_in ["US","AT"]`:                                true,
		`country not_in ["US","DE"]`:                                false,
		`country in ["a1","a2","a3","a4","a5","a6","a7","a8","DE"]`: true,
		`country in ["a1","a2","a3","a4","a5","a6","a7","a8","a9"]`: false,
		`region equals "by"`:                                        false,
		`region not_equals "by"`:                                    true,
		`region not_regex "."`:                                      true,
		`region is_set false`:                                       true,
		`region is_set true`:                                        false,
		`country is_set "true"`:                                     true,
		`bot_score is_set true`:                                     true,
		`clicks_today is_set true`:                                  false,
		`city contains "ZÜRICH"`:                                    true,
		`city ends_with "STRAßE"`:                                   true,
		`user_agent contains ["iphone","pixel 8"]`:                  true,
		`user_agent contains ["iphone","pixel 9"]`:                  false,
		`user_agent not_contains ["iphone","pixel 8"]`:              false,
		`user_agent starts_with "MOZILLA/"`:                         true,
		`user_agent ends_with "131.0.0.0"`:                          true,
		`user_agent contains "0"`:                                   true,
		`user_agent regex "android \\d+;"`:                          true,
		`user_agent regex ["^chrome","linux$"]`:                     false,
		`user_agent not_regex ["^chrome","linux$"]`:                 true,
		`os_version lt "10.9"`:                                      false,
		`os_version gt "10.9"`:                                      true,
		`os_version equals "10.15.0"`:                               true,
		`os_version equals 10.15`:                                   true,
		`os_version between ["10.14","10.15.7"]`:                    true,
		`os_version gte ["11","10.15"]`:                             true,
		`browser_version gt 1`:                                      false,
		`sub1 gt 12.4`:                                              true,
		`sub1 lte 12.5`:                                             true,
		`sub2 gt 1`:                                                 false,
		`asn equals "AS64500"`:                                      true,
		`asn in [1,64500]`:                                          true,
		`asn contains "450"`:                                        true,
		`asn between [64000,65000]`:                                 true,
		`bot_score lt 1`:                                            true,
		`is_unique equals true`:                                     true,
		`is_unique equals 0`:                                        false,
		`is_bot equals false`:                                       false,
		`ip in_cidr "192.0.2.0/24"`:                                 true,
		`ip in_cidr "::ffff:192.0.2.0/120"`:                         true,
		`ip in_cidr ["10.0.0.0/8","192.0.2.70-192.0.2.80"]`:         true,
		`ip in_cidr ["10.0.0.0/8","192.0.2.1","192.0.2.76","192.0.2.78","2001:db8::/32"]`: false,
		`ip not_in_cidr "192.0.2.77"`:                                false,
		`ip equals "::ffff:192.0.2.77"`:                              true,
		`ip starts_with "192.0."`:                                    true,
		`ip_version equals 4`:                                        true,
		`param.zone equals "alpha-7"`:                                true,
		`param.Zone equals "alpha-7"`:                                false,
		`param.n between [10,20]`:                                    true,
		`param.none not_in ["x"]`:                                    true,
		`param.none is_set false`:                                    true,
		`header.accept-encoding contains "BR"`:                       true,
		`day_of_week equals 3`:                                       true,
		`day_of_week in ["Mon","wednesday"]`:                         true,
		`day_of_week between [6,3]`:                                  true,
		`hour_of_day equals 23`:                                      true,
		`hour_of_day between [22,6]`:                                 true,
		`hour_of_day between [6,22]`:                                 false,
		`date equals "2026-03-04"`:                                   true,
		`date between ["2026-03-01","2026-03-04"]`:                   true,
		`date gt "2026-03-04"`:                                       false,
		`schedule equals [{"days":[3],"from":"23:00","to":"23:30"}]`: false,
		`schedule equals [{"days":[3],"from":"23:00","to":"23:31"}]`: true,
		`schedule in [{"days":[1],"from":"00:00"},{"days":["wed"],"from":"22:00","to":"06:00"}]`: true,
		`schedule equals [{"days":[2],"from":"22:00","to":"23:45"}]`:                             false,
		`schedule equals [{"days":[2],"from":"23:50","to":"23:45"}]`:                             true,
		`schedule not_equals {"from":"09:00","to":"17:00"}`:                                      true,
	}
	f := facts(t)
	for text, want := range tests {
		m, err := cond.Compile([]cond.Condition{parse(t, text)}, "and")
		if err != nil {
			t.Errorf("%s does not compile: %v", text, err)
			continue
		}
		if got := m.Match(f); got != want {
			t.Errorf("%s matches: %v, want %v", text, got, want)
		}
		explained, findings := m.Explain(f)
		if explained != want || len(findings) != 1 || findings[0].Matched != want {
			t.Errorf("%s: Explain returns %v %+v, want one finding and %v", text, explained, findings, want)
		}
	}
}

func TestLogic(t *testing.T) {
	t.Parallel()
	yes, no := `country equals "DE"`, `country equals "FR"`
	tests := []struct {
		logic string
		list  []string
		want  bool
	}{
		{"and", nil, true},
		{"or", nil, true},
		{"and", []string{yes, no}, false},
		{"or", []string{no, yes}, true},
		{"and", []string{yes, yes}, true},
		{"or", []string{no, no}, false},
		{"OR", []string{yes, no}, true},
	}
	f := facts(t)
	for _, tt := range tests {
		var list []cond.Condition
		for _, text := range tt.list {
			list = append(list, parse(t, text))
		}
		m, err := cond.Compile(list, tt.logic)
		if err != nil {
			t.Fatal(err)
		}
		if m.Match(f) != tt.want {
			t.Errorf("the conditions %v with the logic %q match: %v, want %v", tt.list, tt.logic, !tt.want, tt.want)
		}
	}
	if cond.Never.Match(f) {
		t.Error("the matcher Never matches a visitor")
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	many := `["` + strings.Repeat(`x","`, cond.MaxItems) + `x"]`
	tests := map[string]cond.Reason{
		`colour equals "x"`:                                  cond.UnknownAttribute,
		`param. equals "x"`:                                  cond.UnknownAttribute,
		`cookie.a equals "x"`:                                cond.UnknownAttribute,
		`country like "x"`:                                   cond.UnknownOperator,
		`country in_cidr "10.0.0.0/8"`:                       cond.UnknownOperator,
		`is_bot contains "t"`:                                cond.UnknownOperator,
		`schedule contains "t"`:                              cond.UnknownOperator,
		`country equals null`:                                cond.NoValue,
		`country equals ""`:                                  cond.NoValue,
		`country in []`:                                      cond.NoValue,
		`country in ["  "]`:                                  cond.NoValue,
		`schedule equals []`:                                 cond.NoValue,
		`schedule equals null`:                               cond.NoValue,
		`country equals {"a":1}`:                             cond.BadValue,
		`country in [["x"]]`:                                 cond.BadValue,
		`country in ` + many:                                 cond.BadValue,
		`country equals "` + strings.Repeat("x", 201) + `"`:  cond.BadValue,
		`asn gt "many"`:                                      cond.BadValue,
		`asn equals "12x"`:                                   cond.BadValue,
		`asn between [1]`:                                    cond.BadValue,
		`asn between [9,1]`:                                  cond.BadValue,
		`os_version gt "new"`:                                cond.BadValue,
		`date equals "tomorrow"`:                             cond.BadValue,
		`day_of_week equals 8`:                               cond.BadValue,
		`is_unique equals "perhaps"`:                         cond.BadValue,
		`country is_set "perhaps"`:                           cond.BadValue,
		`ip in_cidr "10.0.0.0/33"`:                           cond.BadValue,
		`ip in_cidr "10.0.0.9-10.0.0.1"`:                     cond.BadValue,
		`ip in_cidr "10.0.0.1-::2"`:                          cond.BadValue,
		`schedule equals [{"days":[9]}]`:                     cond.BadValue,
		`schedule equals [{"from":"25:00"}]`:                 cond.BadValue,
		`schedule equals ["now"]`:                            cond.BadValue,
		`referrer regex "("`:                                 cond.BadRegex,
		`referrer regex "` + strings.Repeat("a", 1025) + `"`: cond.BadRegex,
		`referrer regex "(?:a{60}){60}"`:                     cond.BadRegex,
		`referrer regex "[\\pL\\pN]{900}"`:                   cond.BadRegex,
		`referrer regex "(?i)^https?://([a-z0-9-]+\\.)?example\\.com/"`: 0,
		`header.x-y equals "z"`: 0,
	}
	for text, want := range tests {
		err := cond.Validate(parse(t, text))
		var reason cond.Reason
		if e, ok := errors.AsType[*cond.Error](err); ok {
			reason = e.Reason
			if e.Error() == "" {
				t.Errorf("%.60s: the error has no text", text)
			}
		}
		if reason != want {
			t.Errorf("%.60s: reason %d (%v), want %d", text, reason, err, want)
		}
	}
}

func TestConditionReadsAnyJSON(t *testing.T) {
	t.Parallel()
	var c cond.Condition
	if err := json.Unmarshal([]byte(`{"attribute":7,"operator":[],"value":{"a":1},"more":true}`), &c); err != nil {
		t.Fatal(err)
	}
	if c.Attribute != "" || c.Operator != "" {
		t.Errorf("the condition is %+v, want no attribute and no operator", c)
	}
	const text = `{"attribute":"asn","operator":"equals","value":[12345678901234567890,"a",true]}`
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	if repeated, err := json.Marshal(c); err != nil || string(repeated) != text {
		t.Errorf("%s was written back as %s, %v", text, repeated, err)
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 300)
	list := make([]any, 300)
	for i := range list {
		list[i] = long
	}
	got := cond.Clip(cond.Condition{Operator: "equals", Value: list}).Value.([]any)
	if len(got) != cond.MaxItems || got[0] != strings.Repeat("ü", cond.MaxItemLen) {
		t.Errorf("after Clip there are %d values, the first with %d bytes, want %d with %d", len(got), len(got[0].(string)), cond.MaxItems, 2*cond.MaxItemLen)
	}
	if got := cond.Clip(cond.Condition{Operator: "not_regex", Value: long}).Value; got != long {
		t.Error("a pattern was cut")
	}
}

func TestMatchDoesNotAllocate(t *testing.T) {
	f := facts(t)
	var list []cond.Condition
	for _, text := range []string{
		`country in ["US","DE"]`, `city contains "ürich"`, `user_agent regex "pixel [0-9]"`,
		`os_version gte "10.2"`, `asn contains "45"`, `sub1 gt 3`, `ip in_cidr ["10.0.0.0/8","192.0.2.0/24"]`,
		`param.zone starts_with "ALPHA"`, `header.accept-encoding contains "gzip"`, `date gte "2026-01-01"`,
		`schedule equals [{"from":"20:00"}]`, `day_of_week lte 5`, `os_version contains "15"`, `ip starts_with "192"`,
		`sub2 not_equals "x"`, `os_version equals ["XP","10.15"]`,
	} {
		list = append(list, parse(t, text))
	}
	m, err := cond.Compile(list, "and")
	if err != nil {
		t.Fatal(err)
	}
	if !m.Match(f) {
		_, findings := m.Explain(f)
		t.Fatalf("the conditions do not match: %+v", findings)
	}
	now := time.Date(2026, 3, 4, 22, 30, 0, 0, time.UTC)
	if n := testing.AllocsPerRun(200, func() {
		f.SetTime(now, time.UTC)
		f.SetText(cond.Named("city"), "Zürich")
		if !m.Match(f) {
			t.Error("the conditions do not match")
		}
	}); n != 0 {
		t.Errorf("Match makes %v allocations, want none", n)
	}
}

func TestResetForgets(t *testing.T) {
	t.Parallel()
	f := facts(t)
	m, err := cond.Compile([]cond.Condition{parse(t, `country equals "DE"`)}, "and")
	if err != nil {
		t.Fatal(err)
	}
	if !m.Match(f) {
		t.Fatal("the condition does not match")
	}
	f.Reset()
	if m.Match(f) || f.Text(cond.Named("country")) != "" || f.Known(cond.IP) {
		t.Error("a value is still known after Reset")
	}
	f.SetText(cond.Named("country"), "FR")
	if m.Match(f) {
		t.Error("after Reset, the folded text of the former visitor is still used")
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	f := facts(t)
	for attr, want := range map[cond.Attr]string{
		cond.Named("country"): "DE", cond.IP: "192.0.2.77", cond.ASN: "64500",
		cond.IsUnique: "true", cond.Date: "2026-03-04", cond.HourOfDay: "23", cond.Named("region"): "", cond.IsBot: "",
	} {
		if got := f.Text(attr); got != want {
			t.Errorf("%s is %q, want %q", attr, got, want)
		}
	}
	// 68 attributes have a name.
	if last, beyond := cond.Attr(67).String(), cond.Attr(68).String(); last == "attr(67)" || beyond != "attr(68)" {
		t.Errorf("the attributes 67 and 68 are named %s and %s, want a name for 67 and none for 68", last, beyond)
	}
}

// FuzzCondition checks that Validate accepts exactly the conditions that compile, that Match does not panic, that a negated operator
// is the opposite of its positive operator, and that Explain and Match give the same result.
func FuzzCondition(f *testing.F) {
	f.Add("country", "equals", `["DE"]`, "de")
	f.Add("ip", "in_cidr", `"10.0.0.0/8"`, "10.1.2.3")
	f.Add("referrer", "regex", `"a+(b|c)"`, "aab")
	f.Add("os_version", "between", `["1.2","3"]`, "2..x")
	f.Add("schedule", "equals", `[{"days":[1],"from":"10:00"}]`, "")
	f.Add("param.x", "gt", `1`, "1.2.3")
	opposite := map[string]string{
		"equals": "not_equals", "in": "not_in", "contains": "not_contains",
		"regex": "not_regex", "in_cidr": "not_in_cidr",
	}
	f.Fuzz(func(t *testing.T, attribute, operator, value, seen string) {
		c := cond.Condition{Attribute: attribute, Operator: operator}
		if json.Unmarshal([]byte(value), &c.Value) != nil {
			return
		}
		m, err := cond.Compile([]cond.Condition{c}, "and")
		if (err == nil) != (cond.Validate(c) == nil) {
			t.Fatal("Validate and Compile disagree")
		}
		if err != nil {
			return
		}
		facts := &cond.Facts{}
		for _, row := range clickattr.All {
			if row.Compare == clickattr.AsText || row.Compare == clickattr.AsVersion {
				facts.SetText(cond.Named(row.Name), seen)
			}
		}
		if addr, err := netip.ParseAddr(seen); err == nil {
			facts.SetIP(addr)
		}
		facts.SetInt(cond.ASN, int64(len(seen)))
		facts.SetTime(time.Unix(int64(len(seen))*4321, 0), time.UTC)
		facts.SetSource(request{attribute: seen})
		got := m.Match(facts)
		if explained, _ := m.Explain(facts); explained != got {
			t.Fatal("Explain and Match disagree")
		}
		if not := opposite[operator]; not != "" {
			c.Operator = not
			n, err := cond.Compile([]cond.Condition{c}, "and")
			if err != nil || n.Match(facts) == got {
				t.Fatalf("%s is not the opposite of %s: %v", not, operator, err)
			}
		}
	})
}

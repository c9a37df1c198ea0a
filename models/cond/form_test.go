package cond_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"switchyard/models/cond"
)

// TestForms checks that every valid combination of attribute and operator belongs to exactly one form, and an
// invalid one to none.
func TestForms(t *testing.T) {
	t.Parallel()
	names := []string{"param.x", "header.X-Test"}
	for _, f := range cond.Forms() {
		for _, name := range f.Attributes {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		example := canonical(t, f.Example)
		if err := cond.Validate(example); err != nil {
			t.Errorf("%s: its example is refused: %v", f.Name, err)
		}
		if err := cond.CheckValues([]cond.Condition{example}, nil); err != nil {
			t.Errorf("%s: no visitor can satisfy its example: %v", f.Name, err)
		}
	}
	values := []any{"1", "true", []any{"1", "2"}, "2026-01-01", "192.0.2.1", []any{map[string]any{}}, "Chrome", "2026-01-01,2026-01-02", "x"}
	for _, name := range names {
		for operator := range strings.FieldsSeq(`equals not_equals in not_in contains not_contains starts_with ends_with
			regex not_regex in_cidr not_in_cidr gt gte lt lte between is_set`) {
			valid := slices.ContainsFunc(values, func(v any) bool {
				c := cond.Condition{Attribute: name, Operator: operator, Value: v}
				return cond.Validate(c) == nil && !refusedOperator(cond.CheckValues([]cond.Condition{c}, nil))
			})
			count := 0
			for _, f := range cond.Forms() {
				family := f.Families && strings.Contains(name, ".")
				if slices.Contains(f.Operators, operator) && (family || slices.Contains(f.Attributes, name)) {
					count++
				}
			}
			if count > 1 || valid != (count == 1) {
				t.Errorf("%s %s is valid: %v, and belongs to %d forms, want exactly one form if it is valid", name, operator, valid, count)
			}
		}
	}
}

func refusedOperator(err error) bool {
	e, ok := err.(*cond.Error) //nolint:errorlint // CheckValues documents that its error is an *Error
	return ok && e != nil && e.Reason == cond.UnknownOperator
}

func canonical(t *testing.T, c cond.Condition) cond.Condition {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var read cond.Condition
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return cond.Canonical(read)
}

// TestCanonicalTypes checks with which JSON type a value is saved.
func TestCanonicalTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attribute, operator, sent, saved string
	}{
		{"bot_score", "gt", `"5"`, `5`},
		{"bot_score", "between", `"5, 10"`, `[5,10]`},
		{"asn", "in", `["AS3320", 6805]`, `[3320,6805]`},
		{"is_bot", "equals", `"yes"`, `true`},
		{"isp", "is_set", `0`, `false`},
		{"sub1", "equals", `7`, `"7"`},
		{"sub1", "gte", `"7"`, `7`},
		{"os_version", "gte", `17`, `"17"`},
		{"day_of_week", "in", `["sat","sun"]`, `[6,7]`},
		{"country", "in", `["us","Germany"]`, `["US","DE"]`},
		{"bot_score", "gt", `"many"`, `"many"`},
		{"os_version", "between", `"16,17"`, `["16","17"]`},
		{"schedule", "equals", `[{"days":["1"]}]`, `[{"days":["1"]}]`},
	} {
		var sent, saved any
		if json.Unmarshal([]byte(c.sent), &sent) != nil || json.Unmarshal([]byte(c.saved), &saved) != nil {
			t.Fatalf("the test case %+v is not JSON", c)
		}
		got := canonical(t, cond.Condition{Attribute: c.attribute, Operator: c.operator, Value: sent})
		text, _ := json.Marshal(got.Value)
		var value any
		_ = json.Unmarshal(text, &value)
		if !reflect.DeepEqual(value, saved) {
			t.Errorf("%s %s %s is saved as %s, want %s", c.attribute, c.operator, c.sent, text, c.saved)
		}
	}
}

// TestImpossibleValues checks that unknown names, and values that no visitor can have, are refused. Such values are accepted if they
// were saved before.
func TestImpossibleValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attribute, operator string
		value               any
		want                string
	}{
		{"country", "equals", "!DE", "is not a valid value"},
		{"country", "in", []any{"DE", "-AT"}, "is not a valid value"},
		{"device_type", "equals", "!mobile", "did you mean mobile?"},
		{"day_of_week", "equals", "-1", "days are 1 (Monday) to 7"},
		{"day_of_week", "equals", "8", "days are 1 (Monday) to 7"},
		{"ip_version", "equals", "5", "it must be 4 or 6"},
		{"source_id", "equals", "propellerads", "it must be an id"},
		{"referrer_domain", "equals", "https://www.example.com/", "it must be the name of a host"},
		{"schedule", "equals", []any{map[string]any{"day": []any{"1"}}}, "did you mean days?"},
		{"contry", "equals", "DE", "did you mean country?"},
		{"country", "equal", "DE", "did you mean equals?"},
	} {
		list := []cond.Condition{{Attribute: c.attribute, Operator: c.operator, Value: c.value}}
		err := cond.Validate(list[0])
		if err == nil {
			err = cond.CheckValues(list, nil)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %v: %v, want %q", c.attribute, c.operator, c.value, err, c.want)
		}
		if kept := cond.CheckValues(list, list); cond.Validate(list[0]) == nil && kept != nil {
			t.Errorf("%s %s %v is refused although it was saved before: %v", c.attribute, c.operator, c.value, kept)
		}
	}
}

// TestSavedBefore checks that conditions that were saved with other spellings match the intended visitors.
func TestSavedBefore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ attribute, typed, visitor string }{
		{"device_type", "phone", "mobile"},
		{"country", "Germany", "DE"},
		{"country", "uk", "GB"},
		{"os", "Mac OS X", "macOS"},
		{"browser", "Google Chrome", "Chrome"},
		{"browser", "Rarely Seen", "rarely seen"},
		{"connection_type", "4g", "cellular"},
	} {
		var f cond.Facts
		f.SetText(cond.Named(c.attribute), c.visitor)
		for operator, want := range map[string]bool{"equals": true, "not_equals": false} {
			m, err := cond.Compile([]cond.Condition{{Attribute: c.attribute, Operator: operator, Value: c.typed}}, "and")
			if err != nil || m.Match(&f) != want {
				t.Errorf("%s %s %s: want %v for a visitor with %s, %v", c.attribute, operator, c.typed, want, c.visitor, err)
			}
		}
	}
}

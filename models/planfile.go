package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
)

var mayBeUnlimited = []string{"campaigns", "offers", "landers", "integrations", "domains", "clicks_per_month"}

var leastAllowances = map[string]int64{
	"calls_per_minute": 1, "matching_bytes": 1 << 20, "open_jobs": 1, "export_bytes": 1 << 20, "answer_bytes": 1 << 20, "history_days": 1,
	"postback_days": StrangersPostbackDays, "clicks_per_month": 1,
}

// mostAllowances holds the largest values of some allowances. A larger value could use up the resources of an install.
var mostAllowances = map[string]int64{
	"calls_per_minute": 100_000, "matching_bytes": 4 << 30, "open_jobs": 10_000, "answer_bytes": 4 << 30, "history_days": 3_650, "postback_days": 3_650,
}

const mostPlans = 50

var planName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

// ParsePlans reads a table of plans, as "switchyard plans --json" prints it. Every allowance must be present, so that a forgotten
// allowance does not become zero. -1 is Unlimited, and is valid only for the allowances in mayBeUnlimited.
func ParsePlans(raw []byte) ([]Plan, error) {
	var rows []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &rows); err != nil {
		return nil, fmt.Errorf("is not a JSON array of plans: %w", err)
	}
	if len(rows) == 0 || len(rows) > mostPlans {
		return nil, fmt.Errorf("has %d plans; it must have 1 to %d", len(rows), mostPlans)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var plans []Plan
	if err := dec.Decode(&plans); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	for i, p := range plans {
		if !planName.MatchString(p.Name) {
			return nil, fmt.Errorf("plan %d: the name %q is not valid: use lower-case letters, digits, - and _", i+1, p.Name)
		}
		if slices.ContainsFunc(plans[:i], func(o Plan) bool { return o.Name == p.Name }) {
			return nil, fmt.Errorf("plan %q appears twice", p.Name)
		}
		if err := p.check(rows[i]); err != nil {
			return nil, fmt.Errorf("plan %q: %w", p.Name, err)
		}
	}
	return plans, nil
}

func (p Plan) check(row map[string]json.RawMessage) error {
	var errs []error
	for f, v := range reflect.ValueOf(p).Fields() {
		name := f.Tag.Get("json")
		if _, given := row[name]; !given {
			errs = append(errs, fmt.Errorf("%s is missing", name))
			continue
		}
		if !v.CanInt() {
			continue
		}
		n := v.Int()
		switch most, limited := mostAllowances[name]; {
		case n == Unlimited && slices.Contains(mayBeUnlimited, name):
		case n < leastAllowances[name]:
			errs = append(errs, fmt.Errorf("%s is %d, it must be at least %d%s", name, n, leastAllowances[name], orUnlimited(name)))
		case limited && n > most:
			errs = append(errs, fmt.Errorf("%s is %d, it may be at most %d", name, n, most))
		}
	}
	return errors.Join(errs...)
}

func orUnlimited(name string) string {
	if slices.Contains(mayBeUnlimited, name) {
		return ", or -1 for unlimited"
	}
	return ""
}

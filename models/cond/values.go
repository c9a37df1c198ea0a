package cond

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/clickattr"
)

var bounds = map[Attr]struct{ min, max float64 }{IPVersion: {4, 6}, DayOfWeek: {1, 7}, HourOfDay: {0, 23}, BotScore: {0, 100}}

func valuesOf(a Attr) *clickattr.Values {
	if a >= numAttrs {
		return nil
	}
	if row := attributes[a].row; row != nil {
		return row.Values
	}
	if a == DayOfWeek {
		return clickattr.Weekdays
	}
	return nil
}

// Canonical returns a condition with its values as they are saved and shown. If an attribute has a closed set of values, equality
// uses the spelling that is stored for visitors: us becomes US, and phone becomes mobile. Values get the type that the condition
// compares, so "5" becomes 5 if the condition compares numbers. A value that cannot be converted stays unchanged, for Compile or
// CheckValues to refuse.
func Canonical(c Condition) Condition {
	a, k, _, ok := findAttr(c.Attribute)
	info, known := operators[c.Operator]
	if !ok || !known || k == kindSchedule {
		return c
	}
	form := formOf(a, k, info.op)
	list, isList := c.Value.([]any)
	if text, ok := c.Value.(string); ok && info.op == opBetween {
		if from, to, two := strings.Cut(text, ","); two {
			list, isList = []any{strings.TrimSpace(from), strings.TrimSpace(to)}, true
		}
	}
	if !isList {
		c.Value = form(c.Value)
		return c
	}
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = form(v)
	}
	c.Value = out
	return c
}

func formOf(a Attr, k kind, op operator) func(any) any {
	values := valuesOf(a)
	switch {
	case values != nil && op == opEquals:
		return func(v any) any { return canonical(a, values, v) }
	case op == opIsSet, k == kindBool:
		return func(v any) any {
			if text, ok := scalar(v); ok {
				if on, ok := parseBool(strings.TrimSpace(text)); ok {
					return on
				}
			}
			return v
		}
	case k == kindNumber && op == opEquals, (k == kindNumber || k == kindText) && ordering&(1<<op) != 0:
		return func(v any) any { return numeric(a, v) }
	}
	return func(v any) any {
		if text, ok := scalar(v); ok && v != nil {
			return text
		}
		return v
	}
}

// numeric converts a text with a number into a number.
func numeric(a Attr, v any) any {
	text, isText := v.(string)
	text = strings.TrimSpace(text)
	if !isText {
		return v
	}
	if a == ASN {
		text = withoutAS(text)
	}
	if _, ok := parseNumber(text); ok && json.Valid([]byte(text)) {
		return json.Number(text)
	}
	return v
}

func canonical(a Attr, values *clickattr.Values, v any) any {
	text, isText := v.(string)
	if n, isNumber := v.(json.Number); isNumber && attributes[a].kind == kindText {
		text, isText = n.String(), true
	}
	form, ok := values.Find(strings.TrimSpace(text))
	switch {
	case !isText || text == "" || !ok:
		return v
	case attributes[a].kind == kindNumber:
		return json.Number(form)
	}
	return form
}

// CheckValues returns an error for conditions with a value that no visitor can have, such as the country USSR. Equality with
// an unknown browser is refused too. Conditions in kept are accepted, so that a record that was saved with
// such a value can still be changed. The conditions must be valid and within their budget. The error is an *Error. Compile does
// not check this, so that saved conditions can always be loaded.
func CheckValues(list, kept []Condition) error {
	var known map[string]bool
	for i := range list {
		err := checkValues(&list[i])
		if err == nil {
			continue
		}
		if known == nil {
			known = make(map[string]bool, len(kept))
			for _, c := range kept {
				known[canonicalText(c)] = true
			}
		}
		if !known[canonicalText(list[i])] {
			err.Attribute, err.Operator = list[i].Attribute, list[i].Operator
			return err
		}
	}
	return nil
}

// canonicalText returns the same text for conditions that are equal in canonical form.
func canonicalText(c Condition) string {
	text, _ := json.Marshal(Canonical(c)) //nolint:errchkjson // the condition came from JSON
	return string(text)
}

func checkValues(c *Condition) *Error {
	a, k, _, _ := findAttr(c.Attribute)
	op, closed := operators[c.Operator].op, valuesOf(a)
	texts, err := items(c.Value)
	switch {
	case k == kindSchedule:
		return checkSchedule(c.Value)
	case err != nil || op == opIsSet:
		return nil // Compile checks these values
	case k == kindNumber:
		return checkNumbers(a, op, texts)
	case closed == nil && k == kindText && op == opEquals:
		return checkForm(a, texts)
	case closed == nil:
		return nil
	case op == opEquals:
		for _, text := range texts {
			if _, err := closed.Check(text); err != nil {
				return &Error{Reason: BadValue, Detail: err.Error()}
			}
		}
		return nil
	case textual&(1<<op) == 0:
		return &Error{Reason: UnknownOperator}
	case closed.Open || closed.List() == nil || holds(c, a, closed.List()):
		return nil
	}
	return &Error{Reason: BadValue, Detail: "no visitor can satisfy the condition: the attribute is always one of " +
		strings.Join(closed.List(), ", ")}
}

// checkForm refuses texts that are not in the form of the attribute's values.
func checkForm(a Attr, texts []string) *Error {
	if a >= numAttrs { // a parameter or a header
		return nil
	}
	isID := attributes[a].row != nil && attributes[a].row.ID != nil
	for _, text := range texts {
		_, err := uuid.Parse(text)
		switch {
		case isID && err != nil:
			return &Error{Reason: BadValue, Detail: "it must be an id, not a name"}
		case a == ReferrerDomain && strings.ContainsAny(text, "/: "):
			return &Error{Reason: BadValue, Detail: "it must be the name of a host, such as www.example.com"}
		}
	}
	return nil
}

// checkSchedule refuses unknown members of entries, because they would have no effect. Members whose names begin with _ are
// accepted.
func checkSchedule(v any) *Error {
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	known := []string{"days", "from", "to"}
	for _, entry := range list {
		members, _ := entry.(map[string]any)
		for name := range members {
			if slices.Contains(known, name) || strings.HasPrefix(name, "_") {
				continue
			}
			detail := fmt.Sprintf("%q is unknown in an entry {days, from, to}", firstChars(name, 60))
			return &Error{Reason: BadValue, Detail: detail + suggestion(name, known)}
		}
	}
	return nil
}

func suggestion(name string, known []string) string {
	if near := models.Nearest(name, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// holds reports whether one of the values satisfies a condition, ignoring the condition's negation.
func holds(c *Condition, a Attr, values []string) bool {
	m, err := compile(c)
	if err != nil {
		return true
	}
	m.negate = false
	var f Facts
	for _, v := range values {
		f.Reset()
		f.SetText(a, v)
		if m.match(&f) {
			return true
		}
	}
	return false
}

func checkNumbers(a Attr, op operator, texts []string) *Error {
	within, ok := bounds[a]
	if !ok || inOrder&(1<<op) == 0 {
		return nil
	}
	test, err := newNumberTest(a, kindNumber, op, texts)
	ranges, _ := test.(numberTest)
	if err != nil {
		return nil
	}
	fits := func(r numberRange) bool {
		return r.lo <= within.max && r.hi >= within.min && (!r.open || r.lo < within.max && r.hi > within.min)
	}
	if op == opBetween && slices.ContainsFunc(ranges, fits) {
		return nil
	}
	for _, r := range ranges {
		if !fits(r) {
			return &Error{Reason: BadValue, Detail: fmt.Sprintf("it must be between %g and %g", within.min, within.max)}
		}
		if a == IPVersion && op == opEquals && r.lo != within.min && r.lo != within.max {
			return &Error{Reason: BadValue, Detail: "it must be 4 or 6"}
		}
	}
	return nil
}

// Package botlist matches visitors against the allow and deny lists of an account.
//
// Addresses and networks are looked up in a routing table and equal texts in a map, so that a list of a hundred thousand
// costs a click as much as one of ten. Only texts that are searched for, and patterns, are tried one after another; what
// they cost is bounded.
package botlist

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/cond"
)

// The operators of entries.
const (
	equals   = "equals"
	contains = "contains"
	regex    = "regex"
	inCIDR   = "in_cidr"
)

// attrOf is the attribute of the visitor that an entry's attribute looks at.
func attrOf(name string) cond.Attr {
	if name == "ip_range" {
		return cond.IP
	}
	return cond.Named(name)
}

// byAddress reports whether an entry's values are addresses or networks.
func byAddress(e *models.BotEntry) bool {
	return attrOf(e.Attribute) == cond.IP && (e.Operator == equals || e.Operator == inCIDR)
}

// Budget is what the texts and patterns of an account's lists may cost together, in steps of package cond.
const Budget = cond.MaxSteps / 2

// About what a value takes in memory, beside its text.
const (
	rangeBytes = 64
	textBytes  = 48
)

// Check brings the values of an entry into their form and sets what they cost. The attribute and the operator are known
// ones. Errors: invalid_operator, invalid_regex, value_required, and invalid_input for a value that no visitor can have.
func Check(e *models.BotEntry) error {
	if err := clean(e); err != nil {
		return err
	}
	e.MatchSteps, e.MatchBytes = 0, 0
	var err error
	switch {
	case byAddress(e):
		err = checkRanges(e)
	case e.Operator == inCIDR:
		err = models.Invalid("invalid_operator", "in_cidr compares addresses: it goes with ip and ip_range")
	case e.Operator == equals:
		err = checkTexts(e)
	default:
		err = checkSearch(e)
	}
	e.ValueCount = len(e.Value)
	return err
}

// checkSearch prices the texts and patterns of an entry.
func checkSearch(e *models.BotEntry) error {
	m, err := compile(e)
	if bad, ok := errors.AsType[*cond.Error](err); ok && bad.Reason == cond.BadRegex {
		return models.Invalid("invalid_regex", "the pattern cannot be used: %s", bad.Detail)
	}
	if err != nil {
		return models.Invalid("invalid_input", "value: %s", err)
	}
	cost := m.Cost()
	e.MatchSteps, e.MatchBytes = cost.Steps, cost.Bytes
	return nil
}

// clean trims the values and leaves out what is blank or comes twice.
func clean(e *models.BotEntry) error {
	known := make(map[string]bool, len(e.Value))
	var list models.BotValues
	for _, v := range e.Value {
		if v = strings.TrimSpace(v); v == "" || known[v] {
			continue
		}
		if len(v) > models.MaxBotValue {
			return models.Invalid("invalid_input", "a value has at most %d bytes: %.40s… has %d", models.MaxBotValue, v, len(v))
		}
		known[v] = true
		list = append(list, v)
	}
	if len(list) == 0 {
		return models.Invalid("value_required", "value is required: a text, or a list of texts")
	}
	if len(list) > models.MaxBotValues {
		return models.Invalid("invalid_input", "an entry has at most %d values: send the others as a second one", models.MaxBotValues)
	}
	e.Value = list
	return nil
}

func checkRanges(e *models.BotEntry) error {
	alone := e.Attribute == "ip" && e.Operator == equals
	for i, v := range e.Value {
		r := cond.ParseRange(v)
		switch {
		case !r.IsValid():
			return models.Invalid("invalid_input", "value[%d]: %q is not an address, a network such as 192.0.2.0/24 or a range a-b", i, v)
		case alone && r.From() != r.To():
			return models.Invalid("invalid_input", "value[%d]: %q is more than one address: use the operator in_cidr", i, v)
		}
		e.MatchBytes += rangeBytes * len(r.Prefixes())
	}
	return nil
}

func checkTexts(e *models.BotEntry) error {
	for i, v := range e.Value {
		var err error
		switch e.Attribute {
		case "asn":
			e.Value[i], err = asn(v)
		case "country":
			c := cond.Canonical(cond.Condition{Attribute: "country", Operator: equals, Value: v})
			if err = cond.CheckValues([]cond.Condition{c}, nil); err == nil {
				e.Value[i], _ = c.Value.(string)
			}
		}
		if err != nil {
			return models.Invalid("invalid_input", "value[%d]: %s", i, err)
		}
	}
	err := clean(e) // two may have become one
	for _, v := range e.Value {
		e.MatchBytes += textBytes + len(v)
	}
	return err
}

// asn reads AS3320 and 3320.
func asn(text string) (string, error) {
	digits := strings.TrimPrefix(strings.ToUpper(text), "AS")
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || n == 0 {
		return "", errors.New(strconv.Quote(text) + " is not the number of a network, such as AS3320")
	}
	return strconv.FormatUint(n, 10), nil
}

// compile makes a matcher that searches for the values.
func compile(e *models.BotEntry) (*cond.Matcher, error) {
	var list []cond.Condition
	for part := range slices.Chunk(e.Value, cond.MaxItems) {
		values := make([]any, len(part))
		for i, v := range part {
			values[i] = v
		}
		list = append(list, cond.Condition{Attribute: attrOf(e.Attribute).String(), Operator: e.Operator, Value: values})
	}
	m, err := cond.Compile(list, "or")
	if err == nil {
		m.DropSource()
	}
	return m, err
}

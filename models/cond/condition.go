package cond

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"switchyard/models"
)

// Limits of a condition. Compile enforces them, except for MaxConditions, which the owner of the list enforces.
const (
	MaxConditions = 20
	MaxItems      = 200  // in a condition
	MaxItemLen    = 200  // in characters
	MaxPattern    = 1024 // in bytes
)

// Condition compares one attribute of a visitor: see models.Condition.
type Condition = models.Condition

// Clip cuts a condition to MaxItems values with MaxItemLen characters each. It does not cut regular expressions, because a part
// of a pattern has another meaning.
func Clip(c Condition) Condition {
	cut := func(v any) any {
		s, ok := v.(string)
		if !ok || strings.HasSuffix(c.Operator, "regex") {
			return v
		}
		return firstChars(s, MaxItemLen)
	}
	list, ok := c.Value.([]any)
	if !ok {
		c.Value = cut(c.Value)
		return c
	}
	out := make([]any, 0, min(len(list), MaxItems))
	for _, v := range list[:min(len(list), MaxItems)] {
		out = append(out, cut(v))
	}
	c.Value = out
	return c
}

func firstChars(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Reason says what is wrong with a condition.
type Reason uint8

// The reasons for refusing a condition.
const (
	UnknownAttribute Reason = iota + 1
	UnknownOperator         // the operator does not exist, or not for this attribute
	NoValue
	BadValue // the value does not fit the attribute or the operator, is too long, or there are too many values
	BadRegex // the pattern does not compile, or is too long or too costly
)

// Error says why a condition cannot be used. The caller converts Reason into an error code of its own.
type Error struct {
	Reason    Reason
	Attribute string
	Operator  string
	Detail    string
	Item      int // index of the value, from 0; set only for BadRegex
}

// Error implements error.
func (e *Error) Error() string {
	switch e.Reason {
	case UnknownAttribute:
		return fmt.Sprintf("there is no attribute %q", firstChars(e.Attribute, 60)) +
			suggestion(e.Attribute, slices.Collect(maps.Keys(attrByName)))
	case UnknownOperator:
		text := fmt.Sprintf("there is no operator %q for %s", firstChars(e.Operator, 60), firstChars(e.Attribute, 60))
		if _, known := operators[e.Operator]; !known {
			text += suggestion(e.Operator, slices.Collect(maps.Keys(operators)))
		}
		return text
	case NoValue:
		return "the condition on " + e.Attribute + " has no value"
	case BadRegex:
		return "the pattern for " + e.Attribute + " cannot be used: " + e.Detail
	default:
		return "the value for " + e.Attribute + " cannot be used: " + e.Detail
	}
}

// Validate returns an *Error if a condition cannot be compiled.
func Validate(c Condition) error {
	if _, err := compile(&c); err != nil {
		return err
	}
	return nil
}

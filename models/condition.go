package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Condition compares one attribute of a visitor. Value is a scalar or an array of scalars or, for the attribute schedule, a list
// of {days, from, to}. Package cond checks and matches conditions.
type Condition struct {
	Attribute string `json:"attribute"`
	Operator  string `json:"operator"`
	Value     any    `json:"value"`
}

// UnmarshalJSON reads a condition from any JSON object. An attribute or operator that is not a string becomes empty, which
// cond.Validate refuses.
func (c *Condition) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var m map[string]any
	if err := dec.Decode(&m); err != nil {
		return fmt.Errorf("read condition: %w", err)
	}
	*c = ConditionOf(m)
	return nil
}

// ConditionOf makes a condition from the members of a JSON object. Its numbers must be json.Number.
func ConditionOf(m map[string]any) Condition {
	attribute, _ := m["attribute"].(string)
	operator, _ := m["operator"].(string)
	return Condition{Attribute: strings.TrimSpace(attribute), Operator: strings.TrimSpace(operator), Value: m["value"]}
}

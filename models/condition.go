package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Condition compares one attribute of a visitor. Value is a scalar or an array of scalars; for the attribute schedule
// it is a list of {days, from, to}. Package cond checks and matches it.
type Condition struct {
	Attribute string `json:"attribute"`
	Operator  string `json:"operator"`
	Value     any    `json:"value"`
}

// UnmarshalJSON reads a condition and never refuses a well-formed one. An attribute or operator that is not a string
// becomes empty, which cond.Validate then refuses by name.
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

// ConditionOf makes a condition of the members of a JSON object whose numbers are json.Number, as UnmarshalJSON does.
func ConditionOf(m map[string]any) Condition {
	attribute, _ := m["attribute"].(string)
	operator, _ := m["operator"].(string)
	return Condition{Attribute: strings.TrimSpace(attribute), Operator: strings.TrimSpace(operator), Value: m["value"]}
}

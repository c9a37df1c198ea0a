package models

// Rule is a saved rule: conditions with a name. Deleting the rule does not change the routing: flows that use it keep
// routing by its conditions.
type Rule struct {
	Owned
	Name       string      `db:"name" json:"name"`
	Notes      string      `db:"notes" json:"notes"`
	Logic      string      `db:"logic" json:"logic" enum:"and,or"`
	Conditions []Condition `db:"conditions,json" json:"conditions"`
	Dated
	MatchSteps int `db:"match_steps" json:"-"` // what it costs to match the conditions: see package cond
	MatchBytes int `db:"match_bytes" json:"-"`
}

package models

import (
	"time"

	"github.com/google/uuid"
)

// Rule is a saved rule: conditions with a name. Paths refer to it, so that a change of the rule changes where they
// send visitors. Deleting it does not: the flows that use it keep its conditions as rules of their own.
type Rule struct {
	ID         uuid.UUID
	AccountID  uuid.UUID
	Name       string
	Notes      string
	Logic      string // "and" or "or"
	Conditions []Condition
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

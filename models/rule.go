package models

import (
	"time"

	"github.com/google/uuid"
)

// Rule is a saved rule: conditions with a name. Paths refer to it, so a change of the rule changes their routing.
// Deleting it does not: flows that use it keep its conditions as inline rules.
type Rule struct {
	ID         uuid.UUID   `db:"id"`
	AccountID  uuid.UUID   `db:"account_id"`
	Name       string      `db:"name"`
	Notes      string      `db:"notes"`
	Logic      string      `db:"logic"` // "and" or "or"
	Conditions []Condition `db:"conditions,json"`
	CreatedAt  time.Time   `db:"created_at,auto"`
	UpdatedAt  time.Time   `db:"updated_at,auto"`
	SortName   string      `db:"sort_name,joined"` // order of lists: the name in lower case, by PostgreSQL's rules
}

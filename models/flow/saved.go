package flow

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/cond"
)

// Saved is a stored flow that can be copied into campaigns. Campaigns do not change with the saved flow.
type Saved struct {
	models.Owned
	Name            string      `db:"name" json:"name"`
	Country         string      `db:"country" json:"country"`
	GroupName       string      `db:"group_name" json:"group"`
	Tags            models.Tags `db:"tags" json:"tags"`
	Notes           string      `db:"notes" json:"notes"`
	Paths           []Path      `db:"paths,json" json:"paths"`
	models.Pausable             // a campaign cannot start from a paused flow
}

// Count returns the numbers of rules and of destinations of all paths.
func Count(paths []Path) (rules, destinations int) {
	for _, p := range paths {
		rules += len(p.Rules)
		destinations += len(p.Destinations)
	}
	return rules, destinations
}

// InlineRule holds the logic and the conditions of a saved rule.
type InlineRule struct {
	Logic      string
	Conditions []cond.Condition
}

// Inline replaces references to saved rules by the conditions of these rules. The name of a path's own rule must be unique. So
// the name of a rule that is used several times gets a number from the second use on.
func Inline(paths []Path, saved map[uuid.UUID]InlineRule) {
	names := map[string]bool{}
	for _, p := range paths {
		for _, r := range p.Rules {
			names[r.Name] = true
		}
	}
	used := map[string]bool{}
	for i := range paths {
		for j := range paths[i].Rules {
			r := &paths[i].Rules[j]
			id, _ := models.ParseID(r.RuleID)
			rule, ok := saved[id]
			if !ok {
				continue
			}
			r.RuleID, r.Logic, r.Conditions = "", rule.Logic, rule.Conditions
			if used[r.Name] {
				r.Name = numbered(r.Name, names)
			}
			used[r.Name] = true
		}
	}
}

func numbered(name string, taken map[string]bool) string {
	for n := 2; ; n++ {
		ending := fmt.Sprintf(" %d", n)
		free := strings.TrimSpace(models.Cut(name, MaxNameLen-len(ending))) + ending
		if !taken[free] {
			taken[free] = true
			return free
		}
	}
}

package flow

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/cond"
)

// Saved is a flow that is kept to be copied into campaigns. A later change of it changes no campaign.
type Saved struct {
	models.Owned
	Name            string      `db:"name" json:"name"`
	Country         string      `db:"country" json:"country"`
	GroupName       string      `db:"group_name" json:"group"`
	Tags            models.Tags `db:"tags" json:"tags"`
	Notes           string      `db:"notes" json:"notes"`
	Paths           []Path      `db:"paths,json" json:"paths"`
	models.Pausable             // a paused flow starts no campaign
}

// Count gives how many rules and how many destinations the paths have together.
func Count(paths []Path) (rules, destinations int) {
	for _, p := range paths {
		rules += len(p.Rules)
		destinations += len(p.Destinations)
	}
	return rules, destinations
}

// InlineRule is what a saved rule says.
type InlineRule struct {
	Logic      string
	Conditions []cond.Condition
}

// Inline replaces references to the given saved rules by the conditions of the rules, so that the paths no longer need them. A
// name that served several paths gets a number from its second use on, because the name of a path's own rule must be unique.
func Inline(paths []Path, saved map[uuid.UUID]InlineRule) {
	names := map[string]bool{}
	for _, p := range paths {
		for _, r := range p.Rules {
			names[r.Name] = true
		}
	}
	own := map[string]bool{}
	for i := range paths {
		for j := range paths[i].Rules {
			r := &paths[i].Rules[j]
			id, _ := models.ParseID(r.RuleID)
			rule, ok := saved[id]
			if !ok {
				continue
			}
			r.RuleID, r.Logic, r.Conditions = "", rule.Logic, rule.Conditions
			if own[r.Name] {
				r.Name = numbered(r.Name, names)
			}
			own[r.Name] = true
		}
	}
}

// numbered gives the first of "name 2", "name 3" and so on that is free, and takes it.
func numbered(name string, taken map[string]bool) string {
	for n := 2; ; n++ {
		ending := fmt.Sprintf(" %d", n)
		runes := []rune(name)
		free := strings.TrimSpace(string(runes[:min(len(runes), MaxNameLen-len(ending))])) + ending
		if !taken[free] {
			taken[free] = true
			return free
		}
	}
}

package models

import (
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// Site is a website or a shop that belongs to the account.
type Site struct {
	Owned
	Name string `db:"name" json:"name"`
	Kind string `db:"kind" json:"kind" enum:"store,lead"`
	SiteTerms
	CreatedAt Stamp `db:"created_at,auto" json:"createdAt"`
	UpdatedAt Stamp `db:"updated_at,auto" json:"updatedAt"`
}

// Version returns the text of UpdatedAt, which differs after each change.
func (s Site) Version() string { return s.UpdatedAt.Text() }

// The kinds of a site.
const (
	SiteStore = "store"
	SiteLead  = "lead"
)

// Goal is an action that visitors of a site are meant to take.
type Goal struct {
	Owned
	SiteID uuid.UUID `db:"site_id,once" json:"siteId"`
	Name   string    `db:"name" json:"name"`
	GoalTerms
	IsPrimary bool  `db:"is_primary" json:"isPrimary"`
	CreatedAt Stamp `db:"created_at,auto" json:"createdAt"`
	UpdatedAt Stamp `db:"updated_at,auto" json:"updatedAt"`
}

// NewGoal returns a goal of a site with all defaults.
func NewGoal(site Site, key string) Goal {
	return Goal{
		Owned: Owned{AccountID: site.AccountID}, SiteID: site.ID, Name: key,
		GoalTerms: GoalTerms{
			Key: key, Kind: GoalEvent, Dedupe: PerClick, ValueMode: ValueNone, Status: StatusApproved, IsActive: true,
		},
	}
}

// ValidGoalKey reports whether a text can be the key of a goal.
func ValidGoalKey(key string) bool { return goalKey.MatchString(key) }

// Check returns an error if the settings of a goal do not fit together. The code of the error is bad_goal_shape or no_value.
func (g Goal) Check() error {
	switch {
	case g.Kind == GoalPage && !strings.HasPrefix(g.MatchPath, "/"):
		return Invalid("bad_goal_shape", "a page goal needs a matchPath that begins with /: the path of the page that reaches the goal")
	case strings.Contains(strings.TrimSuffix(g.MatchPath, "*"), "*"):
		return Invalid("bad_goal_shape", "a star is allowed only at the end of the matchPath")
	case g.Kind == GoalEvent && g.MatchPath != "":
		return Invalid("bad_goal_shape", "only a page goal has a matchPath: send kind page")
	case g.Kind == GoalPage && g.Dedupe == PerOrder:
		return Invalid("bad_goal_shape", "a page has no orders: a page goal counts per_click")
	case g.ValueMode == ValueFixed && !g.Value.IsPositive():
		return Invalid("no_value", "a goal with a fixed value needs a value above 0")
	}
	return nil
}

// SuggestedGoals returns the goals that most sites of the same kind have.
func SuggestedGoals(s Site) []Goal {
	goal := func(key, name string) Goal {
		g := NewGoal(s, key)
		g.Name = name
		return g
	}
	signup := goal("signup", "Sign-up")
	if s.Kind == SiteLead {
		lead := goal("lead", "Lead")
		lead.IsPrimary = true
		return []Goal{lead, signup}
	}
	purchase := goal("purchase", "Purchase")
	purchase.IsPrimary, purchase.Dedupe, purchase.ValueMode = true, PerOrder, ValueFromEvent
	return []Goal{purchase, signup}
}

const (
	goalSecretPrefix = "sg_"
	goalSecretRandom = 32
)

// NewGoalSecret returns a new secret with which an account's servers report goals.
func NewGoalSecret() string { return goalSecretPrefix + randomBase62(goalSecretRandom) }

// MaxGoalValue is the maximum value of a goal or an event.
var MaxGoalValue = decimal.New(1, 9)

// MaxBrowserConversions is the number of conversions of one click that count although only a visitor's browser has reported them,
// through the page tag or the pixel. Further conversions of this click are pending until a server or a correction approves them.
const MaxBrowserConversions = 20

// GoalValuePlaces is the number of decimals with which the value of a goal or an event is stored.
const GoalValuePlaces = 6

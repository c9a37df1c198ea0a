package autorule

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/copilot"
)

// The kinds of objects that a rule judges.
const (
	Campaign    = "campaign"
	Path        = "path"
	Destination = "destination" // an offer in one path, with or without a landing page before it
	Offer       = "offer"       // an offer, in all campaigns of the rule together
	Value       = "value"       // a value of an attribute, in one campaign
)

// The actions of a rule.
const (
	Pause  = "pause"
	Weight = "weight"
	Deny   = "deny"
	Alert  = "alert"
)

// The modes of a rule. In shadow mode, the rule only logs the changes that it would make.
const (
	Shadow = "shadow"
	Live   = "live"
)

// The units of a window.
const (
	Hours = "hours"
	Days  = "days"
)

// Limits of a rule, in addition to the limits in the tags of Settings.
const (
	// MaxDays is the longest window in days.
	MaxDays = 90
	// MaxMatched is the maximum number of matched targets that a run works on. The targets with the highest cost are chosen.
	MaxMatched = 200
)

// Settings are the settings of a rule that an account chooses.
type Settings struct {
	Mode string `db:"mode" json:"mode" bad:"invalid_rule" trim:"true" enum:"shadow,live" doc:"shadow: the log of each run says what the rule would do, and nothing is changed"`

	LooksAt   string `db:"looks_at" json:"looks_at" bad:"invalid_rule" trim:"true" enum:"campaign,path,destination,offer,value" doc:"the objects whose figures are compared; destination: an offer in one path; value: a value of attribute in one campaign"`
	Attribute string `db:"attribute" json:"attribute" bad:"invalid_rule" trim:"true" enum:",country,isp,asn,ip,device_type,os,browser,connection_type,mobile_operator,hour_of_day,{subs}" doc:"only if looks_at is value: the attribute whose values are compared"`

	CampaignIDs []uuid.UUID `db:"campaign_ids,json" json:"campaign_ids" bad:"invalid_scope" maxItems:"50" doc:"only these campaigns; empty: all active campaigns"`
	SourceIDs   []uuid.UUID `db:"source_ids,json" json:"source_ids" bad:"invalid_scope" maxItems:"50" doc:"only clicks from these traffic sources; empty: all clicks"`

	Conditions []Comparison `db:"conditions,json" json:"conditions" bad:"invalid_condition" minItems:"1" maxItems:"10" doc:"conditions that must all hold"`

	Window         int    `db:"window_size" json:"window" bad:"invalid_rule" min:"1" max:"168" doc:"number of hours or days that the figures cover; at most 90 if window_unit is days"`
	WindowUnit     string `db:"window_unit" json:"window_unit" bad:"invalid_rule" trim:"true" enum:"hours,days" doc:"whole hours, or days of the account's time zone"`
	IncludeCurrent bool   `db:"include_current" json:"include_current" bad:"invalid_rule" doc:"true: the current hour or day, which is not over yet, is one of the hours or days of the window"`

	EveryMinutes int `db:"every_minutes" json:"every_minutes" bad:"invalid_rule" min:"10" max:"10080" doc:"minutes between two runs of the rule"`

	Action    string       `db:"action" json:"action" bad:"invalid_rule" trim:"true" enum:"pause,weight,deny,alert" doc:"the action; looks_at decides which actions are possible: pause for campaign, path and offer; weight for path and destination; deny for value; alert for all"`
	Factor    models.Money `db:"factor" json:"factor" bad:"invalid_rule" min:"0" max:"100" doc:"for the action weight: the factor by which the rule multiplies the weight"`
	MinWeight models.Money `db:"min_weight" json:"min_weight" bad:"invalid_rule" min:"0" max:"1000000" doc:"for the action weight: the rule does not lower the weight below this"`
	MaxWeight models.Money `db:"max_weight" json:"max_weight" bad:"invalid_rule" min:"0" max:"1000000" doc:"for the action weight: the rule does not raise the weight above this"`

	CooldownMinutes int `db:"cooldown_minutes" json:"cooldown_minutes" bad:"invalid_rule" min:"60" max:"43200" doc:"minutes for which the rule does not act on a target again after an action, and after a person has undone the action"`
	MaxChanges      int `db:"max_changes" json:"max_changes" bad:"invalid_rule" min:"1" max:"50" doc:"maximum number of changes in one run; the next run continues"`
}

// Defaults returns the settings that a rule has if the account sends no others.
func Defaults() Settings {
	return Settings{
		Mode: Shadow, LooksAt: Campaign, Window: 1, WindowUnit: Days, IncludeCurrent: true, EveryMinutes: 60, Action: Alert,
		Factor: money(1), MinWeight: money(1), MaxWeight: money(100), CooldownMinutes: 24 * 60, MaxChanges: 10,
		CampaignIDs: []uuid.UUID{}, SourceIDs: []uuid.UUID{}, Conditions: []Comparison{},
	}
}

// Rule is an automatic rule that an account has set up.
type Rule struct {
	models.Owned
	Name     string `db:"name" json:"name"`
	IsActive bool   `db:"is_active" json:"is_active"`
	Settings
	NextAt  models.Stamp `db:"next_at,auto" json:"next_at" doc:"when the rule runs next, if it is active"`
	LastRun *RunSummary  `db:"last_run,auto,json" json:"last_run" doc:"null: the rule has not run since it was saved"`
	models.Dated
}

// level is a kind of object that a rule can judge.
type level struct {
	name string
	// dimensions are the dimensions of the report that has the level's figures. For a value, Dimensions adds the attribute.
	dimensions []string
	actions    []string
}

var levels = []level{
	{Campaign, []string{"campaign_id"}, []string{Pause, Alert}},
	{Path, []string{"campaign_id", "stream_id"}, []string{Pause, Weight, Alert}},
	{Destination, []string{"campaign_id", "stream_id", "offer_id"}, []string{Weight, Alert}},
	{Offer, []string{"offer_id"}, []string{Pause, Alert}},
	{Value, []string{"campaign_id"}, []string{Deny, Alert}},
}

func (s Settings) level() level {
	i := slices.IndexFunc(levels, func(l level) bool { return l.name == s.LooksAt })
	if i < 0 {
		return level{}
	}
	return levels[i]
}

// Dimensions returns the dimensions of the report from which the rule takes its figures.
func (s Settings) Dimensions() []string {
	list := slices.Clone(s.level().dimensions)
	if s.LooksAt == Value {
		list = append(list, s.Attribute)
	}
	return list
}

// Changes reports whether the rule's action is a change. Such a rule needs a plan with automatic changes.
func (s Settings) Changes() bool { return s.Action != Alert }

// Validate refuses settings that do not fit together: invalid_rule, invalid_condition. Each setting alone is checked by its tags.
func (s Settings) Validate() error {
	bad := func(format string, args ...any) error { return models.Invalid("invalid_rule", format, args...) }
	_, known := copilot.BlockOp(s.Attribute)
	switch {
	case !slices.Contains(s.level().actions, s.Action):
		return bad("the action %s is not possible for a %s; possible actions: %v", s.Action, s.LooksAt, s.level().actions)
	case s.LooksAt == Offer && s.Action == Pause && len(s.CampaignIDs)+len(s.SourceIDs) > 0:
		return bad("a rule pauses an offer in all campaigns, so it cannot be limited to some campaigns or sources: to take the offer " +
			"out of some campaigns, use looks_at destination and action weight, with factor and min_weight 0")
	case s.LooksAt == Value && !known:
		return bad("a rule about values needs the attribute whose values it judges")
	case s.LooksAt != Value && s.Attribute != "":
		return bad("an attribute may be set only if looks_at is value")
	case s.WindowUnit == Days && s.Window > MaxDays:
		return bad("the window has at most %d days", MaxDays)
	case s.Action == Weight && s.MinWeight.GreaterThan(s.MaxWeight.Decimal):
		return bad("min_weight is above max_weight")
	case s.Action == Weight && s.Factor.Equal(money(1).Decimal):
		return bad("a factor of 1 changes no weight")
	case len(s.Conditions) == 0:
		return models.Invalid("invalid_condition", "a rule needs at least one condition")
	}
	return nil
}

// WindowAt returns the time range [from, to) of the figures that the rule judges in a run.
func (s Settings) WindowAt(a models.Account, now time.Time) (from, to time.Time) {
	n := s.Window
	if s.IncludeCurrent {
		n--
	}
	start := now.Truncate(time.Hour)
	from = start.Add(-time.Duration(n) * time.Hour)
	if s.WindowUnit == Days {
		start = a.DayStart(now)
		from = start.AddDate(0, 0, -n)
	}
	if s.IncludeCurrent {
		return from, now
	}
	return from, start
}

// Next returns the time of the next run.
func (s Settings) Next(at time.Time) time.Time {
	return at.Add(time.Duration(s.EveryMinutes) * time.Minute)
}

// Cooldown returns the time for which the rule does not act on a target again after an action.
func (s Settings) Cooldown() time.Duration { return time.Duration(s.CooldownMinutes) * time.Minute }

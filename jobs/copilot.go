package jobs

import (
	"time"

	"switchyard/models"
	"switchyard/models/autorule"
	"switchyard/models/copilot"
)

// CopilotRefreshed is the result of a refresh.
type CopilotRefreshed struct {
	At     time.Time `json:"at"`
	Judged int       `json:"judged"` // number of campaigns, paths and other items that were judged
	Open   int       `json:"open"`
}

// RefreshCopilot judges an account's figures and stores the suggestions that follow from them.
var RefreshCopilot = Define[None, CopilotRefreshed]("copilot:refresh", Policy{Queue: Bulk, Timeout: 10 * time.Minute})

// SweepCopilot starts RefreshCopilot for accounts whose daily refresh is due.
var SweepCopilot = tickWithin("copilot:sweep", time.Minute)

// RulesArgs has the time for which an account's rules run. The windows of the rules end at this time, even if the job runs later.
type RulesArgs struct {
	At time.Time `json:"at"`
}

// RulesRun is the result of RunRules. Done is the number of changes and alerts.
type RulesRun struct {
	Rules int `json:"rules"`
	Done  int `json:"done"`
}

// RunRules runs the rules of an account that are due. Each change commits together with the cool-down of its target, so a
// repeated attempt does not repeat a change.
var RunRules = Define[RulesArgs, RulesRun]("copilot:rules", Policy{
	Queue: Bulk, Timeout: 10 * time.Minute, Row: true, PerAccount: 1, Retries: []time.Duration{5 * time.Second, time.Minute},
})

// SweepRules starts RunRules for accounts with rules that are due.
var SweepRules = tickWithin("copilot:sweep_rules", time.Minute)

// RuleReplayArgs has the rule to replay. The rule need not be saved.
type RuleReplayArgs struct {
	Rule autorule.Settings `json:"rule"`
}

// RuleReplay lists what a rule would have done.
type RuleReplay struct {
	From   time.Time       `json:"from"`
	To     time.Time       `json:"to"`
	Looked int             `json:"looked"` // number of campaigns, paths, offers or values that were examined
	Total  int             `json:"total"`  // number of all actions, including actions beyond MaxRuleReplayRows
	Rows   []RuleReplayRow `json:"rows"`
}

// RuleReplayRow is one action that a rule would have taken.
type RuleReplayRow struct {
	At      time.Time        `json:"at"` // the end of the hour or day
	Of      string           `json:"of"`
	Figures []copilot.Figure `json:"figures"` // the figures that matched the rule
	After   models.FigureRow `json:"after"`   // the figures from At until the end of the replay
}

// MaxRuleReplayRows is the maximum number of rows in an answer.
const MaxRuleReplayRows = 500

// ReplayRule calculates what a rule would have done in the last 30 days. Error: too_large.
var ReplayRule = Define[RuleReplayArgs, RuleReplay]("copilot:replay_rule", largeReport)

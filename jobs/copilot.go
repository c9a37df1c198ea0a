package jobs

import (
	"time"

	"switchyard/models"
	"switchyard/models/autorule"
	"switchyard/models/copilot"
)

// CopilotRefreshed is what a refresh has found.
type CopilotRefreshed struct {
	At     time.Time `json:"at"`
	Judged int       `json:"judged"` // how many things were judged
	Open   int       `json:"open"`   // suggestions that are open now
}

// RefreshCopilot judges an account's figures and writes the suggestions that they call for.
var RefreshCopilot = Define[None, CopilotRefreshed]("copilot:refresh", Policy{Queue: Bulk, Timeout: 10 * time.Minute})

// SweepCopilot starts RefreshCopilot for accounts that were not judged for a day.
var SweepCopilot = tick("copilot:sweep", time.Minute)

// RulesArgs say for which moment the rules of an account run: their windows end then, whenever the job runs.
type RulesArgs struct {
	At time.Time `json:"at"`
}

// RulesRun is how many rules ran, and how many changes and alerts they made.
type RulesRun struct {
	Rules int `json:"rules"`
	Done  int `json:"done"`
}

// RunRules runs the rules of an account that are due. Each change commits together with the cool-down of its subject, so an
// attempt that continues after a crash repeats no change.
var RunRules = Define[RulesArgs, RulesRun]("copilot:rules", Policy{
	Queue: Bulk, Timeout: 10 * time.Minute, Row: true, PerAccount: 1, Retries: []time.Duration{5 * time.Second, time.Minute},
})

// SweepRules starts RunRules for accounts with rules that are due.
var SweepRules = tick("copilot:sweep_rules", time.Minute)

// RuleReplayArgs have a rule that is not saved.
type RuleReplayArgs struct {
	Rule autorule.Settings `json:"rule"`
}

// RuleReplay is what a rule would have done.
type RuleReplay struct {
	From   time.Time       `json:"from"`
	To     time.Time       `json:"to"`
	Looked int             `json:"looked"` // campaigns, paths, offers or values
	Total  int             `json:"total"`  // what it would have done, also beyond the rows
	Rows   []RuleReplayRow `json:"rows"`
}

// RuleReplayRow is one thing that a rule would have done.
type RuleReplayRow struct {
	At      time.Time        `json:"at"` // the end of the hour or day
	Of      string           `json:"of"`
	Figures []copilot.Figure `json:"figures"` // by which it matched
	After   models.FigureRow `json:"after"`   // what came after it, until the end
}

// MaxRuleReplayRows is how many rows an answer has, the first ones.
const MaxRuleReplayRows = 500

// ReplayRule tells what a rule would have done over the last 30 days. It changes nothing. Errors: too_large, if that takes
// more figures than one job reads.
var ReplayRule = Define[RuleReplayArgs, RuleReplay]("copilot:replay_rule", Policy{
	Queue: Bulk, Timeout: 10 * time.Minute, Row: true, PerAccount: 1, Retries: []time.Duration{5 * time.Second},
})

package models

import (
	"cmp"
	"slices"
)

// Unlimited is the value of an allowance without a limit.
const Unlimited = -1

// Plan lists the allowances of a plan. Deleted and deactivated records do not count. Sites and Goals are zero on a plan without
// goal tracking. An account on such a plan keeps the sites and goals that it already has. MatchingBytes limits the memory that the
// conditions of all the account's records take in each web process.
type Plan struct {
	Name           string `json:"name"`
	API            bool   `json:"api"`
	GoalTracking   bool   `json:"goal_tracking"`
	OneClick       bool   `json:"one_click"` // the Copilot's suggestions can be applied, and its rules may change records
	CallsPerMinute int    `json:"calls_per_minute"`
	Campaigns      int    `json:"campaigns"`
	Offers         int    `json:"offers"`
	Landers        int    `json:"landers"`
	Integrations   int    `json:"integrations"`
	Domains        int    `json:"domains"`
	Rules          int    `json:"rules"`
	Flows          int    `json:"flows"`
	Smartlinks     int    `json:"smartlinks"`
	Templates      int    `json:"templates"`
	CopilotRules   int    `json:"copilot_rules"`
	BotValues      int    `json:"bot_values"`
	Sites          int    `json:"sites"`
	Goals          int    `json:"goals"`
	GeoLookups     int    `json:"geo_lookups"` // lookups per minute in the account's own geo database; 0: not allowed
	MatchingBytes  int    `json:"matching_bytes"`
	OpenJobs       int    `json:"open_jobs"` // exports, large reports, corrections and deletions
	ExportBytes    int64  `json:"export_bytes"`
	AnswerBytes    int64  `json:"answer_bytes"` // size of the answers stored for repeated calls; results of jobs may take as much again
	ClicksPerMonth int64  `json:"clicks_per_month"`
	HistoryDays    int    `json:"history_days"`  // days that clicks are kept
	PostbackDays   int    `json:"postback_days"` // days that received postbacks are kept unchanged, at least StrangersPostbackDays
}

// Plans is the table of plans. The calls per minute equal the numbers in the API documentation. An operator may replace the table
// by a file (see ParsePlans) before anything runs.
var Plans = []Plan{
	{
		Name: "starter", CallsPerMinute: 60, Campaigns: 10, Offers: 50, Landers: 50, Integrations: 10, Domains: 1,
		Rules: 20, Flows: 20, Smartlinks: 20, Templates: 20, CopilotRules: 5, BotValues: 1_000, MatchingBytes: 4 << 20,
		OpenJobs: 10, ExportBytes: 512 << 20, AnswerBytes: 16 << 20,
		ClicksPerMonth: 100_000, HistoryDays: 30,
		PostbackDays: 30,
	},
	{
		Name: "growth", API: true, CallsPerMinute: 300, Campaigns: 100, Offers: 500, Landers: 500, Integrations: 50, Domains: 10,
		Rules: 200, Flows: 200, Smartlinks: 200, Templates: 200, CopilotRules: 20, BotValues: 10_000, MatchingBytes: 16 << 20, GeoLookups: 60,
		OpenJobs: 20, ExportBytes: 1 << 30, AnswerBytes: 32 << 20, ClicksPerMonth: 1_000_000,
		HistoryDays: 180, PostbackDays: 60,
	},
	{
		Name: "pro", API: true, GoalTracking: true, OneClick: true, CallsPerMinute: 600, Campaigns: 1_000, Offers: 5_000, Landers: 5_000,
		Integrations: 200, Domains: 50, Rules: 1_000, Flows: 1_000, Smartlinks: 2_000, Templates: 500, CopilotRules: 100, BotValues: 100_000, MatchingBytes: 64 << 20,
		GeoLookups: 300, Sites: 50, Goals: 100, OpenJobs: 50, ExportBytes: 4 << 30, AnswerBytes: 64 << 20, ClicksPerMonth: 10_000_000, HistoryDays: 365, PostbackDays: 90,
	},
	{
		Name: "scale", API: true, GoalTracking: true, OneClick: true, CallsPerMinute: 1200, Campaigns: Unlimited, Offers: Unlimited,
		Landers: Unlimited, Integrations: Unlimited, Domains: Unlimited, Rules: 10_000, Flows: 10_000, Smartlinks: 20_000,
		Templates: 1_000, CopilotRules: 500, BotValues: 200_000, MatchingBytes: 256 << 20,
		GeoLookups: 1_200, Sites: 500, Goals: 200, OpenJobs: 100, ExportBytes: 16 << 30, AnswerBytes: 128 << 20, ClicksPerMonth: Unlimited, HistoryDays: 730,
		PostbackDays: 90,
	},
}

// PlanNamed finds a plan by its name.
func PlanNamed(name string) (plan Plan, ok bool) {
	return find(Plans, func(p Plan) bool { return p.Name == name })
}

// StrangersPostbackDays is the number of days for which a postback without an account is kept.
const StrangersPostbackDays = 30

// LongestPostbacks returns the longest PostbackDays of all plans, and at least StrangersPostbackDays.
func LongestPostbacks() int {
	longest := slices.MaxFunc(Plans, func(a, b Plan) int { return cmp.Compare(a.PostbackDays, b.PostbackDays) })
	return max(longest.PostbackDays, StrangersPostbackDays)
}

// ShortestHistory returns the shortest HistoryDays of all plans.
func ShortestHistory() int {
	return slices.MinFunc(Plans, byHistory).HistoryDays
}

// LongestHistory returns the longest HistoryDays of all plans.
func LongestHistory() int {
	return slices.MaxFunc(Plans, byHistory).HistoryDays
}

func byHistory(a, b Plan) int { return cmp.Compare(a.HistoryDays, b.HistoryDays) }

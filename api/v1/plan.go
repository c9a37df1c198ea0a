package v1

import (
	"math"
	"slices"
	"time"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/models"
)

// plan returns the routes of /plan.
func plan(d Deps) []route.Route {
	const group = "Account"
	return []route.Route{
		route.New("GET", "/plan", group, "the plan and its allowances",
			route.Handle(func(c *route.Call) (PlanAnswer, error) { return planAnswer(c.Account, time.Now()), nil })),
		route.New("GET", "/plan/usage", group, "the plan, and how much of it is used", route.Handle(d.planUsage)).WithShare(route.Lists),
	}
}

// PlanAnswer is the answer of GET /plan.
type PlanAnswer struct {
	Plan              string         `json:"plan"`
	Status            string         `json:"status" enum:"active"`
	Period            string         `json:"period" enum:"month" doc:"the period of the click allowance: a calendar month, in UTC"`
	CancelAtPeriodEnd bool           `json:"cancelAtPeriodEnd" doc:"always false: only the operator of the install changes a plan"`
	CurrentPeriodEnd  string         `json:"currentPeriodEnd" doc:"when the month ends"`
	Allowances        PlanAllowances `json:"allowances" doc:"the limits of the plan; null: unlimited"`
	PastAllowance     string         `json:"pastAllowance" doc:"what happens to clicks beyond the allowance of a month"`
	Includes          PlanIncludes   `json:"includes"`
}

// PlanAllowances are the numeric limits of a plan.
type PlanAllowances struct {
	Campaigns        *int64 `json:"campaigns"`
	Offers           *int64 `json:"offers"`
	Landers          *int64 `json:"landers"`
	Integrations     *int64 `json:"integrations" doc:"active traffic sources and networks together"`
	Domains          *int64 `json:"domains"`
	Rules            *int64 `json:"rules" doc:"saved rules"`
	Flows            *int64 `json:"flows" doc:"saved flows"`
	Smartlinks       *int64 `json:"smartlinks"`
	Templates        *int64 `json:"templates" doc:"the account's own network templates"`
	CopilotRules     *int64 `json:"copilotRules" doc:"rules of the Copilot"`
	BotValues        *int64 `json:"botValues" doc:"values of all entries of the bot lists"`
	Sites            *int64 `json:"sites" doc:"the account's own sites whose goals are tracked"`
	Goals            *int64 `json:"goals" doc:"goals of one site"`
	MatchingBytes    *int64 `json:"matchingBytes" doc:"memory of the compiled conditions of all campaigns, saved rules, smartlinks and bot lists"`
	OpenJobs         *int64 `json:"openJobs" doc:"exports, large reports, corrections and deletions that wait or run"`
	ExportBytes      *int64 `json:"exportBytes" doc:"size of all stored report files"`
	AnswerBytes      *int64 `json:"answerBytes" doc:"size of the stored answers for repeated calls, which are kept for 24 hours; the results of jobs, which are kept for 30 days, may take the same size in addition"`
	ClicksPerMonth   *int64 `json:"clicksPerMonth"`
	ClickHistoryDays *int64 `json:"clickHistoryDays"`
	PostbackDays     *int64 `json:"postbackDays" doc:"for how many days postbacks are kept as they were received"`
	GeoLookups       *int64 `json:"geoLookups" doc:"look-ups per minute in the account's own geo database"`
	CallsPerMinute   *int64 `json:"callsPerMinute"`
	Webhooks         *int64 `json:"webhooks"`
}

// PlanIncludes are the features of a plan.
type PlanIncludes struct {
	API          bool `json:"api"`
	Webhooks     bool `json:"webhooks"`
	GeoDatabase  bool `json:"geoDatabase"`
	GoalTracking bool `json:"goalTracking"`
	OneClick     bool `json:"oneClick" doc:"suggestions and proposals of the Copilot can be applied"`
}

// allowance returns nil for an unlimited allowance.
func allowance[N int | int64](n N) *int64 {
	if n == models.Unlimited {
		return nil
	}
	return new(int64(n))
}

func planAnswer(a models.Account, at time.Time) PlanAnswer {
	p := a.Allowances()
	return PlanAnswer{
		Plan: a.Plan, Status: "active", Period: "month", CurrentPeriodEnd: answer.Stamp(models.MonthOf(at).AddDate(0, 1, 0)),
		Allowances: PlanAllowances{
			Campaigns: allowance(p.Campaigns), Offers: allowance(p.Offers), Landers: allowance(p.Landers),
			Integrations: allowance(p.Integrations), Domains: allowance(p.Domains), Rules: allowance(p.Rules),
			Flows: allowance(p.Flows), Smartlinks: allowance(p.Smartlinks), Templates: allowance(p.Templates),
			CopilotRules: allowance(p.CopilotRules), BotValues: allowance(p.BotValues), Sites: allowance(p.Sites), Goals: allowance(p.Goals),
			MatchingBytes: allowance(p.MatchingBytes),
			OpenJobs:      allowance(p.OpenJobs), ExportBytes: allowance(p.ExportBytes), AnswerBytes: allowance(p.AnswerBytes),
			ClicksPerMonth: allowance(p.ClicksPerMonth), ClickHistoryDays: allowance(p.HistoryDays),
			PostbackDays: allowance(p.PostbackDays), GeoLookups: allowance(p.GeoLookups),
			CallsPerMinute: allowance(p.CallsPerMinute), Webhooks: allowance(models.MaxWebhooks),
		},
		PastAllowance: "Clicks beyond the allowance are routed, recorded and counted like all others. Once a month, the event plan.limit_reached and an alert report that the allowance is exceeded.",
		Includes:      PlanIncludes{API: p.API, Webhooks: p.API, GeoDatabase: p.GeoLookups > 0, GoalTracking: p.GoalTracking, OneClick: p.OneClick},
	}
}

// PlanUsageAnswer is the answer of GET /plan/usage.
type PlanUsageAnswer struct {
	PlanAnswer
	Detail PlanDetail `json:"detail"`
}

// PlanDetail describes how much of its plan an account uses.
type PlanDetail struct {
	ResetsAt     string           `json:"resetsAt" doc:"when the next month begins, for which clicks are counted from 0"`
	Daily        []PlanDay        `json:"daily" doc:"the days of this month up to today, in UTC"`
	Forecast     PlanForecast     `json:"forecast"`
	Team         PlanTeam         `json:"team"`
	Integrations PlanIntegrations `json:"integrations"`
	Copilot      PlanCopilot      `json:"copilot"`
	Plan         PlanUse          `json:"plan"`
}

// PlanDay counts the clicks of a day.
type PlanDay struct {
	Date   string `json:"date"`
	Clicks int64  `json:"clicks" doc:"clicks of the day, without bots"`
}

// PlanForecast extrapolates the month from its clicks so far.
type PlanForecast struct {
	Clicks    int64   `json:"clicks" doc:"expected clicks of the whole month"`
	Low       *int64  `json:"low" doc:"low and high are a band: in four of five months, the clicks at the end of the month lie in it. The band is estimated from how much the whole days of this month differ. Null: the month has fewer than three whole days so far"`
	High      *int64  `json:"high"`
	OverOn    *string `json:"overOn" doc:"the day on which the clicks exceed the allowance; null: not in this month, or the allowance is unlimited"`
	IsOver    bool    `json:"isOver" doc:"the clicks so far exceed the allowance"`
	PerDay    int64   `json:"perDay" doc:"clicks a day so far"`
	Remaining *int64  `json:"remaining" doc:"clicks that are left of the allowance; null: unlimited"`
}

// Used is the used part of an allowance.
type Used struct {
	Used  int64  `json:"used"`
	Limit *int64 `json:"limit" doc:"null: unlimited"`
}

// PlanTeam counts the API keys of the account.
type PlanTeam struct {
	APIKeys int64 `json:"apiKeys" doc:"API keys that are valid"`
}

// PlanIntegrations counts active sources and networks.
type PlanIntegrations struct {
	Used
	Sources  int64 `json:"sources"`
	Networks int64 `json:"networks"`
}

// PlanCopilot tells whether the plan includes the Copilot.
type PlanCopilot struct {
	Included bool `json:"included"`
}

// PlanUse shows how much of some allowances is used.
type PlanUse struct {
	Clicks    Used `json:"clicks"`
	Campaigns Used `json:"campaigns"`
	Offers    Used `json:"offers"`
	Landers   Used `json:"landers"`
	Domains   Used `json:"domains"`
	Webhooks  Used `json:"webhooks"`
}

func (d Deps) planUsage(c *route.Call) (PlanUsageAnswer, error) {
	now := time.Now().UTC()
	out := PlanUsageAnswer{PlanAnswer: planAnswer(c.Account, now)}
	n, err := c.Store.Usage().Count(c.Context(), c.Account.ID)
	if err != nil {
		return out, err
	}
	days, err := d.reports(c).Daily(c.Context(), c.Account.ID, models.MonthOf(now), now)
	limits := out.Allowances
	use := func(n int, limit *int64) Used { return Used{int64(n), limit} }
	forecast, clicks := forecastOf(days, limits.ClicksPerMonth, now)
	out.Detail = PlanDetail{
		ResetsAt: out.CurrentPeriodEnd, Forecast: forecast,
		Daily: answer.Each(days, func(d report.DayClicks) PlanDay {
			return PlanDay{d.Day.UTC().Format(time.DateOnly), d.Clicks}
		}),
		Team: PlanTeam{APIKeys: int64(n.Keys)},
		Integrations: PlanIntegrations{
			Used: use(n.Sources+n.Networks, limits.Integrations), Sources: int64(n.Sources), Networks: int64(n.Networks),
		},
		Copilot: PlanCopilot{Included: out.Includes.API},
		Plan: PlanUse{
			Clicks: Used{clicks, limits.ClicksPerMonth}, Campaigns: use(n.Campaigns, limits.Campaigns),
			Offers: use(n.Offers, limits.Offers), Landers: use(n.Landers, limits.Landers),
			Domains: use(n.Domains, limits.Domains), Webhooks: use(n.Webhooks, limits.Webhooks),
		},
	}
	return out, err
}

// forecastOf forecasts the clicks of the month: the clicks so far, and a usual day's clicks for each day that is left. It also returns
// the clicks so far.
func forecastOf(days []report.DayClicks, limit *int64, now time.Time) (f PlanForecast, clicks int64) {
	for _, d := range days {
		clicks += d.Clicks
	}
	begin := models.MonthOf(now)
	left := begin.AddDate(0, 1, 0).Sub(now).Hours() / 24
	perDay := float64(clicks) / max(now.Sub(begin).Hours(), 1./3600) * 24
	usual, band, known := usualDay(days, left, now)
	if !known {
		usual = perDay
	}
	f = PlanForecast{Clicks: clicks + int64(math.Round(usual*left)), PerDay: int64(perDay)}
	if known {
		f.Low, f.High = new(clicks+int64(max(usual*left-band, 0))), new(clicks+int64(math.Ceil(usual*left+band)))
	}
	if limit == nil {
		return f, clicks
	}
	f.Remaining, f.IsOver = new(max(*limit-clicks, 0)), clicks > *limit
	switch {
	case f.IsOver:
		f.OverOn = exceededOn(days, *limit)
	case f.Clicks > *limit:
		f.OverOn = new(now.Add(time.Duration(float64(*limit-clicks) / usual * 24 * float64(time.Hour))).Format(time.DateOnly))
	}
	return f, clicks
}

// leastDays is the number of whole days that usualDay needs.
const leastDays = 3

// usualDay returns the mean clicks of a whole day, and half the width of the 80 % prediction interval for the days that are left.
// It takes daily clicks as normally distributed: n days with the mean m and the standard deviation s predict m r +- 1.2816 s
// sqrt(r + r r / n) clicks for r more days. known is false if there are too few whole days.
func usualDay(days []report.DayClicks, left float64, now time.Time) (mean, band float64, known bool) {
	today := now.UTC().Truncate(24 * time.Hour)
	var n, sum, squares float64
	for _, d := range days {
		if d.Day.Before(today) {
			v := float64(d.Clicks)
			n, sum, squares = n+1, sum+v, squares+v*v
		}
	}
	if n < leastDays {
		return 0, 0, false
	}
	mean = sum / n
	deviation := math.Sqrt(max(squares-n*mean*mean, 0) / (n - 1))
	return mean, 1.2816 * deviation * math.Sqrt(left+left*left/n), true
}

func exceededOn(days []report.DayClicks, limit int64) *string {
	var sum int64
	i := slices.IndexFunc(days, func(d report.DayClicks) bool {
		sum += d.Clicks
		return sum > limit
	})
	if i < 0 {
		return nil
	}
	return new(days[i].Day.UTC().Format(time.DateOnly))
}

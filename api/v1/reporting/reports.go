package reporting

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
)

// Reports returns the routes of /reports.
func Reports(d Deps) []route.Route {
	const group = "Reports"
	return append([]route.Route{
		route.New("GET", "/reports/performance", group, "figures grouped by up to five dimensions; if very many clicks must be read, a job reads them",
			route.Handle(d.performance), route.Codes("400 invalid_dimension")).
			WithWindow().WithShare(route.Reads).Awaits(performanceJob.Answer()).
			WithQuery(performanceParams...).WithQuery(filterParams...),
		route.New("GET", "/reports/trends", group, "figures over time; if very many clicks must be read, a job reads them", route.Handle(d.trends),
			route.Codes("400 invalid_bucket invalid_dimension")).
			WithWindow().WithShare(route.Reads).Awaits(trendsJob.Answer()).
			WithQuery(route.Param{Name: "bucket", Enum: report.Buckets, Default: defaultBucket}, zoneParam).WithQuery(filterParams...),
		route.New("GET", "/reports/values", group, "the values of a dimension, the value with the most clicks first", route.Handle(d.values),
			route.Codes("400 invalid_dimension")).
			WithWindow().WithShare(route.Reads).Awaits(valuesJob.Answer()).
			WithQuery(route.Param{Name: "dimension", Required: true, Enum: report.Dimensions()}).
			WithQuery(route.Number("limit", 200, 1, 1000, "values"), zoneParam).WithQuery(filterParams...),
		route.New("GET", "/reports/delays", group, "conversions by the time between click and conversion", route.Handle(d.delays),
			route.Codes("400 invalid_dimension")).
			WithWindow().WithShare(route.Reads).WithQuery(delayParams...),
		route.New("GET", "/reports/orphaned", group, "campaigns that no longer exist but have recorded clicks, with their figures",
			route.Handle(d.orphaned), route.Codes("400 invalid_id")).
			WithWindow().WithShare(route.Reads).
			WithQuery(route.Param{Name: "totals_for", Doc: "campaign ids, comma-separated; the answer then has only the all-time totals of these campaigns"}),
		route.New("DELETE", "/reports/orphaned", group, "irreversibly delete all clicks and conversions of campaigns that no longer exist",
			route.HandleBody(d.clearOrphaned), route.Codes("400 invalid_request too_many", "409 not_orphaned")).Awaits(clearJob.Answer()),
	}, exports(d)...)
}

const defaultDimension = "campaign_id"

var performanceParams = []route.Param{
	{
		Name: "dimension", Default: defaultDimension,
		Doc: fmt.Sprintf("up to %d dimensions, comma-separated: %s", report.MaxDimensions, strings.Join(report.Dimensions(), ", ")),
	},
	zoneParam,
	{
		Name: "sort", Default: "-clicks", Doc: "a dimension of the report or a figure; with a minus before it, the order is descending. Figures: " +
			strings.Join(report.Sorts(), ", "),
	},
	{
		Name: "goal", Doc: fmt.Sprintf("keys of at most %d goals, comma-separated. Conversions, revenue and the figures that follow from them "+
			"then count only conversions of these goals. Left out: conversions of all goals count", maxReportGoals),
	},
	route.Number("limit", report.MaxRows, 1, report.MaxRows, "rows"),
	route.Number("min_clicks", 0, 0, math.MaxInt32, "only groups with at least this number of clicks in the window or in the window of compare"),
	{Name: "having", Doc: "only groups whose figures in the window meet every condition. The conditions are " + havingDoc},
	{
		Name: "compare", Doc: "adds the figures of another window to each row. previous: the window that ends where this window begins. It is " +
			"as long as this window or, if this window lasts whole days in the time zone tz, has the same number of days. FROM..TO: the " +
			"window with these bounds in UTC. With the dimensions date, hour and month, the first bucket is compared with the first " +
			"bucket of the other window, and so on",
	},
}

// knownValues returns a note with the values of a dimension, or "" if they are not known.
func knownValues(dimension string) string {
	if list := report.ValuesOf(dimension); len(list) > 0 {
		return ". Values: " + strings.Join(list, ", ")
	}
	return ""
}

// Performance is the answer of GET /reports/performance.
type Performance struct {
	Range        bind.Range                   `json:"range"`
	TZ           string                       `json:"tz" doc:"the time zone of the dimensions of time"`
	Dimension    string                       `json:"dimension" doc:"the dimensions, comma-separated"`
	Dimensions   []string                     `json:"dimensions"`
	Filters      []DimensionFilter            `json:"filters"`
	Having       []FigureCondition            `json:"having" doc:"conditions on the figures of a row; empty: no conditions"`
	Goals        []string                     `json:"goals" doc:"keys of the goals whose conversions count; empty: conversions of all goals count"`
	CompareRange *bind.Range                  `json:"compare_range" doc:"the window whose figures are compared with those of range; null: the call requests no comparison"`
	Rows         []PerformanceRow             `json:"rows" doc:"groups in the order of sort, at most limit"`
	Truncated    bool                         `json:"truncated" doc:"true: there are more groups than rows; an export has up to 100,000 rows"`
	Totals       Compared                     `json:"totals" doc:"totals of all groups, including groups that min_clicks and limit leave out. With having: totals of the groups that having and min_clicks keep, including groups beyond limit. By tag, a campaign counts in the group of each of its tags; without having, it counts only once in the totals"`
	Labels       map[string]map[string]string `json:"labels" doc:"for each dimension whose values are ids: the names of the ids"`
	SubNames     map[string]string            `json:"sub_names" doc:"names of sub1 to {lastSub}. A sub-parameter has a name here if all traffic sources in the report give it the same name. The filters by source_id and campaign_id decide which these are"`
}

// DimensionFilter restricts the rows to a value of a dimension or, with Not, to all other values.
type DimensionFilter struct {
	Dimension string `json:"dimension"`
	Value     string `json:"value"`
	Not       bool   `json:"not,omitempty" doc:"true: rows with any other value"`
}

// FigureCondition keeps the rows whose figure is in the relation Op to a value.
type FigureCondition struct {
	Figure string       `json:"figure" enum:"{measures}"`
	Op     string       `json:"op" enum:"<=,>=,<,>"`
	Value  models.Money `json:"value" doc:"the value in the unit of the figure: an amount, a number or percent"`
}

func filtersAnswer(filters []models.ReportFilter) []DimensionFilter {
	out := []DimensionFilter{}
	for _, f := range filters {
		for _, v := range f.Values {
			out = append(out, DimensionFilter{f.Dimension, v, f.Not})
		}
	}
	return out
}

// PerformanceRow is a group of a report. A missing or unknown value of a dimension is an empty text.
type PerformanceRow struct {
	Dims map[string]string `json:"dims"`
	Compared
}

// Compared has figures and, if the call requests them, the figures of a second time window.
type Compared struct {
	answer.Figures
	ClickLoss *answer.ClickLoss     `json:"click_loss" doc:"covers only the days and sources for which the source has reported its clicks. Null: no clicks were reported, or the report has other dimensions than source_id and date (UTC), does not cover whole days, or has a filter other than source_id"`
	Compare   *answer.Figures       `json:"compare,omitempty" doc:"with compare: the figures of the other window"`
	Changes   *models.FigureChanges `json:"changes,omitempty" doc:"with compare: the change of each figure, in percent of the other window's figure; null if that figure is zero"`
}

func comparedFigures(r models.ReportRow) Compared {
	out := Compared{Figures: r.Row(), ClickLoss: answer.LossOf(r.Loss)}
	if r.Before != nil {
		out.Compare, out.Changes = new(r.Before.Row()), new(r.ChangesFrom(*r.Before))
	}
	return out
}

func (d Deps) performance(c *route.Call) (Performance, error) {
	return readReport(d, c, performanceJob, func(a *models.ReportArgs) (err error) {
		if a.Dimensions, err = dimensionsOf(c.Query.Get("dimension")); err != nil {
			return err
		}
		if a.Goals, err = goalsOf(c.Query.Get("goal")); err != nil {
			return err
		}
		if a.Having, err = report.ParseHaving(c.Query.Get("having")); err != nil {
			return err
		}
		a.Sort, a.MinClicks, a.Totals = c.Query.Get("sort"), c.Numbers["min_clicks"], true
		a.Limit = c.Numbers["limit"] + 1 // one more tells whether there are more rows
		a.Compare, err = parseCompare(c.Query.Get("compare"), c.Window, a.TZ)
		return err
	})
}

var performanceJob = slow.New(jobs.ReadPerformance, performanceAnswer)

func performanceAnswer(a jobs.ReportAnswer) Performance {
	out := Performance{
		Range: bind.RangeOf(a.Args.From, a.Args.To), TZ: a.Args.TZ, Dimension: strings.Join(a.Args.Dimensions, ","),
		Dimensions: a.Args.Dimensions, Filters: filtersAnswer(a.Args.Filters), Goals: append([]string{}, a.Args.Goals...),
		Labels: a.Labels, SubNames: namesOrNone(a.SubNames),
		Having: answer.Each(a.Args.Having, func(f models.FigureFilter) FigureCondition {
			return FigureCondition{f.Figure, f.Op, models.NewMoney(f.Value)}
		}),
	}
	if a.Args.Compare != nil {
		out.CompareRange = new(bind.RangeOf(a.Args.Compare.From, a.Args.Compare.To))
	}
	groups := a.Rows
	if last := len(groups) - 1; last >= 0 && groups[last].Total {
		out.Totals, groups = comparedFigures(groups[last]), groups[:last]
	}
	if out.Truncated = len(groups) >= a.Args.Limit; out.Truncated {
		groups = groups[:a.Args.Limit-1]
	}
	out.Rows = answer.Each(groups, func(r models.ReportRow) PerformanceRow {
		dims := make(map[string]string, len(r.Dims))
		for i, name := range a.Args.Dimensions {
			dims[name] = r.Dims[i]
		}
		return PerformanceRow{dims, comparedFigures(r)}
	})
	return out
}

func namesOrNone(names map[string]string) map[string]string {
	if names == nil {
		return map[string]string{}
	}
	return names
}

// labelsOf returns the names of the records in the rows.
func labelsOf(c *route.Call, dimensions []string, rows []report.Row) (map[string]map[string]string, error) {
	return c.Store.LabelsOf(c.Context(), c.Account.ID, dimensions, func(i int) []string {
		seen := map[string]bool{}
		for _, r := range rows {
			seen[r.Dims[i]] = true
		}
		return slices.Collect(maps.Keys(seen))
	})
}

// Values is the answer of GET /reports/values.
type Values struct {
	Dimension string            `json:"dimension"`
	Values    []Value           `json:"values" doc:"most clicks first"`
	Labels    map[string]string `json:"labels" doc:"the names of ids"`
}

// Value is a value of a dimension with its clicks. A missing or unknown value is an empty text.
type Value struct {
	Value     string `json:"value"`
	Clicks    int64  `json:"clicks" doc:"clicks without bots"`
	BotClicks int64  `json:"bot_clicks"`
}

func (d Deps) values(c *route.Call) (Values, error) {
	dimension := c.Query.Get("dimension")
	if err := checkDimension(dimension); err != nil {
		return Values{}, err
	}
	return readReport(d, c, valuesJob, func(a *models.ReportArgs) error {
		a.Dimensions, a.Limit = []string{dimension}, c.Numbers["limit"]
		return nil
	})
}

var valuesJob = slow.New(jobs.ReadValues, func(a jobs.ReportAnswer) Values {
	dimension := a.Args.Dimensions[0]
	return Values{dimension, answer.Each(a.Rows, func(r models.ReportRow) Value {
		return Value{r.Dims[0], r.Clicks, r.BotClicks}
	}), namesOrNone(a.Labels[dimension])}
})

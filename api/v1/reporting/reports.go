package reporting

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
)

// Reports are the rows of /reports.
func Reports(d Deps) []route.Route {
	const group = "Reports"
	return append([]route.Route{
		{
			Method: "GET", Path: "/reports/performance", Group: group, Window: true, Share: route.Reads,
			Summary: "figures grouped by up to five dimensions; over very many clicks as a job", Slow: performanceJob.Answer(),
			Query: performanceParams(), Codes: route.Codes("400 invalid_dimension"), Handle: route.Do(d.performance),
		},
		{
			Method: "GET", Path: "/reports/trends", Group: group, Window: true, Share: route.Reads,
			Summary: "figures over time",
			Query: []route.Param{
				{Name: "bucket", Enum: report.Buckets, Default: defaultBucket},
				{Name: "tz", Default: "UTC", Doc: "IANA time zone of the buckets"},
			},
			Codes: route.Codes("400 invalid_bucket"), Handle: route.Do(d.trends),
		},
		{
			Method: "GET", Path: "/reports/values", Group: group, Window: true, Share: route.Reads,
			Summary: "values that a dimension takes, by clicks", Slow: valuesJob.Answer(),
			Query: []route.Param{
				{Name: "dimension", Required: true, Enum: report.Public()},
				route.Number("limit", 200, 1, 1000, "values"),
			},
			Codes: route.Codes("400 invalid_dimension"), Handle: route.Do(d.values),
		},
		{
			Method: "GET", Path: "/reports/orphaned", Group: group, Window: true, Share: route.Reads,
			Summary: "what was recorded for campaigns that no longer exist",
			Query: []route.Param{
				{Name: "totals_for", Doc: "campaign ids, comma-separated: answers the all-time totals of just these"},
			},
			Codes: route.Codes("400 invalid_id"), Handle: route.Do(d.orphaned),
		},
		{
			Method: "DELETE", Path: "/reports/orphaned", Group: group, Slow: clearJob.Answer(),
			Summary: "irreversibly delete all clicks and conversions of campaigns that no longer exist",
			Codes:   route.Codes("400 invalid_request too_many", "409 not_orphaned"),
			Handle:  route.Take(d.clearOrphaned),
		},
	}, exports(d)...)
}

const (
	defaultDimension = "campaign_id"
	filterPrefix     = "f." // before the dimension, in the name of a filter's parameter
)

func performanceParams() []route.Param {
	params := []route.Param{{
		Name: "dimension", Default: defaultDimension,
		Doc: fmt.Sprintf("up to %d, comma-separated: %s", report.MaxDimensions, strings.Join(report.Public(), ", ")),
	}}
	for _, name := range report.Public() {
		params = append(params, route.Param{Name: filterPrefix + name, Repeated: true, Doc: fmt.Sprintf(
			"only this %s; empty: those without; repeated: any of them. Up to %d filters of %d characters in all%s",
			name, report.MaxFilters, report.MaxFilterLen, knownValues(name))})
	}
	return params
}

// knownValues says which values a dimension can have, where that is known.
func knownValues(dimension string) string {
	if list := report.ValuesOf(dimension); len(list) > 0 {
		return ". Values: " + strings.Join(list, ", ")
	}
	return ""
}

// Performance is the answer of GET /reports/performance.
type Performance struct {
	Range      bind.Range                   `json:"range"`
	Dimension  string                       `json:"dimension" doc:"the dimensions, comma-separated"`
	Dimensions []string                     `json:"dimensions"`
	Filters    []DimensionFilter            `json:"filters"`
	Rows       []PerformanceRow             `json:"rows" doc:"most clicks first, at most 10,000"`
	Truncated  bool                         `json:"truncated" doc:"there are more groups than rows; an export has up to 100,000"`
	Labels     map[string]map[string]string `json:"labels" doc:"by dimension: the names of ids"`
}

// DimensionFilter restricts the rows to a value of a dimension.
type DimensionFilter struct {
	Dimension string `json:"dimension"`
	Value     string `json:"value"`
}

// PerformanceRow is one group of a report. A value that is not there or not known is an empty text.
type PerformanceRow struct {
	Dims map[string]string `json:"dims"`
	answer.Figures
}

func (d Deps) performance(c *route.Call) (Performance, error) {
	dimensions, err := dimensionsOf(c.Query.Get("dimension"))
	if err != nil {
		return Performance{}, err
	}
	filters, err := filtersOf(c.Query)
	if err != nil {
		return Performance{}, err
	}
	args := jobs.ReportArgs{
		From: c.Window.From, To: c.Window.End(), Dimensions: dimensions, Filters: grouped(filters), Limit: report.MaxRows + 1,
	}
	return readReport(d, c, performanceJob, performanceAnswer, args)
}

var performanceJob = slow.New(jobs.ReadPerformance, performanceAnswer)

func performanceAnswer(a jobs.ReportAnswer) Performance {
	out := Performance{
		Range: rangeOf(a.Args), Dimension: strings.Join(a.Args.Dimensions, ","), Dimensions: a.Args.Dimensions,
		Filters: []DimensionFilter{}, Truncated: len(a.Rows) > report.MaxRows, Labels: a.Labels,
	}
	for _, f := range a.Args.Filters {
		for _, v := range f.Values {
			out.Filters = append(out.Filters, DimensionFilter{f.Dimension, v})
		}
	}
	out.Rows = answer.Each(a.Rows[:min(len(a.Rows), report.MaxRows)], func(r jobs.ReportRow) PerformanceRow {
		dims := make(map[string]string, len(r.Dims))
		for i, name := range a.Args.Dimensions {
			dims[name] = r.Dims[i]
		}
		return PerformanceRow{dims, r.Row()}
	})
	return out
}

// dimensionsOf reads a list of dimensions, each counted once.
func dimensionsOf(text string) ([]string, error) {
	var out []string
	for name := range strings.SplitSeq(cmp.Or(text, defaultDimension), ",") {
		name = strings.TrimSpace(name)
		if err := checkDimension(name); err != nil {
			return nil, err
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, nil
}

func checkDimension(name string) error {
	if !slices.Contains(report.Public(), name) {
		return models.Invalid("invalid_dimension", "there is no dimension %.50q", name)
	}
	return nil
}

// filtersOf reads the parameters named f.<dimension>, in the order of their names.
func filtersOf(query map[string][]string) ([]DimensionFilter, error) {
	out := []DimensionFilter{}
	for _, param := range slices.Sorted(maps.Keys(query)) {
		name, isFilter := strings.CutPrefix(param, filterPrefix)
		if !isFilter {
			continue
		}
		if err := checkDimension(name); err != nil {
			return nil, err
		}
		for _, value := range query[param] {
			value, err := report.FilterValue(name, value)
			if err != nil {
				return nil, err
			}
			out = append(out, DimensionFilter{name, value})
		}
	}
	if len(out) > report.MaxFilters {
		return nil, models.Invalid("invalid_dimension", "at most %d filters", report.MaxFilters)
	}
	return out, nil
}

// grouped makes one filter of the values of each dimension, which stand next to each other.
func grouped(filters []DimensionFilter) []jobs.ExportFilter {
	var out []jobs.ExportFilter
	for _, f := range filters {
		if n := len(out); n > 0 && out[n-1].Dimension == f.Dimension {
			out[n-1].Values = append(out[n-1].Values, f.Value)
			continue
		}
		out = append(out, jobs.ExportFilter{Dimension: f.Dimension, Values: []string{f.Value}})
	}
	return out
}

// labelsOf reads the names of what stands in the rows, for the dimensions whose values are ids.
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

// Value is one that a dimension takes. One that is not there or not known is an empty text.
type Value struct {
	Value     string `json:"value"`
	Clicks    int64  `json:"clicks" doc:"without bots"`
	BotClicks int64  `json:"bot_clicks"`
}

func (d Deps) values(c *route.Call) (Values, error) {
	dimension := c.Query.Get("dimension")
	if err := checkDimension(dimension); err != nil {
		return Values{}, err
	}
	args := jobs.ReportArgs{
		From: c.Window.From, To: c.Window.End(), Dimensions: []string{dimension}, Limit: c.Numbers["limit"],
	}
	return readReport(d, c, valuesJob, valuesAnswer, args)
}

var valuesJob = slow.New(jobs.ReadValues, valuesAnswer)

func valuesAnswer(a jobs.ReportAnswer) Values {
	dimension := a.Args.Dimensions[0]
	out := Values{dimension, answer.Each(a.Rows, func(r jobs.ReportRow) Value {
		return Value{r.Dims[0], r.Clicks, r.BotClicks}
	}), a.Labels[dimension]}
	if out.Labels == nil {
		out.Labels = map[string]string{}
	}
	return out
}

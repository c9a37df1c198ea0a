package reporting

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/bind"
)

// The prefixes of the filter parameters. A dimension follows the prefix.
const (
	filterPrefix  = "f." // only rows with this value
	excludePrefix = "x." // only rows without this value
)

// zoneParam is the parameter with the time zone of a report.
var zoneParam = route.Param{
	Name: "tz", Default: "UTC", Doc: "IANA time zone of the dimensions of time and of buckets; the parameters from and to are always in UTC",
}

// filterParams are the parameters that filter reports and logs by dimensions.
var filterParams = func() (params []route.Param) {
	limits := fmt.Sprintf("At most %d filters with %d values in total; a value has at most %d characters", report.MaxFilters,
		report.MaxValues, report.MaxFilterLen)
	for prefix, doc := range map[string]string{
		filterPrefix:  "only rows with this %s; empty: rows without a value; repeated: rows with any of the values. ",
		excludePrefix: "only rows without this %s; empty: rows with any value; repeated: rows with none of the values. ",
	} {
		for _, name := range report.Dimensions() {
			params = append(params, route.Param{
				Name: prefix + name, Repeated: true, Shared: true, Doc: fmt.Sprintf(doc, name) + limits + knownValues(name),
			})
		}
	}
	slices.SortStableFunc(params, func(a, b route.Param) int { return strings.Compare(a.Name[:1], b.Name[:1]) })
	return params
}()

// parseReportArgs parses the window, the time zone and the filters of a report.
func parseReportArgs(c *route.Call) (models.ReportArgs, error) {
	a := models.ReportArgs{From: c.Window.From, To: c.Window.End(), TZ: c.Query.Get("tz")}
	zone, err := report.Zone(a.TZ)
	if err != nil {
		return a, err
	}
	a.TZ = zone.String()
	a.Filters, err = filtersOf(c.Query)
	return a, err
}

// filtersOf parses the parameters f.<dimension> and x.<dimension>, in the order of their names.
func filtersOf(query map[string][]string) ([]models.ReportFilter, error) {
	var out []models.ReportFilter
	values := 0
	for _, param := range slices.Sorted(maps.Keys(query)) {
		name, isFilter := strings.CutPrefix(param, filterPrefix)
		excluded, isNot := strings.CutPrefix(param, excludePrefix)
		if !isFilter && !isNot {
			continue
		}
		if isNot {
			name = excluded
		}
		if err := checkDimension(name); err != nil {
			return nil, err
		}
		f := models.ReportFilter{Dimension: name, Values: make([]string, len(query[param])), Not: isNot}
		for i, value := range query[param] {
			var err error
			if f.Values[i], err = report.FilterValue(name, value); err != nil {
				return nil, err
			}
		}
		out, values = append(out, f), values+len(f.Values)
	}
	return out, checkFilters(len(out), values)
}

func checkFilters(filters, values int) error {
	if filters > report.MaxFilters || values > report.MaxValues {
		return models.Invalid("invalid_dimension", "at most %d filters with %d values in all", report.MaxFilters, report.MaxValues)
	}
	return nil
}

// dimensionsOf parses a list of dimensions and removes duplicates.
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

const maxReportGoals = 20

func goalsOf(text string) (out []string, err error) {
	if text == "" {
		return nil, nil
	}
	for key := range strings.SplitSeq(text, ",") {
		if key = strings.TrimSpace(key); !models.ValidGoalKey(key) {
			return nil, models.Invalid("invalid_input", "goal: %.80q is no key of a goal: a key is a lower-case letter, then 1 to 63 letters, digits and _", key)
		}
		out = append(out, key)
	}
	if len(out) > maxReportGoals {
		return nil, models.Invalid("invalid_input", "goal: at most %d keys", maxReportGoals)
	}
	return out, nil
}

var havingDoc = fmt.Sprintf("comma-separated, at most %d, such as profit<0,cost>=10. A condition is a figure, then one of %s, "+
	"then a number in the unit that the figure has in the answer (percent without the %% sign). A figure that is null meets no condition",
	report.MaxHaving, strings.Join(models.FigureOps, " "))

func checkDimension(name string) error {
	if !slices.Contains(report.Dimensions(), name) {
		return models.Invalid("invalid_dimension", "there is no dimension %.50q", name)
	}
	return nil
}

// parseCompare parses the parameter compare: previous or FROM..TO. An empty text gives nil.
func parseCompare(text string, w bind.Window, tz string) (*models.TimeRange, error) {
	switch text {
	case "":
		return nil, nil //nolint:nilnil // nothing is compared
	case "previous":
		zone, err := report.Zone(tz)
		return rangeBefore(w, zone), err
	}
	other, err := bind.ParseRange("compare", text)
	return &models.TimeRange{From: other.From, To: other.End()}, err
}

// rangeBefore returns the period that ends where a window begins. It has the same number of days if the window lasts whole days
// in the time zone, even across a change of summer time. Otherwise it has the same length.
func rangeBefore(w bind.Window, zone *time.Location) *models.TimeRange {
	from, end := w.From.In(zone), w.End().In(zone)
	start := w.From.Add(-end.Sub(from))
	if from.Format(time.TimeOnly) == end.Format(time.TimeOnly) {
		start = from.AddDate(0, 0, -daysBetween(from, end)).UTC()
	}
	return &models.TimeRange{From: start, To: w.From}
}

// daysBetween counts the midnights between two times in the same zone.
func daysBetween(from, end time.Time) int {
	date := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(date(end).Sub(date(from)) / (24 * time.Hour))
}

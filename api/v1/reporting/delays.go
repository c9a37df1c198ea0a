package reporting

import (
	"fmt"
	"slices"
	"strings"

	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/bind"
)

var delayParams = slices.DeleteFunc(slices.Clone(filterParams), func(p route.Param) bool {
	return !slices.Contains(report.DelayDimensions, p.Name[len(filterPrefix):])
})

// Delays is the answer of GET /reports/delays.
type Delays struct {
	Range       bind.Range        `json:"range" doc:"the window in which the clicks were made"`
	Filters     []DimensionFilter `json:"filters"`
	Conversions int64             `json:"conversions" doc:"approved and pending conversions of all rows"`
	Truncated   bool              `json:"truncated" doc:"true: there were too many conversions, so only 200,000 are counted, those of the latest clicks"`
	Rows        []DelayRow        `json:"rows" doc:"all steps in order, including steps without a conversion"`
}

// DelayRow counts the conversions of one step of the time since the click.
type DelayRow struct {
	From        int64  `json:"from" doc:"start of the step, in seconds after the click"`
	To          *int64 `json:"to" doc:"end of the step; null: the step has no end"`
	Conversions int64  `json:"conversions"`
}

func (d Deps) delays(c *route.Call) (out Delays, err error) {
	q := InWindow(c)
	if q.Filters, err = filtersOf(c.Query); err != nil {
		return out, err
	}
	for _, f := range q.Filters {
		if !slices.Contains(report.DelayDimensions, f.Dimension) {
			return out, models.Invalid("invalid_dimension", "delays are filtered by %s only", strings.Join(report.DelayDimensions, ", "))
		}
	}
	list, err := d.reports(c).Delays(c.Context(), q)
	if err != nil {
		return out, err
	}
	out = Delays{Range: c.Window.Range(), Filters: filtersAnswer(q.Filters), Rows: make([]DelayRow, len(report.DelayBounds)+1)}
	for i := range out.Rows {
		if i > 0 {
			out.Rows[i].From = report.DelayBounds[i-1]
		}
		if i < len(report.DelayBounds) {
			out.Rows[i].To = &report.DelayBounds[i]
		}
	}
	for _, step := range list {
		if step.Step < 0 || step.Step >= int64(len(out.Rows)) {
			return out, fmt.Errorf("reporting: delays: a row has the unknown step %d", step.Step)
		}
		out.Rows[step.Step].Conversions += step.Conversions
		out.Conversions += step.Conversions
	}
	out.Truncated = out.Conversions >= report.MaxDelays
	return out, nil
}

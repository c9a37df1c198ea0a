package reporting

import (
	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/jobs"
	"switchyard/models"
)

// Stats returns the routes of /stats.
func Stats(d Deps) []route.Route {
	const group = "Stats"
	zoned := append([]route.Param{zoneParam}, filterParams...)
	return []route.Route{
		{
			Method: "GET", Path: "/stats/overview", Group: group, Window: true, Share: route.Reads,
			Summary: "totals for the window and the change from the previous window", Query: zoned,
			Codes: route.Codes("400 invalid_dimension"), Slow: overviewForm.job.Answer(), Handle: route.Handle(d.overview),
		},
		{
			Method: "GET", Path: "/stats/timeseries", Group: group, Window: true, Share: route.Reads,
			Summary: "figures by day", Query: zoned, Codes: route.Codes("400 invalid_dimension"),
			Slow: timeseriesForm.job.Answer(), Handle: route.Handle(d.timeseries),
		},
		{
			Method: "GET", Path: "/stats/hourly", Group: group, Share: route.Reads, Summary: "today by hour",
			Query: zoned, Codes: route.Codes("400 invalid_dimension"), Slow: hourlyForm.job.Answer(), Handle: route.Handle(d.hourly),
		},
		{
			Method: "GET", Path: "/stats/breakdown", Group: group, Window: true, Share: route.Reads,
			Summary: "top 20 traffic sources by clicks", Handle: route.Handle(d.breakdown),
		},
		{
			Method: "GET", Path: "/stats/live", Group: group, Share: route.Reads, Summary: "who is on the pages now",
			Query:  []route.Param{route.Number("minutes", 5, 1, 60, "how far back")},
			Handle: route.Handle(d.live),
		},
	}
}

// Overview is the answer of GET /stats/overview.
type Overview struct {
	Range         bind.Range        `json:"range"`
	PreviousRange bind.Range        `json:"previousRange" doc:"as long, or as many days by the clock of tz; it ends where range begins"`
	TZ            string            `json:"tz" doc:"the time zone of the days that are compared"`
	Filters       []DimensionFilter `json:"filters"`
	answer.Figures
	Changes models.FigureChanges `json:"changes" doc:"in percent of the previous window's figure; null where that is zero"`
}

func (d Deps) overview(c *route.Call) (Overview, error) {
	args, err := parseReportArgs(c)
	if err != nil {
		return Overview{}, err
	}
	args.Compare, err = parseCompare("previous", c.Window, args.TZ)
	if err != nil {
		return Overview{}, err
	}
	return overviewForm.read(d, c, args)
}

var overviewForm = newForm(jobs.ReadOverview, func(a jobs.ReportAnswer) Overview {
	now, then := a.Rows[0].Figures, *a.Rows[0].Before
	return Overview{
		Range: bind.RangeOf(a.Args.From, a.Args.To), PreviousRange: bind.RangeOf(a.Args.Compare.From, a.Args.Compare.To),
		TZ: a.Args.TZ, Filters: filtersAnswer(a.Args.Filters), Figures: now.Row(), Changes: now.ChangesFrom(then),
	}
})

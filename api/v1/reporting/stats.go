package reporting

import (
	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
)

// Stats returns the routes of /stats.
func Stats(d Deps) []route.Route {
	const group = "Stats"
	zoned := append([]route.Param{zoneParam}, filterParams...)
	invalidDimension := route.Codes("400 invalid_dimension")
	return []route.Route{
		route.New("GET", "/stats/overview", group, "totals for the window and the change from the previous window",
			route.Handle(d.overview), invalidDimension).
			WithWindow().WithShare(route.Reads).Awaits(overviewJob.Answer()).WithQuery(zoned...),
		route.New("GET", "/stats/timeseries", group, "figures by day", route.Handle(d.timeseries), invalidDimension).
			WithWindow().WithShare(route.Reads).Awaits(timeseriesJob.Answer()).WithQuery(zoned...),
		route.New("GET", "/stats/hourly", group, "today's figures by hour", route.Handle(d.hourly), invalidDimension).
			WithShare(route.Reads).Awaits(hourlyJob.Answer()).WithQuery(zoned...),
		route.New("GET", "/stats/breakdown", group, "top 20 traffic sources by clicks",
			route.Handle(d.breakdown)).WithWindow().WithShare(route.Reads),
		route.New("GET", "/stats/live", group, "visitors who clicked in the last minutes",
			route.Handle(d.live)).WithShare(route.Reads).WithQuery(route.Number("minutes", 5, 1, 60, "minutes that the window covers")),
		route.New("GET", "/stats/caps", group, "how much of today's caps is used", route.Handle(d.caps)).WithShare(route.Reads),
	}
}

// Overview is the answer of GET /stats/overview.
type Overview struct {
	Range         bind.Range        `json:"range"`
	PreviousRange bind.Range        `json:"previousRange" doc:"the window that ends where range begins. It is as long as range or, if range has whole days in the time zone tz, has the same number of days"`
	TZ            string            `json:"tz" doc:"the time zone in which days begin"`
	Filters       []DimensionFilter `json:"filters"`
	answer.Figures
	Changes models.FigureChanges `json:"changes" doc:"change of each figure in percent of the previous window's figure; null if the previous figure is zero, or if one of the two figures is null"`
}

func (d Deps) overview(c *route.Call) (Overview, error) {
	return readReport(d, c, overviewJob, func(a *models.ReportArgs) (err error) {
		a.Compare, err = parseCompare("previous", c.Window, a.TZ)
		return err
	})
}

var overviewJob = slow.New(jobs.ReadOverview, func(a jobs.ReportAnswer) Overview {
	now, then := a.Rows[0].Figures, *a.Rows[0].Before
	return Overview{
		Range: bind.RangeOf(a.Args.From, a.Args.To), PreviousRange: bind.RangeOf(a.Args.Compare.From, a.Args.Compare.To),
		TZ: a.Args.TZ, Filters: filtersAnswer(a.Args.Filters), Figures: now.Row(), Changes: now.ChangesFrom(then),
	}
})

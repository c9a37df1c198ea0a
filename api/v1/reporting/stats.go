package reporting

import (
	"github.com/shopspring/decimal"

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
			Codes: route.Codes("400 invalid_dimension"), Slow: overviewForm.job.Answer(), Handle: route.Do(d.overview),
		},
		{
			Method: "GET", Path: "/stats/timeseries", Group: group, Window: true, Share: route.Reads,
			Summary: "figures by day", Query: zoned, Codes: route.Codes("400 invalid_dimension"),
			Slow: timeseriesForm.job.Answer(), Handle: route.Do(d.timeseries),
		},
		{
			Method: "GET", Path: "/stats/hourly", Group: group, Share: route.Reads, Summary: "today by hour",
			Query: zoned, Codes: route.Codes("400 invalid_dimension"), Slow: hourlyForm.job.Answer(), Handle: route.Do(d.hourly),
		},
		{
			Method: "GET", Path: "/stats/breakdown", Group: group, Window: true, Share: route.Reads,
			Summary: "top 20 traffic sources by clicks", Handle: route.Do(d.breakdown),
		},
		{
			Method: "GET", Path: "/stats/live", Group: group, Share: route.Reads, Summary: "who is on the pages now",
			Query:  []route.Param{route.Number("minutes", 5, 1, 60, "how far back")},
			Handle: route.Do(d.live),
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
	Changes FigureChanges `json:"changes" doc:"in percent of the previous window's figure; null where that is zero"`
}

// FigureChanges has the changes of figures in percent.
type FigureChanges struct {
	Clicks       *models.Money `json:"clicks"`
	UniqueClicks *models.Money `json:"unique_clicks"`
	LPClicks     *models.Money `json:"lp_clicks"`
	BotClicks    *models.Money `json:"bot_clicks"`
	Conversions  *models.Money `json:"conversions"`
	Pending      *models.Money `json:"pending"`
	Rejected     *models.Money `json:"rejected"`
	Cost         *models.Money `json:"cost"`
	Revenue      *models.Money `json:"revenue"`
	Profit       *models.Money `json:"profit"`
	ROI          *models.Money `json:"roi"`
	CR           *models.Money `json:"cr"`
	LPCTR        *models.Money `json:"lp_ctr"`
	EPC          *models.Money `json:"epc"`
	CPA          *models.Money `json:"cpa"`
}

func (d Deps) overview(c *route.Call) (Overview, error) {
	args, err := asked(c)
	if err != nil {
		return Overview{}, err
	}
	args.Compare, err = comparedTo("previous", c.Window, args.TZ)
	if err != nil {
		return Overview{}, err
	}
	return overviewForm.read(d, c, args)
}

var overviewForm = newForm(jobs.ReadOverview, func(a jobs.ReportAnswer) Overview {
	now, then := a.Rows[0].Figures, *a.Rows[0].Before
	return Overview{
		Range: bind.RangeOf(a.Args.From, a.Args.To), PreviousRange: bind.RangeOf(a.Args.Compare.From, a.Args.Compare.To),
		TZ: a.Args.TZ, Filters: filtersShown(a.Args.Filters), Figures: now.Row(), Changes: changesOf(now, then),
	}
})

func changesOf(now, then models.Figures) FigureChanges {
	count := func(a, b int64) *models.Money { return change(decimal.NewFromInt(a), decimal.NewFromInt(b)) }
	a, b := now.Ratios(), then.Ratios()
	return FigureChanges{
		Clicks: count(now.Clicks, then.Clicks), UniqueClicks: count(now.UniqueClicks, then.UniqueClicks),
		LPClicks: count(now.LPClicks, then.LPClicks), BotClicks: count(now.BotClicks, then.BotClicks),
		Conversions: count(now.Conversions(), then.Conversions()), Pending: count(now.Pending, then.Pending),
		Rejected: count(now.Rejected, then.Rejected), Cost: change(now.Cost, then.Cost),
		Revenue: change(now.Revenue, then.Revenue), Profit: change(now.Profit(), then.Profit()),
		ROI: ratioChange(a.ROI, b.ROI), CR: ratioChange(a.CR, b.CR), LPCTR: ratioChange(a.LPCTR, b.LPCTR),
		EPC: ratioChange(a.EPC, b.EPC), CPA: ratioChange(a.CPA, b.CPA),
	}
}

// change returns the change of a figure in percent. It is positive if the figure has grown, even if the former figure is negative.
func change(now, then decimal.Decimal) *models.Money {
	if then.IsZero() {
		return nil
	}
	m := models.NewMoney(now.Sub(then).Mul(decimal.NewFromInt(100)).DivRound(then.Abs(), 2))
	return &m
}

func ratioChange(now, then *decimal.Decimal) *models.Money {
	if now == nil || then == nil {
		return nil
	}
	return change(*now, *then)
}

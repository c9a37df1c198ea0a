package reporting

import (
	"cmp"
	"time"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
)

const defaultBucket = report.Day

// Trends is the answer of GET /reports/trends.
type Trends struct {
	Range   bind.Range        `json:"range"`
	Bucket  string            `json:"bucket" enum:"month,day,weekday,hour,weekday_hour"`
	TZ      string            `json:"tz" doc:"the time zone of the buckets"`
	Filters []DimensionFilter `json:"filters"`
	Rows    []TrendRow        `json:"rows" doc:"every bucket of the window in order, including empty buckets"`
}

// TrendRow has the figures of a bucket.
type TrendRow struct {
	Bucket string  `json:"bucket" doc:"month: 2026-05; day: 2026-05-31; hour: 2026-05-31 23:00:00, with the UTC offset if tz is not UTC; weekday: 1 to 7, 1 is Monday; weekday_hour: 1 23:00"`
	Start  *string `json:"start" doc:"when the bucket begins, or when the window begins if that is later, ISO 8601, UTC; null for weekdays and hours of the week"`
	answer.Figures
	ClickLoss *answer.ClickLoss `json:"click_loss" doc:"covers only the days and sources for which the source has reported its clicks. Null: no clicks were reported, or the buckets are not months, days or weekdays of whole UTC days, or there is a filter other than source_id"`
}

func (d Deps) trends(c *route.Call) (Trends, error) {
	return readReport(d, c, trendsJob, func(a *models.ReportArgs) (err error) {
		a.Bucket, err = bucketOf(c.Query.Get("bucket"))
		return err
	})
}

var trendsJob = slow.New(jobs.ReadTrends, func(a jobs.ReportAnswer) Trends {
	return Trends{
		bind.RangeOf(a.Args.From, a.Args.To), a.Args.Bucket, a.Args.TZ, filtersAnswer(a.Args.Filters), answer.Each(a.Rows, trendRow),
	}
})

func trendRow(r models.ReportRow) TrendRow {
	row := TrendRow{Bucket: r.Dims[0], Figures: r.Row(), ClickLoss: answer.LossOf(r.Loss)}
	if start := startOf(r); !start.IsZero() {
		row.Start = answer.StampOrNull(&start)
	}
	return row
}

// startOf returns the start of a row's bucket, or zero for a bucket that recurs every week.
func startOf(r models.ReportRow) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, r.Dims[1]) // package report writes this form or an empty text
	return t
}

// bucketOf checks the name of a bucket. For an empty name it returns the default.
func bucketOf(name string) (string, error) {
	name = cmp.Or(name, defaultBucket)
	return name, report.CheckBucket(name)
}

// Point has the main figures of a period.
type Point struct {
	Clicks      int64        `json:"clicks" doc:"clicks without bots"`
	Conversions int64        `json:"conversions" doc:"approved and pending conversions"`
	Cost        models.Money `json:"cost"`
	Revenue     models.Money `json:"revenue" doc:"approved payouts"`
}

func point(f models.Figures) Point {
	return Point{f.Clicks, f.Conversions(), models.NewMoney(f.Cost), models.NewMoney(f.Revenue)}
}

// DayPoint has the figures of a day.
type DayPoint struct {
	Date string `json:"date" doc:"YYYY-MM-DD, in the time zone tz"`
	Point
}

// Timeseries is the answer of GET /stats/timeseries.
type Timeseries struct {
	Range  bind.Range `json:"range"`
	TZ     string     `json:"tz" doc:"the time zone of the days"`
	Points []DayPoint `json:"points" doc:"every day of the window"`
}

func (d Deps) timeseries(c *route.Call) (Timeseries, error) {
	return readReport(d, c, timeseriesJob, func(a *models.ReportArgs) error {
		a.Bucket = report.Day
		return nil
	})
}

var timeseriesJob = slow.New(jobs.ReadTimeseries, func(a jobs.ReportAnswer) Timeseries {
	return Timeseries{bind.RangeOf(a.Args.From, a.Args.To), a.Args.TZ, answer.Each(a.Rows, func(r models.ReportRow) DayPoint {
		return DayPoint{r.Dims[0], point(r.Figures)}
	})}
})

// HourPoint has the figures of an hour of the day.
type HourPoint struct {
	Hour  int    `json:"hour" doc:"0-23, in the time zone tz; on the day on which clocks go back, one hour is listed twice"`
	Start string `json:"start" doc:"when the hour begins, ISO 8601, UTC"`
	Point
}

// Hourly is the answer of GET /stats/hourly.
type Hourly struct {
	TZ     string      `json:"tz" doc:"the time zone of the day and its hours"`
	Points []HourPoint `json:"points" doc:"the hours of today: 24, unless clocks change today"`
}

func (d Deps) hourly(c *route.Call) (Hourly, error) {
	return readReport(d, c, hourlyJob, func(a *models.ReportArgs) error {
		zone, err := report.Zone(a.TZ)
		if err != nil {
			return err
		}
		y, m, day := time.Now().In(zone).Date()
		a.From, a.To = time.Date(y, m, day, 0, 0, 0, 0, zone).UTC(), time.Date(y, m, day+1, 0, 0, 0, 0, zone).UTC()
		a.Bucket = report.Hour
		return nil
	})
}

var hourlyJob = slow.New(jobs.ReadHourly, func(a jobs.ReportAnswer) Hourly {
	zone, err := report.Zone(a.Args.TZ)
	if err != nil {
		zone = time.UTC
	}
	return Hourly{a.Args.TZ, answer.Each(a.Rows, func(r models.ReportRow) HourPoint {
		start := startOf(r)
		return HourPoint{start.In(zone).Hour(), answer.Stamp(start), point(r.Figures)}
	})}
})

package reporting

import (
	"cmp"
	"strings"
	"time"

	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/models"
)

const defaultBucket = report.Day

// Trends is the answer of GET /reports/trends.
type Trends struct {
	Range  bind.Range `json:"range"`
	Bucket string     `json:"bucket" enum:"month,day,weekday,hour,weekday_hour"`
	TZ     string     `json:"tz" doc:"the time zone of the buckets"`
	Rows   []TrendRow `json:"rows" doc:"every bucket in order, also those in which nothing happened"`
}

// TrendRow is one bucket.
type TrendRow struct {
	Bucket string  `json:"bucket" doc:"2026-05, 2026-05-31, 2026-05-31 23:00:00 (with the offset outside UTC), 1-7 (1 is Monday), 1 23:00"`
	Start  *string `json:"start" doc:"where it begins in the window, ISO 8601, UTC; null for weekdays and hours of the week"`
	answer.Figures
}

func (d Deps) trends(c *route.Call) (Trends, error) {
	bucket, err := bucketOf(c.Query.Get("bucket"))
	if err != nil {
		return Trends{}, err
	}
	zone, err := zoneOf(c.Query.Get("tz"))
	if err != nil {
		return Trends{}, err
	}
	list, err := d.reports(c).Trends(c.Context(), report.TrendQuery{Query: InWindow(c), Bucket: bucket, Zone: zone})
	return Trends{c.Window.Range(), bucket, zone.String(), answer.Each(list, trendRow)}, err
}

func trendRow(t report.Trend) TrendRow {
	row := TrendRow{Bucket: t.Label, Figures: t.Row()}
	if !t.Start.IsZero() {
		row.Start = answer.StampOrNull(&t.Start)
	}
	return row
}

// bucketOf reads the name of a bucket; none is the default.
func bucketOf(name string) (string, error) {
	name = cmp.Or(name, defaultBucket)
	return name, report.CheckBucket(name)
}

const maxZone = 64 // characters

// zoneOf reads the name of an IANA time zone; none is UTC.
func zoneOf(name string) (*time.Location, error) {
	if len(name) <= maxZone && !strings.EqualFold(name, "local") { // the zone of the server must not show
		if loc, err := time.LoadLocation(name); err == nil {
			return loc, nil
		}
	}
	return nil, models.Invalid("invalid_input", "tz must be an IANA time zone such as Europe/Berlin")
}

// Point is what happened in a stretch of time.
type Point struct {
	Clicks      int64        `json:"clicks" doc:"without bots"`
	Conversions int64        `json:"conversions" doc:"approved and pending"`
	Cost        models.Money `json:"cost"`
	Revenue     models.Money `json:"revenue" doc:"approved payouts"`
}

func point(f models.Figures) Point {
	return Point{f.Clicks, f.Conversions(), models.NewMoney(f.Cost), models.NewMoney(f.Revenue)}
}

// DayPoint is one day.
type DayPoint struct {
	Date string `json:"date" doc:"YYYY-MM-DD, UTC"`
	Point
}

// Timeseries is the answer of GET /stats/timeseries.
type Timeseries struct {
	Range  bind.Range `json:"range"`
	Points []DayPoint `json:"points" doc:"every day of the window"`
}

func (d Deps) timeseries(c *route.Call) (Timeseries, error) {
	q := report.TrendQuery{Query: InWindow(c), Bucket: report.Day, Zone: time.UTC}
	list, err := d.reports(c).Trends(c.Context(), q)
	return Timeseries{c.Window.Range(), answer.Each(list, func(t report.Trend) DayPoint {
		return DayPoint{t.Label, point(t.Figures)}
	})}, err
}

// HourPoint is one hour of the day.
type HourPoint struct {
	Hour int `json:"hour" doc:"0-23, UTC"`
	Point
}

// Hourly is the answer of GET /stats/hourly.
type Hourly struct {
	Points []HourPoint `json:"points" doc:"the 24 hours of today"`
}

func (d Deps) hourly(c *route.Call) (Hourly, error) {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	day := report.Query{AccountID: c.Account.ID, From: today, To: today.Add(24 * time.Hour)}
	q := report.TrendQuery{Query: day, Bucket: report.Hour, Zone: time.UTC}
	list, err := d.reports(c).Trends(c.Context(), q)
	return Hourly{answer.Each(list, func(t report.Trend) HourPoint {
		return HourPoint{t.Start.Hour(), point(t.Figures)}
	})}, err
}

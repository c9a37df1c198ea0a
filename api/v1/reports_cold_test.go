package v1_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/clicklog"
	"switchyard/db/dbtest"
	"switchyard/db/report"
	"switchyard/models"
)

// silent is a ClickHouse server that does not answer.
type silent struct{}

// Each implements columnar.Reader.
func (silent) Each(context.Context, string, func(func(...any) error) error, string, ...any) error {
	return errors.New("connection refused")
}

// TestColdClicksAway: while ClickHouse is away, who asks about clicks that it alone has is told to try again, and all else is
// answered.
func TestColdClicksAway(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	away := clicklog.NewCopyReader(silent{})
	s := apitest.New(t, apitest.Options{
		DB: d, V1: v1.Deps{Reports: report.Reader{Conn: d, Copy: away}, Clicks: clicklog.Log{Conn: d, Copy: away}},
	})
	today := time.Now().UTC().Truncate(24 * time.Hour)
	_, err := d.ExecContext(t.Context(), `INSERT INTO click_copy (state, base, version, cold_before) VALUES ('on', 1, 1, $1)`,
		today.AddDate(0, 0, -3).Format(time.DateOnly))
	if err != nil {
		t.Fatal(err)
	}
	window := func(from, to int) string {
		return "from=" + today.AddDate(0, 0, from).Format(time.DateOnly) + "&to=" + today.AddDate(0, 0, to).Format(time.DateOnly)
	}
	old := models.FloorClickID(today.AddDate(0, 0, -5))
	old[15] = 1
	for _, path := range []string{
		"/reports/performance?dimension=sub1&" + window(-6, -1), "/logs/clicks?" + window(-6, -5), "/logs/clicks?" + window(-6, 0),
		"/logs/clicks/" + models.FormatClickID(old), "/logs/repeat-ips?" + window(-6, -1),
		"/logs/conversions?f.country=DE&" + window(-6, -1),
	} {
		s.Do("GET", path, nil).Want(503, "unavailable")
	}
	for _, path := range []string{
		"/reports/performance?dimension=campaign_id&" + window(-6, -1), "/reports/performance?dimension=sub1&" + window(-3, 0),
		"/logs/clicks?" + window(-3, 0), "/logs/repeat-ips?" + window(-2, 0), "/logs/conversions?" + window(-6, -1),
	} {
		s.Do("GET", path, nil).Want(200, "")
	}
}

package v1_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/click"
	"switchyard/db/clickcopy"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/clickhouse/schema"
	"switchyard/db/dbtest"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/parttest"
)

// silent is a ClickHouse server that does not answer.
type silent struct{}

// Each implements schema.Reader.
func (silent) Each(context.Context, string, func(func(...any) error) error, string, ...any) error {
	return errors.New("connection refused")
}

// TestColdClicksAway: while ClickHouse does not answer, requests that need it get an error that says to try again. All other
// requests are answered.
func TestColdClicksAway(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	away := click.NewCopyReader(silent{})
	s := apitest.New(t, apitest.Options{
		DB: d, V1: v1.Deps{Reports: report.Reader{Conn: d, Copy: away}, Clicks: click.Log{Conn: d, Copy: away}},
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

// answering is a ClickHouse server that answers but has no rows.
type answering struct{}

// Each implements schema.Reader.
func (answering) Each(context.Context, string, func(func(...any) error) error, string, ...any) error {
	return nil
}

// TestClickHouseService: GET /alerts reports the state of the copy of clicks, and what to do about it.
func TestClickHouseService(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	d := dbtest.New(t)
	expect := func(what string, reader schema.Reader, status, inMessage string) {
		t.Helper()
		var copied *click.CopyReader
		if reader != nil {
			copied = click.NewCopyReader(reader)
		}
		s := apitest.New(t, apitest.Options{DB: d, V1: v1.Deps{Clicks: click.Log{Conn: d, Copy: copied}}})
		got := service(s.Do("GET", "/alerts", nil).Want(200, "").Map(), "clickhouse")
		message, _ := got["message"].(string)
		if got["status"] != status || !strings.Contains(message, inMessage) || (message == "") != (inMessage == "") {
			t.Errorf("%s: %v, want %s with the message %q", what, got, status, inMessage)
		}
	}
	expect("without a copy", nil, "off", "")
	expect("nothing is copied", answering{}, "waiting", "clicks move --to clickhouse")
	dbtest.Exec(t, d, `INSERT INTO click_copy (state, base, version) VALUES ('on', 1, 1)`)
	expect("on, but restored without triggers", answering{}, "failing", "not recorded")
	if err := (clickcopy.Copy{From: d, To: clickhousetest.New(t)}).Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect("begun", answering{}, "ok", "being copied")
	dbtest.Exec(t, d, `UPDATE click_copy SET state = 'on'`)
	expect("on", answering{}, "ok", "")
	expect("on, and ClickHouse does not answer", silent{}, "failing", "does not answer. Clicks are stored, and PostgreSQL answers reports: bring")
	dbtest.Exec(t, d, `INSERT INTO click_changes (account_id, click_id, removed, noted_at) VALUES (gen_random_uuid(), gen_random_uuid(), false, now() - interval '9 minutes')`)
	expect("behind", answering{}, "behind", "wait for ClickHouse for 9m")
	expect("behind: what to do", answering{}, "behind", "s, and PostgreSQL answers reports: check that a worker")
	dbtest.Exec(t, d, `UPDATE click_copy SET cold_before = '2026-03-05'`)
	expect("behind, with cold days", answering{}, "behind", "but not about clicks before 2026-03-05")
	lost, err := click.UnavailableCopy(t.Context(), d)
	if err != nil || lost == nil {
		t.Fatal(lost, err)
	}
	s := apitest.New(t, apitest.Options{DB: d, V1: v1.Deps{Clicks: click.Log{Conn: d, Copy: lost}}})
	got := service(s.Do("GET", "/alerts", nil).Want(200, "").Map(), "clickhouse")
	if message, _ := got["message"].(string); got["status"] != "failing" || !strings.Contains(message, "CLICKS_URL is not set") {
		t.Errorf("without CLICKS_URL the service is %v, want it failing", got)
	}
}

package report

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/dbtest"
	"switchyard/db/export"
	"switchyard/models"
	"switchyard/models/parttest"
)

type readers struct {
	reports Reader
	log     click.Log
	exports export.Reader
}

func readersOf(d *db.DB, copied *click.CopyReader) readers {
	return readers{Reader{Conn: d, Copy: copied}, click.Log{Conn: d, Copy: copied}, export.Reader{Conn: d, Copy: copied}}
}

// coldQueries returns queries about a range of days, by name.
func coldQueries(h *historyEnv, from, to time.Time) map[string]func(context.Context, readers) (any, error) {
	list := map[string]func(context.Context, readers) (any, error){}
	q := Query{AccountID: h.account, From: from.Add(17 * time.Minute), To: to.Add(-time.Minute)}
	for _, dims := range []string{"", "campaign_id", "city,date", "country,hour", "ip", "campaign_id,country,browser,os,offer_id", "status,goal,country"} {
		q := q
		if dims != "" {
			q.Dimensions, q.Totals = strings.Split(dims, ","), true
		}
		list["report by "+dims] = func(ctx context.Context, r readers) (any, error) { return r.reports.Performance(ctx, q) }
	}
	for _, name := range []string{"UTC", "Asia/Kathmandu"} {
		q := TrendQuery{q, Hour}
		q.Zone = zone(h.t, name)
		list["trends in "+name] = func(ctx context.Context, r readers) (any, error) { return r.reports.Trends(ctx, q) }
	}
	where, whereInCopy, err := Reader{Conn: h.d}.Conditions(h.t.Context(), h.account, []Filter{{Dimension: "country", Values: []string{"FR"}}}, time.UTC, from, to)
	if err != nil {
		h.t.Fatal(err)
	}
	for n, log := range []click.LogQuery{
		{Limit: 10},
		{Limit: 1000},
		{Limit: 20, Offset: 30},
		{Limit: 20, Offset: 199},
		{Limit: 5, Offset: 150, Converted: true},
		{Limit: 30, Offset: 90, Where: where, WhereInCopy: whereInCopy},
		{Limit: 10, ClickID: h.order[0]},
		{Limit: 5, ClickID: h.order[1], Converted: true},
		{Limit: 100, ConversionID: "a"},
		{Limit: 10, ExternalID: "unknown"},
		{Limit: 3, From: from, To: from.Add(time.Hour)},
	} {
		log.AccountID = h.account
		if log.From.IsZero() {
			log.From, log.To = from, to
		}
		list[fmt.Sprint("page of the click log, query ", n)] = func(ctx context.Context, r readers) (any, error) { return r.log.Clicks(ctx, log) }
		log.To = time.Now().Add(time.Hour)
		log.Converted = false
		for _, log.Status = range []string{"", "approved"} {
			list[fmt.Sprint("conversions ", n, log.Status)] = func(ctx context.Context, r readers) (any, error) { return r.log.Conversions(ctx, log) }
		}
	}
	ofSale, ofSaleInCopy, err := Reader{Conn: h.d}.Conditions(h.t.Context(), h.account, []Filter{
		{Dimension: "country", Values: []string{"FR"}, Not: true},
		{Dimension: "status", Values: []string{"approved", "rejected"}},
		{Dimension: "goal", Values: []string{PlainGoal}},
	}, time.UTC, from, to)
	if err != nil {
		h.t.Fatal(err)
	}
	list["conversions by status and goal"] = func(ctx context.Context, r readers) (any, error) {
		return r.log.Conversions(ctx, click.LogQuery{
			AccountID: h.account, From: from, To: time.Now().Add(time.Hour), Limit: 20, Offset: 3, Where: ofSale, WhereInCopy: ofSaleInCopy,
		})
	}
	for n, id := range append(h.order[:40:40], uuid.New(), models.FloorClickID(from)) {
		list[fmt.Sprint("click ", n)] = func(ctx context.Context, r readers) (any, error) {
			c, err := r.log.FindClick(ctx, h.account, id)
			if errors.Is(err, models.NotFound("click")) {
				err = nil
			}
			return c, err
		}
		list[fmt.Sprint("click by id ", n)] = func(ctx context.Context, r readers) (any, error) {
			c, ok, err := r.log.FindByID(ctx, id)
			return fmt.Sprint(c.ID, ok, c.Country, c.Cost, c.At.UTC()), err
		}
	}
	list["clicks by ids"] = func(ctx context.Context, r readers) (any, error) {
		return r.log.FindByIDs(ctx, h.account, h.order[:50])
	}
	list["a click of another account"] = func(ctx context.Context, r readers) (any, error) {
		_, err := r.log.FindClick(ctx, uuid.New(), h.order[0])
		return errors.Is(err, models.NotFound("click")), nil
	}
	list["export"] = func(ctx context.Context, r readers) (any, error) {
		var rows []string
		err := r.exports.Each(ctx, export.Clicks, export.Query{AccountID: h.account, From: q.From, To: q.To}, func(cells []sql.RawBytes) error {
			rows = append(rows, strings.Join(db.Map(cells, func(c sql.RawBytes) string { return string(c) }), "|"))
			return nil
		})
		return rows, err
	}
	for _, most := range []int{50, 10_000} {
		list[fmt.Sprint("number of exported clicks, counted up to ", most)] = func(ctx context.Context, r readers) (any, error) {
			return r.exports.Count(ctx, export.Clicks, export.Query{AccountID: h.account, From: q.From, To: q.To}, most)
		}
	}
	for _, newest := range []int{3, 40, 90, 1000} {
		list[fmt.Sprint("walk over the newest clicks, at most ", newest)] = func(ctx context.Context, r readers) (any, error) {
			walk := click.CampaignClicks{
				AccountID: h.account, CampaignID: h.ids["campaign"][0], TimeRange: models.TimeRange{From: q.From, To: q.To}, Newest: newest,
			}
			var ids []uuid.UUID
			more, err := r.log.Walk(ctx, walk, func(c *click.StoredClick) { ids = append(ids, c.ID) })
			return fmt.Sprint(more, ids), err
		}
	}
	list["visitors of the days"] = func(ctx context.Context, r readers) (any, error) {
		return r.reports.VisitorsSince(ctx, h.account, from, to)
	}
	return list
}

var alike = cmp.Options{
	cmp.Comparer(decimal.Decimal.Equal), cmp.Comparer(time.Time.Equal), cmp.Comparer(func(a, b decimal.NullDecimal) bool {
		return a.Valid == b.Valid && a.Decimal.Equal(b.Decimal)
	}), cmp.Comparer(func(a, b uuid.UUID) bool { return a == b }),
	cmp.Comparer(func(a, b models.Visitor) bool { return a == b }),
}

// TestColdDays sends the same queries before and after the clicks of some and of all days have left PostgreSQL, and compares the
// answers. Without ClickHouse, a query about cold days is answered correctly or refused.
func TestColdDays(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	clickhousetest.Server(t)
	h := newHistoryEnv(t, 21)
	today := h.start.Truncate(day)
	from := today.AddDate(0, 0, -5)
	storeClicks(t, h, from, today, 300)
	var e engines
	copied := e.newCopy(t, h.d)
	questions, want := coldQueries(h, from, today), map[string]any{}
	postgresOnly := readersOf(h.d, nil)
	for name, ask := range questions {
		var err error
		if want[name], err = ask(t.Context(), postgresOnly); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	check := func(what string) {
		t.Helper()
		for name, ask := range questions {
			got, err := ask(t.Context(), readersOf(h.d, copied))
			if diff := cmp.Diff(want[name], got, alike); diff != "" || err != nil {
				t.Errorf("%s: %s: %v, before (-) and now (+): %s", what, name, err, diff)
			}
		}
	}
	check("nothing is cold")
	if lost, err := click.UnavailableCopy(t.Context(), h.d); lost != nil || err != nil {
		t.Error("UnavailableCopy returned a reader although PostgreSQL has all clicks", err)
	}
	h.freeze(from, from.AddDate(0, 0, 3))
	check("three days are cold")
	lost, err := click.UnavailableCopy(t.Context(), h.d)
	if lost == nil || err != nil {
		t.Fatal("UnavailableCopy returned no reader although days are cold", err)
	}
	away := click.NewCopyReader(silent{})
	for what, copied := range map[string]*click.CopyReader{"ClickHouse is away": away, "CLICKS_URL is missing": lost} {
		refused := 0
		for name, ask := range questions {
			got, err := ask(t.Context(), readersOf(h.d, copied))
			if err == nil {
				if diff := cmp.Diff(want[name], got, alike); diff != "" {
					t.Errorf("%s: %s, before (-) and now (+): %s", what, name, diff)
				}
			} else if refused++; !errors.Is(err, models.Errorf(models.KindUnavailable, "unavailable", "")) {
				t.Errorf("%s: %s: %v, want an answer or the error unavailable", what, name, err)
			}
		}
		if refused < 20 || refused > len(questions)-20 {
			t.Errorf("%s: %d of %d queries were refused, want at least 20 refused and 20 answered", what, refused, len(questions))
		}
	}
	for name, ask := range coldQueries(h, from.AddDate(0, 0, 3), today) {
		if _, err := ask(t.Context(), readersOf(h.d, away)); err != nil && !strings.HasPrefix(name, "conversions") && !strings.HasPrefix(name, "click") {
			t.Errorf("while ClickHouse is unavailable: %s of days that are not cold: %v", name, err)
		}
	}
	h.freeze(from.AddDate(0, 0, 3), today.AddDate(0, 0, 1))
	check("all days are cold")
}

// TestClusterAnswers checks that a cluster of two shards answers about cold days as PostgreSQL did before.
func TestClusterAnswers(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	clickhousetest.Cluster(t)
	h := newHistoryEnv(t, 22)
	today := h.start.Truncate(day)
	from := today.AddDate(0, 0, -3)
	storeClicks(t, h, from, today, 200)
	questions, want := coldQueries(h, from, today), map[string]any{}
	for name, ask := range questions {
		var err error
		if want[name], err = ask(t.Context(), readersOf(h.d, nil)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	copied := (&engines{cluster: true}).newCopy(t, h.d)
	h.freeze(from, today.AddDate(0, 0, 1))
	for name, ask := range questions {
		got, err := ask(t.Context(), readersOf(h.d, copied))
		if diff := cmp.Diff(want[name], got, alike); diff != "" || err != nil {
			t.Errorf("%s: %v, PostgreSQL (-) and the cluster (+): %s", name, err, diff)
		}
	}
}

func (h *historyEnv) freeze(from, to time.Time) {
	h.t.Helper()
	dbtest.Exec(h.t, h.d, `UPDATE click_copy SET cold_before = $1`, to.Format(time.DateOnly))
	for ; from.Before(to); from = from.AddDate(0, 0, 1) {
		name := "clicks_p" + from.Format("20060102")
		dbtest.Exec(h.t, h.d, `DO $$ BEGIN IF to_regclass('`+name+`') IS NOT NULL THEN TRUNCATE `+name+`; END IF; END $$`)
		dbtest.Exec(h.t, h.d, `INSERT INTO click_cold (day) VALUES ($1) ON CONFLICT DO NOTHING`, from.Format(time.DateOnly))
	}
}

// silent is a ClickHouse server that cannot be reached.
type silent struct{}

// Each implements schema.Reader.
func (silent) Each(context.Context, string, func(func(...any) error) error, string, ...any) error {
	return errors.New("connection refused")
}

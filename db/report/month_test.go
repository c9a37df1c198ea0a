package report

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
)

// TestMonth creates a month of history: clicks, conversions, deletions, spend, corrections and compactions. It compares reports
// with a simple recount of the facts: by each dimension, by combinations, and over time in many time zones.
func TestMonth(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	if underRace {
		runWithoutRaceDetector(t)
		return
	}
	m := newMonthEnv(t)
	campaigns := m.pools[0].list
	a := &queryEnv{monthEnv: m}
	began := time.Now()
	for _, part := range []struct {
		name string
		run  func()
	}{
		{"clicks", func() { m.round(monthClicks * 6 / 10) }},
		{"compaction", func() { m.compact(1000) }},
		{"conversions", func() { m.recordConversions(monthConversions / 2) }},
		{"more clicks, some by visitors who return", func() { m.round(monthClicks * 3 / 10) }},
		{"compaction of a part", func() { m.compact(200) }},
		{"more conversions, and later reports about the first ones", func() { m.recordConversions(monthConversions / 2) }},
		{"deletions", func() {
			m.clear(campaigns[3], m.start, m.end)
			m.clear(campaigns[5], m.start.Add(100*time.Hour+7*time.Minute), m.start.Add(400*time.Hour))
		}},
		{"spend of some days", m.spends},
		{"a file of corrections", func() { m.correct(monthConversions / 4) }},
		{"compaction of the rest", func() { m.compact(1000) }},
		{"the last clicks", func() { m.round(monthClicks - monthClicks*6/10 - monthClicks*3/10) }},
		{"compaction of a part", func() { m.compact(300) }},
		{"late conversions", func() { m.recordConversions(monthConversions / 4) }},
		{"sums", func() {
			m.sumUp()
			dbtest.Exec(m, m.d, `ANALYZE ledger, ledger_rollups, conversions`)
			m.checkVariety()
		}},
	} {
		part.run()
		t.Logf("%6.1f s  %s", time.Since(began).Seconds(), part.name)
	}
	a.onBoth(func() {
		a.answers()
		if a.reader().Copy == nil && (a.ledger.Load() < 80 || a.rows.Load() < 200) {
			t.Error("too few answers came from the ledger, or too few from the rows")
		}
	})
	t.Logf("%d clicks, %d of them deleted, %d with conversions, %d amounts spent; %d answers from the ledger, %d from rows,"+
		" %d series over time, all as recounted", monthClicks, m.deleted, len(m.log), m.spent, a.ledger.Load(), a.rows.Load(),
		a.series.Load())
}

func (a *queryEnv) answers() {
	a.Helper()
	began := time.Now()
	for _, part := range []struct {
		name string
		run  func()
	}{
		{"every dimension alone", a.dimensions},
		{"combinations", a.combinations},
		{"trends", a.trends},
		{"totals", a.totals},
		{"orphans", a.orphans},
		{"addresses", a.addresses},
		{"logs", a.logs},
		{"what both engines answer", a.compareEngines},
	} {
		part.run()
		a.Logf("%6.1f s  %s", time.Since(began).Seconds(), part.name)
	}
}

// runWithoutRaceDetector runs the test in a process without the race detector. The race detector makes the test several times
// slower and finds nothing in its arithmetic.
func runWithoutRaceDetector(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "test", "-tags", "nomsgpack", "-count", "1", "-vet", "off", "-v", "-run",
		"^TestMonth$", ".").CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
}

// checkVariety checks that there are enough facts of every kind.
func (m *monthEnv) checkVariety() {
	m.Helper()
	var all sums
	m.within(m.start, m.end, nil, func(f *monthFact) { all.add(&f.total) })
	many, some := int64(monthClicks/30), int64(monthConversions/40)
	if len(m.facts)-len(m.alone)-m.sold != monthClicks || len(m.alone) < 2 || len(m.alone) == m.spent || m.deleted < monthClicks/300 ||
		all.bots < many || all.unique < many || all.outs < many ||
		all.charged < some/5 || all.rejected < some || all.pending < some || all.unique == all.clicks {
		m.Fatalf("the history has too few facts of a kind: %+v, %d deleted", all, m.deleted)
	}
	names := recordedDims()
	for i, d := range monthDims {
		if !slices.Contains(names, d.name) || len(m.pools[i].list) < 2 && d.name != "month" {
			m.Errorf("%s is not a dimension of facts, or the month has too few of its values: %d", d.name, len(m.pools[i].list))
		}
	}
	if len(names) != len(monthDims) {
		m.Errorf("facts have %d dimensions, but the month has values for %d", len(names), len(monthDims))
	}
}

// queryEnv sends queries and counts the answers by their source.
type queryEnv struct {
	*monthEnv
	ledger, rows, series atomic.Int64
}

// perform compares the answers from the ledger and from the rows with the recount.
func (a *queryEnv) perform(q Query) error {
	q.AccountID = a.account
	want := a.recount(q)
	if len(q.Dimensions) == 0 && len(want) == 0 {
		want[""] = &both{}
	}
	in, err := Reader{Conn: a.d}.newQuery(a.Context(), q)
	if err != nil {
		return err
	}
	// The copy in ClickHouse has no ledger.
	ledgerAnswers := a.copied == nil && strings.Contains(in.write(postgres{}).statement(), "ledger")
	for _, q.FromRows = range fromRowsOrNot(ledgerAnswers) {
		list, err := a.reader().Performance(a.Context(), q)
		if err == nil {
			err = sameRows(q, maps.Clone(want), list)
		}
		if err != nil {
			return fmt.Errorf("%+v, compared with %v: %w", q, q.Compare, err)
		}
		if q.FromRows {
			a.rows.Add(1)
		} else {
			a.ledger.Add(1)
		}
	}
	return nil
}

func (a *queryEnv) dimensions() {
	a.Helper()
	names := recordedDims()
	a.atOnce(len(names), func(i int) error {
		return a.perform(Query{From: a.start, To: a.end, Dimensions: names[i : i+1]})
	})
}

// window returns a random stretch of time that begins in the month and may end after it. Most last some hours or days. Some last
// 31 days.
func (a *queryEnv) window() (from, to time.Time) {
	lengths := []time.Duration{90 * time.Minute, 7 * time.Hour, 30 * time.Hour, 75 * time.Hour, 10 * day, 31 * day}
	length := lengths[min(a.rnd.IntN(len(lengths)), a.rnd.IntN(len(lengths)))]
	from = a.start.Add(time.Duration(a.rnd.Int64N(int64(a.end.Sub(a.start)-length/2)/1e6)) * time.Millisecond)
	step := []time.Duration{time.Millisecond, time.Minute, time.Hour, day}[a.rnd.IntN(4)]
	return from.Truncate(step), from.Add(length).Truncate(step)
}

// filters returns random filters with values that clicks have, and sometimes an unknown value.
func (a *queryEnv) filters(names []string) []Filter {
	var list []Filter
	for range a.rnd.IntN(4) {
		x := Filter{Dimension: pickOf(a, names), Not: a.rnd.IntN(3) == 0}
		for range 1 + a.rnd.IntN(4) {
			at := place(x.Dimension)
			x.Values = append(x.Values, a.pools[at].list[pickOf(a, a.facts).values[at]])
		}
		if a.rnd.IntN(20) == 0 {
			x.Values = append(x.Values, "no such value")
		}
		list = append(list, x)
	}
	return list
}

func pickOf[T any](a *queryEnv, list []T) T { return list[a.rnd.IntN(len(list))] }

func (a *queryEnv) combinations() {
	a.Helper()
	n := 200
	if a.copied != nil { // queries of the copy read one table, so they have fewer plans
		n = longtest.Size(60, n)
	}
	questions := a.questions(n)
	a.atOnce(len(questions), func(i int) error { return a.perform(questions[i]) })
	a.labels()
}

// questions returns random queries. Half of them use dimensions of the ledger only.
func (a *queryEnv) questions(n int) []Query {
	names := recordedDims()
	var hourly []string
	for _, n := range names {
		if d, _ := find(n); d.inLedger() {
			hourly = append(hourly, n)
		}
	}
	questions := make([]Query, n)
	for i := range questions {
		q := &questions[i]
		q.From, q.To = a.window()
		from := names
		if i%2 == 0 {
			from = hourly
		}
		for range 1 + a.rnd.IntN(MaxDimensions) {
			if n := pickOf(a, from); !slices.Contains(q.Dimensions, n) {
				q.Dimensions = append(q.Dimensions, n)
			}
		}
		q.Filters = a.filters(from)
		if i%10 == 0 {
			q.Limit, q.Sort = 1+a.rnd.IntN(50), pickOf(a, monthSorts)
		}
		if i%7 == 0 {
			q.MinClicks = a.rnd.IntN(20)
		}
		q.Totals = i%4 == 0
		a.byClock(q, i)
	}
	return questions
}

// byClock gives some queries a time zone and a dimension of time, and some a comparison with another period.
func (a *queryEnv) byClock(q *Query, i int) {
	if i%3 == 0 {
		loc, err := time.LoadLocation(pickOf(a, monthZones))
		if err != nil {
			a.Fatal(err)
		}
		q.Zone, q.Dimensions[0] = loc, pickOf(a, []string{"date", "hour", "hour_of_day", "day_of_week", "month"})
		for slices.Contains(q.Dimensions[1:], q.Dimensions[0]) {
			q.Dimensions = q.Dimensions[:len(q.Dimensions)-1]
		}
		for n := range q.Filters { // the values must exist in the query's time zone
			if x := &q.Filters[n]; x.Dimension == "hour" || x.Dimension == "date" {
				x.Values = []string{localName(map[string]string{"hour": "hour", "date": "day"}[x.Dimension], q.From, loc)}
			}
		}
	}
	if i%5 == 0 {
		q.Compare = &models.TimeRange{}
		q.Compare.From, q.Compare.To = a.window()
	}
}

func (a *queryEnv) labels() {
	a.Helper()
	for _, name := range recordedDims() {
		if !store.HasLabels(name) {
			continue
		}
		values := a.pools[place(name)].list
		want := map[string]string{}
		for _, v := range values {
			if v != "" {
				want[v] = "name of " + v
			}
		}
		got, err := store.New(a.d, nil).Labels(a.Context(), a.account, name, values)
		if err != nil || !maps.Equal(got, want) {
			a.Errorf("labels of %s: %d, want %d, %v", name, len(got), len(want), err)
		}
	}
}

package report

import (
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/models"
	"switchyard/models/longtest"
)

var monthZones = []string{
	"UTC", "Europe/Berlin", "Australia/Sydney", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Chatham",
	"America/St_Johns", "Asia/Kolkata", "America/New_York", "Europe/London",
}

func (a *queryEnv) trends() {
	a.Helper()
	var questions []TrendQuery
	for _, name := range monthZones {
		for _, bucket := range Buckets {
			loc, err := time.LoadLocation(name)
			if err != nil {
				a.Fatal(err)
			}
			q := TrendQuery{Query{AccountID: a.account, From: a.start, To: a.end, Zone: loc}, bucket}
			questions = append(questions, q)
			q.From, q.To = a.window()
			q.Filters = a.filters(recordedDims())
			questions = append(questions, q)
		}
	}
	if a.copied != nil && !longtest.On() {
		a.rnd.Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
		questions = questions[:len(questions)/3]
	}
	a.atOnce(len(questions), func(i int) error {
		q := questions[i]
		fromRows := []bool{false}
		if q.To.Sub(q.From) < 20*day && a.copied == nil { // long windows are slow to read from the rows
			fromRows = append(fromRows, true)
		}
		for _, q.FromRows = range fromRows {
			if err := a.trend(q); err != nil {
				return fmt.Errorf("%s to %s by %s in %s, filters %v, from rows %v: %w", q.From, q.To, q.Bucket, q.Zone, q.Filters,
					q.FromRows, err)
			}
			a.series.Add(1)
		}
		return nil
	})
}

func (a *queryEnv) trend(q TrendQuery) error {
	list, err := a.reader().Trends(a.Context(), q)
	if err != nil {
		return err
	}
	want := map[string]*sums{}
	plain, keep := a.splitFilters(q.Query, q.From, q.To)
	a.within(q.From, q.To, plain, func(f *monthFact) {
		name := localName(q.Bucket, f.at, q.Zone)
		if want[name] == nil {
			want[name] = &sums{}
		}
		if keep(f) {
			want[name].add(&f.total)
		}
	})
	names := bucketNames(q.Bucket, q.From, q.To, q.Zone)
	if len(list) != len(names) {
		return fmt.Errorf("%d buckets, want %d", len(list), len(names))
	}
	for i, r := range list {
		s := want[names[i]]
		if s == nil {
			s = &sums{}
		}
		if got := sumsOf(r.Figures); r.Label != names[i] || got != *s {
			return fmt.Errorf("%q: %+v, want %q: %+v", r.Label, got, names[i], s)
		}
	}
	return nil
}

// totals checks that the overview, the time series and the performance report have the sums of the test's own facts.
func (a *queryEnv) totals() {
	a.Helper()
	for range 5 {
		from, to := a.window()
		var want sums
		a.within(from, to, nil, func(f *monthFact) { want.add(&f.total) })
		overview, err := a.reader().Totals(a.Context(), Query{AccountID: a.account, From: from, To: to})
		if err != nil {
			a.Fatal(err)
		}
		var days, groups models.Figures
		window := Query{AccountID: a.account, From: from, To: to}
		series, err := a.reader().Trends(a.Context(), TrendQuery{window, Day})
		if err != nil {
			a.Fatal(err)
		}
		for _, r := range series {
			days = days.Plus(r.Figures)
		}
		by := Query{AccountID: a.account, From: from, To: to, Dimensions: []string{"campaign_id", "city"}}
		if err := a.reader().Each(a.Context(), by, func(r Row) error { groups = groups.Plus(r.Figures); return nil }); err != nil {
			a.Fatal(err)
		}
		for name, got := range map[string]models.Figures{"overview": overview, "time series": days, "performance": groups} {
			if sumsOf(got) != want {
				a.Errorf("%s of %s to %s: %+v, want %+v", name, from, to, sumsOf(got), want)
			}
		}
	}
}

func (a *queryEnv) orphans() {
	a.Helper()
	ids := a.pools[place("campaign_id")].list[7:10] // any three campaigns
	for _, id := range ids {
		dbtest.Exec(a, a.d, `UPDATE campaigns SET deleted_at = now() WHERE id = $1`, id)
	}
	from, to := a.start.Add(77*time.Hour+13*time.Minute), a.end.Add(-50*time.Hour)
	list, err := a.reader().Orphans(a.Context(), a.account, from, to)
	if err != nil || len(list) != len(ids) {
		a.Fatalf("%d deleted campaigns have figures, %v, want %d", len(list), err, len(ids))
	}
	for _, o := range list {
		var want sums
		var first, last time.Time
		people := map[string]bool{}
		a.within(from, to, []Filter{{Dimension: "campaign_id", Values: []string{o.CampaignID.String()}}}, func(f *monthFact) {
			want.add(&f.total)
			if first.IsZero() {
				first = f.at
			}
			last = f.at
			if !f.bot {
				people[f.fingerprint] = true
			}
		})
		if sumsOf(o.Figures) != want || int(o.Visitors) != len(people) || !o.FirstSeen.Equal(first) || !o.LastSeen.Equal(last) {
			a.Errorf("a deleted campaign has %+v, want %+v, %d visitors, first seen %s, last seen %s", o, want, len(people), first, last)
		}
	}
	var want sums
	a.within(a.start, a.end, []Filter{{Dimension: "campaign_id", Values: ids}}, func(f *monthFact) { want.add(&f.total) })
	got, err := a.reader().Totals(a.Context(), Query{
		AccountID: a.account, From: a.start, To: a.end, Filters: []Filter{{Dimension: "campaign_id", Values: ids}},
	})
	if err != nil || sumsOf(got) != want {
		a.Errorf("totals of deleted campaigns: %+v, want %+v, %v", got, want, err)
	}
}

func (a *queryEnv) addresses() {
	a.Helper()
	from, to := a.start.Add(30*time.Hour), a.start.Add(300*time.Hour)
	ip, hits, bots := place("ip"), map[string]int64{}, map[string]int64{}
	a.within(from, to, nil, func(f *monthFact) {
		if v := a.pools[ip].list[f.values[ip]]; v != "" && !f.sold {
			hits[v]++
			bots[v] += f.total.bots
		}
	})
	maps.DeleteFunc(hits, func(_ string, n int64) bool { return n < 4 })
	list, err := a.reader().RepeatAddresses(a.Context(), AddressQuery{
		AccountID: a.account, From: from, To: to, MinHits: 4, Limit: len(hits) + 1,
	})
	if err != nil || len(list) != len(hits) {
		a.Fatalf("%d addresses, want %d, %v", len(list), len(hits), err)
	}
	for _, r := range list {
		if r.Hits != hits[r.IP] || r.BotClicks != bots[r.IP] {
			a.Errorf("%+v, want %d hits, %d bots", r, hits[r.IP], bots[r.IP])
		}
	}
	people, views := map[string]bool{}, int64(0)
	a.within(from, from.Add(time.Hour), nil, func(f *monthFact) {
		if !f.bot && !f.sold {
			people[f.fingerprint[36:]], views = true, views+1
		}
	})
	live, err := a.reader().VisitorsSince(a.Context(), a.account, from, from.Add(time.Hour))
	if err != nil || live.Views != views || int(live.Visitors) != len(people) {
		a.Errorf("visitors of an hour: %+v, want %d views by %d visitors, %v", live.Presence, views, len(people), err)
	}
}

// logs checks the clicks of two days in the click log, and the sums over the whole conversion log.
func (a *queryEnv) logs() {
	a.Helper()
	q := click.LogQuery{AccountID: a.account, From: a.start.Add(47 * time.Hour), To: a.start.Add(95 * time.Hour), Limit: 1e6}
	clicks, err := click.Log{Conn: a.d}.Clicks(a.Context(), q)
	if err != nil {
		a.Fatal(err)
	}
	facts := map[uuid.UUID]*monthFact{}
	a.within(q.From, q.To, nil, func(f *monthFact) {
		if f.alone == 0 && !f.sold {
			facts[f.id] = f
		}
	})
	if len(facts) != len(clicks) {
		a.Errorf("%d clicks in the log, want %d", len(clicks), len(facts))
	}
	for _, c := range clicks {
		f := facts[c.ID]
		if f == nil || c.IsUnique != f.unique || units(c.Cost) != f.cost || c.City != a.pools[place("city")].list[f.values[place("city")]] ||
			models.IDText(c.OfferID) != a.pools[place("offer_id")].list[f.values[place("offer_id")]] {
			a.Fatalf("a click in the log is %+v, want %+v", c, f)
		}
	}
	q.From, q.To = a.start, a.end.AddDate(0, 1, 0)
	conversions, err := click.Log{Conn: a.d}.Conversions(a.Context(), q)
	if err != nil {
		a.Fatal(err)
	}
	var got, want sums
	for _, v := range conversions {
		n := map[string]*int64{
			"approved": &got.approved, "pending": &got.pending, "rejected": &got.rejected, "chargeback": &got.charged,
		}[v.Status]
		if *n++; v.Status == "approved" {
			got.revenue += units(v.Payout)
		}
	}
	a.within(a.start, a.end, nil, func(f *monthFact) { want.add(&f.total) })
	want = sums{approved: want.approved, pending: want.pending, rejected: want.rejected, charged: want.charged, revenue: want.revenue}
	if got != want {
		a.Errorf("the conversion log has %+v, want %+v", got, want)
	}
}

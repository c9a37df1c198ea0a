package report

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/dbtest"
	"switchyard/db/retention"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
)

// nights lists stretches of time. In most of them, a clock does something unusual.
var nights = []struct{ zone, from, to string }{
	{"UTC", "2026-02-27 00:00:00", "2026-03-02 00:00:00"},
	{"Europe/Berlin", "2026-03-27 22:30:00", "2026-03-31 01:15:00"},
	{"Europe/Berlin", "2026-10-23 00:00:00", "2026-10-27 00:00:00"},
	{"Australia/Lord_Howe", "2026-04-03 00:00:00", "2026-04-06 05:00:00"}, // a clock change of half an hour
	{"Australia/Lord_Howe", "2026-10-02 00:00:00", "2026-10-05 00:00:00"},
	{"Asia/Kathmandu", "2026-06-29 00:00:00", "2026-07-02 00:00:00"}, // 5:45 ahead
	{"America/St_Johns", "2026-03-06 00:00:00", "2026-03-10 00:00:00"},
	{"America/St_Johns", "2010-11-06 00:00:00", "2010-11-08 12:00:00"},  // the clock goes back at 00:01, so a day begins twice
	{"America/Sao_Paulo", "2018-11-03 00:00:00", "2018-11-05 12:00:00"}, // a day without midnight
	{"Pacific/Apia", "2011-12-28 00:00:00", "2012-01-02 00:00:00"},      // a day that was skipped
	{"Europe/Berlin", "2040-12-30 12:00:00", "2041-01-01 12:00:00"},     // the last day of a leap year far ahead
	{"Australia/Lord_Howe", "2044-12-31 11:30:00", "2045-01-01 00:30:00"},
	{"Africa/Monrovia", "1972-01-05 00:00:00", "1972-01-09 00:00:00"}, // an offset with seconds
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateTime, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// TestSpansFollowTheClock checks that each moment of a span has the span's name in local time. Offsets are multiples of half a
// minute, so steps of 15 seconds reach every span.
func TestSpansFollowTheClock(t *testing.T) {
	t.Parallel()
	step := longtest.Size(15*time.Second, time.Second)
	for _, n := range nights {
		from, to, loc := moment(t, n.from), moment(t, n.to), zone(t, n.zone)
		for bucket, g := range grains {
			cuts, at := spans(from, to, loc, g, 1000), -1
			var where []string
			for now := from; now.Before(to); now = now.Add(step) {
				for at+1 < len(cuts) && !cuts[at+1].start.After(now) {
					at++
				}
				if want := g.label(now.In(loc)); at < 0 || cuts[at].label != want {
					where = append(where, now.String()+" "+want)
				}
			}
			for i := 1; i < len(cuts); i++ {
				if cuts[i].label == cuts[i-1].label || !cuts[i].start.After(cuts[i-1].start) {
					t.Errorf("%s by %s: span %v follows %v, want a later start and another label", n.zone, bucket, cuts[i], cuts[i-1])
				}
			}
			if len(where) > 0 {
				t.Errorf("%s by %s: %d moments lie in another span, such as %s", n.zone, bucket, len(where), where[0])
			}
		}
	}
	if got := spans(moment(t, nights[0].from), moment(t, nights[0].to), time.UTC, grains[Hour], 10); got != nil {
		t.Errorf("%d spans, want nil because there are more than 10", len(got))
	}
}

// storeClicks stores n random clicks with sales in a window.
func storeClicks(t *testing.T, h *historyEnv, from, to time.Time, n int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(uint64(n), 3))
	for range n {
		id := models.NewClickID()
		floor := models.FloorClickID(from.Add(time.Duration(rnd.Int64N(int64(to.Sub(from))))))
		copy(id[:6], floor[:6])
		c := models.Click{
			ID: id, AccountID: h.account, CampaignID: pick(h, h.ids["campaign"]),
			Visitor: models.Visitor{Country: pick(h, []string{"DE", "FR"}), IsBot: rnd.IntN(5) == 0, City: "Paris"}, Cost: h.money(4), UniqueHours: 1e6, UniqueKey: [16]byte(uuid.New()),
		}
		h.facts[c.ID] = &fact{click: c, convs: map[string]*sale{}}
		h.order = append(h.order, c.ID)
		h.queue = append(h.queue, spool.Record{Click: &c})
	}
	for len(h.queue) > 0 {
		h.flush()
	}
	for range n / 2 {
		h.convert()
	}
}

// recount adds up the figures of a query, by label, from the facts of the history.
func recount(h *historyEnv, q TrendQuery) map[string]models.Figures {
	sums := map[string]models.Figures{}
	for _, f := range h.facts {
		at := models.ClickTime(f.click.ID)
		if at.Before(q.From) || !at.Before(q.To) {
			continue
		}
		if len(q.Filters) > 0 && f.value(q.Filters[0].Dimension) != q.Filters[0].Values[0] {
			continue
		}
		label := grains[q.Bucket].label(at.In(q.Zone))
		sums[label] = sums[label].Plus(f.figures())
	}
	return sums
}

// TestTrendsEqualARecount compares trends around the last change of the clock with a recount, in several zones.
func TestTrendsEqualARecount(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	for _, name := range []string{
		"UTC", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns", "Pacific/Chatham",
	} {
		before := time.Now()
		for i := range longtest.Size(1, 2) { // the last nights of clock changes
			loc := zone(t, name)
			at := change(before, loc)
			before = at
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				t.Parallel()
				h := newHistoryEnv(t, 11)
				from, to := at.Add(-40*time.Hour), at.Add(32*time.Hour)
				storeClicks(t, h, from.Add(-6*time.Hour), to.Add(6*time.Hour), 300)
				h.engines.onBoth(t, h.d, func(t *testing.T, r Reader) {
					t.Helper()
					h.reader = r
					for _, bucket := range Buckets {
						for _, filters := range [][]Filter{nil, {{Dimension: "country", Values: []string{"DE"}}}, {{Dimension: "city", Values: []string{"Paris"}}}} {
							q := TrendQuery{Query{
								AccountID: h.account, From: from.Add(7 * time.Minute), To: to.Add(11 * time.Second), Filters: filters,
								Zone: loc,
							}, bucket}
							for _, q.FromRows = range fromRowsOrNot(r.Copy == nil) {
								sameTrends(t, h, q)
							}
						}
					}
				})
			})
		}
	}
}

// change returns the last clock change of a zone that is at least three days before the given time. For a zone without recent
// changes, it returns the time five days before the given one.
func change(before time.Time, loc *time.Location) time.Time {
	start, _ := before.Add(-3 * 24 * time.Hour).In(loc).ZoneBounds()
	if before.Sub(start) > 400*24*time.Hour {
		return before.Add(-5 * 24 * time.Hour).Truncate(time.Second).UTC()
	}
	return start.UTC()
}

func sameTrends(t *testing.T, h *historyEnv, q TrendQuery) {
	t.Helper()
	list, err := h.reader.Trends(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	want, got := recount(h, q), map[string]models.Figures{}
	for _, r := range list {
		if _, twice := got[r.Label]; twice {
			t.Errorf("the bucket %s occurs twice", r.Label)
		}
		got[r.Label] = r.Figures
		if _, busy := want[r.Label]; !busy {
			want[r.Label] = models.Figures{}
		}
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
		t.Errorf("%s by %s, filters %v, rows only %v (-model +report): %s", q.Zone, q.Bucket, q.Filters, q.FromRows, diff)
	}
}

// TestBucketsOfNights checks the number of buckets and the names of the last three, mostly in nights of clock changes.
func TestBucketsOfNights(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	list := func(from, to, name, bucket string) string {
		t.Helper()
		trends, err := Reader{Conn: d}.Trends(t.Context(), TrendQuery{
			Query{AccountID: uuid.New(), From: moment(t, from), To: moment(t, to), Zone: zone(t, name)}, bucket,
		})
		if err != nil {
			t.Fatal(err)
		}
		var labels []string
		for _, r := range trends {
			labels = append(labels, r.Label)
		}
		return fmt.Sprint(len(labels), " ", strings.Join(labels[max(0, len(labels)-3):], ", "))
	}
	for want, got := range map[string]string{
		"23 2026-03-29 21:00:00+02:00, 2026-03-29 22:00:00+02:00, 2026-03-29 23:00:00+02:00": list(
			"2026-03-28 23:00:00", "2026-03-29 22:00:00", "Europe/Berlin", Hour),
		"25 2026-10-25 21:00:00+01:00, 2026-10-25 22:00:00+01:00, 2026-10-25 23:00:00+01:00": list(
			"2026-10-24 22:00:00", "2026-10-25 23:00:00", "Europe/Berlin", Hour),
		"3 2010-11-06, 2010-11-07, 2010-11-08": list("2010-11-06 02:30:00", "2010-11-09 03:30:00", "America/St_Johns", Day),
		"3 2011-12-29, 2011-12-31, 2012-01-01": list("2011-12-29 12:00:00", "2012-01-01 09:00:00", "Pacific/Apia", Day),
		"2 2026-10, 2026-11":                   list("2026-10-31 22:59:59", "2026-11-20 00:00:00", "Europe/Berlin", Month),
		"7 5, 6, 7":                            list("2026-10-31 22:59:59", "2026-11-01 00:00:00", "UTC", Weekday),
		"168 7 21:00, 7 22:00, 7 23:00":        list("2026-10-31 22:59:59", "2026-11-01 00:00:00", "UTC", WeekdayHour),
	} {
		if got != want {
			t.Errorf("number of buckets and names of the last three: %s, want %s", got, want)
		}
	}
}

// TestTrendsOfAllTime checks that a window of thousands of years is cut to the hours with traffic.
func TestTrendsOfAllTime(t *testing.T) {
	t.Parallel()
	h := newHistoryEnv(t, 4)
	storeClicks(t, h, h.start, h.start.Add(5*time.Hour), 30)
	all := TrendQuery{Query: Query{
		AccountID: h.account, From: moment(t, "1970-01-01 00:00:00"), To: moment(t, "9999-12-31 23:59:59"),
	}}
	for _, all.Bucket = range Buckets {
		all.Zone = zone(t, "Asia/Kathmandu")
		list, err := h.reader.Trends(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		var sum models.Figures
		for _, r := range list {
			sum = sum.Plus(r.Figures)
		}
		if sum.Clicks+sum.BotClicks != 30 || len(list) > 168 && all.Bucket != Month {
			t.Errorf("%s: %d buckets with %+v, want 30 clicks in at most 168 buckets", all.Bucket, len(list), sum)
		}
	}
	all.AccountID = uuid.New()
	if list, err := h.reader.Trends(t.Context(), all); err != nil || len(list) != 168 {
		t.Errorf("an account without traffic: %d hours of the week (%v), want 168", len(list), err)
	}
	all.Bucket = "fortnight"
	if _, err := h.reader.Trends(t.Context(), all); !errors.Is(err, models.Invalid("invalid_bucket", "")) {
		t.Errorf("a bucket that does not exist: %v, want the error invalid_bucket", err)
	}
}

// TestTrendsOfTenYears checks a query with almost as many spans as are allowed.
func TestTrendsOfTenYears(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	h := newHistoryEnv(t, 6)
	storeClicks(t, h, h.start, h.start.Add(5*time.Hour), 40)
	h.onBoth(func() {
		q := TrendQuery{Query{
			AccountID: h.account, From: h.start.AddDate(-10, 0, 0), To: h.start.Add(6 * time.Hour), Zone: zone(h.t, "Asia/Kathmandu"), FromRows: true,
		}, WeekdayHour}
		list, err := h.reader.Trends(h.t.Context(), q)
		if err != nil {
			h.t.Fatal(err)
		}
		want := recount(h, q)
		for _, r := range list {
			if diff := cmp.Diff(want[r.Label], r.Figures, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
				h.t.Errorf("%s (-model +report): %s", r.Label, diff)
			}
		}
	})
}

// TestTrendsOfTheArchive checks that an hour that is only in the ledger counts completely in one bucket of every zone.
func TestTrendsOfTheArchive(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	h := newHistoryEnv(t, 5)
	from, to := h.start.Truncate(24*time.Hour).AddDate(0, 0, -4), h.start.Truncate(24*time.Hour)
	storeClicks(t, h, from, to, 200)
	if n, err := retention.DeleteBefore(t.Context(), h.d, from.AddDate(0, 0, 2)); err != nil || n != 2 {
		t.Fatalf("%d days dropped, %v, want 2", n, err)
	}
	want, err := h.reader.Totals(t.Context(), Query{AccountID: h.account, From: from, To: to})
	if err != nil || want.Clicks+want.BotClicks != 200 {
		t.Fatalf("the totals are %+v, %v, want 200 clicks", want, err)
	}
	h.onBoth(func() { archived(h, from, to) })
}

// archived compares trends with the totals of the same days. The clicks of the first two days are deleted.
func archived(h *historyEnv, from, to time.Time) {
	h.t.Helper()
	t := h.t
	for _, bucket := range Buckets {
		for _, name := range []string{"UTC", "Asia/Kathmandu", "America/St_Johns"} {
			for _, end := range []time.Time{to, from.AddDate(0, 0, 1)} {
				want, err := h.reader.Totals(t.Context(), Query{AccountID: h.account, From: from, To: end})
				if err != nil {
					t.Fatal(err)
				}
				list, err := h.reader.Trends(t.Context(), TrendQuery{
					Query{AccountID: h.account, From: from, To: end, Zone: zone(t, name)}, bucket,
				})
				if err != nil {
					t.Fatal(err)
				}
				var sum models.Figures
				for _, r := range list {
					sum = sum.Plus(r.Figures)
				}
				if diff := cmp.Diff(want, sum, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
					t.Errorf("%s by %s until %v, totals (-) and trends (+): %s", name, bucket, end, diff)
				}
			}
		}
	}
}

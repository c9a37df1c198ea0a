package report

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/ledger"
	"switchyard/models"
	"switchyard/models/parttest"
)

// figures returns the model's figures of a click and its conversions.
func (f *fact) figures() models.Figures {
	var n models.Figures
	if !f.stored {
		return n
	}
	if f.click.IsBot {
		n.BotClicks = 1
	} else {
		n.Clicks, n.Cost = 1, f.click.Cost
		if f.unique {
			n.UniqueClicks, n.Cost = 1, n.Cost.Add(f.click.UniqueCost)
		}
		if f.click.LanderID != uuid.Nil {
			n.LPViews = 1
		}
		if len(f.hops) > 0 {
			n.LPClicks = 1
		}
	}
	for key, v := range f.convs {
		switch {
		case strings.HasPrefix(key, costPrefix):
		case v.status == "approved":
			n.Approved++
			n.Revenue, n.Cost = n.Revenue.Add(v.payout), n.Cost.Add(v.cost)
		case v.status == "pending":
			n.Pending++
			n.PendingRevenue = n.PendingRevenue.Add(v.payout)
		case v.status == "rejected":
			n.Rejected++
		case v.status == "chargeback":
			n.Chargebacks++
		}
	}
	return n
}

// value returns the model's value of a click in a dimension.
func (f *fact) value(dimension string) string {
	at := models.ClickTime(f.click.ID)
	c := f.click
	switch dimension {
	case "campaign_id":
		return models.IDText(c.CampaignID)
	case "stream_id":
		return models.IDText(c.StreamID)
	case "lander_id":
		return models.IDText(c.LanderID)
	case "offer_id":
		return models.IDText(f.offer())
	case "source_id":
		return models.IDText(c.SourceID)
	case "network_id":
		return models.IDText(f.last.NetworkID)
	case "lp_slot":
		if len(f.hops) > 0 {
			return strconv.Itoa(f.last.Slot)
		}
		return ""
	case "sub3":
		return c.Subs[2]
	case "hour_of_day":
		return strconv.Itoa(at.Hour())
	case "day_of_week":
		return strconv.Itoa((int(at.Weekday())+6)%7 + 1)
	}
	return map[string]string{
		"country": c.Country, "device_type": c.DeviceType, "os": c.OS, "browser": c.Browser,
		"city": c.City, "date": at.Format("2006-01-02"), "hour": at.Format("2006-01-02 15:00:00"),
		"month": at.Format("2006-01"),
	}[dimension]
}

// count returns the model's answer to a query.
func (h *historyEnv) count(q Query) map[string]models.Figures {
	sums := map[string]models.Figures{}
	for _, f := range h.facts {
		at := models.ClickTime(f.click.ID)
		if at.Before(q.From.Truncate(time.Millisecond)) || !at.Before(q.To.Truncate(time.Millisecond)) {
			continue
		}
		misses := func(x Filter) bool { return !slices.Contains(x.Values, f.value(x.Dimension)) }
		if slices.ContainsFunc(q.Filters, misses) {
			continue
		}
		var dims []string
		for _, d := range q.Dimensions {
			dims = append(dims, f.value(d))
		}
		key := strings.Join(dims, "|")
		sums[key] = sums[key].Plus(f.figures())
	}
	for k, f := range sums {
		if f.IsZero() && len(q.Dimensions) > 0 {
			delete(sums, k)
		}
	}
	return sums
}

// compare compares the answers from the ledger and from the rows with the model.
func (h *historyEnv) compare(q Query) {
	h.t.Helper()
	want := h.count(q)
	if len(q.Dimensions) == 0 && len(want) == 0 {
		want[""] = models.Figures{}
	}
	for _, rowsOnly := range fromRowsOrNot(h.reader.Copy == nil) {
		q.FromRows = rowsOnly
		rows, err := h.reader.Performance(h.t.Context(), q)
		if err != nil {
			h.t.Fatalf("%+v: %v", q, err)
		}
		got := map[string]models.Figures{}
		for _, r := range rows {
			got[strings.Join(r.Dims, "|")] = r.Figures
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
			h.t.Fatalf("%v by %v, filters %v, rows only %v (-model +report): %s", h.t.Name(), q.Dimensions, q.Filters,
				rowsOnly, diff)
		}
	}
}

// check compares reports with the model.
func (h *historyEnv) check() {
	h.t.Helper()
	all := Query{AccountID: h.account, From: h.start.Truncate(time.Hour)}
	all.To = all.From.Add(24 * time.Hour)
	names := []string{
		"campaign_id", "stream_id", "lander_id", "offer_id", "source_id", "country", "device_type", "os",
		"browser", "date", "hour", "hour_of_day", "day_of_week", "month", "network_id", "lp_slot", "city", "sub3",
	}
	h.compare(all)
	for _, name := range names {
		q := all
		q.Dimensions = []string{name}
		h.compare(q)
	}
	for range 12 {
		q := all
		q.From = h.start.Add(time.Duration(h.rnd.Int64N(int64(12 * time.Hour))))
		q.To = q.From.Add(time.Duration(h.rnd.Int64N(int64(12 * time.Hour))))
		q.Dimensions = []string{pick(h, names), pick(h, names)}
		f := h.facts[pick(h, h.order)]
		by := pick(h, names)
		q.Filters = []Filter{{Dimension: by, Values: []string{f.value(by)}}}
		h.compare(q)
	}
}

// TestLedgerEqualsRows checks that the ledger, the rows and a simple recount give the same figures, however the records arrive.
func TestLedgerEqualsRows(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			h := newHistoryEnv(t, seed)
			h.arrive()
			for range 250 {
				switch h.rnd.IntN(12) {
				case 0, 1, 2, 3:
					h.arrive()
				case 4, 5:
					h.clickOut()
				case 6, 7, 8, 9:
					h.convert()
				case 10:
					h.flush()
				case 11:
					if _, err := ledger.Compact(t.Context(), h.d, time.Now(), h.rnd.IntN(5)); err != nil {
						t.Fatal(err)
					}
				}
			}
			h.onBoth(h.check)
			for len(h.queue) > 0 {
				h.flush()
			}
			h.onBoth(h.check)
			for {
				if n, err := ledger.Compact(t.Context(), h.d, time.Now().Add(time.Hour), 1000); err != nil {
					t.Fatal(err)
				} else if n == 0 {
					break
				}
			}
			h.check() // not on both engines: compacting changes only the ledger
			var left int
			const waiting = `SELECT count(*) FROM click_hops WHERE NOT applied`
			if err := h.d.GetContext(t.Context(), &left, waiting); err != nil || left > 0 {
				t.Errorf("%d click-outs are not applied to their clicks, %v", left, err)
			}
		})
	}
}

package click

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/store"
)

// foreignBench returns a handler for 100 campaigns on a domain of their account, with a number of foreign links to them. A foreign
// link is a link of the account's old tracker.
func foreignBench(b *testing.B, links int) *Handler {
	b.Helper()
	records := benchRouting(100)
	campaigns := campaignsOf(records)
	account := campaigns[0].AccountID
	store.RoutingRows[*store.RoutingDomain](records)[0].AccountID = uuid.NullUUID{UUID: account, Valid: true}
	for i := range links {
		records.Rows = append(records.Rows, &store.RoutingForeignLink{
			ID: uuid.New(), AccountID: account, Form: "path", ForeignID: fmt.Sprint("old~", i), CampaignID: campaigns[i%100].ID,
		})
	}
	return handlerOf(b, nowhere{}, records)
}

// BenchmarkRedirectForeign measures three links: a link of this service in a snapshot without foreign links, the same link in a
// snapshot with 10,000 foreign links, and one of these foreign links. The metrics with/without and foreign/without are the median
// rates of the second and the third link, as fractions of the first link's median rate.
func BenchmarkRedirectForeign(b *testing.B) {
	const batch = 20
	own, foreign := benchRequest(), benchRequest()
	foreign.URL.Path = "/old~7007"
	without, with := foreignBench(b, 0), foreignBench(b, 10_000)
	turns := []struct {
		h    *Handler
		r    *http.Request
		took []time.Duration
	}{{h: without, r: own}, {h: with, r: own}, {h: with, r: foreign}}
	w := &discard{http.Header{}}
	b.ResetTimer()
	for i := range b.N {
		for k := range turns {
			t := &turns[(i+k)%len(turns)]
			start := time.Now()
			for range batch {
				clear(w.h)
				t.h.ServeHTTP(w, t.r)
				if w.h["Location"] == nil {
					b.Fatal("no redirect")
				}
			}
			t.took = append(t.took, time.Since(start))
		}
	}
	median := func(k int) float64 {
		slices.Sort(turns[k].took)
		return float64(turns[k].took[len(turns[k].took)/2])
	}
	b.ReportMetric(median(0)/median(1), "with/without")
	b.ReportMetric(median(0)/median(2), "foreign/without")
	b.ReportMetric(median(0)/batch, "ns/redirect")
}

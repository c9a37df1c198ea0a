package click

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/click/visitor"
	"switchyard/api/routing"
	"switchyard/db/spool"
	"switchyard/db/store"
)

// nowhere is a spool that discards all records.
type nowhere struct{}

func (nowhere) Append(context.Context, spool.Record) error { return nil }

// benchRouting returns the records of a snapshot: campaigns of 20 paths with three conditions each, on one shared domain.
func benchRouting(campaigns int) *store.Routing {
	r := &store.Routing{}
	account, domain := uuid.New(), uuid.New()
	r.Rows = append(r.Rows, &store.RoutingAccount{ID: account, Timezone: "Europe/Berlin"})
	r.Rows = append(r.Rows, &store.RoutingDomain{ID: domain, Host: sharedHost})
	var dest []m
	for i := range 10 {
		id := uuid.New()
		r.Rows = append(r.Rows, &store.RoutingOffer{
			ID: id, AccountID: account, Name: fmt.Sprint("offer ", i),
			IsActive: true, URL: "https://offer.test/p?c={clickid}&s={sub1}&g={country}&z={sub2}",
		})
		dest = append(dest, to(id))
	}
	var paths []m
	for i := range 20 {
		browser := "None"
		if i == 19 {
			browser = "Chrome" // only the last path matches benchRequest
		}
		paths = append(paths, path("offer", m{"stream_type": "regular", "filters": []m{
			{"attribute": "country", "operator": "in", "value": []string{"US", "DE", "FR"}},
			{"attribute": "device_type", "operator": "equals", "value": "desktop"},
			{"attribute": "browser", "operator": "equals", "value": browser},
		}}, dest[i%10], dest[(i+1)%10]))
	}
	streams, _ := json.Marshal(paths)
	for i := range campaigns {
		r.Rows = append(r.Rows, &store.RoutingCampaign{
			ID: uuid.New(), AccountID: account, DomainID: domain,
			Alias: fmt.Sprint("campaign-", i), Status: "active", FlowRotation: "position", BindVisitors: "none",
			UniquenessMethod: "ip_ua", UniquenessTTLHours: 24, Streams: streams,
		})
	}
	return r
}

func campaignsOf(r *store.Routing) []*store.RoutingCampaign {
	return store.RoutingRows[*store.RoutingCampaign](r)
}

// handlerOf returns a Handler that routes by the given records, without PostgreSQL.
func handlerOf(tb testing.TB, s Recorder, r *store.Routing) *Handler {
	tb.Helper()
	v, err := describer()
	if err != nil {
		tb.Fatal(err)
	}
	h, err := New(tb.Context(), depsOn(unreachableDB(tb), s, v, ""))
	if err != nil {
		tb.Fatal(err)
	}
	h.routes.Publish(routing.Compile(r))
	return h
}

// discard is a response writer that discards the answer.
type discard struct{ h http.Header }

func (d *discard) Header() http.Header         { return d.h }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

func benchRequest() *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/campaign-7?sub1=abc&sub2=d%20e&sub3=4711&utm=x", nil)
	r.Host, r.RemoteAddr = sharedHost, "8.8.8.8:4000"
	r.Header.Set("User-Agent", chrome)
	r.Header.Set("Accept", visitor.Accept(chrome))
	r.Header.Set("Accept-Language", "en-US,en;q=0.9")
	return r
}

// BenchmarkRedirect measures a tracking link without the network: describing the visitor, 20 paths of three conditions, tokens
// and cookies.
func BenchmarkRedirect(b *testing.B) {
	spool := func(b *testing.B) Recorder {
		b.Helper()
		s, err := spool.Open(b.TempDir(), spool.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() })
		return s
	}
	for name, open := range map[string]func(*testing.B) Recorder{
		"memory": func(*testing.B) Recorder { return nowhere{} }, "spool": spool,
	} {
		b.Run(name, func(b *testing.B) {
			h := handlerOf(b, open(b), benchRouting(100))
			b.SetParallelism(32) // 64 goroutines on two processors
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				r, w := benchRequest(), &discard{http.Header{}}
				for pb.Next() {
					clear(w.h)
					h.ServeHTTP(w, r)
					if w.h["Location"] == nil {
						b.Error("no redirect")
						return
					}
				}
			})
		})
	}
}

// BenchmarkSnapshotUpdate measures how long a snapshot of 10,000 campaigns with 21 paths each takes to apply one change.
func BenchmarkSnapshotUpdate(b *testing.B) {
	r := benchRouting(10_000)
	rule := &store.RoutingRule{ID: uuid.New(), AccountID: r.Rows[0].Head().ID, Conditions: json.RawMessage(
		`[{"attribute": "city", "operator": "in", "value": ["Berlin", "Hamburg", "Munich"]}]`)}
	r.Rows = append(r.Rows, rule)
	first, _ := json.Marshal(rulePath("https://rule.test/", rule.ID))
	for _, c := range campaignsOf(r) {
		c.Streams = slices.Concat([]byte{'['}, first, []byte{','}, c.Streams[1:])
	}
	s := routing.Compile(r)
	change := map[string]store.RoutingRow{
		"campaign": campaignsOf(r)[5000], "offer": store.RoutingRows[*store.RoutingOffer](r)[0], "rule": rule,
	}
	for name, row := range change {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s = s.Update([]store.RoutingKey{row.Head().RoutingKey}, &store.Routing{Rows: []store.RoutingRow{row}})
			}
		})
	}
}

package click

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/google/uuid"
)

// differingStreams returns a flow of a default path and 19 other paths, which have three conditions each.
func differingStreams(campaign int) json.RawMessage {
	countries := []string{"US", "DE", "FR", "BR", "IN", "JP", "ES", "IT", "GB", "NL", "PL", "SE"}
	var paths []m
	for i := range 19 {
		at := (campaign + i) % len(countries)
		paths = append(paths, path("redirect", m{"id": uuid.NewString(), "filters": []m{
			{"attribute": "country", "operator": "in", "value": countries[at:min(at+1+i%6, len(countries))]},
			{"attribute": "browser_version", "operator": "gte", "value": strconv.Itoa(50 + i + campaign%7)},
			{"attribute": "user_agent", "operator": "not_contains", "value": fmt.Sprint("pixel ", i, campaign)},
		}}, m{"url": "https://offer.example/landing?cid={clickid}&p=" + strconv.Itoa(i)}))
	}
	paths = append(paths, path("redirect", m{"stream_type": "default"}, m{"url": "https://offer.example/?cid={clickid}"}))
	streams, _ := json.Marshal(paths)
	return streams
}

// BenchmarkRedirectMany measures redirects of 10 campaigns and of 10,000. With 10,000, no campaign is still in the processor's caches
// when its turn comes.
func BenchmarkRedirectMany(b *testing.B) {
	addresses := []string{
		"8.8.8.8:1", "5.9.1.1:1", "91.121.0.1:1", "200.147.3.1:1", "49.205.1.1:1", "133.1.1.1:1", "41.0.0.1:1", "1.1.1.1:1",
		"196.1.1.1:1", "190.1.1.1:1",
	}
	for _, n := range []int{10, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			records := benchRouting(n)
			for i, c := range campaignsOf(records) {
				c.Streams = differingStreams(i)
			}
			h := handlerOf(b, nowhere{}, records)
			requests := make([]*http.Request, 20_000)
			const stride = 7919 // a prime: the requests reach all campaigns, in no order that the caches could use
			for i := range requests {
				r := benchRequest()
				r.URL.Path, r.RemoteAddr = fmt.Sprint("/campaign-", i*stride%n), addresses[i%len(addresses)]
				requests[i] = r
			}
			w := &discard{http.Header{}}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				clear(w.h)
				h.ServeHTTP(w, requests[i%len(requests)])
				if w.h["Location"] == nil {
					b.Fatal("no redirect")
				}
			}
		})
	}
}

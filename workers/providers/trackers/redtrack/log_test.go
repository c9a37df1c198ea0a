package redtrack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/redtrack"
	"switchyard/workers/providers/trackers/redtrack/redtracktest"
)

// TestLogIsPaged has a clock of its own, so it does not wait for RedTrack's limit of 20 requests a minute.
func TestLogIsPaged(t *testing.T) {
	t.Parallel()
	const rows = 2*redtrack.RowsPerPage + 10
	var tracks []map[string]any
	for i := range rows {
		tracks = append(tracks, map[string]any{
			"id": fmt.Sprint("t", i), "campaign_id": redtracktest.ID(5, 1), "track_time": "2026-11-20 10:00:00", "sub20": "x", "ref_id": "ext",
		})
	}
	raw, err := json.Marshal(map[string]any{"tracks": tracks, "conversions": []map[string]any{{
		"id": "c", "clickid": "t1", "conv_time": "2026-11-20T14:03:11+01:00", "payout": 33.3, "currency": "EUR", "type": "Purchase", "status": "approved",
	}}})
	if err != nil {
		t.Fatal(err)
	}
	fake, now := redtracktest.New(raw), time.Now()
	redtracktest.LimitPerMinute(fake, func() time.Time { return now })
	server := httptest.NewServer(fake)
	defer server.Close()
	zone := time.FixedZone("", 2*60*60)
	log, err := redtrack.NewTestLog(server.Client(), trackers.Access{URL: server.URL, Key: redtracktest.Key}, zone, func(d time.Duration) { now = now.Add(d) })
	if err != nil {
		t.Fatal(err)
	}
	var all []trackerimport.OldClick
	for page, last := 1, false; !last; page++ {
		var list []trackerimport.OldClick
		var unread int
		if list, unread, last, err = log.Clicks(context.Background(), "2026-11-20", page); err != nil || unread > 0 {
			t.Fatal(err, unread)
		}
		all = append(all, list...)
	}
	if len(all) != rows {
		t.Fatalf("%d clicks of %d", len(all), rows)
	}
	first := all[0]
	if first.At.Format(time.RFC3339) != "2026-11-20T08:00:00Z" || first.Subs[19] != "x" || first.ExternalID != "ext" || first.Campaign == "" || first.Offer != "" {
		t.Errorf("%+v", first)
	}
	for range 30 { // more than RedTrack allows in a minute
		list, _, last, err := log.Conversions(context.Background(), "2026-11-20", 1)
		want := trackerimport.OldConversion{
			ID: "c", ClickID: "t1", Goal: "Purchase", Status: "approved", Payout: "33.3", Currency: "EUR", At: time.Date(2026, 11, 20, 13, 3, 11, 0, time.UTC),
		}
		if err != nil || !last || len(list) != 1 || list[0] != want {
			t.Fatal(err, list)
		}
	}
}

// Package redtracktest is a fake of the API of RedTrack. Like the real API, it demands the key in the query, serves pages, and
// puts domains and the log into an object with a total. A query of the log needs a first and a last day. A page of the log has at
// most 10,000 rows.
package redtracktest

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/workers/providers/trackers/moved/movedtest"
)

// Key is the key that the fake accepts. Limited is a key without rights.
const (
	Key     = "r3dtrack/key+with&signs"
	Limited = "000000000000dead"
)

//go:embed testdata
var fixtures embed.FS

// Fixture returns a file of a fixture, such as plain/in/tracker.json.
func Fixture(name string) []byte {
	raw, err := fixtures.ReadFile("testdata/" + name)
	if err != nil {
		panic("redtracktest: " + err.Error())
	}
	return raw
}

// New takes the content of a fixture's tracker.json.
func New(tracker []byte) *movedtest.Fake {
	f := &movedtest.Fake{Allow: allow, Serve: serve, Refuse: refuse}
	f.Load(tracker)
	return f
}

func allow(r *http.Request) int {
	switch r.URL.Query().Get("api_key") {
	case Key:
		return http.StatusOK
	case Limited:
		return http.StatusForbidden
	}
	return http.StatusUnauthorized
}

func refuse(status int, r *http.Request) any {
	return map[string]string{"error": http.StatusText(status) + " for " + r.URL.Query().Get("api_key")}
}

func serve(t *movedtest.Parsed, r *http.Request) (any, bool) {
	kind, id, one := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
	if r.Method != http.MethodGet || t.Whole(kind) == nil {
		return nil, false
	}
	if kind == "tracks" || kind == "conversions" {
		return logPage(t, kind, r.URL.Query())
	}
	if one {
		return t.One(kind, id)
	}
	var list []any
	if kind == "campaigns" { // the list has no streams
		for _, c := range t.Thin(kind, "id", "title", "status") {
			list = append(list, c)
		}
	} else {
		for _, v := range t.List(kind) {
			list = append(list, v)
		}
	}
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	per, _ := strconv.Atoi(r.URL.Query().Get("per"))
	if page < 1 || per < 1 {
		page, per = 1, 10
	}
	from := min((page-1)*per, len(list))
	part := append([]any{}, list[from:min(from+per, len(list))]...)
	if kind == "domains" {
		return map[string]any{"items": part, "total": len(list)}, true
	}
	return part, true
}

// maxLogRows is the maximum number of rows in an answer.
const maxLogRows = 10_000

// logPage serves a page of the log for the days from date_from to date_to, both inclusive.
func logPage(t *movedtest.Parsed, kind string, q url.Values) (any, bool) {
	from, to := q.Get("date_from"), q.Get("date_to")
	if from == "" || to == "" {
		return nil, false
	}
	rows := []any{}
	for _, raw := range t.List(kind) {
		var row struct {
			Track      string `json:"track_time"`
			Conversion string `json:"conv_time"`
		}
		_ = json.Unmarshal(raw, &row) // an object of a fixture
		if day := cmp.Or(row.Conversion, row.Track); len(day) >= 10 && day[:10] >= from && day[:10] <= to {
			rows = append(rows, raw)
		}
	}
	page, _ := strconv.Atoi(q.Get("page"))
	per, _ := strconv.Atoi(q.Get("per"))
	page, per = max(page, 1), min(max(per, 1), maxLogRows)
	start := min((page-1)*per, len(rows))
	return map[string]any{"items": rows[start:min(start+per, len(rows))], "total": len(rows)}, true
}

// LimitPerMinute makes a fake refuse more than 20 requests of one minute, as the real API does. The parameter now is the fake's
// clock.
func LimitPerMinute(f *movedtest.Fake, now func() time.Time) {
	var sent []time.Time
	f.Allow = func(r *http.Request) int {
		if status := allow(r); status != http.StatusOK {
			return status
		}
		const most = 20
		sent = slices.DeleteFunc(sent, func(at time.Time) bool { return now().Sub(at) >= time.Minute })
		if len(sent) >= most {
			return http.StatusTooManyRequests
		}
		sent = append(sent, now())
		return http.StatusOK
	}
}

type object = map[string]any

// ID returns an id in RedTrack's format.
func ID(kind, n int) string { return fmt.Sprintf("%04x%020x", kind, n) }

// Big returns an account. Each campaign has two streams.
func Big(campaigns, offers int) []byte {
	t := object{
		"domains":  []object{{"id": ID(7, 1), "url": "go.big.example"}},
		"networks": []object{{"id": ID(1, 1), "title": "Big network", "currency": "USD"}},
		"sources":  []object{{"id": ID(2, 1), "title": "Big source", "currency": "USD", "subs": []object{{"alias": "zone", "value": "{zoneid}"}}}},
		"landings": []object{{"id": ID(3, 1), "title": "Big page", "url": "https://page.example/"}},
	}
	var list, all []object
	for i := 1; i <= offers; i++ {
		list = append(list, object{
			"id": ID(4, i), "title": fmt.Sprintf("Offer %d", i), "url": fmt.Sprintf("https://offer.example/%d?s={clickid}", i), "status": 1,
			"program_id": ID(1, 1), "payment": object{"amount": float64(i%50) + 0.5},
		})
	}
	for i := 1; i <= campaigns; i++ {
		stream := func(n int, filters object) object {
			return object{"weight": 50, "stream": object{
				"title": fmt.Sprintf("Stream %d", n), "filters": filters, "landings": []object{{"id": ID(3, 1), "weight": 100}},
				"offers": []object{{"id": ID(4, (i*3+n)%max(offers, 1)+1), "weight": 100}},
			}}
		}
		all = append(all, object{
			"id": ID(5, i), "title": fmt.Sprintf("Campaign %d", i), "status": 1, "source_id": ID(2, 1), "domain_id": ID(7, 1),
			"cost_model": "cpc", "cpc": 0.05, "streams": []object{
				stream(1, object{"country": object{"active": true, "values": []string{"DE"}}}), stream(2, object{}),
			},
		})
	}
	t["offers"], t["campaigns"] = list, all
	raw, err := json.Marshal(t)
	if err != nil {
		panic("redtracktest: " + err.Error())
	}
	return raw
}

package v1_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"switchyard/api/apitest"
	"switchyard/db/report"
	"switchyard/models/clickattr"
)

// performance is what the report answers.
type performance struct {
	Range      map[string]string
	Dimension  string
	Dimensions []string
	Filters    []map[string]string
	Rows       []map[string]any
	Truncated  bool
	Labels     map[string]map[string]string
}

func (r *traffic) report(dims []string, filters url.Values, keep func(*visit) bool) performance {
	r.t.Helper()
	query := url.Values{"dimension": {strings.Join(dims, ",")}, "from": {r.days(6)}}
	maps.Copy(query, filters)
	var got performance
	r.s.Do("GET", "/reports/performance?"+query.Encode(), nil).Want(200, "").Into(&got)
	groups := map[string][]*visit{}
	for _, v := range r.where(keep) {
		groups[v.key(dims)] = append(groups[v.key(dims)], v)
	}
	where := fmt.Sprint(dims, filters)
	for _, row := range got.Rows {
		var parts []string
		for _, d := range dims {
			parts = append(parts, fmt.Sprint(row["dims"].(map[string]any)[d]))
		}
		key := strings.Join(parts, " | ")
		if groups[key] == nil {
			r.t.Errorf("%s: a row %q that nobody caused, or twice", where, key)
			continue
		}
		compare(r.t, where+" "+key, row, figures(groups[key]))
		delete(groups, key)
	}
	for key := range groups {
		r.t.Errorf("%s: the row %q is missing", where, key)
	}
	if !slices.Equal(got.Dimensions, dims) || got.Dimension != strings.Join(dims, ",") {
		r.t.Errorf("%s: answered for %q, %q", where, got.Dimension, got.Dimensions)
	}
	return got
}

func TestPerformance(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTraffic(t, s, 150, 3)
	all := func(*visit) bool { return true }
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		r.report([]string{name}, nil, all)
	}
	r.report([]string{"country", "device_type"}, nil, all)
	r.report([]string{"campaign_id", "lander_id", "offer_id", "source_id", "date"}, nil, all)
	r.report([]string{"os", "sub1"}, nil, all)

	german := r.report([]string{"browser"}, url.Values{"f.country": {"DE"}, "f.source_id": {""}, "f.os": {"iOS", "Linux"}},
		func(v *visit) bool { return v.Country == "DE" && keys["source_id"](v) == "" })
	if want := "[map[dimension:country value:DE] map[dimension:os value:iOS] map[dimension:os value:Linux] " +
		"map[dimension:source_id value:]]"; fmt.Sprint(german.Filters) != want {
		t.Errorf("filters %v", german.Filters)
	}
	r.report([]string{"date"}, url.Values{"f.campaign_id": {r.campaigns[0].String()}, "f.sub1": {`"q"`}},
		func(v *visit) bool { return v.CampaignID == r.campaigns[0] && v.Subs[0] == `"q"` })
	r.report([]string{"date"}, url.Values{"f.campaign_id": {"nonsense"}}, func(*visit) bool { return false })

	names := r.report([]string{"campaign_id", "stream_id", "lander_id", "offer_id", "source_id"}, nil, all).Labels
	for dim, id := range map[string]string{
		"campaign_id": r.campaigns[1].String(), "lander_id": r.landers[1].String(), "offer_id": r.offers[1].String(),
		"source_id": r.sources[1].String(),
	} {
		if names[dim][id] != "Name 1" {
			t.Errorf("labels of %s: %v", dim, names[dim])
		}
	}
	if names["stream_id"][r.stream.String()] != "Path 1" {
		t.Errorf("labels of stream_id: %v", names["stream_id"])
	}

	// A window in the middle of an hour, by default the last seven days, another account.
	from := r.visits[40].at().Truncate(time.Second)
	to := r.visits[90].at().Truncate(time.Second)
	query := url.Values{"from": {from.Format(time.DateTime)}, "to": {to.Format(time.DateTime)}, "dimension": {"stream_id"}}
	var part performance
	s.Do("GET", "/reports/performance?"+query.Encode(), nil).Want(200, "").Into(&part)
	compare(t, "part", part.Rows[0], figures(r.between(from, to)))
	if part.Range["from"] != query.Get("from") || part.Range["to"] != query.Get("to") {
		t.Errorf("range %v", part.Range)
	}
	var plain performance
	s.As(s.ReadKey).Do("GET", "/reports/performance", nil).Want(200, "").Into(&plain)
	if plain.Dimension != "campaign_id" || len(plain.Rows) != 2 || len(plain.Filters) != 0 {
		t.Errorf("by default %+v", plain)
	}
	_, foreign, _ := s.NewAccount("scale")
	s.As(foreign).Do("GET", "/reports/performance", nil).Want(200, "").Into(&plain)
	if len(plain.Rows) != 0 {
		t.Errorf("another account sees %v", plain.Rows)
	}
}

// An answer that cannot hold all groups has the largest ones and says so.
func TestPerformanceIsCutAloud(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	const many = `INSERT INTO ledger (account_id, hour, campaign_id, stream_id, lander_id, offer_id, source_id, country,
			device_type, os, browser, clicks, unique_clicks, bot_clicks, lp_views, lp_clicks, approved, pending, rejected,
			chargebacks, cost, revenue, pending_revenue)
		SELECT $1, date_trunc('hour', now()), md5('c' || n)::uuid, z, z, z, z, '', '', '', '', n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
		FROM generate_series($2::int, $3::int) n, (VALUES ('00000000-0000-0000-0000-000000000000'::uuid)) AS v (z)`
	for i, want := range []bool{false, true} {
		from, to := 2, report.MaxRows+1
		if i == 1 {
			from, to = 1, 1
		}
		if _, err := s.DB.ExecContext(t.Context(), many, s.Account.ID, from, to); err != nil {
			t.Fatal(err)
		}
		var got struct { // of all figures of the rows only those looked at
			Rows      []struct{ Clicks int }
			Truncated bool
		}
		s.Do("GET", "/reports/performance", nil).Want(200, "").Into(&got)
		if len(got.Rows) != report.MaxRows || got.Truncated != want || got.Rows[report.MaxRows-1].Clicks != 2 {
			t.Errorf("%d rows, truncated %v, the last %v", len(got.Rows), got.Truncated, got.Rows[len(got.Rows)-1])
		}
	}
}

func TestPerformanceRules(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	filters := func(n int) string {
		q := url.Values{}
		for _, name := range report.Public()[:n] {
			q.Set("f."+name, "")
		}
		return q.Encode()
	}
	for query, code := range map[string]string{
		"dimension=nonsense":                                      "invalid_dimension",
		"dimension=network_id":                                    "invalid_dimension",
		"dimension=os,,ip":                                        "invalid_dimension",
		"dimension=" + url.QueryEscape("os;drop"):                 "invalid_dimension",
		"dimension=os,ip,date,hour,country,city":                  "invalid_dimension",
		"dimension=os,ip,date,hour,country":                       "",
		"dimension=" + url.QueryEscape("os, ip"):                  "",
		"dimension=os,os,os,os,os,os":                             "",
		"dimension=":                                              "",
		"dimension=os&dimension=ip":                               "invalid_input",
		"dimension=os&dimension=os":                               "invalid_input",
		"f.os=linux&f.os=ios&_=1&_=2":                             "",
		"dimensions=country":                                      "invalid_input",
		"f.nonsense=1":                                            "invalid_dimension",
		"f.=1":                                                    "invalid_dimension",
		"f.city=" + url.QueryEscape(strings.Repeat("ä", 501)):     "invalid_dimension",
		"f.city=" + url.QueryEscape(strings.Repeat("ä", 500)):     "",
		"f.country=UK&f.device_type=phone&f.day_of_week=mon":      "",
		"f.browser=Chromee":                                       "invalid_dimension",
		"f.browser=A%20rare%20one":                                "",
		filters(13):                                               "invalid_dimension",
		"f.os=x" + strings.Repeat("&f.os=x", 12):                  "invalid_dimension",
		filters(12):                                               "",
		"from=yesterday":                                          "invalid_input",
		"from=2026-02-02&to=2026-02-01":                           "invalid_input",
		"dimension=hour&from=1970-01-01&to=9999-12-31%2023:59:59": "",
	} {
		status := 200
		if code != "" {
			status = 400
		}
		s.Do("GET", "/reports/performance?"+query, nil).Want(status, code)
	}
	for _, name := range report.Public() {
		value := "x"
		if a := clickattr.Find(name); name == "day_of_week" || a != nil && a.Values != nil && !a.Values.Open {
			s.Do("GET", "/reports/performance?f."+name+"=x", nil).Want(400, "invalid_dimension")
			value = ""
		}
		s.Do("GET", "/reports/performance?f."+name+"="+value+"&dimension="+name, nil).Want(200, "")
	}
}

func TestOverview(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTraffic(t, s, 120, 6)
	from, _ := time.Parse(time.DateOnly, r.days(2))
	to, _ := time.Parse(time.DateOnly, r.days(1))
	end := to.Add(24*time.Hour - time.Second)
	got := s.Do("GET", "/stats/overview?from="+r.days(2)+"&to="+r.days(1), nil).Want(200, "").Map()
	now := figures(r.between(from, end))
	then := figures(r.between(from.AddDate(0, 0, -2), from.Add(-time.Second)))
	compare(t, "overview", got, now)
	if want := fmt.Sprintf("map[from:%s 00:00:00 to:%s 23:59:59]", r.days(4), r.days(3)); fmt.Sprint(
		got["previousRange"]) != want {
		t.Errorf("previous range %v, want %s", got["previousRange"], want)
	}
	changes := got["changes"].(map[string]any)
	for name, value := range changes {
		change := 100 * (now[name] - then[name]) / max(then[name], -then[name])
		if g, ok := value.(float64); !ok || g-change > 0.01 || change-g > 0.01 {
			t.Errorf("%s has changed by %v, want %v", name, value, change)
		}
	}
	if len(changes) != 15 {
		t.Errorf("%d changes", len(changes))
	}

	_, foreign, _ := s.NewAccount("scale")
	empty := s.As(foreign).Do("GET", "/stats/overview", nil).Want(200, "").Map()
	compare(t, "another account", empty, figures(nil))
	for name, value := range empty["changes"].(map[string]any) {
		if value != nil {
			t.Errorf("%s has changed by %v from nothing", name, value)
		}
	}
	s.Do("GET", "/stats/overview?from=1970-01-01&to=9999-12-31", nil).Want(200, "")
	s.Do("GET", "/stats/overview?to=x", nil).Want(400, "invalid_input")
}

package v1_test

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/clickattr"
)

// performance is the answer of GET /reports/performance.
type performance struct {
	Range      map[string]string
	Dimension  string
	Dimensions []string
	Filters    []map[string]string
	Rows       []map[string]any
	Truncated  bool
	Labels     map[string]map[string]string
}

// report requests a report of the last seven days. Its rows must match the visits for which keep returns true.
func (r *trafficEnv) report(dims []string, filters url.Values, keep func(*visit) bool) performance {
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
			r.t.Errorf("%s: the row %q has no visits, or comes twice", where, key)
			continue
		}
		compare(r.t, where+" "+key, row, figures(groups[key]))
		delete(groups, key)
	}
	for key := range groups {
		r.t.Errorf("%s: the row %q is missing", where, key)
	}
	if !slices.Equal(got.Dimensions, dims) || got.Dimension != strings.Join(dims, ",") {
		r.t.Errorf("%s: the answer has the dimensions %q and %q, want those of the call", where, got.Dimension, got.Dimensions)
	}
	return got
}

func TestPerformance(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 150, 3)
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
		t.Errorf("the answer has the filters %v, want those of the call", german.Filters)
	}
	r.report([]string{"date"}, url.Values{"f.campaign_id": {r.campaigns[0].String()}, "f.sub1": {`"q"`}},
		func(v *visit) bool { return v.CampaignID == r.campaigns[0] && v.Subs[0] == `"q"` })
	r.report([]string{"date"}, url.Values{"f.campaign_id": {uuid.NewString()}}, func(*visit) bool { return false })

	names := r.report([]string{"campaign_id", "stream_id", "lander_id", "offer_id", "source_id"}, nil, all).Labels
	for dim, id := range map[string]string{
		"campaign_id": r.campaigns[1].String(), "lander_id": r.landers[1].String(), "offer_id": r.offers[1].String(),
		"source_id": r.sources[1].String(),
	} {
		if names[dim][id] != "Name 1" {
			t.Errorf("the labels of %s are %v, want Name 1", dim, names[dim])
		}
	}
	if names["stream_id"][r.stream.String()] != "Path 1" {
		t.Errorf("the labels of stream_id are %v, want the name Path 1", names["stream_id"])
	}

	from := r.visits[40].at().Truncate(time.Second)
	to := r.visits[90].at().Truncate(time.Second)
	query := url.Values{"from": {from.Format(time.DateTime)}, "to": {to.Format(time.DateTime)}, "dimension": {"stream_id"}}
	var part performance
	s.Do("GET", "/reports/performance?"+query.Encode(), nil).Want(200, "").Into(&part)
	compare(t, "part", part.Rows[0], figures(r.between(from, to)))
	if part.Range["from"] != query.Get("from") || part.Range["to"] != query.Get("to") {
		t.Errorf("the range is %v, want the window of the call", part.Range)
	}
	var plain performance
	s.As(s.ReadKey).Do("GET", "/reports/performance", nil).Want(200, "").Into(&plain)
	if plain.Dimension != "campaign_id" || len(plain.Rows) != 2 || len(plain.Filters) != 0 {
		t.Errorf("the report without parameters is %+v, want 2 campaigns and no filters", plain)
	}
	_, foreign, _ := s.NewAccount("scale")
	s.As(foreign).Do("GET", "/reports/performance", nil).Want(200, "").Into(&plain)
	if len(plain.Rows) != 0 {
		t.Errorf("another account sees %v", plain.Rows)
	}
}

// TestPerformanceOptions: reports with a time zone, filters, an order, limits and a comparison match a recount.
func TestPerformanceOptions(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 150, 4)
	nepal, _ := time.LoadLocation("Asia/Kathmandu")
	local := func(v *visit) string { return v.at().In(nepal).Format("2006-01-02 15:00:00-07:00") }
	from, to := r.visits[60].at().Truncate(time.Second), r.visits[140].at().Truncate(time.Second)
	request := func(query url.Values) (out struct {
		Rows         []map[string]any
		Totals       map[string]any
		Truncated    bool
		Filters      []map[string]any
		Having       []map[string]any
		CompareRange map[string]string `json:"compare_range"`
	},
	) {
		t.Helper()
		query.Set("from", from.Format(time.DateTime))
		query.Set("to", to.Format(time.DateTime))
		s.Do("GET", "/reports/performance?"+query.Encode(), nil).Want(200, "").Into(&out)
		return out
	}

	// Grouped by the hours of a time zone, without visits from DE and from unknown countries.
	keep := func(v *visit) bool { return v.Country != "DE" && v.Country != "" }
	hours := map[string][]*visit{}
	for _, v := range r.between(from, to) {
		if keep(v) {
			hours[local(v)] = append(hours[local(v)], v)
		}
	}
	got := request(url.Values{"dimension": {"hour"}, "tz": {"Asia/Kathmandu"}, "x.country": {"DE", ""}, "sort": {"hour"}})
	if len(got.Rows) != len(hours) || fmt.Sprint(got.Filters) != "[map[dimension:country not:true value:DE] map[dimension:country not:true value:]]" {
		t.Errorf("%d hours, want %d; filters %v", len(got.Rows), len(hours), got.Filters)
	}
	last := ""
	for _, row := range got.Rows {
		hour := row["dims"].(map[string]any)["hour"].(string)
		compare(t, hour, row, figures(hours[hour]))
		if hour <= last {
			t.Errorf("the hour %s comes after %s, want ascending hours", hour, last)
		}
		last = hour
	}

	// Sorted by revenue, with a comparison, and with fewer rows than the totals cover.
	before := r.where(func(v *visit) bool {
		return v.at().Before(from) && !v.at().Before(from.Add(-to.Add(time.Second).Sub(from)))
	})
	got = request(url.Values{"dimension": {"source_id"}, "sort": {"-revenue"}, "limit": {"2"}, "compare": {"previous"}})
	lastRevenue := math.Inf(1)
	for _, row := range got.Rows {
		source := row["dims"].(map[string]any)["source_id"]
		ofSource := func(list []*visit) (out []*visit) {
			for _, v := range list {
				if models.IDText(v.SourceID) == source {
					out = append(out, v)
				}
			}
			return out
		}
		compare(t, "source", row, figures(ofSource(r.between(from, to))))
		compare(t, "source before", row["compare"].(map[string]any), figures(ofSource(before)))
		if row["revenue"].(float64) > lastRevenue || row["changes"].(map[string]any)["clicks"] == nil {
			t.Errorf("%v comes after the revenue %v, or lacks its changes", row, lastRevenue)
		}
		lastRevenue = row["revenue"].(float64)
	}
	compare(t, "totals", got.Totals, figures(r.between(from, to)))
	compare(t, "totals before", got.Totals["compare"].(map[string]any), figures(before))
	if len(got.Rows) != 2 || !got.Truncated || got.CompareRange["to"] != from.Add(-time.Second).Format(time.DateTime) {
		t.Errorf("%d rows, truncated %v, compared with %v, want 2 rows, truncated, and the window before", len(got.Rows), got.Truncated, got.CompareRange)
	}
	got = request(url.Values{"dimension": {"source_id"}, "min_clicks": {"100000"}})
	if compare(t, "totals", got.Totals, figures(r.between(from, to))); len(got.Rows) != 0 || got.Truncated {
		t.Errorf("want no rows, because no source has so many clicks: %v", got.Rows)
	}

	// Only the sources whose figures meet the conditions. The conditions have the units of the answer, such as percent.
	got = request(url.Values{"dimension": {"source_id"}, "sort": {"-cr"}})
	best, few, bestVisits := got.Rows[0]["cr"].(float64), 0, []*visit(nil)
	for _, row := range got.Rows {
		if row["cr"] == nil || row["cr"].(float64) < best-0.01 {
			continue
		}
		few++
		for _, v := range r.between(from, to) {
			if models.IDText(v.SourceID) == row["dims"].(map[string]any)["source_id"] {
				bestVisits = append(bestVisits, v)
			}
		}
	}
	if few == len(got.Rows) {
		t.Fatal("all sources convert equally well")
	}
	got = request(url.Values{"dimension": {"source_id"}, "having": {fmt.Sprintf("cr > %.4f,cost>=0, clicks > 0", best-0.01)}, "limit": {"1"}})
	compare(t, "totals of the rows that having keeps", got.Totals, figures(bestVisits))
	if len(got.Rows) != 1 || got.Truncated != (few > 1) || len(got.Having) != 3 || got.Having[1]["op"] != ">=" {
		t.Errorf("%d rows, truncated %v, conditions %v, want one row and three conditions", len(got.Rows), got.Truncated, got.Having)
	}

	// Trends, time series, the overview and the list of values, with the filters of the first request.
	kept := figures(r.where(func(v *visit) bool { return keep(v) && !v.at().Before(from) && v.at().Before(to.Add(time.Second)) }))
	window := url.Values{
		"from": {from.Format(time.DateTime)}, "to": {to.Format(time.DateTime)}, "x.country": {"DE", ""}, "tz": {"Asia/Kathmandu"},
	}.Encode()
	for path, list := range map[string]string{
		"/reports/trends?bucket=month&": "rows", "/stats/timeseries?": "points", "/reports/trends?bucket=weekday_hour&": "rows",
	} {
		sum := map[string]float64{}
		for _, row := range s.Do("GET", path+window, nil).Want(200, "").Map()[list].([]any) {
			for _, name := range []string{"clicks", "conversions"} {
				sum[name] += row.(map[string]any)[name].(float64)
			}
		}
		if sum["clicks"] != kept["clicks"] || sum["conversions"] != kept["conversions"] {
			t.Errorf("%s: %v, want %v", path, sum, kept)
		}
	}
	compare(t, "overview", s.Do("GET", "/stats/overview?"+window, nil).Want(200, "").Map(), kept)
	values := s.Do("GET", "/reports/values?dimension=country&"+window, nil).Want(200, "").Map()["values"].([]any)
	if len(values) != 1 || values[0].(map[string]any)["value"] != "FR" {
		t.Errorf("want FR as the only country that the filters leave: %v", values)
	}
	y, m, d := time.Now().In(nepal).Date()
	today := time.Date(y, m, d, 0, 0, 0, 0, nepal)
	points := s.Do("GET", "/stats/hourly?tz=Asia/Kathmandu&f.country=FR", nil).Want(200, "").Map()["points"].([]any)
	for i, p := range points {
		p, start := p.(map[string]any), today.Add(time.Duration(i)*time.Hour)
		visits := r.where(func(v *visit) bool {
			return v.Country == "FR" && !v.at().Before(start) && v.at().Before(start.Add(time.Hour))
		})
		if f := figures(visits); p["clicks"] != f["clicks"] || p["hour"] != float64(i) {
			t.Errorf("hour %d: %v, want %v", i, p, f["clicks"])
		}
	}
	for _, path := range []string{"/stats/overview?", "/stats/timeseries?", "/stats/hourly?", "/reports/trends?", "/reports/values?dimension=os&"} {
		s.Do("GET", path+"tz=Mars", nil).Want(400, "invalid_input")
		s.Do("GET", path+"f.nonsense=1", nil).Want(400, "invalid_dimension")
		s.Do("GET", path+"filter=1", nil).Want(400, "invalid_input")
	}
}

// TestWholeDaysBefore: a window of whole days is compared with the same number of days before it, even if the clocks change.
// Other windows are compared with a window of the same length.
func TestWholeDaysBefore(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for query, want := range map[string]string{
		"from=2026-10-25%2022:00:00&to=2026-10-26%2022:59:59":                  "2026-10-24 21:00:00",
		"from=2026-10-25%2023:00:00&to=2026-10-26%2022:59:59&tz=Europe/Berlin": "2026-10-24 22:00:00", // after the day of 25 hours
		"from=2026-03-29%2022:00:00&to=2026-03-30%2021:59:59&tz=Europe/Berlin": "2026-03-28 23:00:00", // after the day of 23 hours
		"from=2026-10-24%2022:00:00&to=2026-10-26%2022:59:59&tz=Europe/Berlin": "2026-10-22 22:00:00",
		"from=2026-10-26%2001:00:00&to=2026-10-26%2001:59:59&tz=Europe/Berlin": "2026-10-26 00:00:00",
	} {
		var got struct {
			PreviousRange map[string]string
			CompareRange  map[string]string `json:"compare_range"`
		}
		s.Do("GET", "/stats/overview?"+query, nil).Want(200, "").Into(&got)
		s.Do("GET", "/reports/performance?compare=previous&"+query, nil).Want(200, "").Into(&got)
		if got.PreviousRange["from"] != want || got.CompareRange["from"] != want {
			t.Errorf("%s: %v, %v, want %s", query, got.PreviousRange, got.CompareRange, want)
		}
	}
}

// An answer that cannot hold all groups has the largest groups and says that it is truncated.
func TestTruncatedPerformance(t *testing.T) {
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
		dbtest.Exec(t, s.DB, many, s.Account.ID, from, to)
		var got struct {
			Rows      []struct{ Clicks int }
			Truncated bool
		}
		s.Do("GET", "/reports/performance", nil).Want(200, "").Into(&got)
		if len(got.Rows) != report.MaxRows || got.Truncated != want || got.Rows[report.MaxRows-1].Clicks != 2 {
			t.Errorf("%d rows, truncated %v, the last row %v, want a row with 2 clicks", len(got.Rows), got.Truncated, got.Rows[len(got.Rows)-1])
		}
	}
}

func TestPerformanceRules(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	filters := func(n int) string {
		q := url.Values{}
		for _, name := range report.Dimensions()[:n] {
			q.Set("f."+name, "")
		}
		return q.Encode()
	}
	for query, code := range map[string]string{
		"dimension=nonsense":             "invalid_dimension",
		"dimension=network_id,tag,group": "",
		"dimension=goal,status,date&sort=goal&goal=sale&x.goal=%28plain%29&f.status=Approved&f.status=": "",
		"dimension=goal,status&sort=goal&x.goal=%28plain%29":                                            "",
		"goal=sale&f.status=Approved&f.status=":                                                         "",
		"f.status=paid":                                                                                 "invalid_dimension",
		"dimension=os,,ip":                                                                              "invalid_dimension",
		"dimension=" + url.QueryEscape("os;drop"):                                                       "invalid_dimension",
		"dimension=os,ip,date,hour,country,city":                                                        "invalid_dimension",
		"dimension=os,ip,date,hour,country":                                                             "",
		"dimension=" + url.QueryEscape("os, ip"):                                                        "",
		"dimension=os,os,os,os,os,os":                                                                   "",
		"dimension=":                                                                                    "",
		"dimension=os&dimension=ip":                                                                     "invalid_input",
		"dimension=os&dimension=os":                                                                     "invalid_input",
		"f.os=linux&f.os=ios&_=1&_=2":                                                                   "",
		"dimensions=country":                                                                            "invalid_input",
		"f.nonsense=1":                                                                                  "invalid_dimension",
		"f.=1":                                                                                          "invalid_dimension",
		"f.city=" + url.QueryEscape(strings.Repeat("ä", 501)):                                           "invalid_dimension",
		"f.city=" + url.QueryEscape(strings.Repeat("ä", 500)):                                           "",
		"f.country=UK&f.device_type=phone&f.day_of_week=mon":                                            "",
		"f.browser=Chromee":                                                                             "invalid_dimension",
		"f.campaign_id=nonsense":                                                                        "invalid_dimension",
		"x.asn=AS13335":                                                                                 "invalid_dimension",
		"f.lp_slot=first":                                                                               "invalid_dimension",
		"f.ip=192.0.2":                                                                                  "invalid_dimension",
		"f.ip=2001:DB8::1":                                                                              "",
		"f.browser=A%20rare%20one":                                                                      "",
		filters(13):                                                                                     "invalid_dimension",
		"f.city=x" + strings.Repeat("&f.city=x", 100):                                                   "invalid_dimension",
		"x.city=x" + strings.Repeat("&f.city=x", 99):                                                    "",
		"x.nonsense=1":                                                                                  "invalid_dimension", "x.country=Germoney": "invalid_dimension", "x.country=de": "",
		"y.os=1": "invalid_input", "tz=Mars": "invalid_input", "sort=-roi": "", "sort=country": "invalid_input",
		"dimension=country&sort=country": "", "sort=" + url.QueryEscape("clicks; drop"): "invalid_input",
		"limit=0&min_clicks=-4": "", "limit=many": "invalid_input",
		"having=profit%3C0,roi%3E%3D-12.5": "", "having=profits%3C0": "invalid_input", "having=profit%3D0": "invalid_input",
		"having=profit%3C1e9": "invalid_input", "having=profit%3C%3C1": "invalid_input", "having=profit%3C0,": "invalid_input",
		"having=profit%3C" + strings.Repeat("9", 13): "invalid_input", "having=clicks%3C1" + strings.Repeat(",clicks%3C1", 12): "invalid_input",
		"compare=previous&tz=Asia/Kathmandu&dimension=date": "", "compare=next": "invalid_input",
		"compare=2026-01-02..2026-01-01": "invalid_input", "compare=2026-01-01..": "invalid_input",
		"compare=2026-01-01..2026-01-02": "", "dimension=hour&compare=1970-01-01..9999-12-31": "invalid_input",
		filters(12):                     "",
		"from=yesterday":                "invalid_input",
		"from=2026-02-02&to=2026-02-01": "invalid_input",
		"dimension=hour&from=1970-01-01&to=9999-12-31%2023:59:59": "",
	} {
		status := 200
		if code != "" {
			status = 400
		}
		s.Do("GET", "/reports/performance?"+query, nil).Want(status, code)
	}
	for _, name := range report.Dimensions() {
		value, a := "x", clickattr.Find(name)
		checksValues := name == "day_of_week" || name == "lp_slot" || name == "status"
		if a != nil {
			checksValues = checksValues || a.ID != nil || a.ASN != nil || a.Addr != nil || a.Values != nil && !a.Values.Open
		}
		if checksValues {
			s.Do("GET", "/reports/performance?f."+name+"=x", nil).Want(400, "invalid_dimension")
			value = ""
		}
		s.Do("GET", "/reports/performance?f."+name+"="+value+"&dimension="+name, nil).Want(200, "")
	}
}

func TestOverview(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 120, 6)
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
		t.Errorf("%d figures have changes, want 15", len(changes))
	}

	_, foreign, _ := s.NewAccount("scale")
	empty := s.As(foreign).Do("GET", "/stats/overview", nil).Want(200, "").Map()
	compare(t, "another account", empty, figures(nil))
	for name, value := range empty["changes"].(map[string]any) {
		if value != nil {
			t.Errorf("%s was zero and has changed by %v percent, want null", name, value)
		}
	}
	s.Do("GET", "/stats/overview?from=1970-01-01&to=9999-12-31", nil).Want(200, "")
	s.Do("GET", "/stats/overview?to=x", nil).Want(400, "invalid_input")
}

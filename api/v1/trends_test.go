package v1_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"switchyard/api/apitest"
	"switchyard/models"
)

// localNames has a function for each kind of bucket. It returns the name of the bucket that contains a time.
var localNames = map[string]func(time.Time) string{
	"month":        func(t time.Time) string { return t.Format("2006-01") },
	"day":          func(t time.Time) string { return t.Format("2006-01-02") },
	"weekday":      func(t time.Time) string { return strconv.Itoa((int(t.Weekday())+6)%7 + 1) },
	"weekday_hour": func(t time.Time) string { return fmt.Sprintf("%d %02d:00", (int(t.Weekday())+6)%7+1, t.Hour()) },
	"hour": func(t time.Time) string {
		if t.Location() == time.UTC {
			return t.Format("2006-01-02 15:00:00")
		}
		return t.Format("2006-01-02 15:00:00-07:00")
	},
}

func TestTrends(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 150, 3)
	from := r.visits[20].at().Truncate(time.Second)
	to := r.visits[130].at().Truncate(time.Second)
	window := url.Values{"from": {from.Format(time.DateTime)}, "to": {to.Format(time.DateTime)}}
	for _, zone := range []string{
		"", "UTC", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati",
	} {
		for bucket, name := range localNames {
			loc, _ := time.LoadLocation(zone)
			groups := map[string][]*visit{}
			for _, v := range r.between(from, to) {
				at := name(v.at().In(loc))
				groups[at] = append(groups[at], v)
			}
			query := url.Values{"bucket": {bucket}, "tz": {zone}, "from": window["from"], "to": window["to"]}
			got := s.Do("GET", "/reports/trends?"+query.Encode(), nil).Want(200, "").Map()
			seen := map[string]bool{}
			for _, row := range got["rows"].([]any) {
				row := row.(map[string]any)
				label := row["bucket"].(string)
				if seen[label] {
					t.Errorf("%s by %s: the bucket %s comes twice", zone, bucket, label)
				}
				seen[label] = true
				compare(t, zone+" by "+bucket+" "+label, row, figures(groups[label]))
				delete(groups, label)
				if once := !strings.HasPrefix(bucket, "week"); once != (row["start"] != nil) {
					t.Errorf("the bucket %s starts at %v, want a time, or null if it recurs every week", label, row["start"])
				}
			}
			if len(groups) > 0 {
				t.Errorf("%s by %s: %d buckets are missing", zone, bucket, len(groups))
			}
			if got["bucket"] != bucket || got["tz"] != loc.String() {
				t.Errorf("the answer has the bucket %v and the time zone %v", got["bucket"], got["tz"])
			}
		}
	}
	plain := s.As(s.ReadKey).Do("GET", "/reports/trends", nil).Want(200, "").Map()
	if n := len(plain["rows"].([]any)); n != 7 || plain["bucket"] != "day" || plain["tz"] != "UTC" {
		t.Errorf("without parameters there are %d rows by %v in %v, want 7 by day in UTC", n, plain["bucket"], plain["tz"])
	}
	for query, code := range map[string]string{
		"bucket=year": "invalid_bucket", "bucket=Day": "invalid_bucket", "tz=Mars": "invalid_input",
		"tz=Local": "invalid_input", "tz=../../etc/passwd": "invalid_input", "tz=" + strings.Repeat("x", 999): "invalid_input",
		"from=x": "invalid_input",
	} {
		s.Do("GET", "/reports/trends?"+query, nil).Want(400, code)
	}
	for bucket := range localNames {
		ages := "/reports/trends?from=1970-01-01&to=9999-12-31&tz=Asia/Kathmandu&bucket=" + bucket
		s.Do("GET", ages, nil).Want(200, "")
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 90, 3)
	for name, key := range keys {
		groups := map[string][]*visit{}
		for _, v := range r.visits {
			groups[key(v)] = append(groups[key(v)], v)
		}
		got := s.Do("GET", "/reports/values?dimension="+name, nil).Want(200, "").Map()
		last := 1e9
		for _, row := range got["values"].([]any) {
			row := row.(map[string]any)
			want := figures(groups[row["value"].(string)])
			compare(t, name, row, map[string]float64{"clicks": want["clicks"], "bot_clicks": want["bot_clicks"]})
			if row["clicks"].(float64) > last {
				t.Errorf("%s: the value %v comes after a value with fewer clicks", name, row)
			}
			last = row["clicks"].(float64)
			delete(groups, row["value"].(string))
		}
		if len(groups) > 0 || got["dimension"] != name {
			t.Errorf("%s: %d values are missing", name, len(groups))
		}
	}
	got := s.Do("GET", "/reports/values?dimension=offer_id&limit=1", nil).Want(200, "").Map()
	if labels := got["labels"].(map[string]any); len(got["values"].([]any)) != 1 || len(labels) > 1 {
		t.Errorf("want one value and at most its label: %v", got)
	}
	for query, code := range map[string]string{
		"": "invalid_dimension", "dimension=x": "invalid_dimension", "dimension=os,ip": "invalid_dimension",
		"dimension=os&limit=x": "invalid_input",
		"dimension=os&from=x":  "invalid_input",
	} {
		s.Do("GET", "/reports/values?"+query, nil).Want(400, code)
	}
}

func TestStatsOverTime(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 200, 1)
	four := func(visits []*visit) map[string]float64 {
		f := figures(visits)
		return map[string]float64{
			"clicks": f["clicks"], "conversions": f["conversions"], "cost": f["cost"], "revenue": f["revenue"],
		}
	}
	points := s.Do("GET", "/stats/timeseries", nil).Want(200, "").Map()["points"].([]any)
	for i, p := range points {
		p := p.(map[string]any)
		if p["date"] != r.days(6-i) {
			t.Errorf("point %d has the date %v, want the days in order", i, p["date"])
		}
		compare(t, r.days(6-i), p, four(r.where(func(v *visit) bool { return keys["date"](v) == p["date"] })))
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	hours := s.Do("GET", "/stats/hourly", nil).Want(200, "").Map()["points"].([]any)
	for i, p := range hours {
		p := p.(map[string]any)
		from := today.Add(time.Duration(i) * time.Hour)
		if p["hour"] != float64(i) {
			t.Errorf("point %d has the hour %v, want the hours in order", i, p["hour"])
		}
		compare(t, fmt.Sprint("hour ", i), p, four(r.between(from, from.Add(time.Hour-time.Second))))
	}
	if len(points) != 7 || len(hours) != 24 {
		t.Errorf("%d days and %d hours, want 7 and 24", len(points), len(hours))
	}
	rows := s.Do("GET", "/stats/breakdown", nil).Want(200, "").Map()["rows"].([]any)
	for _, row := range rows {
		row := row.(map[string]any)
		of := r.where(func(v *visit) bool { return orNil(v.SourceID) == row["source_id"] })
		compare(t, fmt.Sprint(row["source_id"]), row, figures(of))
		if (row["name"] == nil) != (row["source_id"] == nil) {
			t.Errorf("the source %v has the name %v, want a name exactly if there is a source", row["source_id"], row["name"])
		}
	}
	if len(rows) != 3 {
		t.Errorf("%d sources, want 3", len(rows))
	}
	s.Do("GET", "/stats/breakdown?from=x", nil).Want(400, "invalid_input")
	s.Do("GET", "/stats/timeseries?from=x", nil).Want(400, "invalid_input")
}

func TestLive(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 200, 1) // a click every seven minutes
	got := s.Do("GET", "/stats/live?minutes=90", nil).Want(200, "").Map()
	recent := r.where(func(v *visit) bool { return !v.IsBot && time.Since(v.at()) < time.Hour })
	count := func(visits []*visit) map[string]float64 {
		who := map[[16]byte]bool{}
		for _, v := range visits {
			who[v.UniqueKey] = true
		}
		return map[string]float64{"visitors": float64(len(who)), "views": float64(len(visits))}
	}
	compare(t, "live", got, count(recent))
	if got["windowMinutes"] != 60.0 {
		t.Errorf("the window has %v minutes, want 60", got["windowMinutes"])
	}
	for list, key := range map[string]func(*visit) any{
		"countries": func(v *visit) any { return v.Country }, "devices": func(v *visit) any { return v.DeviceType },
		"campaigns": func(v *visit) any { return v.CampaignID.String() },
		"pages": func(v *visit) any {
			if v.LanderID.String() != models.IDText(v.LanderID) {
				return v.OfferID.String()
			}
			return v.LanderID.String()
		},
	} {
		groups := map[any][]*visit{}
		for _, v := range recent {
			groups[key(v)] = append(groups[key(v)], v)
		}
		rows := got[list].([]any)
		for _, row := range rows {
			row := row.(map[string]any)
			of := row[map[string]string{"countries": "country", "devices": "device", "pages": "id", "campaigns": "id"}[list]]
			compare(t, fmt.Sprint(list, of), row, count(groups[of]))
			if list == "pages" && (row["name"] == nil || row["kind"] == nil) {
				t.Errorf("a landing page or offer lacks its name or its kind: %v", row)
			}
			if list == "campaigns" && row["name"] == nil {
				t.Errorf("a campaign lacks its name: %v", row)
			}
		}
		if len(rows) != len(groups) || len(rows) == 0 {
			t.Errorf("%d %s, want %d", len(rows), list, len(groups))
		}
	}
	minutes := got["per_minute"].([]any)
	for i, row := range minutes {
		at, err := time.Parse(time.RFC3339, row.(map[string]any)["at"].(string))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, fmt.Sprint("minute ", i), row.(map[string]any), count(r.where(func(v *visit) bool { return !v.IsBot && v.at().Truncate(time.Minute).Equal(at) })))
	}
	if len(minutes) < 60 || len(minutes) > 61 {
		t.Errorf("%d minutes, want 60 or 61", len(minutes))
	}
	s.Do("GET", "/stats/live?minutes=x", nil).Want(400, "invalid_input")
	empty := s.As(s.ReadKey).Do("GET", "/stats/live?minutes=-4", nil).Want(200, "").Map()
	compare(t, "a minute", empty, map[string]float64{"visitors": 0, "views": 0, "windowMinutes": 1})
}

func TestRepeatIPs(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	r := newTrafficEnv(t, s, 60, 3)
	check := func(query string, keep func(*visit) bool) {
		t.Helper()
		groups := map[string][]*visit{}
		for _, v := range r.where(keep) {
			groups[v.IP.String()] = append(groups[v.IP.String()], v)
		}
		got := s.Do("GET", "/logs/repeat-ips?"+query, nil).Want(200, "").Map()
		for _, row := range got["rows"].([]any) {
			row := row.(map[string]any)
			of := groups[row["ip"].(string)]
			if len(of) == 0 {
				t.Fatalf("%s: the address has no clicks: %v", query, row)
			}
			compare(t, query, row, map[string]float64{
				"hits": float64(len(of)), "bot_clicks": figures(of)["bot_clicks"], "user_agents": 1,
			})
			if row["first_seen"] != of[0].at().Format(models.EventTimeFormat) ||
				row["last_seen"] != of[len(of)-1].at().Format(models.EventTimeFormat) {
				t.Errorf("%s: the address has other times than its first and last click: %v", query, row)
			}
			delete(groups, row["ip"].(string))
		}
		if len(groups) > 0 || got["of"] != "clicks" || got["min_hits"] != 2.0 {
			t.Errorf("%s: %d addresses are missing; %v", query, len(groups), got)
		}
	}
	check("", func(*visit) bool { return true })
	check("campaign=all&source=all&min_hits=-3", func(*visit) bool { return true })
	check("campaign="+r.campaigns[0].String(), func(v *visit) bool { return v.CampaignID == r.campaigns[0] })
	check("source="+r.sources[1].String(), func(v *visit) bool { return v.SourceID == r.sources[1] })
	check("from=2020-01-01", func(*visit) bool { return true })
	for query, rows := range map[string]int{
		"limit=1": 1, "min_hits=61": 0, "min_hits=9999999": 0, "from=2020-01-01&to=2020-01-02": 0,
		"campaign=" + r.sources[0].String(): 0,
	} {
		got := s.Do("GET", "/logs/repeat-ips?"+query, nil).Want(200, "").Map()
		if n := len(got["rows"].([]any)); n != rows {
			t.Errorf("%s: %d rows, want %d", query, n, rows)
		}
		if from := got["range"].(map[string]any)["from"].(string); strings.HasPrefix(from, "2020") {
			t.Errorf("%s: the range begins at %s, want the start of the plan's history or later", query, from)
		}
	}
	for query, code := range map[string]string{
		"campaign=x": "invalid_id", "source=links": "invalid_id", "min_hits=x": "invalid_input", "from=x": "invalid_input",
	} {
		s.Do("GET", "/logs/repeat-ips?"+query, nil).Want(400, code)
	}
}

func TestOrphaned(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 80, 3)
	if rows := s.Do("GET", "/reports/orphaned", nil).Want(200, "").Map()["rows"].([]any); len(rows) != 0 {
		t.Errorf("before any campaign was deleted, the orphaned campaigns are %v, want none", rows)
	}
	gone := r.campaigns[0]
	s.Do("DELETE", "/campaigns/"+gone.String(), nil).Want(200, "")
	got := s.As(s.ReadKey).Do("GET", "/reports/orphaned", nil).Want(200, "").Map()
	rows := got["rows"].([]any)
	if len(rows) != 1 || got["liveCampaigns"] != 1.0 {
		t.Fatalf("want the deleted campaign, and one campaign that exists: %v", got)
	}
	row := rows[0].(map[string]any)
	of := r.where(func(v *visit) bool { return v.CampaignID == gone })
	f, who := figures(of), map[[16]byte]bool{}
	for _, v := range of {
		if !v.IsBot {
			who[v.UniqueKey] = true
		}
	}
	pick := func(names ...string) map[string]float64 {
		out := map[string]float64{}
		for _, n := range names {
			out[n] = f[n]
		}
		return out
	}
	compare(t, "orphan", row, pick("clicks", "bot_clicks", "lp_clicks", "cost", "conversions", "revenue"))
	compare(t, "orphan", row, map[string]float64{"visitors": float64(len(who))})
	if row["campaign_id"] != gone.String() || row["first_seen"] != of[0].at().Format(models.EventTimeFormat) ||
		row["last_seen"] != of[len(of)-1].at().Format(models.EventTimeFormat) {
		t.Errorf("want the deleted campaign with the times of its first and last click: %v", row)
	}
	totals := s.Do("GET", "/reports/orphaned?from=2020-01-01&to=2020-01-02&totals_for="+gone.String(), nil).Want(200, "")
	compare(t, "totals", totals.Map(), pick("clicks", "cost", "conversions", "revenue"))
	if _, ranged := totals.Map()["rows"]; ranged {
		t.Errorf("the totals have rows: %s", totals.Raw)
	}
	f = figures(r.visits)
	all := s.Do("GET", "/reports/orphaned?totals_for="+gone.String()+",%20"+r.campaigns[1].String(), nil).Want(200, "")
	compare(t, "totals of both", all.Map(), pick("clicks", "cost", "conversions", "revenue"))
	_, foreign, _ := s.NewAccount("scale")
	none := s.As(foreign).Do("GET", "/reports/orphaned?totals_for="+gone.String(), nil).Want(200, "")
	compare(t, "another account", none.Map(), map[string]float64{"clicks": 0, "cost": 0, "conversions": 0, "revenue": 0})
	for query, code := range map[string]string{
		"totals_for=x": "invalid_id", "totals_for=": "invalid_id", "totals_for=" + gone.String() + ",": "invalid_id",
		"from=x": "invalid_input",
	} {
		s.Do("GET", "/reports/orphaned?"+query, nil).Want(400, code)
	}
}

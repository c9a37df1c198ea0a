package v1_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/models"
)

type logPage struct {
	Range map[string]string
	Rows  []map[string]any
}

func (r *trafficEnv) log(path string, query url.Values) logPage {
	r.t.Helper()
	var page logPage
	r.s.Do("GET", path+"?"+query.Encode(), nil).Want(200, "").Into(&page)
	return page
}

// orNil returns an id in the form of logs: nil for the zero id.
func orNil(id fmt.Stringer) any {
	if text := id.String(); !strings.HasPrefix(text, "00000000-0000-0000") {
		return text
	}
	return nil
}

func TestClickLog(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 120, 5)
	newest := slices.Clone(r.visits)
	slices.Reverse(newest)
	got := r.log("/logs/clicks", url.Values{"limit": {"1000"}}).Rows
	if len(got) != len(newest) {
		t.Fatalf("%d rows, want %d", len(got), len(newest))
	}
	for i, row := range got {
		v := newest[i]
		cost, _ := v.Cost.Float64()
		counts := map[string]float64{}
		if !v.IsBot {
			counts = figures([]*visit{v})
			compare(t, fmt.Sprint("row ", i), row, map[string]float64{"revenue": counts["revenue"]})
		}
		for field, want := range map[string]any{
			"click_id": models.FormatClickID(v.ID), "at": v.at().Format(models.EventTimeFormat),
			"campaign_id": v.CampaignID.String(), "stream_id": v.StreamID.String(), "passed_stream_id": orNil(v.PassedStreamID),
			"passed_reason": v.PassedReason, "lander_id": orNil(v.LanderID),
			"offer_id": orNil(v.offer()), "source_id": orNil(v.SourceID), "country": v.Country, "city": v.City,
			"device_type": v.DeviceType, "os": v.OS, "browser": v.Browser, "ip": v.IP.String(), "user_agent": "UA",
			"is_bot": v.IsBot, "is_unique": v.unique, "sub1": v.Subs[0], "sub10": "", "cost": cost, "currency": "USD",
			"conversions": counts["conversions"], "lp_clicks": float64(min(len(v.outs), 1)),
		} {
			if row[field] != want {
				t.Errorf("row %d: %s is %v, want %v", i, field, row[field], want)
			}
		}
	}

	page := r.log("/logs/clicks", url.Values{"limit": {"7"}, "offset": {"5"}}).Rows
	for i := range 7 {
		if page[i]["click_id"] != got[5+i]["click_id"] {
			t.Errorf("row %d of the page is the click %v, want the same order as in the whole log", i, page[i]["click_id"])
		}
	}
	for query, rows := range map[string]int{
		"": 100, "limit=0": 1, "limit=-5": 1, "limit=99999999999999999999": 120, "offset=-3": 100,
		"limit=1000&offset=100": 20, "offset=99999999999999999999": 0, "converted=0": 100,
	} {
		q, _ := url.ParseQuery(query)
		if n := len(r.log("/logs/clicks", q).Rows); n != rows {
			t.Errorf("%q: %d rows, want %d", query, n, rows)
		}
	}
	var converted []string
	for _, v := range newest {
		if len(v.sales) > 0 {
			converted = append(converted, models.FormatClickID(v.ID))
		}
	}
	var found []string
	for _, row := range r.log("/logs/clicks", url.Values{"converted": {"1"}, "limit": {"1000"}}).Rows {
		found = append(found, row["click_id"].(string))
	}
	if !slices.Equal(found, converted) {
		t.Errorf("converted clicks %v, want %v", found, converted)
	}
	for _, query := range []string{"limit=many", "offset=1.5", "converted=yes", "from=x"} {
		s.Do("GET", "/logs/clicks?"+query, nil).Want(400, "invalid_input")
	}
	_, foreign, _ := s.NewAccount("scale")
	if rows := s.As(foreign).Do("GET", "/logs/clicks", nil).Want(200, "").Map()["rows"]; len(rows.([]any)) != 0 {
		t.Errorf("another account sees %v", rows)
	}
}

// TestLogFilters: the logs can be filtered by dimensions and by ids. Their rows have the names of the records.
func TestLogFilters(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 80, 3)
	dbtest.Exec(t, s.DB, `UPDATE clicks SET external_id = 'gclid-1' WHERE id = $1`, r.visits[7].ID)
	nepal, _ := time.LoadLocation("Asia/Kathmandu")
	hour := r.visits[40].at().In(nepal).Format("2006-01-02 15:00:00-07:00")
	one := r.visits[slices.IndexFunc(r.visits, func(v *visit) bool { return len(v.sales) > 0 })]
	for query, keep := range map[string]func(*visit) bool{
		"f.country=DE&x.os=iOS":              func(v *visit) bool { return v.Country == "DE" && v.OS != "iOS" },
		"f.sub1=" + url.QueryEscape(`"q"`):   func(v *visit) bool { return v.Subs[0] == `"q"` },
		"f.source_id=&x.ip=2001:db8::1":      func(v *visit) bool { return orNil(v.SourceID) == nil && v.IP.Is4() },
		"f.offer_id=" + r.offers[1].String(): func(v *visit) bool { return v.offer() == r.offers[1] },
		"tz=Asia/Kathmandu&f.hour=" + url.QueryEscape(hour): func(v *visit) bool {
			return v.at().In(nepal).Format("2006-01-02 15:00:00-07:00") == hour
		},
		"external_id=gclid-1":                                   func(v *visit) bool { return v == r.visits[7] },
		"external_id=gclid-2":                                   func(*visit) bool { return false },
		"click_id=" + models.FormatClickID(one.ID):              func(v *visit) bool { return v == one },
		"f.country=DE&click_id=" + models.FormatClickID(one.ID): func(v *visit) bool { return v == one && v.Country == "DE" },
	} {
		q, _ := url.ParseQuery(query + "&limit=1000")
		clicks, sales := map[any]bool{}, 0
		for _, v := range r.where(keep) {
			clicks[models.FormatClickID(v.ID)] = true
			sales += len(v.sales)
		}
		rows := r.log("/logs/clicks", q).Rows
		for _, row := range rows {
			if !clicks[row["click_id"]] || row["campaign_name"] == nil || row["stream_name"] != "Path 1" ||
				(row["passed_stream_name"] == "Path 1") != (row["passed_reason"] == "capped") {
				t.Errorf("%s: the row is of another click, or lacks a name: %v", query, row)
			}
		}
		conversions := r.log("/logs/conversions", q).Rows
		for _, row := range conversions {
			if !clicks[row["click_id"]] || row["campaign_name"] == nil {
				t.Errorf("%s: the conversion is of another click, or lacks the campaign's name: %v", query, row)
			}
		}
		if len(rows) != len(clicks) || len(conversions) != sales {
			t.Errorf("%s: %d clicks with %d conversions, want %d with %d", query, len(rows), len(conversions), len(clicks), sales)
		}
	}
	want := map[string]int{}
	for _, v := range r.visits {
		for _, in := range v.sales {
			want["conversion_id="+in.ConversionID]++
			want["status="+in.Status]++
			want["f.status="+in.Status+"&x.goal="]++
		}
	}
	for query, n := range want {
		q, _ := url.ParseQuery(query + "&limit=1000")
		if got := len(r.log("/logs/conversions", q).Rows); got != n {
			t.Errorf("%s: %d conversions, want %d", query, got, n)
		}
		if q.Has("conversion_id") {
			if got := len(r.log("/logs/clicks", q).Rows); got != n {
				t.Errorf("%s: %d clicks, want %d", query, got, n)
			}
		}
	}
	for query, code := range map[string]string{
		"f.nonsense=1": "invalid_dimension", "f.country=Germoney": "invalid_dimension", "click_id=x": "invalid_id",
		"tz=Mars": "invalid_input", "clickid=x": "invalid_input", "external_id=" + strings.Repeat("x", 501): "invalid_input",
		"conversion_id=" + strings.Repeat("x", 501): "invalid_input",
	} {
		s.Do("GET", "/logs/clicks?"+query, nil).Want(400, code)
		s.Do("GET", "/logs/conversions?"+query, nil).Want(400, code)
	}
	s.Do("GET", "/logs/conversions?status=paid", nil).Want(400, "invalid_input")
	s.Do("GET", "/logs/conversions?f.status=paid", nil).Want(400, "invalid_dimension")
	for _, query := range []string{"f.goal=", "x.status=approved&f.country=DE", "f.status=approved&converted=1"} {
		s.Do("GET", "/logs/clicks?"+query, nil).Want(400, "invalid_dimension")
	}
	if got := r.log("/logs/conversions", url.Values{"f.goal": {""}}).Rows; len(got) != 0 {
		t.Errorf("%d conversions have an empty value of the dimension goal, want 0", len(got))
	}
	_, foreign, _ := s.NewAccount("scale")
	for _, path := range []string{"clicks", "conversions"} {
		page := s.As(foreign).Do("GET", "/logs/"+path+"?click_id="+models.FormatClickID(one.ID), nil).Want(200, "").Map()
		if len(page["rows"].([]any)) != 0 {
			t.Errorf("another account sees %v", page)
		}
	}
}

func TestClickLogHistory(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	r := newTrafficEnv(t, s, 10, 200) // a click every twenty days; the plan shows 180 days
	start := time.Now().UTC().AddDate(0, 0, -180).Format(time.DateOnly)
	page := r.log("/logs/clicks", url.Values{"from": {"2020-01-01"}})
	first, _ := time.Parse(time.DateOnly, start)
	if want := len(r.between(first, time.Now())); len(page.Rows) != want || page.Range["from"] != start+" 00:00:00" {
		t.Errorf("%d rows from %v, want %d from %s", len(page.Rows), page.Range, want, start)
	}
	page = r.log("/logs/clicks", url.Values{"from": {"2020-01-01"}, "to": {"2020-02-01"}})
	if len(page.Rows) != 0 || page.Range["from"] != start+" 00:00:00" {
		t.Errorf("for a window before the plan's history the answer is %v, want no rows and a range that begins with the history", page)
	}
	s.Do("GET", "/logs/clicks/"+models.FormatClickID(r.visits[0].ID), nil).Want(402, "plan_limit")
	s.Do("POST", "/tools/simulate", map[string]any{"click_id": models.FormatClickID(r.visits[0].ID)}).Want(402, "plan_limit")
	s.Do("GET", "/logs/clicks/"+models.FormatClickID(r.visits[5].ID), nil).Want(200, "")
	gone := models.FloorClickID(time.Now().AddDate(0, 0, -200)) // as if the row had been deleted for its age
	s.Do("GET", "/logs/clicks/"+models.FormatClickID(gone), nil).Want(402, "plan_limit")
	never := models.FloorClickID(time.Now().AddDate(-10, 0, 0)) // no plan keeps clicks for that long
	s.Do("GET", "/logs/clicks/"+models.FormatClickID(never), nil).Want(404, "not_found")
}

func TestOneClick(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 60, 2)
	for _, v := range r.visits {
		got := s.Do("GET", "/logs/clicks/"+models.FormatClickID(v.ID), nil).Want(200, "").Map()
		click, visitor := got["click"].(map[string]any), got["visitor"].(map[string]any)
		hops, conversions := got["hops"].([]any), got["conversions"].([]any)
		if got["click_id"] != models.FormatClickID(v.ID) || click["campaign_id"] != v.CampaignID.String() ||
			visitor["country"] != v.Country || visitor["ip"] != v.IP.String() || len(conversions) != len(v.sales) ||
			len(hops) != 1+len(v.outs) || hops[0].(map[string]any)["kind"] != "redirect" {
			t.Errorf("the click lacks hops or conversions, or has other values: %v", got)
		}
		for i, o := range v.outs {
			hop := hops[i+1].(map[string]any)
			if hop["kind"] != "click_out" || hop["offer_id"] != o.OfferID.String() || hop["slot"] != float64(o.Slot) ||
				hop["destination"] != o.Destination || hop["at"] != models.ClickTime(o.ID).Format(models.EventTimeFormat) {
				t.Errorf("the hop %d differs from the recorded step: %v", i, hop)
			}
		}
		names := got["names"].(map[string]any)
		if names[v.CampaignID.String()] == nil || names[r.stream.String()] != "Path 1" ||
			orNil(v.offer()) != nil && names[v.offer().String()] == nil {
			t.Errorf("the names of the campaign, the path or the offer are missing: %v", names)
		}
	}
	_, foreign, _ := s.NewAccount("scale")
	known := models.FormatClickID(r.visits[0].ID)
	s.As(foreign).Do("GET", "/logs/clicks/"+known, nil).Want(404, "not_found")
	s.Do("GET", "/logs/clicks/"+models.FormatClickID(models.NewClickID()), nil).Want(404, "not_found")
	for _, bad := range []string{"nonsense", known + "0", "zzzzzzzzzzzzzzzzzzzzzz", "%20", r.campaigns[0].String()} {
		s.Do("GET", "/logs/clicks/"+bad, nil).Want(400, "invalid_id")
	}
}

func TestConversionLog(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 60, 2)
	type sale struct {
		key    string
		status string
		payout float64
	}
	var want []sale
	for _, v := range slices.Backward(r.visits) {
		for _, in := range slices.Backward(v.sales) {
			payout, _ := in.Payout.Float64()
			want = append(want, sale{
				in.At.Truncate(time.Millisecond).Format(models.RecordedAtFormat) + models.FormatClickID(v.ID) + in.ConversionID,
				in.Status, payout,
			})
		}
	}
	rows := r.log("/logs/conversions", url.Values{"limit": {"1000"}}).Rows
	if len(rows) != len(want) || len(want) < 20 {
		t.Fatalf("%d rows, want %d", len(rows), len(want))
	}
	for i, row := range rows {
		got := sale{
			fmt.Sprint(row["recorded_at"], row["click_id"], row["conversion_id"]), row["status"].(string),
			row["payout"].(float64),
		}
		if got != want[i] || row["currency"] != "USD" || row["source"] != "postback" || row["goal"] != "" {
			t.Errorf("row %d is %v, want %v", i, row, want[i])
		}
	}
	page := r.log("/logs/conversions", url.Values{"limit": {"3"}, "offset": {"4"}}).Rows
	if len(page) != 3 || page[0]["id"] != rows[4]["id"] || page[2]["id"] != rows[6]["id"] {
		t.Errorf("want rows 4 to 6 of the whole log: %v", page)
	}
	if n := len(r.log("/logs/conversions", url.Values{"from": {"2020-01-01"}, "to": {"2020-01-02"}}).Rows); n != 0 {
		t.Errorf("%d conversions in a window before all conversions, want 0", n)
	}
	s.Do("GET", "/logs/conversions?limit=x", nil).Want(400, "invalid_input")
	s.Do("GET", "/logs/conversions?offset=x", nil).Want(400, "invalid_input")
	_, foreign, _ := s.NewAccount("scale")
	if rows := s.As(foreign).Do("GET", "/logs/conversions", nil).Map()["rows"]; len(rows.([]any)) != 0 {
		t.Errorf("another account sees %v", rows)
	}
}

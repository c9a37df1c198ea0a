package api

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/cmd/switchyard/cli"
	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	dbexport "switchyard/db/export"
	"switchyard/db/report"
	"switchyard/db/spool"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/export"
	"switchyard/workers/flowreplay"
)

type exportEnv struct {
	t        *testing.T
	s        *apitest.Server
	client   *jobs.Client
	campaign uuid.UUID
	clicks   []models.Click
	sales    map[uuid.UUID]decimal.Decimal
	window   string // query of the window that files have; empty: the usual window
}

const nasty = `=HYPERLINK("http://evil.example"),` + "\n" + `né`

func newExportEnv(t *testing.T) *exportEnv {
	t.Helper()
	redis := jobstest.Redis(t)
	client := jobs.Connect(redis)
	s := apitest.New(t, apitest.Options{V1: v1.Deps{Jobs: client, BaseURL: "https://track.example.com"}})
	runtime := workers.New(workers.Options{DB: s.DB, Redis: redis, Client: client, Grace: 4 * time.Second})
	export.Register(runtime, s.Store, dbexport.Reader{Conn: s.DB}, report.Reader{Conn: s.DB})
	flowreplay.Register(runtime, s.Store, cli.FlowReplayOptions(click.Log{Conn: s.DB}))
	jobstest.Run(t, runtime.Run)
	x := &exportEnv{t: t, s: s, client: client, campaign: uuid.New(), sales: map[uuid.UUID]decimal.Decimal{}}
	dbtest.Exec(x.t, x.s.DB, `INSERT INTO domains (id, host) VALUES ($1, 'go.example.com')`, x.campaign)
	dbtest.Exec(x.t, x.s.DB, `INSERT INTO campaigns (id, account_id, name, alias, domain_id) VALUES ($1, $2, '@SUM(1)', 'abcdef', $1)`,
		x.campaign, s.Account.ID)
	x.storeClicks(40)
	return x
}

func (x *exportEnv) storeClicks(n int) {
	x.t.Helper()
	var all []spool.Record
	for i := range n {
		c := models.Click{
			ID: models.NewClickID(), AccountID: x.s.Account.ID, CampaignID: x.campaign, Visitor: models.Visitor{
				Country: []string{"DE", "FR", ""}[i%3],
				IP:      netip.MustParseAddr("2001:db8::7"), UserAgent: `-1 "quoted"`, IsBot: i%7 == 0,
			},
			Cost: decimal.New(int64(i), -3), Currency: "USD", UniqueHours: 24, UniqueKey: [16]byte{byte(i)},
		}
		c.Subs[0], c.Subs[2] = nasty, strconv.Itoa(i)
		x.clicks = append(x.clicks, c)
		all = append(all, spool.Record{Click: &c})
	}
	storeRecords(x.t, x.s.DB, all...)
	for i, c := range x.clicks {
		if i%4 != 1 || c.IsBot {
			continue
		}
		payout := decimal.New(int64(100+i), -2)
		x.sales[c.ID] = payout
		in := conversion.Input{
			ClickID: c.ID, AccountID: c.AccountID, ConversionID: "+order" + strconv.Itoa(i), Payout: &payout,
			Status: models.StatusApproved, Source: models.FromPostback, At: models.ClickTime(c.ID).Add(time.Millisecond),
		}
		if i == 37 {
			in.Sale, in.SaleCurrency = new(decimal.RequireFromString("64.990")), "EUR"
		}
		err := db.Tx(x.t.Context(), x.s.DB, func(c db.Conn) error {
			_, err := conversion.Record(x.t.Context(), click.Log{}, c, in)
			return err
		})
		if err != nil {
			x.t.Fatal(err)
		}
	}
}

func (x *exportEnv) text(body map[string]any) (text []byte, rows int64) {
	x.t.Helper()
	var made struct {
		ID, Name, CreatedAt string
		RowCount            int64  `json:"row_count"`
		ByteSize            int64  `json:"byte_size"`
		DownloadURL         string `json:"download_url"`
	}
	// An export changes no data, so a read-only key may make one.
	x.s.As(x.s.ReadKey).Do("POST", "/reports/exports"+x.window, body).Want(http.StatusCreated, "").Into(&made)
	path := "/reports/exports/" + made.ID
	if want := "https://track.example.com/api/v1" + path; made.DownloadURL != want {
		x.t.Errorf("download_url %s, want %s", made.DownloadURL, want)
	}
	got := x.s.As(x.s.ReadKey).Do("GET", path, nil)
	if got.Status != http.StatusOK || int64(len(got.Raw)) != made.ByteSize ||
		!strings.HasPrefix(got.Header.Get("Content-Type"), "text/csv") ||
		!strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment; filename") {
		x.t.Fatalf("the download has the status %d, the headers %v and %d bytes of %d; want an attachment of type text/csv", got.Status, got.Header, len(got.Raw), made.ByteSize)
	}
	return got.Raw, made.RowCount
}

func (x *exportEnv) file(body map[string]any) []map[string]string {
	x.t.Helper()
	text, count := x.text(body)
	text, marked := bytes.CutPrefix(text, []byte("\xEF\xBB\xBF"))
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || int64(len(lines)-1) != count || !marked {
		x.t.Fatalf("%d lines, want %d and a header; byte order mark %v: %v", len(lines), count, marked, err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range line {
			row[lines[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

func (x *exportEnv) expect(where string, row map[string]string, want map[string]any) {
	x.t.Helper()
	for name, value := range want {
		if row[name] != fmt.Sprint(value) {
			x.t.Errorf("%s: %s is %q, want %q", where, name, row[name], fmt.Sprint(value))
		}
	}
}

// TestExports: the report files of an account have the rows and values that its clicks and conversions have.
func TestExports(t *testing.T) {
	t.Parallel()
	x := newExportEnv(t)
	rows := x.file(map[string]any{"kind": "clicks", "name": "My clicks"})
	if len(rows) != len(x.clicks) {
		t.Fatalf("the file has %d clicks, want %d", len(rows), len(x.clicks))
	}
	for i, row := range rows {
		c := x.clicks[len(x.clicks)-1-i]
		sold := 0
		if _, ok := x.sales[c.ID]; ok {
			sold = 1
		}
		x.expect("click", row, map[string]any{
			"click_id": models.FormatClickID(c.ID), "at": models.ClickTime(c.ID).Format(time.DateTime),
			"campaign_id": x.campaign, "campaign_name": "'@SUM(1)", "stream_id": "", "stream_name": "", "country": c.Country, "ip": c.IP, "cost": c.Cost, "is_bot": c.IsBot,
			"user_agent": "'" + c.UserAgent, "sub1": "'" + nasty, "sub2": "", "sub3": c.Subs[2],
			"conversions": sold, "revenue": x.sales[c.ID],
		})
	}
	for _, row := range x.file(map[string]any{"kind": "conversions"}) {
		id, err := models.ParseClickID(row["click_id"])
		payout, known := x.sales[id]
		if err != nil || !known {
			t.Fatalf("the file has a conversion of the click %s, which has none: %v", row["click_id"], err)
		}
		delete(x.sales, id)
		x.expect("conversion", row, map[string]any{"payout": payout, "status": "approved", "campaign_id": x.campaign, "campaign_name": "'@SUM(1)"})
		if !strings.HasPrefix(row["conversion_id"], "'+order") {
			t.Errorf("the conversion id is %s, want a quote before the sign at its start", row["conversion_id"])
		}
	}
	if len(x.sales) > 0 {
		t.Errorf("%d conversions are missing", len(x.sales))
	}
	x.likeTheReports()
	x.checkRetention()
}

func (x *exportEnv) likeTheReports() {
	x.t.Helper()
	dbtest.Exec(x.t, x.s.DB, `INSERT INTO spend (account_id, day, source_id, campaign_id, amount, currency, clicks, alone, rate)
		SELECT $1, day, $2, $2, 0, 'USD', 50, false, 1 FROM (SELECT DISTINCT date_trunc('day', at, 'UTC')::date AS day FROM clicks) d`,
		x.s.Account.ID, uuid.New())
	lost := 0
	same := func(rows []map[string]string, query string, key func(map[string]any) map[string]any) {
		x.t.Helper()
		list := x.s.Do("GET", query, nil).Want(http.StatusOK, "").Map()["rows"].([]any)
		if len(list) != len(rows) || len(rows) == 0 {
			x.t.Fatalf("%s: %d rows, the file has %d", query, len(list), len(rows))
		}
		for i, r := range list {
			r := r.(map[string]any)
			want := key(r)
			for _, name := range []string{"clicks", "bot_clicks", "cost", "revenue", "epc", "cr", "roi"} {
				if want[name] = r[name]; r[name] == nil {
					want[name] = ""
				}
			}
			loss, told := r["click_loss"].(map[string]any)
			for name, value := range loss {
				want["click_loss."+name] = value
			}
			if told {
				lost++
			}
			x.expect(query, rows[i], want)
		}
	}
	dims := func(r map[string]any) map[string]any { return r["dims"].(map[string]any) }
	named := x.file(map[string]any{})
	same(named, "/reports/performance", dims)
	x.expect("name", named[0], map[string]any{"campaign_name": "'@SUM(1)"})
	people := x.file(map[string]any{
		"dimension": "campaign_id,country", "sort": "-country", "columns": []string{"clicks", "cost"}, "formulas": "clicks*1",
		"headings": []string{"Kampagne", "=Land", "Klicks", "Kosten", "Formel"},
	})
	if first, last := people[0]["'=Land"], people[len(people)-1]["'=Land"]; first <= last {
		x.t.Errorf("the file is not in the descending order of the countries: first %s, last %s", first, last)
	}
	if len(people[0]) != 5 || people[0]["Kampagne"] != "'@SUM(1)" || people[0]["'=Land"] == "" || people[0]["Klicks"] != people[0]["Formel"] {
		x.t.Errorf("the first row of the file with own headings is %v, want its five columns", people[0])
	}
	same(x.file(map[string]any{"dimension": "country, date"}), "/reports/performance?dimension=country,date", dims)
	same(x.file(map[string]any{"dimension": "date"}), "/reports/performance?dimension=date", dims)
	filters := []map[string]any{
		{"dimension": "country", "value": []string{"DE"}}, {"dimension": "country", "value": "FR"}, {"dimension": "sub3", "value": 7},
	}
	same(x.file(map[string]any{"dimension": "ip", "filters": filters}),
		"/reports/performance?dimension=ip&f.country=DE&f.country=FR&f.sub3=7", dims)
	for _, bucket := range []string{"month", "day", "weekday", "hour", "weekday_hour"} {
		same(x.file(map[string]any{"kind": "trends", "bucket": bucket}), "/reports/trends?bucket="+bucket,
			func(r map[string]any) map[string]any { return map[string]any{bucket: r["bucket"]} })
	}
	// With a comparison, the file also has the groups that only the other window has, like the report.
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	x.window = "?from=" + day(1) + "&to=" + day(2)
	compare := day(-1) + ".." + day(0)
	same(x.file(map[string]any{"dimension": "country", "compare": compare, "min_clicks": 1}),
		"/reports/performance"+x.window+"&dimension=country&min_clicks=1&compare="+compare, dims)
	x.window = ""
	if lost < 4 { // each report by date, month, day or weekday has a row with a click loss
		x.t.Errorf("%d rows have a click loss, want at least 4", lost)
	}
}

func (x *exportEnv) checkRetention() {
	x.t.Helper()
	s := x.s
	page := s.Do("GET", "/reports/exports?limit=2", nil).Want(http.StatusOK, "").Map()
	list := s.Do("GET", "/reports/exports", nil).Want(http.StatusOK, "").Map()["rows"].([]any)
	if len(page["rows"].([]any)) != 2 || page["next_cursor"] == nil || len(list) != 13 {
		x.t.Fatalf("%d files are listed, want 13; a page of two is %v", len(list), page)
	}
	first := list[len(list)-1].(map[string]any)
	if first["name"] != "My clicks" || first["kind"] != "clicks" || first["row_count"] != 40.0 {
		x.t.Errorf("the oldest file is %v, want My clicks with 40 rows", first)
	}
	path := fmt.Sprint("/reports/exports?id=", first["id"])
	_, foreign, _ := s.NewAccount("scale")
	s.As(foreign).Do("DELETE", path, nil).Want(http.StatusNotFound, "not_found")
	s.As(foreign).Do("GET", fmt.Sprint("/reports/exports/", first["id"]), nil).Want(http.StatusNotFound, "not_found")
	s.As(s.ReadKey).Do("DELETE", path, nil).Want(http.StatusForbidden, "read_only_key")
	s.Do("DELETE", path, nil).Want(http.StatusOK, "")
	s.Do("DELETE", path, nil).Want(http.StatusNotFound, "not_found")
	s.Do("GET", fmt.Sprint("/reports/exports/", first["id"]), nil).Want(http.StatusNotFound, "not_found")
	s.Do("DELETE", "/reports/exports?id=x", nil).Want(http.StatusBadRequest, "invalid_id")
	s.Do("DELETE", "/reports/exports", nil).Want(http.StatusBadRequest, "invalid_id")
	s.Do("GET", "/reports/exports/x", nil).Want(http.StatusBadRequest, "invalid_id")
	var n int
	if err := s.DB.GetContext(x.t.Context(), &n, `SELECT count(*) FROM export_chunks`); err != nil || n != 12 {
		x.t.Errorf("%d pieces of 12 files are stored, want 12: %v", n, err)
	}
}

// TestExportRules: each wrong request for a report file gets its documented code.
func TestExportRules(t *testing.T) {
	t.Parallel()
	x := newExportEnv(t)
	filters := func(n int) []map[string]any {
		return make([]map[string]any, n)
	}
	for name, c := range map[string]struct {
		body any
		code string
	}{
		"not json":           {"{", "bad_body"},
		"an array":           {"[]", "bad_body"},
		"kind":               {map[string]any{"kind": "everything"}, "invalid_kind"},
		"kind's type":        {map[string]any{"kind": 5}, "invalid_kind"},
		"dimension":          {map[string]any{"dimension": "os,nonsense"}, "invalid_dimension"},
		"six dimensions":     {map[string]any{"dimension": "os,ip,date,hour,country,city"}, "invalid_dimension"},
		"filter's dimension": {map[string]any{"filters": filters(1)}, "invalid_dimension"},
		"filter's value":     {map[string]any{"filters": []any{map[string]any{"dimension": "os"}}}, "invalid_dimension"},
		"a long filter value": {map[string]any{"filters": []any{
			map[string]any{"dimension": "os", "value": strings.Repeat("x", 501)},
		}}, "invalid_dimension"},
		"a filter with too many values": {map[string]any{"filters": []any{
			map[string]any{"dimension": "os", "value": strings.Split(strings.Repeat("1,", 100), ",")},
		}}, "invalid_dimension"},
		"zone":                             {map[string]any{"kind": "trends", "tz": "Mars"}, "invalid_input"},
		"bucket":                           {map[string]any{"kind": "trends", "bucket": "year"}, "invalid_bucket"},
		"bucket of a kind without buckets": {map[string]any{"kind": "clicks", "bucket": "year"}, "invalid_bucket"},
		"link":                             {map[string]any{"link": "x"}, "invalid_id"},
		"a long name":                      {map[string]any{"name": strings.Repeat("x", 256)}, "invalid_input"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x.s.In(t).Do("POST", "/reports/exports", c.body).Want(http.StatusBadRequest, c.code)
		})
	}
	x.s.Do("POST", "/reports/exports?from=x", map[string]any{}).Want(http.StatusBadRequest, "invalid_input")

	body := map[string]any{"kind": "clicks", "bucket": "month", "dimension": "nonsense"}
	one := x.s.Do("POST", "/reports/exports", body, "Idempotency-Key", "k").Want(http.StatusCreated, "").Map()
	two := x.s.Do("POST", "/reports/exports", body, "Idempotency-Key", "k").Want(http.StatusCreated, "").Map()
	if one["id"] != two["id"] {
		t.Errorf("two calls with the same key made the files %v and %v, want one file", one, two)
	}
	job := x.s.Do("GET", fmt.Sprint("/jobs/", one["id"]), nil).Want(http.StatusOK, "").Map()
	if job["status"] != "done" || fmt.Sprint(job["result"]) != fmt.Sprint(one) {
		t.Errorf("the job is %v, want it done with the result of the call, %v", job, one)
	}
	empty := x.s.Do("POST", "/reports/exports?from=2020-01-01&to=2020-01-02", body).Want(http.StatusCreated, "").Map()
	if empty["row_count"] != 0.0 {
		t.Errorf("an export of 2020, want no rows: %v", empty)
	}

	dbtest.Exec(x.t, x.s.DB, `INSERT INTO conversions SELECT gen_random_uuid(), $1, gen_random_uuid(), '', '', 'approved', '', 1, 'USD', 0,
		NULL, $2, $2, $2, $2, 'postback', now(), now() FROM generate_series(1, 100001)`, x.s.Account.ID, x.campaign)
	x.s.Do("POST", "/reports/exports", map[string]any{"kind": "conversions"}).Want(http.StatusBadRequest, "too_large")
}

func (x *exportEnv) smartlinks() []uuid.UUID {
	x.t.Helper()
	links := []uuid.UUID{uuid.New(), uuid.New()}
	var all []spool.Record
	for i, link := range links {
		dbtest.Exec(x.t, x.s.DB, `INSERT INTO smartlinks (id, account_id, domain_id, slug, destination_url)
			VALUES ($1, $2, $3, $4, 'https://x.example')`, link, x.s.Account.ID, x.campaign, fmt.Sprint("link", i))
		for n := range 2 + i {
			c := &models.SmartlinkClick{Click: x.clicks[n], SmartlinkID: link, DestinationURL: "https://x.example/" + nasty}
			c.ID, c.CampaignID = models.NewClickID(), uuid.Nil
			all = append(all, spool.Record{Smart: c})
		}
	}
	storeRecords(x.t, x.s.DB, all...)
	return links
}

// TestFilesOfSmartlinks: a file of smartlink clicks has the clicks of all smartlinks, or of the smartlink that is named.
func TestFilesOfSmartlinks(t *testing.T) {
	t.Parallel()
	x := newExportEnv(t)
	links := x.smartlinks()
	all := x.file(map[string]any{"kind": "smartlink-clicks"})
	ofLink := x.file(map[string]any{"kind": "smartlink-clicks", "link": links[0]})
	if len(all) != 5 || len(ofLink) != 2 {
		t.Fatalf("the files have %d clicks of all smartlinks and %d of the first, want 5 and 2", len(all), len(ofLink))
	}
	for _, row := range ofLink {
		x.expect("click", row, map[string]any{
			"smartlink_id": links[0], "slug": "link0", "rule_id": "", "destination_url": "https://x.example/" + nasty,
			"sub1": "'" + nasty, "ip": "2001:db8::7",
		})
	}
	for link, hits := range map[string]float64{"links": 5, links[0].String(): 2, links[1].String(): 3} {
		got := x.s.Do("GET", "/logs/repeat-ips?link="+link, nil).Want(http.StatusOK, "").Map()
		row := got["rows"].([]any)[0].(map[string]any)
		if got["of"] != "smartlink-clicks" || row["hits"] != hits || row["ip"] != "2001:db8::7" {
			t.Errorf("the repeated addresses of %s are %v", link, got)
		}
	}
}

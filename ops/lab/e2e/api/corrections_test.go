package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/spool"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/models/longtest"
	"switchyard/ops/client"
	"switchyard/workers"
	fix "switchyard/workers/correction"
	"switchyard/workers/retention"
)

type correctionEnv struct {
	t         *testing.T
	s         *apitest.Server
	jobs      *jobs.Client
	day       string
	sources   []uuid.UUID
	campaigns []uuid.UUID
	clicks    []string
}

func newCorrectionEnv(t *testing.T, clicks int, also ...func(*workers.Runtime, *apitest.Server)) *correctionEnv {
	t.Helper()
	redis := jobstest.Redis(t)
	client := jobs.Connect(redis)
	s := apitest.New(t, apitest.Options{V1: v1.Deps{Jobs: client}})
	runtime := workers.New(workers.Options{DB: s.DB, Redis: redis, Client: client, Grace: 4 * time.Second})
	fix.Register(runtime, s.Store, click.Log{Conn: s.DB})
	retention.Register(runtime, s.Store, click.Log{Conn: s.DB})
	for _, register := range also {
		register(runtime, s)
	}
	jobstest.Run(t, runtime.Run)
	x := &correctionEnv{t: t, s: s, jobs: client}
	dbtest.SetRates(t, s.DB, "1")
	domain := uuid.New()
	dbtest.Exec(x.t, x.s.DB, `INSERT INTO domains (id, host) VALUES ($1, 'go.example.com')`, domain)
	dbtest.Exec(x.t, x.s.DB, `INSERT INTO webhook_endpoints (id, account_id, url, events, secret)
		VALUES ($1, $2, 'https://h.test/', '{conversion.created,conversion.updated}', 'x')`, domain, s.Account.ID)
	for i, name := range []string{"Push Ads", "Native"} {
		x.sources, x.campaigns = append(x.sources, uuid.New()), append(x.campaigns, uuid.New())
		dbtest.Exec(x.t, x.s.DB, `INSERT INTO traffic_sources (id, account_id, name) VALUES ($1, $2, $3)`, x.sources[i], s.Account.ID, name)
		dbtest.Exec(x.t, x.s.DB, `INSERT INTO campaigns (id, account_id, name, alias, domain_id) VALUES ($1, $2, $3, $4, $5)`,
			x.campaigns[i], s.Account.ID, "Campaign "+name, fmt.Sprint("alias-", i), domain)
	}
	x.storeClicks(clicks)
	return x
}

func (x *correctionEnv) storeClicks(n int) {
	x.t.Helper()
	var all []spool.Record
	start := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1).Add(time.Hour)
	x.day = start.Format(time.DateOnly)
	for i := range n {
		c := models.Click{
			ID: models.NewClickID(), AccountID: x.s.Account.ID, CampaignID: x.campaigns[i%2], SourceID: x.sources[i%2],
			Cost: decimal.New(1, -2), Currency: "USD", UniqueHours: 24, UniqueKey: [16]byte{byte(i), byte(i >> 8)},
		}
		floor := models.FloorClickID(start.Add(time.Duration(i) * time.Second))
		copy(c.ID[:6], floor[:6])
		x.clicks, all = append(x.clicks, models.FormatClickID(c.ID)), append(all, spool.Record{Click: &c})
	}
	storeRecords(x.t, x.s.DB, all...)
}

type (
	conversionAnswer struct {
		DryRun                   bool
		Total, Accepted, Refused int
		Payout                   float64
		Truncated                bool
		Outcomes                 []correction.ConversionOutcome
	}
	costAnswer struct {
		DryRun                   bool
		Total, Accepted, Refused int
		Spend                    float64
		Outcomes                 []correction.CostOutcome
	}
)

func (x *correctionEnv) post(path, csv string, apply bool, into any) {
	x.t.Helper()
	x.send(path, map[string]any{"csv": csv, "apply": apply}, into)
}

func (x *correctionEnv) send(path string, body any, into any) {
	x.t.Helper()
	a := x.s.Do("POST", path, body)
	if a.Status == http.StatusCreated {
		a.Into(into)
		return
	}
	if a.Status != http.StatusAccepted {
		a.Want(http.StatusOK, "").Into(into)
		return
	}
	path = fmt.Sprint("/jobs/", a.Map()["job"].(map[string]any)["id"])
	err := client.Poll(x.t.Context(), time.Second, func() (bool, error) {
		job := struct {
			Status string
			Result any
		}{Result: into}
		x.s.Do("GET", path, nil).Want(http.StatusOK, "").Into(&job)
		if job.Status == models.JobFailed {
			return false, fmt.Errorf("%s failed", path)
		}
		return job.Status == models.JobDone, nil
	})
	if err != nil {
		x.t.Fatal(err)
	}
}

func verdict(v correction.Verdict) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", v.Line, v.Result, v.Reason))
}

// TestConversionCorrections: a file of conversions is checked line by line, and applied only when asked.
func TestConversionCorrections(t *testing.T) {
	t.Parallel()
	x := newCorrectionEnv(t, 10)
	_, foreign, _ := x.s.NewAccount("scale")
	csv := "Click ID;Pay out;Status;Conversion-ID;Time;Currency\n" +
		x.clicks[0] + ";2,50;pending;a;;\n" +
		x.clicks[0] + ";3;approved;a;;EUR\n" +
		x.clicks[1] + ";4;;;" + x.day + ";\n" +
		x.clicks[1] + ";4;;;;\n" +
		x.clicks[2] + ";5;chargeback;z;" + x.day + " 23:59:59;\n" +
		x.clicks[2] + ";5;approved;z;;\n" +
		models.FormatClickID(models.NewClickID()) + ";1;;;;\n" +
		"nonsense;1;;;;\n" +
		x.clicks[3] + ";1;;;2020-01-01;\n" +
		x.clicks[3] + ";1;;;2090-01-01;\n" +
		x.clicks[3] + ";x;;;;\n" +
		x.clicks[4] + ";1;;" + strings.Repeat("n", 256) + ";;\n" +
		x.clicks[5] + ";\"1;;;;\n"
	want := []string{
		"2 created", "3 updated", "4 created", "5 unchanged", "6 created",
		"7 refused a conversion does not go from chargeback to approved", "8 refused there is no such click",
		"9 refused its click id is not one of this service", "10 refused its time lies before its click",
		"11 refused its time lies in the future", `12 refused its payout "x" has no digits`,
		"13 refused a conversion id has at most 255 bytes", "14 refused a quote is not closed",
	}
	events := []int{0, 4, 4}
	for round, apply := range []bool{false, true, true} {
		var got conversionAnswer
		x.post("/corrections/conversions", csv, apply, &got)
		var verdicts []string
		for _, o := range got.Outcomes {
			verdicts = append(verdicts, verdict(o.Verdict))
		}
		if round == 2 { // the second apply: the first row would undo an approval
			want[0] = "2 refused a conversion does not go from approved to pending"
			want[1], want[2], want[4] = "3 unchanged", "4 unchanged", "6 unchanged"
		}
		if diff := cmp.Diff(want, verdicts); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
		accepted := []int{5, 5, 4}[round]
		if got.DryRun == apply || got.Total != 13 || got.Accepted != accepted || got.Refused != 13-accepted || got.Truncated {
			t.Errorf("round %d: the answer is %+v, want 13 lines, 5 of them accepted (4 in the last round)", round, got)
		}
		if sum := []float64{18.5, 18.5, 16}[round]; got.Payout != sum {
			t.Errorf("round %d: payout %v, want %v", round, got.Payout, sum)
		}
		o := got.Outcomes[1]
		if o.ClickID != x.clicks[0] || o.Status != "approved" || o.Currency != "EUR" || o.ConversionID != "a" || o.Time == nil ||
			o.Payout.String() != "3" {
			t.Errorf("round %d: the outcome of line 3 is %+v, want an approved conversion of 3 EUR", round, o)
		}
		for _, table := range []string{"events", "webhook_deliveries"} {
			if n := dbtest.Get[int](x.t, x.s.DB, `SELECT count(*) FROM `+table); n != events[round] {
				t.Errorf("round %d: %d rows of %s, want %d", round, n, table, events[round])
			}
		}
		var other conversionAnswer
		other0 := *x
		other0.s = x.s.As(foreign)
		other0.post("/corrections/conversions", "click id\n"+x.clicks[0]+"\n", apply, &other)
		if verdict(other.Outcomes[0].Verdict) != "2 refused there is no such click" {
			t.Errorf("another account's correction of the click has the outcomes %+v, want it refused as an unknown click", other.Outcomes)
		}
	}
	row := x.s.Do("GET", "/reports/performance?dimension=date", nil).Want(200, "").Map()["rows"].([]any)[0].(map[string]any)
	if row["conversions"] != 2.0 || row["revenue"] != 7.0 || row["chargebacks"] != 1.0 || row["clicks"] != 10.0 {
		t.Errorf("the report of the day is %v, want 10 clicks, 2 conversions, 1 chargeback and a revenue of 7", row)
	}
	log := x.s.Do("GET", "/logs/conversions", nil).Want(200, "").Map()["rows"].([]any)
	if len(log) != 3 || log[0].(map[string]any)["source"] != "correction" {
		t.Errorf("the log of conversions is %v, want 3 rows, the newest from a correction", log)
	}
}

// TestCostCorrections: a file of spend is checked line by line, and applied only when asked.
func TestCostCorrections(t *testing.T) {
	t.Parallel()
	x := newCorrectionEnv(t, 10)
	before := time.Now().UTC().AddDate(0, 0, -5).Format(time.DateOnly)
	csv := "Date\tTraffic Source\tAmount spent (USD)\tCampaign\tClicks\tImpressions\n" +
		x.day + "\tpush ads\t$10\t\t7\t1,000\n" +
		x.day + "\t" + x.sources[1].String() + "\t1.000,01\tALIAS-1\t\t\n" +
		before + "\tNative\t20\t\t\t\n" +
		before + "\tNative\t5\tcampaign push ads\t\t\n" +
		x.day + "\tPush Ads\t11\t\t\t\n" +
		x.day + "\tNobody\t11\t\t\t\n" +
		x.day + "\tNative\t11\tNothing\t\t\n" +
		"2090-01-01\tNative\t11\t\t\t\n" +
		"2001-01-01\tNative\t11\t\t\t\n" +
		"3/4/2026\tNative\t11\t\t\t\n" +
		x.day + "\tNative\t\t\t\t\n"
	want := []string{
		"2 spread", "3 spread", "4 alone", "5 alone", "6 refused line 2 sets the spend of the same day, source and campaign",
		"7 refused there is no such traffic source", "8 refused there is no such campaign",
		"9 refused its day has not begun", "10 refused the clicks of its day are not kept any more",
		"11 refused its day may be day/month or month/day: write YYYY-MM-DD", "12 refused it names no spend",
	}
	cost := func(dimension string) map[string]float64 {
		out := map[string]float64{}
		rows := x.s.Do("GET", "/reports/performance?dimension="+dimension, nil).Want(200, "").Map()["rows"].([]any)
		for _, r := range rows {
			r := r.(map[string]any)
			out[fmt.Sprint(r["dims"].(map[string]any)[dimension])] = r["cost"].(float64)
		}
		return out
	}
	for round, apply := range []bool{false, true, true} {
		var got costAnswer
		x.post("/corrections/cost", csv, apply, &got)
		var verdicts []string
		for _, o := range got.Outcomes {
			verdicts = append(verdicts, verdict(o.Verdict))
		}
		if diff := cmp.Diff(want, verdicts); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
		if got.DryRun == apply || got.Total != 11 || got.Accepted != 4 || got.Refused != 7 || got.Spend != 1035.01 {
			t.Errorf("round %d: the answer is %+v, want 11 lines, 4 of them accepted, with a spend of 1035.01", round, got)
		}
		o := got.Outcomes[0]
		if o.SpreadClicks != 5 || *o.SourceID != x.sources[0].String() || o.CampaignID != nil || *o.Impressions != 1000 {
			t.Errorf("round %d: the first outcome is %+v, want spend on 5 clicks of the first source, without a campaign", round, o)
		}
		days := map[string]float64{x.day: 0.1}
		if apply {
			days = map[string]float64{x.day: 1010.01, before: 25}
		}
		if diff := cmp.Diff(days, cost("date")); diff != "" {
			t.Errorf("round %d: the cost by day differs: %s", round, diff)
		}
	}
	for dimension, want := range map[string]map[string]float64{
		"source_id":   {x.sources[0].String(): 10, x.sources[1].String(): 1025.01},
		"campaign_id": {x.campaigns[0].String(): 15, x.campaigns[1].String(): 1000.01, "": 20},
		"language":    {"": 1035.01}, // from the rows of clicks and spend, not from the ledger
	} {
		if diff := cmp.Diff(want, cost(dimension)); diff != "" {
			t.Errorf("the cost by %s differs: %s", dimension, diff)
		}
	}
	if n := dbtest.Get[int](x.t, x.s.DB, `SELECT count(*) FROM events`); n != 0 {
		t.Errorf("%d events, but corrections of cost cause none", n)
	}
}

// TestReportFiles sends a report as an ad platform writes it: with titles above the header, a total below the rows, and no column
// for the traffic source. The call names the source.
func TestReportFiles(t *testing.T) {
	t.Parallel()
	x := newCorrectionEnv(t, 4)
	report := "Campaign report\n" + x.day + "\n\nDay\tCampaign ID\tCampaign\tCost\n" +
		x.day + "\t1111111111\tCampaign Push Ads\t12,50\nTotal: Account\t--\t--\t12,50\n"
	wide := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(report)) {
		wide = append(wide, byte(unit), byte(unit>>8))
	}
	var got struct {
		costAnswer
		Skipped []correction.Skipped `json:"skipped"`
		Lines   int                  `json:"skipped_lines"`
	}
	x.send("/corrections/cost", map[string]any{"file": wide, "source": "push ads", "apply": true}, &got)
	if got.Accepted != 1 || got.Refused != 1 || got.Spend != 12.5 || got.Outcomes[1].Line != 6 || got.Outcomes[1].Reason != "it is a line of totals" {
		t.Errorf("the answer is %+v, want one row accepted and the line of totals refused", got)
	}
	if o := got.Outcomes[0]; *o.SourceID != x.sources[0].String() || *o.CampaignID != x.campaigns[0].String() || o.Line != 5 {
		t.Errorf("the outcome of the accepted row is %+v, want line 5 with the first source and campaign", o)
	}
	if got.Lines != 3 || len(got.Skipped) != 2 || got.Skipped[0].Last != 2 || got.Skipped[1].Line != 3 {
		t.Errorf("the skipped lines are %+v, want 3 lines in 2 entries", got.Skipped)
	}
	x.send("/corrections/cost", map[string]any{"csv": report, "source": "nobody"}, &got)
	if got.Accepted != 0 || got.Outcomes[0].Reason != "there is no such traffic source" {
		t.Errorf("a file for a source that does not exist is answered with %+v, want its rows refused", got)
	}
}

// TestBigCorrections sends a file with more conversions than the service reads, and a file with 400 rows of spend. The short mode
// applies a smaller file of conversions.
func TestBigCorrections(t *testing.T) {
	t.Parallel()
	const most = 5000
	x := newCorrectionEnv(t, most+200)
	sales := []string{"click id,payout"}
	var costs strings.Builder
	costs.WriteString("day,source,spend\n")
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for i, id := range x.clicks {
		sales = append(sales, id+",1")
		if i < 400 {
			fmt.Fprintf(&costs, "%s,%s,2\n", today.AddDate(0, 0, -i/2).Format(time.DateOnly), x.sources[i%2])
		}
	}
	applied := longtest.Size(1200, most+200)
	for _, apply := range []bool{false, true} {
		rows := len(x.clicks)
		if apply {
			rows = applied
		}
		var got conversionAnswer
		start := time.Now()
		x.post("/corrections/conversions", strings.Join(sales[:rows+1], "\n"), apply, &got)
		t.Logf("%d conversions, apply %v: %v", got.Total, apply, time.Since(start).Round(time.Millisecond))
		want := min(rows, most)
		if got.Total != want || got.Accepted != want || got.Truncated != (rows > most) || got.Payout != float64(want) {
			t.Errorf("%d of %d rows are accepted, payout %v, truncated %v; want each row up to the limit accepted", got.Accepted, got.Total, got.Payout, got.Truncated)
		}
		var paid costAnswer
		start = time.Now()
		x.post("/corrections/cost", costs.String(), apply, &paid)
		t.Logf("400 rows of spend, apply %v: %v", apply, time.Since(start).Round(time.Millisecond))
		if paid.Accepted != 400 || paid.Spend != 800 {
			t.Errorf("the first outcome is %+v, want all 400 rows accepted, with a spend of 800", paid.Outcomes[0])
		}
	}
	if n := dbtest.Get[int](x.t, x.s.DB, `SELECT sum(approved) FROM ledger`); n != min(applied, most) {
		t.Errorf("%d approved conversions in the ledger, want one for each applied line", n)
	}
	if n := dbtest.Get[int](x.t, x.s.DB, `SELECT sum(cost)::int FROM ledger`); n != 800 {
		t.Errorf("the cost in the ledger is %d, want 800", n)
	}
}

// TestDeletionsByAPI: calls delete the statistics of deleted campaigns, of a campaign and of a smartlink. They treat records of other
// accounts as unknown.
func TestDeletionsByAPI(t *testing.T) {
	t.Parallel()
	x := newCorrectionEnv(t, 30)
	_, foreign, _ := x.s.NewAccount("scale")
	deletedID := x.campaigns[0].String()
	body := map[string]any{"campaign_ids": []string{deletedID, uuid.NewString()}}
	for range 2 {
		got := x.s.As(foreign).Do("DELETE", "/reports/orphaned", body).Want(200, "").Map()
		if got["deleted"] != 0.0 || got["clicks"] != 0.0 {
			t.Errorf("another account deleted %v", got)
		}
		x.s.Do("DELETE", "/campaigns/"+deletedID, nil)
	}
	for _, want := range []map[string]any{
		{"deleted": 1.0, "clicks": 15.0, "bot_clicks": 0.0}, {"deleted": 0.0, "clicks": 0.0, "bot_clicks": 0.0},
	} {
		got := x.s.Do("DELETE", "/reports/orphaned", body).Want(200, "").Map()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if n := dbtest.Get[int](x.t, x.s.DB, `SELECT count(*) FROM clicks`); n != 15 {
		t.Errorf("%d clicks are left, want the 15 of the other campaign", n)
	}
	path := fmt.Sprintf("/campaigns/%s/stats?from=%s", x.campaigns[1], x.day)
	got := x.s.Do("DELETE", path, nil).Want(200, "").Map()
	if got["clicks"] != 15.0 || got["conversions"] != 0.0 || got["id"] != x.campaigns[1].String() {
		t.Errorf("the deletion of the statistics is answered with %v, want 15 clicks and no conversion", got)
	}
	x.smartlink(foreign)
}

func (x *correctionEnv) smartlink(foreign string) {
	x.t.Helper()
	link := uuid.New()
	dbtest.Exec(x.t, x.s.DB, `INSERT INTO smartlinks (id, account_id, domain_id, slug, destination_url)
		SELECT $1, $2, id, 'link', 'https://x.example' FROM domains`, link, x.s.Account.ID)
	var all []spool.Record
	for i := range 7 {
		all = append(all, spool.Record{Smart: &models.SmartlinkClick{SmartlinkID: link, Click: models.Click{
			ID: models.NewClickID(), AccountID: x.s.Account.ID, Visitor: models.Visitor{IsBot: i == 0},
		}}})
	}
	storeRecords(x.t, x.s.DB, all...)
	path := fmt.Sprintf("/short-links/%s/stats", link)
	x.s.As(foreign).Do("DELETE", path, nil).Want(404, "not_found")
	for _, want := range [][2]float64{{6, 1}, {0, 0}} {
		got := x.s.Do("DELETE", path, nil).Want(200, "").Map()
		if got["id"] != link.String() || got["clicks"] != want[0] || got["bot_clicks"] != want[1] || got["range"] == nil {
			x.t.Errorf("the deletion is answered with %v, want %v as numbers of clicks and of bots", got, want)
		}
	}
	if n := dbtest.Get[int](x.t, x.s.DB, `SELECT count(*) FROM smartlink_clicks`); n != 0 {
		x.t.Errorf("%d clicks of the smartlink are left", n)
	}
}

// TestKeptAnswersStayBelowABound: fifty dry runs with idempotency keys, each with an answer of more than 64 kB, leave little data
// behind.
func TestKeptAnswersStayBelowABound(t *testing.T) {
	t.Parallel()
	x := newCorrectionEnv(t, 1)
	var csv strings.Builder
	csv.WriteString("click_id,payout\n")
	for range 600 {
		csv.WriteString(models.FormatClickID(models.NewClickID()) + ",1\n")
	}
	post := func(key string, status int) apitest.Answer {
		t.Helper()
		return x.s.Do("POST", "/corrections/conversions", map[string]any{"csv": csv.String()}, "Idempotency-Key", key).Want(status, "")
	}
	const runs, bound = 50, 1 << 20
	plan, _ := models.PlanNamed(x.s.Account.Plan)
	first := post("dry-0", http.StatusOK)
	if len(first.Raw) < 64<<10 {
		t.Fatalf("an answer has %d bytes only", len(first.Raw))
	}
	for i := 1; i < runs; i++ {
		dbtest.Exec(x.t, x.s.DB, `UPDATE job_results SET bytes = $1`, models.MaxJobResult) // as if the earlier results were larger
		post(fmt.Sprint("dry-", i), http.StatusOK)
	}
	if n := dbtest.Get[int](x.t, x.s.DB, `SELECT pg_total_relation_size('idempotency_keys')`); n > bound {
		t.Errorf("%d bytes of answers are kept, more than the bound", n)
	}
	if n := dbtest.Get[int](x.t, x.s.DB, `SELECT count(*) FROM jobs WHERE pg_column_size(result) > 2000`); int64(n) != plan.AnswerBytes/models.MaxJobResult {
		t.Errorf("%d results are kept, want as many as the plan has room for", n)
	}
	before := dbtest.Get[int](x.t, x.s.DB, `SELECT count(*) FROM jobs`)
	last := fmt.Sprint("dry-", runs-1)
	again := post(last, http.StatusAccepted)
	if again.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("the answer to a repeated call lacks Idempotent-Replayed")
	}
	job, _ := again.Map()["job"].(map[string]any)
	shown := x.s.Do("GET", fmt.Sprint("/jobs/", job["id"]), nil).Want(http.StatusOK, "").Map()
	if result, _ := shown["result"].(map[string]any); shown["status"] != models.JobDone || result["refused"] != 600.0 {
		t.Errorf("the job of the repeated call has the status %v and the error %v, want done with 600 refused rows", shown["status"], shown["error"])
	}
	post("dry-0", http.StatusAccepted)
	// A process that dies before it stores the answer of a call leaves the key in this state. The result of the call's job was
	// deleted above, to make room for later results.
	dbtest.Exec(x.t, x.s.DB, `UPDATE idempotency_keys SET status = NULL WHERE key = 'dry-1'`)
	dropped, _ := post("dry-1", http.StatusAccepted).Map()["job"].(map[string]any)
	lost := x.s.Do("GET", fmt.Sprint("/jobs/", dropped["id"]), nil).Want(http.StatusOK, "").Map()
	if e, _ := lost["error"].(map[string]any); dropped["status"] != models.JobDone || lost["result"] != nil || e["code"] != "result_dropped" {
		t.Errorf("a job whose result was dropped is %v, then %v; want it done, without a result, with the error result_dropped", dropped, lost)
	}
	if n := dbtest.Get[int](x.t, x.s.DB, `SELECT count(*) FROM jobs`); n != before {
		t.Errorf("repeated calls started %d jobs, want 0", n-before)
	}
}

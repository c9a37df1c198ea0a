package api

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
	dbexport "switchyard/db/export"
	"switchyard/db/report"
	"switchyard/workers"
	"switchyard/workers/export"
	"switchyard/workers/providers/networks/networkstest"
)

type compared struct {
	Basis string
	Total struct {
		sides
		Causes []cause
	}
	Rows []struct {
		Day string
		sides
		Causes []cause
	}
	Examples []struct {
		Cause, Reason string
		OrderID       string `json:"order_id"`
	}
}

type sides struct{ Theirs, Ours, Difference, Unexplained shownFigures }

type shownFigures struct {
	Clicks, Conversions *int64
	Money               *decimal.Decimal
}

type cause struct {
	Cause, Reason string
	shownFigures
}

// checkSum checks that the causes and the unexplained rest add up to the difference, in the figures that the API shows.
func checkSum(t *testing.T, where string, s sides, causes []cause) {
	t.Helper()
	if s.Difference.Conversions != nil {
		sum := *s.Unexplained.Conversions
		for _, c := range causes {
			sum += *c.Conversions
		}
		if sum != *s.Difference.Conversions || sum != *s.Theirs.Conversions-*s.Ours.Conversions {
			t.Errorf("%s: the causes add up to %d conversions, the difference is %d", where, sum, *s.Difference.Conversions)
		}
	}
	if s.Difference.Money != nil {
		sum := *s.Unexplained.Money
		for _, c := range causes {
			sum = sum.Add(*c.Money)
		}
		if !sum.Equal(*s.Difference.Money) || !sum.Equal(s.Theirs.Money.Sub(*s.Ours.Money)) {
			t.Errorf("%s: the causes add up to %s, the difference is %s", where, sum, s.Difference.Money)
		}
	}
}

func (y *syncEnv) compare() (got compared) {
	y.t.Helper()
	y.read("/networks/"+y.id+"/difference?from="+y.day+"&to="+y.day, &got)
	checkSum(y.t, "all", got.Total.sides, got.Total.Causes)
	for _, r := range got.Rows {
		checkSum(y.t, r.Day, r.sides, r.Causes)
	}
	return got
}

func (x *correctionEnv) read(path string, into any) {
	x.t.Helper()
	for {
		if a := x.s.Do("GET", path, nil); a.Status != 202 {
			a.Want(200, "").Into(into)
			return
		}
	}
}

// TestNetworkDifference imports orders through the adapter of a platform, compares them, and writes the comparison to a file.
func TestNetworkDifference(t *testing.T) {
	t.Parallel()
	y := &syncEnv{platforms: &networkstest.Platforms{}}
	server := networkstest.Serve(t, y.platforms)
	y.correctionEnv = newCorrectionEnv(t, 10, func(r *workers.Runtime, s *apitest.Server) {
		registerSync(t, r, s, server)
		export.Register(r, s.Store, dbexport.Reader{Conn: s.DB}, report.Reader{Conn: s.DB})
	})
	y.id = y.s.Do("POST", "/networks", map[string]any{"name": "N"}).Want(201, "").Map()["id"].(string)
	y.connect("everflow")
	stranger := y.order("stranger", 0, "approved", "7")
	stranger.Click = "affsub-1"
	y.platforms.Set(y.order("a", 0, "approved", "10"), y.order("b", 1, "approved", "4"), stranger)
	if got := y.sync(false); got.Total != 3 {
		t.Fatalf("the dry run is answered with %+v, want 3 orders", got)
	}
	if got := y.compare(); got.Basis != "" {
		t.Errorf("a dry run has stored orders: %+v", got)
	}
	y.sync(true)
	var done conversionAnswer
	y.send("/corrections/conversions", map[string]any{
		"csv": "clickid,conversion id,payout,status\n" + y.clicks[1] + ",b,9,approved\n", "apply": true,
	}, &done)
	if done.Accepted != 1 {
		t.Fatalf("the correction is answered with %+v, want it accepted", done)
	}
	got := y.compare()
	if *got.Total.Theirs.Conversions != 3 || got.Total.Theirs.Money.String() != "21" || *got.Total.Ours.Conversions != 2 ||
		got.Total.Ours.Money.String() != "19" || !got.Total.Unexplained.Money.IsZero() {
		t.Errorf("the total is %+v, want 3 conversions and an amount of 21 as theirs, 2 and 19 as ours, and no unexplained amount", got.Total)
	}
	var causes []string
	for _, c := range got.Total.Causes {
		causes = append(causes, fmt.Sprint(c.Cause, " ", *c.Conversions, " ", c.Money))
	}
	if strings.Join(causes, ", ") != "unmatched 1 7, correction 0 -5" || len(got.Examples) != 2 {
		t.Errorf("the causes are %s, want one unmatched order and one correction; the examples are %+v, want 2", causes, got.Examples)
	}
	y.differenceFile()
	y.upload()
}

func (y *syncEnv) differenceFile() {
	y.t.Helper()
	var made struct {
		DownloadURL string `json:"download_url"`
	}
	y.send("/reports/exports?from="+y.day+"&to="+y.day, map[string]any{"kind": "difference", "network_id": y.id}, &made)
	at, err := url.Parse(made.DownloadURL)
	if err != nil {
		y.t.Fatal(err)
	}
	text := string(y.s.Do("GET", strings.TrimPrefix(at.Path, "/api/v1"), nil).Want(200, "").Raw)
	for _, line := range []string{
		"day,campaign_id,campaign_name,line,clicks,conversions,money,currency", ",,theirs,,1,7,USD", ",unmatched,,1,7,USD",
		",unexplained,,0,0,USD", ",correction,,0,-5,USD",
	} {
		if !strings.Contains(text, line+"\r\n") {
			y.t.Errorf("the file has no line %q:\n%s", line, text)
		}
	}
}

func (y *syncEnv) upload() {
	y.t.Helper()
	y.id = y.s.Do("POST", "/networks", map[string]any{"name": "Other", "currency": "USD"}).Want(201, "").Map()["id"].(string)
	var saved v1.NetworkReport
	y.send("/networks/"+y.id+"/report", map[string]any{
		"csv": "clickid;order id;payout;date\n" + y.clicks[2] + ";x1;5;" + y.day + "\nnonsense;x2;6;" + y.day + "\n" + y.clicks[3] + ";x3;six;" + y.day + "\n",
	}, &saved)
	if saved.Kind != "orders" || saved.Total != 3 || saved.Stored != 2 || saved.Refused != 1 || len(saved.Refusals) != 1 || saved.Refusals[0].Line != 4 {
		y.t.Errorf("the report with click ids is answered with %+v, want 2 of 3 orders stored and line 4 refused", saved)
	}
	got := y.compare()
	var causes []string
	for _, c := range got.Total.Causes {
		causes = append(causes, c.Cause)
	}
	if got.Basis != "orders" || strings.Join(causes, " ") != "unmatched not_received" {
		y.t.Errorf("the basis is %q and the causes are %v, want orders, unmatched and not_received", got.Basis, causes)
	}
	for _, file := range []string{
		"clickid;order id;payout;date\n" + y.clicks[2] + ";x1;5;2099-01-01\n" + y.clicks[3] + ";x3;5;2001-01-01\n", "date,clicks\n2099-01-01,1\n2001-01-01,1\n",
	} {
		saved = v1.NetworkReport{}
		y.send("/networks/"+y.id+"/report", map[string]any{"csv": file}, &saved)
		if saved.Stored != 0 || len(saved.Refusals) != 2 || !strings.Contains(saved.Refusals[0].Reason, "has not come yet") ||
			!strings.Contains(saved.Refusals[1].Reason, "more than 400 days ago") {
			y.t.Errorf("a file with wrong years is answered with %+v, want both rows refused by their day", saved)
		}
	}
	if n := dbtest.Get[int](y.t, y.s.DB, `SELECT count(*) FROM network_orders WHERE network_id = $1`, y.id); n != 2 {
		y.t.Errorf("%d orders are stored, want 2", n)
	}
	dbtest.Exec(y.t, y.s.DB, `DELETE FROM network_orders`)
	y.send("/networks/"+y.id+"/report", map[string]any{
		"csv": "date,clicks,conversions,payout\n" + y.day + ",3,1,4\n" + y.day + ",5,1,6\n" + time.Now().Format(time.DateOnly) + ",,,\n",
	}, &saved)
	if saved.Kind != "totals" || saved.Stored != 2 || saved.Refused != 1 || *saved.From != y.day {
		y.t.Errorf("the report with daily sums is answered with %+v, want 2 rows stored and 1 refused", saved)
	}
	if got := y.compare(); got.Basis != "totals" || *got.Total.Theirs.Clicks != 8 || got.Total.Theirs.Money.String() != "10" {
		y.t.Errorf("the basis is %q and the total is %+v, want totals with 8 clicks and a payout of 10", got.Basis, got.Total)
	}
}

// TestSourceDifference syncs spend through the adapter of a platform and compares it, before and after a correction by hand.
func TestSourceDifference(t *testing.T) {
	t.Parallel()
	y := newSpendEnv(t, 10)
	y.platforms.Set(y.row("111", "10", 7), y.row("222", "4", 6))
	y.sync()
	y.compareSource("13 14", "")
	var done struct{ Accepted int }
	y.send("/corrections/cost", map[string]any{
		"csv": "day,source,campaign,spend\n" + y.day + "," + y.sources[0].String() + "," + y.campaigns[0].String() + ",6\n", "apply": true,
	}, &done)
	if done.Accepted != 1 {
		t.Fatalf("the correction is answered with %+v, want it accepted", done)
	}
	y.compareSource("13 14", "correction 0 4")
}

// The days of the fake platform are in UTC.
func (y *spendEnv) compareSource(theirs, causes string) {
	y.t.Helper()
	var got compared
	y.read(strings.TrimSuffix(y.path, "/integration")+"/difference?their_tz=UTC&from="+y.day+"&to="+y.day, &got)
	checkSum(y.t, "all", got.Total.sides, got.Total.Causes)
	var list []string
	for _, c := range got.Total.Causes {
		list = append(list, fmt.Sprint(c.Cause, " ", *c.Clicks, " ", c.Money))
	}
	if shown := fmt.Sprint(*got.Total.Theirs.Clicks, " ", got.Total.Theirs.Money); got.Basis != "platform" || shown != theirs || strings.Join(list, ", ") != causes {
		y.t.Errorf("the basis is %s, want platform; theirs is %s, want %s; the causes are %v, want %s", got.Basis, shown, theirs, list, causes)
	}
	if *got.Total.Unexplained.Clicks != 3 {
		y.t.Errorf("%d clicks are unexplained, want 3, because the platform counts 13 and 10 have arrived", *got.Total.Unexplained.Clicks)
	}
}

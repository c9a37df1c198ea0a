package api

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/apitest"
	"switchyard/api/routing"
	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/ops/client"
	"switchyard/ops/demo"
)

// question is a question of a buyer, the tool that answers it, and a query that finds the same answer in the database.
type question struct {
	asked, tool, arguments string
	// at is the place of the answer, such as totals.clicks or rows[country=DE].revenue. A number in brackets counts from 0, and # is
	// the length of a list.
	at string
	// query reads k, the clicks of people in the window; all_k, which also has the clicks of bots; and v, the
	// conversions of all these clicks.
	query string
}

const (
	sold    = ` FROM v WHERE status = 'approved'`
	counted = ` FROM v WHERE status IN ('approved', 'pending')`
	earned  = `(SELECT coalesce(sum(payout), 0)` + sold + `)`
	spent   = `((SELECT coalesce(sum(cost), 0) FROM k) + (SELECT coalesce(sum(cost), 0) FROM v))`
	byEach  = ` FROM k GROUP BY campaign_id`
	profits = `(SELECT c.id, c.name, coalesce((SELECT sum(payout) FROM v WHERE status = 'approved' AND v.campaign_id = c.id), 0)
		- coalesce((SELECT sum(cost) FROM k WHERE k.campaign_id = c.id), 0) - coalesce((SELECT sum(cost) FROM v WHERE v.campaign_id = c.id), 0) AS profit
		FROM campaigns c WHERE EXISTS (SELECT FROM k WHERE k.campaign_id = c.id)) p`
	revenueBy = `SELECT %[1]s FROM v WHERE status = 'approved' GROUP BY %[1]s ORDER BY sum(payout) DESC, 1 LIMIT 1`
)

// questions are asked about the demo account, in a window of 29 days that ends yesterday, unless arguments has another window. In
// arguments and at, [kind name] stands for the id of the record with this kind and name, [click] for the id of the newest click of
// a person, [yesterday] for yesterday, and [week] for the day seven days ago.
var questions = []question{
	{"How many clicks did I get?", "run_report", `{}`, "totals.clicks", `SELECT count(*) FROM k`},
	{"How many different visitors were that?", "run_report", `{}`, "totals.unique_clicks", `SELECT count(*) FROM k WHERE is_unique`},
	{"How many bots were filtered?", "run_report", `{}`, "totals.bot_clicks", `SELECT count(*) FROM all_k WHERE is_bot`},
	{"How many conversions did I get?", "run_report", `{}`, "totals.conversions", `SELECT count(*)` + counted},
	{"How many of them are approved?", "run_report", `{}`, "totals.approved", `SELECT count(*)` + sold},
	{"What did I earn?", "account_overview", `{}`, "totals.revenue", `SELECT ` + earned},
	{"What did I spend?", "account_overview", `{}`, "totals.cost", `SELECT ` + spent},
	{"What is left?", "account_overview", `{}`, "totals.profit", `SELECT ` + earned + ` - ` + spent},
	{"What is my ROI?", "account_overview", `{}`, "totals.roi", `SELECT 100 * (` + earned + ` - ` + spent + `) / ` + spent},
	{"How much money waits for approval?", "run_report", `{}`, "totals.pending_revenue", `SELECT coalesce(sum(payout), 0) FROM v WHERE status = 'pending'`},
	{"How many conversions were rejected?", "run_report", `{}`, "totals.rejected", `SELECT count(*) FROM v WHERE status = 'rejected'`},
	{"What share is approved?", "run_report", `{}`, "totals.approve_rate", `SELECT 100.0 * count(*) FILTER (WHERE status = 'approved') / count(*) FILTER (WHERE status <> 'chargeback') FROM v`},
	{"What does a click bring?", "run_report", `{}`, "totals.epc", `SELECT ` + earned + ` / (SELECT count(*) FROM k)`},
	{"What does a click cost?", "run_report", `{}`, "totals.cpc", `SELECT ` + spent + ` / (SELECT count(*) FROM k)`},
	{"What does a conversion cost?", "run_report", `{}`, "totals.cpa", `SELECT ` + spent + ` / (SELECT count(*)` + counted + `)`},
	{"How many of 100 clicks convert?", "run_report", `{}`, "totals.cr", `SELECT 100.0 * (SELECT count(*)` + counted + `) / (SELECT count(*) FROM k)`},
	{"How many of 100 go on from a landing page?", "run_report", `{}`, "totals.lp_ctr", `SELECT 100.0 * sum(lp_clicks) / sum(lp_views) FROM k`},

	{"Which campaign has the most clicks?", "run_report", `{}`, "rows[0].names.campaign_id", `SELECT c.name FROM campaigns c WHERE id = (SELECT campaign_id` + byEach + ` ORDER BY count(*) DESC LIMIT 1)`},
	{"Which campaign makes the most profit?", "run_report", `{"sort": "-profit"}`, "rows[0].names.campaign_id", `SELECT name FROM ` + profits + ` ORDER BY profit DESC LIMIT 1`},
	{"Which campaign is the worst?", "run_report", `{"sort": "profit"}`, "rows[0].names.campaign_id", `SELECT name FROM ` + profits + ` ORDER BY profit LIMIT 1`},
	{"How many campaigns lose money?", "run_report", `{"having": "profit<0"}`, "rows.#", `SELECT count(*) FROM ` + profits + ` WHERE profit < 0`},
	{
		"How many clicks has Finance FR native?", "run_report", `{"filters": [{"dimension": "campaign_id", "value": "[campaign Finance FR native]"}]}`, "totals.clicks",
		`SELECT count(*) FROM k JOIN campaigns c ON c.id = k.campaign_id WHERE c.name = 'Finance FR native'`,
	},
	{"What does Dating PL pops lose or earn?", "get_campaign", `{"id": "[campaign Dating PL pops]"}`, "totals.profit", `SELECT profit FROM ` + profits + ` WHERE name = 'Dating PL pops'`},
	{"Where does Dating PL pops buy?", "get_campaign", `{"id": "[campaign Dating PL pops]"}`, "campaign.source_name", `SELECT 'PopAds'`},
	{"How many paths has the nutra campaign?", "get_campaign", `{"id": "[campaign DACH nutra · mobile]"}`, "paths.#", `SELECT jsonb_array_length(streams) FROM campaigns WHERE name = 'DACH nutra · mobile'`},
	{"Which path of the nutra campaign is tried first?", "get_campaign", `{"id": "[campaign DACH nutra · mobile]"}`, "paths[0].name", `SELECT streams->0->>'name' FROM campaigns WHERE name = 'DACH nutra · mobile'`},

	{"Which country earns the most?", "run_report", `{"dimension": "country", "sort": "-revenue"}`, "rows[0].dims.country", fmt.Sprintf(revenueBy, "country")},
	{"How many conversions come from Germany?", "run_report", `{"dimension": "country"}`, "rows[country=DE].conversions", `SELECT count(*)` + counted + ` AND country = 'DE'`},
	{
		"What did Brazil cost?", "run_report", `{"filters": [{"dimension": "country", "value": "BR"}]}`, "totals.cost",
		`SELECT (SELECT sum(cost) FROM k WHERE country = 'BR') + (SELECT coalesce(sum(cost), 0) FROM v WHERE country = 'BR')`,
	},
	{"From how many countries do clicks come?", "list_values", `{"dimension": "country"}`, "values.#", `SELECT count(DISTINCT country) FROM all_k`},
	{"Which browser has the most clicks?", "run_report", `{"dimension": "browser"}`, "rows[0].dims.browser", `SELECT browser FROM k GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`},
	{"How many clicks are from phones?", "run_report", `{"dimension": "device_type"}`, "rows[device_type=mobile].clicks", `SELECT count(*) FROM k WHERE device_type = 'mobile'`},
	{"What do iPhones and iPads earn?", "run_report", `{"dimension": "os"}`, "rows[os=iOS].revenue", `SELECT sum(payout)` + sold + ` AND os = 'iOS'`},
	{
		"What do Germans with Android earn?", "run_report", `{"filters": [{"dimension": "country", "value": "DE"}, {"dimension": "os", "value": "Android"}]}`, "totals.revenue",
		`SELECT sum(payout)` + sold + ` AND os = 'Android' AND country = 'DE'`,
	},
	{
		"Which system converts best, with at least 1,000 clicks?", "run_report", `{"dimension": "os", "sort": "-cr", "min_clicks": 1000}`, "rows[0].dims.os",
		`SELECT os FROM (SELECT os, count(*) AS n FROM k GROUP BY os) s WHERE n >= 1000 ORDER BY (SELECT count(*)` + counted + ` AND v.os = s.os)::numeric / n DESC LIMIT 1`,
	},

	{"Which offer earned the most?", "run_report", `{"dimension": "offer_id", "sort": "-revenue"}`, "rows[0].names.offer_id", `SELECT name FROM offers WHERE id = (` + fmt.Sprintf(revenueBy, "offer_id") + `)`},
	{
		"How many conversions has Crédit FR?", "run_report", `{"filters": [{"dimension": "offer_id", "value": "[offer Crédit FR]"}]}`, "totals.conversions",
		`SELECT count(*)` + counted + ` AND offer_id = (SELECT id FROM offers WHERE name = 'Crédit FR')`,
	},
	{"What is the id of Crédit FR?", "find_records", `{"kind": "offer", "q": "crédit"}`, "rows[0].id", `SELECT id FROM offers WHERE name = 'Crédit FR'`},
	{"How many offers have I?", "find_records", `{"kind": "offer", "limit": 50}`, "rows.#", `SELECT count(*) FROM offers`},
	{
		"How many clicks went on from Quiz v3?", "run_report", `{"dimension": "lander_id"}`, "rows[lander_id=[lander Quiz v3]].lp_clicks",
		`SELECT sum(lp_clicks) FROM k WHERE lander_id = (SELECT id FROM landers WHERE name = 'Quiz v3')`,
	},
	{
		"How many clicks came from Taboola?", "run_report", `{"dimension": "source_id"}`, "rows[source_id=[source Taboola]].clicks",
		`SELECT count(*) FROM k WHERE source_id = (SELECT id FROM traffic_sources WHERE name = 'Taboola')`,
	},
	{
		"Which source cost the most?", "run_report", `{"dimension": "source_id", "sort": "-cost"}`, "rows[0].names.source_id",
		`SELECT name FROM traffic_sources WHERE id = (SELECT source_id FROM k GROUP BY 1 ORDER BY sum(cost) DESC LIMIT 1)`,
	},

	{"How many clicks had I yesterday?", "get_trend", `{"from": "[yesterday]"}`, "totals.clicks", `SELECT count(*) FROM k WHERE at >= $3::timestamptz - interval '1 day'`},
	{"What did yesterday earn?", "get_trend", `{}`, "rows[bucket=[yesterday]].revenue", `SELECT coalesce(sum(payout), 0)` + sold + ` AND clicked >= $3::timestamptz - interval '1 day'`},
	{"How many clicks came on Mondays?", "get_trend", `{"bucket": "weekday"}`, "rows[bucket=1].clicks", `SELECT count(*) FROM k WHERE extract(isodow FROM at AT TIME ZONE 'UTC') = 1`},
	{
		"Did the clicks of the week rise?", "compare_periods", `{"from": "[week]", "figure": "clicks"}`, "totals.difference",
		`SELECT count(*) FILTER (WHERE at >= $3::timestamptz - interval '7 days') - count(*) FILTER (WHERE at < $3::timestamptz - interval '7 days') FROM k WHERE at >= $3::timestamptz - interval '14 days'`,
	},
	{
		"How many conversions had the week before?", "compare_periods", `{"from": "[week]", "figure": "conversions"}`, "totals.before",
		`SELECT count(*)` + counted + ` AND clicked >= $3::timestamptz - interval '14 days' AND clicked < $3::timestamptz - interval '7 days'`,
	},
	{
		"Which campaign lost or won the most revenue since last week?", "compare_periods", `{"from": "[week]", "figure": "revenue"}`, "rows[0].names.campaign_id",
		`SELECT c.name FROM v JOIN campaigns c ON c.id = v.campaign_id WHERE v.status = 'approved' AND clicked >= $3::timestamptz - interval '14 days' GROUP BY 1
		ORDER BY abs(sum(CASE WHEN clicked >= $3::timestamptz - interval '7 days' THEN payout ELSE -payout END)) DESC LIMIT 1`,
	},

	{"Where did this visitor come from?", "explain_click", `{"click_id": "[click]"}`, "click.country", `SELECT country FROM k ORDER BY id DESC LIMIT 1`},
	{"Which campaign got this visitor?", "explain_click", `{"click_id": "[click]"}`, "click.campaign_name", `SELECT c.name FROM k JOIN campaigns c ON c.id = k.campaign_id ORDER BY k.id DESC LIMIT 1`},
	{"In which currency are my figures?", "whoami", `{}`, "currency", `SELECT currency FROM accounts WHERE id = $1`},
}

type questionEnv struct {
	*assistantEnv
	s        *apitest.Server
	from, to time.Time
}

// demoIsTraced checks that the present flows of the demo's campaigns explain how their clicks were routed. It checks one click for
// each combination of path, landing page, offer and is_bot.
func demoIsTraced(t *testing.T, s *apitest.Server) {
	t.Helper()
	const some = `SELECT DISTINCT ON (stream_id, lander_id, offer_id, is_bot) id FROM clicks WHERE account_id = $1`
	var ids []uuid.UUID
	if err := s.DB.SelectContext(t.Context(), &ids, some, s.Account.ID); err != nil || len(ids) < 10 {
		t.Fatalf("%d clicks, %v", len(ids), err)
	}
	for _, id := range ids {
		trace := s.Do("GET", "/logs/clicks/"+models.FormatClickID(id)+"?trace=true", nil).Want(200, "").Map()["trace"].(map[string]any)
		if trace["flow_changed"] != false || trace["reproduced"] != true {
			t.Errorf("click %s: flow_changed %v, reproduced %v", id, trace["flow_changed"], trace["reproduced"])
		}
	}
}

// TestQuestions asks what buyers ask about the demo account. The answer of the named tool must agree with the rows.
func TestQuestions(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	if err := store.EnsureSharedDomains(t.Context(), s.DB, []string{"localhost"}); err != nil {
		t.Fatal(err)
	}
	account := demo.Account{ID: s.Account.ID.String(), Key: s.Key, URL: s.URL}
	if _, err := demo.History(t.Context(), s.DB, t.TempDir(), account, client.New(s.URL, s.Key), routing.ClickRouter(s.DB)); err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(t, s.DB, `ANALYZE clicks, conversions`)
	demoIsTraced(t, s)
	if len(questions) < 50 {
		t.Errorf("%d questions, want at least 50", len(questions))
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	a := questionEnv{connectMCP(t, s, ""), s, today.AddDate(0, 0, -29), today}
	for _, q := range questions {
		arguments := object{"from": a.from.Format(time.DateOnly), "to": a.to.AddDate(0, 0, -1).Format(time.DateOnly)}
		if q.tool == "whoami" || q.tool == "explain_click" {
			arguments = object{}
		}
		for name, v := range a.parsed(q.arguments) {
			arguments[name] = v
		}
		got, want := find(a.must(q.tool, arguments), a.filled(q.at)), a.row(q.query)
		if !sameAnswer(got, want) {
			t.Errorf("%s %s %s: %s is %q, and %q in the rows", q.asked, q.tool, q.arguments, q.at, got, want)
		}
		t.Logf("%s | %s | %s", q.asked, q.tool, want)
	}
}

var named = regexp.MustCompile(`\[(campaign|offer|lander|source) ([^\]]+)\]`)

var tables = map[string]string{"campaign": "campaigns", "offer": "offers", "lander": "landers", "source": "traffic_sources"}

// filled replaces the names in brackets by ids and days.
func (a questionEnv) filled(text string) string {
	text = named.ReplaceAllStringFunc(text, func(part string) string {
		m := named.FindStringSubmatch(part)
		return dbtest.Get[string](a.t, a.s.DB, `SELECT id FROM `+tables[m[1]]+` WHERE account_id = $1 AND name = $2`, a.s.Account.ID, m[2])
	})
	if strings.Contains(text, "[click]") {
		newest := uuid.MustParse(a.row(`SELECT id FROM k ORDER BY id DESC LIMIT 1`))
		text = strings.ReplaceAll(text, "[click]", models.FormatClickID(newest))
	}
	return strings.NewReplacer(
		"[yesterday]", a.to.AddDate(0, 0, -1).Format(time.DateOnly), "[week]", a.to.AddDate(0, 0, -7).Format(time.DateOnly),
	).Replace(text)
}

func (a questionEnv) parsed(text string) (arguments object) {
	a.t.Helper()
	if err := json.Unmarshal([]byte(a.filled(text)), &arguments); err != nil {
		a.t.Fatal(err)
	}
	return arguments
}

// row returns the one value of a query over the rows.
func (a questionEnv) row(query string) string {
	a.t.Helper()
	return dbtest.Get[string](a.t, a.s.DB, `WITH all_k AS MATERIALIZED (
			SELECT id, at, campaign_id, source_id, lander_id, country, os, browser, device_type, is_bot, is_unique, cost, lp_views, lp_clicks FROM clicks
			WHERE account_id = $1 AND at >= $2 AND at < $3),
		k AS (SELECT * FROM all_k WHERE NOT is_bot),
		v AS MATERIALIZED (SELECT v.*, all_k.at AS clicked, country, os FROM conversions v JOIN all_k ON all_k.id = v.click_id)
		SELECT coalesce(answer::text, '') FROM (`+query+`) x (answer)`, a.s.Account.ID, a.from, a.to)
}

var step = regexp.MustCompile(`^(\w+)(?:\[(?:(\d+)|(\w+)=([^\]]+))\])?$`)

// find returns the value at a place of an answer.
func find(answer any, place string) string {
	for name := range strings.SplitSeq(place, ".") {
		if name == "#" {
			list, _ := answer.([]any)
			return strconv.Itoa(len(list))
		}
		m := step.FindStringSubmatch(name)
		if m == nil {
			return "no place " + name
		}
		record, _ := answer.(map[string]any)
		answer = record[m[1]]
		list, _ := answer.([]any)
		if n, err := strconv.Atoi(m[2]); err == nil && n < len(list) {
			answer = list[n]
		}
		for _, item := range list {
			row, _ := item.(map[string]any)
			dims, _ := row["dims"].(map[string]any)
			if m[3] != "" && (dims[m[3]] == m[4] || row[m[3]] == m[4]) {
				answer = item
			}
		}
	}
	return fmt.Sprint(answer)
}

// sameAnswer compares two texts, or two numbers up to the digits that reports show.
func sameAnswer(got, want string) bool {
	g, err := decimal.NewFromString(got)
	w, err2 := decimal.NewFromString(want)
	if err != nil || err2 != nil {
		return got == want
	}
	return w.Round(max(1, -g.Exponent())).Equal(g)
}

package difference_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	dbdifference "switchyard/db/difference"
	"switchyard/db/report"
	"switchyard/db/reported"
	"switchyard/db/retention"
	"switchyard/db/spend"
	"switchyard/models"
	"switchyard/models/difference"
)

const newYork = "America/New_York"

func number(n int64) *int64 { return &n }

// readSource stores the spend that the platform reports for a day.
func (e *env) readSource(day int, list ...spend.Spend) {
	e.t.Helper()
	e.tx(func(c db.Conn) error {
		if err := reported.SaveSourceDay(e.t.Context(), c, e.account, e.source, e.at(day, 0), list); err != nil {
			return err
		}
		return db.Run(e.t.Context(), c, "day", `INSERT INTO source_spend_days (source_id, day, account_id, clicks) VALUES ($1, $2::date, $3, 0)
			ON CONFLICT DO NOTHING`, e.source, e.day(day), e.account)
	})
	for _, s := range list {
		e.tx(func(c db.Conn) error {
			s.Day, s.SourceID = e.at(day, 0), e.source
			_, err := spend.Set(e.t.Context(), clickLog, c, e.account, s)
			return err
		})
	}
}

// TestSource checks the causes of the differences between our figures and the report of a traffic source. The platform's
// days begin at midnight in New York.
func TestSource(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	dbtest.Exec(t, e.db, `INSERT INTO source_integrations (source_id, account_id, provider, secrets, next_at, wide_at, zone)
		VALUES ($1, $2, 'custom', '', now(), now(), $3)`, e.source, e.account, newYork)
	e.visits(5, 0, e.at(0, 12), nil)
	e.visits(2, 0, e.at(0, 12), func(c *models.Click) { c.IsBot = true })
	e.visits(3, 0, e.at(1, 2), nil) // day 0 in New York
	e.visits(1, 1, e.at(0, 12), nil)
	e.visits(4, 0, e.at(2, 12), nil) // the platform's figures of this day were not read
	e.readSource(0, spend.Spend{CampaignID: e.campaigns[0], Amount: decimal.NewFromInt(10), Currency: "EUR", Clicks: number(12)})
	e.readSource(1, spend.Spend{CampaignID: e.campaigns[0], Amount: decimal.NewFromInt(2), Currency: "EUR", Clicks: number(1)})
	e.spend(1, 0, "5", "USD") // entered by hand
	e.visits(1, 0, e.at(0, 13), func(c *models.Click) { c.Cost = decimal.RequireFromString("0.5") })
	out := e.read(difference.OfSource, 3, "")
	if diff := cmp.Diff([]string{
		"0/0: 12 0 10 | 6 0 11.5 | time_zone 3 0 0 | bots 2 0 0 | late 0 0 -0.5 | currency 0 0 -1 | rest 1 0 0",
		"0/1: 0 0 0 | 1 0 0 | rest -1 0 0",
		"1/0: 1 0 2 | 3 0 5 | time_zone -3 0 0 | currency 0 0 -0.2 | correction 0 0 -2.8 | rest 1 0 0",
		"2/0: 0 0 0 | 4 0 0 | not_read -4 0 0",
	}, e.lines(out.Rows...)); diff != "" {
		t.Error(diff)
	}
	if out.Basis != difference.FromPlatform || out.TheirTZ != newYork || out.TheirCurrency != "EUR" || out.Compares.Conversions ||
		fmt.Sprint(out.Rates) != "[{EUR 1.1 1.1 0}]" {
		t.Errorf("basis %q, zone %q, currency %q, compared %v, rates %v; want the platform, New York, EUR, no conversions and 1.1",
			out.Basis, out.TheirTZ, out.TheirCurrency, out.Compares, out.Rates)
	}
	e.read(difference.OfSource, 3, "Asia/Kolkata") // days begin at half past an hour in UTC; the causes must add up too
	same := e.read(difference.OfSource, 3, newYork)
	for _, r := range same.Rows {
		for _, p := range r.Causes {
			if p.Cause == difference.TimeZone && p.Clicks != 0 {
				t.Errorf("in the platform's zone, the cause time zone has %v in the cell %v, want no clicks", p.Figures, r.Cell)
			}
		}
	}
}

// TestSourceByDay checks that spend for a whole source, without a campaign, is compared by day. Such spend comes from files.
func TestSourceByDay(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.visits(2, 0, e.at(0, 12), nil)
	e.visits(3, 1, e.at(0, 12), nil)
	e.visits(1, 1, e.at(0, 12), func(c *models.Click) { c.IsBot = true })
	e.tx(func(c db.Conn) error {
		_, err := spend.Set(t.Context(), clickLog, c, e.account, spend.Spend{
			Day: e.at(0, 0), SourceID: e.source, Amount: decimal.NewFromInt(7), Currency: "USD", Clicks: number(8),
		})
		return err
	})
	out := e.read(difference.OfSource, 1, "")
	if diff := cmp.Diff([]string{"0/-1: 8 0 7 | 5 0 7 | bots 1 0 0 | rest 2 0 0"}, e.lines(out.Rows...)); diff != "" || out.Basis != difference.FromSpend {
		t.Errorf("a difference by day (-want +got): %s; the basis is %q, want the entered spend", diff, out.Basis)
	}
}

// TestSourceConversions checks how our conversions are compared with the conversions that the source has accepted.
func TestSourceConversions(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	dbtest.Exec(t, e.db, `UPDATE traffic_sources SET postback_url = 'https://source.example/?id={externalid}' WHERE id = $1`, e.source)
	clicks := e.visits(6, 0, e.at(0, 12), nil)
	for i, status := range []string{"approved", "approved", "approved", "approved", "pending"} { // pending conversions are not sent
		e.sell(clicks[i], fmt.Sprint("c", i), status, "10", "USD", models.FromPostback, time.Minute)
	}
	result := func(click int, result, reason string) {
		t.Helper()
		dbtest.Exec(t, e.db, `UPDATE source_postbacks SET result = $2, reason = $3 WHERE click_id = $1`, clicks[click], result, reason)
	}
	result(0, "told", "")
	result(1, "told", "")
	result(2, "failed", "HTTP 410: gone")
	e.sell(clicks[1], "c1", "rejected", "10", "USD", models.FromPostback, time.Minute)
	out := e.read(difference.OfSource, 1, "")
	if diff := cmp.Diff([]string{"all: 0 2 0 | 6 4 0 | not_sent 0 -1 0 HTTP 410: gone | not_sent 0 -1 0 it waits to be sent" +
		" | not_sent 0 -1 0 the settings of the source send no conversion with this goal and status" +
		" | late 0 1 0 it was reported to the source, and is rejected now"}, e.lines(out.Total)); diff != "" {
		t.Error(diff)
	}
	if out.Basis != difference.FromNothing || out.Compares.Clicks || !out.Compares.Conversions || len(out.Examples) != 4 {
		t.Errorf("basis %q, compared %v, %d examples; want nothing, only conversions, and 4 examples", out.Basis, out.Compares, len(out.Examples))
	}
}

// order returns an order of a network.
func (e *env) order(id string, click uuid.UUID, day int, status, payout, currency string) reported.Order {
	return reported.Order{
		OrderID: id, ClickID: click, ConversionID: id, Day: e.day(day), Status: status, Payout: payout, Currency: currency,
	}
}

func (e *env) saveOrders(at time.Time, list ...reported.Order) {
	e.t.Helper()
	e.tx(func(c db.Conn) error {
		const fromFile = false
		return reported.SaveOrders(e.t.Context(), c, e.account, e.network, list, fromFile, at)
	})
}

// TestNetworkOrders checks the causes of the differences between a network's orders and our conversions. The network's days begin
// at midnight in New York, and its currency is the euro.
func TestNetworkOrders(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	dbtest.Exec(t, e.db, `INSERT INTO network_integrations (network_id, account_id, provider, settings, secrets, next_at, wide_at)
		VALUES ($1, $2, 'custom', jsonb_build_object('timezone', $3::text), '', now(), now())`, e.network, e.account, newYork)
	noon, night := e.visits(9, 0, e.at(0, 12), nil), e.visits(1, 0, e.at(1, 2), nil)
	sell := func(click uuid.UUID, id, status, payout, source string) {
		t.Helper()
		e.sell(click, id, status, payout, "EUR", source, time.Minute)
	}
	sell(noon[0], "same", "approved", "10", models.FromPostback)
	sell(noon[1], "slow", "approved", "20", models.FromPostback)
	sell(night[0], "zone", "approved", "30", models.FromPostback)
	sell(noon[2], "corrected", "approved", "50", models.FromCorrection)
	sell(noon[3], "by hand", "approved", "7", models.FromCorrection)
	sell(noon[4], "lost", "approved", "3", models.FromPostback)
	sell(noon[5], "odd", "approved", "2", models.FromPostback)
	read := time.Now()
	refused := e.order("refused", noon[6], 0, "approved", "4", "EUR")
	refused.Refusal = `its currency "X" is not known`
	stranger := e.order("stranger", uuid.Nil, 0, "approved", "5", "EUR")
	stranger.Refusal = "it names no click"
	e.saveOrders(read,
		e.order("same", noon[0], 0, "approved", "10", "EUR"), e.order("slow", noon[1], 1, "approved", "20", "EUR"),
		e.order("zone", night[0], 0, "approved", "30", "EUR"), e.order("corrected", noon[2], 0, "approved", "40", "EUR"),
		e.order("odd", noon[5], 0, "approved", "1", "EUR"), refused, stranger,
		e.order("decided", noon[7], 0, "rejected", "60", "EUR"), e.order("gone", noon[8], 0, "pending", "", "EUR"),
	)
	dbtest.Exec(t, e.db, `UPDATE conversions SET updated_at = $1`, read.Add(-time.Hour))
	sell(noon[7], "decided", "approved", "60", models.FromPostback) // after the orders were read
	dbtest.Exec(t, e.db, `UPDATE conversions SET updated_at = $1 WHERE conversion_id = 'decided'`, read.Add(time.Hour))
	out := e.read(difference.OfNetwork, 2, "")
	// At 1.10 dollars per euro our conversions are worth 11 (same), 22 (slow), 33 (zone), 55 (corrected), 7.70 (by hand), 3.30
	// (lost), 2.20 (odd) and 66 (decided).
	if diff := cmp.Diff([]string{
		"0/-1: 0 3 9 | 0 0 0 | unmatched 0 1 5.5 | refused 0 1 4.4 | currency 0 0 -0.9 | rest 0 1 0",
		"0/0: 0 4 81 | 9 7 167.2 | time_zone 0 1 33 | conversion_day 0 -1 -22 | late 0 -1 -66 | currency 0 0 -8.1 | correction 0 -1 -18.7" +
			" | rest 0 -1 -4.4",
		"1/0: 0 1 20 | 1 1 33 | time_zone 0 -1 -33 | conversion_day 0 1 22 | currency 0 0 -2",
	}, e.lines(out.Rows...)); diff != "" {
		t.Error(diff)
	}
	for _, x := range out.Examples {
		if x.ConversionID == "odd" && (x.Reason != "the amount differs" || x.OurPayout == nil || x.OurPayout.String() != "2" || x.OurCurrency != "EUR") ||
			x.ConversionID == "lost" && x.Reason != "the network does not list it" {
			t.Errorf("an unexplained example does not say in what it differs: %+v", x)
		}
	}
	reasons := map[string]string{
		"corrected": "correction", "by hand": "correction", "decided": "late", "refused": "refused", "stranger": "unmatched", "lost": "", "odd": "",
		"gone": "",
	}
	for _, x := range out.Examples {
		if cause, ok := reasons[x.ConversionID]; !ok || cause != x.Cause {
			t.Errorf("an example that is not expected, or has another cause: %+v", x)
		}
		delete(reasons, x.ConversionID)
	}
	if len(reasons) > 0 {
		t.Errorf("there is no example of %v", reasons)
	}
	// With orders in a second currency, the network's amounts are converted to dollars, the account's currency.
	e.saveOrders(read, e.order("lost", noon[4], 0, "approved", "3", "USD"))
	mixed := e.read(difference.OfNetwork, 2, "")
	if mixed.TheirCurrency != "" || !mixed.Total.Theirs.Money.Equal(decimal.RequireFromString("124")) {
		t.Errorf("amounts in two currencies are shown in %q with the sum %v, want no currency and 124 of money", mixed.TheirCurrency, mixed.Total.Theirs)
	}
}

// TestFileStatus checks an order whose present status is only in the network's own file. If the connection has read the order
// too, under another id, only the connection's order counts.
func TestFileStatus(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	click := e.visits(1, 0, e.at(0, 12), nil)[0]
	e.sell(click, "rejected", "approved", "10", "USD", models.FromPostback, time.Minute)
	upload := func(status string) {
		e.tx(func(c db.Conn) error {
			return reported.ReplaceFileOrders(t.Context(), c, e.account, e.network,
				[]reported.Order{e.order("rejected", click, 0, status, "10", "USD")}, time.Now().Add(time.Hour))
		})
	}
	upload("rejected")
	out := e.read(difference.OfNetwork, 1, "")
	want := []string{"all: 0 0 0 | 1 1 10 | not_received 0 -1 -10 no postback and no import has reported the network's status to us"}
	if diff := cmp.Diff(want, e.lines(out.Total)); diff != "" {
		t.Error(diff)
	}
	twice := e.order("of the connection", click, 0, "approved", "10", "USD")
	twice.ConversionID = "rejected" // the id of our conversion
	e.saveOrders(time.Now().Add(time.Hour), twice)
	upload("approved")
	out = e.read(difference.OfNetwork, 1, "")
	if diff := cmp.Diff([]string{"all: 0 1 10 | 1 1 10"}, e.lines(out.Total)); diff != "" {
		t.Errorf("an order that both the connection and a file report counts twice: %s", diff)
	}
}

// TestUnknownClicksOfFile checks orders of a file that name clicks which were never stored. Only one of these clicks has an
// unmatched postback in the account.
func TestUnknownClicksOfFile(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	named, silent := models.NewClickID(), models.NewClickID()
	dbtest.Exec(t, e.db, `INSERT INTO postbacks (id, account_id, network_id, source, domain, params, signature, signed_text, received_at, outcome, detail, click_id)
		SELECT new_id(), a, $2, 'postback', '', '{}', '', '', $3, o, $4, c FROM (VALUES ($1::uuid, 'unmatched', $5::uuid),
			(new_id(), 'unmatched', $6::uuid), ($1, 'refused', $6)) AS p (a, o, c)`,
		e.account, e.network, e.at(0, 15), conversion.ClickNeverCame, named, silent)
	e.tx(func(c db.Conn) error {
		return reported.ReplaceFileOrders(t.Context(), c, e.account, e.network, []reported.Order{
			e.order("named", named, 0, "approved", "10", "USD"), e.order("silent", silent, 0, "approved", "3", "USD"),
		}, time.Now())
	})
	out := e.read(difference.OfNetwork, 1, "")
	if diff := cmp.Diff([]string{"all: 0 2 13 | 0 0 0 | unmatched 0 1 10 " + conversion.ClickNeverCame +
		" | not_received 0 1 3 no postback and no import has reported it to us"}, e.lines(out.Total)); diff != "" {
		t.Error(diff)
	}
}

// TestNetworkTotals checks the causes of a difference with daily sums. A network counts only visitors who reach the offer, and
// counts a conversion on its own day, not on the day of the click.
func TestNetworkTotals(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	direct := e.visits(4, 0, e.at(0, 12), nil)
	e.visits(2, 0, e.at(0, 12), func(c *models.Click) { c.IsBot = true })
	e.visits(3, 1, e.at(0, 12), func(c *models.Click) { c.LanderID = uuid.New() }) // they stay on the landing page
	e.visits(1, 0, e.at(1, 12), nil)
	e.sell(direct[0], "a", "approved", "10", "USD", models.FromPostback, time.Hour)
	e.sell(direct[1], "b", "approved", "20", "USD", models.FromPostback, 14*time.Hour) // the next day
	dbtest.Exec(t, e.db, `INSERT INTO postbacks (id, account_id, network_id, source, domain, params, signature, signed_text, received_at, outcome, detail)
		SELECT new_id(), $1, $2, 'postback', '', jsonb_build_object('clickid', n % 2), '', '', $3, 'unmatched', 'there is no such click'
		FROM generate_series(1, 3) n`, e.account, e.network, e.at(0, 15)) // two of them are equal
	e.tx(func(c db.Conn) error {
		return reported.SaveTotals(t.Context(), c, e.account, e.network, []reported.Totals{{
			Day: e.at(0, 0), Clicks: number(7), Conversions: number(4), Payout: decimal.NewNullDecimal(decimal.NewFromInt(40)), Currency: "EUR",
		}}, time.Now())
	})
	out := e.read(difference.OfNetwork, 2, "")
	if diff := cmp.Diff([]string{
		"0/-1: 7 4 40 | 7 2 30 | conversion_day 0 -1 -20 | bots 2 0 0 | hops -3 0 0 | unmatched 0 2 0 | currency 0 0 -4 | rest 1 1 34",
		"1/-1: 0 0 0 | 1 0 0 | not_read -1 0 0",
	}, e.lines(out.Rows...)); diff != "" {
		t.Error(diff)
	}
	if out.Basis != difference.FromTotals || out.ReadAt == nil {
		t.Errorf("the basis is %q and the orders were read at %v, want daily sums with a time", out.Basis, out.ReadAt)
	}
}

// TestPostbacks checks the comparison with a network for which only postbacks are stored.
func TestPostbacks(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	if out := e.read(difference.OfNetwork, 1, ""); out.Basis != difference.FromNothing || out.Compares != (difference.Measures{}) {
		t.Errorf("without stored data, the basis is %q and %v is compared, want nothing", out.Basis, out.Compares)
	}
	clicks := e.visits(3, 0, e.at(0, 12), nil)
	e.sell(clicks[0], "a", "approved", "10", "USD", models.FromPostback, time.Minute)
	e.sell(clicks[1], "b", "approved", "20", "USD", models.FromCorrection, time.Minute)
	dbtest.Exec(t, e.db, `INSERT INTO postbacks (id, account_id, network_id, source, domain, params, signature, signed_text, received_at, outcome, detail,
		campaign_id) VALUES (new_id(), $1, $2, 'postback', '', '{}', '', '', $3, 'refused', 'the secret is wrong', $4)`, e.account, e.network,
		e.at(0, 15), e.campaigns[1])
	out := e.read(difference.OfNetwork, 1, "")
	if diff := cmp.Diff([]string{
		"0/0: 0 1 0 | 3 2 30 | correction 0 -1 0", "0/1: 0 1 0 | 0 0 0 | refused 0 1 0",
	}, e.lines(out.Rows...)); diff != "" {
		t.Error(diff)
	}
	if out.Basis != difference.FromPostbacks || out.Total.Causes[0].Reason != "the secret is wrong" {
		t.Errorf("the basis is %q with the causes %v, want postbacks, and the reason of the refused one first", out.Basis, out.Total.Causes)
	}
}

// TestStored checks which stored orders are replaced by later orders and files, and which are deleted.
func TestStored(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	click := e.visits(1, 0, e.at(0, 12), nil)[0]
	list := func() string {
		return dbtest.Get[string](t, e.db, `SELECT coalesce(string_agg(order_id || ' ' || status || ' ' || coalesce(payout::text, '-') || ' ' || from_file,
			', ' ORDER BY order_id), '') FROM network_orders`)
	}
	at := time.Now()
	e.saveOrders(at, e.order("a", click, 0, "pending", "", "USD"), e.order("a", click, 0, "approved", "1", "USD"))
	file := func(rows ...reported.Order) {
		e.tx(func(c db.Conn) error {
			return reported.ReplaceFileOrders(t.Context(), c, e.account, e.network, rows, at)
		})
	}
	file(e.order("a", click, 0, "rejected", "9", "USD"), e.order("b", uuid.Nil, 0, "approved", "2", "USD"), e.order("c", click, 1, "approved", "3", "USD"))
	if got := list(); got != "a approved 1 false, b approved 2 true, c approved 3 true" {
		t.Errorf("after a file with a, b and c, the orders are %s, want a unchanged, and b and c from the file", got)
	}
	file(e.order("d", click, 0, "approved", "4", "USD"))
	if got := list(); got != "a approved 1 false, c approved 3 true, d approved 4 true" {
		t.Errorf("after another file of the first day, the orders are %s, want d instead of b", got)
	}
	e.tx(func(c db.Conn) error { return reported.DeleteOrders(t.Context(), c, []uuid.UUID{click}) })
	old := e.order("old", uuid.Nil, -reported.KeptDays, "approved", "1", "USD")
	e.saveOrders(at, old, e.order("new", uuid.Nil, 0, "approved", "1", "USD"))
	n, err := reported.DeleteExpired(t.Context(), e.db, time.Now())
	if got := list(); err != nil || n != 1 || got != "new approved 1 false" {
		t.Errorf("%d orders were deleted as expired, want 1, and these are left: %s, want only the new one: %v", n, got, err)
	}
}

// TestCleared checks that the export of a visitor's data has the visitor's orders, and that clearing a campaign deletes what
// sources and networks have reported for it.
func TestCleared(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	cleared, kept := e.visits(1, 0, e.at(0, 12), nil)[0], e.visits(1, 1, e.at(0, 12), nil)[0]
	e.saveOrders(time.Now(), e.order("cleared", cleared, 0, "approved", "1", "USD"), e.order("kept", kept, 0, "approved", "1", "USD"))
	for i := range e.campaigns {
		e.sell([]uuid.UUID{cleared, kept}[i], []string{"cleared", "kept"}[i], "approved", "1", "USD", models.FromPostback, time.Minute)
	}
	e.readSource(0, spend.Spend{CampaignID: e.campaigns[0], Amount: decimal.NewFromInt(1), Currency: "USD"},
		spend.Spend{CampaignID: e.campaigns[1], Amount: decimal.NewFromInt(2), Currency: "USD"})
	log := click.Log{Conn: e.db}
	known, err := retention.ReadKnown(t.Context(), log, click.Visitor{AccountID: e.account, ClickID: cleared})
	if err != nil || len(known.Orders) != 1 || !strings.Contains(string(known.Orders[0]), `"order_id":"cleared"`) {
		t.Errorf("the visitor's data has the orders %s, want only the order named cleared: %v", known.Orders, err)
	}
	q := retention.ClearQuery{AccountID: e.account, Of: []uuid.UUID{e.campaigns[0]}, From: e.at(0, 0), To: e.at(2, 0)}
	for _, clear := range []func(context.Context, click.Log, db.Conn, retention.ClearQuery, int) (retention.Cleared, error){
		retention.Clear, retention.ClearArchive,
	} {
		e.tx(func(c db.Conn) error {
			_, err := clear(t.Context(), log, c, q, 1000)
			return err
		})
	}
	left := dbtest.Get[string](t, e.db, `SELECT (SELECT string_agg(order_id, ' ') FROM network_orders) || ' ' ||
		(SELECT string_agg(amount::text, ' ') FROM source_figures)`)
	if left != "kept 2" {
		t.Errorf("after the campaign was cleared, these orders and amounts are left: %s, want kept and 2", left)
	}
	out := e.read(difference.OfSource, 1, "")
	if len(out.Rows) != 1 || out.Rows[0].Campaign != e.campaigns[1] {
		t.Errorf("after the campaign was cleared, the rows are %v, want one row of the other campaign", e.lines(out.Rows...))
	}
}

// TestLimits checks the errors of comparisons.
func TestLimits(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	read := func(account uuid.UUID, a difference.Args) string {
		_, err := dbdifference.Reader{Conn: e.db, Reports: report.Reader{Conn: e.db}}.Read(t.Context(), account, a)
		if e, ok := models.AsError(err); ok {
			return e.Code
		}
		return fmt.Sprint(err)
	}
	good := difference.Args{Kind: difference.OfSource, ID: e.source, From: e.day(0), To: e.day(1)}
	other, bad, zone, network := good, good, good, good
	other.ID, bad.To, zone.TZ, network.Kind = uuid.New(), "x", "Nowhere/Land", difference.OfNetwork
	for want, got := range map[string]string{
		"not_found": read(e.account, other), "invalid_input": read(e.account, bad), "<nil>": read(e.account, good),
	} {
		if got != want {
			t.Errorf("a comparison returned the error %s, want %s", got, want)
		}
	}
	dbtest.Exec(t, e.db, `INSERT INTO currency_changes (account_id, job_id, from_currency, to_currency, kept_from)
		VALUES ($1, new_id(), 'EUR', 'USD', now())`, e.account)
	if got := read(e.account, good); got != "busy" {
		t.Errorf("a comparison while the currency is being changed: error %q, want busy", got)
	}
	dbtest.Exec(t, e.db, `DELETE FROM currency_changes`)
	if got := read(e.account, network); got != "not_found" {
		t.Errorf("reading a source as a network: error %q, want not_found", got)
	}
	if got := read(e.account, zone); got != "invalid_input" {
		t.Errorf("a comparison in an unknown zone: error %q, want invalid_input", got)
	}
}

// TestManyRefusedPostbacks checks that a window with too many postbacks is refused, even if all of them are equal.
func TestManyRefusedPostbacks(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	dbtest.Exec(t, e.db, `INSERT INTO postbacks (id, account_id, network_id, source, domain, params, signature, signed_text, received_at, outcome, detail)
		SELECT gen_random_uuid(), $1, $2, 'postback', '', '{}', '', '', $3, 'refused', 'x' FROM generate_series(1, $4)`,
		e.account, e.network, e.at(0, 12), difference.MaxRefused+1)
	read := func() (difference.Result, error) {
		return dbdifference.Reader{Conn: e.db, Reports: report.Reader{Conn: e.db}}.Read(t.Context(), e.account,
			difference.Args{Kind: difference.OfNetwork, ID: e.network, From: e.day(0), To: e.day(1)})
	}
	if _, err := read(); err == nil || !strings.Contains(err.Error(), "refused postbacks") {
		t.Errorf("the error is %v, want one that names the refused postbacks", err)
	}
	dbtest.Exec(t, e.db, `DELETE FROM postbacks WHERE id = (SELECT id FROM postbacks LIMIT 1)`)
	if out, err := read(); err != nil || out.Total.Theirs.Conversions != 1 {
		t.Errorf("as many postbacks as the limit allows give %+v, want one conversion: %v", out.Total, err)
	}
}

package smoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

// sale is a conversion at Everflow, and the changes that it must cause here.
type sale struct {
	order
	visit      *moneyClick // the click of the order
	source     string      // the party that reported the order first
	own        string      // id of the conversion here, given by that party
	recordings []recording
}

// saleScript describes an order: its first status and payout, and its later ones.
type saleScript struct {
	click                int
	goal                 string
	first, firstPayout   string
	second, secondPayout string
	ahead                bool // the network sends a postback before the import
}

var saleScripts = []saleScript{
	{click: 0, first: "approved", firstPayout: "10", second: "approved", secondPayout: "10"},
	{click: 1, first: "pending", firstPayout: "4.5", second: "approved", secondPayout: "4.5"},
	{click: 2, first: "approved", firstPayout: "6", second: "approved", secondPayout: "7.25"}, // amended
	{click: 3, first: "approved", firstPayout: "20", second: "gone", secondPayout: "20"},      // rejected after its approval
	{click: 4, first: "pending", firstPayout: "3", second: "rejected", secondPayout: "3"},
	{click: 5, first: "approved", firstPayout: "1.1", second: "approved", secondPayout: "1.1"},
	{click: 5, goal: "Upsell", first: "approved", firstPayout: "2.35", second: "approved", secondPayout: "2.35"},
	{click: 6, first: "approved", firstPayout: "5.5", second: "approved", secondPayout: "5.5", ahead: true},
	{click: 8, first: "pending", firstPayout: "8", second: "approved", secondPayout: "9.99"},
}

// strangers is the number of Everflow's orders that belong to no click here.
const strangers = 2

// ourStatus returns our status for a status of saleScripts. "gone" means that Everflow rejected the order after its approval and
// no longer reports it.
func ourStatus(word string) string {
	if word == "gone" {
		return "rejected"
	}
	return word
}

// postbackAhead creates the sales. For some, the network sends a postback before the import, with the transaction id of the order
// instead of its conversion id.
func (m *money) postbackAhead(ctx context.Context) error {
	for i, s := range saleScripts {
		c := m.clicks[s.click]
		sold := &sale{
			order: order{"ef-" + strconv.Itoa(i), c.id, s.goal, s.first, amount(s.firstPayout), time.Now().UTC().Truncate(time.Second)},
			visit: c, source: "network_sync",
		}
		sold.own = sold.id
		m.sales = append(m.sales, sold)
		sold.recordings = []recording{{"conversion.created", ourStatus(s.first), sold.payout}}
		if !s.ahead {
			continue
		}
		sold.source, sold.own = "postback", "tx-"+sold.id
		q := url.Values{"clickid": {c.id}, "payout": {s.firstPayout}, "status": {s.first}, "conversion_id": {sold.own}, "currency": {"USD"}}
		resp, err := m.request(ctx, http.MethodGet, "/postback/"+m.network+"?"+q.Encode(), c.visitor, "")
		if err == nil && resp.status != http.StatusOK {
			err = fmt.Errorf("the postback was answered %d: %.200s", resp.status, resp.body)
		}
		if err != nil {
			return err
		}
	}
	return m.waitConversions(ctx, func(s *sale) bool { return s.source == "postback" })
}

// waitConversions waits until all sales are recorded with their current status and payout, and compares the whole conversion log.
// With a function `some`, it waits only for the sales that the function selects. It then compares only the length of the log, which
// must be 1.
func (m *money) waitConversions(ctx context.Context, some func(*sale) bool) error {
	var rows []conversionRow
	_, err := poll(ctx, quietTimeout, 200*time.Millisecond, func() (bool, error) {
		var err error
		rows, err = pages1000[conversionRow](ctx, m.api, "/logs/conversions", nil)
		right := 0
		for _, r := range rows {
			if s := m.saleOf(r); s != nil && ourStatus(s.status) == r.Status && s.payout.Equal(number(r.Payout)) {
				right++
			}
		}
		want := 0
		for _, s := range m.sales {
			if some == nil || some(s) {
				want++
			}
		}
		return right == want, err
	})
	if err != nil {
		return err
	}
	if some != nil {
		m.same("conversions ahead of the import", len(rows), 1)
		return nil
	}
	m.same("conversions of the network", len(rows), len(m.sales))
	for _, r := range rows {
		s := m.saleOf(r)
		if s == nil {
			m.differ("conversions of the network: %+v was not reported", r)
			continue
		}
		c := m.campaigns[s.visit.campaign]
		m.same("conversion "+s.id, fmt.Sprint(r.Status, shortest(number(r.Payout)), r.Currency, r.CampaignID, r.SourceID, r.Source),
			fmt.Sprint(ourStatus(s.status), shortest(s.payout), "USD", c.id, m.source, s.source))
	}
	return nil
}

func (m *money) saleOf(r conversionRow) *sale {
	for _, s := range m.sales {
		if s.own == r.ConversionID && s.goal == r.Goal && s.click == r.ClickID {
			return s
		}
	}
	return nil
}

// orders returns all orders of Everflow: the sales, and two orders whose clicks are not ours.
func (m *money) orders() []order {
	var list []order
	for _, s := range m.sales {
		list = append(list, s.order)
	}
	at := list[0].at
	return append(list, order{"ef-a", "somebody-elses", "", "approved", amount("99"), at}, order{"ef-b", makeID(1 << 59), "", "approved", amount("98"), at})
}

type imported struct {
	DryRun                    bool
	Total, Matched, Unmatched int
	Payout                    json.Number
	Outcomes                  []struct{ Result, Reason string }
}

// importOrders imports Everflow's orders and compares the answer. changed is the number of orders that must create or change a
// conversion, and result is their expected outcome.
func (m *money) importOrders(ctx context.Context, apply bool, result string, changed int) error {
	from, to := m.days()
	var got imported
	body := object{"from": from, "to": to, "apply": apply}
	if err := m.api.Do(ctx, http.StatusOK, http.MethodPost, m.networkPath()+"/sync", body, &got); err != nil {
		return err
	}
	sum := decimal.Zero
	for _, s := range m.sales {
		sum = sum.Add(s.payout)
	}
	results := map[string]int{}
	for _, o := range got.Outcomes {
		results[o.Result]++
	}
	want := map[string]int{"refused": strangers, "unchanged": len(m.sales) - changed}
	if changed > 0 {
		want[result] = changed
	}
	if want["unchanged"] == 0 {
		delete(want, "unchanged")
	}
	m.expectRun()
	what := fmt.Sprintf("import of orders, applied %t: ", apply)
	m.same(what+"dryRun", got.DryRun, !apply)
	m.same(what+"total", got.Total, len(m.sales)+strangers)
	m.same(what+"matched", got.Matched, len(m.sales))
	m.same(what+"unmatched", got.Unmatched, strangers)
	m.same(what+"payout", shortest(number(got.Payout)), shortest(sum))
	m.same(what+"outcomes", results, want)
	return nil
}

func (m *money) expectRun() {
	pages, read := 0, 0
	for _, report := range []string{"conversions", everflowHeld} {
		rows := 0
		for _, o := range m.orders() {
			if o.report() == report {
				rows++
			}
		}
		pages, read = pages+max(1, (rows+everflowPageSize-1)/everflowPageSize), read+rows
	}
	m.wantRuns = append(m.wantRuns, fmt.Sprint("api", pages, read, len(m.sales), true))
}

// importSpend imports the spend from Meta and compares the answer. A row of spend is matched if clicks here name its campaign.
// changed says whether the spend of the days changes.
func (m *money) importSpend(ctx context.Context, more int64, changed bool) error {
	rows := m.spent(more)
	matched, days, sum := 0, map[string]bool{}, decimal.Zero
	for _, r := range rows {
		if r.campaign != restPlatform {
			matched++
		}
		days[r.day], sum = true, sum.Add(r.amount)
	}
	if !changed {
		clear(days)
	}
	var got struct {
		OK                     bool
		Detail                 *string
		Rows, Matched, Changed int
		Spend                  json.Number
		Currency               string
	}
	from, to := m.days()
	body := object{"action": "sync", "from": from, "to": to}
	if err := m.api.Do(ctx, http.StatusOK, http.MethodPost, m.sourcePath(), body, &got); err != nil {
		return err
	}
	if !got.OK {
		return fmt.Errorf("the spend was not read: %v", got.Detail)
	}
	m.same("spend: rows, matched, changed", fmt.Sprint(got.Rows, got.Matched, got.Changed), fmt.Sprint(len(rows), matched, len(days)))
	m.same("spend: sum", shortest(number(got.Spend))+got.Currency, shortest(sum)+"USD")
	return nil
}

// importFirst imports the first reports of the platforms, repeatedly.
func (m *money) importFirst(ctx context.Context) error {
	m.platforms.set(m.orders(), m.spent(0))
	fresh := 0
	for _, s := range m.sales {
		if s.source != "postback" {
			fresh++
		}
	}
	if err := errors.Join(m.importOrders(ctx, false, "created", fresh), m.importOrders(ctx, true, "created", fresh),
		m.importOrders(ctx, true, "", 0), m.importSpend(ctx, 0, true), m.importSpend(ctx, 0, false)); err != nil {
		return err
	}
	return errors.Join(m.waitConversions(ctx, nil), m.figures(ctx, 0))
}

// figures compares the reports of the account with the sums of both platforms.
func (m *money) figures(ctx context.Context, more int64) error {
	for _, dimension := range []string{"source_id", "campaign_id"} {
		var answer struct{ Rows []reportRow }
		if err := m.api.Get(ctx, "/reports/performance?dimension="+dimension, &answer); err != nil {
			return err
		}
		want := map[string]*figures{}
		for i, c := range m.campaigns {
			key, f := c.id, &figures{}
			if dimension == "source_id" {
				key = m.source
			}
			if want[key] != nil {
				f = want[key]
			}
			want[key] = f
			m.count(i, f, more)
		}
		m.same("money by "+dimension+": rows", len(answer.Rows), len(want))
		for i := range answer.Rows {
			row := &answer.Rows[i]
			if f := want[row.key([]string{dimension})]; f != nil {
				m.compare("money by "+dimension, row.figures, f, everyFigure)
			} else {
				m.differ("money by %s: a row of %v", dimension, row.dims)
			}
		}
	}
	return nil
}

func (m *money) count(campaign int, f *figures, more int64) {
	for _, c := range m.clicks {
		if c.campaign == campaign {
			f.clicks, f.unique = f.clicks+1, f.unique+1
		}
	}
	f.cost = f.cost.Add(m.cost(campaign, more))
	for _, s := range m.sales {
		if s.visit.campaign != campaign {
			continue
		}
		switch ourStatus(s.status) {
		case "approved":
			f.approved, f.revenue = f.approved+1, f.revenue.Add(s.payout)
		case "pending":
			f.pending, f.pendingRevenue = f.pending+1, f.pendingRevenue.Add(s.payout)
		case "rejected":
			f.rejected++
		case "chargeback":
			f.chargebacks++
		}
	}
}

// revise changes the reports of the platforms and imports them again. Each of Meta's clicks costs 11 cents more.
func (m *money) revise(ctx context.Context) error {
	changed := 0
	for i, s := range saleScripts {
		v := m.sales[i]
		if v.status == s.second && v.payout.Equal(amount(s.secondPayout)) {
			continue
		}
		changed++
		v.status, v.payout = s.second, amount(s.secondPayout)
		v.recordings = append(v.recordings, recording{"conversion.updated", ourStatus(s.second), v.payout})
	}
	const more = 11
	m.platforms.set(m.orders(), m.spent(more))
	if err := errors.Join(m.importOrders(ctx, false, "updated", changed), m.importOrders(ctx, true, "updated", changed),
		m.importSpend(ctx, more, true)); err != nil {
		return err
	}
	return errors.Join(m.waitConversions(ctx, nil), m.figures(ctx, more), m.clickLoss(ctx, more))
}

type lossAnswer struct {
	Source    int `json:"source_clicks"`
	Redirects int
}

// clickLoss compares the reported click loss with the numbers of Meta's clicks and of the clicks that arrived.
func (m *money) clickLoss(ctx context.Context, more int64) error {
	var got struct {
		Loss []struct {
			Day string
			lossAnswer
		} `json:"click_loss"`
	}
	if err := m.api.Get(ctx, m.sourcePath(), &got); err != nil {
		return err
	}
	var report struct {
		Rows []struct {
			Dims map[string]string
			Loss *lossAnswer `json:"click_loss"`
		}
		Totals struct {
			Loss *lossAnswer `json:"click_loss"`
		}
	}
	if err := m.api.Get(ctx, "/reports/performance?dimension=source_id,date", &report); err != nil {
		return err
	}
	want, all := map[string]lossAnswer{}, lossAnswer{Redirects: len(m.clicks)}
	for _, r := range m.spent(more) {
		day := want[r.day]
		day.Source, all.Source = day.Source+r.clicks, all.Source+r.clicks
		want[r.day] = day
	}
	for _, c := range m.clicks {
		day := want[c.at.Format(time.DateOnly)]
		day.Redirects++
		want[c.at.Format(time.DateOnly)] = day
	}
	m.same("days of click loss", fmt.Sprint(len(got.Loss), len(report.Rows)), fmt.Sprint(len(want), len(want)))
	for _, d := range got.Loss {
		m.same("click loss of "+d.Day, d.lossAnswer, want[d.Day])
	}
	for _, r := range report.Rows {
		if r.Loss == nil {
			m.differ("click loss in the report of %v: none", r.Dims)
			continue
		}
		m.same("click loss in the report of "+r.Dims["date"], *r.Loss, want[r.Dims["date"]])
	}
	if report.Totals.Loss == nil || *report.Totals.Loss != all {
		m.differ("click loss of all: %+v, expected %+v", report.Totals.Loss, all)
	}
	return nil
}

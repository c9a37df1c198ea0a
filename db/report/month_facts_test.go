package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ledger"
	"switchyard/db/retention"
	"switchyard/db/spend"
	"switchyard/models"
)

// recordConversions records conversions of up to n clicks, and later reports about recorded conversions.
func (m *monthEnv) recordConversions(n int) {
	m.Helper()
	chosen := map[*monthFact]bool{}
	for range n {
		f := m.facts[m.rnd.IntN(len(m.facts))]
		if len(m.log) > 0 && m.rnd.IntN(3) == 0 {
			f = m.log[m.rnd.IntN(len(m.log))]
		}
		if !f.deleted {
			chosen[f] = true
		}
	}
	var inputs []conversion.Input
	var wants []string
	for _, f := range m.facts {
		if chosen[f] {
			if len(f.sales) == 0 {
				m.log = append(m.log, f)
			}
			in, want := m.sale(f)
			inputs, wants = append(inputs, in), append(wants, want)
		}
	}
	m.atOnce(len(inputs), func(i int) error {
		return db.Tx(m.Context(), m.d, func(c db.Conn) error {
			out, err := conversion.Record(m.Context(), click.Log{}, c, inputs[i])
			if err == nil && out.Result != wants[i] {
				err = fmt.Errorf("%+v: %s, want %s", inputs[i], out.Result, wants[i])
			}
			return err
		})
	})
}

// correct does the same as recordConversions in one transaction, as an imported file does.
func (m *monthEnv) correct(n int) {
	m.Helper()
	var inputs []conversion.Input
	var wants []string
	for len(inputs) < n {
		if f := m.facts[m.rnd.IntN(len(m.facts))]; !f.deleted {
			if len(f.sales) == 0 {
				m.log = append(m.log, f)
			}
			in, want := m.sale(f)
			in.Source = models.FromCorrection
			inputs, wants = append(inputs, in), append(wants, want)
		}
	}
	err := db.Tx(m.Context(), m.d, func(c db.Conn) error {
		const write = true
		list, _, err := conversion.Correct(m.Context(), click.Log{}, c, m.account, inputs, write)
		for i, v := range list {
			if v.Result != wants[i] {
				return fmt.Errorf("%+v: %s %w, want %s", inputs[i], v.Result, v.Refusal, wants[i])
			}
		}
		return err
	})
	if err != nil {
		m.Fatal(err)
	}
}

// sale returns a random message about a conversion, and its expected result.
func (m *monthEnv) sale(f *monthFact) (conversion.Input, string) {
	in := conversion.Input{
		AccountID: m.account, ClickID: f.id, Source: models.FromPostback, At: f.at.AddDate(0, 0, m.rnd.IntN(20)),
		ConversionID: []string{"", "", "second"}[m.rnd.IntN(3)], Goal: []string{"", PlainGoal, "lead"}[m.rnd.IntN(3)],
		Status: []string{"", "approved", "approved", "pending", "rejected", "chargeback"}[m.rnd.IntN(6)],
	}
	key := in.Goal + "/" + in.ConversionID
	old := f.sales[key]
	v := monthSale{status: "approved"}
	if old != nil {
		v = *old
	}
	if in.Status != "" {
		if old != nil && !slices.Contains(monthMoves[old.status], in.Status) {
			return in, conversion.ResultIgnored
		}
		v.status = in.Status
	}
	reported := int64(-1)
	if m.rnd.IntN(3) > 0 {
		reported = m.rnd.Int64N(5000) * 1e8
		d := decimal.New(reported, -moneyDecimals)
		in.Payout = &d
	}
	if m.rnd.IntN(5) == 0 {
		v.isGiven, v.given = true, m.rnd.Int64N(500)*1e7
		d := decimal.New(v.given, -moneyDecimals)
		in.Cost = &d
	}
	offer, known := m.offers[m.pools[place("offer_id")].list[f.values[place("offer_id")]]]
	switch {
	case known && !offer.percent && (reported < 0 || !offer.byParam):
		if old == nil {
			v.payout = offer.pays
		}
	case reported >= 0 && offer.percent:
		v.payout = reported / 100 * offer.pays
	case reported >= 0:
		v.payout = reported
	}
	switch {
	case v.status != "approved":
		v.cost = 0
	case v.isGiven:
		v.cost = v.given
	default:
		v.cost = f.each + v.payout/100*f.share
	}
	f.sales[key] = &v
	switch {
	case old == nil:
		return in, conversion.ResultCreated
	case *old == v:
		return in, conversion.ResultDuplicate
	}
	return in, conversion.ResultUpdated
}

// monthMoves maps each status to the statuses that may follow it.
var monthMoves = map[string][]string{
	"pending":    {"pending", "approved", "rejected"},
	"approved":   {"approved", "rejected", "chargeback"},
	"rejected":   {"rejected", "approved"},
	"chargeback": {"chargeback"},
}

// clear deletes the clicks of a campaign in a window, with their figures.
func (m *monthEnv) clear(campaign string, from, to time.Time) {
	m.Helper()
	q := retention.ClearQuery{AccountID: m.account, Of: []uuid.UUID{asID(campaign)}, From: from, To: to}
	var clicks int64
	for done := false; !done; {
		err := db.Tx(m.Context(), m.d, func(c db.Conn) error {
			out, err := retention.Clear(m.Context(), click.Log{}, c, q, monthClicks/150)
			q.After, done, clicks = out.After, out.Done, clicks+out.Clicks+out.BotClicks
			return err
		})
		if err != nil {
			m.Fatal(err)
		}
	}
	var want int64
	for _, f := range m.facts {
		if !f.deleted && m.pools[0].list[f.values[0]] == campaign && !f.at.Before(from) && f.at.Before(to) {
			f.deleted = true
			want++
		}
	}
	if clicks != want || want == 0 {
		m.Fatalf("%d clicks were deleted, want %d", clicks, want)
	}
	m.deleted += int(want)
	m.log = slices.DeleteFunc(m.log, func(f *monthFact) bool { return f.deleted })
	m.sent, m.earlier = nil, nil // from now on, a repeated click or visit counts as unique again, so none is sent
}

// spend sets the spend of a day at a source, in total or for one campaign. It is spread over the visitors' clicks of that day,
// but not over clicks of bots. If visitors made no clicks, it counts as a fact without a click.
func (m *monthEnv) spend(source, campaign string, date time.Time, amount int64) {
	m.Helper()
	s := spend.Spend{
		Day: date, SourceID: asID(source), CampaignID: asID(campaign), Amount: decimal.New(amount, -moneyDecimals),
	}
	err := db.Tx(m.Context(), m.d, func(c db.Conn) error {
		_, err := spend.Set(m.Context(), click.Log{}, c, m.account, s)
		return err
	})
	if err != nil {
		m.Fatal(err)
	}
	var paid []*monthFact
	at, sources := place("source_id"), m.pools[place("source_id")]
	for _, f := range m.facts {
		if f.deleted || f.at.Before(date) || !f.at.Before(date.AddDate(0, 0, 1)) || sources.list[f.values[at]] != source ||
			campaign != "" && m.pools[0].list[f.values[0]] != campaign {
			continue
		}
		f.cost, f.each, f.share = 0, 0, 0
		for _, v := range f.sales {
			v.cost, v.given, v.isGiven = 0, 0, true
		}
		if !f.bot {
			paid = append(paid, f)
		}
	}
	slices.SortFunc(paid, func(a, b *monthFact) int { return strings.Compare(a.id.String(), b.id.String()) })
	n := int64(len(paid))
	rounded := func(i int64) int64 { return (2*amount*i + n) / (2 * n) }
	for i, f := range paid {
		f.cost = rounded(int64(i+1)) - rounded(int64(i))
	}
	m.spent++
	if n == 0 {
		f := &monthFact{at: date, values: make([]uint32, len(monthDims)), alone: amount}
		f.values[at], f.values[0] = m.pools[at].number(source), m.pools[0].number(campaign)
		m.setTimeValues(f)
		m.alone = append(m.alone, f)
	}
}

// spends sets spend for three sources with clicks, for one of them twice on the same day, and for a source without clicks.
func (m *monthEnv) spends() {
	m.Helper()
	sources, idle := m.pools[place("source_id")].list, uuid.NewString()
	dbtest.Exec(m, m.d, `INSERT INTO traffic_sources (id, account_id, name) VALUES ($1, $2, $3)`, idle, m.account, "name of "+idle)
	date := func(n int) time.Time { return m.start.AddDate(0, 0, n) }
	m.spend(sources[2], "", date(4), 1234567890123)
	m.spend(sources[2], "", date(4), 1000000000000)
	m.spend(sources[3], m.pools[0].list[1], date(9), 77777777777)
	m.spend(sources[1], "", date(25), 55555555555)
	m.spend(idle, "", date(11), 123000000000)
	m.spend(idle, m.pools[0].list[2], date(12), 456000000001)
}

func (m *monthEnv) compact(hours int) {
	m.Helper()
	if _, err := ledger.Compact(m.Context(), m.d, time.Now(), hours); err != nil {
		m.Fatal(err)
	}
}

// sumUp makes each conversion a fact of its own (see split), sorts the facts by time and calculates their sums. Call it before
// queries.
func (m *monthEnv) sumUp() {
	var sold []*monthFact
	for _, f := range m.facts {
		sold = append(sold, m.split(f)...)
	}
	m.sold = len(sold)
	m.facts = slices.Concat(m.facts, m.alone, sold)
	slices.SortFunc(m.facts, func(a, b *monthFact) int { return a.at.Compare(b.at) })
	for _, f := range m.facts {
		f.total = f.sums()
	}
}

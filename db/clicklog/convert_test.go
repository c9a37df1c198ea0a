package clicklog_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/dbtest"
	"switchyard/db/exchangerate"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/parttest"
)

// exchange is an account in dollars with facts in four currencies, and a model of the published rates.
type exchange struct {
	books
	published map[string]map[string]*big.Rat // by day and currency: value of one euro in the currency
	fixed     map[string]string              // fixed rates as first seen, by day and currency
	replaced  bool
	copied    *clicklog.CopyReader // nil: no click is cold
}

func (x *exchange) log() clicklog.Log { return clicklog.Log{Conn: x.db, Copy: x.copied} }

var currencies = []string{"USD", "EUR", "GBP", "JPY"}

func newExchange(t *testing.T, seed uint64) *exchange {
	t.Helper()
	x := &exchange{
		books: books{
			T: t, db: dbtest.New(t), rnd: rand.New(rand.NewPCG(seed, 7)), today: time.Now().UTC().Truncate(24 * time.Hour),
			sources: []uuid.UUID{uuid.New(), uuid.New()}, campaigns: []uuid.UUID{uuid.New(), uuid.New()},
		},
		published: map[string]map[string]*big.Rat{}, fixed: map[string]string{},
	}
	x.account = account(t, x.db)
	return x
}

func (x *exchange) dayText(back int) string {
	return x.today.AddDate(0, 0, -back).Format(time.DateOnly)
}

// arrive makes n clicks and stores them.
func (x *exchange) arrive(n int) {
	x.Helper()
	s := openSpool(x, x.TempDir())
	for range n {
		c := click(x.account, x.campaigns[x.rnd.IntN(2)], byte(x.rnd.IntN(40)))
		c.ID = idAt(x.today.Add(-time.Duration(x.rnd.IntN(72*60)) * time.Minute))
		c.SourceID, c.IsBot, c.Currency = x.sources[x.rnd.IntN(2)], x.rnd.IntN(6) == 0, currencies[x.rnd.IntN(4)]
		if c.IsBot {
			c.BotSignals, c.BotScore = uint64(bot.DeclaredBot), 100
		}
		c.Cost, c.UniqueCost = decimal.New(int64(x.rnd.IntN(900)), -4), decimal.New(int64(x.rnd.IntN(30)), -3)
		c.ConversionCost, c.RevenueShare = decimal.New(int64(x.rnd.IntN(3)), -1), decimal.NewFromInt(int64(x.rnd.IntN(2)*7))
		put(x, s, spool.Record{Click: c})
		x.clicks = append(x.clicks, c)
	}
	drain(x, s, x.db, clicklog.IngestOptions{Copy: x.copied})
}

// sell records conversions in any currency, at any time of the last days.
func (x *exchange) sell(n int) {
	x.Helper()
	list := x.inputs(n)
	for i := range list {
		in := &list[i]
		in.Currency = append(currencies, "")[x.rnd.IntN(5)]
		if x.rnd.IntN(2) == 0 {
			in.At = x.today.Add(-time.Duration(x.rnd.IntN(72*60)) * time.Minute)
		}
		if x.rnd.IntN(4) == 0 {
			in.Cost = amount(fmt.Sprint(x.rnd.IntN(5), ".25"))
		}
		in.Final = x.rnd.IntN(2) == 0
	}
	expected, _, err := x.log().CorrectConversions(x.Context(), x.db, x.account, list, false)
	if err != nil {
		x.Fatal(err)
	}
	x.tx(func(c db.Conn) error {
		out, _, err := x.log().CorrectConversions(x.Context(), c, x.account, list, true)
		if diff := cmp.Diff(brief(expected), brief(out)); diff != "" {
			x.Errorf("preview (-) and what happened (+): %s", diff)
		}
		return err
	})
}

// move corrects the time of some existing conversions, and sometimes their currency.
func (x *exchange) move() {
	x.Helper()
	var known []models.Conversion
	if err := x.db.SelectContext(x.Context(), &known,
		`SELECT click_id, goal, conversion_id, currency FROM conversions ORDER BY id LIMIT 6`); err != nil {
		x.Fatal(err)
	}
	x.tx(func(c db.Conn) error {
		var list []clicklog.ConversionInput
		for _, v := range known {
			list = append(list, clicklog.ConversionInput{
				AccountID: x.account, ClickID: v.ClickID, Goal: v.Goal, ConversionID: v.ConversionID, Final: true,
				Currency: []string{v.Currency, v.Currency, "GBP"}[x.rnd.IntN(3)], Source: models.FromCorrection,
				At: x.today.Add(-time.Duration(x.rnd.IntN(72*60)) * time.Minute),
			})
		}
		_, _, err := x.log().CorrectConversions(x.Context(), c, x.account, list, true)
		return err
	})
}

func (x *exchange) pay() {
	x.Helper()
	s := x.spend()
	s.Day = x.today.AddDate(0, 0, -x.rnd.IntN(7)) // clicks exist on three days only
	s.Currency = append(currencies, "")[x.rnd.IntN(5)]
	x.tx(func(c db.Conn) error {
		_, err := x.log().SetSpend(x.Context(), c, x.account, s)
		return err
	})
}

// publish stores rates of a random day. Rates of the latest days are often missing.
func (x *exchange) publish(replace bool) {
	x.Helper()
	day := x.dayText(x.rnd.IntN([]int{5, 14}[x.rnd.IntN(2)]))
	var list []models.Rate
	for _, currency := range []string{"USD", "GBP", "JPY"} {
		if x.rnd.IntN(3) == 0 {
			continue
		}
		r, err := models.NewRate(day, currency, fmt.Sprintf("%d.%04d", 1+x.rnd.IntN(3), x.rnd.IntN(10000)), models.RatesOfFile)
		if err != nil {
			x.Fatal(err)
		}
		list = append(list, r)
		if x.published[day] == nil {
			x.published[day] = map[string]*big.Rat{}
		}
		if x.published[day][currency] == nil || replace {
			x.published[day][currency] = r.Rate.Rat()
		}
	}
	x.replaced = x.replaced || replace
	x.tx(func(c db.Conn) error {
		_, err := exchangerate.Save(x.Context(), c, list, replace)
		return err
	})
}

// euro returns the model's value of one euro in a currency on a day, or nil if it is unknown.
func (x *exchange) euro(day, currency string) *big.Rat {
	if currency == models.Euro {
		return big.NewRat(1, 1)
	}
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		x.Fatal(err)
	}
	for back := range models.RateDays + 1 {
		if r := x.published[at.AddDate(0, 0, -back).Format(time.DateOnly)][currency]; r != nil {
			return r
		}
	}
	return nil
}

// rate returns the rate of a currency to the dollar on a day with 16 decimals, or an empty text if it is unknown.
func (x *exchange) rate(day, currency string) string {
	from, to := x.euro(day, currency), x.euro(day, "USD")
	if from == nil || to == nil {
		return ""
	}
	return decimal.RequireFromString(new(big.Rat).Quo(to, from).FloatString(16)).String()
}

// watch checks that each fixed rate equals the model's rate at the time when it was fixed, and does not change later.
func (x *exchange) watch(after string) {
	x.Helper()
	var rows []struct{ Day, Currency, Rate string }
	if err := x.db.SelectContext(x.Context(), &rows, `SELECT day::text, currency, coalesce(trim_scale(rate)::text, '') AS rate FROM account_rates`); err != nil {
		x.Fatal(err)
	}
	for _, r := range rows {
		k := r.Day + " " + r.Currency
		switch before := x.fixed[k]; {
		case before == "" && r.Rate != "" && r.Rate != x.rate(r.Day, r.Currency),
			before != "" && r.Rate != before && (!x.replaced || r.Rate != x.rate(r.Day, r.Currency)):
			x.Fatalf("after %s the rate of %s is %q, was %q, and is %q by the model", after, k, r.Rate, before, x.rate(r.Day, r.Currency))
		}
		x.fixed[k] = r.Rate
	}
}

// restate sets the rates of waiting facts. It stops after steps transactions, unless steps is negative.
func (x *exchange) restate(steps int) {
	x.Helper()
	if err := exchangerate.Settle(x.Context(), x.db); err != nil {
		x.Fatal(err)
	}
	keys, err := exchangerate.RestatingOf(x.Context(), x.db, x.account)
	if err != nil {
		x.Fatal(err)
	}
	for _, k := range keys {
		r := clicklog.Restatement{Key: k}
		for done := false; !done; steps-- {
			if steps == 0 {
				return
			}
			x.tx(func(c db.Conn) (err error) {
				done, err = x.log().Restate(x.Context(), c, &r, 7)
				return err
			})
			x.check("a batch of a restatement")
		}
	}
}

func (x *exchange) clear() {
	x.Helper()
	from := x.today.Add(-time.Duration(x.rnd.IntN(72)) * time.Hour)
	q := clicklog.ClearQuery{AccountID: x.account, Of: x.campaigns[:1], From: from, To: from.Add(6 * time.Hour)}
	x.tx(func(c db.Conn) error {
		_, err := x.log().Clear(x.Context(), c, q, 1000)
		return err
	})
	x.clicks = slices.DeleteFunc(x.clicks, func(c *models.Click) bool {
		found, err := x.log().FindByIDs(x.Context(), x.account, []uuid.UUID{c.ID})
		if err != nil {
			x.Fatal(err)
		}
		return len(found) == 0
	})
}

func (x *exchange) rescore() {
	x.Helper()
	threshold := []int{60, 95}[x.rnd.IntN(2)]
	q := clicklog.RescoreQuery{AccountID: x.account, Settings: bot.Settings{Threshold: threshold}}
	q.From, q.To = x.today.AddDate(0, 0, -9), x.today.AddDate(0, 0, 2)
	x.tx(func(c db.Conn) error {
		out, err := x.log().Rescore(x.Context(), c, q, 1000)
		for _, day := range out.Days {
			if err == nil {
				err = x.log().RespreadSpend(x.Context(), c, x.account, day)
			}
		}
		return err
	})
}

// TestConversionOfMoney makes random changes to facts in four currencies, with rates that are missing, late or replaced. The
// ledger, the rows and a recount must agree. A late rate restates exactly, and restating again changes nothing.
func TestConversionOfMoney(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	for seed := range uint64(4) {
		x := newExchange(t, seed)
		for range 3 {
			x.publish(false)
		}
		x.arrive(60)
		x.check("clicks")
		for range 30 {
			name := ""
			switch x.rnd.IntN(11) {
			case 0:
				name = "more clicks"
				x.arrive(15)
			case 1, 2:
				name = "conversions"
				x.sell(12)
			case 3, 9:
				name = "spend"
				x.pay()
			case 4, 5:
				name = "rates"
				x.publish(false)
			case 6:
				name = "a replaced rate"
				x.publish(x.rnd.IntN(2) == 0)
			case 7:
				name = "a restatement that was cut off"
				x.restate(x.rnd.IntN(6))
			case 10:
				name = "moved conversions"
				x.move()
			case 8:
				if name = "a deletion"; x.rnd.IntN(2) == 0 {
					name = "bots"
					x.rescore()
				} else {
					x.clear()
				}
			}
			x.check(name)
		}
		for back := 10; back >= 0; back-- { // publish all possible rates
			for _, currency := range []string{"USD", "GBP", "JPY"} {
				r, err := models.NewRate(x.dayText(back), currency, fmt.Sprintf("1.%d", 100+back), models.RatesOfFile)
				if err != nil {
					t.Fatal(err)
				}
				if x.published[x.dayText(back)] == nil {
					x.published[x.dayText(back)] = map[string]*big.Rat{}
				}
				if x.published[x.dayText(back)][currency] == nil {
					x.published[x.dayText(back)][currency] = r.Rate.Rat()
				}
				x.tx(func(c db.Conn) error {
					_, err := exchangerate.Save(t.Context(), c, []models.Rate{r}, false)
					return err
				})
			}
		}
		x.restate(-1)
		const open = `SELECT (SELECT count(*) FROM clicks WHERE rate IS NULL) + (SELECT count(*) FROM conversions WHERE rate IS NULL) +
			(SELECT count(*) FROM spend WHERE rate IS NULL) + (SELECT count(*) FROM account_rates WHERE rate IS NULL OR restating)`
		if n := number[int](t, x.db, open); n != 0 {
			t.Errorf("%d facts or days are left without a rate", n)
		}
		const wrong = `SELECT count(*) FROM (
			SELECT (at AT TIME ZONE 'UTC')::date AS day, currency, rate FROM clicks
			UNION ALL SELECT (recorded_at AT TIME ZONE 'UTC')::date, currency, rate FROM conversions
			UNION ALL SELECT day, currency, rate FROM spend
		) f LEFT JOIN account_rates r USING (day, currency) WHERE f.rate IS DISTINCT FROM coalesce(r.rate, 1) OR (r.rate IS NULL AND currency <> 'USD')`
		if n := number[int](t, x.db, wrong); n != 0 {
			t.Errorf("%d facts do not have the rate of their day", n)
		}
		const all = `SELECT md5(concat((SELECT string_agg(c::text, ' ' ORDER BY id) FROM clicks c), (SELECT string_agg(v::text, ' ' ORDER BY id) FROM conversions v),
			(SELECT string_agg(s::text, ' ' ORDER BY s::text) FROM spend s), (SELECT count(*) FROM ledger)))`
		before := number[string](t, x.db, all)
		if _, err := x.db.ExecContext(t.Context(), `UPDATE account_rates SET restating = true`); err != nil {
			t.Fatal(err)
		}
		x.restate(-1)
		if number[string](t, x.db, all) != before {
			t.Error("restating again changed figures")
		}
		both{t, x.db}.agree()
	}
}

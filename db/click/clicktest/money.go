package clicktest

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
	"switchyard/db/botscan"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/exchangerate"
	"switchyard/db/ingest"
	"switchyard/db/retention"
	"switchyard/db/spend"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
)

// MoneyEnv is an account in dollars with facts in four currencies.
type MoneyEnv struct {
	Env
	published map[string]map[string]*big.Rat // by day and currency: value of one euro in the currency
	fixed     map[string]string              // fixed rates as Watch last saw them, by day and currency
	replaced  bool                           // a published rate may have changed
	Copied    *click.CopyReader              // nil: all clicks are in PostgreSQL
}

// ClickLog returns the click log of the database.
func (x *MoneyEnv) ClickLog() click.Log { return click.Log{Conn: x.DB, Copy: x.Copied} }

var currencies = []string{"USD", "EUR", "GBP", "JPY"}

// NewMoneyEnv returns an account without clicks.
func NewMoneyEnv(t *testing.T, seed uint64) *MoneyEnv {
	t.Helper()
	x := &MoneyEnv{
		Env: Env{
			T: t, DB: dbtest.New(t), Rnd: rand.New(rand.NewPCG(seed, 7)), Today: time.Now().UTC().Truncate(24 * time.Hour),
			Sources: []uuid.UUID{uuid.New(), uuid.New()}, Campaigns: []uuid.UUID{uuid.New(), uuid.New()},
		},
		published: map[string]map[string]*big.Rat{}, fixed: map[string]string{},
	}
	x.Account = Account(t, x.DB)
	return x
}

// DayText returns the date of the day that lies the given number of days before today.
func (x *MoneyEnv) DayText(back int) string {
	return x.Today.AddDate(0, 0, -back).Format(time.DateOnly)
}

// Arrive creates n clicks and stores them.
func (x *MoneyEnv) Arrive(n int) {
	x.Helper()
	s := OpenSpool(x, x.TempDir())
	for range n {
		c := Click(x.Account, x.Campaigns[x.Rnd.IntN(2)], byte(x.Rnd.IntN(40)))
		c.ID = IDAt(x.Today.Add(-time.Duration(x.Rnd.IntN(72*60)) * time.Minute))
		c.SourceID, c.IsBot, c.Currency = x.Sources[x.Rnd.IntN(2)], x.Rnd.IntN(6) == 0, currencies[x.Rnd.IntN(4)]
		if c.IsBot {
			c.BotSignals, c.BotScore = uint64(bot.DeclaredBot), 100
		}
		c.Cost, c.UniqueCost = decimal.New(int64(x.Rnd.IntN(900)), -4), decimal.New(int64(x.Rnd.IntN(30)), -3)
		c.ConversionCost, c.RevenueShare = decimal.New(int64(x.Rnd.IntN(3)), -1), decimal.NewFromInt(int64(x.Rnd.IntN(2)*7))
		Put(x, s, spool.Record{Click: c})
		x.Clicks = append(x.Clicks, c)
	}
	Drain(x, s, x.DB, ingest.Options{Copy: x.Copied})
}

// Sell records conversions in any currency, at any time of the last days.
func (x *MoneyEnv) Sell(n int) {
	x.Helper()
	list := x.Inputs(n)
	for i := range list {
		in := &list[i]
		in.Currency = append(currencies, "")[x.Rnd.IntN(5)]
		if x.Rnd.IntN(2) == 0 {
			in.At = x.Today.Add(-time.Duration(x.Rnd.IntN(72*60)) * time.Minute)
		}
		if x.Rnd.IntN(4) == 0 {
			in.Cost = Amount(fmt.Sprint(x.Rnd.IntN(5), ".25"))
		}
		in.Final = x.Rnd.IntN(2) == 0
	}
	const preview, write = false, true
	expected, _, err := conversion.Correct(x.Context(), x.ClickLog(), x.DB, x.Account, list, preview)
	if err != nil {
		x.Fatal(err)
	}
	x.Tx(func(c db.Conn) error {
		out, _, err := conversion.Correct(x.Context(), x.ClickLog(), c, x.Account, list, write)
		if diff := cmp.Diff(brief(expected), brief(out)); diff != "" {
			x.Errorf("preview (-) and what happened (+): %s", diff)
		}
		return err
	})
}

// Move corrects the time of some existing conversions, and sometimes their currency.
func (x *MoneyEnv) Move() {
	x.Helper()
	known := dbtest.Select[models.Conversion](x, x.DB, `SELECT click_id, goal, conversion_id, currency FROM conversions ORDER BY id LIMIT 6`)
	x.Tx(func(c db.Conn) error {
		var list []conversion.Input
		for _, v := range known {
			list = append(list, conversion.Input{
				AccountID: x.Account, ClickID: v.ClickID, Goal: v.Goal, ConversionID: v.ConversionID, Final: true,
				Currency: []string{v.Currency, v.Currency, "GBP"}[x.Rnd.IntN(3)], Source: models.FromCorrection,
				At: x.Today.Add(-time.Duration(x.Rnd.IntN(72*60)) * time.Minute),
			})
		}
		const write = true
		_, _, err := conversion.Correct(x.Context(), x.ClickLog(), c, x.Account, list, write)
		return err
	})
}

// Pay sets random spend.
func (x *MoneyEnv) Pay() {
	x.Helper()
	s := x.Spend()
	s.Day = x.Today.AddDate(0, 0, -x.Rnd.IntN(7)) // clicks exist on three days only
	s.Currency = append(currencies, "")[x.Rnd.IntN(5)]
	x.Tx(func(c db.Conn) error {
		_, err := spend.Set(x.Context(), x.ClickLog(), c, x.Account, s)
		return err
	})
}

// KeepRates and ReplaceRates are the values of the parameter replace of Publish and SaveRate.
const (
	KeepRates    = false
	ReplaceRates = true
)

// Publish stores rates of a random day. Some rates are missing.
func (x *MoneyEnv) Publish(replace bool) {
	x.Helper()
	day := x.DayText(x.Rnd.IntN([]int{5, 14}[x.Rnd.IntN(2)]))
	for _, currency := range []string{"USD", "GBP", "JPY"} {
		if x.Rnd.IntN(3) > 0 {
			x.SaveRate(day, currency, fmt.Sprintf("%d.%04d", 1+x.Rnd.IntN(3), x.Rnd.IntN(10000)), replace)
		}
	}
	x.replaced = x.replaced || replace
}

// SaveRate stores the rate of a currency on a day.
func (x *MoneyEnv) SaveRate(day, currency, rate string, replace bool) {
	x.Helper()
	r, err := models.NewRate(day, currency, rate, models.RatesOfFile)
	if err != nil {
		x.Fatal(err)
	}
	if x.published[day] == nil {
		x.published[day] = map[string]*big.Rat{}
	}
	if x.published[day][currency] == nil || replace {
		x.published[day][currency] = r.Rate.Rat()
	}
	x.Tx(func(c db.Conn) error {
		_, err := exchangerate.Save(x.Context(), c, []models.Rate{r}, replace)
		return err
	})
}

// euro returns the value of one euro in a currency on a day, by the published rates. It is nil if unknown.
func (x *MoneyEnv) euro(day, currency string) *big.Rat {
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

// rate is the model of a fixed rate. It returns the rate of a currency to the dollar on a day, or an empty text if the rate is
// unknown.
func (x *MoneyEnv) rate(day, currency string) string {
	from, to := x.euro(day, currency), x.euro(day, "USD")
	if from == nil || to == nil {
		return ""
	}
	return decimal.RequireFromString(new(big.Rat).Quo(to, from).FloatString(16)).String()
}

// Watch checks that each fixed rate equals the model's rate when it is fixed. Later it may change only after a published rate was
// replaced.
func (x *MoneyEnv) Watch(after string) {
	x.Helper()
	rows := dbtest.Select[struct{ Day, Currency, Rate string }](x, x.DB,
		`SELECT day::text, currency, coalesce(trim_scale(rate)::text, '') AS rate FROM account_rates`)
	for _, r := range rows {
		k := r.Day + " " + r.Currency
		before := x.fixed[k]
		mayChange := before == "" || x.replaced
		if r.Rate != before && (!mayChange || r.Rate != x.rate(r.Day, r.Currency)) {
			x.Fatalf("after %s the rate of %s is %q, was %q, and is %q by the model", after, k, r.Rate, before, x.rate(r.Day, r.Currency))
		}
		x.fixed[k] = r.Rate
	}
}

// Restate sets the rates of facts whose rate was missing or has changed. It stops after the given number of transactions, unless
// the number is negative.
func (x *MoneyEnv) Restate(steps int) {
	x.Helper()
	if err := exchangerate.UpdateFixed(x.Context(), x.DB); err != nil {
		x.Fatal(err)
	}
	keys, err := exchangerate.KeysToRestate(x.Context(), x.DB, x.Account)
	if err != nil {
		x.Fatal(err)
	}
	for _, k := range keys {
		r := spend.Restatement{Key: k}
		for done := false; !done; steps-- {
			if steps == 0 {
				return
			}
			x.Tx(func(c db.Conn) (err error) {
				done, err = spend.Restate(x.Context(), x.ClickLog(), c, &r, 7) // few facts, so that a key needs several transactions
				return err
			})
			x.Check("a batch of a restatement")
		}
	}
}

// Clear deletes a campaign's clicks of six hours that begin at a random time.
func (x *MoneyEnv) Clear() {
	x.Helper()
	from := x.Today.Add(-time.Duration(x.Rnd.IntN(72)) * time.Hour)
	q := retention.ClearQuery{AccountID: x.Account, Of: x.Campaigns[:1], From: from, To: from.Add(6 * time.Hour)}
	x.Tx(func(c db.Conn) error {
		_, err := retention.Clear(x.Context(), x.ClickLog(), c, q, 1000)
		return err
	})
	x.Clicks = slices.DeleteFunc(x.Clicks, func(c *models.Click) bool {
		found, err := x.ClickLog().FindByIDs(x.Context(), x.Account, []uuid.UUID{c.ID})
		if err != nil {
			x.Fatal(err)
		}
		return len(found) == 0
	})
}

// Rescore scores the clicks again with other settings.
func (x *MoneyEnv) Rescore() {
	x.Helper()
	threshold := []int{60, 95}[x.Rnd.IntN(2)]
	q := botscan.RescoreQuery{AccountID: x.Account, Settings: bot.Settings{Threshold: threshold}}
	q.From, q.To = x.Today.AddDate(0, 0, -9), x.Today.AddDate(0, 0, 2)
	x.Tx(func(c db.Conn) error {
		out, err := botscan.Rescore(x.Context(), x.ClickLog(), c, q, 1000)
		for _, day := range out.Days {
			if err == nil {
				err = spend.Respread(x.Context(), x.ClickLog(), c, x.Account, day)
			}
		}
		return err
	})
}

package spend_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/spend"
	"switchyard/db/store"
	"switchyard/models"
)

// handEnv is an account that has facts in four currencies and sets costs by hand.
type handEnv struct {
	*clicktest.MoneyEnv
	account models.Account
}

func newHandEnv(t *testing.T, seed uint64, zone string) *handEnv {
	t.Helper()
	x := clicktest.NewMoneyEnv(t, seed)
	for back := range 12 {
		for _, currency := range []string{"USD", "GBP", "JPY"} {
			x.SaveRate(x.DayText(back), currency, fmt.Sprintf("%d.%04d", 1+x.Rnd.IntN(3), x.Rnd.IntN(9999)+1), clicktest.KeepRates)
		}
	}
	x.Arrive(60)
	x.Sell(25)
	dbtest.Exec(t, x.DB, `UPDATE accounts SET timezone = $1`, zone)
	dbtest.Exec(t, x.DB, `UPDATE clicks SET subs = ARRAY['', CASE WHEN extract(minute FROM at)::int % 3 = 0 THEN 'zone-1' ELSE '' END]`)
	return &handEnv{x, dbtest.Get[models.Account](t, x.DB, `SELECT id, currency, timezone FROM accounts`)}
}

func amount(text string) *decimal.Decimal {
	d := decimal.RequireFromString(text)
	return &d
}

// request returns a random request about two days.
func (x *handEnv) request() models.CostRequest {
	r := models.CostRequest{From: x.DayText(2), To: x.DayText(1), Amount: amount(fmt.Sprint(x.Rnd.IntN(500), ".37"))}
	r.Currency = []string{"", "EUR", "JPY"}[x.Rnd.IntN(3)]
	if x.Rnd.IntN(2) == 0 {
		r.Amount, r.CPC = nil, amount(fmt.Sprint("0.0", 1+x.Rnd.IntN(90)))
	}
	if x.Rnd.IntN(2) == 0 {
		r.SourceID = x.Sources[x.Rnd.IntN(2)]
	}
	if r.SourceID == uuid.Nil || x.Rnd.IntN(2) == 0 {
		r.CampaignID = x.Campaigns[x.Rnd.IntN(2)]
	}
	if x.Rnd.IntN(3) == 0 {
		r.Sub, r.SubValue = 2, []string{"", "zone-1"}[x.Rnd.IntN(2)]
	}
	return r
}

// set sets a cost by hand. It checks that a quote made just before announced the same changes.
func (x *handEnv) set(r models.CostRequest) (uuid.UUID, models.CostQuote) {
	x.Helper()
	expected, err := spend.Quote(x.Context(), x.ClickLog(), x.DB, x.account, r)
	if err != nil {
		x.Fatal(err)
	}
	id := uuid.New()
	var done models.CostQuote
	x.Tx(func(c db.Conn) (err error) {
		if err := store.New(c, nil).CostChanges().Add(x.Context(), x.Account, id, models.CostByHand, "Ann", uuid.Nil, r); err != nil {
			return err
		}
		done, err = spend.SetByHand(x.Context(), x.ClickLog(), c, x.account, r, id)
		return err
	})
	if diff := cmp.Diff(expected, done); diff != "" {
		x.Errorf("the quote (-) and what was set (+): %s", diff)
	}
	x.Check("a cost by hand")
	return id, done
}

func (x *handEnv) undo(id uuid.UUID) error {
	x.Helper()
	err := db.Tx(x.Context(), x.DB, func(c db.Conn) error { return spend.Undo(x.Context(), x.ClickLog(), c, x.Account, id) })
	x.Check("an undo")
	return err
}

// state lists everything that a cost can change.
func (x *handEnv) state() []string {
	x.Helper()
	return dbtest.Select[string](x, x.DB, `
SELECT concat_ws(' ', 'click', id, trim_scale(cost), trim_scale(unique_cost), trim_scale(conversion_cost), trim_scale(revenue_share), currency, trim_scale(rate)) FROM clicks
UNION ALL SELECT concat_ws(' ', 'conversion', id, trim_scale(cost), trim_scale(given_cost), statements) FROM conversions
UNION ALL SELECT concat_ws(' ', 'spend', day, source_id, campaign_id, starts, ends, sub, sub_value, trim_scale(amount), currency, trim_scale(rate), alone, place, change_id) FROM spend
UNION ALL SELECT concat_ws(' ', 'ledger', hour, campaign_id, source_id, trim_scale(sum(cost))) FROM ledger GROUP BY hour, campaign_id, source_id HAVING sum(cost) <> 0
ORDER BY 1`)
}

// TestCostByHand sets random costs for clicks in several currencies. The changes are as the quote announced. Undoing them in the
// reverse order restores each earlier state exactly.
func TestCostByHand(t *testing.T) {
	t.Parallel()
	for seed, zone := range []string{"UTC", "America/New_York", "Asia/Kolkata"} {
		x := newHandEnv(t, uint64(seed), zone)
		var ids []uuid.UUID
		var states [][]string
		for range 6 {
			x.Pay()
			x.Check("spend")
		}
		for range 8 {
			states = append(states, x.state())
			id, _ := x.set(x.request())
			ids = append(ids, id)
		}
		for i := len(ids) - 1; i >= 0; i-- {
			if err := x.undo(ids[i]); err != nil {
				t.Fatalf("%s: undoing change %d: %v", zone, i, err)
			}
			if diff := cmp.Diff(states[i], x.state()); diff != "" {
				t.Fatalf("%s: change %d was not undone: %s", zone, i, diff)
			}
			if e, ok := models.AsError(x.undo(ids[i])); !ok || e.Code != "stale" {
				t.Errorf("undoing a change twice: %v, want stale", e)
			}
		}
		if n := dbtest.Get[int](t, x.DB, `SELECT (SELECT count(*) FROM cost_change_clicks) + (SELECT count(*) FROM cost_change_conversions)`); n != 0 {
			t.Errorf("%d earlier costs are kept although no change needs them", n)
		}
	}
}

// TestCostOfDays: an amount is spread over the clicks of several days in the account's time zone. The shares add up to the amount
// exactly. The quote lists a day without clicks with a cost of zero.
func TestCostOfDays(t *testing.T) {
	t.Parallel()
	x := newHandEnv(t, 5, "Asia/Kolkata")
	campaign := x.Campaigns[0]
	r := models.CostRequest{CampaignID: campaign, From: x.DayText(9), To: x.DayText(1), Amount: amount("100")}
	_, quote := x.set(r)
	const cost = `SELECT coalesce(trim_scale(sum(cost * rate)), 0)::text FROM clicks WHERE campaign_id = $1 AND NOT is_bot
		AND at >= $2::timestamp AT TIME ZONE 'Asia/Kolkata' AND at < $3::timestamp AT TIME ZONE 'Asia/Kolkata'`
	if got := dbtest.Get[string](t, x.DB, cost, campaign, r.From, x.DayText(0)); got != "100" {
		t.Errorf("the clicks cost %s, want 100", got)
	}
	sum := decimal.Zero
	for i, d := range quote.Days {
		day, _ := time.Parse(time.DateOnly, d.Day)
		got := dbtest.Get[string](t, x.DB, cost, campaign, d.Day, day.AddDate(0, 0, 1).Format(time.DateOnly))
		if got != d.After.String() {
			t.Errorf("%s: the clicks cost %s, the quote announced %s", d.Day, got, d.After)
		}
		if empty := d.CampaignID == uuid.Nil; empty != (d.Clicks == 0) || empty && !d.After.IsZero() || i < 5 && !empty {
			t.Errorf("the quote has the day %+v, want a campaign on days with clicks, and a cost of 0 on days without clicks", d)
		}
		sum = sum.Add(d.After.Decimal)
	}
	if len(quote.Days) != 9 || !sum.Equal(decimal.NewFromInt(100)) {
		t.Errorf("%d days add up to %s, want 9 days and 100", len(quote.Days), sum)
	}
	_, quote = x.set(models.CostRequest{CampaignID: campaign, From: x.DayText(2), To: x.DayText(1), CPC: amount("0.123")})
	if want := decimal.NewFromInt(quote.Clicks).Mul(*amount("0.123")); !quote.After.Equal(want) || quote.Clicks == 0 {
		t.Errorf("%d clicks cost %s, want %s", quote.Clicks, quote.After, want)
	}
	for _, n := range dbtest.Select[string](t, x.DB, `SELECT DISTINCT trim_scale(cost)::text FROM clicks WHERE campaign_id = $1 AND NOT is_bot
		AND at >= $2::timestamp AT TIME ZONE 'Asia/Kolkata' AND at < $3::timestamp AT TIME ZONE 'Asia/Kolkata'`, campaign, x.DayText(2), x.DayText(0)) {
		if n != "0.123" {
			t.Errorf("a click costs %s, want 0.123", n)
		}
	}
}

// TestCostWithoutClicks: the amount for a single day without clicks counts at the source in AloneAt, on that day of the account's
// time zone. Without clicks, an amount for several days, a cost per click and an amount without a source are refused. A currency
// without a rate is refused too.
func TestCostWithoutClicks(t *testing.T) {
	t.Parallel()
	x := newHandEnv(t, 6, "America/New_York")
	r := models.CostRequest{CampaignID: x.Campaigns[1], From: x.DayText(8), To: x.DayText(8), Amount: amount("12.5"), AloneAt: x.Sources[0]}
	before := x.state()
	id, quote := x.set(r)
	if len(quote.Days) != 1 || quote.Clicks != 0 || quote.After.String() != "12.5" || quote.Days[0].CampaignID != r.CampaignID {
		t.Errorf("the quote is %+v, want one day without clicks and a cost of 12.5 for the campaign", quote)
	}
	const local = `SELECT (hour AT TIME ZONE 'America/New_York')::date::text FROM ledger WHERE cost = 12.5`
	if got := dbtest.Get[string](t, x.DB, local); got != r.From {
		t.Errorf("the amount counts on %s, want %s", got, r.From)
	}
	if err := x.undo(id); err != nil || !cmp.Equal(before, x.state()) {
		t.Errorf("undoing the cost: %v, want no error and the earlier state", err)
	}
	for code, change := range map[string]func(*models.CostRequest){
		"no_clicks":         func(r *models.CostRequest) { r.From = x.DayText(9) },
		"no_clicks, cpc":    func(r *models.CostRequest) { r.Amount, r.CPC = nil, amount("1") },
		"no_clicks, source": func(r *models.CostRequest) { r.AloneAt = uuid.Nil },
		"rate_missing":      func(r *models.CostRequest) { r.Currency = "BRL" },
	} {
		r := r
		change(&r)
		_, err := spend.Quote(t.Context(), x.ClickLog(), x.DB, x.account, r)
		if e, ok := models.AsError(err); !ok || !strings.HasPrefix(code, e.Code) {
			t.Errorf("%s: %v, want an error with this code", code, err)
		}
	}
}

// TestUndoOfCost: if the clicks of a change later got another cost, the change cannot be undone before the later change is
// undone. A change cannot be undone after the account's currency has changed, or after 30 days.
func TestUndoOfCost(t *testing.T) {
	t.Parallel()
	x := newHandEnv(t, 7, "UTC")
	all := models.CostRequest{CampaignID: x.Campaigns[0], From: x.DayText(2), To: x.DayText(1), Amount: amount("50")}
	zone := all
	zone.Sub, zone.SubValue = 2, "zone-1"
	refused := func(what string, id uuid.UUID, code string) {
		t.Helper()
		if e, ok := models.AsError(x.undo(id)); !ok || e.Code != code {
			t.Errorf("%s: %v, want %s", what, e, code)
		}
	}
	first, _ := x.set(all)
	second, _ := x.set(zone)
	refused("the cost of some of its clicks was set again", first, "overlapped")
	if err := x.undo(second); err != nil {
		t.Fatal(err)
	}
	other := all
	other.CampaignID = x.Campaigns[1]
	x.set(other) // does not overlap: it sets the cost of another campaign's clicks
	third, _ := x.set(all)
	refused("the cost of all its clicks was set again", first, "overlapped")
	if err := x.undo(third); err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(t, x.DB, `UPDATE cost_changes SET base = 'EUR' WHERE id = $1`, first)
	refused("the account had another currency", first, "overlapped")
	dbtest.Exec(t, x.DB, `UPDATE cost_changes SET base = 'USD', created_at = now() - interval '31 days' WHERE id = $1`, first)
	refused("an old change", first, "too_old")
	if _, err := spend.DeleteExpired(t.Context(), x.DB, time.Now()); err != nil {
		t.Fatal(err)
	}
	kept := dbtest.Select[bool](t, x.DB, `SELECT kept FROM cost_changes WHERE id = $1 UNION ALL SELECT EXISTS (SELECT FROM cost_change_clicks WHERE change_id = $1)`, first)
	if !cmp.Equal(kept, []bool{false, false}) {
		t.Errorf("the values before an old change are kept: %v, want false for the change and for its clicks", kept)
	}
	if n, err := spend.DeleteExpired(t.Context(), x.DB, time.Now().AddDate(3, 0, 0)); err != nil || n < 3 {
		t.Errorf("%d old changes deleted, want at least 3, %v", n, err)
	}
}

// TestQuoteOfBots: if a campaign had only clicks of bots on a day, a cost by hand does not change the costs of their conversions.
// The quote leaves these costs out.
func TestQuoteOfBots(t *testing.T) {
	t.Parallel()
	x := newHandEnv(t, 5, "UTC")
	dbtest.Exec(t, x.DB, `UPDATE clicks SET is_bot = true`)
	dbtest.Exec(t, x.DB, `UPDATE conversions SET cost = 1`)
	r := models.CostRequest{From: x.DayText(10), To: x.DayText(0), Amount: amount("0")}
	quote, err := spend.Quote(t.Context(), x.ClickLog(), x.DB, x.account, r)
	if err != nil || !quote.Before.IsZero() || !quote.After.IsZero() {
		t.Errorf("the quote has the cost %s before and %s after, %v, want 0 and 0", quote.Before, quote.After, err)
	}
}

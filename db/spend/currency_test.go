package spend_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/exchangerate"
	"switchyard/db/ledger"
	"switchyard/db/spend"
	"switchyard/models"
)

// TestChangeOfCurrency changes the currency of accounts with facts in four currencies. After every transaction of the first change,
// reports must be the same as after its end.
func TestChangeOfCurrency(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		x := clicktest.NewMoneyEnv(t, seed)
		for back := range 16 {
			for i, currency := range []string{"USD", "GBP", "JPY"} {
				x.SaveRate(x.DayText(back), currency, fmt.Sprintf("%d.%04d", 1+100*(i/2), x.Rnd.IntN(9999)+1), clicktest.KeepRates)
			}
		}
		x.Arrive(80)
		for range 3 {
			x.Sell(15)
			x.Pay()
		}
		x.CheckLedger("the facts")
		kept, all := x.Today.AddDate(0, 0, -1), x.Today.AddDate(0, 0, -10)
		x.Archive(kept)
		if _, err := ledger.Compact(t.Context(), x.DB, time.Now().Add(time.Hour), 1000); err != nil {
			t.Fatal(err)
		}
		before := x.Figures(all, clicktest.FromLedger)

		if err := x.BeginChange("EUR"); err != nil {
			t.Fatal(err)
		}
		if e, ok := models.AsError(x.BeginChange("GBP")); !ok || e.Code != "busy" {
			t.Errorf("a second change: %v, want busy", e)
		}
		want := x.Figures(all, clicktest.FromLedger)
		if cmp.Equal(before, want) {
			t.Error("the change of currency did not change any figure")
		}
		unchanged := func() { x.CheckSame("after a transaction of the change", want, x.Figures(all, clicktest.FromLedger)) }
		x.CheckSame("rows and ledger during the change", x.Figures(kept, clicktest.FromRows), x.Figures(kept, clicktest.FromLedger))
		logged := x.Logged()
		for range 3 {
			x.RunChange(2+x.Rnd.IntN(30), unchanged)
			if _, open, err := exchangerate.FindChange(t.Context(), x.DB, x.Account); err != nil || !open {
				break
			}
			x.Arrive(5)
			x.Archive(kept) // delete old clicks that arrived late from a spool
			x.Sell(6)
			x.Pay()
			x.Restate(0) // calls exchangerate.UpdateFixed, but restates nothing
			want = x.Figures(all, clicktest.FromLedger)
		}
		if _, open, _ := exchangerate.FindChange(t.Context(), x.DB, x.Account); open {
			x.RunChange(clicktest.AllSteps, unchanged)
		}
		x.CheckSame("after the change", want, x.Figures(all, clicktest.FromLedger))
		for fact, rate := range x.Logged() {
			if before, ok := logged[fact]; ok && before != rate {
				t.Errorf("the log showed %s with the rate %s during the change, and shows it with %s afterwards", fact, before, rate)
			}
		}
		x.CheckSame("rows and ledger after the change", x.Figures(kept, clicktest.FromRows), x.Figures(kept, clicktest.FromLedger))
		x.CheckRates("EUR")

		if err := x.BeginChange("USD"); err != nil {
			t.Fatal(err)
		}
		x.RunChange(clicktest.AllSteps, func() {})
		x.CheckRates("USD")
		if err := x.BeginChange("EUR"); err != nil {
			t.Fatal(err)
		}
		x.RunChange(clicktest.AllSteps, func() {})
		x.CheckClose("after a change to USD and back to EUR", want, x.Figures(all, clicktest.FromLedger))
		x.CheckSame("days with clicks after a change to USD and back to EUR", clicktest.Within(want, kept), clicktest.Within(x.Figures(all, clicktest.FromLedger), kept))
	}
}

// TestChangeOfCurrencyRefused checks that a change is refused if the rate of a day is missing. Nothing changes, and the error
// names the missing rate.
func TestChangeOfCurrencyRefused(t *testing.T) {
	t.Parallel()
	x := clicktest.NewMoneyEnv(t, 9)
	dbtest.SetRates(t, x.DB, "1.25")
	x.Arrive(20)
	x.Sell(10)
	before := x.Figures(x.Today.AddDate(0, 0, -10), clicktest.FromLedger)
	for _, change := range [][2]string{{"GBP", "GBP"}, {"EUR", ""}} { // in this order: the second change is not refused
		to, missing := change[0], change[1]
		dbtest.Exec(t, x.DB, `DELETE FROM account_rates WHERE rate IS NULL`)
		e, refused := models.AsError(x.BeginChange(to))
		if refused != (missing != "") || refused && (e.Code != "rate_missing" || !strings.Contains(e.Message, "no rate of "+missing+" on 20")) {
			t.Errorf("a change to %s: %v, want an error only if a rate is missing (missing: %q)", to, e, missing)
		}
		if refused {
			x.CheckSame("after a refused change", before, x.Figures(x.Today.AddDate(0, 0, -10), clicktest.FromLedger))
			if got := dbtest.Get[string](t, x.DB, `SELECT currency FROM accounts`); got != "USD" {
				t.Errorf("after the refusal, the account's currency is %s, want USD", got)
			}
			continue
		}
		x.RunChange(clicktest.AllSteps, func() {})
	}
}

// TestOpenTransactions: with the result of an earlier call, the list has only the transactions of that result that are still
// open.
func TestOpenTransactions(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	log := click.Log{Conn: d}
	first, err := d.BeginTxx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Rollback()
	dbtest.Exec(t, first, `SELECT 1`)
	older, err := spend.OpenTransactions(t.Context(), log.Conn, nil)
	if err != nil || len(older) != 1 {
		t.Fatalf("the open transactions are %v, %v, want one", older, err)
	}
	later, err := d.BeginTxx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer later.Rollback()
	if still, err := spend.OpenTransactions(t.Context(), log.Conn, older); err != nil || len(still) != 1 {
		t.Errorf("before the commit, the earlier transactions still open are %v, %v, want one", still, err)
	}
	if err := first.Commit(); err != nil {
		t.Fatal(err)
	}
	if still, err := spend.OpenTransactions(t.Context(), log.Conn, older); err != nil || len(still) != 0 {
		t.Errorf("after the commit, the earlier transactions still open are %v, %v, want none", still, err)
	}
}

package conversion_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/retention"
	"switchyard/db/spend"
	"switchyard/models"
	"switchyard/models/parttest"
)

// TestCorrections makes random corrections of conversions and spend, and random postbacks. After each step the ledger and the
// rows agree, and previews equal the results.
func TestCorrections(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	for seed := range uint64(3) {
		b := clicktest.NewEnv(t, seed, 120)
		b.CheckLedger("the clicks")
		for range 12 {
			list := b.Inputs(15)
			b.Correct(list)
			b.CheckLedger("conversions")
			s := b.Spend()
			for range 2 { // the second time changes nothing
				b.SetSpend(s)
				b.CheckLedger(fmt.Sprintf("spend %+v", s))
			}
			for _, in := range b.Inputs(4) {
				in.Final = false
				if _, err := clicktest.Record(t, b.DB, in); err != nil {
					if _, refused := models.AsError(err); !refused {
						t.Fatal(err)
					}
				}
			}
			b.CheckLedger("postbacks")
		}
		last := b.Inputs(30)
		b.Correct(last)
		clicktest.CheckFigures(t, b.DB)
		q := retention.ClearQuery{
			AccountID: b.Account, Of: b.Campaigns, From: b.Today.AddDate(0, 0, -9), To: b.Today.AddDate(0, 0, 1),
		}
		for _, clear := range []func(c db.Conn) (retention.Cleared, error){
			func(c db.Conn) (retention.Cleared, error) {
				return retention.Clear(t.Context(), click.Log{}, c, q, 1000)
			},
			func(c db.Conn) (retention.Cleared, error) {
				return retention.ClearArchive(t.Context(), click.Log{}, c, q, 1000)
			},
		} {
			b.Tx(func(c db.Conn) error {
				_, err := clear(c)
				return err
			})
			b.CheckLedger("a deletion")
		}
		if n := dbtest.Get[int](t, b.DB, `SELECT count(*) FROM spend WHERE campaign_id <> $1`, uuid.Nil); n != 0 {
			t.Errorf("%d amounts of spend for single campaigns are left after the deletion, want 0", n)
		}
	}
}

// TestCorrectionAgain checks that no row changes when corrections are applied a second time.
func TestCorrectionAgain(t *testing.T) {
	t.Parallel()
	b := clicktest.NewEnv(t, 9, 40)
	var list []conversion.Input
	for i, c := range b.Clicks {
		list = append(list, conversion.Input{
			ClickID: c.ID, ConversionID: "o", Status: []string{"pending", "approved"}[i%2], Payout: clicktest.Amount("2.5"), Final: true,
		})
	}
	for i, want := range []string{conversion.ResultCreated, conversion.ResultDuplicate} {
		for _, v := range b.Correct(list) {
			if v.Result != want || v.Refusal != nil {
				t.Fatalf("round %d: the outcome of a correction is %+v, want %s", i, v, want)
			}
		}
		b.CheckLedger(want)
	}
	const preview = false
	foreign, _, err := conversion.Correct(t.Context(), click.Log{}, b.DB, uuid.New(), list[:1], preview)
	if err != nil || !errors.Is(foreign[0].Refusal, conversion.ErrUnknownClick) {
		t.Errorf("the outcome for a click of another account is %+v, want the refusal unknown_click: %v", foreign, err)
	}
}

// TestSaleAmount checks that the amount of a sale is stored with its currency, and neither decides the payout nor sends an event.
func TestSaleAmount(t *testing.T) {
	t.Parallel()
	b := clicktest.NewEnv(t, 11, 2)
	in := conversion.Input{
		ClickID: b.Clicks[0].ID, ConversionID: "o", Status: models.StatusApproved, Payout: clicktest.Amount("2.5"), Currency: "USD", Final: true,
		Source: models.FromNetworkSync,
	}
	stored := func(click uuid.UUID) string {
		return dbtest.Get[string](t, b.DB, `SELECT trim_scale(payout) || ' of ' || coalesce(trim_scale(sale_amount)::text, 'nothing') || sale_currency
			FROM conversions WHERE click_id = $1`, click)
	}
	events := func() int { return dbtest.Get[int](t, b.DB, `SELECT count(*) FROM events`) }
	b.Correct([]conversion.Input{in})
	if got := stored(in.ClickID); got != "2.5 of nothing" {
		t.Errorf("payout and sale are %s, want 2.5 of nothing", got)
	}
	before := events()
	in.Sale, in.SaleCurrency = clicktest.Amount("64.99"), "EUR"
	for range 2 {
		if v := b.Correct([]conversion.Input{in})[0]; v.Result != conversion.ResultDuplicate || v.Refusal != nil {
			t.Errorf("a correction that adds only the amount of the sale gives %+v, want duplicate", v)
		}
	}
	if got := stored(in.ClickID); got != "2.5 of 64.99EUR" || events() != before {
		t.Errorf("payout and sale are %s, with %d more events; want 2.5 of 64.99EUR and none", got, events()-before)
	}
	in.Status, in.Sale, in.SaleCurrency = models.StatusRejected, nil, ""
	b.Correct([]conversion.Input{in})
	if got := stored(in.ClickID); got != "2.5 of 64.99EUR" || events() != before+1 {
		t.Errorf("after a correction without the amount, payout and sale are %s, with %d more events; want 2.5 of 64.99EUR and 1", got, events()-before)
	}
	if _, err := clicktest.Record(t, b.DB, conversion.Input{
		ClickID: b.Clicks[1].ID, Status: models.StatusApproved, Payout: clicktest.Amount("3"), Amount: clicktest.Amount("30"), Currency: "USD",
		Source: models.FromPostback,
	}); err != nil {
		t.Fatal(err)
	}
	if got := stored(b.Clicks[1].ID); !strings.HasSuffix(got, " of 30USD") {
		t.Errorf("after a postback, payout and sale are %s, want a sale of 30 USD", got)
	}
	b.CheckLedger("amounts of sales")
}

// TestCorrectedPayout checks that the payout of a correction counts, whatever the terms of the offer. Without a payout, a new
// conversion gets the offer's payout, and a recorded one keeps its own.
func TestCorrectedPayout(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	b := clicktest.NewEnv(t, 4, 1)
	c := b.Clicks[0]
	offer := uuid.New()
	for _, q := range []string{
		`INSERT INTO offers (id, account_id, name, url, payout, payout_from_param) VALUES ($1, $2, 'O', '', 7, false)`,
		`UPDATE clicks SET offer_id = $1 WHERE account_id = $2`,
	} {
		dbtest.Exec(t, b.DB, q, offer, b.Account)
	}
	out := b.Correct([]conversion.Input{
		{ClickID: c.ID, ConversionID: "1", Final: true},
		{ClickID: c.ID, ConversionID: "2", Final: true, Payout: clicktest.Amount("3")},
		{ClickID: c.ID, ConversionID: "1", Final: true, Payout: clicktest.Amount("4")},
		{ClickID: c.ID, ConversionID: "1", Final: true},
	})
	for i, want := range []string{"created 7", "created 3", "updated 4", "duplicate 4"} {
		if got := fmt.Sprint(out[i].Result, " ", out[i].Conversion.Payout); got != want {
			t.Errorf("correction %d gives %s, want %s", i, got, want)
		}
	}
	clicktest.CheckFigures(t, b.DB)
}

// TestSpendAtOnce checks the ledger after several corrections of the same spend run at the same time as postbacks.
func TestSpendAtOnce(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	b := clicktest.NewEnv(t, 5, 60)
	done := make(chan error)
	days := []time.Time{b.Today, b.Today.AddDate(0, 0, -1)}
	for i := range 4 {
		go func() {
			var all error
			for n := range 5 {
				s := spend.Spend{Day: days[n%2], SourceID: b.Sources[0], Amount: decimal.NewFromInt(int64(10*i + n))}
				all = errors.Join(all, db.Tx(t.Context(), b.DB, func(c db.Conn) error {
					_, err := spend.Set(t.Context(), click.Log{}, c, b.Account, s)
					return err
				}))
			}
			done <- all
		}()
	}
	for i := range 2 {
		go func() {
			var all error
			for n := range 20 {
				in := conversion.Input{ClickID: b.Clicks[(i+2*n)%60].ID, ConversionID: strconv.Itoa(n), Payout: clicktest.Amount("3")}
				_, err := clicktest.Record(t, b.DB, in)
				all = errors.Join(all, err)
			}
			done <- all
		}()
	}
	for range 6 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	b.CheckLedger("all")
	clicktest.CheckFigures(t, b.DB)
}

// TestCorrectionOfTimeAndCurrency checks that a correction replaces the recorded time and currency. A time that is exact to the
// day or second does not move a conversion within that day or second.
func TestCorrectionOfTimeAndCurrency(t *testing.T) {
	t.Parallel()
	b := clicktest.NewEnv(t, 7, 1)
	click := b.Clicks[0].ID
	at := models.ClickTime(click).UTC()
	in := conversion.Input{
		AccountID: b.Account, ClickID: click, Source: models.FromCorrection, Final: true, Payout: clicktest.Amount("5"), Currency: "USD",
		At: at.Add(1500 * time.Millisecond),
	}
	midnight := at.Truncate(24 * time.Hour)
	for _, c := range []struct {
		change        func(*conversion.Input)
		currency      string
		recorded      time.Time
		result, again string
	}{
		{func(*conversion.Input) {}, "USD", in.At, conversion.ResultCreated, conversion.ResultDuplicate},
		{
			func(in *conversion.Input) { in.Currency, in.Payout = "EUR", nil }, "EUR", in.At,
			conversion.ResultUpdated, conversion.ResultDuplicate,
		},
		{
			func(in *conversion.Input) { in.At = in.At.Add(time.Minute) }, "EUR", in.At.Add(time.Minute),
			conversion.ResultUpdated, conversion.ResultDuplicate,
		},
		{
			func(in *conversion.Input) { in.At, in.Exact = in.At.Truncate(time.Second), time.Second }, "EUR",
			in.At.Add(time.Minute), conversion.ResultDuplicate, conversion.ResultDuplicate,
		},
		{
			func(in *conversion.Input) { in.At, in.Exact = midnight, 24*time.Hour }, "EUR", in.At.Add(time.Minute),
			conversion.ResultDuplicate, conversion.ResultDuplicate,
		},
		{
			func(in *conversion.Input) { in.At = midnight.AddDate(0, 0, 1) }, "EUR", midnight.AddDate(0, 0, 1),
			conversion.ResultUpdated, conversion.ResultDuplicate,
		},
	} {
		c.change(&in)
		for _, want := range []string{c.result, c.again} {
			got := b.Correct([]conversion.Input{in})[0]
			v := got.Conversion
			if got.Result != want || v.Currency != c.currency || !v.RecordedAt.Equal(c.recorded.Truncate(time.Millisecond)) {
				t.Errorf("the result is %s, with the currency %s and the time %v, want %s, %s and %v",
					got.Result, v.Currency, v.RecordedAt, want, c.currency, c.recorded)
			}
			stored := dbtest.Get[time.Time](t, b.DB, `SELECT recorded_at FROM conversions`)
			if !stored.Equal(v.RecordedAt) {
				t.Errorf("the conversion is stored with the time %v, want %v", stored, v.RecordedAt)
			}
		}
	}
}

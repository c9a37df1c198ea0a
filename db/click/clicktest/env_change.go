package clicktest

import (
	"fmt"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/spend"
	"switchyard/models"
)

// Inputs returns n conversions of known and unknown clicks. Some are repeated or refused.
func (b *Env) Inputs(n int) []conversion.Input {
	list := make([]conversion.Input, n)
	for i := range list {
		in := conversion.Input{
			ClickID: b.Clicks[b.Rnd.IntN(len(b.Clicks))].ID, AccountID: b.Account, Source: models.FromCorrection, Final: true,
			Status:       []string{"", "pending", "approved", "rejected", "chargeback"}[b.Rnd.IntN(5)],
			ConversionID: []string{"", "a", "b"}[b.Rnd.IntN(3)],
		}
		if b.Rnd.IntN(3) > 0 {
			in.Payout = Amount(fmt.Sprint(b.Rnd.IntN(900), ".5"))
		}
		switch b.Rnd.IntN(12) {
		case 0:
			in.ClickID = models.NewClickID()
		case 1:
			in.Payout = Amount("-1")
		}
		list[i] = in
	}
	return list
}

func brief(list []conversion.Corrected) []string {
	out := make([]string, len(list))
	for i, v := range list {
		c := v.Conversion
		out[i] = fmt.Sprint(v.Result, " ", v.Refusal, " ", c.Status, " ", c.Payout, " ", c.Cost, " ", c.ConversionID)
	}
	return out
}

// Correct records conversions, and checks the preview.
func (b *Env) Correct(list []conversion.Input) []conversion.Corrected {
	b.Helper()
	const preview, write = false, true
	expected, _, err := conversion.Correct(b.Context(), click.Log{}, b.DB, b.Account, list, preview)
	if err != nil {
		b.Fatal(err)
	}
	b.CheckLedger("a preview")
	var out []conversion.Corrected
	events := dbtest.Get[int](b, b.DB, `SELECT count(*) FROM events`)
	b.Tx(func(c db.Conn) (err error) {
		out, _, err = conversion.Correct(b.Context(), click.Log{}, c, b.Account, list, write)
		return err
	})
	if diff := cmp.Diff(brief(expected), brief(out)); diff != "" {
		b.Errorf("preview (-) and what happened (+): %s", diff)
	}
	for _, v := range out {
		if v.Refusal == nil && (v.Result == conversion.ResultCreated || v.Result == conversion.ResultUpdated) {
			events++
		}
	}
	if n := dbtest.Get[int](b, b.DB, `SELECT count(*) FROM events`); n != events {
		b.Errorf("%d events, want %d", n, events)
	}
	return out
}

// Spend returns random spend.
func (b *Env) Spend() spend.Spend {
	s := spend.Spend{
		Day: b.Today.AddDate(0, 0, -b.Rnd.IntN(4)), SourceID: b.Sources[b.Rnd.IntN(2)],
		Amount: decimal.New(int64(b.Rnd.IntN(100000)), -3), Currency: []string{"", "EUR"}[b.Rnd.IntN(2)],
	}
	if b.Rnd.IntN(2) == 0 {
		s.CampaignID = b.Campaigns[b.Rnd.IntN(2)]
	}
	return s
}

// SetSpend sets spend, and checks the ledger and the preview.
func (b *Env) SetSpend(s spend.Spend) {
	b.Helper()
	expected, err := spend.Preview(b.Context(), b.DB, b.Account, []spend.Spend{s})
	if err != nil {
		b.Fatal(err)
	}
	var clicks []int64
	b.Tx(func(c db.Conn) (err error) {
		clicks, err = spend.Set(b.Context(), click.Log{}, c, b.Account, s)
		return err
	})
	if clicks[0] != expected[0] {
		b.Errorf("the spend is spread over %d clicks, the preview said %d", clicks[0], expected[0])
	}
	got := dbtest.Get[string](b, b.DB, `SELECT coalesce(trim_scale(sum(cost)), 0)::text FROM ledger WHERE hour >= $1 AND hour < $2
		AND source_id = $3 AND ($4::uuid IS NULL OR campaign_id = $4)`, s.Day, s.Day.AddDate(0, 0, 1), s.SourceID,
		uuid.NullUUID{UUID: s.CampaignID, Valid: s.CampaignID != uuid.Nil})
	if got != s.Amount.String() {
		b.Errorf("the cost is %s, want %s", got, s.Amount)
	}
}

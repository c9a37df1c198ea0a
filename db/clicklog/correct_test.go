package clicklog_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/dbtest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/parttest"
)

// books is an account whose clicks of two days came from two sources to two campaigns.
type books struct {
	*testing.T
	db        *db.DB
	rnd       *rand.Rand
	account   uuid.UUID
	today     time.Time
	sources   []uuid.UUID
	campaigns []uuid.UUID
	clicks    []*models.Click
	between   func() // called after each transaction; may be nil
}

func newBooks(t *testing.T, seed uint64, clicks int) *books {
	t.Helper()
	b := &books{
		T: t, db: dbtest.New(t), rnd: rand.New(rand.NewPCG(seed, 1)),
		today:   time.Now().UTC().Truncate(24 * time.Hour),
		sources: []uuid.UUID{uuid.New(), uuid.New()}, campaigns: []uuid.UUID{uuid.New(), uuid.New()},
	}
	b.account = account(t, b.db)
	dbtest.SetRates(t, b.db, "1")
	s := openSpool(t, t.TempDir())
	for i := range clicks {
		c := click(b.account, b.campaigns[b.rnd.IntN(2)], byte(i))
		c.ID = idAt(b.today.Add(-time.Duration(b.rnd.IntN(48*60)) * time.Minute))
		c.SourceID, c.IsBot = b.sources[b.rnd.IntN(2)], b.rnd.IntN(5) == 0
		c.ConversionCost, c.RevenueShare = decimal.New(int64(b.rnd.IntN(3)), -1), decimal.NewFromInt(int64(b.rnd.IntN(2)*7))
		put(t, s, spool.Record{Click: c})
		b.clicks = append(b.clicks, c)
	}
	drain(t, s, b.db, clicklog.IngestOptions{})
	return b
}

func (b *books) tx(fn func(c db.Conn) error) {
	b.Helper()
	if err := db.Tx(b.Context(), b.db, fn); err != nil {
		b.Fatal(err)
	}
	if b.between != nil {
		b.between()
	}
}

const countedBooks = `
SELECT concat_ws(' ', hour, campaign_id, source_id, sum(clicks), sum(bot_clicks), sum(approved), sum(pending),
	sum(rejected), sum(chargebacks), trim_scale(sum(cost)), trim_scale(sum(revenue)), trim_scale(sum(pending_revenue)))
FROM ledger GROUP BY hour, campaign_id, source_id
HAVING (sum(clicks), sum(bot_clicks), sum(cost), sum(revenue), sum(approved), sum(pending), sum(rejected)) <>
	(0, 0, 0, 0, 0, 0, 0)
ORDER BY 1`

const storedBooks = `
WITH facts AS (
	SELECT date_trunc('hour', at, 'UTC') AS hour, campaign_id, source_id, (NOT is_bot)::int AS clicks,
		is_bot::int AS bots, CASE WHEN is_bot THEN 0 ELSE coalesce(cost * rate, 0) END AS cost, '' AS status, 0::numeric AS payout FROM clicks
	UNION ALL
	SELECT date_trunc('hour', f.at, 'UTC'), f.campaign_id, f.source_id, 0, 0, v.cost, v.status, coalesce(v.payout * v.rate, 0)
	FROM conversions v JOIN clicks f ON f.id = v.click_id
	UNION ALL
	SELECT at, campaign_id, source_id, 0, 0, cost, '', 0 FROM spend_alone
)
SELECT concat_ws(' ', hour, campaign_id, source_id, sum(clicks), sum(bots), count(*) FILTER (WHERE status = 'approved'),
	count(*) FILTER (WHERE status = 'pending'), count(*) FILTER (WHERE status = 'rejected'),
	count(*) FILTER (WHERE status = 'chargeback'), trim_scale(sum(cost)),
	trim_scale(coalesce(sum(payout) FILTER (WHERE status = 'approved'), 0)),
	trim_scale(coalesce(sum(payout) FILTER (WHERE status = 'pending'), 0)))
FROM facts GROUP BY hour, campaign_id, source_id ORDER BY 1`

// agree compares the ledger with the rows.
func (b *books) agree(after string) {
	b.Helper()
	var counted, stored []string
	if err := errors.Join(b.db.SelectContext(b.Context(), &counted, countedBooks),
		b.db.SelectContext(b.Context(), &stored, storedBooks)); err != nil {
		b.Fatal(err)
	}
	if diff := cmp.Diff(stored, counted); diff != "" {
		b.Fatalf("after %s ledger (+) and rows (-) differ: %s", after, diff)
	}
}

// inputs returns n conversions of known and unknown clicks, with repetitions and inputs that are refused.
func (b *books) inputs(n int) []clicklog.ConversionInput {
	list := make([]clicklog.ConversionInput, n)
	for i := range list {
		in := clicklog.ConversionInput{
			ClickID: b.clicks[b.rnd.IntN(len(b.clicks))].ID, AccountID: b.account, Source: models.FromCorrection, Final: true,
			Status:       []string{"", "pending", "approved", "rejected", "chargeback"}[b.rnd.IntN(5)],
			ConversionID: []string{"", "a", "b"}[b.rnd.IntN(3)],
		}
		if b.rnd.IntN(3) > 0 {
			in.Payout = amount(fmt.Sprint(b.rnd.IntN(900), ".5"))
		}
		switch b.rnd.IntN(12) {
		case 0:
			in.ClickID = models.NewClickID()
		case 1:
			in.Payout = amount("-1")
		}
		list[i] = in
	}
	return list
}

// brief returns the part of each outcome that a preview also has.
func brief(list []clicklog.Corrected) []string {
	out := make([]string, len(list))
	for i, v := range list {
		c := v.Conversion
		out[i] = fmt.Sprint(v.Result, " ", v.Refusal, " ", c.Status, " ", c.Payout, " ", c.Cost, " ", c.ConversionID)
	}
	return out
}

func (b *books) correct(list []clicklog.ConversionInput) []clicklog.Corrected {
	b.Helper()
	expected, _, err := clicklog.Log{}.CorrectConversions(b.Context(), b.db, b.account, list, false)
	if err != nil {
		b.Fatal(err)
	}
	b.agree("a preview")
	var out []clicklog.Corrected
	events := number[int](b, b.db, `SELECT count(*) FROM events`)
	b.tx(func(c db.Conn) (err error) {
		out, _, err = clicklog.Log{}.CorrectConversions(b.Context(), c, b.account, list, true)
		return err
	})
	if diff := cmp.Diff(brief(expected), brief(out)); diff != "" {
		b.Errorf("preview (-) and what happened (+): %s", diff)
	}
	for _, v := range out {
		if v.Refusal == nil && (v.Result == clicklog.ResultCreated || v.Result == clicklog.ResultUpdated) {
			events++
		}
	}
	if n := number[int](b, b.db, `SELECT count(*) FROM events`); n != events {
		b.Errorf("%d events, want %d", n, events)
	}
	return out
}

func (b *books) spend() clicklog.Spend {
	s := clicklog.Spend{
		Day: b.today.AddDate(0, 0, -b.rnd.IntN(4)), SourceID: b.sources[b.rnd.IntN(2)],
		Amount: decimal.New(int64(b.rnd.IntN(100000)), -3), Currency: []string{"", "EUR"}[b.rnd.IntN(2)],
	}
	if b.rnd.IntN(2) == 0 {
		s.CampaignID = b.campaigns[b.rnd.IntN(2)]
	}
	return s
}

// setSpend sets spend and checks the ledger: the cost of the day, source and campaign must equal the amount.
func (b *books) setSpend(s clicklog.Spend) {
	b.Helper()
	expected, err := clicklog.Log{}.PreviewSpend(b.Context(), b.db, b.account, []clicklog.Spend{s})
	if err != nil {
		b.Fatal(err)
	}
	var clicks []int64
	b.tx(func(c db.Conn) (err error) {
		clicks, err = clicklog.Log{}.SetSpend(b.Context(), c, b.account, s)
		return err
	})
	if clicks[0] != expected[0] {
		b.Errorf("spread over %d clicks, the preview said %d", clicks[0], expected[0])
	}
	got := number[string](b, b.db, `SELECT coalesce(trim_scale(sum(cost)), 0)::text FROM ledger WHERE hour >= $1 AND hour < $2
		AND source_id = $3 AND ($4::uuid IS NULL OR campaign_id = $4)`, s.Day, s.Day.AddDate(0, 0, 1), s.SourceID,
		uuid.NullUUID{UUID: s.CampaignID, Valid: s.CampaignID != uuid.Nil})
	if got != s.Amount.String() {
		b.Errorf("the cost is %s, want %s", got, s.Amount)
	}
}

// TestCorrections makes corrections of conversions and spend, postbacks and deletions in random order. At any moment the ledger
// and the rows must agree. A preview must equal the result, and a repeated correction must change nothing.
func TestCorrections(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	for seed := range uint64(3) {
		b := newBooks(t, seed, 120)
		b.agree("the clicks")
		for range 12 {
			list := b.inputs(15)
			b.correct(list)
			b.agree("conversions")
			s := b.spend()
			for range 2 {
				b.setSpend(s)
				b.agree(fmt.Sprintf("spend %+v", s))
			}
			for _, in := range b.inputs(4) {
				in.Final = false
				if _, err := record(t, b.db, in); err != nil {
					if _, refused := models.AsError(err); !refused {
						t.Fatal(err)
					}
				}
			}
			b.agree("postbacks")
		}
		last := b.inputs(30)
		b.correct(last)
		both{t, b.db}.agree()
		q := clicklog.ClearQuery{
			AccountID: b.account, Of: b.campaigns, From: b.today.AddDate(0, 0, -9), To: b.today.AddDate(0, 0, 1),
		}
		for _, clear := range []func(c db.Conn) (clicklog.Cleared, error){
			func(c db.Conn) (clicklog.Cleared, error) { return clicklog.Log{}.Clear(t.Context(), c, q, 1000) },
			func(c db.Conn) (clicklog.Cleared, error) { return clicklog.Log{}.ClearArchive(t.Context(), c, q, 1000) },
		} {
			b.tx(func(c db.Conn) error {
				_, err := clear(c)
				return err
			})
			b.agree("a deletion")
		}
		if n := number[int](t, b.db, `SELECT count(*) FROM spend WHERE campaign_id <> $1`, uuid.Nil); n != 0 {
			t.Errorf("%d amounts of campaigns are left", n)
		}
	}
}

// A file that is applied again changes no row.
func TestCorrectionAgain(t *testing.T) {
	t.Parallel()
	b := newBooks(t, 9, 40)
	var list []clicklog.ConversionInput
	for i, c := range b.clicks {
		list = append(list, clicklog.ConversionInput{
			ClickID: c.ID, ConversionID: "o", Status: []string{"pending", "approved"}[i%2], Payout: amount("2.5"), Final: true,
		})
	}
	for i, want := range []string{clicklog.ResultCreated, clicklog.ResultDuplicate} {
		for _, v := range b.correct(list) {
			if v.Result != want || v.Refusal != nil {
				t.Fatalf("round %d: %+v", i, v)
			}
		}
		b.agree(want)
	}
	foreign, _, err := clicklog.Log{}.CorrectConversions(t.Context(), b.db, uuid.New(), list[:1], false)
	if err != nil || !errors.Is(foreign[0].Refusal, clicklog.ErrUnknownClick) {
		t.Errorf("another account's: %+v, %v", foreign, err)
	}
}

// The payout of a correction counts, whatever the terms of the offer. Without a payout, the offer's terms apply.
func TestCorrectedPayout(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	b := newBooks(t, 4, 1)
	c := b.clicks[0]
	offer := uuid.New()
	for _, q := range []string{
		`INSERT INTO offers (id, account_id, name, url, payout, payout_from_param) VALUES ($1, $2, 'O', '', 7, false)`,
		`UPDATE clicks SET offer_id = $1 WHERE account_id = $2`,
	} {
		if _, err := b.db.ExecContext(t.Context(), q, offer, b.account); err != nil {
			t.Fatal(err)
		}
	}
	out := b.correct([]clicklog.ConversionInput{
		{ClickID: c.ID, ConversionID: "1", Final: true},
		{ClickID: c.ID, ConversionID: "2", Final: true, Payout: amount("3")},
		{ClickID: c.ID, ConversionID: "1", Final: true, Payout: amount("4")},
		{ClickID: c.ID, ConversionID: "1", Final: true},
	})
	for i, want := range []string{"created 7", "created 3", "updated 4", "duplicate 4"} {
		if got := fmt.Sprint(out[i].Result, " ", out[i].Conversion.Payout); got != want {
			t.Errorf("row %d: %s, want %s", i, got, want)
		}
	}
	both{t, b.db}.agree()
}

// After concurrent corrections of the same spend, with postbacks at the same time, the ledger and the rows agree.
func TestSpendAtOnce(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	b := newBooks(t, 5, 60)
	done := make(chan error)
	days := []time.Time{b.today, b.today.AddDate(0, 0, -1)}
	for i := range 4 {
		go func() {
			var all error
			for n := range 5 {
				s := clicklog.Spend{Day: days[n%2], SourceID: b.sources[0], Amount: decimal.NewFromInt(int64(10*i + n))}
				all = errors.Join(all, db.Tx(t.Context(), b.db, func(c db.Conn) error {
					_, err := clicklog.Log{}.SetSpend(t.Context(), c, b.account, s)
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
				in := clicklog.ConversionInput{ClickID: b.clicks[(i+2*n)%60].ID, ConversionID: strconv.Itoa(n), Payout: amount("3")}
				_, err := record(t, b.db, in)
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
	b.agree("all")
	both{t, b.db}.agree()
}

// A correction also replaces the recorded time and currency. A time given to the day or second does not move a conversion
// within that day or second.
func TestCorrectionOfTimeAndCurrency(t *testing.T) {
	t.Parallel()
	b := newBooks(t, 7, 1)
	click := b.clicks[0].ID
	at := models.ClickTime(click).UTC()
	in := clicklog.ConversionInput{
		AccountID: b.account, ClickID: click, Source: models.FromCorrection, Final: true, Payout: amount("5"), Currency: "USD",
		At: at.Add(1500 * time.Millisecond),
	}
	midnight := at.Truncate(24 * time.Hour)
	for _, c := range []struct {
		change        func(*clicklog.ConversionInput)
		currency      string
		recorded      time.Time
		result, again string
	}{
		{func(*clicklog.ConversionInput) {}, "USD", in.At, clicklog.ResultCreated, clicklog.ResultDuplicate},
		{
			func(in *clicklog.ConversionInput) { in.Currency, in.Payout = "EUR", nil }, "EUR", in.At,
			clicklog.ResultUpdated, clicklog.ResultDuplicate,
		},
		{
			func(in *clicklog.ConversionInput) { in.At = in.At.Add(time.Minute) }, "EUR", in.At.Add(time.Minute),
			clicklog.ResultUpdated, clicklog.ResultDuplicate,
		},
		{
			func(in *clicklog.ConversionInput) { in.At, in.Exact = in.At.Truncate(time.Second), time.Second }, "EUR",
			in.At.Add(time.Minute), clicklog.ResultDuplicate, clicklog.ResultDuplicate,
		},
		{
			func(in *clicklog.ConversionInput) { in.At, in.Exact = midnight, 24*time.Hour }, "EUR", in.At.Add(time.Minute),
			clicklog.ResultDuplicate, clicklog.ResultDuplicate,
		},
		{
			func(in *clicklog.ConversionInput) { in.At = midnight.AddDate(0, 0, 1) }, "EUR", midnight.AddDate(0, 0, 1),
			clicklog.ResultUpdated, clicklog.ResultDuplicate,
		},
	} {
		c.change(&in)
		for _, want := range []string{c.result, c.again} {
			got := b.correct([]clicklog.ConversionInput{in})[0]
			v := got.Conversion
			if got.Result != want || v.Currency != c.currency || !v.RecordedAt.Equal(c.recorded.Truncate(time.Millisecond)) {
				t.Errorf("%s of %s at %v, want %s of %s at %v", got.Result, v.Currency, v.RecordedAt, want, c.currency, c.recorded)
			}
			stored := number[time.Time](t, b.db, `SELECT recorded_at FROM conversions`)
			if !stored.Equal(v.RecordedAt) {
				t.Errorf("stored with the time %v", stored)
			}
		}
	}
}

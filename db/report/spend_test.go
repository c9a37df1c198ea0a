package report

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/ledger"
	"switchyard/db/spend"
	"switchyard/models/parttest"
)

// TestSpendWithoutClicks checks that the spend of a day without clicks is in every report that contains the beginning of that day.
func TestSpendWithoutClicks(t *testing.T) { //nolint:tparallel // the engines answer one after the other
	parttest.ClickHouse.Also(t)
	t.Parallel()
	d := dbtest.New(t)
	account, source, campaign := uuid.New(), uuid.New(), uuid.New()
	dbtest.Exec(t, d, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', '')`,
		account)
	day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -2)
	set := func(of uuid.UUID, amount int64) {
		t.Helper()
		err := db.Tx(t.Context(), d, func(c db.Conn) error {
			_, err := spend.Set(t.Context(), click.Log{}, c, account, spend.Spend{
				Day: day, SourceID: source, CampaignID: of, Amount: decimal.NewFromInt(amount), Currency: "USD",
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	set(uuid.Nil, 7)
	set(campaign, 5)
	var reader Reader
	query := func(t *testing.T, q Query) []string {
		t.Helper()
		q.AccountID = account
		rows, err := reader.Performance(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range rows {
			got = append(got, fmt.Sprint(r.Dims, " ", r.Clicks, " ", r.Cost))
		}
		slices.Sort(got)
		return got
	}
	in := Query{From: day, To: day.AddDate(0, 0, 1)}
	both := &engines{}
	for range 2 {
		both.onBoth(t, d, func(t *testing.T, r Reader) {
			t.Helper()
			reader = r
			for _, name := range Dimensions() {
				q := in
				q.Dimensions = []string{name, "campaign_id"}
				ledger := query(t, q)
				q.FromRows = true
				if diff := cmp.Diff(ledger, query(t, q)); diff != "" || len(ledger) != 2 {
					t.Errorf("%s: ledger (-) and rows (+): %v %s", name, ledger, diff)
				}
			}
			for _, c := range []struct {
				q    Query
				want []string
			}{
				{Query{From: day, To: day.AddDate(0, 0, 1)}, []string{"[] 0 12"}},
				{Query{From: day, To: day.Add(20 * time.Minute), Dimensions: []string{"date"}}, []string{
					fmt.Sprintf("[%s] 0 12", day.Format(time.DateOnly)),
				}},
				{Query{From: day.Add(time.Minute), To: day.AddDate(0, 0, 1)}, []string{"[] 0 0"}},
				{Query{
					From: day, To: day.AddDate(0, 0, 1), Dimensions: []string{"ip"}, Filters: []Filter{{Dimension: "campaign_id", Values: []string{campaign.String()}}},
				}, []string{"[] 0 5"}},
			} {
				if diff := cmp.Diff(c.want, query(t, c.q)); diff != "" {
					t.Errorf("%+v (-want +got): %s", c.q, diff)
				}
			}
		})
		if _, err := ledger.Compact(t.Context(), d, time.Now(), 100); err != nil {
			t.Fatal(err)
		}
	}
}

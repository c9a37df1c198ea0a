package conversion_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/retention"
	"switchyard/db/spool"
	"switchyard/models"
)

// env is an account with clicks that its plan no longer keeps.
type env struct {
	*testing.T
	d        *db.DB
	account  uuid.UUID
	campaign uuid.UUID
	clicks   []uuid.UUID // only the first has a conversion
	at       time.Time   // time of the clicks
	cost     string      // cost of the clicks without their conversions
}

func newEnv(t *testing.T, remove func(x *env)) *env {
	t.Helper()
	x := &env{T: t, d: dbtest.New(t), campaign: uuid.New(), at: time.Now().UTC().AddDate(0, 0, -200)}
	x.account = clicktest.Account(t, x.d)
	dbtest.Exec(t, x.d, `UPDATE accounts SET plan = 'starter' WHERE id = $1`, x.account)
	s := clicktest.OpenSpool(t, t.TempDir())
	for i := range 2 {
		c := clicktest.Click(x.account, x.campaign, byte(i))
		c.ID = clicktest.IDAt(x.at)
		c.RevenueShare = decimal.NewFromInt(10)
		x.clicks = append(x.clicks, c.ID)
		clicktest.Put(t, s, spool.Record{Click: c})
	}
	clicktest.Drain(t, s, x.d, ingest.Options{})
	if _, err := x.record(0, models.StatusPending, 10); err != nil {
		t.Fatal(err)
	}
	x.cost = dbtest.Get[string](t, x.d, `SELECT sum(cost) FROM ledger WHERE account_id = $1`, x.account)
	remove(x)
	if n := dbtest.Get[int](t, x.d, `SELECT count(*) FROM clicks`); n != 0 {
		t.Fatalf("%d clicks are still stored after the deletion, want none", n)
	}
	if n := dbtest.Get[int](t, x.d, `SELECT count(*) FROM converted_clicks`); n != 1 {
		t.Errorf("data is kept about %d clicks, want only the click with a conversion", n)
	}
	return x
}

// byAge deletes the clicks as the nightly job does.
func byAge(x *env) {
	for range 2 { // the first call only announces the deletion
		if err := retention.DeleteExpired(x.Context(), click.Log{Conn: x.d}); err != nil {
			x.Fatal(err)
		}
		dbtest.Exec(x, x.d, `UPDATE click_history SET announced_at = announced_at - interval '1 day'`)
	}
}

func byPartition(x *env) {
	if _, err := retention.DeleteBefore(x.Context(), x.d, x.at.AddDate(0, 0, 1)); err != nil {
		x.Fatal(err)
	}
}

func (x *env) record(click int, status string, payout int64) (conversion.Outcome, error) {
	amount := decimal.NewFromInt(payout)
	return clicktest.Record(x, x.d, conversion.Input{
		AccountID: x.account, ClickID: x.clicks[click], ConversionID: "order", Status: status, Payout: &amount, Currency: "USD", Final: true,
		Source: models.FromNetworkSync,
	})
}

// figures returns pending, approved, revenue and cost, without the cost of the clicks.
func (x *env) figures() string {
	return dbtest.Get[string](x, x.d, `SELECT concat_ws(' ', sum(pending), sum(approved), sum(revenue)::float, (sum(cost) - $3)::float)
		FROM ledger WHERE account_id = $1 AND country = 'DE' AND campaign_id = $2`, x.account, x.campaign, x.cost)
}

// TestLateDecision checks that a network's decision about a recorded conversion still counts after the click was deleted, by age or
// with its partition. New conversions of a deleted click are refused.
func TestLateDecision(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(*env){"by age": byAge, "by partition": byPartition} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newEnv(t, remove)
			for _, want := range []string{conversion.ResultUpdated, conversion.ResultDuplicate} {
				out, err := x.record(0, models.StatusApproved, 12)
				if err != nil || out.Result != want || out.Conversion.Status != models.StatusApproved {
					t.Errorf("the decision about the deleted click gives %+v (%v), want %s and approved", out, err, want)
				}
				if got := x.figures(); got != "0 1 12 1.2" {
					t.Errorf("pending, approved, revenue and cost are %s, want 0 1 12 1.2", got)
				}
			}
			if _, err := x.record(1, models.StatusApproved, 5); !errors.Is(err, conversion.ErrUnknownClick) {
				t.Errorf("a new conversion of a deleted click: error %v, want ErrUnknownClick", err)
			}
			stranger := *x
			stranger.account = clicktest.Account(t, x.d)
			if _, err := stranger.record(0, models.StatusRejected, 0); !errors.Is(err, conversion.ErrUnknownClick) {
				t.Errorf("a conversion of another account's deleted click: error %v, want ErrUnknownClick", err)
			}
		})
	}
}

// TestClearExpired checks that clearing a campaign's history also deletes what was kept about its deleted clicks.
func TestClearExpired(t *testing.T) {
	t.Parallel()
	x := newEnv(t, byAge)
	q := retention.ClearQuery{AccountID: x.account, Of: []uuid.UUID{x.campaign}, From: x.at.AddDate(0, 0, -1), To: x.at.AddDate(0, 0, 1)}
	if err := db.Tx(t.Context(), x.d, func(c db.Conn) error {
		_, err := retention.ClearArchive(t.Context(), click.Log{Conn: x.d}, c, q, 1000)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Get[int](t, x.d, `SELECT (SELECT count(*) FROM converted_clicks) + (SELECT count(*) FROM conversions)`); n != 0 {
		t.Errorf("after the history was cleared, %d rows of converted clicks and conversions are left, want none", n)
	}
	if _, err := x.record(0, models.StatusApproved, 12); !errors.Is(err, conversion.ErrUnknownClick) {
		t.Errorf("a decision after the history was cleared: error %v, want ErrUnknownClick", err)
	}
}

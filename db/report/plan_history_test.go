package report

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/retention"
	"switchyard/db/spool"
	"switchyard/models"
)

// planEnv is a database with two accounts that had clicks on the same days. Only the plan of one keeps the older clicks.
type planEnv struct {
	*testing.T
	db        *db.DB
	log       click.Log
	accounts  map[string]uuid.UUID // by plan
	linksOnly uuid.UUID            // an account with clicks of smartlinks only
	campaign  uuid.UUID
	today     time.Time
}

// ages lists the ages of clicks in days, on both sides of the limit of the starter plan.
var ages = []int{0, 1, 29, 30, 31, 32, 60}

func newPlanEnv(t *testing.T) *planEnv {
	t.Helper()
	d := dbtest.New(t)
	x := &planEnv{
		T: t, db: d, log: click.Log{Conn: d}, accounts: map[string]uuid.UUID{}, campaign: uuid.New(),
		today: time.Now().UTC().Truncate(24 * time.Hour),
	}
	s, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	put := func(r spool.Record) {
		if err := s.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	var converted []uuid.UUID
	for _, plan := range []string{"starter", "scale"} {
		account := newAccount(t, d)
		x.accounts[plan] = account
		dbtest.Exec(x, x.db, `UPDATE accounts SET plan = $2 WHERE id = $1`, account, plan)
		for i, age := range ages {
			for hour := range 3 {
				c := &models.Click{
					ID: idOf(x.today.AddDate(0, 0, -age).Add(time.Duration(hour) * time.Minute)), AccountID: account,
					CampaignID: x.campaign, LanderID: uuid.New(), Cost: decimal.New(int64(i+1), -2), UniqueHours: 1,
					UniqueKey: [16]byte{byte(i), byte(hour)}, Visitor: models.Visitor{Country: "DE", City: "Berlin", IsBot: hour == 2},
				}
				put(spool.Record{Click: c})
				put(spool.Record{Out: &models.ClickOut{ID: idOf(models.ClickTime(c.ID)), ClickID: c.ID, AccountID: account, OfferID: x.campaign}})
				put(spool.Record{Postback: &models.Postback{ID: models.NewClickID(), ClickID: c.ID, AccountID: account}})
				smart := &models.SmartlinkClick{Click: models.Click{ID: idOf(models.ClickTime(c.ID)), AccountID: account}, SmartlinkID: account}
				put(spool.Record{Smart: smart})
				if hour == 0 {
					converted = append(converted, c.ID)
				}
			}
		}
	}
	x.linksOnly = newAccount(t, d)
	dbtest.Exec(x, x.db, `UPDATE accounts SET plan = 'starter' WHERE id = $1`, x.linksOnly)
	for _, age := range ages {
		put(spool.Record{Smart: &models.SmartlinkClick{
			Click: models.Click{ID: idOf(x.today.AddDate(0, 0, -age)), AccountID: x.linksOnly}, SmartlinkID: x.linksOnly,
		}})
	}
	lost := &models.ClickOut{ID: idOf(x.today.AddDate(0, 0, -31)), ClickID: models.NewClickID(), AccountID: uuid.New()}
	put(spool.Record{Out: lost})
	if err := ingest.NewIngester(s, d, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	payout := decimal.NewFromInt(2)
	for _, id := range converted {
		x.tx(func(c db.Conn) error {
			_, err := conversion.Record(t.Context(), x.log, c, conversion.Input{ClickID: id, Payout: &payout})
			return err
		})
	}
	return x
}

func idOf(at time.Time) uuid.UUID {
	id, floor := models.NewClickID(), models.FloorClickID(at)
	copy(id[:6], floor[:6])
	return id
}

func (x *planEnv) tx(fn func(db.Conn) error) {
	x.Helper()
	if err := db.Tx(x.Context(), x.db, fn); err != nil {
		x.Fatal(err)
	}
}

// deleteExpired runs the nightly job twice, a day apart. The first run only announces the deletion.
func (x *planEnv) deleteExpired() {
	x.Helper()
	for range 2 {
		if err := retention.DeleteExpired(x.Context(), x.log); err != nil {
			x.Fatal(err)
		}
		dbtest.Exec(x, x.db, `UPDATE click_history SET announced_at = announced_at - interval '1 day'`)
	}
}

// ledgerAnswers returns an account's reports by dimensions of the ledger.
func (x *planEnv) ledgerAnswers(account uuid.UUID) (answers []any) {
	x.Helper()
	r := Reader{Conn: x.db}
	q := Query{AccountID: account, From: x.today.AddDate(0, 0, -70), To: x.today.AddDate(0, 0, 1)}
	for _, dims := range [][]string{{"campaign_id"}, {"campaign_id", "offer_id", "country"}, {"date"}} {
		q.Dimensions = dims
		rows, err := r.Performance(x.Context(), q)
		if err != nil {
			x.Fatal(err)
		}
		slices.SortFunc(rows, func(a, b Row) int { return slices.Compare(a.Dims, b.Dims) })
		answers = append(answers, rows)
	}
	for _, bucket := range []string{Day, Weekday, Month} {
		list, err := r.Trends(x.Context(), TrendQuery{q, bucket})
		if err != nil {
			x.Fatal(err)
		}
		answers = append(answers, list)
	}
	return answers
}

// TestHistoryByPlan checks that an account's clicks, click-outs and postbacks are deleted after the number of days of its plan, and
// that no figure by the ledger's dimensions changes.
func TestHistoryByPlan(t *testing.T) {
	t.Parallel()
	x := newPlanEnv(t)
	before := map[string][]any{}
	for plan, account := range x.accounts {
		before[plan] = x.ledgerAnswers(account)
	}
	if err := retention.DeleteExpired(t.Context(), x.log); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Get[int](x, x.db, `SELECT count(*) FROM clicks`); n != 2*3*len(ages) {
		t.Errorf("%d clicks are left after the first run, which only announces the deletion, want all %d", n, 2*3*len(ages))
	}
	x.deleteExpired()
	x.deleteExpired() // the second time changes nothing
	starter, _ := models.PlanNamed("starter")
	kept := 0
	for _, age := range ages {
		if age <= starter.HistoryDays {
			kept += 3
		}
	}
	for plan, want := range map[string]int{"starter": kept, "scale": 3 * len(ages)} {
		account := x.accounts[plan]
		for _, table := range []string{"clicks", "click_hops", "postbacks", "smartlink_clicks"} {
			if n := dbtest.Get[int](x, x.db, `SELECT count(*) FROM `+table+` WHERE account_id = $1`, account); n != want {
				t.Errorf("%s keeps %d rows of %s, want %d", plan, n, table, want)
			}
		}
		if n := dbtest.Get[int](x, x.db, `SELECT count(*) FROM conversions WHERE account_id = $1`, account); n != len(ages) {
			t.Errorf("%s has %d conversions, want %d", plan, n, len(ages))
		}
		if n := dbtest.Get[int](x, x.db, `SELECT sum(clicks + bot_clicks) FROM smartlink_hours WHERE account_id = $1`, account); n != 3*len(ages) {
			t.Errorf("%s has sums of %d clicks of smartlinks, want %d", plan, n, 3*len(ages))
		}
		if diff := cmp.Diff(before[plan], x.ledgerAnswers(account), cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
			t.Errorf("%s: answers from the ledger before (-) and after the deletion (+): %s", plan, diff)
		}
	}
	if n := dbtest.Get[int](x, x.db, `SELECT count(*) FROM smartlink_clicks WHERE account_id = $1`, x.linksOnly); n != kept/3 {
		t.Errorf("an account without clicks keeps %d clicks of smartlinks, want %d", n, kept/3)
	}
	if n := dbtest.Get[int](x, x.db, `SELECT count(*) FROM click_hops WHERE NOT applied`); n != 0 {
		t.Errorf("%d click-outs whose click never arrived are left, want none", n)
	}
	if n := dbtest.Get[int](x, x.db, `SELECT count(*) FROM jobs WHERE id NOT IN (SELECT id FROM postbacks)`); n != 0 {
		t.Errorf("%d jobs are left without their postbacks", n)
	}
	dbtest.Exec(x, x.db, `UPDATE accounts SET plan = 'scale' WHERE id = $1`, x.accounts["starter"])
	x.deleteExpired()
	if at, err := click.KeptFrom(t.Context(), x.db, x.accounts["starter"]); err != nil || !at.Equal(x.today.AddDate(0, 0, -starter.HistoryDays)) {
		t.Errorf("after a change to a larger plan, clicks are kept from %v (%v), want no change", at, err)
	}
	x.clear()
}

// clear deletes the statistics of the campaign, whose rows are partly deleted already. No statistics must be left, and no figure
// subtracted twice.
func (x *planEnv) clear() {
	x.Helper()
	for _, account := range x.accounts {
		q := retention.ClearQuery{
			AccountID: account, Of: []uuid.UUID{x.campaign}, From: x.today.AddDate(0, 0, -70), To: x.today.AddDate(0, 0, 1),
		}
		for range 2 { // the second time, nothing is left to delete
			x.tx(func(c db.Conn) error {
				if _, err := retention.Clear(x.Context(), x.log, c, q, 1000); err != nil {
					return err
				}
				_, err := retention.ClearArchive(x.Context(), x.log, c, q, 0)
				return err
			})
		}
		total, err := Reader{Conn: x.db}.Totals(x.Context(), Query{AccountID: account, From: q.From, To: q.To})
		if err != nil || !total.IsZero() {
			x.Errorf("after clearing, the totals are %+v, %v, want zeros", total, err)
		}
	}
	for _, table := range []string{"clicks", "click_hops", "postbacks", "conversions"} {
		if n := dbtest.Get[int](x, x.db, `SELECT count(*) FROM `+table); n != 0 {
			x.Errorf("after clearing, %d rows of %s are left, want none", n, table)
		}
	}
}

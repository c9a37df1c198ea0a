package clicklog_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
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
	"switchyard/models/await"
	"switchyard/models/parttest"
)

func openSpool(tb testing.TB, dir string) *spool.Spool {
	tb.Helper()
	s, err := spool.Open(dir, spool.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func put(tb testing.TB, s *spool.Spool, records ...spool.Record) {
	tb.Helper()
	for _, r := range records {
		if err := s.Append(tb.Context(), r); err != nil {
			tb.Fatal(err)
		}
	}
}

func drain(tb testing.TB, s *spool.Spool, d *db.DB, o clicklog.IngestOptions) {
	tb.Helper()
	if err := clicklog.NewIngester(s, d, o).Drain(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

func number[T any](tb testing.TB, d *db.DB, query string, args ...any) T {
	tb.Helper()
	var n T
	if err := d.GetContext(tb.Context(), &n, query, args...); err != nil {
		tb.Fatal(err)
	}
	return n
}

func account(tb testing.TB, d *db.DB) uuid.UUID {
	tb.Helper()
	id := uuid.New()
	_, err := d.ExecContext(tb.Context(),
		`INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', $2)`, id, id.String())
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

func idAt(at time.Time) uuid.UUID {
	id, floor := models.NewClickID(), models.FloorClickID(at)
	copy(id[:6], floor[:6])
	return id
}

func click(acc, campaign uuid.UUID, visitor byte) *models.Click {
	return &models.Click{
		ID: models.NewClickID(), AccountID: acc, CampaignID: campaign, Visitor: models.Visitor{Country: "DE"},
		UniqueKey: [16]byte{visitor}, UniqueHours: 24, Cost: decimal.New(1, -2), UniqueCost: decimal.New(5, -3),
	}
}

func TestIngestStoresOnce(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	d, dir := dbtest.New(t), t.TempDir()
	acc, campaign := account(t, d), uuid.New()
	s := openSpool(t, dir)
	lander := click(acc, campaign, 1)
	lander.LanderID = uuid.New()
	bot := click(acc, campaign, 2)
	bot.IsBot = true
	again := click(acc, campaign, 1)
	other := click(acc, campaign, 2) // the bot's click did not count for uniqueness
	hop := &models.ClickOut{ID: models.NewClickID(), ClickID: lander.ID, AccountID: acc, Slot: 2, OfferID: uuid.New()}
	post := &models.Postback{
		ID: models.NewClickID(), AccountID: acc, ClickID: lander.ID, Source: models.FromPostback,
		Params: map[string]string{"payout": "1\x00"},
	}
	nobodys := &models.Postback{ID: models.NewClickID(), Source: models.FromPostback, Unmatched: "it names no click"}
	records := []spool.Record{
		{Out: hop}, {Click: lander}, {Click: bot}, {Click: again}, {Click: other}, {Postback: post}, {Postback: nobodys},
	}
	put(t, s, records...)
	put(t, s, records[1:6]...) // a record that was appended twice
	var told []models.JobRef
	o := clicklog.IngestOptions{
		OnPostbacks: func(_ context.Context, rows []models.JobRef) { told = append(told, rows...) },
	}
	drain(t, s, d, o)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// The mark is lost, so all records are read again.
	if err := os.Remove(filepath.Join(dir, "web-1", "mark")); err != nil {
		t.Fatal(err)
	}
	s = openSpool(t, dir)
	put(t, s, records...)
	drain(t, s, d, o)

	if diff := cmp.Diff([]models.JobRef{{Kind: models.KindRecordConversion, ID: post.ID, Account: acc}}, told); diff != "" {
		t.Errorf("postbacks told: %s", diff)
	}
	type row struct {
		Clicks  int `db:"clicks"`
		Unique  int `db:"unique_clicks"`
		Bots    int `db:"bot_clicks"`
		Views   int `db:"lp_views"`
		LPClick int `db:"lp_clicks"`
		Cost    decimal.Decimal
	}
	got := number[row](t, d, `SELECT sum(clicks) clicks, sum(unique_clicks) unique_clicks, sum(bot_clicks) bot_clicks,
		sum(lp_views) lp_views, sum(lp_clicks) lp_clicks, sum(cost) cost FROM ledger`)
	want := row{Clicks: 3, Unique: 2, Bots: 1, Views: 1, LPClick: 1, Cost: decimal.RequireFromString("0.04")}
	if diff := cmp.Diff(want, got, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
		t.Error(diff)
	}
	if n := number[int](t, d, `SELECT sum(lp_clicks) FROM ledger WHERE offer_id = $1`, hop.OfferID); n != 1 {
		t.Errorf("lander clicks under the offer: %d", n)
	}
	for table, want := range map[string]int{
		"clicks": 4, "click_hops": 1, "jobs": 1,
		"postbacks WHERE outcome = 'pending' AND decided_at IS NULL":                           1,
		"postbacks WHERE outcome = 'unmatched' AND detail <> '' AND decided_at >= received_at": 1,
	} {
		if n := number[int](t, d, `SELECT count(*) FROM `+table); n != want {
			t.Errorf("%s: %d, want %d", table, n, want)
		}
	}
	both{t, d}.agree()
}

func TestPoisonBlocksNothing(t *testing.T) {
	t.Parallel()
	d, dir := dbtest.New(t), t.TempDir()
	acc, campaign := account(t, d), uuid.New()
	s := openSpool(t, dir)
	for i := range 40 {
		c := click(acc, campaign, byte(i))
		switch i {
		case 7:
			c.Cost = decimal.New(1, 200_000) // too large for numeric
		case 23:
			c.ID = idAt(time.Now().Add(1000 * time.Hour)) // a broken clock
		}
		put(t, s, spool.Record{Click: c})
	}
	ofNobody := &models.Postback{ID: idAt(time.Now()), AccountID: uuid.New(), NetworkID: uuid.New()} // neither exists
	put(t, s, spool.Record{Postback: ofNobody}, spool.Record{Click: click(acc, campaign, 99)})
	drain(t, s, d, clicklog.IngestOptions{})
	if n := number[int](t, d, `SELECT count(*) FROM clicks`); n != 39 {
		t.Errorf("%d clicks stored", n)
	}
	if st := s.Stats(); st.Rejected != 2 || st.PendingBytes != 0 {
		t.Errorf("%+v", st)
	}
	text, err := os.ReadFile(filepath.Join(dir, "web-1", "rejected"))
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("rejected: %d bytes, %v", len(text), err)
	}
}

// TestDeletedAccount: records that wait in the spool are dropped if their account was deleted. Records of other accounts are
// stored.
func TestDeletedAccount(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc, gone, campaign := account(t, d), uuid.New(), uuid.New()
	s := openSpool(t, t.TempDir())
	for i := range byte(6) {
		mine, lost := click(acc, campaign, i), click(gone, campaign, i+100)
		put(t, s, spool.Record{Click: mine}, spool.Record{Click: lost})
		for _, c := range []*models.Click{mine, lost} {
			put(t, s, spool.Record{Out: &models.ClickOut{ID: models.NewClickID(), ClickID: c.ID, AccountID: c.AccountID, Slot: 1}},
				spool.Record{Smart: &models.SmartlinkClick{Click: *click(c.AccountID, uuid.Nil, i), SmartlinkID: uuid.New()}})
		}
	}
	drain(t, s, d, clicklog.IngestOptions{})
	for _, table := range []string{"clicks", "click_hops", "smartlink_clicks"} {
		if n := number[int](t, d, `SELECT count(*) FROM `+table); n != 6 {
			t.Errorf("%d rows in %s", n, table)
		}
		if n := number[int](t, d, `SELECT count(*) FROM `+table+` WHERE account_id = $1`, gone); n != 0 {
			t.Errorf("%d rows of a deleted account in %s", n, table)
		}
	}
	if st := s.Stats(); st.Rejected != 0 || st.PendingBytes != 0 {
		t.Errorf("%+v", st)
	}
}

func TestAdoptsTheSpoolOfADeadProcess(t *testing.T) {
	t.Parallel()
	d, dir := dbtest.New(t), t.TempDir()
	acc, campaign := account(t, d), uuid.New()
	first, second := openSpool(t, dir), openSpool(t, dir)
	put(t, first, spool.Record{Click: click(acc, campaign, 1)})
	put(t, second, spool.Record{Click: click(acc, campaign, 2)})
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- clicklog.NewIngester(first, d, clicklog.IngestOptions{}).Run(ctx) }()
	awaitRow(t, d, `SELECT count(*) = 2 FROM clicks`)
	await.Until(t, "its segments are gone", func() bool {
		left, _ := filepath.Glob(filepath.Join(dir, "web-2", "*.seg"))
		return len(left) == 0
	})
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	openSpool(t, dir)
	openSpool(t, dir) // check that web-2 is free again
}

// awaitRow waits until a query returns true.
func awaitRow(tb testing.TB, d *db.DB, query string, args ...any) {
	tb.Helper()
	await.Until(tb, query, func() (ok bool) {
		if err := d.GetContext(tb.Context(), &ok, query, args...); err != nil {
			tb.Fatal(err)
		}
		return ok
	})
}

func TestAckAfterCommit(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc := account(t, d)
	s, err := spool.Open(t.TempDir(), spool.Options{AckPostgres: true, SegmentSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- clicklog.NewIngester(s, d, clicklog.IngestOptions{}).Run(ctx) }()
	for i := range 5 {
		c := click(acc, uuid.New(), byte(i))
		put(t, s, spool.Record{Click: c})
		if n := number[int](t, d, `SELECT count(*) FROM clicks WHERE id = $1`, c.ID); n != 1 {
			t.Fatal("acknowledged before the commit")
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestUniqueWindows(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	d := dbtest.New(t)
	acc, campaign := account(t, d), uuid.New()
	now := time.Now().Add(-72 * time.Hour).Truncate(time.Hour)
	steps := []struct {
		after time.Duration
		want  bool
	}{
		{0, true},
		{time.Hour, false},
		{23 * time.Hour, false},
		{24 * time.Hour, true},
		{30 * time.Hour, false},
		{-25 * time.Hour, true},
		{-20 * time.Hour, false},
		{60 * time.Hour, true},
	}
	for _, together := range []bool{false, true} {
		s := openSpool(t, t.TempDir())
		visitor := byte(1)
		if together {
			visitor = 2
		}
		ids := make([]uuid.UUID, len(steps))
		for i, step := range steps {
			c := click(acc, campaign, visitor)
			c.ID = idAt(now.Add(step.after))
			ids[i] = c.ID
			put(t, s, spool.Record{Click: c})
			if !together {
				drain(t, s, d, clicklog.IngestOptions{})
			}
		}
		drain(t, s, d, clicklog.IngestOptions{})
		for i, step := range steps {
			if got := number[bool](t, d, `SELECT is_unique FROM clicks WHERE id = $1`, ids[i]); got != step.want {
				t.Errorf("together=%v: click after %v: unique %v", together, step.after, got)
			}
		}
	}
	both{t, d}.agree()
}

func TestRetention(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc := account(t, d)
	s := openSpool(t, t.TempDir())
	now := time.Now().UTC()
	for _, age := range []int{0, 1, 5, 6} {
		c := click(acc, uuid.New(), 1)
		c.ID = idAt(now.AddDate(0, 0, -age))
		smart := &models.SmartlinkClick{Click: *c, SmartlinkID: uuid.New()}
		smart.ID = idAt(now.AddDate(0, 0, -age))
		put(t, s, spool.Record{Click: c})
		put(t, s, spool.Record{Smart: smart})
	}
	drain(t, s, d, clicklog.IngestOptions{})
	n, err := clicklog.Log{Conn: d}.DropBefore(t.Context(), now.AddDate(0, 0, -3))
	if err != nil || n != 2 {
		t.Fatalf("dropped %d, %v", n, err)
	}
	if n := number[int](t, d, `SELECT count(*) FROM clicks`); n != 2 {
		t.Errorf("%d clicks stay", n)
	}
	if n := number[int](t, d, `SELECT count(*) FROM smartlink_clicks`); n != 2 {
		t.Errorf("%d clicks of smartlinks stay", n)
	}
	for _, sums := range []string{"ledger", "smartlink_hours"} {
		if n := number[int](t, d, `SELECT sum(clicks) FROM `+sums); n != 4 {
			t.Errorf("%s lost clicks: %d", sums, n)
		}
	}
}

// TestForgetPostbacks checks that messages are kept for the time of their account's plan, and messages without an account for the
// shortest time.
func TestForgetPostbacks(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	s := openSpool(t, t.TempDir())
	now := time.Now()
	arrived := func(account uuid.UUID, days int) {
		put(t, s, spool.Record{Postback: &models.Postback{ID: idAt(now.AddDate(0, 0, -days)), AccountID: account}})
	}
	kept := map[string]int{"": models.StrangersPostbackDays}
	owner := map[string]uuid.UUID{}
	for _, p := range models.Plans {
		owner[p.Name], kept[p.Name] = account(t, d), p.PostbackDays
		if _, err := d.ExecContext(t.Context(), `UPDATE accounts SET plan = $2 WHERE id = $1`, owner[p.Name], p.Name); err != nil {
			t.Fatal(err)
		}
		if p.PostbackDays < models.StrangersPostbackDays || p.PostbackDays > models.LongestPostbacks() {
			t.Errorf("%s keeps postbacks for %d days", p.Name, p.PostbackDays)
		}
	}
	for plan, days := range kept {
		arrived(owner[plan], days-1)
		arrived(owner[plan], days+1)
	}
	gone := account(t, d)
	arrived(gone, models.LongestPostbacks()-1)
	arrived(gone, models.LongestPostbacks()+1)
	drain(t, s, d, clicklog.IngestOptions{})
	if _, err := d.ExecContext(t.Context(), `DELETE FROM accounts WHERE id = $1`, gone); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := (clicklog.Log{Conn: d}).ForgetHistory(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for plan, days := range kept {
		if n := number[int](t, d, `SELECT count(*) FROM postbacks WHERE account_id = $1`, owner[plan]); n != 1 {
			t.Errorf("plan %q keeps %d of two after %d days", plan, n, days)
		}
	}
	if n := number[int](t, d, `SELECT count(*) FROM postbacks`); n != len(kept)+1 {
		t.Errorf("%d postbacks stay", n)
	}
	if n := number[int](t, d, `SELECT count(*) FROM jobs WHERE id NOT IN (SELECT id FROM postbacks)`); n != 0 {
		t.Errorf("%d jobs stay without their postbacks", n)
	}
}

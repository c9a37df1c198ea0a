package ingest_test

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

	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/parttest"
)

// TestIngestStoresOnce checks that a record that is appended twice or read again is stored and counted once.
func TestIngestStoresOnce(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	d, dir := dbtest.New(t), t.TempDir()
	acc, campaign := clicktest.Account(t, d), uuid.New()
	s := clicktest.OpenSpool(t, dir)
	lander := clicktest.Click(acc, campaign, 1)
	lander.LanderID = uuid.New()
	bot := clicktest.Click(acc, campaign, 2)
	bot.IsBot = true
	again := clicktest.Click(acc, campaign, 1)
	other := clicktest.Click(acc, campaign, 2) // unique, because the bot's click does not count
	hop := &models.ClickOut{ID: models.NewClickID(), ClickID: lander.ID, AccountID: acc, Slot: 2, OfferID: uuid.New()}
	post := &models.Postback{
		ID: models.NewClickID(), AccountID: acc, ClickID: lander.ID, Source: models.FromPostback,
		Params: map[string]string{"payout": "1\x00"},
	}
	unmatched := &models.Postback{ID: models.NewClickID(), Source: models.FromPostback, Unmatched: "it names no click"}
	records := []spool.Record{
		{Out: hop}, {Click: lander}, {Click: bot}, {Click: again}, {Click: other}, {Postback: post}, {Postback: unmatched},
	}
	clicktest.Put(t, s, records...)
	clicktest.Put(t, s, records[1:6]...) // a second time
	var announced []models.JobRef
	o := ingest.Options{
		OnPostbacks: func(_ context.Context, rows []models.JobRef) { announced = append(announced, rows...) },
	}
	clicktest.Drain(t, s, d, o)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// Without its mark, the spool is read again from the start.
	if err := os.Remove(filepath.Join(dir, "web-1", "mark")); err != nil {
		t.Fatal(err)
	}
	s = clicktest.OpenSpool(t, dir)
	clicktest.Put(t, s, records...)
	clicktest.Drain(t, s, d, o)

	if diff := cmp.Diff([]models.JobRef{{Kind: models.KindRecordConversion, ID: post.ID, Account: acc}}, announced); diff != "" {
		t.Errorf("jobs passed to OnPostbacks (-want +got): %s", diff)
	}
	type row struct {
		Clicks  int `db:"clicks"`
		Unique  int `db:"unique_clicks"`
		Bots    int `db:"bot_clicks"`
		Views   int `db:"lp_views"`
		LPClick int `db:"lp_clicks"`
		Cost    decimal.Decimal
	}
	got := dbtest.Get[row](t, d, `SELECT sum(clicks) clicks, sum(unique_clicks) unique_clicks, sum(bot_clicks) bot_clicks,
		sum(lp_views) lp_views, sum(lp_clicks) lp_clicks, sum(cost) cost FROM ledger`)
	want := row{Clicks: 3, Unique: 2, Bots: 1, Views: 1, LPClick: 1, Cost: decimal.RequireFromString("0.04")}
	if diff := cmp.Diff(want, got, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
		t.Errorf("sums of the ledger (-want +got): %s", diff)
	}
	if n := dbtest.Get[int](t, d, `SELECT sum(lp_clicks) FROM ledger WHERE offer_id = $1`, hop.OfferID); n != 1 {
		t.Errorf("lander clicks under the offer: %d, want 1", n)
	}
	for table, want := range map[string]int{
		"clicks": 4, "click_hops": 1, "jobs": 1,
		"postbacks WHERE outcome = 'pending' AND decided_at IS NULL":                           1,
		"postbacks WHERE outcome = 'unmatched' AND detail <> '' AND decided_at >= received_at": 1,
	} {
		if n := dbtest.Get[int](t, d, `SELECT count(*) FROM `+table); n != want {
			t.Errorf("%s: %d, want %d", table, n, want)
		}
	}
	clicktest.CheckFigures(t, d)
}

// TestPoisonBlocksNothing checks that records that PostgreSQL refuses are rejected, and that all other records are stored.
func TestPoisonBlocksNothing(t *testing.T) {
	t.Parallel()
	d, dir := dbtest.New(t), t.TempDir()
	acc, campaign := clicktest.Account(t, d), uuid.New()
	s := clicktest.OpenSpool(t, dir)
	for i := range 40 {
		c := clicktest.Click(acc, campaign, byte(i))
		switch i {
		case 7:
			c.Cost = decimal.New(1, 200_000) // too large for numeric
		case 23:
			c.ID = clicktest.IDAt(time.Now().Add(1000 * time.Hour)) // a broken clock
		}
		clicktest.Put(t, s, spool.Record{Click: c})
	}
	// A postback without an existing account or network is not refused.
	withoutOwner := &models.Postback{ID: clicktest.IDAt(time.Now()), AccountID: uuid.New(), NetworkID: uuid.New()}
	clicktest.Put(t, s, spool.Record{Postback: withoutOwner}, spool.Record{Click: clicktest.Click(acc, campaign, 99)})
	clicktest.Drain(t, s, d, ingest.Options{})
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM clicks`); n != 39 {
		t.Errorf("%d clicks stored, want 39", n)
	}
	if st := s.Stats(); st.Rejected != 2 || st.PendingBytes != 0 {
		t.Errorf("want 2 rejected records and none pending: %+v", st)
	}
	text, err := os.ReadFile(filepath.Join(dir, "web-1", "rejected"))
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("the file of rejected records has %d bytes, want two lines: %v", len(text), err)
	}
}

// TestDeletedAccount checks that records of a deleted account are dropped.
func TestDeletedAccount(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc, deleted, campaign := clicktest.Account(t, d), uuid.New(), uuid.New()
	s := clicktest.OpenSpool(t, t.TempDir())
	for i := range byte(6) {
		mine, lost := clicktest.Click(acc, campaign, i), clicktest.Click(deleted, campaign, i+100)
		clicktest.Put(t, s, spool.Record{Click: mine}, spool.Record{Click: lost})
		for _, c := range []*models.Click{mine, lost} {
			clicktest.Put(t, s, spool.Record{Out: &models.ClickOut{ID: models.NewClickID(), ClickID: c.ID, AccountID: c.AccountID, Slot: 1}},
				spool.Record{Smart: &models.SmartlinkClick{Click: *clicktest.Click(c.AccountID, uuid.Nil, i), SmartlinkID: uuid.New()}})
		}
	}
	clicktest.Drain(t, s, d, ingest.Options{})
	for _, table := range []string{"clicks", "click_hops", "smartlink_clicks"} {
		if n := dbtest.Get[int](t, d, `SELECT count(*) FROM `+table); n != 6 {
			t.Errorf("%d rows in %s, want 6", n, table)
		}
		if n := dbtest.Get[int](t, d, `SELECT count(*) FROM `+table+` WHERE account_id = $1`, deleted); n != 0 {
			t.Errorf("%d rows of a deleted account in %s, want none", n, table)
		}
	}
	if st := s.Stats(); st.Rejected != 0 || st.PendingBytes != 0 {
		t.Errorf("want no rejected and no pending records: %+v", st)
	}
}

// TestAdoptsTheSpoolOfADeadProcess checks that an ingester stores the records of a process that has ended, and deletes its segments.
func TestAdoptsTheSpoolOfADeadProcess(t *testing.T) {
	t.Parallel()
	d, dir := dbtest.New(t), t.TempDir()
	acc, campaign := clicktest.Account(t, d), uuid.New()
	first, second := clicktest.OpenSpool(t, dir), clicktest.OpenSpool(t, dir)
	clicktest.Put(t, first, spool.Record{Click: clicktest.Click(acc, campaign, 1)})
	clicktest.Put(t, second, spool.Record{Click: clicktest.Click(acc, campaign, 2)})
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- ingest.NewIngester(first, d, ingest.Options{}).Run(ctx) }()
	clicktest.AwaitRow(t, d, `SELECT count(*) = 2 FROM clicks`)
	await.Until(t, "the segments of the ended process are deleted", func() bool {
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
	clicktest.OpenSpool(t, dir)
	clicktest.OpenSpool(t, dir) // opens web-2 if it is free again, else web-3
}

// TestAckAfterCommit checks that Append with AckPostgres returns after the click is committed.
func TestAckAfterCommit(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc := clicktest.Account(t, d)
	s, err := spool.Open(t.TempDir(), spool.Options{AckPostgres: true, SegmentSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- ingest.NewIngester(s, d, ingest.Options{}).Run(ctx) }()
	for i := range 5 {
		c := clicktest.Click(acc, uuid.New(), byte(i))
		clicktest.Put(t, s, spool.Record{Click: c})
		if n := dbtest.Get[int](t, d, `SELECT count(*) FROM clicks WHERE id = $1`, c.ID); n != 1 {
			t.Fatal("the click was acknowledged before the commit")
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

// TestUniqueWindows checks which clicks of a visitor are unique, also if they are in one batch or are stored late.
func TestUniqueWindows(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	d := dbtest.New(t)
	acc, campaign := clicktest.Account(t, d), uuid.New()
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
		s := clicktest.OpenSpool(t, t.TempDir())
		visitor := byte(1)
		if together {
			visitor = 2
		}
		ids := make([]uuid.UUID, len(steps))
		for i, step := range steps {
			c := clicktest.Click(acc, campaign, visitor)
			c.ID = clicktest.IDAt(now.Add(step.after))
			ids[i] = c.ID
			clicktest.Put(t, s, spool.Record{Click: c})
			if !together {
				clicktest.Drain(t, s, d, ingest.Options{})
			}
		}
		clicktest.Drain(t, s, d, ingest.Options{})
		for i, step := range steps {
			if got := dbtest.Get[bool](t, d, `SELECT is_unique FROM clicks WHERE id = $1`, ids[i]); got != step.want {
				t.Errorf("together=%v: click after %v: unique is %v, want %v", together, step.after, got, step.want)
			}
		}
	}
	clicktest.CheckFigures(t, d)
}

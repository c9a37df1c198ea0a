package botscan_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
)

// flood appends clicks of one browser at one address to a spool. The clicks are a millisecond apart.
func (s *env) flood(into *spool.Spool, clicks int, campaign uuid.UUID) {
	s.Helper()
	for i := range clicks {
		c := clicktest.Click(s.Account, campaign, 1)
		c.ID, c.IP, c.UserAgent = clicktest.IDAt(s.start.Add(time.Duration(i)*time.Millisecond)), netip.MustParseAddr("203.0.113.9"), "Browser"
		clicktest.Put(s, into, spool.Record{Click: c})
	}
}

// signalCounts returns how many clicks have the signals of account floods, of campaign floods and of repeats, and how many are
// from bots.
func (s *env) signalCounts() string {
	s.Helper()
	return fmt.Sprint(s.among(bot.ClickFlood), s.among(bot.CampaignFlood), s.among(bot.RepeatClick),
		dbtest.Get[int](s, s.DB, `SELECT count(*) FROM clicks WHERE is_bot`))
}

// TestFloodIsStoredOnce checks that clicks of a flood are stored with their signals, and that a scan does not write them again.
func TestFloodIsStoredOnce(t *testing.T) {
	t.Parallel()
	// An ingester does not mark a repeat that might be a unique click, and a visitor may have 25 unique clicks in
	// bot.RepeatWindow.
	const clicks, marked = 300, 300 - bot.RepeatBound - 25
	s := newEnv(t)
	cookies := uuid.New()
	dbtest.Exec(s, s.DB, `INSERT INTO campaigns (id, account_id, name, alias, uniqueness_method, deleted_at) VALUES ($1, $2, 'c', 'c', 'cookie', now())`,
		cookies, s.Account)
	s.flood(s.spools[0], clicks, cookies)
	s.store()
	want := fmt.Sprint(clicks-bot.FloodBound, clicks-bot.FloodBound, marked, clicks-bot.FloodBound)
	if got := s.signalCounts(); got != want {
		t.Errorf("at ingest: floods, repeats and bots are %s, want %s", got, want)
	}
	s.CheckLedger("at ingest")
	rows := func() string {
		return dbtest.Get[string](t, s.DB, `SELECT md5(string_agg(ctid::text, ' ' ORDER BY id)) FROM clicks WHERE id > $1`,
			models.FloorClickID(s.start.Add(bot.FloodBound*time.Millisecond)))
	}
	before := rows()
	s.scan(1000, bot.Settings{})
	if rows() != before {
		t.Error("the scan wrote clicks of the flood again")
	}
	want = fmt.Sprint(clicks-bot.FloodBound, clicks-bot.FloodBound, clicks-bot.RepeatBound, clicks-bot.FloodBound)
	if got := s.signalCounts(); got != want {
		t.Errorf("after a scan: floods, repeats and bots are %s, want %s", got, want)
	}
	if n := dbtest.Get[int](t, s.DB, `SELECT count(*) FROM bot_repeats`); n > bot.RepeatBound {
		t.Errorf("%d repeats are stored, want at most bot.RepeatBound", n)
	}
}

// TestFloodOfUniqueVisits checks that, even in a flood, a click is not a repeat if it is unique in a campaign that counts
// visitors by the address.
func TestFloodOfUniqueVisits(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{"ip": "0 100", "cookie": "55 60"} {
		s := newEnv(t)
		campaign := uuid.New()
		dbtest.Exec(s, s.DB, `INSERT INTO campaigns (id, account_id, name, alias, uniqueness_method, deleted_at) VALUES ($1, $2, 'c', 'c', $3, now())`,
			campaign, s.Account, method)
		for i := range 100 {
			c := clicktest.Click(s.Account, campaign, 0)
			c.ID, c.IP, c.UserAgent = clicktest.IDAt(s.start.Add(time.Duration(i)*time.Millisecond)), netip.MustParseAddr("203.0.113.9"), "Browser"
			c.UniqueKey = [16]byte{1, byte(i)}
			clicktest.Put(s, s.spools[0], spool.Record{Click: c})
		}
		s.store()
		got := fmt.Sprint(s.among(bot.RepeatClick), " ", dbtest.Get[int](t, s.DB, `SELECT count(*) FROM clicks WHERE is_unique`))
		if got != want {
			t.Errorf("%s: repeats and unique clicks are %s, want %s", method, got, want)
		}
		s.CheckLedger(method)
	}
}

// TestFloodOfAnotherProcess checks that a scan finds a flood that no single ingester could see.
func TestFloodOfAnotherProcess(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	const parts, each = 10, 40
	for part := range parts {
		for i := range each {
			c := clicktest.Click(s.Account, s.campaign, 1)
			c.ID = clicktest.IDAt(s.start.Add(time.Duration(i*parts+part) * time.Millisecond))
			c.IP, c.UserAgent = netip.MustParseAddr("203.0.113.9"), "Browser"
			clicktest.Put(s, s.spools[0], spool.Record{Click: c})
		}
		s.store() // a new ingester for each part
	}
	if got := s.signalCounts(); got != "0 0 0 0" {
		t.Errorf("at ingest: floods, repeats and bots are %s, want none", got)
	}
	s.scan(1000, bot.Settings{})
	want := fmt.Sprint(parts*each-bot.FloodBound, parts*each-bot.FloodBound, parts*each-bot.RepeatBound, parts*each-bot.FloodBound)
	if got := s.signalCounts(); got != want {
		t.Errorf("after a scan: floods, repeats and bots are %s, want %s", got, want)
	}
	if n := dbtest.Get[int](t, s.DB, `SELECT count(*) FROM bot_repeats`); n > bot.RepeatBound {
		t.Errorf("%d repeats are stored, want at most bot.RepeatBound", n)
	}
}

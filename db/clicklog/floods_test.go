package clicklog_test

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/clicklog"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
)

// flood appends clicks of one browser at one address to a spool, a millisecond apart.
func (s *scene) flood(into *spool.Spool, clicks int, campaign uuid.UUID) {
	s.Helper()
	for i := range clicks {
		c := click(s.account, campaign, 1)
		c.ID, c.IP, c.UserAgent = idAt(s.start.Add(time.Duration(i)*time.Millisecond)), netip.MustParseAddr("203.0.113.9"), "Browser"
		put(s, into, spool.Record{Click: c})
	}
}

// signalCounts returns the numbers of clicks in floods of the account, in floods of a campaign, of repeats and of bots.
func (s *scene) signalCounts() string {
	s.Helper()
	return fmt.Sprint(s.among(bot.ClickFlood), s.among(bot.CampaignFlood), s.among(bot.RepeatClick),
		number[int](s, s.db, `SELECT count(*) FROM clicks WHERE is_bot`))
}

// TestFloodIsStoredOnce checks that clicks of a flood are stored with their signals, and that a scan does not write them again.
// In the end each click has the signals that a scan alone would have found.
func TestFloodIsStoredOnce(t *testing.T) {
	t.Parallel()
	const clicks, marked = 300, 300 - bot.RepeatBound - 25
	s := newScene(t)
	cookies := uuid.New()
	s.exec(`INSERT INTO campaigns (id, account_id, name, alias, uniqueness_method, deleted_at) VALUES ($1, $2, 'c', 'c', 'cookie', now())`,
		cookies, s.account)
	s.flood(s.spools[0], clicks, cookies)
	s.store()
	want := fmt.Sprint(clicks-bot.FloodBound, clicks-bot.FloodBound, marked, clicks-bot.FloodBound)
	if got := s.signalCounts(); got != want {
		t.Errorf("at ingest: floods, repeats and bots are %s, want %s", got, want)
	}
	s.agree("at ingest")
	rows := func() string {
		return number[string](t, s.db, `SELECT md5(string_agg(ctid::text, ' ' ORDER BY id)) FROM clicks WHERE id > $1`,
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
	if n := number[int](t, s.db, `SELECT count(*) FROM bot_repeats`); n > bot.RepeatBound {
		t.Errorf("%d repeats are noted", n)
	}
}

// TestFloodOfUniqueVisits checks that, even in a flood, a click is not a repeat if its campaign counts it as unique by the
// address. A click of a bot is not unique.
func TestFloodOfUniqueVisits(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{"ip": "0 100", "cookie": "55 60"} {
		s := newScene(t)
		campaign := uuid.New()
		s.exec(`INSERT INTO campaigns (id, account_id, name, alias, uniqueness_method, deleted_at) VALUES ($1, $2, 'c', 'c', $3, now())`,
			campaign, s.account, method)
		for i := range 100 {
			c := click(s.account, campaign, 0)
			c.ID, c.IP, c.UserAgent = idAt(s.start.Add(time.Duration(i)*time.Millisecond)), netip.MustParseAddr("203.0.113.9"), "Browser"
			c.UniqueKey = [16]byte{1, byte(i)}
			put(s, s.spools[0], spool.Record{Click: c})
		}
		s.store()
		got := fmt.Sprint(s.among(bot.RepeatClick), " ", number[int](t, s.db, `SELECT count(*) FROM clicks WHERE is_unique`))
		if got != want {
			t.Errorf("%s: repeats and unique clicks are %s, want %s", method, got, want)
		}
		s.agree(method)
	}
}

// TestFloodOfAnotherProcess checks that a scan finds a flood that no single ingester could see, without a row in bot_repeats for
// each click.
func TestFloodOfAnotherProcess(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	const parts, each = 10, 40
	for part := range parts {
		for i := range each {
			c := click(s.account, s.campaign, 1)
			c.ID = idAt(s.start.Add(time.Duration(i*parts+part) * time.Millisecond))
			c.IP, c.UserAgent = netip.MustParseAddr("203.0.113.9"), "Browser"
			put(s, s.spools[0], spool.Record{Click: c})
		}
		s.store() // with a new ingester each time
	}
	if got := s.signalCounts(); got != "0 0 0 0" {
		t.Errorf("at ingest: floods, repeats and bots are %s", got)
	}
	s.scan(1000, bot.Settings{})
	want := fmt.Sprint(parts*each-bot.FloodBound, parts*each-bot.FloodBound, parts*each-bot.RepeatBound, parts*each-bot.FloodBound)
	if got := s.signalCounts(); got != want {
		t.Errorf("after a scan: floods, repeats and bots are %s, want %s", got, want)
	}
	if n := number[int](t, s.db, `SELECT count(*) FROM bot_repeats`); n > bot.RepeatBound {
		t.Errorf("%d repeats are noted", n)
	}
}

// appended counts the records that were appended to a spool.
type appended struct{ clicks, others int }

func (a *appended) Append(_ context.Context, r spool.Record) error {
	if r.Click != nil {
		a.clicks++
	} else {
		a.others++
	}
	return nil
}

// TestLanes checks that clicks of a source beyond the bound within a minute go to the spool of floods. Clicks of other sources
// and accounts, and other records, do not.
func TestLanes(t *testing.T) {
	t.Parallel()
	var clicks, floods appended
	lanes := clicklog.NewLanes(&clicks, &floods)
	account, start := uuid.New(), time.Now()
	add := func(account uuid.UUID, ip string, after time.Duration) {
		c := click(account, uuid.New(), 1)
		c.ID, c.IP = idAt(start.Add(after)), netip.MustParseAddr(ip)
		if err := lanes.Append(t.Context(), spool.Record{Click: c}); err != nil {
			t.Error(err)
		}
	}
	for i := range bot.FloodBound + 10 {
		add(account, fmt.Sprintf("2001:db8:1:1::%x", i+1), 0)
		add(account, "203.0.113.1", time.Duration(i)*bot.FloodWindow/(bot.FloodBound-1))
		add(uuid.New(), "203.0.113.2", 0)
		if err := lanes.Append(t.Context(), spool.Record{Out: &models.ClickOut{}}); err != nil {
			t.Error(err)
		}
	}
	if floods.clicks != 10 || floods.others != 0 || clicks.clicks != 3*(bot.FloodBound+10)-10 || clicks.others != bot.FloodBound+10 {
		t.Errorf("clicks: %+v, floods: %+v", clicks, floods)
	}
	add(account, "2001:db8:1:1::1", bot.FloodWindow+time.Second)
	if floods.clicks != 10 {
		t.Error("clicks after the flood still go to the spool of floods")
	}
}

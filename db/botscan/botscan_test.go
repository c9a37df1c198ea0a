package botscan_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/botscan"
	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spend"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
)

type env struct {
	*clicktest.Env
	start    time.Time
	campaign uuid.UUID
	spools   [2]*spool.Spool // of two web processes
	clicks   int
	events   int
}

func newEnv(t *testing.T) *env {
	t.Helper()
	d := dbtest.New(t)
	s := &env{
		Env: &clicktest.Env{T: t, DB: d, Account: clicktest.Account(t, d)}, campaign: uuid.New(),
		start: time.Now().Add(-10 * time.Minute).Truncate(time.Second),
	}
	for i := range s.spools {
		s.spools[i] = clicktest.OpenSpool(t, t.TempDir())
	}
	return s
}

// visit appends a click to the spool of one of the processes.
func (s *env) visit(after time.Duration, ip string, change func(*models.Click)) *models.Click {
	s.Helper()
	s.clicks++
	c := clicktest.Click(s.Account, s.campaign, 0)
	c.ID, c.IP, c.UserAgent = clicktest.IDAt(s.start.Add(after)), netip.MustParseAddr(ip), strconv.Itoa(s.clicks)
	c.UniqueKey = [16]byte{1, byte(s.clicks), byte(s.clicks >> 8)}
	if change != nil {
		change(c)
	}
	clicktest.Put(s, s.spools[s.clicks%2], spool.Record{Click: c})
	return c
}

func (s *env) lands(after time.Duration, lander uuid.UUID) *models.Click {
	s.Helper()
	return s.visit(after, fmt.Sprintf("198.51.100.%d", s.clicks%250), func(c *models.Click) { c.LanderID = lander })
}

func (s *env) appendEvent(c *models.Click, host, path string, change func(*models.SiteEvent)) {
	s.Helper()
	s.events++
	at := models.ClickTime(c.ID).Add(2 * time.Second)
	e := &models.SiteEvent{
		ID: models.SiteEventID(s.Account, models.FromTag, strconv.Itoa(s.events)), AccountID: s.Account, SiteID: uuid.New(), ReceivedAt: at, At: at,
		ClickID: c.ID, Arrival: "url", Name: models.EventView, Host: host, Path: path, Source: models.FromTag,
	}
	if change != nil {
		change(e)
	}
	clicktest.Put(s, s.spools[0], spool.Record{Event: e})
}

func (s *env) store() {
	s.Helper()
	for _, from := range s.spools {
		clicktest.Drain(s, from, s.DB, ingest.Options{BatchSize: 500})
	}
}

// scan stores the records of the spools and scans the clicks, at most limit in one call of Scan.
func (s *env) scan(limit int, settings bot.Settings) {
	s.Helper()
	s.store()
	log, crowd := click.Log{Conn: s.DB}, botscan.NewCrowd(s.Account)
	at, ok, err := botscan.Claim(s.Context(), log, s.Account, time.Minute)
	if err != nil || !ok {
		s.Fatalf("the scan was claimed: %t, want true: %v", ok, err)
	}
	revise := func(fn func(c db.Conn) ([]time.Time, error)) {
		s.Helper()
		s.Tx(func(c db.Conn) error {
			days, err := fn(c)
			for _, day := range days {
				if err == nil {
					err = spend.Respread(s.Context(), log, c, s.Account, day)
				}
			}
			return err
		})
	}
	for done := false; !done; {
		revise(func(c db.Conn) (days []time.Time, err error) {
			days, done, err = botscan.Recheck(s.Context(), log, c, s.Account, settings, limit)
			return days, err
		})
	}
	for done := false; !done; {
		failed := errors.New("the transaction is tried again")
		if err := db.Tx(s.Context(), s.DB, func(c db.Conn) error {
			_, err := botscan.Scan(s.Context(), log, c, crowd, at, settings, limit)
			return cmp.Or(err, failed)
		}); !errors.Is(err, failed) {
			s.Fatal(err)
		}
		revise(func(c db.Conn) ([]time.Time, error) {
			out, err := botscan.Scan(s.Context(), log, c, crowd, at, settings, limit)
			done = out.Done
			if err != nil || out.After == at.After {
				return nil, err
			}
			at, ok, err = botscan.Advance(s.Context(), c, at, out.After)
			if !ok {
				s.Error("Advance reports a late click, but none was stored")
			}
			return out.Days, err
		})
		s.CheckLedger("a part of a scan")
	}
	const done = true
	if err := botscan.Release(s.Context(), log.Conn, s.Account, done); err != nil {
		s.Fatal(err)
	}
}

func (s *env) fired(clicks map[string]*models.Click) map[string][]string {
	s.Helper()
	out := map[string][]string{}
	for name, c := range clicks {
		out[name] = bot.Signals(dbtest.Get[int64](s, s.DB, `SELECT bot_signals FROM clicks WHERE id = $1`, c.ID)).Reasons()
	}
	return out
}

func (s *env) among(signal bot.Signals) int {
	s.Helper()
	return dbtest.Get[int](s, s.DB, `SELECT count(*) FROM clicks WHERE bot_signals & $1 <> 0`, int64(signal))
}

// TestFloods checks that the click that exceeds the bound is the first click with the signal. A conversion counts
// even if its click becomes a bot's.
func TestFloods(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	other := func(c *models.Click) { c.CampaignID = uuid.Nil }
	alternate := func(i int) func(*models.Click) {
		if i%2 == 0 {
			return other
		}
		return nil
	}
	foreign := clicktest.Account(t, s.DB)
	last := map[string]*models.Click{}
	const gap = bot.FloodWindow / bot.FloodBound
	for i := range bot.FloodBound + 2 {
		after := time.Duration(i) * gap
		exact, late := after, after
		if i >= bot.FloodBound {
			late += time.Millisecond
		}
		name := []string{"last below", "first", "second"}[max(0, i-bot.FloodBound+1)]
		last["one campaign, "+name] = s.visit(exact, "203.0.113.1", nil)
		last["slower, "+name] = s.visit(late+time.Duration(i)*time.Millisecond, "203.0.113.2", nil)
		last["two campaigns, "+name] = s.visit(exact, "203.0.113.3", alternate(i))
		last["one /64 network, "+name] = s.visit(exact, "2001:db8:1:1::"+strconv.Itoa(i+1), nil)
		last["many /64 networks, "+name] = s.visit(exact, fmt.Sprintf("2001:db8:2:%d::1", i+1), nil)
		last["no address, "+name] = s.visit(exact, "203.0.113.4", func(c *models.Click) { c.IP = netip.Addr{} })
		last["a shortened address of many senders, "+name] = s.visit(exact, "203.0.113.0", func(c *models.Click) { c.AddressKey = uint64(i + 1) })
		last["a shortened address of one sender, "+name] = s.visit(exact, "203.0.113.0", func(c *models.Click) { c.AddressKey = 1 << 63 })
		last["two accounts, "+name] = s.visit(exact, "203.0.113.5", func(c *models.Click) {
			if i%2 == 0 {
				c.AccountID = foreign
			}
		})
	}
	s.store()
	sold := last["one campaign, second"]
	if _, err := clicktest.Record(s, s.DB, clicktest.Input{ClickID: sold.ID, Payout: clicktest.Amount("3.5"), Status: models.StatusApproved, Source: models.FromPostback}); err != nil {
		t.Fatal(err)
	}
	s.scan(37, bot.NewSettings(50, nil))
	for i := range 3 {
		var none []string
		name := []string{"last below", "first", "second"}[i]
		both, flood := []string{"click_flood", "campaign_flood"}, []string{"click_flood"}
		if i < 1 {
			both, flood = nil, nil
		}
		some := map[string]*models.Click{}
		for _, who := range []string{
			"one campaign", "slower", "two campaigns", "one /64 network", "many /64 networks", "no address", "two accounts",
			"a shortened address of many senders", "a shortened address of one sender",
		} {
			some[who] = last[who+", "+name]
		}
		want := map[string][]string{
			"one campaign": both, "slower": none, "two campaigns": flood, "one /64 network": both, "many /64 networks": none, "no address": none,
			"two accounts": none, "a shortened address of many senders": none, "a shortened address of one sender": both,
		}
		if diff := gocmp.Diff(want, s.fired(some), emptyIsNil); diff != "" {
			t.Errorf("the signals of the %s clicks (+) differ from the expected ones (-): %s", name, diff)
		}
	}
	const bots = 4 * 2
	if n := dbtest.Get[int](t, s.DB, `SELECT count(*) FROM clicks WHERE is_bot AND bot_reason = 'click_flood' AND bot_score = 50 AND NOT is_unique`); n != bots {
		t.Errorf("%d clicks count as bots' clicks because of the flood, want 8", n)
	}
	const foreignClicks = bot.FloodBound/2 + 1
	want := fmt.Sprintf("%d 1 %d", bots, s.clicks-bots-foreignClicks)
	figures := dbtest.Get[string](t, s.DB, `SELECT concat(sum(bot_clicks), ' ', sum(approved), ' ', sum(clicks)) FROM ledger WHERE account_id = $1`, s.Account)
	if figures != want {
		t.Errorf("the figures are %s, want %s", figures, want)
	}
}

var emptyIsNil = gocmp.Transformer("list", func(l []string) string { return fmt.Sprint(l) })

// TestScanAgain checks that a repeated scan changes nothing. Disabled signals are stored, but do not count.
func TestScanAgain(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	for i := range 2 * bot.FloodBound {
		s.visit(time.Duration(i)*time.Millisecond, "203.0.113.1", nil)
	}
	off := bot.NewSettings(0, []string{"click_flood", "campaign_flood", "repeat_click"})
	s.scan(1000, off)
	if n, bots := s.among(bot.ClickFlood), dbtest.Get[int](t, s.DB, `SELECT count(*) FROM clicks WHERE is_bot OR bot_score > 0`); n != bot.FloodBound || bots != 0 {
		t.Errorf("with the signals disabled, %d clicks have the signal and %d count as bots, want bot.FloodBound and 0", n, bots)
	}
	rows := func() string {
		return dbtest.Get[string](t, s.DB, `SELECT md5(string_agg(k::text, ' ' ORDER BY id)) FROM clicks k`) +
			dbtest.Get[string](t, s.DB, `SELECT concat_ws(' ', (SELECT count(*) FROM ledger), (SELECT count(*) FROM bot_repeats))`)
	}
	dbtest.Exec(s, s.DB, `UPDATE bot_scans SET scanned_after = $1`, models.FloorClickID(s.start))
	s.scan(7, bot.NewSettings(50, nil)) // settings that disable no signal
	if bots := dbtest.Get[int](t, s.DB, `SELECT count(*) FROM clicks WHERE is_bot`); bots != bot.FloodBound {
		t.Errorf("with all signals enabled, %d clicks count as bots' clicks, want bot.FloodBound", bots)
	}
	before := rows()
	dbtest.Exec(s, s.DB, `UPDATE bot_scans SET scanned_after = $1`, models.FloorClickID(s.start))
	s.scan(11, bot.NewSettings(50, nil))
	if after := rows(); after != before {
		t.Errorf("a second scan changes %s to %s", before, after)
	}
}

// TestRepeats checks that clicks beyond the bound within a day are repeats. A click that is unique in a campaign
// does not count for the bound if the campaign counts visitors by the address.
func TestRepeats(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	byAddress, byCookie := uuid.New(), uuid.New()
	for id, method := range map[uuid.UUID]string{byAddress: "ip_ua", byCookie: "cookie"} {
		dbtest.Exec(s, s.DB, `INSERT INTO campaigns (id, account_id, name, alias, uniqueness_method, deleted_at)
			VALUES ($1, $2, $3, $3, $3, now())`, id, s.Account, method)
	}
	last := map[string]*models.Click{}
	for i := range bot.RepeatBound + 2 {
		after := time.Duration(i) * 2 * time.Second
		name := []string{"last below", "first", "second"}[max(0, i-bot.RepeatBound+1)]
		last["cookie, "+name] = s.visit(after, "203.0.113.1", func(c *models.Click) { c.CampaignID, c.UserAgent = byCookie, "" })
		last["address, "+name] = s.visit(after, "203.0.113.2", func(c *models.Click) {
			c.CampaignID, c.UserAgent, c.UniqueKey = byAddress, "", [16]byte{9}
		})
		last["others, "+name] = s.visit(after, "203.0.113.3", func(c *models.Click) {
			c.CampaignID, c.UserAgent = byCookie, strconv.Itoa(i%3)
		})
		last["a day, "+name] = s.visit(after, "203.0.113.4", func(c *models.Click) {
			c.CampaignID, c.UserAgent = byCookie, ""
			if i < 2 {
				c.ID = clicktest.IDAt(s.start.Add(after - bot.RepeatWindow))
			}
		})
	}
	s.store()
	dbtest.Exec(s, s.DB, `UPDATE bot_scans SET scanned_after = $2 WHERE account_id = $1`, s.Account, models.FloorClickID(s.start.Add(-25*time.Hour)))
	s.scan(10, bot.Settings{})
	fired := s.fired(last)
	var got []string
	for _, who := range []string{"cookie", "address", "others", "a day"} {
		for _, when := range []string{"last below", "first", "second"} {
			if len(fired[who+", "+when]) > 0 {
				got = append(got, fmt.Sprint(who, ", ", when, fired[who+", "+when]))
			}
		}
	}
	want := []string{"cookie, first[repeat_click]", "cookie, second[repeat_click]", "address, second[repeat_click]"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

package botscan_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/botscan"
	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/bot"
)

func (s *env) appendClickOut(c *models.Click, after time.Duration) {
	s.Helper()
	clicktest.Put(s, s.spools[0], spool.Record{Out: &models.ClickOut{
		ID: clicktest.IDAt(models.ClickTime(c.ID).Add(after)), ClickID: c.ID, AccountID: c.AccountID, Slot: 1, OfferID: uuid.New(),
	}})
}

func (s *env) lander(url string) uuid.UUID {
	s.Helper()
	id := uuid.New()
	dbtest.Exec(s, s.DB, `INSERT INTO landers (id, account_id, name, url) VALUES ($1, $2, $3, $4)`, id, s.Account, id.String(), url)
	return id
}

// TestFastClicks checks that the first click-out of a click counts, and that click-outs of other accounts do not.
func TestFastClicks(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	lander := uuid.New()
	clicks := map[string]*models.Click{}
	for i, name := range []string{"at the bound", "after the bound", "at once", "twice", "no click-out", "of another account"} {
		clicks[name] = s.lands(time.Duration(i)*time.Second, lander)
	}
	s.appendClickOut(clicks["at the bound"], bot.FastBound)
	s.appendClickOut(clicks["after the bound"], bot.FastBound+time.Millisecond)
	s.appendClickOut(clicks["at once"], 0)
	s.appendClickOut(clicks["twice"], 5*time.Second)
	s.appendClickOut(clicks["twice"], time.Second/2)
	forged := *clicks["of another account"]
	forged.AccountID = clicktest.Account(t, s.DB)
	s.appendClickOut(&forged, time.Millisecond)
	s.scan(2, bot.NewSettings(50, nil))
	fast := []string{"fast_click"}
	want := map[string][]string{
		"at the bound": fast, "after the bound": nil, "at once": fast, "twice": fast, "no click-out": nil, "of another account": nil,
	}
	if diff := cmp.Diff(want, s.fired(clicks), emptyIsNil); diff != "" {
		t.Error(diff)
	}
	if n := dbtest.Get[int](t, s.DB, `SELECT sum(bot_clicks) FROM ledger`); n != 3 {
		t.Errorf("%d clicks of bots are counted, want 3", n)
	}
}

// TestNoJS checks that the signal fires only if enough other clicks of the same page have events, and that a later event clears
// it.
func TestNoJS(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	pages := map[string]uuid.UUID{
		"tagged":            s.lander("https://www.Page.example/a/?click={clickid}"),
		"few":               s.lander("https://page.example/few"),
		"shop only":         s.lander("https://page.example/b"),
		"token in the path": s.lander("https://page.example/{sub1}"),
	}
	silent := map[string]*models.Click{}
	for i := range bot.TaggedBound {
		after := time.Duration(i) * time.Second
		s.appendEvent(s.lands(after, pages["tagged"]), "page.example", "/a", nil)
		s.appendEvent(s.lands(after, pages["shop only"]), "page.example", "/checkout", nil)
		s.appendEvent(s.lands(after, pages["token in the path"]), "page.example", "/x", nil)
		if few := s.lands(after, pages["few"]); i > 0 {
			s.appendEvent(few, "page.example", "/few", nil)
			s.appendEvent(few, "page.example", "/few", nil)
		}
	}
	for name, id := range pages {
		silent[name] = s.lands(time.Minute, id)
	}
	silent["event of a server only"] = s.lands(time.Minute, pages["tagged"])
	s.appendEvent(silent["event of a server only"], "page.example", "/a", func(e *models.SiteEvent) { e.Source = models.FromGoalAPI })
	silent["event of another page"] = s.lands(time.Minute, pages["tagged"])
	s.appendEvent(silent["event of another page"], "page.example", "/checkout", nil)
	silent["a later click"] = s.lands(2*time.Minute, pages["tagged"])
	silent["left at once"] = s.lands(time.Minute, pages["tagged"])
	s.appendClickOut(silent["left at once"], bot.FastBound/2)
	settings := bot.NewSettings(25, nil)
	s.scan(10, settings)
	noJS := []string{"no_js"}
	want := map[string][]string{
		"tagged": noJS, "few": nil, "shop only": nil, "token in the path": nil, "event of a server only": noJS,
		"event of another page": nil, "a later click": noJS, "left at once": {"fast_click"},
	}
	if diff := cmp.Diff(want, s.fired(silent), emptyIsNil); diff != "" {
		t.Error(diff)
	}
	if n := dbtest.Get[int](t, s.DB, `SELECT sum(bot_clicks) FROM ledger`); n != 4 {
		t.Errorf("%d clicks of bots are counted, want 4", n)
	}

	// The event of a slow phone arrives late and clears the signal. The page /few gets another event.
	s.appendEvent(silent["tagged"], "page.example", "/a", func(e *models.SiteEvent) { e.ReceivedAt = time.Now() })
	s.appendEvent(silent["few"], "page.example", "/few", nil)
	s.scan(10, settings)
	want["tagged"] = nil
	if diff := cmp.Diff(want, s.fired(silent), emptyIsNil); diff != "" {
		t.Error(diff)
	}
	if n := dbtest.Get[string](t, s.DB, `SELECT concat(sum(bot_clicks), ' ', (SELECT count(*) FROM bot_rechecks)) FROM ledger`); n != "3 0" {
		t.Errorf("the clicks of bots and the rechecks are %s, want 3 0", n)
	}

	// The events of the tag are too old to count: the tag may have been removed from the page.
	if err := botscan.DeleteExpired(t.Context(), click.Log{Conn: s.DB, Now: func() time.Time { return time.Now().Add(25 * time.Hour) }}); err != nil {
		t.Fatal(err)
	}
	later := s.lands(3*time.Minute, pages["tagged"])
	s.scan(10, settings)
	if got := s.fired(map[string]*models.Click{"": later}); len(got[""]) > 0 {
		t.Errorf("a click on a page without recent events of the tag has the signals %v, want none", got)
	}
}

// TestTimeZones checks that the time zone of the first view counts, with its offset at the time of the view.
func TestTimeZones(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	summer := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	clicks := map[string]*models.Click{}
	want := map[string][]string{}
	for i, tt := range []struct {
		name, country, proxy, zone string
		fires                      bool
	}{
		{"at home", "DE", "none", "+02:00", false},
		{"elsewhere", "DE", "none", "+08:00", true},
		{"winter time", "DE", "", "+01:00", true},
		{"one of many", "US", "none", "-10:00", false},
		{"vpn", "DE", "vpn", "+08:00", false},
		{"relay", "DE", "relay", "+08:00", false},
		{"hosting", "DE", "datacenter", "+08:00", false},
		{"no country", "", "none", "+08:00", false},
		{"no zone", "DE", "none", "", false},
	} {
		c := s.visit(time.Duration(i)*time.Second, "203.0.113.1", func(c *models.Click) { c.Country, c.ProxyKind = tt.country, tt.proxy })
		s.appendEvent(c, "page.example", "/", func(e *models.SiteEvent) { e.TimeZone, e.At = tt.zone, summer })
		s.appendEvent(c, "page.example", "/", func(e *models.SiteEvent) {
			if tt.zone != "" {
				e.TimeZone, e.At, e.ReceivedAt = "-05:00", summer, e.ReceivedAt.Add(time.Second)
			}
		})
		clicks[tt.name] = c
		want[tt.name] = nil
		if tt.fires {
			want[tt.name] = []string{"geo_tz_mismatch"}
		}
	}
	// The visitor consents after the scan, so the event with the time zone arrives after the scan too.
	clicks["consent"] = s.visit(0, "203.0.113.2", nil)
	s.scan(4, bot.Settings{})
	want["consent"] = nil
	if diff := cmp.Diff(want, s.fired(clicks), emptyIsNil); diff != "" {
		t.Error(diff)
	}
	s.appendEvent(clicks["consent"], "page.example", "/", func(e *models.SiteEvent) { e.TimeZone, e.At = "+08:00", summer })
	s.scan(4, bot.Settings{})
	if got := s.fired(clicks)["consent"]; !cmp.Equal(got, []string{"geo_tz_mismatch"}) {
		t.Errorf("the click whose event came after its scan has the signals %v, want geo_tz_mismatch", got)
	}
}

// TestDrivenBrowser checks the signal for a browser that reports to the page tag that a program controls it.
func TestDrivenBrowser(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	clicks := map[string]*models.Click{"person": s.visit(0, "203.0.113.1", nil), "program": s.visit(0, "203.0.113.2", nil)}
	for name, c := range clicks {
		s.appendEvent(c, "page.example", "/", func(e *models.SiteEvent) { e.WebDriver = name == "program" })
		s.appendEvent(c, "page.example", "/", nil)
	}
	s.scan(10, bot.Settings{})
	if diff := cmp.Diff(map[string][]string{"person": nil, "program": {"headless"}}, s.fired(clicks), emptyIsNil); diff != "" {
		t.Error(diff)
	}
}

// TestEventDuringScan stores an event while its click is scanned. The scan waits for the event and finds it.
func TestEventDuringScan(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	lander := s.lander("https://page.example/a")
	for range bot.TaggedBound {
		s.appendEvent(s.lands(0, lander), "page.example", "/a", nil)
	}
	slow := s.lands(time.Second, lander)
	s.store()
	locked, commit, stored := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() { // a very slow ingester
		stored <- db.Tx(context.WithoutCancel(t.Context()), s.DB, func(c db.Conn) error {
			_, err := c.ExecContext(t.Context(), `SELECT id FROM clicks WHERE id = $1 FOR NO KEY UPDATE`, slow.ID)
			if err == nil {
				_, err = c.ExecContext(t.Context(), `INSERT INTO site_events SELECT (jsonb_populate_record(e, jsonb_build_object(
					'id', gen_random_uuid(), 'click_id', $1::uuid))).* FROM site_events e LIMIT 1`, slow.ID)
			}
			close(locked)
			<-commit
			return err
		})
	}()
	<-locked
	go func() {
		defer close(commit)
		for range int(await.Timeout / (10 * time.Millisecond)) {
			n, err := db.Get[int](context.WithoutCancel(t.Context()), s.DB, "waiting", `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`)
			if err != nil || n > 0 {
				return
			}
		}
	}()
	s.scan(100, bot.Settings{})
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	if n := s.among(bot.NoJS); n != 0 {
		t.Errorf("%d clicks have the signal although their events are stored", n)
	}
}

// TestStoredLate checks that clicks and click-outs are scanned even if they are stored after the scan has passed their time.
func TestStoredLate(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	lander := uuid.New()
	early := s.lands(0, lander)
	const storedLate = 5 // at the milliseconds 0 to 4
	for i := range bot.FloodBound - storedLate {
		s.visit(time.Duration(i+6)*time.Millisecond, "203.0.113.1", nil)
	}
	last := s.visit(time.Second, "203.0.113.1", nil)
	s.lands(time.Minute, lander)
	s.scan(1000, bot.Settings{})
	anySignal := ^bot.Signals(0) >> 1 // without the highest bit, because the column is a signed number
	if n := s.among(anySignal); n != 0 {
		t.Fatalf("%d clicks have signals before the late clicks are stored, want none", n)
	}
	for i := range storedLate {
		s.visit(time.Duration(i)*time.Millisecond, "203.0.113.1", nil)
	}
	s.scan(1000, bot.Settings{})
	s.appendClickOut(early, time.Second/2)
	s.scan(1000, bot.Settings{})
	want := map[string][]string{"last": {"click_flood", "campaign_flood"}, "early": {"fast_click"}}
	if diff := cmp.Diff(want, s.fired(map[string]*models.Click{"last": last, "early": early})); diff != "" {
		t.Error(diff)
	}

	log := click.Log{Conn: s.DB}
	at, ok, err := botscan.Claim(t.Context(), log, s.Account, time.Minute)
	if err != nil || !ok {
		t.Fatalf("the scan was claimed: %t, want true: %v", ok, err)
	}
	if _, ok, err := botscan.Claim(t.Context(), log, s.Account, time.Minute); ok || err != nil {
		t.Error("two workers have leased the same scan", err)
	}
	late := s.lands(30*time.Second, lander)
	s.store()
	if _, ok, err := botscan.Advance(t.Context(), s.DB, at, models.NewClickID()); ok || err != nil {
		t.Error("the scan misses a late click", err)
	}
	if next := dbtest.Get[uuid.UUID](t, s.DB, `SELECT scanned_after FROM bot_scans`); models.ClickTime(next).After(models.ClickTime(late.ID)) {
		t.Error("the next scan begins after the late click")
	}
	const done = true
	if err := botscan.Release(t.Context(), log.Conn, s.Account, done); err != nil {
		t.Fatal(err)
	}
	wait := func(when string, want ...uuid.UUID) {
		t.Helper()
		got, err := botscan.Waiting(t.Context(), log)
		if err != nil || !cmp.Equal(got, want, cmpopts.EquateEmpty()) {
			t.Errorf("%s %v wait for a scan, want %v, %v", when, got, want, err)
		}
	}
	wait("after a late click", s.Account)
	s.scan(1000, bot.Settings{})
	wait("after the scan")
	fresh := s.visit(0, "203.0.113.9", func(c *models.Click) { c.ID = models.NewClickID() })
	s.store()
	wait("with a click that is too young for a scan")
	log.Now = func() time.Time { return time.Now().Add(time.Minute) }
	wait("a minute later", s.Account)
	if _, ok, err := botscan.Claim(t.Context(), log, s.Account, -time.Minute); err != nil || !ok {
		t.Fatalf("the waiting scan was claimed: %t, want true: %v", ok, err)
	}
	wait("after a worker that died", s.Account)
	if err := botscan.Release(t.Context(), log.Conn, s.Account, !done); err != nil {
		t.Fatal(err)
	}
	wait("after a scan that was not done", s.Account)
	if _, ok, err := botscan.Claim(t.Context(), log, s.Account, time.Minute); err != nil || !ok {
		t.Fatalf("the unfinished scan was claimed again: %t, want true: %v", ok, err)
	}
	clicktest.Put(t, s.spools[0], spool.Record{Trap: &models.ClickTrap{ClickID: fresh.ID, AccountID: s.Account}})
	s.store()
	wait("while a worker has leased the scan")
	if err := botscan.Release(t.Context(), log.Conn, s.Account, done); err != nil {
		t.Fatal(err)
	}
	wait("after a recheck that was queued during the scan", s.Account)
}

// TestTraps checks that a visitor who follows the hidden link counts as a bot.
func TestTraps(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	foreign := clicktest.Account(t, s.DB)
	clicks := map[string]*models.Click{}
	for i, name := range []string{
		"known account", "unknown account", "foreign account", "twice", "other sender", "several senders", "no sender", "two accounts",
	} {
		clicks[name] = s.visit(time.Duration(i)*time.Second, "203.0.113.1", nil)
	}
	sender := func(name string) uuid.UUID {
		switch name {
		case "other sender":
			return uuid.New()
		case "no sender":
			return uuid.Nil
		}
		return clicks[name].Sender()
	}
	for name, owner := range map[string]uuid.UUID{
		"known account": s.Account, "unknown account": uuid.Nil, "foreign account": foreign, "twice": s.Account,
		"other sender": s.Account, "no sender": s.Account,
	} {
		clicktest.Put(t, s.spools[0], spool.Record{Trap: &models.ClickTrap{ClickID: clicks[name].ID, AccountID: owner, Sender: sender(name)}})
	}
	several, two := clicks["several senders"], clicks["two accounts"]
	for _, sender := range []uuid.UUID{uuid.New(), several.Sender(), uuid.New()} {
		clicktest.Put(t, s.spools[0], spool.Record{Trap: &models.ClickTrap{ClickID: several.ID, AccountID: s.Account, Sender: sender}})
		clicktest.Put(t, s.spools[0], spool.Record{Trap: &models.ClickTrap{ClickID: two.ID, AccountID: foreign, Sender: sender}})
	}
	clicktest.Drain(t, s.spools[0], s.DB, ingest.Options{})
	clicktest.Put(t, s.spools[0], spool.Record{Trap: &models.ClickTrap{
		ClickID: two.ID, AccountID: s.Account, Sender: two.Sender(),
	}})
	clicktest.Put(t, s.spools[0], spool.Record{Trap: &models.ClickTrap{ClickID: models.NewClickID(), AccountID: s.Account}})
	clicktest.Drain(t, s.spools[0], s.DB, ingest.Options{})
	s.store()
	log := click.Log{Conn: s.DB}
	for range 2 {
		if err := botscan.DeleteExpired(t.Context(), log); err != nil {
			t.Fatal(err)
		}
		s.scan(2, bot.Settings{})
		clicktest.Put(t, s.spools[0], spool.Record{Trap: &models.ClickTrap{ClickID: clicks["twice"].ID, AccountID: s.Account, Sender: clicks["twice"].Sender()}})
	}
	trapped := []string{"honeypot"}
	want := map[string][]string{
		"known account": trapped, "unknown account": trapped, "foreign account": nil, "twice": trapped, "other sender": nil,
		"several senders": trapped, "no sender": nil, "two accounts": trapped,
	}
	if diff := cmp.Diff(want, s.fired(clicks), emptyIsNil); diff != "" {
		t.Error(diff)
	}
	if n := dbtest.Get[string](t, s.DB, `SELECT concat(sum(clicks), ' ', sum(bot_clicks)) FROM ledger`); n != "3 5" {
		t.Errorf("the clicks of visitors and of bots are %s, want 3 5", n)
	}
	log.Now = func() time.Time { return time.Now().Add(49 * time.Hour) }
	if err := botscan.DeleteExpired(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Get[int](t, s.DB, `SELECT count(*) FROM bot_rechecks`); n != 0 {
		t.Errorf("%d rechecks still wait for clicks that never arrive", n)
	}
}

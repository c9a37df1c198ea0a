package click

import (
	"path/filepath"
	"testing"
	"time"

	"switchyard/api/routing"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/bot"
	"switchyard/models/botdata"
)

func (w *env) storeBotData(kind botdata.Kind, entries ...string) {
	w.Helper()
	l := botdata.NewList(kind)
	for _, e := range entries {
		if err := l.Read("test", []byte(e), time.Now()); err != nil {
			w.Fatal(err)
		}
	}
	if err := w.lists().Save(w.Context(), []*botdata.List{l}); err != nil {
		w.Fatal(err)
	}
}

func (w *env) lists() store.BotData {
	w.Helper()
	box, err := seal.New(w.db)
	if err != nil {
		w.Fatal(err)
	}
	return store.New(w.db, box).BotData()
}

// TestBotData: the operator's lists take effect without a restart. A process that starts without PostgreSQL reads the lists from
// its disk.
func TestBotData(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.run()
	people := path("redirect", nil, m{"url": "https://people.test/"})
	w.campaign("data", nil, path("redirect", m{"filters": []m{condition("is_bot", "equals", true)}}, m{"url": "https://bots.test/"}), people)
	const ownAgent = "OwnWatch/3 (Windows NT 10.0; Win64; x64) Chrome/138.0.0.0"
	click := func(edits ...edit) *models.Click {
		w.get("/data", append(edits, header("Accept-Encoding", "gzip"))...)
		return w.spool.last()
	}
	becomes := func(what, proxy string, want bot.Signals, isBot bool, edits ...edit) {
		t.Helper()
		fits := func(c *models.Click) bool {
			return c != nil && c.ProxyKind == proxy && bot.Signals(c.BotSignals) == want && c.IsBot == isBot
		}
		await.Until(t, what, func() bool { return fits(click(edits...)) })
	}
	spam := header("Referer", "https://www.a.spam.example/x")
	becomes("without lists", "none", 0, false, spam)
	w.storeBotData(botdata.SpamIP, "8.8.0.0/16")
	becomes("an abuser", "none", bot.SpamIP, false, spam)
	w.storeBotData(botdata.BadReferrer, "spam.example")
	becomes("an abuser from a bad page", "none", bot.SpamIP|bot.BadReferrer, true, spam)
	if c := w.spool.last(); c.BotScore != 90 || c.BotReason != "spam_ip" || c.Destination != "https://bots.test/" {
		t.Errorf("the abuser has the score %d for %q and is sent to %s, want 90 for spam_ip and the page for bots", c.BotScore, c.BotReason, c.Destination)
	}
	w.storeBotData(botdata.SpamIP, "9.9.9.9")
	becomes("the new list of abusers lacks the address", "none", bot.BadReferrer, false, spam)
	w.storeBotData(botdata.Datacenter, "8.8.8.0/24")
	becomes("a data centre", "datacenter", bot.Datacenter, false)
	w.storeBotData(botdata.VPN, "8.8.8.8")
	becomes("a VPN in that data centre", "vpn", bot.VPNOrProxy, false)
	w.storeBotData(botdata.Tor, "8.8.8.8")
	becomes("an exit of Tor", "tor", bot.TorExit, true)
	becomes("another address", "datacenter", bot.Datacenter, false, peer("8.8.8.9:1"))
	becomes("a user agent that is in no list", "none", 0, false, peer("7.7.7.7:1"), header("User-Agent", ownAgent))
	w.storeBotData(botdata.Crawler, "^OwnWatch/")
	becomes("a crawler", "none", bot.DeclaredBot, true, peer("7.7.7.7:1"), header("User-Agent", ownAgent))
	if c := w.spool.last(); c.DeviceType != "bot" || c.Browser != "" {
		t.Errorf("the crawler has the device type %s and the browser %q, want bot and none", c.DeviceType, c.Browser)
	}
	w.storeBotData(botdata.Crawler, "^OtherWatch/")
	becomes("the new list of crawlers lacks the user agent", "none", 0, false, peer("7.7.7.7:1"), header("User-Agent", ownAgent))

	if err := w.lists().Delete(t.Context(), "vpn"); err != nil {
		t.Fatal(err)
	}
	w.storeBotData(botdata.Tor, "192.0.2.1")
	becomes("the VPN list is deleted, and the Tor list has another address", "datacenter", bot.Datacenter, false)

	// The routing snapshot contains the lists, so its copy on disk is enough for a process without PostgreSQL.
	dir := t.TempDir()
	if err := routing.WriteDiskCache(filepath.Join(dir, "routing.copy"), w.h.routes.Current()); err != nil {
		t.Fatal(err)
	}
	v, err := describer()
	if err != nil {
		t.Fatal(err)
	}
	restarted := *w
	if restarted.h, err = New(t.Context(), depsOn(unreachableDB(t), w.spool, v, dir)); err != nil {
		t.Fatal(err)
	}
	restarted.get("/data", spam, header("Accept-Encoding", "gzip"))
	if c := w.spool.last(); c.ProxyKind != "datacenter" || bot.Signals(c.BotSignals) != bot.Datacenter|bot.BadReferrer {
		t.Errorf("with lists from disk, the click has the proxy kind %s and the signals %v, want datacenter and a bad referrer",
			c.ProxyKind, bot.Signals(c.BotSignals).Reasons())
	}
}

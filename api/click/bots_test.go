package click

import (
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models"
	"switchyard/models/await"
)

// addBotEntry adds an entry to an account's bot lists. Without a campaign the entry is for all campaigns.
func (w *env) addBotEntry(account uuid.UUID, campaign *uuid.UUID, listType, attribute, operator string, values ...string) uuid.UUID {
	w.Helper()
	id := models.NewClickID()
	dbtest.Exec(w, w.db, `INSERT INTO bot_entries (id, account_id, campaign_id, list_type, attribute, operator, value, value_count, match_steps,
		match_bytes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0)`, id, account, campaign, listType, attribute, operator,
		w.json(values), len(values))
	return id
}

// An entry of a bot list decides whether a visitor counts as a bot. An entry for one campaign has no effect in other campaigns.
func TestBotLists(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.run()
	bots := path("redirect", m{"filters": []m{condition("is_bot", "equals", true)}}, m{"url": "https://bots.test/"})
	people := path("redirect", nil, m{"url": "https://people.test/"})
	first := w.campaign("first", nil, bots, people)
	w.campaign("second", nil, bots, people)
	goes := func(what, target, location string, entry uuid.UUID, edits ...edit) {
		t.Helper()
		await.Until(t, what, func() bool { return w.get(target, edits...).Header.Get("Location") == location })
		if c := w.spool.last(); c.BotEntryID != entry {
			t.Errorf("%s: the entry %v decided, want %v", what, c.BotEntryID, entry)
		}
	}
	const bot, person = "https://bots.test/", "https://people.test/"
	goes("nobody is listed", "/first", person, uuid.Nil)
	w.addBotEntry(w.newAccount(), nil, "deny", "ip", "equals", "8.8.8.8")
	deny := w.addBotEntry(w.account, &first, "deny", "ip_range", "in_cidr", "9.9.9.0/24", "8.8.8.0-8.8.8.9")
	goes("a network is denied", "/first", bot, deny)
	if c := w.spool.last(); c.BotScore != 100 || c.BotReason != "deny_list" || !c.IsBot {
		t.Errorf("a denied visitor has the score %d for %q, want 100 for deny_list", c.BotScore, c.BotReason)
	}
	goes("the entry applies to the first campaign only", "/second", person, uuid.Nil)
	allow := w.addBotEntry(w.account, nil, "allow", "user_agent", "contains", "Chrome/138")
	goes("allow goes before deny", "/first", person, allow)
	goes("the allow entry does not apply to another browser", "/first", bot, deny, header("User-Agent", firefox))
	goes("a declared bot that is allowed", "/first", person, allow, header("User-Agent", "Googlebot/2.1 like Chrome/138"))
	if c := w.spool.last(); c.BotScore != 0 || c.IsBot {
		t.Errorf("a declared bot that is allowed has the score %d, want 0", c.BotScore)
	}
	dbtest.Exec(w, w.db, `DELETE FROM bot_entries WHERE account_id = $1`, w.account)
	goes("the entries are gone", "/first", person, uuid.Nil, header("User-Agent", firefox))
	goes("a declared bot counts as a bot again", "/first", bot, uuid.Nil, header("User-Agent", "Googlebot/2.1 like Chrome/138"))
}

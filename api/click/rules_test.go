package click

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db/dbtest"
	"switchyard/models/await"
)

const (
	firefox  = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	fallback = "https://f.test/"
)

func condition(attribute, operator string, value any) m {
	return m{"attribute": attribute, "operator": operator, "value": value}
}

func (w *env) rule(logic string, account uuid.UUID, conditions ...m) uuid.UUID {
	w.Helper()
	id := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO rules (id, account_id, name, logic, conditions) VALUES ($1, $2, 'r ' || gen_random_uuid(), $3, $4)`,
		id, account, logic, w.json(conditions))
	return id
}

func (w *env) json(v any) string {
	w.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		w.Fatal(err)
	}
	return string(raw)
}

// rulePath returns a path to an address, for visitors that satisfy saved rules.
func rulePath(url string, rules ...uuid.UUID) m {
	list := []m{}
	for _, id := range rules {
		list = append(list, m{"rule_id": id})
	}
	return path("redirect", m{"rules": list}, m{"url": url})
}

func TestRoutingFollowsASavedRule(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.run()
	r := w.rule("and", w.account, condition("browser", "equals", "chrome"))
	users := map[string]uuid.UUID{}
	for _, alias := range []string{"first-user", "second-user"} {
		users[alias] = w.campaign(alias, m{"fallback_url": fallback}, rulePath("https://in.test/", r))
	}
	other := w.campaign("not-a-user", m{"fallback_url": fallback})
	becomes := func(what, want string, edits ...edit) {
		t.Helper()
		for alias := range users {
			await.Until(t, what, func() bool { return w.get("/"+alias, edits...).Header.Get("Location") == want })
		}
	}
	becomes("the rule matches chrome", "https://in.test/")
	becomes("the rule does not match firefox", fallback, header("User-Agent", firefox))
	await.Until(t, "the third campaign is there, with its fallback", func() bool {
		return w.get("/not-a-user").Header.Get("Location") == fallback
	})
	plans := func() (list []any) {
		for _, id := range []uuid.UUID{users["first-user"], users["second-user"], other} {
			c := w.h.routes.Current().Campaign(id)
			list = append(list, c.Plan)
		}
		return list
	}
	before := plans()
	dbtest.Exec(w, w.db, `UPDATE rules SET conditions = $2 WHERE id = $1`, r, w.json([]m{condition("browser", "equals", "firefox")}))
	becomes("the edited rule matches firefox", "https://in.test/", header("User-Agent", firefox))
	becomes("the edited rule no longer matches chrome", fallback)
	if !slices.Equal(plans(), before) {
		t.Error("a change of a rule compiled a campaign again")
	}

	// If a rule has a condition on the clicks of the day, the campaigns that use the rule count these clicks.
	counts := func() bool {
		c := w.h.routes.Current().Campaign(users["second-user"])
		return c.CountsClicks
	}
	dbtest.Exec(w, w.db, `UPDATE rules SET conditions = $2 WHERE id = $1`, r, w.json([]m{condition("clicks_today", "gte", 0)}))
	await.Until(t, "the day's clicks are counted", counts)
	if after := plans(); after[0] == before[0] || after[1] == before[1] || after[2] != before[2] {
		t.Error("a campaign that uses the rule was not compiled again, or another campaign was")
	}
	dbtest.Exec(w, w.db, `UPDATE rules SET conditions = $2 WHERE id = $1`, r, w.json([]m{condition("browser", "equals", "firefox")}))
	await.Until(t, "the day's clicks are no longer counted", func() bool { return !counts() })

	// Paths still apply a rule that is marked as deleted. After the row of the rule is deleted too, the paths let no visitor through.
	changes := w.h.routes.Changes()
	dbtest.Exec(w, w.db, `UPDATE rules SET deleted_at = now() WHERE id = $1`, r)
	await.Until(t, "the deletion is read", func() bool { return w.h.routes.Changes() > changes })
	becomes("the deleted rule still keeps chrome out", fallback)
	becomes("the deleted rule still matches firefox", "https://in.test/", header("User-Agent", firefox))
	dbtest.Exec(w, w.db, `DELETE FROM rules WHERE id = $1`, r)
	becomes("nobody satisfies a rule that is gone", fallback, header("User-Agent", firefox))
}

func TestSavedRulesInPaths(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	chromeOnly := w.rule("and", w.account, condition("browser", "equals", "chrome"))
	either := w.rule("or", w.account, condition("browser", "equals", "lynx"), condition("param.a", "equals", []any{"1", 2}))
	foreign := w.rule("and", w.newAccount(), condition("browser", "equals", "chrome"))
	today := w.rule("and", w.account, condition("clicks_today", "lt", 1))
	broken := w.rule("and", w.account, condition("colour", "equals", "x"))
	for alias, c := range map[string]struct {
		path m
		want map[string]string
	}{
		"both-rules":   {rulePath("https://in.test/", chromeOnly, either), map[string]string{"": fallback, "?a=2": "https://in.test/"}},
		"one-of-them":  {altered(rulePath("https://in.test/", chromeOnly, either), "logic", "or"), map[string]string{"": "https://in.test/"}},
		"foreign-rule": {rulePath("https://in.test/", foreign), map[string]string{"": fallback}},
		"random-rule":  {rulePath("https://in.test/", uuid.New()), map[string]string{"": fallback}},
		"broken-rule":  {rulePath("https://in.test/", broken), map[string]string{"": fallback}},
		"counted-rule": {rulePath("https://in.test/", today), map[string]string{"": "https://in.test/"}},
	} {
		id := w.campaign(alias, m{"fallback_url": fallback}, c.path)
		w.reload()
		for query, want := range c.want {
			if got := w.location("/" + alias + query); got != want {
				t.Errorf("%s%s: to %s, want %s", alias, query, got, want)
			}
		}
		if now := w.h.routes.Current().Campaign(id); now.CountsClicks != (alias == "counted-rule") {
			t.Errorf("%s: the campaign counts the clicks of the day: %v, want %v", alias, now.CountsClicks, alias == "counted-rule")
		}
	}
}

func altered(p m, name string, value any) m {
	p[name] = value
	return p
}

// A campaign may be read before the rule that it uses.
func TestARuleThatComesLaterCompletesItsCampaigns(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	r := uuid.New()
	w.campaign("early-bird", m{"fallback_url": fallback}, rulePath("https://in.test/", r))
	w.reload()
	if got := w.location("/early-bird"); got != fallback {
		t.Fatalf("before the rule is there, the visitor is sent to %s, want the fallback", got)
	}
	dbtest.Exec(w, w.db, `INSERT INTO rules (id, account_id, name, conditions) VALUES ($1, $2, 'late', $3)`, r, w.account,
		w.json([]m{condition("browser", "equals", "chrome")}))
	w.reload()
	if got := w.location("/early-bird"); got != "https://in.test/" {
		t.Errorf("a visitor with Chrome is sent to %s, want https://in.test/", got)
	}
}

func TestTheCopyOnDiskKeepsRules(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaign("summer-sale", m{"fallback_url": fallback},
		rulePath("https://in.test/", w.rule("and", w.account, condition("browser", "equals", "chrome"))))
	w.reload()
	dir := t.TempDir()
	if err := routing.WriteDiskCache(filepath.Join(dir, "routing.copy"), w.h.routes.Current()); err != nil {
		t.Fatal(err)
	}
	v, err := describer()
	if err != nil {
		t.Fatal(err)
	}
	if w.h, err = New(t.Context(), depsOn(unreachableDB(t), w.spool, v, dir)); err != nil {
		t.Fatal(err)
	}
	if got := w.location("/summer-sale"); got != "https://in.test/" {
		t.Errorf("a visitor with Chrome is sent to %s, want https://in.test/", got)
	}
	if res := w.get("/summer-sale", header("User-Agent", firefox)); res.StatusCode != http.StatusFound ||
		res.Header.Get("Location") != fallback {
		t.Errorf("a visitor with Firefox is answered %d to %s, want 302 to the fallback", res.StatusCode, res.Header.Get("Location"))
	}
}

package main

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"switchyard/ops/client"
)

const peoplePassword = "correct horse battery"

// beside is another browser at the same service: cookies and storage of its own.
func (b *board) beside() *board {
	b.t.Helper()
	other := &board{page: b.page.open(b.t), f: b.f, axe: b.axe}
	other.watch()
	other.call("Page.enable", nil, nil)
	other.look(1440, "light")
	return other
}

// welcome uses a link that makes somebody a member: a name and a password.
func (b *board) welcome(link, name string) {
	b.t.Helper()
	b.goTo(link)
	b.fill(`document.querySelector('form.enter [name=name]')`, name)
	b.fill(`document.querySelector('form.enter [name=password]')`, peoplePassword)
	b.tap(`document.querySelector('form.enter .btn.primary')`)
	b.until("the side", func() bool {
		got, err := b.evaluate(`document.querySelector('.side .who')?.textContent`)
		return err == nil && strings.Contains(got, name)
	})
}

// signInAs types e-mail and password, and a code where one is asked for.
func (b *board) signInAs(email, code string) {
	b.t.Helper()
	b.fill(`document.querySelector('form.enter [name=email]')`, email)
	b.fill(`document.querySelector('form.enter [name=password]')`, peoplePassword)
	b.tap(`document.querySelector('form.enter .btn.primary')`)
	if code != "" {
		b.fill(`document.querySelector('form.enter [name=code]')`, code)
		b.tap(`document.querySelector('form.enter .btn.primary')`)
	}
}

// isIn waits until somebody is signed in.
func (b *board) isIn() {
	b.t.Helper()
	b.until("somebody is signed in", func() bool {
		got, err := b.evaluate(`document.querySelector('.side .who') && !document.querySelector('form.enter') ? 'in' : ''`)
		return err == nil && got == "in"
	})
}

func (b *board) signOut() {
	b.t.Helper()
	b.run(`fetch('/app/api/session', {method: 'DELETE'}).then(() => location.assign('/app'))`)
	b.until("the sign-in", func() bool {
		got, err := b.evaluate(`document.querySelector('main.alone [name=email]') ? 'out' : ''`)
		return err == nil && got == "out"
	})
}

// TestDashboardPeople: the first owner of an account comes in by the link of the command line, invites others, gives and
// takes away, and looks after password, codes and sessions.
func TestDashboardPeople(t *testing.T) {
	t.Parallel()
	b := openBoard(t)
	b.look(1440, "light")
	var made struct {
		ID  string `json:"id"`
		URL string `json:"owner_url"`
	}
	if err := b.f.Command(t.Context(), &made, "accounts", "create", "--name", "Buyers", "--plan", "growth", "--email", "ana@example.com"); err != nil {
		t.Fatal(err)
	}
	b.welcome(made.URL, "Ana")
	b.sound("first-run")
	again := b.beside()
	again.goTo(made.URL)
	again.shows("used already")
	b.invites()
	owner := b.roles(made.ID)
	b.makesKey()
	b.findsChanges()
	b.endsSessions()
	owner.usesCodes("owner@example.com")
}

// invites somebody by a link that a second browser uses, changes the role, and removes them: they are out at once.
func (b *board) invites() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/team")
	b.tap(button("Invite"))
	b.fill(byLabel("dialog[open]", "E-mail"), "no address")
	b.fill(byLabel("dialog[open]", "E-mail"), `ben@example.com`)
	b.tap(button("Make the link"))
	const shown = `document.querySelector('dialog[open] .copy input')`
	b.until("the link", func() bool { return strings.Contains(b.run(shown+`?.value`), "/app/welcome#") })
	link := b.run(shown + `.value`)
	b.sound("team-invitation")
	b.tap(button("Done"))
	b.shows("Open invitations")
	const name = `<img src=x onerror="wrongs=['run']">`
	ben := b.beside()
	ben.goTo(link)
	ben.shows("invited to Buyers as member")
	ben.welcome(link, name)
	b.goTo(b.f.URL + "/app/team")
	b.until("the name as a text", func() bool { return strings.Contains(b.run(`document.querySelector('.people')?.textContent`), name) })
	for _, width := range []int{1440, 390} {
		b.look(width, "light")
		b.sound("team-" + strconv.Itoa(width))
	}
	b.look(1440, "light")
	const role = `[...document.querySelectorAll('.people select')].find(s => s.value === 'member')`
	b.run(`(s => { s.value = 'viewer'; s.dispatchEvent(new Event('change', {bubbles: true})); return 1 })(` + role + `)`)
	b.tap(button("Change the role"))
	b.shows("has the role “Viewer” now")
	ben.goTo(ben.f.URL + "/app/offers")
	ben.settled()
	if got := ben.run(button("New offer") + `?.textContent`); got != "" {
		b.t.Error("a viewer can make offers")
	}
	// Who is the only owner stays one.
	b.run(`(s => { s.value = 'member'; s.dispatchEvent(new Event('change', {bubbles: true})); return 1 })([...document.querySelectorAll('.people select')].find(s => s.value === 'owner'))`)
	b.tap(button("Change the role"))
	b.shows("The account needs an owner")
	b.press("Escape")
	b.tap(`[...document.querySelectorAll('.people li')].find(l => l.textContent.includes('ben@'))?.querySelector('button')`)
	b.tap(`document.querySelector('dialog[open] .btn.danger')`)
	b.shows("is removed")
	ben.goTo(ben.f.URL + "/app")
	ben.shows("Sign in")
}

// roles: each role sees the controls it may use, and no others. Met by a link, what it may not see is explained. It gives the
// browser of the last one, an owner.
func (b *board) roles(account string) (p *board) {
	b.t.Helper()
	for _, c := range []struct {
		role               string
		offer, make, owner bool
	}{{"viewer", false, false, false}, {"contributor", true, false, false}, {"member", true, true, false}, {"owner", true, true, true}} {
		var link struct{ URL string }
		email := c.role + "@example.com"
		if err := b.f.Command(b.t.Context(), &link, "users", "invite", "--account", account, "--email", email, "--role", c.role); err != nil {
			b.t.Fatal(err)
		}
		p = b.beside()
		p.welcome(link.URL, "A "+c.role)
		has := func(path, expression string, want bool) {
			b.t.Helper()
			p.goTo(p.f.URL + path)
			p.settled()
			if got := p.run(`(`+expression+`) ? 'yes' : 'no'`) == "yes"; got != want {
				b.t.Errorf("%s on %s: %s is there: %v", c.role, path, expression, got)
			}
		}
		has("/app/offers", button("New offer"), c.offer)
		has("/app/campaigns", `[...document.querySelectorAll('a.btn, button.btn')].find(e => /New campaign|Make the first/.test(e.textContent))`, c.make)
		has("/app/settings", `document.querySelector('form.record .btn.primary')`, c.owner)
		has("/app/corrections", `document.querySelector('textarea')`, c.offer)
		for _, path := range []string{"/app/team", "/app/keys", "/app/audit"} {
			has(path, `document.querySelector('.side a[href^="`+path+`"]')`, c.owner)
			has(path, `document.body.innerText.includes('Only owners see this.')`, !c.owner)
		}
		if p.goTo(p.f.URL + "/app/campaigns/new"); !c.make {
			p.shows("Your role does not include making campaigns.")
		}
		if c.role == "contributor" {
			p.sound("roles-buyer-only")
		}
	}
	return p
}

// makesKey makes a key in the page, uses it as a program would, replaces it and revokes it.
func (b *board) makesKey() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/keys")
	b.tap(button("New key"))
	b.fill(byLabel("dialog[open]", "Name"), "our program")
	b.tap(button("Make the key"))
	const shown = `document.querySelector('dialog[open] .copy input')`
	b.until("the key", func() bool { return strings.HasPrefix(b.run(shown+`?.value`), "sy_") })
	key := b.run(shown + `.value`)
	b.sound("key-once")
	b.tap(button("Done"))
	works := func() error {
		var list struct{ Rows []struct{ ID string } }
		return client.New(b.f.URL, key).Get(b.t.Context(), "/offers", &list)
	}
	if err := works(); err != nil {
		b.t.Fatal(err)
	}
	b.goTo(b.f.URL + "/app/keys")
	b.until("its last use", func() bool {
		row := b.run(`[...document.querySelectorAll('tr[data-row]')].find(r => r.textContent.includes('our program'))?.textContent`)
		return row != "" && !strings.Contains(row, "nevernever") && strings.Contains(row, "active")
	})
	if strings.Contains(b.run(`document.body.innerText`), key) {
		b.t.Error("the key is shown again")
	}
	for _, width := range []int{1440, 390} {
		b.look(width, "dark")
		b.sound("keys-" + strconv.Itoa(width))
	}
	b.look(1440, "light")
	b.tap(`document.querySelector('[aria-label="Revoke our program"]')`)
	b.tap(`document.querySelector('dialog[open] .btn.danger')`)
	b.shows("our program is revoked")
	if err := works(); err == nil {
		b.t.Error("the key works after it was revoked")
	}
}

// findsChanges asks the audit log who made what.
func (b *board) findsChanges() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/audit?w=today")
	b.shows("POST /app/api/keys")
	b.goTo(b.f.URL + "/app/audit?w=today&what=keys")
	b.settled()
	b.until("changes of keys alone", func() bool {
		return b.run(`[...document.querySelectorAll('tr[data-row]')].length && [...document.querySelectorAll('tr[data-row]')].every(r => r.textContent.includes('/keys')) ? 'yes' : ''`) == "yes"
	})
	for _, width := range []int{1440, 390} {
		b.look(width, "light")
		b.sound("audit-" + strconv.Itoa(width))
	}
	b.look(1440, "light")
	b.goTo(b.f.URL + "/app/audit?w=yesterday")
	b.shows("Nothing was changed in this window.")
}

// endsSessions: a session that is ended elsewhere shows the sign-in over the screen, and what was typed is still there.
func (b *board) endsSessions() {
	b.t.Helper()
	other := b.beside()
	other.goTo(other.f.URL + "/app")
	other.signInAs("ana@example.com", "")
	other.isIn()
	other.goTo(other.f.URL + "/app/offers?id=new")
	other.settled()
	other.fill(byLabel("dialog[open]", "Name"), "half typed")
	b.goTo(b.f.URL + "/app/me")
	for _, width := range []int{1440, 390} {
		b.look(width, "light")
		b.settled()
		b.sound("me-" + strconv.Itoa(width))
	}
	b.look(1440, "light")
	b.tap(button("End all others"))
	b.shows("All other sessions have ended")
	other.run(`(document.dispatchEvent(new Event('visibilitychange')), 1)`)
	other.until("the sign-in over the screen", func() bool {
		return other.run(`[...document.querySelectorAll('dialog[open] h1')].find(h => h.textContent === 'Sign in')?.textContent`) == "Sign in"
	})
	other.sound("signed-out-elsewhere")
	other.fill(`document.querySelector('dialog[open] form.enter [name=password]')`, peoplePassword)
	other.tap(`document.querySelector('dialog[open] form.enter .btn.primary')`)
	other.until("the sign-in is gone", func() bool { return other.run(`document.querySelector('form.enter') ? '' : 'gone'`) == "gone" })
	if got := other.run(byLabel("dialog[open]", "Name") + `?.value`); got != "half typed" {
		b.t.Errorf("what was typed is %q now", got)
	}
}

// usesCodes switches codes of an app on, and signs in by a recovery code, which works once, and by a code of the app. Somebody
// who has not signed in before does it: an e-mail has five attempts.
func (b *board) usesCodes(email string) {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/me")
	b.tap(button("Set up codes"))
	const shown = `document.querySelector('dialog[open] .copy input')`
	b.until("the secret", func() bool { return b.run(shown+`?.value`) != "" })
	secret := b.run(shown + `.value`)
	b.until("the QR code", func() bool { return b.run(`document.querySelector('img.totp')?.naturalWidth`) == "200" })
	b.sound("codes")
	code := func(at time.Time) string {
		text, err := totp.GenerateCode(secret, at)
		if err != nil {
			b.t.Fatal(err)
		}
		return text
	}
	b.fill(byLabel("dialog[open]", "Code"), "000000")
	b.tap(button("Switch codes on"))
	b.shows("This is not the code that the app shows now.")
	b.fill(byLabel("dialog[open]", "Code"), code(time.Now()))
	b.tap(button("Switch codes on"))
	b.until("the recovery codes", func() bool { return b.run(`document.querySelector('dialog[open] .copy pre')?.textContent`) != "" })
	codes := strings.Split(b.run(`document.querySelector('dialog[open] .copy pre').textContent`), "\n")
	if len(codes) != 10 {
		b.t.Fatalf("recovery codes: %q", codes)
	}
	b.sound("recovery-codes")
	b.tap(button("I have kept them"))
	b.signOut()
	b.signInAs(email, codes[0])
	b.isIn()
	b.signOut()
	b.signInAs(email, codes[0])
	b.shows("are not right")
	b.fill(`document.querySelector('form.enter [name=code]')`, code(time.Now().Add(30*time.Second))) // the one before switched the codes on
	b.tap(`document.querySelector('form.enter .btn.primary')`)
	b.isIn()
}

// languages that the page is shown in by TestDashboardLanguages. Two of them are made up.
var testLanguages = []struct {
	name   string
	widths []int
}{{"de", []int{1440, 390}}, {"en-XA", []int{1440, 390}}, {"ar-XB", []int{1440, 390}}}

// TestDashboardLanguages: every screen is sound in German, in longer words, and from right to left; nothing is cut, and
// nothing is said in English.
func TestDashboardLanguages(t *testing.T) {
	t.Parallel()
	b := openBoard(t)
	b.signIn()
	b.goTo(b.f.URL + "/app/me")
	b.settled()
	b.run(`(s => { s.value = 'de'; s.dispatchEvent(new Event('change', {bubbles: true})); return 1 })([...document.querySelectorAll('select')].find(s => [...s.options].some(o => o.value === 'de')))`)
	b.shows("Eigenes Profil")
	if got := b.run(`document.documentElement.lang`); got != "de" {
		t.Errorf("the page is in %s", got)
	}
	b.goTo(b.f.URL + "/app")
	b.shows("Was sich verändert hat")
	var list struct{ Rows []struct{ ID string } }
	if err := b.api.Get(t.Context(), "/campaigns?q=demo", &list); err != nil || len(list.Rows) == 0 {
		t.Fatal(list, err)
	}
	of := "/app/campaigns/" + list.Rows[0].ID
	pages := map[string]string{
		"overview": "/app", "reports": "/app/reports", "more": "/app/more", "campaigns": "/app/campaigns", "campaign-new": "/app/campaigns/new", "campaign-figures": of + "/figures",
		"campaign-flow": of + "/flow", "campaign-link": of + "/link", "campaign-settings": of + "/settings", "offers": "/app/offers", "offer": "/app/offers?id=new", "landers": "/app/landers",
		"source": "/app/sources?id=new", "network": "/app/networks?id=new", "clicks": "/app/clicks", "conversions": "/app/conversions", "unmatched": "/app/unmatched", "corrections": "/app/corrections",
		"exports": "/app/exports", "alerts": "/app/alerts", "plan": "/app/plan", "settings": "/app/settings", "team": "/app/team", "keys": "/app/keys", "audit": "/app/audit", "me": "/app/me",
	}
	for _, lang := range testLanguages {
		b.call("Network.setCookie", map[string]any{"name": "switchyard-language", "value": lang.name, "url": b.f.URL + "/app", "path": "/app"}, nil)
		for _, width := range lang.widths {
			b.look(width, "light")
			for name, path := range pages {
				b.goTo(b.f.URL + path)
				b.settled()
				if got := b.run(`document.documentElement.lang`); got != lang.name {
					t.Fatalf("%s is in %s", name, got)
				}
				if cut := b.run(cutTexts); cut != "[]" {
					t.Errorf("%s in %s, %d wide: cut are %s", name, lang.name, width, cut)
				}
				b.sound(name + "-" + lang.name + "-" + strconv.Itoa(width))
			}
		}
	}
}

// cutTexts are the controls and headings of which a part is not seen. Names, which have a title with the whole, may be cut.
const cutTexts = `JSON.stringify([...document.querySelectorAll('button, a.btn, label, h2, th, .tag, .seg button, .nav a')].filter(e => e.checkVisibility({visibilityProperty: true}) && e.clientWidth > 1 && !e.closest('.hidden, [title], .cut') &&
	e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible').map(e => e.textContent.slice(0, 40) + ' ' + e.className))`

// TestDashboardByKeyboard: who has no mouse gets everywhere. Each control that Tab reaches is seen and shows that it has
// the focus; the focus comes round and is never lost.
func TestDashboardByKeyboard(t *testing.T) {
	t.Parallel()
	b := openBoard(t)
	b.signIn()
	b.look(1440, "light")
	var list struct{ Rows []struct{ ID string } }
	if err := b.api.Get(t.Context(), "/campaigns?q=demo", &list); err != nil || len(list.Rows) == 0 {
		t.Fatal(list, err)
	}
	for _, path := range []string{"/app", "/app/reports", "/app/campaigns", "/app/campaigns/" + list.Rows[0].ID + "/flow"} {
		b.goTo(b.f.URL + path)
		b.settled()
		seen := map[string]bool{}
		last := -1
		for range 400 {
			b.tabKey()
			at := b.run(focused)
			if at == "body" { // round the end of the page
				break
			}
			number, what, _ := strings.Cut(at, " ")
			if seen[number] {
				break
			}
			seen[number] = true
			if strings.HasPrefix(what, "!") {
				t.Errorf("%s: the focus is not seen on %s", path, what)
			}
			if n, _ := strconv.Atoi(number); n < last {
				t.Errorf("%s: the focus jumps back to %s", path, what)
			} else {
				last = n
			}
		}
		if len(seen) < 20 {
			t.Errorf("%s: Tab reaches %d controls", path, len(seen))
		}
	}
}

// tabKey presses Tab.
func (b *board) tabKey() {
	b.t.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}, nil)
	}
}

// focused says where the focus is: the place in the document, and a ! where nothing shows that it is there.
const focused = `(e => { if (!e || e === document.body) return 'body';
	const s = getComputedStyle(e), r = e.getBoundingClientRect(), ring = s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== 'none' || getComputedStyle(e.parentElement).outlineStyle !== 'none' || getComputedStyle(e.parentElement).boxShadow !== 'none';
	const inside = r.width > 0 && r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth;
	return [...document.querySelectorAll('*')].indexOf(e) + ' ' + (ring && inside ? '' : '!') + e.tagName + '.' + e.className + ' ' + (e.ariaLabel ?? e.textContent).slice(0, 30) })(document.activeElement)`

// TestDashboardAway: a service that goes away is said in the place of what failed, nothing on the screen is lost, and it is
// mended when the service is there again. A slow answer shows the shape of what comes.
func TestDashboardAway(t *testing.T) {
	t.Parallel()
	b := openBoard(t)
	b.signIn()
	b.goTo(b.f.URL + "/app/more")
	b.settled()
	b.run(`(window.real = window.fetch, window.fetch = (a, o) => String(a).includes('/performance') ? new Promise(ok => { window.answer = () => ok(window.real(a, o)) }) : window.real(a, o), 1)`)
	b.run(`document.querySelector('.nav a[href^="/app/reports"]').click()`)
	b.until("the shape of what comes", func() bool {
		return b.run(`document.querySelector('.skeleton') && document.querySelector('.bar') ? 'yes' : ''`) == "yes"
	})
	b.run(`(window.fetch = window.real, window.answer(), 1)`)
	b.shows("DACH nutra")
	b.goTo(b.f.URL + "/app/offers?id=new")
	b.settled()
	b.fill(byLabel("dialog[open]", "Name"), "half typed")
	b.fill(byLabel("dialog[open]", "Address"), "https://offer.example/")
	away := func(on bool) {
		b.call("Network.emulateNetworkConditions", map[string]any{"offline": on, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}, nil)
	}
	away(true)
	b.tap(`document.querySelector('dialog[open] .formfoot .btn.primary')`)
	b.shows("The service does not answer.")
	if got := b.run(byLabel("dialog[open]", "Name") + `?.value`); got != "half typed" {
		t.Errorf("what was typed is %q", got)
	}
	away(false)
	b.tap(`document.querySelector('dialog[open] .formfoot .btn.primary')`)
	b.shows("half typed is saved")
}

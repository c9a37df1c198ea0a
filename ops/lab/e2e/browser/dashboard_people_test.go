package browser

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"

	"switchyard/db"
	"switchyard/db/people"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/parttest"
	"switchyard/ops/client"
)

const peoplePassword = "correct horse battery"

// secondBrowser opens another browser at the same service, with its own cookies and storage.
func (b *env) secondBrowser() *env {
	b.t.Helper()
	other := &env{page: b.page.open(b.t), f: b.f, axe: b.axe}
	other.watch()
	other.call("Page.enable", nil, nil)
	other.setScreen(1440, "light")
	return other
}

// entryFor returns an entry link for a new person of the demo account.
func (b *env) entryFor(email string, role models.Role) string {
	b.t.Helper()
	d, err := db.Open(b.t.Context(), b.f.DatabaseURL, db.Options{Name: "test"})
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	account, err := db.Get[uuid.UUID](b.t.Context(), d, "account", `SELECT account_id FROM clicks LIMIT 1`)
	if err != nil {
		b.t.Fatal(err)
	}
	_, token, err := people.New(store.New(d, nil)).CreateLink(b.t.Context(), models.EntryLink{
		Kind: models.LinkEntry, AccountID: account, Email: email, Role: role,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return models.EntryURL(b.f.URL, token)
}

// welcome opens an invitation or entry link, and enters the name and the password of a new person.
func (b *env) welcome(link, name string) {
	b.t.Helper()
	b.goTo(link)
	b.fill(`document.querySelector('form.enter [name=name]')`, name)
	b.fill(`document.querySelector('form.enter [name=password]')`, peoplePassword)
	b.tap(`document.querySelector('form.enter [aria-label="Show the password"]')`)
	b.until("the password can be read", func() bool { return b.run(`document.querySelector('form.enter [name=password]').type`) == "text" })
	b.tap(`document.querySelector('form.enter .btn.primary:not(:disabled)')`)
	b.until("the navigation is shown", func() bool {
		got, err := b.evaluate(`document.querySelector('.side .who')?.textContent`)
		return err == nil && strings.Contains(got, name)
	})
}

// signInAs enters e-mail and password, and then a code unless code is empty.
func (b *env) signInAs(email, code string) {
	b.t.Helper()
	b.fill(`document.querySelector('form.enter [name=email]')`, email)
	b.fill(`document.querySelector('form.enter [name=password]')`, peoplePassword)
	b.tap(`document.querySelector('form.enter .btn.primary:not(:disabled)')`)
	if code != "" {
		b.fill(`document.querySelector('form.enter [name=code]')`, code)
		b.tap(`document.querySelector('form.enter .btn.primary:not(:disabled)')`)
	}
}

func (b *env) isIn() {
	b.t.Helper()
	b.until("somebody is signed in", func() bool {
		got, err := b.evaluate(`document.querySelector('.side .who') && !document.querySelector('form.enter') ? 'in' : ''`)
		return err == nil && got == "in"
	})
}

func (b *env) signOut() {
	b.t.Helper()
	b.run(`fetch('/app/api/session', {method: 'DELETE', headers: {'X-Switchyard-Page': '1'}}).then(() => location.assign('/app'))`)
	b.until("the sign-in is shown", func() bool {
		got, err := b.evaluate(`document.querySelector('main.alone [name=email]') ? 'out' : ''`)
		return err == nil && got == "out"
	})
}

// TestDashboardPeople: the first owner invites, changes and removes people, makes and revokes keys, and reads the audit log.
func TestDashboardPeople(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	b.setScreen(1440, "light")
	var made struct {
		ID  string `json:"id"`
		URL string `json:"owner_url"`
	}
	if err := b.f.Command(t.Context(), &made, "accounts", "create", "--name", "Buyers", "--plan", "growth", "--email", "ana@example.com"); err != nil {
		t.Fatal(err)
	}
	b.welcome(made.URL, "Ana")
	b.sound("first-run")
	again := b.secondBrowser()
	again.goTo(made.URL)
	again.waitText("used already")
	b.invites()
	owner := b.roles(made.ID)
	b.makesKey()
	b.findsChanges()
	b.endsSessions()
	owner.joinsWithCodes("owner@example.com", owner.usesCodes("owner@example.com"))
	b.goTo(b.f.URL + "/app/audit?w=today")
	b.waitText("Signed in")
	b.waitText("wrong password") // the audit entry has the number of wrong passwords in an hour, which can be 1 or 2 here
}

// invites invites a member, changes the member's role and removes the member, who is signed out immediately.
func (b *env) invites() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/team")
	b.tap(button("Invite"))
	b.fill(byLabel("dialog[open]", "E-mail"), "no address")
	b.fill(byLabel("dialog[open]", "E-mail"), `ben@example.com`)
	b.tap(button("Create the link"))
	const shown = `document.querySelector('dialog[open] .copy input')`
	b.until("the link is shown", func() bool { return strings.Contains(b.run(shown+`?.value`), "/app/welcome#") })
	link := b.run(shown + `.value`)
	b.sound("team-invitation")
	b.tap(button("Done"))
	b.waitText("Open invitations")
	const name = `<img src=x onerror="wrongs=['run']">`
	ben := b.secondBrowser()
	ben.goTo(link)
	ben.waitText("invited to the account “Buyers” as member")
	ben.welcome(link, name)
	b.goTo(b.f.URL + "/app/team")
	b.until("the name is shown as text", func() bool { return strings.Contains(b.run(`document.querySelector('.people')?.textContent`), name) })
	for _, width := range []int{1440, 390} {
		b.setScreen(width, "light")
		b.sound("team-" + strconv.Itoa(width))
	}
	b.setScreen(1440, "light")
	const role = `[...document.querySelectorAll('.people select')].find(s => s.value === 'member')`
	b.run(`(s => { s.value = 'viewer'; s.dispatchEvent(new Event('change', {bubbles: true})); return 1 })(` + role + `)`)
	b.tap(button("Change the role"))
	b.waitText("has the role “Viewer” now")
	ben.goTo(ben.f.URL + "/app/offers")
	ben.waitIdle()
	if got := ben.run(button("New offer") + `?.textContent`); got != "" {
		b.t.Error("a viewer can make offers")
	}
	// The only owner cannot become a member.
	b.run(`(s => { s.value = 'member'; s.dispatchEvent(new Event('change', {bubbles: true})); return 1 })([...document.querySelectorAll('.people select')].find(s => s.value === 'owner'))`)
	b.tap(button("Change the role"))
	b.waitText("The account needs an owner")
	b.press("Escape")
	b.tap(`[...document.querySelectorAll('.people li')].find(l => l.textContent.includes('ben@'))?.querySelector('button')`)
	b.tap(`document.querySelector('dialog[open] .btn.danger')`)
	b.waitText("is removed")
	ben.goTo(ben.f.URL + "/app")
	ben.waitText("Sign in")
}

// roles: each role sees only the controls that it may use. roles returns the browser of the last role, an owner.
func (b *env) roles(account string) (p *env) {
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
		p = b.secondBrowser()
		p.welcome(link.URL, "A "+c.role)
		has := func(path, expression string, want bool) {
			b.t.Helper()
			p.goTo(p.f.URL + path)
			p.waitIdle()
			if got := p.run(`(`+expression+`) ? 'yes' : 'no'`) == "yes"; got != want {
				b.t.Errorf("%s on %s: the page has %s: %v", c.role, path, expression, got)
			}
		}
		has("/app/offers", button("New offer"), c.offer)
		has("/app/campaigns", `[...document.querySelectorAll('a.btn, button.btn')].find(e => /New campaign|Create the first/.test(e.textContent))`, c.make)
		has("/app/settings", `document.querySelector('form.record .btn.primary')`, c.owner)
		has("/app/corrections", `document.querySelector('textarea')`, c.offer)
		for _, path := range []string{"/app/team", "/app/keys"} {
			has(path, `document.querySelector('.side a[href^="`+path+`"]')`, c.owner)
			has(path, `document.body.innerText.includes('Only owners see this.')`, !c.owner)
		}
		has("/app/audit", `document.querySelector('.side a[href^="/app/audit"]')`, c.offer)
		has("/app/audit", `document.querySelector('.filters select[aria-label="Who"]')`, c.owner)
		if p.goTo(p.f.URL + "/app/campaigns/new"); !c.make {
			p.waitText("Your role does not allow creating campaigns.")
		}
		if c.role == "contributor" {
			p.sound("roles-buyer-only")
		}
	}
	return p
}

func (b *env) makesKey() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/keys")
	b.tap(button("New key"))
	b.fill(byLabel("dialog[open]", "Name"), "our program")
	b.tap(button("Create the key"))
	const shown = `document.querySelector('dialog[open] .copy input')`
	b.until("the key is shown", func() bool { return strings.HasPrefix(b.run(shown+`?.value`), "sy_") })
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
	b.until("the row of the key shows the last use", func() bool {
		row := b.run(`[...document.querySelectorAll('tr[data-row]')].find(r => r.textContent.includes('our program'))?.textContent`)
		return row != "" && !strings.Contains(row, "nevernever") && strings.Contains(row, "active")
	})
	if strings.Contains(b.run(`document.body.innerText`), key) {
		b.t.Error("the page still shows the key")
	}
	for _, width := range []int{1440, 390} {
		b.setScreen(width, "dark")
		b.sound("keys-" + strconv.Itoa(width))
	}
	b.setScreen(1440, "light")
	b.tap(`document.querySelector('[aria-label="Revoke our program"]')`)
	b.tap(`document.querySelector('dialog[open] .btn.danger')`)
	b.waitText("our program is revoked")
	if err := works(); err == nil {
		b.t.Error("the key works after it was revoked")
	}
}

func (b *env) findsChanges() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/audit?w=today")
	b.waitText("POST /app/api/keys")
	b.waitText("Came in by a link")
	b.waitText("ana@example.com")
	b.goTo(b.f.URL + "/app/audit?w=today&what=keys")
	b.waitIdle()
	b.until("only changes of keys are listed", func() bool {
		return b.run(`[...document.querySelectorAll('tr[data-row]')].length && [...document.querySelectorAll('tr[data-row]')].every(r => r.textContent.includes('/keys')) ? 'yes' : ''`) == "yes"
	})
	for _, width := range []int{1440, 390} {
		b.setScreen(width, "light")
		b.sound("audit-" + strconv.Itoa(width))
	}
	b.setScreen(1440, "light")
	b.goTo(b.f.URL + "/app/audit?w=yesterday")
	b.waitText("Nothing was changed in this window.")
}

// endsSessions: when a session is ended elsewhere, its page shows the sign-in over the screen. The typed text stays.
func (b *env) endsSessions() {
	b.t.Helper()
	other := b.secondBrowser()
	other.goTo(other.f.URL + "/app")
	other.signInAs("ana@example.com", "")
	other.isIn()
	other.goTo(other.f.URL + "/app/offers?id=new")
	other.waitIdle()
	other.fill(byLabel("dialog[open]", "Name"), "half typed")
	b.goTo(b.f.URL + "/app/me")
	for _, width := range []int{1440, 390} {
		b.setScreen(width, "light")
		b.waitIdle()
		b.sound("me-" + strconv.Itoa(width))
	}
	b.setScreen(1440, "light")
	b.tap(button("End all others"))
	b.waitText("All other sessions have ended")
	other.run(`(document.dispatchEvent(new Event('visibilitychange')), 1)`)
	other.until("the sign-in is shown over the screen", func() bool {
		return other.run(`[...document.querySelectorAll('dialog[open] h1')].find(h => h.textContent === 'Sign in')?.textContent`) == "Sign in"
	})
	other.sound("signed-out-elsewhere")
	other.fill(`document.querySelector('dialog[open] form.enter [name=password]')`, peoplePassword)
	other.tap(`document.querySelector('dialog[open] form.enter .btn.primary:not(:disabled)')`)
	other.until("the sign-in is gone", func() bool { return other.run(`document.querySelector('form.enter') ? '' : 'gone'`) == "gone" })
	if got := other.run(byLabel("dialog[open]", "Name") + `?.value`); got != "half typed" {
		b.t.Errorf("after signing in again the typed name is %q", got)
	}
}

// usesCodes turns on codes of an authenticator app and returns the unused recovery codes. A recovery code works only once.
func (b *env) usesCodes(email string) []string {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/me")
	b.tap(button("Set up the app"))
	const shown = `document.querySelector('dialog[open] .copy input')`
	b.until("the secret is shown", func() bool { return b.run(shown+`?.value`) != "" })
	secret := b.run(shown + `.value`)
	b.until("the QR code is shown", func() bool { return b.run(`document.querySelector('img.totp')?.naturalWidth`) == "200" })
	b.sound("codes")
	code := func(at time.Time) string {
		text, err := totp.GenerateCode(secret, at)
		if err != nil {
			b.t.Fatal(err)
		}
		return text
	}
	b.fill(byLabel("dialog[open]", "Code"), "000000")
	b.tap(button("Turn on"))
	b.waitText("This is not the code that the app shows now.")
	b.fill(byLabel("dialog[open]", "Code"), code(time.Now()))
	b.tap(button("Turn on"))
	b.until("the recovery codes are shown", func() bool { return b.run(`document.querySelector('dialog[open] .copy pre')?.textContent`) != "" })
	codes := strings.Split(b.run(`document.querySelector('dialog[open] .copy pre').textContent`), "\n")
	if len(codes) != 10 {
		b.t.Fatalf("the recovery codes are %q, want ten", codes)
	}
	b.sound("recovery-codes")
	b.tap(button("I’ve saved them"))
	b.signOut()
	b.signInAs(email, codes[0])
	b.isIn()
	b.signOut()
	b.signInAs(email, codes[0])
	b.waitText("The e-mail, password or code is wrong.")
	// The current code was used already, so this is the next one.
	b.fill(`document.querySelector('form.enter [name=code]')`, code(time.Now().Add(30*time.Second)))
	b.tap(`document.querySelector('form.enter .btn.primary:not(:disabled)')`)
	b.isIn()
	return codes[1:]
}

// joinsWithCodes accepts an invitation to another account. The page asks for a code only after the right password.
func (b *env) joinsWithCodes(email string, codes []string) {
	b.t.Helper()
	var made struct {
		URL string `json:"owner_url"`
	}
	if err := b.f.Command(b.t.Context(), &made, "accounts", "create", "--name", "Sellers", "--plan", "growth", "--email", email); err != nil {
		b.t.Fatal(err)
	}
	const form, send = `document.querySelector('form.enter `, `document.querySelector('form.enter .btn.primary:not(:disabled)')`
	b.goTo(made.URL)
	b.tap(button("I already have a password"))
	b.sound("invited")
	b.fill(form+`[name=password]')`, "not the password")
	b.tap(send)
	b.waitText("The e-mail, password or code is wrong.")
	if b.run(form+`[name=code]') ? 'asked' : ''`) != "" {
		b.t.Error("a code is asked for after a wrong password")
	}
	b.fill(form+`[name=password]')`, peoplePassword)
	b.tap(send)
	b.fill(form+`[name=code]')`, codes[0])
	b.tap(send)
	b.isIn()
	b.waitText("Sellers")
}

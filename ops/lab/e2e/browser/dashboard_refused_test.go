package browser

import (
	"fmt"
	"strings"
	"testing"

	"switchyard/models/parttest"
)

// TestDashboardRefused covers what the dashboard shows when the service is unreachable, is slow or refuses a call.
func TestDashboardRefused(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	b.signIn()
	b.away()
	b.beyondPlan()
	b.slowly()
	b.tooOften()
}

// saveForm finds the button that submits the form of a sheet.
const saveForm = `document.querySelector('dialog[open] .formfoot .btn.primary')`

func (b *env) types(name string) {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/offers?id=new")
	b.waitIdle()
	b.fill(byLabel("dialog[open]", "Name"), name)
	b.fill(byLabel("dialog[open]", "URL"), "https://offer.example/")
}

func (b *env) stillTyped(name string) {
	b.t.Helper()
	if got := b.run(byLabel("dialog[open]", "Name") + `?.value`); got != name {
		b.t.Errorf("the typed name is now %q", got)
	}
}

func (b *env) away() {
	b.t.Helper()
	cut := func(on bool) {
		b.call("Network.emulateNetworkConditions", map[string]any{"offline": on, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}, nil)
	}
	b.types("typed away")
	cut(true)
	b.tap(saveForm)
	b.waitText("You are offline, so this was not done.")
	b.stillTyped("typed away")
	cut(false)
	b.tap(saveForm)
	b.waitText("typed away is saved")
	b.goTo(b.f.URL + "/app/campaigns")
	b.waitIdle()
	cut(true)
	b.waitText("You are offline.")
	b.tap(`document.querySelector('tr[data-row] [role=switch]')`)
	b.waitText("You are offline, so this was not done.")
	b.run(`document.querySelector('.nav a[href^="/app/offers"]').click()`) // nothing of that screen can be loaded
	cut(false)
	b.waitText("typed away")
	b.until("the page no longer says that it is offline", func() bool { return !strings.Contains(b.run(`document.querySelector('main').innerText`), "offline") })
}

func (b *env) beyondPlan() {
	b.t.Helper()
	ctx := b.t.Context()
	var accounts []struct{ ID string }
	if err := b.f.Command(ctx, &accounts, "accounts", "list"); err != nil || len(accounts) != 1 {
		b.t.Fatal(accounts, err)
	}
	move := func(plan string) {
		if err := b.f.Command(ctx, nil, "accounts", "update", accounts[0].ID, "--plan", plan); err != nil {
			b.t.Fatal(err)
		}
	}
	for i := range 50 {
		offer := map[string]any{"name": fmt.Sprint("offer ", i), "url": "https://offer.example/"}
		if err := b.api.Create(ctx, "/offers", offer, nil); err != nil {
			b.t.Fatal(err)
		}
	}
	move("starter")
	b.types("typed beyond")
	b.tap(saveForm)
	b.waitText("The plan does not include this, or its limit is reached.")
	b.sound("refused-plan")
	b.stillTyped("typed beyond")
	move("scale")
	b.tap(saveForm)
	b.waitText("typed beyond is saved")
}

// toReports goes to the reports without reloading the page.
const toReports = `document.querySelector('.nav a[href^="/app/reports"]').click()`

// reported waits for the report, and retries it if it was refused.
func (b *env) reported() {
	b.t.Helper()
	b.until("the report is shown", func() bool {
		return b.run(`document.querySelector('.failed .btn')?.click(), [...document.querySelectorAll('tr[data-row]')].some(r => r.textContent.includes('DACH nutra')) ? 'yes' : ''`) == "yes"
	})
}

// slowly opens a report while PostgreSQL is frozen. The page shows a skeleton of the report at once.
func (b *env) slowly() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/more")
	b.waitIdle()
	server, err := b.f.Postgres()
	if err == nil {
		err = server.Freeze()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = server.Thaw() }) // a frozen server cannot be stopped
	b.run(toReports)
	b.until("the skeleton of the report is shown", func() bool {
		return b.run(`document.querySelector('.skeleton') && document.querySelector('.bar') ? 'yes' : ''`) == "yes"
	})
	b.sound("slow")
	if err := server.Thaw(); err != nil {
		b.t.Fatal(err)
	}
	b.reported()
}

// tooOften opens a report while calls reach the limit of calls per minute. With 200 calls at a time, even a busy machine reaches
// it.
func (b *env) tooOften() {
	b.t.Helper()
	const refusal = "Too many requests at once. Wait a moment."
	const flood = `new Promise(ok => void (async () => {
		while (!window.calm) {
			const all = await Promise.all(Array.from({length: 200}, () => fetch('/api/v1/campaigns?limit=none')))
			if (all.some(r => r.status === 429)) ok('refused')
		}
	})())`
	open := func() {
		b.goTo(b.f.URL + "/app/more")
		b.waitIdle()
		if got := b.await(flood); got != "refused" {
			b.t.Fatalf("the calls are answered with %q, want a refusal", got)
		}
		b.run(toReports)
	}
	open()
	b.until("a report is refused", func() bool {
		shown := b.run(`document.body.innerText`)
		isRefused := strings.Contains(shown, refusal)
		if !isRefused && strings.Contains(shown, "DACH nutra") {
			open()
		}
		return isRefused
	})
	b.run(`window.calm = 'yes'`)
	b.sound("refused-rate")
	b.reported()
}

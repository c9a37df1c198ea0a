package browser

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"switchyard/models/parttest"
	"switchyard/ops/client"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
)

// entryForm matches the sign-in link in the output of `up`.
var entryForm = regexp.MustCompile(`(http://\S+/app/welcome#\S+)`)

// axePath is the path of the axe script, which finds parts of a page that people cannot perceive or operate.
const axePath = "../../../../api/dashboard/web/node_modules/axe-core/axe.min.js"

// env is the dashboard of a service with the history of the demo account, in a browser.
type env struct {
	*page
	f     *fleet.Fleet
	entry string
	api   *client.API
	axe   string
}

// newEnv starts a service and a browser. The test is skipped if the axe script is missing.
func newEnv(t *testing.T, settings ...string) *env {
	t.Helper()
	return newEnvOf(t, fleet.Options{Env: settings})
}

func newEnvOf(t *testing.T, o fleet.Options) *env {
	t.Helper()
	axe, err := os.ReadFile(axePath)
	if err != nil {
		t.Skipf("the dashboard is not built here: run `make build` on a machine with npm (%v)", err)
	}
	o.Env = append(o.Env, "OPS_ADDR=")
	b := &env{f: e2e.StartFleet(t, o), axe: string(axe)}
	p, err := b.f.Spawn("up")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.f.WaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	key := regexp.MustCompile(`\b(sy_\w+)\s+\(full`)
	err = client.Poll(t.Context(), 50*time.Millisecond, func() (bool, error) {
		log := p.Log()
		if strings.Contains(string(log), "has no traffic") {
			return false, errors.New(string(log))
		}
		if found := key.FindSubmatch(log); found != nil {
			b.api = client.New(b.f.URL, string(found[1]))
		}
		if found := entryForm.FindSubmatch(log); found != nil {
			b.entry = string(found[1])
		}
		return b.entry != "" && b.api != nil && strings.Contains(string(log), "clicks of the last days"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b.page = openPage(t)
	b.removeSecureFeatures()
	b.pinUndoToasts()
	b.watch()
	b.call("Page.enable", nil, nil)
	const errors = `addEventListener('error', e => (window.wrongs ??= []).push(e.message ?? 'error'));
		addEventListener('unhandledrejection', e => (window.wrongs ??= []).push(String(e.reason)));
		addEventListener('securitypolicyviolation', e => (window.wrongs ??= []).push('policy ' + e.violatedDirective))`
	b.call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": errors}, nil)
	return b
}

// removeSecureFeatures removes from the page the features that browsers give only to pages loaded over https or from the same
// machine. An operator who runs the service in a private network may use http.
func (b *env) removeSecureFeatures() {
	b.t.Helper()
	const source = `for (const name of ['randomUUID', 'subtle']) delete Crypto.prototype[name]; delete Navigator.prototype.clipboard`
	b.call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": source}, nil)
}

// pinUndoToasts keeps toasts that have a button, such as "Undo", open. On a busy machine they could close before a test presses
// the button.
func (b *env) pinUndoToasts() {
	b.t.Helper()
	const source = `new MutationObserver(() => document.querySelectorAll('.toast:has(button):not([data-kept])').forEach(e => {
		e.dataset.kept = 'yes'; e.dispatchEvent(new MouseEvent('mouseenter')) })).observe(document, {childList: true, subtree: true})`
	b.call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": source}, nil)
}

func (b *env) signIn() {
	b.t.Helper()
	b.goTo(b.entry)
	b.fill(`document.querySelector('form.enter [name=password]')`, peoplePassword)
	b.tap(`document.querySelector('form.enter .btn.primary:not(:disabled)')`)
	b.until("the overview shows figures", func() bool { return b.run(`document.querySelector('.kpi b')?.textContent`) != "" })
}

func (b *env) setScreen(width int, theme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": map[bool]int{true: 844, false: 1000}[width < 500], "deviceScaleFactor": 1, "mobile": false,
	}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
		{"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": "reduce"},
	}}, nil)
	b.drawn()
}

// drawn waits for two frames, because the page measures a box in the frame after the box has changed its size.
func (b *env) drawn() {
	b.t.Helper()
	b.await(`new Promise(ok => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(ok, 0, ''))))`)
}

// waitIdle waits until nothing is loading.
func (b *env) waitIdle() {
	b.t.Helper()
	b.until("nothing loads", func() bool {
		busy, err := b.evaluate(`document.querySelector('.bar, [aria-busy=true]') ? 'busy' : document.querySelector('#app')?.childElementCount`)
		return err == nil && busy != "busy" && busy != "0" && busy != ""
	})
}

// allParts is the screen that shows every part, including a failed part.
const allParts = "/app/_parts"

// everywhere checks each screen in both themes, wide and narrow. If `ready` is not nil, it prepares a screen.
func (b *env) everywhere(pages map[string]string, ready func(name string)) {
	b.t.Helper()
	for name, path := range pages {
		b.goTo(b.f.URL + path)
		b.waitIdle()
		if failed := b.run(`document.querySelector('.failed')?.textContent`); failed != "" && path != allParts {
			b.t.Errorf("%s shows the failed part %q", name, failed)
		}
		if ready != nil {
			ready(name)
		}
		for _, width := range []int{1440, 390} {
			of := name + "-" + strconv.Itoa(width)
			b.setScreen(width, "light")
			b.waitIdle()
			b.sound(of + "-light")
			b.setScreen(width, "dark")
			b.waitIdle()
			b.colored(of + "-dark")
		}
	}
	b.setScreen(1440, "light")
}

// sound checks that a screen fits and that axe finds no fault, and stores a picture.
func (b *env) sound(name string) {
	b.t.Helper()
	b.fits(name)
	b.inspect(name, `{resultTypes: ['violations']}`)
	b.screenshot(name)
}

// colored checks a screen in the dark theme, after the method sound has checked it in the light theme. axe checks only the
// colours, because a theme changes nothing else.
func (b *env) colored(name string) {
	b.t.Helper()
	b.fits(name)
	b.inspect(name, `{resultTypes: ['violations'], runOnly: {type: 'rule', values: ['color-contrast', 'link-in-text-block']}}`)
	b.screenshot(name)
}

func (b *env) inspect(name, options string) {
	b.t.Helper()
	ask := `axe.run(` + options + `).then(r => JSON.stringify(r.violations.map(v => [v.id, v.nodes[0].html, v.nodes[0].failureSummary])))`
	if b.run(`typeof axe`) == "undefined" {
		ask = b.axe + ";" + ask
	}
	if found := b.await(ask); found != "[]" {
		b.t.Errorf("%s: axe finds %s", name, found)
	}
}

// fits checks that a screen fits its width, squeezes no text, had no error, and requested no other host.
func (b *env) fits(name string) {
	b.t.Helper()
	b.drawn()
	width, _ := strconv.Atoi(b.run(`document.documentElement.scrollWidth`))
	if inner, _ := strconv.Atoi(b.run(`innerWidth`)); width > inner {
		b.t.Errorf("%s: the page is %d wide on a screen of %d, because of %s", name, width, inner, b.run(`[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1).slice(-3).map(e => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40)).join(', ')`))
	}
	if sideways := b.run(sidewaysBoxes); sideways != "[]" {
		b.t.Errorf("%s: these boxes scroll sideways, or hide the current link: %s", name, sideways)
	}
	if squeezed := b.run(squeezedTexts); squeezed != "[]" {
		b.t.Errorf("%s: these texts are squeezed: %s", name, squeezed)
	}
	if wrongs := b.run(`JSON.stringify(window.wrongs ?? [])`); wrongs != "[]" {
		b.t.Errorf("%s: the page had the errors %s", name, wrongs)
	}
	for _, address := range b.requested() {
		if !strings.HasPrefix(address, b.f.URL+"/") && !strings.HasPrefix(address, "data:") {
			b.t.Errorf("%s asks another host: %s", name, address)
		}
	}
}

// sidewaysBoxes lists the boxes that scroll sideways although they must not, and the link of the current screen if it is hidden.
const sidewaysBoxes = `JSON.stringify([...document.querySelectorAll('dialog[open] .sheet, .rooms-list' + (innerWidth > 720 ? ', .yardbox' : ''))].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.className + ' ' + e.scrollWidth + ' > ' + e.clientWidth)
	.concat([...document.querySelectorAll('.rooms-list [aria-current]')].filter(e => { const r = e.getBoundingClientRect(), l = e.closest('.rooms-list').getBoundingClientRect(); return l.width && (r.height === 0 || r.bottom > l.bottom + 1 || r.top < l.top - 1) }).map(e => e.textContent)))`

// squeezedTexts lists the texts with so little room that their words break into a column of letters.
const squeezedTexts = `JSON.stringify([...document.querySelectorAll('body *')].filter(e => e.clientWidth > 0 && e.clientWidth < 40 && !e.closest('.hidden') && e.checkVisibility({visibilityProperty: true}) &&
	[...e.childNodes].some(n => { if (n.nodeType !== 3) return false; const r = document.createRange(); r.selectNode(n); return r.getClientRects().length > 3 })).map(e => e.textContent.slice(0, 40) + ' ' + e.className))`

// screenshot writes a picture of the screen into the directory in SWITCHYARD_SCREENS, which `make screens` sets.
func (b *env) screenshot(name string) {
	b.t.Helper()
	dir := os.Getenv("SWITCHYARD_SCREENS")
	if dir == "" {
		return
	}
	size := struct{ W, H int }{}
	if err := json.Unmarshal([]byte(b.run(`JSON.stringify({w: innerWidth, h: Math.min(2400, document.documentElement.scrollHeight)})`)), &size); err != nil {
		b.t.Fatal(err)
	}
	var got struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{
		"format": "png", "captureBeyondViewport": true, "clip": map[string]any{"x": 0, "y": 0, "width": size.W, "height": size.H, "scale": 1},
	}, &got)
	picture, err := base64.StdEncoding.DecodeString(got.Data)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// press presses a key. A single character is typed.
func (b *env) press(key string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		ask := map[string]any{"type": kind, "key": key}
		if key == "Escape" {
			ask["windowsVirtualKeyCode"] = 27 // a dialog reads this code
		}
		if len(key) == 1 && kind == "keyDown" {
			ask["text"] = key
		}
		b.call("Input.dispatchKeyEvent", ask, nil)
	}
}

// TestDashboard: a user signs in with the link of the first start, which works once. The reports show the figures of the API.
func TestDashboard(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	b.goTo(b.f.URL + "/app")
	b.waitText("Sign in")
	b.signIn()
	b.everywhere(map[string]string{"overview": "/app", "reports": "/app/reports", "more": "/app/more"}, func(name string) {
		if name == "reports" {
			b.open("DACH nutra · mobile")
		}
	})
	b.equalsAPI()
	b.drills()
	b.saysWhatFails()
	b.goTo(b.entry)
	b.waitText("used already")
}

// open expands a row of the report by its name.
func (b *env) open(name string) {
	b.t.Helper()
	row := `[...document.querySelectorAll('tr[aria-level="1"]')].find(r => r.querySelector('.name')?.textContent === ` + strconv.Quote(name) + `)`
	b.until("the row "+name+" is shown", func() bool { return b.run(row+`?.ariaExpanded`) != "" })
	if b.run(row+`.ariaExpanded`) == "false" {
		b.run(row + `.querySelector('.tw').click()`)
	}
	b.until("the rows below "+name+" are shown", func() bool { return b.run(row+`.nextElementSibling?.ariaLevel`) == "2" })
}

// equalsAPI compares the clicks and conversions of each country in the report with the API.
func (b *env) equalsAPI() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/reports?cmp=none&g=country,device_type&c=clicks,conversions")
	b.waitIdle()
	var want struct {
		Rows []struct {
			Dims                map[string]string
			Clicks, Conversions int64
		}
		Totals struct{ Clicks, Conversions int64 }
	}
	if err := b.api.Get(b.t.Context(), "/reports/performance?dimension=country", &want); err != nil {
		b.t.Fatal(err)
	}
	if len(want.Rows) < 5 || want.Totals.Clicks < 100 {
		b.t.Fatalf("the history is %+v, want at least 5 countries and 100 clicks", want)
	}
	shown := map[string][2]int64{}
	var cells [][]string
	text := b.run(`JSON.stringify([...document.querySelectorAll('tr[aria-level="1"]:not(.total)')].map(r => [r.querySelector('.cc')?.textContent ?? '', ...[...r.querySelectorAll('td')].slice(1).map(c => c.firstChild.textContent.replaceAll(',', ''))]))`)
	if err := json.Unmarshal([]byte(text), &cells); err != nil {
		b.t.Fatal(err)
	}
	for _, c := range cells {
		clicks, _ := strconv.ParseInt(c[1], 10, 64)
		conversions, _ := strconv.ParseInt(c[2], 10, 64)
		shown[c[0]] = [2]int64{clicks, conversions}
	}
	for _, row := range want.Rows {
		if got := shown[row.Dims["country"]]; got != [2]int64{row.Clicks, row.Conversions} {
			b.t.Errorf("%v: the report shows %v, the API has %d and %d", row.Dims, got, row.Clicks, row.Conversions)
		}
	}
}

// drills opens a row and filters the report by the row below it, with keys alone.
func (b *env) drills() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/reports?cmp=none")
	b.waitIdle()
	b.press("ArrowDown")
	b.until("a row has the focus", func() bool { return b.run(`document.activeElement.ariaExpanded`) == "false" })
	b.press("ArrowRight")
	b.until("the row is open", func() bool { return strings.Contains(b.run(`location.search`), "o=") })
	b.waitIdle()
	b.press("ArrowDown")
	b.until("the row below has the focus", func() bool { return b.run(`document.activeElement.ariaLevel`) == "2" })
	b.press("f")
	b.until("the report is filtered by the row", func() bool { return b.run(`document.querySelectorAll('.chip.on').length`) == "2" })
	b.waitIdle()
	b.run(`history.back()`)
	b.until("the filters are off", func() bool { return b.run(`document.querySelectorAll('.chip.on').length`) == "0" })
	b.press("?")
	b.until("the list of keys is open", func() bool { return b.run(`document.querySelector('dialog[open] .keys')?.textContent`) != "" })
	b.press("Escape")
	b.until("the list of keys is closed", func() bool { return b.run(`document.querySelector('dialog[open]') ? 'open' : ''`) == "" })
}

// saysWhatFails: the page reports an error in the place of the part that failed, and "Try again" loads that part.
func (b *env) saysWhatFails() {
	b.t.Helper()
	fails := func(status, code string) {
		b.run(`(window.real ??= window.fetch, window.fetch = async (a, o) => String(a).includes('/performance') ? new Response(JSON.stringify({data: null, error: {code: '` + code + `', message: 'm'}}), {status: ` + status + `}) : window.real(a, o), 1)`)
	}
	for code, c := range map[string]struct{ status, says string }{
		"rate_limited": {"429", "Too many requests"}, "plan_limit": {"402", "plan does not include"}, "unavailable": {"503", "cannot reach its data"},
		"role_required": {"403", "Your role does not allow"},
	} {
		b.goTo(b.f.URL + "/app/more")
		b.waitIdle()
		fails(c.status, code)
		b.run(`document.querySelector('.nav a[href^="/app/reports"]').click()`)
		b.waitText(c.says)
		b.run(`(window.fetch = window.real, 1)`)
		b.run(`document.querySelector('.failed .btn').click()`)
		b.waitText("DACH nutra")
	}
	b.run(`fetch('/app/api/session', {method: 'DELETE', headers: {'X-Switchyard-Page': '1'}})`)
	b.until("the sign-in is shown over the screen", func() bool {
		b.run(`document.dispatchEvent(new Event('visibilitychange'))`)
		return b.run(`document.querySelector('dialog[open] h1')?.textContent`) == "Sign in"
	})
}

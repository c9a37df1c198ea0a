package browser

import (
	"strconv"
	"strings"
	"testing"

	"switchyard/models/parttest"
)

// Each pressed key, and each combination of keys, counts as one action.
func (a *actions) press(key string) { a.t.Helper(); a.n++; a.env.press(key) }

func (a *actions) chord(modifier int, key string) { a.t.Helper(); a.n++; a.env.chord(modifier, key) }

// extend clicks a checkbox of a list while Shift is held down.
func (a *actions) extend(control string) {
	a.t.Helper()
	a.n++
	a.until("there is "+control, func() bool { return a.run(`(`+control+`) ? 'yes' : ''`) == "yes" })
	a.run(`(` + control + `).dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, shiftKey: true}))`)
}

func (a *actions) item(text string) {
	a.t.Helper()
	a.tap(`[...document.querySelectorAll('.menu:popover-open .item')].find(e => e.textContent.trim().startsWith(` + strconv.Quote(text) + `))`)
}

// find types a text into the search of the open menu and picks the first line.
func (a *actions) find(text string) {
	a.t.Helper()
	a.fill(`document.querySelector('.menu:popover-open input[type=search]')`, text)
	a.until("a line for "+text, func() bool {
		return strings.Contains(a.run(`document.querySelector('.menu:popover-open .searches .item')?.textContent`), text)
	})
	a.press("Enter")
}

// named returns an expression for the visible control with a name: its aria-label, or else its text.
func named(name string) string {
	return `[...document.querySelectorAll('button, input')].find(e => e.checkVisibility() && (e.getAttribute('aria-label') ?? e.textContent).trim() === ` + strconv.Quote(name) + `)`
}

func pick(row int) string {
	return `document.querySelector('tr[data-row="` + strconv.Itoa(row) + `"] input[type=checkbox]')`
}

// TestDashboardTasks: a buyer does each task that is marked ✓ in ops/docs/tasks.md, with at most as many actions as its row says.
func TestDashboardTasks(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	b.signIn()
	b.setScreen(1440, "light")
	tasks := []struct {
		name, page string
		most       int
		do         func(*actions)
	}{
		{"losing placements of a campaign", "/app/campaigns", 6, (*actions).findsLosers},
		{"block ten of them", "", 4, (*actions).blocksTen},
		{"a copy for another country", "/app/campaigns", 7, (*actions).copiesCampaign},
		{"a new source with its parameters", "/app/sources", 4, (*actions).addsSource},
		{"why a click went there", "/app/clicks", 1, (*actions).readsClick},
		{"two landing pages compared", "/app/campaigns", 2, (*actions).comparesPages},
		{"profit by hour", "/app/reports", 2, (*actions).seesHours},
		{"a filtered view, saved and shared", "/app/reports", 10, (*actions).sharesView},
		{"a column with a formula", "/app/reports", 3, (*actions).addsFormula},
		{"three campaigns paused", "/app/campaigns", 3, (*actions).pausesThree},
	}
	for _, task := range tasks {
		if task.page != "" {
			b.goTo(b.f.URL + task.page)
			b.waitIdle()
		}
		a := &actions{env: b}
		task.do(a)
		if a.n > task.most {
			t.Errorf("%s: %d actions, at most %d are wanted", task.name, a.n, task.most)
		}
	}
}

const nutra = "DACH nutra · mobile"

// findsLosers shows the placements of a campaign, the largest loss first.
func (a *actions) findsLosers() {
	a.tap(named("Actions for " + nutra))
	a.item("Report")
	a.waitText("zoneid (Sub 1)")
	a.tap(button("Last 7 days"))
	a.item("Yesterday")
	a.waitText("vs the day before")
	for _, sort := range []string{"descending", "ascending"} {
		a.tap(`[...document.querySelectorAll('th button')].find(e => e.textContent.trim() === 'Profit')`)
		a.until("the report is sorted by profit", func() bool {
			return a.run(`document.querySelector('th[aria-sort="`+sort+`"]')?.textContent.trim()`) == "Profit"
		})
		a.waitIdle()
	}
}

func (a *actions) blocksTen() {
	a.tap(pick(0))
	a.extend(pick(9))
	a.press("b")
	a.waitText("Block 10 values of zoneid (Sub 1)")
	a.tap(blockNow)
	a.waitText("Blocked: 10 values")
}

func (a *actions) copiesCampaign() {
	a.tap(named("Actions for " + nutra))
	a.item("Clone")
	a.tap(named("Edit Android in Germany"))
	a.tap(named("Remove Germany"))
	a.choose(named("Value of Country"), "France")
	a.chord(2, "s")
	a.waitText("The flow is live")
	a.waitText(nutra + " (copy)")
	a.until("the copy is for France", func() bool {
		return strings.Contains(a.run(`[...document.querySelectorAll('.node')].map(e => e.textContent).join()`), "Country is France")
	})
}

func (a *actions) addsSource() {
	a.tap(button("New traffic source"))
	a.choose(`document.querySelector('.side-sheet [role=combobox]')`, "Zeropark")
	a.until("the template fills the form", func() bool { return a.run(byLabel(".side-sheet", "Name")+`?.value`) == "Zeropark" })
	a.tap(saveForm)
	a.waitText("Zeropark is saved")
}

func (a *actions) readsClick() {
	a.tap(`document.querySelector('tr[data-row]')`)
	a.waitText("Why it went there")
}

func (a *actions) comparesPages() {
	a.tap(rowOf(nutra)) // a campaign with clicks opens on its figures
	a.waitText("Which is better")
	a.tap(`[...document.querySelectorAll('section:last-of-type .seg button')].findLast(e => e.textContent.trim() === 'Landing pages')`)
	a.waitText("Behind the best")
	a.waitText("Quiz v3")
}

func (a *actions) seesHours() {
	a.press("t")
	a.waitText("Total over time")
	a.tap(`[...document.querySelectorAll('dialog[open] .seg button')].find(e => e.textContent.trim() === 'Hour')`)
	a.until("the button Hour is pressed", func() bool {
		return a.run(`[...document.querySelectorAll('dialog[open] .seg [aria-pressed=true]')].map(e => e.textContent.trim()).join()`) == "Hour"
	})
}

func (a *actions) sharesView() {
	a.tap(button("Filter"))
	a.find("Country")
	a.waitText("Germany")
	a.find("Germany")
	a.until("the report is filtered", func() bool { return a.run(`new URL(location).searchParams.get('f.country')`) == "DE" })
	a.tap(button("Views"))
	a.item("Save as")
	a.fill(byLabel("dialog[open]", "Name"), "Germany")
	a.tap(`document.querySelector('dialog[open] [role=switch], dialog[open] input[type=checkbox]')`)
	a.tap(`document.querySelector('dialog[open] .btn.primary:enabled')`)
	a.until("the view is open", func() bool { return a.run(`new URL(location).searchParams.has('view')`) == "true" })
}

func (a *actions) addsFormula() {
	a.tap(button("Columns"))
	a.find("Cost / Clicks * 1000")
	a.until("the column is shown", func() bool {
		return a.run(`document.querySelector('th:last-child').textContent`) == "Cost / Clicks * 1000"
	})
	a.until("the total of the column is shown", func() bool {
		return strings.Contains(a.run(`document.querySelector('tr.total td:last-child').textContent`), "$")
	})
}

func (a *actions) pausesThree() {
	a.tap(pick(0))
	a.extend(pick(2))
	a.tap(named("Pause"))
	a.waitText("3 campaigns are paused")
}

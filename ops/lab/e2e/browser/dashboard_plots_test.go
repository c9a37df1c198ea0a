package browser

import (
	"strconv"
	"strings"
	"testing"

	"switchyard/models/parttest"
)

type plotsEnv struct{ *env }

// TestDashboardPlots: reports can be sorted by their first column, and seen over time, as a heat map and as a chart.
func TestDashboardPlots(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := &plotsEnv{newEnv(t)}
	b.signIn()
	b.setScreen(1440, "light")
	b.ordered()
	b.overTime()
	b.charts()
	b.today()
}

// names returns the names of the rows in sight, joined by "|".
func (b *plotsEnv) names() string {
	b.t.Helper()
	return b.run(`[...document.querySelectorAll('tr[aria-level="1"]:not(.total) td.first .name')].map(e => e.textContent).join('|')`)
}

func (b *plotsEnv) report(query string) {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/reports?" + query)
	b.until("there are rows of "+query, func() bool { return b.names() != "" })
	b.waitIdle()
}

// ordered checks how reports are sorted, before and after presses on the heads of columns.
func (b *plotsEnv) ordered() {
	b.t.Helper()
	const head = `document.querySelector('.report th.first')`
	sorted := func(collate string) string {
		return b.run(`(l => String(l.every((n, i) => !i || (` + collate + `)(l[i - 1], n) <= 0)))([...document.querySelectorAll('tr[aria-level="1"]:not(.total) td.first .name')].map(e => e.textContent))`)
	}
	const byText, byName = `(a, b) => a < b ? -1 : 1`, `new Intl.Collator('en', {numeric: true}).compare`
	for _, dimension := range []string{"date", "hour_of_day"} {
		b.report("cmp=none&w=7d&g=" + dimension)
		if got := sorted(byText); got != "true" {
			b.t.Errorf("the rows by %s are not in order: %s", dimension, b.names())
		}
		first := b.names()
		b.tap(head + `.querySelector('button')`)
		b.until("the order is reversed", func() bool { return b.run(head+`.ariaSort`) == "descending" && b.names() != first })
	}
	b.report("cmp=none&w=7d&g=day_of_week")
	if got := b.names(); !strings.HasPrefix(got, "Monday|Tuesday") {
		b.t.Errorf("the weekdays are in the order %s, want Monday first", got)
	}
	b.tap(`[...document.querySelectorAll('.report th button')].find(e => e.textContent.startsWith('Clicks'))`)
	b.until("the report is sorted by clicks", func() bool { return strings.Contains(b.run(`location.search`), "sort=-clicks") })
	b.report("cmp=none&w=7d&g=country")
	b.tap(head + `.querySelector('button')`)
	b.until("the report is sorted by name", func() bool { return b.run(head+`.ariaSort`) == "ascending" && sorted(byName) == "true" })
}

func (b *plotsEnv) overTime() {
	b.t.Helper()
	b.report("w=7d&g=country")
	b.press("t")
	b.until("the total over time is shown", func() bool { return b.run(`document.querySelector('dialog .uplot') ? 'yes' : ''`) == "yes" })
	if got := b.run(`document.querySelector('dialog h2').textContent`); got != "Total over time" {
		b.t.Errorf("the sheet is named %q", got)
	}
	if got := b.run(`[...document.querySelectorAll('dialog .legend > span')].map(e => e.textContent).join('|')`); got != "Profit|Clicks|Profit, previous|not over yet" {
		b.t.Errorf("the legend is %q, want profit, clicks, the previous profit and the unfinished step", got)
	}
	b.sound("overtime")
	b.tap(`document.querySelector('dialog [aria-label="As a table"]')`)
	const ends = `[...document.querySelectorAll('dialog .astable td:first-child')].slice(-2).map(e => e.textContent.includes('not over yet')).join('|')`
	b.until("only today is not over yet", func() bool { return b.run(ends) == "false|true" })
	b.tap(`document.querySelector('dialog [aria-label="As a plot"]')`)
	b.tap(`document.querySelector('dialog [aria-label="Show by"] button:first-child')`)
	b.waitIdle()
	b.tap(button("Weekday × hour"))
	const cells = `document.querySelectorAll('dialog .heatmap td:not(.sum)')`
	b.until("the hours of the week are shown", func() bool { return b.run(cells+`.length`) == "168" })
	for _, theme := range []string{"light", "dark"} {
		b.setScreen(1440, theme)
		b.sound("heat-" + theme)
	}
	b.setScreen(390, "light")
	b.sound("heat-phone")
	b.setScreen(1440, "light")
	b.run(`(s => { s.value = 'clicks'; s.dispatchEvent(new Event('change', {bubbles: true})) })(document.querySelector('dialog select'))`)
	total := `document.querySelector('.report tr.total td:nth-child(2)').firstChild.textContent`
	b.until("the clicks of the week are shown", func() bool {
		return b.run(`document.querySelector('dialog .heatmap tr:last-child td:last-child')?.textContent`) == b.run(total)
	})
	b.tap(`document.querySelector('dialog [aria-label="As a table"]')`)
	b.until("the values are shown", func() bool {
		sum := b.run(`String([...` + cells + `].reduce((n, c) => n + Number(c.textContent.replaceAll(',', '')), 0))`)
		return sum == strings.ReplaceAll(b.run(total), ",", "")
	})
	b.sound("heat-table")
	b.tap(`document.querySelector('dialog [aria-label="As a plot"]')`)
	b.tap(button("Delay"))
	b.until("the delays are shown", func() bool { return b.run(`document.querySelectorAll('dialog .columns .bars > span').length`) == "14" })
	b.sound("delay")
	b.press("Escape")
	b.run(`document.querySelector('tr[data-row="0"]').focus()`)
	b.press("t")
	first, _, _ := strings.Cut(b.names(), "|")
	b.until("a row over time is shown", func() bool {
		return b.run(`document.querySelector('dialog h2')?.textContent`) == first+" over time"
	})
	b.press("Escape")
}

func (b *plotsEnv) charts() {
	b.t.Helper()
	b.report("w=7d&g=country")
	b.tap(button("Chart"))
	for kind, has := range map[string]string{
		"Bars": ".hbars [role=listitem]", "Lines": ".chart .uplot", "Map": ".world path.has", "Share": ".chart .shares li, .chart p.dim",
	} {
		b.until("the kinds of chart are listed", func() bool {
			return b.run(`document.querySelector('.chart [aria-label="Kind of chart"]') ? 'yes' : ''`) == "yes"
		})
		b.tap(`[...document.querySelectorAll('.chart [aria-label="Kind of chart"] button')].find(e => e.textContent === ` + strconv.Quote(kind) + `)`)
		b.until("the chart "+kind+" is shown", func() bool { return b.run(`document.querySelector('`+has+`') ? 'yes' : ''`) == "yes" })
		b.waitIdle()
		b.sound("chart-" + strings.ToLower(kind))
	}
	b.report("w=7d&g=date&chart=bars")
	b.until("the days are shown", func() bool { return b.run(`document.querySelectorAll('.chart .columns .bars > span').length`) == "7" })
	b.setScreen(390, "dark")
	b.sound("chart-days-phone")
	b.setScreen(1440, "light")
}

func (b *plotsEnv) today() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app")
	b.waitText("Today so far")
	b.waitIdle()
	if got := b.run(`[...document.querySelectorAll('section')].find(s => s.textContent.startsWith('Today so far'))?.querySelector('.legend')?.textContent`); got != "TodayUsual" {
		b.t.Errorf("the card of today has the legend %q", got)
	}
	b.sound("today")
}

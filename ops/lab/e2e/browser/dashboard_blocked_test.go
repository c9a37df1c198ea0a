package browser

import (
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/parttest"
)

// TestDashboardBlocks: a buyer selects placements of a report with the keyboard, blocks them, and allows them again.
func TestDashboardBlocks(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	b.signIn()
	b.setScreen(1440, "light")
	var campaigns struct{ Rows []struct{ ID string } }
	if err := b.api.Get(t.Context(), "/campaigns?limit=1", &campaigns); err != nil || len(campaigns.Rows) == 0 {
		t.Fatal(campaigns, err)
	}
	id := campaigns.Rows[0].ID
	b.explainsRefusal()
	b.goTo(b.f.URL + "/app/reports?cmp=none&g=sub1&x.sub1=&f.campaign_id=" + id)
	b.waitIdle()
	b.waitText("block the selected rows")
	b.selectTwo()
	b.press("b")
	b.waitText("Block 2 values of zoneid (Sub 1)")
	b.until("the figures of both values are shown", func() bool { return b.run(`document.querySelectorAll('dialog .plain tbody tr').length`) == "2" })
	b.waitText("Blocked visitors get the fallback of the campaign")
	b.sound("block")
	b.tap(blockNow)
	b.waitText("Blocked: 2 values")
	if rows := b.blocked(); len(rows) != 2 || rows[0].ScopeID.String() != id {
		t.Errorf("the blocked values are %+v, want two of the campaign", rows)
	}
	b.until("both rows are marked", func() bool { return b.run(`document.querySelectorAll('tr[data-row] .tag.bad').length`) == "2" })
	b.tap(button("Undo"))
	b.until("nothing is blocked", func() bool { return len(b.blocked()) == 0 })

	b.waitIdle()
	b.selectTwo()
	b.press("b")
	b.waitText("Block 2 values of zoneid (Sub 1)")
	b.tap(blockNow)
	b.until("the values are blocked again", func() bool { return len(b.blocked()) == 2 })
	b.goTo(b.f.URL + "/app/campaigns/" + id + "/flow")
	b.waitText("Blocked before any path")
	b.waitText("2 values, this campaign")
	b.sound("flow-blocked")
	rows := b.blocked()
	b.goTo(b.f.URL + "/app/blocked?list=" + rows[0].ListID.String())
	b.waitIdle()
	b.sound("blocked")
	b.tap(button("Copy as text"))
	b.until("the list is shown as text", func() bool {
		return strings.Contains(b.run(`document.querySelector('dialog pre')?.textContent`), rows[0].Value)
	})
	b.press("Escape")
	b.tap(`document.querySelector('tr[data-row] td.more button')`)
	b.waitText("Allowed again: 1 value")
	b.until("one blocked value is left", func() bool { return len(b.blocked()) == 1 })
}

// explainsRefusal: rows of landing pages cannot be blocked. The report offers no button for it and says why.
func (b *env) explainsRefusal() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/reports?cmp=none&w=30d&g=lander_id")
	b.waitIdle()
	b.selectTwo()
	b.waitText("These rows cannot be blocked")
	if shown := b.run(`[...document.querySelectorAll('.savebar button')].map(e => e.textContent).join()`); strings.Contains(shown, "Block") {
		b.t.Errorf("the report of landing pages has the buttons %s", shown)
	}
	if text := b.run(`document.querySelector('.statusbar').textContent`); strings.Contains(text, "block the selected rows") {
		b.t.Errorf("the keys of the report of landing pages are %s", text)
	}
	b.sound("block-refused")
	b.setScreen(390, "light")
	b.sound("block-refused-phone")
	b.setScreen(1440, "light")
}

const blockNow = `document.querySelector('dialog[open] footer .btn.primary:enabled')`

func (b *env) selectTwo() {
	b.t.Helper()
	b.run(`(document.activeElement.blur(), document.querySelector('tr[data-row="0"]').focus(), 1)`)
	b.press(" ")
	b.waitText("1 row selected")
	b.press("ArrowDown")
	b.until("the second row has the focus", func() bool { return b.run(`document.activeElement.dataset.row`) == "1" })
	b.press(" ")
	b.waitText("2 rows selected")
}

func (b *env) blocked() []models.BlockedValue {
	b.t.Helper()
	var list struct{ Rows []models.BlockedValue }
	if err := b.api.Get(b.t.Context(), "/blocks", &list); err != nil {
		b.t.Fatal(err)
	}
	return list.Rows
}

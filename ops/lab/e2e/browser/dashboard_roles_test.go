package browser

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/parttest"
)

// TestDashboardRoles: if the dashboard shows a control to a role, the service never refuses its action because of the role. A
// control that was pressed in a lesser role is pressed again only if it opens a menu.
func TestDashboardRoles(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	pressed, known := map[models.Role]int{}, map[string][]string{}
	for _, role := range []models.Role{models.RoleViewer, models.RoleContributor, models.RoleMember} {
		p := b.secondBrowser()
		p.entry = b.entryFor(string(role)+"@roles.example", role)
		p.signIn()
		p.setScreen(1440, "light")
		pressed[role] = p.pressAll(role, known)
	}
	t.Logf("pressed controls: %v", pressed)
	if pressed[models.RoleViewer] < 40 || pressed[models.RoleContributor] < 40 {
		t.Errorf("the numbers of pressed controls are %v, want at least 40 for a viewer and for a contributor", pressed)
	}
}

// pressAll presses each control that is not in known or that opens a menu. It adds the pressed controls to known and returns
// their number.
func (b *env) pressAll(role models.Role, known map[string][]string) (pressed int) {
	b.t.Helper()
	var rooms []string
	list := b.run(`JSON.stringify([...new Set([...document.querySelectorAll('.side a[href^="/app"]')].map(a => a.getAttribute('href').split('?')[0]))])`)
	if err := json.Unmarshal([]byte(list), &rooms); err != nil || len(rooms) < 15 {
		b.t.Fatal(list, err)
	}
	rooms = slices.DeleteFunc(rooms, func(path string) bool { return path == "/app/me" || path == "/app/licences" }) // the same for all
	added := map[string][]string{}
	for _, path := range rooms {
		for next := 0; next >= 0; {
			b.goTo(b.f.URL + path)
			b.waitIdle()
			var did struct {
				Next    int
				Pressed []string
				Refused []string
			}
			seen, err := json.Marshal(known[path])
			if err != nil {
				b.t.Fatal(err)
			}
			got := b.await(strings.NewReplacer("FROM", strconv.Itoa(next), "KNOWN", string(seen)).Replace(pressing))
			if err := json.Unmarshal([]byte(got), &did); err != nil {
				b.t.Fatalf("%s: %q: %v", path, got, err)
			}
			pressed, next = pressed+len(did.Pressed), did.Next
			added[path] = append(added[path], did.Pressed...)
			for _, r := range did.Refused {
				b.t.Errorf("the role %s is refused a call on %s: %s", role, path, r)
			}
		}
	}
	for path, names := range added {
		known[path] = append(known[path], names...)
	}
	return pressed
}

// pressing presses the controls of a screen, starting with control number FROM. If a control leads to another screen, the
// script ends, and next is the number of the control to go on with. After the last control, next is -1. refused are the calls that
// the role may not make.
const pressing = `(async () => {
	let pending = 0
	const refused = [], real = window.fetch, start = location.pathname
	window.fetch = async (a, o) => {
		pending++
		try {
			const r = await real(a, o)
			if (r.status === 403) {
				const code = (await r.clone().json()).error?.code
				if (code === 'role_required' || code === 'buyer_only') refused.push((o?.method ?? 'GET') + ' ' + a + ' after ' + last)
			}
			return r
		} finally { pending-- }
	}
	let last = ''
	const frame = () => new Promise(ok => requestAnimationFrame(() => setTimeout(ok)))
	const quiet = async () => { do { await frame(); await frame() } while (pending) }
	const shown = e => e.checkVisibility({visibilityProperty: true}) && !e.disabled && e.getAttribute('aria-disabled') !== 'true'
	const controls = () => [...document.querySelectorAll('main button, main [role=switch], header.top button')].filter(e => shown(e) && !e.closest('dialog, [popover], .find') && !e.closest('tr[data-row] ~ tr[data-row]'))
	const answer = async () => {
		for (let i = 0; i < 3 && document.querySelector('dialog[open]'); i++) {
			const open = [...document.querySelectorAll('dialog[open]')].at(-1)
			for (const b of [...open.querySelectorAll('.btn.primary, .btn.danger')].filter(shown)) { last += ' › ' + b.textContent.trim(); b.click(); await quiet() }
			if (open.open) open.requestClose()
			await quiet()
			if (open.open) open.close()
		}
	}
	const known = new Set(KNOWN), pressed = []
	const done = n => JSON.stringify({next: n, pressed, refused})
	for (let i = FROM; i < 60; i++) {
		const it = controls()[i]
		if (!it) break
		last = it.ariaLabel ?? it.textContent.trim().slice(0, 40)
		if (known.has(last) && !it.ariaHasPopup) continue
		pressed.push(last)
		it.click()
		await quiet()
		for (let j = 0; j < 12; j++) {
			if (j > 0 && !document.querySelector('.menu:popover-open')) { if (!it.isConnected) break; it.click(); await quiet() }
			const item = [...document.querySelectorAll('.menu:popover-open .item')].filter(shown)[j]
			if (!item) break
			last = (it.ariaLabel ?? '') + ' › ' + item.textContent.trim().slice(0, 40)
			if (known.has(last)) continue
			pressed.push(last)
			item.click()
			await quiet()
			await answer()
			if (location.pathname !== start) return done(i + 1)
		}
		document.querySelector('.menu:popover-open')?.hidePopover()
		await answer()
		if (location.pathname !== start) return done(i + 1)
	}
	return done(-1)
})()`

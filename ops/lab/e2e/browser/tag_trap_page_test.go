package browser

import "testing"

// hidesLink: once there is a click, and consent if the tag waits for it, the tag adds one link that people cannot find by sight,
// keyboard or screen reader. It is removed if the visitor refuses.
func (x tagTest) hidesLink(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	const (
		links = `[...document.links].map((a) => a.href).join()`
		found = `(() => { const a = document.querySelector('a[href*="/t/h/"]'), r = a.getBoundingClientRect();
			return [a.rel, a.tabIndex, a.getAttribute('aria-hidden'), r.width, r.height, a.textContent].join() })()`
		wide = `[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight].join()`
	)
	trap := x.URL + "/t/h/" + x.id
	see := func(p *page, when, want string) {
		t.Helper()
		if got := p.run(links); got != want {
			t.Errorf("%s the page has the links %q, want %q", when, got, want)
		}
	}
	address := x.page("/lander", "short", snippet(x.URL, "k"))
	p := x.fresh(t)
	p.goTo(address)
	p.loaded()
	see(p, "without a click", "")
	size := p.run(wide)
	p.goTo(address + "?clickid=" + x.id)
	p.loaded()
	see(p, "with a click", trap)
	if got := p.run(found); got != "nofollow,-1,true,0,0," {
		t.Errorf("the link is %s", got)
	}
	if got := p.run(wide); got != size {
		t.Errorf("without the link the page scrolls by %s, with the link by %s, want no difference", size, got)
	}
	p.run(`document.body.innerHTML = 'another page'`)
	p.run(`history.pushState(1, '', '/next')`)
	see(p, "on the next page", trap)
	p.run(`trk('consent', false)`)
	see(p, "after a refusal", "")
	p.unharmed()

	waits := x.fresh(t)
	waits.goTo(x.page("/waits", "short", snippet(x.URL, "k", `data-consent="wait"`)) + "?clickid=" + x.id)
	waits.loaded()
	see(waits, "before consent", "")
	waits.run(`trk('consent')`)
	see(waits, "after consent", trap)
	waits.unharmed()

	refuses := x.fresh(t, `Object.defineProperty(navigator, 'globalPrivacyControl', {value: true})`)
	refuses.goTo(address + "?clickid=" + x.id)
	refuses.loaded()
	see(refuses, "without tracking", "")
	refuses.unharmed()
}

package click

import "testing"

// TestHintsAreAskedFor checks that only browsers that already send client hints are asked for more, on pages and on redirects.
func TestHintsAreAskedFor(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaign("hinted", nil, path("redirect", nil, m{"url": "https://d.test/"}))
	w.campaign("by-page", nil, path("redirect", m{"transition": "js"}, m{"url": "https://d.test/"}))
	w.reload()
	brands := header("Sec-Ch-Ua", `"Chromium";v="138", "Not=A?Brand";v="8"`)
	for _, target := range []string{"/hinted", "/by-page"} {
		h := w.get(target, brands).Header
		if got := h.Get("Accept-Ch"); got != "Sec-CH-UA-Platform-Version, Sec-CH-UA-Model, Sec-CH-UA-Full-Version-List" {
			t.Errorf("%s asks for the hints %q, want the platform version, the model and the full versions", target, got)
		}
		if h["Critical-Ch"] != nil {
			t.Errorf("%s asks the browser to repeat the request", target)
		}
		if got := w.get(target, header("User-Agent", firefox)).Header; got["Accept-Ch"] != nil {
			t.Errorf("%s asks a browser without hints for %v", target, got["Accept-Ch"])
		}
	}
}

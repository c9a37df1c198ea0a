package click

import (
	"net/http"
	"testing"

	"switchyard/models"
)

// TestAddressesAsPeopleTypeThem requests tracking addresses with repeated slashes, with slashes at the end, and with punctuation at
// the end.
func TestAddressesAsPeopleTypeThem(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	n := w.network()
	lander, offer := w.lander("https://lp.test/?c={clickid}"), w.offer("https://offer.test/", n)
	w.campaign("summer-sale", nil, path("lander", nil, to(lander), to(offer)))
	w.reload()
	clicked := w.get("/summer-sale")
	id := models.FormatClickID(w.spool.last().ID)
	for target, want := range map[string]int{
		"/summer-sale/": 302, "/summer-sale//": 302, "/summer-sale.": 302, "/summer-sale)": 302, "/summer-sale).": 302, "/summer-sale/.": 302,
		"/summer-sale,?sub1=a": 302, "/summer-sale%22": 302, "/summer-sale%E2%80%9D": 302, "/summer-sale%20": 302, "/summer-sale%E2%80%8B": 302,
		"/summer-sale.php": 404, "/summer-sale/x": 404, "/summer-salé": 404, "/.": 404, "/summer-sal.": 404, "/summer-sale-": 404,
		"/out?clickid=" + id: 302, "/out/?clickid=" + id: 302, "/out/1?clickid=" + id: 302, "/out/1/?clickid=" + id: 302, "/out/1//?clickid=" + id: 302,
		"/out/x/?clickid=" + id: 404, "/out/1/2?clickid=" + id: 404,
		"/postback/?clickid=" + id: 200, "/postback/" + n.String() + "/?clickid=" + id: 200, "/postback/x/?clickid=" + id: 404,
		"//summer-sale": 302, "///summer-sale//?sub1=a": 302, "//out/1?clickid=" + id: 302, "/out//1?clickid=" + id: 302, "//x/summer-sale": 404,
		"//postback?clickid=" + id: 200, "//postback//" + n.String() + "?clickid=" + id: 200, "//pixel.gif?payout=1": 200, "//t.js": 200,
		"/pixel.gif/?payout=1": 200, "/t.js/": 200, "/robots.txt/": 200, "/lp/verify/?clickid=" + id: 200, "/t/event/": 405, "/t/goal/": 405,
	} {
		if res := w.get(target, withCookies(clicked.Cookies())); res.StatusCode != want {
			t.Errorf("%s: %d, want %d", target, res.StatusCode, want)
		}
	}
	for target, want := range map[string]int{"/t/goal/": 401, "/t/event/": 400, "/edge/clicks/": 404, "/summer-sale/": 405} {
		if res := w.send(http.MethodPost, target, "{}"); res.StatusCode != want {
			t.Errorf("POST %s: %d, want %d", target, res.StatusCode, want)
		}
	}
}

package foreign_test

import (
	"strings"
	"testing"

	"switchyard/models/foreign"
)

// TestRead reads addresses of other trackers, and similar addresses.
func TestRead(t *testing.T) {
	t.Parallel()
	link := func(form, id string) foreign.Address { return foreign.Address{Kind: foreign.Link, Form: form, ID: id} }
	out := func(slot int) foreign.Address { return foreign.Address{Kind: foreign.Out, Slot: slot} }
	postback, pixel, none := foreign.Address{Kind: foreign.Postback}, foreign.Address{Kind: foreign.Pixel}, foreign.Address{}
	for text, want := range map[string]foreign.Address{
		"x": link("path", "x"), "Ab.c~1?sub1=2": link("path", "Ab.c~1"), "go": link("path", "go"),
		"0a2b3c4d-1111-2222-3333-444455556666": link("path", "0a2b3c4d-1111-2222-3333-444455556666"),
		"click?key=K1":                         link("query", "K1"), "?key=K1": link("query", "K1"),
		"click.php?a=b&key=K1": link("php", "K1"), "index.php?key=K1": link("php", "K1"),
		"go/77": link("go", "77"), "cf/r/0f0f": link("cf", "0f0f"), "go/7/7": none, "cf/r/": none, "cf/x": none,
		"click": out(1), "click/3": out(3), "click/x": none, "click/0": none, "cf/click": out(1), "cf/click/2": out(2),
		"?_lp=1&_token=t": out(1), "click?lp=1&to_offer=2": out(2), "click.php?lp=1": out(1), "click?key=K1&lp=1": out(1),
		"click.php": none, "index.php?x=1": none, "?x=1": none, "": none,
		"k0k0/postback?subid=1": postback, "click?cnv_id=1": postback, "click.php?cnv_id=1&payout=2": postback,
		"cf/cv?click_id=1": postback, "cf/postback?cid=1": postback, "conversion.gif?cid=1": pixel, "conversion.gif": pixel,
		"out/postback": none, "lp/postback": none, "x/postback/y": none, "conversion.gif/x": none, "click?key=": out(1),
	} {
		path, query, _ := strings.Cut(text, "?")
		word, rest, _ := strings.Cut(path, "/")
		if got := foreign.Read(word, strings.Trim(rest, "/"), query); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestIsClick(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tracker, text string
		want          bool
	}{
		{foreign.Keitaro, "2lb3kd1a8u4h", true},
		{foreign.Keitaro, "2LB3KD1A8U4H", false},
		{foreign.Binom, "d1k0kd93jx", true},
		{foreign.Binom, "d1k0-kd93jx", false},
		{foreign.Voluum, "wS6JB2HNB7KV3LDQE0PPGBM0", true},
		{foreign.Voluum, "xS6JB2HNB7KV3LDQE0PPGBM0", false},
		{foreign.RedTrack, "65f0a1b2c3d4e5f60718293a", true},
		{foreign.RedTrack, "65f0a1b2c3d4e5f60718293", false},
		{foreign.BeMob, "abc-DEF_12", true},
		{foreign.ClickFlare, "65f0a1b2c3d4e5f60718293a", true},
		{foreign.ClickFlare, "{click_id}", false},
		{"", "65f0a1b2c3d4e5f60718293a", false},
	} {
		if got := foreign.IsClick(c.tracker, c.text); got != c.want {
			t.Errorf("IsClick(%q, %q) returns %t, want %t", c.tracker, c.text, got, c.want)
		}
	}
}

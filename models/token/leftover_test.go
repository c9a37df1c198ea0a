package token_test

import (
	"fmt"
	"testing"

	"switchyard/models/token"
)

// Leftovers finds the placeholders that no click fills in.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://a.example/?c={clickid}&s={sub1}&p={param.x}&d={date:Y-m-d}": "[]",
		"https://a.example/{zone}?c={clickid}":                               "[{{zone} false}]",
		"https://a.example/?s={payout}":                                      "[{{payout} false}]",
		"https://a.example/?c={{campaign.id}}":                               "[{{{campaign.id}} true}]",
		"https://a.example/?c=${SUBID}":                                      "[{${SUBID} true}]",
		"https://a.example/?c=${clickid}":                                    "[{${clickid} true}]",
		"https://a.example/?c=##SUB##&d=[click_id]&e=__CID__&f=%7Bcost%7D":   "[{##SUB## true} {[click_id] true} {__CID__ true} {%7Bcost%7D true}]",
		"https://a.example/?c=REPLACE":                                       "[{REPLACE true}]",
		"https://a.example/?filter[name]=x&y=[1]#part":                       "[]",
		"https://a.example/?a={zone}&b={zone}":                               "[{{zone} false}]",
		"https://a.example/{":                                                "[]",
		"https://{zone}.example/":                                            "[]", // ValidURL refuses such a host
	} {
		if got := fmt.Sprint(token.Leftovers(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

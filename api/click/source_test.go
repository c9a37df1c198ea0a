package click

import (
	"encoding/json"
	"slices"
	"testing"

	"switchyard/models"
)

func TestSubNames(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		macros string
		want   []subName
	}{
		"order of the document": {`{"zoneid": "{z}", "b": "x", "campaignid": "{c}"}`, []subName{
			{"zoneid", 0}, {"b", 1}, {"campaignid", 2},
		}},
		"numbers keep their places": {`{"zone": "z", "sub1": "a", "t3": "c", "x": "y"}`, []subName{
			{"sub1", 0}, {"zone", 1}, {"t3", 2}, {"x", 3},
		}},
		"parameters with a meaning take no place": {`{"BID": "{b}", "zone": "{z}", "": "x", "cid": "{cid}"}`, []subName{
			{"zone", 0},
		}},
		"more than ten": {`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1}`, []subName{
			{"a", 0}, {"b", 1}, {"c", 2}, {"d", 3}, {"e", 4}, {"f", 5}, {"g", 6}, {"h", 7}, {"i", 8}, {"j", 9},
		}},
		"nested values": {`{"a": {"b": [1, {"c": 2}]}, "d": null}`, []subName{{"a", 0}, {"d", 1}}},
		"no object":     {`[1]`, nil},
		"broken":        {`{"a": `, []subName{{"a", 0}}},
		"nothing":       {``, nil},
	} {
		if got := subNames(json.RawMessage(tt.macros), "bid", "cid"); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTrackFillsSubsInTheOrderOfTheSource(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`UPDATE traffic_sources SET token_macros = '{"zoneid": "{z}", "b": "{b}"}'`)
	w.campaign("summer-sale", nil, path("redirect", nil, m{"url": "https://a.test/", "weight": 1}))
	w.fresh()
	w.sent("/summer-sale?b=two&zoneid=one")
	if c := w.tape.last(); c.Subs[0] != "one" || c.Subs[1] != "two" {
		t.Errorf("%q", c.Subs)
	}
}

// A source and a network that were deactivated are kept for history, and what still comes by them is history to be.
func TestDeactivatedSourceAndNetworkGoOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.network()
	w.campaign("summer-sale", nil, path("offer", nil, to(w.offer("https://one.test/?s={sub1}", n))))
	w.exec(`UPDATE traffic_sources SET deactivated_at = now()`)
	w.exec(`UPDATE networks SET deactivated_at = now()`)
	w.fresh()
	to := w.sent("/summer-sale?zone=one&bid=0.25")
	c := w.tape.last()
	if want := "https://one.test/?s=one&clk=" + models.FormatClickID(c.ID); to != want {
		t.Errorf("to %s, want %s", to, want)
	}
	if c.SourceID != w.source || c.NetworkID != n || c.Cost.String() != "0.25" {
		t.Errorf("source %s, network %s, cost %s", c.SourceID, c.NetworkID, c.Cost)
	}
}

package routing

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestSubNames(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		macros string
		want   []SubName
	}{
		"order of the document": {`{"zoneid": "{z}", "b": "x", "campaignid": "{c}"}`, []SubName{
			{"zoneid", 0}, {"b", 1}, {"campaignid", 2},
		}},
		"numbers keep their places": {`{"zone": "z", "sub1": "a", "t3": "c", "x": "y"}`, []SubName{
			{"sub1", 0}, {"zone", 1}, {"t3", 2}, {"x", 3},
		}},
		"parameters with a meaning take no place": {`{"BID": "{b}", "zone": "{z}", "": "x", "cid": "{cid}"}`, []SubName{
			{"zone", 0},
		}},
		"more than ten": {`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1}`, []SubName{
			{"a", 0}, {"b", 1}, {"c", 2}, {"d", 3}, {"e", 4}, {"f", 5}, {"g", 6}, {"h", 7}, {"i", 8}, {"j", 9},
		}},
		"nested values": {`{"a": {"b": [1, {"c": 2}]}, "d": null}`, []SubName{{"a", 0}, {"d", 1}}},
		"no object":     {`[1]`, nil},
		"broken":        {`{"a": `, []SubName{{"a", 0}}},
		"nothing":       {``, nil},
	} {
		if got := subNames(json.RawMessage(tt.macros), "bid", "cid"); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

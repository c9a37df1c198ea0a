package subslot_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/subslot"
)

// link returns a source with the macros of a JSON object. bid carries the cost, cid the click id.
func link(t *testing.T, macros string, subs ...models.SubSlot) models.SourceLink {
	t.Helper()
	l := models.SourceLink{CostParam: "bid", ExternalIDParam: "cid", Subs: subs}
	if err := json.Unmarshal([]byte(macros), &l.TokenMacros); err != nil {
		t.Fatal(err)
	}
	return l
}

// text returns sub-parameters as in "1 zone, 3 ad (Banner)".
func text(list models.SubSlots) string {
	var parts []string
	for _, s := range list {
		part := fmt.Sprint(s.Sub, " ", s.Param)
		if s.Name != "" {
			part += " (" + s.Name + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// A source without stored sub-parameters assigns them in the order of its parameters.
func TestOrderAssigns(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ macros, want string }{
		"order of the document":      {`{"zoneid": "{z}", "b": "x", "campaignid": "{c}"}`, "1 zoneid, 2 b, 3 campaignid"},
		"numbers keep their places":  {`{"zone": "z", "sub1": "a", "t3": "c", "x": "y"}`, "1 sub1, 2 zone, 3 t3, 4 x"},
		"the same number twice":      {`{"sub1": "a", "t1": "b"}`, "1 sub1, 2 t1"},
		"cost and click id get none": {`{"BID": "{b}", "zone": "{z}", "": "x", "cid": "{cid}"}`, "1 zone"},
		"more than ten": {
			`{"a":"","b":"","c":"","d":"","e":"","f":"","g":"","h":"","i":"","j":"","k":""}`,
			"1 a, 2 b, 3 c, 4 d, 5 e, 6 f, 7 g, 8 h, 9 i, 10 j",
		},
		"nothing": {`{}`, ""},
	} {
		l := link(t, tt.macros)
		if got := text(subslot.Filled(l)); got != tt.want {
			t.Errorf("%s: filled are %s", name, got)
		}
		if subslot.Assign(&l, models.SourceLink{}, false); text(l.Subs) != tt.want {
			t.Errorf("%s: stored are %s", name, text(l.Subs))
		}
	}
}

// A change of a source in use never gives a used sub-parameter another meaning.
func TestSourceInUseKeepsItsSubParameters(t *testing.T) {
	t.Parallel()
	const before = `{"zoneid": "{zone}", "campaignid": "{campaign}", "bannerid": "{banner}"}`
	for name, tt := range map[string]struct{ macros, filled, reserved string }{
		"one removed": {`{"campaignid": "{campaign}", "bannerid": "{banner}"}`, "2 campaignid, 3 bannerid", "1 zoneid, 2 campaignid, 3 bannerid"},
		"another order": {
			`{"bannerid": "{banner}", "zoneid": "{zone}", "campaignid": "{campaign}"}`, "1 zoneid, 2 campaignid, 3 bannerid",
			"1 zoneid, 2 campaignid, 3 bannerid",
		},
		"one in front": {`{"age": "{age}", "zoneid": "{zone}"}`, "1 zoneid, 4 age", "1 zoneid, 2 campaignid, 3 bannerid, 4 age"},
		"renamed":      {`{"zone": "{zone}", "campaignid": "{campaign}"}`, "1 zone, 2 campaignid", "1 zone, 2 campaignid, 3 bannerid"},
		"replaced":     {`{"age": "{age}", "os": "{os}"}`, "4 age, 5 os", "1 zoneid, 2 campaignid, 3 bannerid, 4 age, 5 os"},
		"a number":     {`{"sub2": "{age}"}`, "2 sub2", "1 zoneid, 2 sub2, 3 bannerid"},
		"all removed":  {`{}`, "", "1 zoneid, 2 campaignid, 3 bannerid"},
	} {
		old, l := link(t, before), link(t, tt.macros)
		subslot.Assign(&l, old, true)
		if got := text(subslot.Filled(l)); got != tt.filled {
			t.Errorf("%s: filled are %s", name, got)
		}
		if got := text(l.Subs); got != tt.reserved {
			t.Errorf("%s: reserved are %s", name, got)
		}
		back := link(t, before) // what was removed comes back
		if subslot.Assign(&back, l, true); name != "renamed" && name != "a number" && !strings.HasPrefix(text(subslot.Filled(back)), "1 zoneid, 2 campaignid, 3 bannerid") {
			t.Errorf("%s and back: %s", name, text(back.Subs))
		}
	}
}

// A source that nothing uses follows the order of its parameters, as a new one does. Names stay.
func TestUnusedSourceFollowsTheOrder(t *testing.T) {
	t.Parallel()
	old := link(t, `{"zone": "{z}", "ad": "{a}"}`, models.SubSlot{Sub: 1, Param: "zone"}, models.SubSlot{Sub: 2, Param: "ad", Name: "Banner"})
	l := link(t, `{"ad": "{a}", "age": "{age}"}`)
	if subslot.Assign(&l, old, false); text(l.Subs) != "1 ad (Banner), 2 age" {
		t.Error(text(l.Subs))
	}
}

// A list that was sent moves, names and frees sub-parameters.
func TestSentListCounts(t *testing.T) {
	t.Parallel()
	old := link(t, `{"zone": "{z}", "ad": "{a}", "age": "{age}"}`)
	l := link(t, `{"zone": "{z}", "age": "{age}", "os": "{os}"}`, models.SubSlot{Sub: 2, Param: "zone", Name: "Place"},
		models.SubSlot{Sub: 9, Param: "ad"})
	subslot.Assign(&l, old, true)
	if got := text(l.Subs); got != "1 age, 2 zone (Place), 3 os, 9 ad" {
		t.Error(got)
	}
	if got := text(subslot.Filled(l)); got != "1 age, 2 zone (Place), 3 os" {
		t.Error(got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	l := link(t, `{"zone": "{zoneid}", "sub2": "[CREATIVE_ID]", "t3": "", "ad": "{a}"}`)
	if got := subslot.Names(l); !maps.Equal(got, map[string]string{"sub1": "zone", "sub2": "CREATIVE_ID", "sub4": "ad"}) {
		t.Error(got)
	}
	// The name from its macro stays when the parameter is removed.
	removed := link(t, `{"zone": "{zoneid}", "ad": "{a}"}`)
	subslot.Assign(&removed, l, true)
	if got := subslot.Names(removed); got["sub2"] != "CREATIVE_ID" || got["sub4"] != "ad" {
		t.Error(got)
	}
}

// A name is common if no source that has the sub-parameter calls it otherwise.
func TestCommonNames(t *testing.T) {
	t.Parallel()
	got := subslot.Common([]models.SourceLink{
		link(t, `{"zone": "{z}", "ad": "{a}", "age": "{age}"}`), link(t, `{"Zone": "{z}", "site": "{s}"}`), link(t, `{}`),
	})
	if !maps.Equal(got, map[string]string{"sub1": "zone", "sub3": "age"}) {
		t.Error(got)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		list models.SubSlots
		ok   bool
	}{
		"none":                           {nil, true},
		"two":                            {models.SubSlots{{Sub: 1, Param: "a"}, {Sub: 10, Param: "b"}}, true},
		"a number at its place":          {models.SubSlots{{Sub: 3, Param: "sub3"}}, true},
		"a number elsewhere":             {models.SubSlots{{Sub: 1, Param: "sub3"}}, false},
		"a number whose place has other": {models.SubSlots{{Sub: 1, Param: "t3"}, {Sub: 3, Param: "sub3"}}, true},
		"a sub-parameter twice":          {models.SubSlots{{Sub: 1, Param: "a"}, {Sub: 1, Param: "b"}}, false},
		"a parameter twice":              {models.SubSlots{{Sub: 1, Param: "a"}, {Sub: 2, Param: "A"}}, false},
	} {
		if err := subslot.Check(tt.list); (err == nil) != tt.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

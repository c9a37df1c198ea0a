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

// link returns the link of a source with these macros. Its parameter bid has the cost, and its parameter cid has the click id.
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

func manyMacros(n int) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf(`"p%d": ""`, i+1))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func many(n int) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf("%d p%d", i+1, i+1))
	}
	return strings.Join(parts, ", ")
}

// A source without stored sub-parameters assigns them in the order of its parameters. Parameters such as sub1 and t3
// get their number if it is free.
func TestOrderAssigns(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ macros, want string }{
		"order of the document":      {`{"zoneid": "{z}", "b": "x", "campaignid": "{c}"}`, "1 zoneid, 2 b, 3 campaignid"},
		"sub1 and t3 get 1 and 3":    {`{"zone": "z", "sub1": "a", "t3": "c", "x": "y"}`, "1 sub1, 2 zone, 3 t3, 4 x"},
		"the same number twice":      {`{"sub1": "a", "t1": "b"}`, "1 sub1, 2 t1"},
		"cost and click id get none": {`{"BID": "{b}", "zone": "{z}", "": "x", "cid": "{cid}"}`, "1 zone"},
		"too many parameters":        {manyMacros(models.Subs + 1), many(models.Subs)},
		"nothing":                    {`{}`, ""},
	} {
		l := link(t, tt.macros)
		if got := text(subslot.Filled(l)); got != tt.want {
			t.Errorf("%s: Filled returns %s, want %s", name, got, tt.want)
		}
		if subslot.Assign(&l, models.SourceLink{}, false); text(l.Subs) != tt.want {
			t.Errorf("%s: Assign stores %s, want %s", name, text(l.Subs), tt.want)
		}
	}
}

// A change of a source in use gives a used sub-parameter another meaning only if a new parameter has a name such as sub2.
func TestSourceInUseKeepsItsSubParameters(t *testing.T) {
	t.Parallel()
	const before = `{"zoneid": "{zone}", "campaignid": "{campaign}", "bannerid": "{banner}"}`
	for name, tt := range map[string]struct{ macros, filled, reserved string }{
		"one removed": {`{"campaignid": "{campaign}", "bannerid": "{banner}"}`, "2 campaignid, 3 bannerid", "1 zoneid, 2 campaignid, 3 bannerid"},
		"another order": {
			`{"bannerid": "{banner}", "zoneid": "{zone}", "campaignid": "{campaign}"}`, "1 zoneid, 2 campaignid, 3 bannerid",
			"1 zoneid, 2 campaignid, 3 bannerid",
		},
		"new in front": {`{"age": "{age}", "zoneid": "{zone}"}`, "1 zoneid, 4 age", "1 zoneid, 2 campaignid, 3 bannerid, 4 age"},
		"renamed":      {`{"zone": "{zone}", "campaignid": "{campaign}"}`, "1 zone, 2 campaignid", "1 zone, 2 campaignid, 3 bannerid"},
		"replaced":     {`{"age": "{age}", "os": "{os}"}`, "4 age, 5 os", "1 zoneid, 2 campaignid, 3 bannerid, 4 age, 5 os"},
		"new sub2":     {`{"sub2": "{age}"}`, "2 sub2", "1 zoneid, 2 sub2, 3 bannerid"},
		"all removed":  {`{}`, "", "1 zoneid, 2 campaignid, 3 bannerid"},
	} {
		old, l := link(t, before), link(t, tt.macros)
		subslot.Assign(&l, old, true)
		if got := text(subslot.Filled(l)); got != tt.filled {
			t.Errorf("%s: Filled returns %s, want %s", name, got, tt.filled)
		}
		if got := text(l.Subs); got != tt.reserved {
			t.Errorf("%s: Assign stores %s, want %s", name, got, tt.reserved)
		}
		back := link(t, before)
		if subslot.Assign(&back, l, true); name != "renamed" && name != "new sub2" && !strings.HasPrefix(text(subslot.Filled(back)), "1 zoneid, 2 campaignid, 3 bannerid") {
			t.Errorf("%s: after the change was reverted, the sub-parameters are %s", name, text(back.Subs))
		}
	}
}

// A source from the time when there were only ten sub-parameters keeps its sub-parameters.
func TestOlderSourcesKeepTheirSubParameters(t *testing.T) {
	t.Parallel()
	const macros = `{"zone": "{z}", "sub15": "{a}", "t20": "{b}"}`
	unstored := link(t, macros)
	if got := text(subslot.Filled(unstored)); got != "1 zone, 2 sub15, 3 t20" {
		t.Errorf("a source without stored sub-parameters fills %s, want the order of its parameters", got)
	}
	stored := link(t, macros, models.SubSlot{Sub: 1, Param: "zone"}, models.SubSlot{Sub: 2, Param: "sub15"}, models.SubSlot{Sub: 3, Param: "t20"})
	if got := text(subslot.Filled(stored)); got != "1 zone, 2 sub15, 3 t20" {
		t.Errorf("a source fills %s, want its stored sub-parameters", got)
	}
	for _, old := range []models.SourceLink{unstored, stored} {
		saved := link(t, macros)
		if subslot.Assign(&saved, old, true); text(saved.Subs) != "1 zone, 2 sub15, 3 t20" || subslot.Check(saved.Subs) != nil {
			t.Errorf("a source that is saved again has %s, want unchanged sub-parameters: %v", text(saved.Subs), subslot.Check(saved.Subs))
		}
	}
	fresh := link(t, macros)
	if subslot.Assign(&fresh, models.SourceLink{}, false); text(fresh.Subs) != "1 zone, 15 sub15, 20 t20" {
		t.Errorf("a new source has %s, want sub15 and t20 at their numbers", text(fresh.Subs))
	}
	full := link(t, manyMacros(12))
	for i := range 10 {
		full.Subs = append(full.Subs, models.SubSlot{Sub: i + 1, Param: fmt.Sprint("p", i+1)})
	}
	if got := text(subslot.Filled(full)); got != many(12) {
		t.Errorf("a source with ten stored sub-parameters and twelve parameters fills %s, want all twelve", got)
	}
}

// A source that nothing uses follows the order of its parameters, as a new one does.
func TestUnusedSourceFollowsTheOrder(t *testing.T) {
	t.Parallel()
	old := link(t, `{"zone": "{z}", "ad": "{a}"}`, models.SubSlot{Sub: 1, Param: "zone"}, models.SubSlot{Sub: 2, Param: "ad", Name: "Banner"})
	l := link(t, `{"ad": "{a}", "age": "{age}"}`)
	if subslot.Assign(&l, old, false); text(l.Subs) != "1 ad (Banner), 2 age" {
		t.Errorf("the sub-parameters are %s, want the order of the parameters and the account's name", text(l.Subs))
	}
}

// A list of sub-parameters in the request moves, names and frees sub-parameters.
func TestSentListCounts(t *testing.T) {
	t.Parallel()
	old := link(t, `{"zone": "{z}", "ad": "{a}", "age": "{age}"}`)
	l := link(t, `{"zone": "{z}", "age": "{age}", "os": "{os}"}`, models.SubSlot{Sub: 2, Param: "zone", Name: "Place"},
		models.SubSlot{Sub: 9, Param: "ad"})
	subslot.Assign(&l, old, true)
	if got := text(l.Subs); got != "1 age, 2 zone (Place), 3 os, 9 ad" {
		t.Errorf("Assign stores %s, want zone and ad as sent, and age and os in free sub-parameters", got)
	}
	if got := text(subslot.Filled(l)); got != "1 age, 2 zone (Place), 3 os" {
		t.Errorf("Filled returns %s, want the sub-parameters without ad, which is not in the link", got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	l := link(t, `{"zone": "{zoneid}", "sub2": "[CREATIVE_ID]", "t3": "", "ad": "{a}"}`)
	if got := subslot.Names(l); !maps.Equal(got, map[string]string{"sub1": "zone", "sub2": "CREATIVE_ID", "sub4": "ad"}) {
		t.Errorf("the names are %v, want zone, CREATIVE_ID and ad", got)
	}
	// A name that came from the macro stays when the parameter is removed.
	removed := link(t, `{"zone": "{zoneid}", "ad": "{a}"}`)
	subslot.Assign(&removed, l, true)
	if got := subslot.Names(removed); got["sub2"] != "CREATIVE_ID" || got["sub4"] != "ad" {
		t.Errorf("after a parameter was removed, the names are %v, want CREATIVE_ID and ad in them", got)
	}
}

// A name is common if no source with the sub-parameter has another name for it.
func TestCommonNames(t *testing.T) {
	t.Parallel()
	got := subslot.Common([]models.SourceLink{
		link(t, `{"zone": "{z}", "ad": "{a}", "age": "{age}"}`), link(t, `{"Zone": "{z}", "site": "{s}"}`), link(t, `{}`),
	})
	if !maps.Equal(got, map[string]string{"sub1": "zone", "sub3": "age"}) {
		t.Errorf("the common names are %v, want zone for sub1 and age for sub3", got)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		list models.SubSlots
		ok   bool
	}{
		"none":                         {nil, true},
		"two":                          {models.SubSlots{{Sub: 1, Param: "a"}, {Sub: 10, Param: "b"}}, true},
		"sub3 fills sub3":              {models.SubSlots{{Sub: 3, Param: "sub3"}}, true},
		"sub3 fills sub1":              {models.SubSlots{{Sub: 1, Param: "sub3"}}, false},
		"sub11 fills sub1":             {models.SubSlots{{Sub: 1, Param: "sub11"}}, true},
		"t3 fills sub1, sub3 is taken": {models.SubSlots{{Sub: 1, Param: "t3"}, {Sub: 3, Param: "sub3"}}, true},
		"a sub-parameter twice":        {models.SubSlots{{Sub: 1, Param: "a"}, {Sub: 1, Param: "b"}}, false},
		"a parameter twice":            {models.SubSlots{{Sub: 1, Param: "a"}, {Sub: 2, Param: "A"}}, false},
	} {
		if err := subslot.Check(tt.list); (err == nil) != tt.ok {
			t.Errorf("%s: Check returns %v, want an error: %t", name, err, !tt.ok)
		}
	}
}

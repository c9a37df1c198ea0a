package flow_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/flow"
)

func codeOf(tb testing.TB, paths string) string {
	tb.Helper()
	list, err := flow.Parse(json.RawMessage(withIDs(paths)))
	if err == nil {
		err = flow.Validate(list, newAccount(tb).known)
	}
	if err == nil {
		return ""
	}
	e, ok := models.AsError(err)
	if !ok || e.Kind != models.KindInvalid || e.Message == "" {
		tb.Fatalf("%.200s: not an error for a client: %v", paths, err)
	}
	return e.Code
}

func TestValidate(t *testing.T) {
	t.Parallel()
	const offer = `"action":"offer","destinations":[{"id":"<1>"}]`
	manyPaths := "[" + strings.TrimSuffix(strings.Repeat("{"+offer+"},", flow.MaxPaths+1), ",") + "]"
	tests := []struct{ paths, want string }{
		{``, "no_streams"},
		{`null`, "no_streams"},
		{` [] `, "no_streams"},
		{`{}`, "invalid_input"},
		{`"x"`, "invalid_input"},
		{`[1]`, "invalid_input"},
		{`[null]`, "invalid_input"},
		{`[{` + offer, "invalid_input"},
		{manyPaths, "invalid_input"},
		{`[{` + offer + `}]`, ""},
		{`[{"unknown":{"a":[1]},"name":null,"weight":null,"filters":null,` + offer + `}]`, ""},

		{`[{"name":"a",` + offer + `},{"name":" a ",` + offer + `}]`, "duplicate_path_name"},
		{`[{` + offer + `},{"name":"Path 1",` + offer + `}]`, ""},
		{`[{"name":7,` + offer + `}]`, "invalid_input"},
		{`[{"name":"` + strings.Repeat("n", 256) + `",` + offer + `}]`, "invalid_input"},
		{`[{"id":"x",` + offer + `}]`, "invalid_input"},

		{`[{"destinations":[{"id":"<1>"}]}]`, "invalid_action"},
		{`[{"action":"teleport"}]`, "invalid_action"},
		{`[{"action":7}]`, "invalid_action"},
		{`[{"stream_type":"odd",` + offer + `}]`, "invalid_stream_type"},
		{`[{"stream_type":[],` + offer + `}]`, "invalid_stream_type"},
		{`[{"transition":"308",` + offer + `}]`, "invalid_transition"},
		{`[{"transition":308,` + offer + `}]`, "invalid_transition"},
		{`[{"transition":{},` + offer + `}]`, "invalid_transition"},
		{`[{"transition":301,` + offer + `}]`, ""},
		{`[{"rule_group":1000,` + offer + `}]`, "invalid_rule_group"},
		{`[{"rule_group":-1,` + offer + `}]`, "invalid_rule_group"},
		{`[{"rule_group":1.5,` + offer + `}]`, "invalid_rule_group"},
		{`[{"rule_group":"1",` + offer + `}]`, "invalid_rule_group"},
		{`[{"daily_cap":0,` + offer + `}]`, "invalid_cap"},
		{`[{"daily_cap":-3,` + offer + `}]`, "invalid_cap"},
		{`[{"daily_cap":"5",` + offer + `}]`, "invalid_cap"},
		{`[{"daily_cap":1e99,` + offer + `}]`, "invalid_cap"},
		{`[{"daily_cap":5,` + offer + `}]`, ""},
		{`[{"weight":"5",` + offer + `}]`, "invalid_input"},
		{`[{"weight":-1,` + offer + `}]`, "invalid_input"},
		{`[{"weight":1e300,` + offer + `}]`, "invalid_input"},
		{`[{"is_active":1,` + offer + `}]`, "invalid_input"},
		{`[{"weight":0,` + offer + `}]`, "zero_path_weights"},
		{`[{"weight":0,` + offer + `},{"weight":0,` + offer + `}]`, "zero_path_weights"},
		{`[{"weight":0,` + offer + `},{"weight":0.0001,` + offer + `}]`, ""},
		{`[{"stream_type":"default",` + offer + `},{"stream_type":"default",` + offer + `}]`, "multiple_defaults"},

		{`[{"action":"offer"}]`, "destination_required"},
		{`[{"action":"lander"}]`, "destination_required"},
		{`[{"action":"redirect","destinations":[]}]`, "destination_required"},
		{`[{"action":"campaign"}]`, "destination_required"},
		{`[{"action":"campaign","campaign_id":"<21>"}]`, ""},
		{`[{"action":"campaign","campaign_id":"<99>"}]`, "invalid_destination"},
		{`[{"action":"campaign","campaign_id":"me"}]`, "invalid_destination"},
		{`[{"action":"campaign","campaign_id":5}]`, "invalid_destination"},
		{`[{"action":"lander","destinations":[{"id":"<1>"}]}]`, "lander_required"},
		{`[{"action":"lander","destinations":[{"url":"https://x.example"}]}]`, "lander_required"},
		{`[{"action":"lander","destinations":[{"id":"<11>"},{"url":"https://x.example","slot":2}]}]`, ""},
		{`[{"action":"offer","destinations":[{"id":"<11>"}]}]`, "invalid_destination"},
		{`[{"action":"offer","destinations":[{"id":"<99>"}]}]`, "invalid_destination"},
		{`[{"action":"offer","destinations":[{"id":"<1>","url":"https://x.example"}]}]`, "invalid_destination"},
		{`[{"action":"offer","destinations":[{}]}]`, "invalid_destination"},
		{`[{"action":"offer","destinations":["<1>"]}]`, "invalid_destination"},
		{`[{"action":"offer","destinations":{}}]`, "invalid_destination"},
		{`[{"action":"offer","destinations":[{"id":"<1>","slot":21}]}]`, "invalid_destination"},
		{`[{"action":"offer","destinations":[{"id":"<1>","weight":"1"}]}]`, "invalid_input"},
		{`[{"action":"offer","destinations":[{"id":"<1>","weight":-1}]}]`, "invalid_input"},
		{`[{"action":"redirect","destinations":[{"url":"ftp://x.example"}]}]`, "invalid_destination_url"},
		{`[{"action":"redirect","destinations":[{"url":7}]}]`, "invalid_destination_url"},
		{
			`[{"action":"redirect","destinations":[{"url":"https://x.example/` + strings.Repeat("p", 2000) + `"}]}]`,
			"invalid_destination_url",
		},
		{`[{"action":"offer","destinations":[{"id":"<1>","weight":0},{"id":"<2>","weight":0}]}]`, "zero_weights"},
		{`[{"action":"lander","destinations":[{"id":"<11>","weight":0},{"id":"<2>"}]}]`, "zero_weights"},
		{`[{"action":"lander","destinations":[{"id":"<11>"},{"id":"<2>","weight":0}]}]`, "zero_weights"},
		{`[{"action":"nothing","destinations":[{"id":"<99>"}]}]`, "invalid_destination"},
		{`[{"action":"nothing","response":{"status":200,"body":"hi"}}]`, ""},
		{`[{"action":"nothing","response":{"status":500}}]`, "invalid_input"},
		{`[{"action":"nothing","response":7}]`, "invalid_input"},

		{`[{"filters":[{"attribute":"colour","operator":"equals","value":"x"}],` + offer + `}]`, "invalid_filter"},
		{`[{"filters":[{"attribute":"country","operator":"like","value":"x"}],` + offer + `}]`, "invalid_filter"},
		{`[{"filters":[{"attribute":"country","operator":"equals"}],` + offer + `}]`, "invalid_filter"},
		{`[{"filters":[{"attribute":"url","operator":"regex","value":"("}],` + offer + `}]`, "invalid_filter"},
		{`[{"filters":[7],` + offer + `}]`, "invalid_filter"},
		{`[{"filters":{},` + offer + `}]`, "invalid_filter"},
		{`[{"filters":[null],` + offer + `}]`, "invalid_filter"},
		{`[{"rules":[7],` + offer + `}]`, "invalid_filter"},
		{`[{"rules":[{}],` + offer + `}]`, "invalid_filter"},
		{`[{"rules":[{"rule_id":"<99>"}],` + offer + `}]`, "invalid_filter"},
		{`[{"rules":[{"name":"a","conditions":[{"attribute":"x"}]}],` + offer + `}]`, "invalid_filter"},
		{
			`[{"rules":[{"name":"a","rule_id":"<31>"},{"name":"a","rule_id":"<32>"}],` + offer + `}]`,
			"duplicate_rule_name",
		},
		{
			`[{"rules":[{"name":"a","rule_id":"<31>"},{"name":"a","rule_id":"<31>"}],` + offer + `}]`,
			"duplicate_rule_name",
		},
		{`[{"rules":[{"name":"a","rule_id":"<31>"}],` + offer + `},{"rules":[{"name":"a","rule_id":"<31>"}],` +
			offer + `}]`, ""},
		{`[{"rules":[{"name":"a","rule_id":"<31>"}],` + offer + `},{"rules":[{"name":"a","rule_id":"<32>"}],` +
			offer + `}]`, "duplicate_rule_name"},
		{`[{"rules":[{"rule_id":"<31>"},{"rule_id":"<31>"}],` + offer + `}]`, ""},
	}
	for _, tt := range tests {
		if got := codeOf(t, tt.paths); got != tt.want {
			t.Errorf("%.200s: %q, want %q", tt.paths, got, tt.want)
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	list, err := flow.Parse(json.RawMessage(withIDs(`[
		{"action":"offer","destinations":[{"id":" ` + strings.ToUpper(id(1).String()) + `"}]},
		{"id":"<40>","name":"Path 3","action":"nothing","rules":[{"conditions":[]}]},
		{"id":"<40>","action":"nothing","weight":33.33349}]`)))
	if err != nil {
		t.Fatal(err)
	}
	p := list[0]
	if p.Name != "Path 1" || p.StreamType != "regular" || p.Transition != "302" || p.Weight != 100 || !p.IsActive ||
		!p.CollectClicks || p.Logic != "and" || p.DailyCap != nil || len(p.ID) != 36 ||
		p.Destinations[0] != (flow.Destination{ID: id(1).String(), Weight: 100}) {
		t.Errorf("a path with an action and a destination became %+v, want the defaults in all other fields", p)
	}
	if list[1].ID != id(40).String() || list[1].Rules[0].Name != "Rule 1" {
		t.Errorf("a path with an id and a nameless rule became %+v, want the same id and the name \"Rule 1\"", list[1])
	}
	if list[2].ID == list[1].ID || list[2].Name != "Path 4" || list[2].Weight != 33.333 {
		t.Errorf("a path with an id that is taken became %+v, want another id, the name \"Path 4\" and the weight 33.333", list[2])
	}
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	reread, err := flow.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	var plain []flow.Path
	if err := json.Unmarshal(raw, &plain); err != nil {
		t.Fatal(err)
	}
	for _, got := range [][]flow.Path{reread, plain} {
		if second, err := json.Marshal(got); err != nil || string(second) != string(raw) {
			t.Errorf("%s\nbecame\n%s, %v", raw, second, err)
		}
	}
	for _, name := range []string{`"filters":[]`, `"rules":[]`, `"daily_cap":null`} {
		if !strings.Contains(string(raw), name) {
			t.Errorf("%s is missing in %s", name, raw)
		}
	}
}

func TestSimpleIdentifyReferences(t *testing.T) {
	t.Parallel()
	known := newAccount(t).known
	for _, tt := range []struct{ offer, lander, want string }{
		{id(1).String(), "", ""},
		{id(1).String(), id(11).String(), ""},
		{"", id(11).String(), ""},
		{"", "", "destination_required"},
		{id(99).String(), "", "invalid_destination"},
	} {
		err := flow.Validate(flow.Simple(tt.offer, tt.lander), known)
		if e, _ := models.AsError(err); (e == nil) != (tt.want == "") || e != nil && e.Code != tt.want {
			t.Errorf("%+v: Validate returns %v", tt, err)
		}
	}
	paths := flow.Simple(id(1).String(), id(11).String())
	before := paths[0].ID
	flow.Identify(paths, func(id string) bool { return id == before })
	if paths[0].ID != before {
		t.Error("a path got a new id although keep returned true for its id")
	}
	flow.Identify(paths, nil)
	if paths[0].ID == before {
		t.Error("a path kept its id although keep is nil")
	}
	paths[0].CampaignID, paths[0].Rules = id(21).String(), []flow.RuleRef{{RuleID: id(31).String()}, {RuleID: "x"}}
	d, c, r := flow.References(append(paths, paths...))
	if got := fmt.Sprint(len(d), len(c), len(r)); got != "2 1 1" {
		t.Errorf("got %s destinations, campaigns and rules, want 2 1 1", got)
	}
}

package flow

import (
	"reflect"
	"testing"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		list, want []Destination
		uses       []Use
	}{
		"keeps place, slot and weight": {
			[]Destination{{ID: "a", Weight: 30, Slot: 2}, {ID: "x", Weight: 70, Slot: 2}, {URL: "https://u.test", Weight: 1}},
			[]Destination{{ID: "b", Weight: 30, Slot: 2}, {ID: "x", Weight: 70, Slot: 2}, {URL: "https://u.test", Weight: 1}},
			[]Use{{Slot: 2, Weight: 30, NewWeight: 30}},
		},
		"adds the weights in a slot that has both": {
			[]Destination{{ID: "b", Weight: 20}, {ID: "x", Weight: 50}, {ID: "a", Weight: 30}},
			[]Destination{{ID: "b", Weight: 50}, {ID: "x", Weight: 50}},
			[]Use{{Weight: 30, NewWeight: 50, Joins: true}},
		},
		"other slots of the new destination stay": {
			[]Destination{{ID: "a", Weight: 10, Slot: 1}, {ID: "b", Weight: 20, Slot: 2}},
			[]Destination{{ID: "b", Weight: 10, Slot: 1}, {ID: "b", Weight: 20, Slot: 2}},
			[]Use{{Slot: 1, Weight: 10, NewWeight: 10}},
		},
		"a slot with the old destination twice": {
			[]Destination{{ID: "a", Weight: 0.1}, {ID: "a", Weight: 0.2}, {ID: "a", Weight: 5, Slot: 3}},
			[]Destination{{ID: "b", Weight: 0.3}, {ID: "b", Weight: 5, Slot: 3}},
			[]Use{{Weight: 0.3, NewWeight: 0.3}, {Slot: 3, Weight: 5, NewWeight: 5}},
		},
		"not in the path": {
			[]Destination{{ID: "b", Weight: 1}, {ID: "b", Weight: 2}}, []Destination{{ID: "b", Weight: 1}, {ID: "b", Weight: 2}}, nil,
		},
	} {
		got, uses := Replace(c.list, "a", "b")
		if !reflect.DeepEqual(got, c.want) || !reflect.DeepEqual(uses, c.uses) {
			t.Errorf("%s: %+v %+v, want %+v %+v", name, got, uses, c.want, c.uses)
		}
	}
}

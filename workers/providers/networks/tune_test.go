package networks_test

import (
	"testing"

	"switchyard/models"
)

// TestTunePayout: an order that waits for its approval has the payout that it will earn.
func TestTunePayout(t *testing.T) {
	t.Parallel()
	s := newSuite(t, "tune")
	list := s.orders(1)
	list[0].Status, list[0].Payout = models.StatusPending, "25.00"
	s.platforms.Set(list...)
	if got := s.read(s.open(nil)); len(got) != 1 || got[0].Payout != "25.00" || got[0].Status != models.StatusPending {
		t.Errorf("%+v", got)
	}
}

// TestTuneGoals: each goal of a click is an order of its own, even if the network reports no id for it.
func TestTuneGoals(t *testing.T) {
	t.Parallel()
	s := newSuite(t, "tune")
	list := s.orders(3)
	list[1].Goal, list[2].Goal = "Install", "Purchase"
	s.platforms.Set(list...)
	for _, unknown := range [][]string{nil, {"Stat.tune_event_id", "Stat.id"}} {
		s.platforms.SetUnknown(unknown...)
		goals := map[string]string{}
		for _, o := range s.read(s.open(nil)) {
			goals[o.Goal] = o.ID + " " + o.GoalRef
			if o.Ref != "102"+o.Click {
				t.Errorf("the order refers to the transaction %q", o.Ref)
			}
		}
		// The fake's number of the goal is 0 for the plain conversion and 7 for any other goal.
		id := func(i int, goal string) string {
			if unknown != nil {
				return "102" + list[i].Click + " " + goal
			}
			return list[i].ID + " " + goal
		}
		if len(goals) != 3 || goals[""] != id(0, "0") || goals["Install"] != id(1, "7") || goals["Purchase"] != id(2, "7") {
			t.Errorf("if the network does not know the fields %v, the ids of the orders by goal are %v", unknown, goals)
		}
	}
}

// TestTuneUnknownFields: the session leaves out an optional field that the network does not know.
func TestTuneUnknownFields(t *testing.T) {
	t.Parallel()
	s := newSuite(t, "tune")
	list := s.orders(501)
	s.platforms.Set(list...)
	s.platforms.SetUnknown("Stat.tune_event_id", "Stat.payout")
	c := s.open(nil)
	got := s.read(c)
	if len(got) != 501 || got[0].ID != list[0].ID || got[0].Payout != list[0].Payout {
		t.Fatalf("%d orders were read, or the first one is wrong; want 501", len(got))
	}
	if used := c.Used(); used.Pages != 2 || used.Requests != 4 { // one refusal for each of the two fields
		t.Errorf("reading the orders used %+v, want 2 pages and 4 requests", used)
	}
	s.platforms.SetUnknown("Stat.currency")
	if _, err := s.open(nil).Orders(t.Context(), day, day, 10); err == nil || err.Error() != "the provider refused: Field Stat.currency does not exist." {
		t.Errorf("if the network does not know a required field: %v", err)
	}
}

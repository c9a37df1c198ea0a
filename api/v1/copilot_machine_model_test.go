package v1_test

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/models/copilot"
)

// pilotState is the part of the account's records that the test compares with its model.
type pilotState struct {
	Campaign, Offer bool // active
	Active          [3]bool
	Weight          [3]float64
	Rest            [2]pilotRest // destinations of the default path
	Excluded        int          // number of filters of each path except the default path
	Cap             int          // 0: no cap
	Parameter       string       // the network's postback parameter for the payout
	Denied          string       // values of deny entries, sorted
	Paused          int          // number of events whose author is the Copilot
}

// pilotRest is a destination of the default path.
type pilotRest struct {
	Offer  uuid.UUID
	Weight float64
}

// pilotOp is the test's model of an operation of the Copilot. The function change applies the operation to a state; ok is false
// if this is impossible. The operation is stale if the result of the function judged has changed since its pilotItem was made.
//
// The function restore undoes the operation. Its parameter `was` is the state before the operation. The undo is stale if the
// result of the function part has changed since the operation was applied.
type pilotOp struct {
	judged, part func(pilotState) any
	change       func(*pilotState) (ok bool)
	restore      func(now *pilotState, was pilotState)
}

// pilotItem is a suggestion, a proposal, or an action that a rule is about to take.
type pilotItem struct {
	op       string
	proposal bool
	rule     bool
	digest   string    // of a rule's action: the digest of the state that the rule read
	third    uuid.UUID // the offer that a swap puts in the place of another
	id       string
	value    string // the value that a deny entry names
	judged   any    // the part of the state on which the item is based
	status   string
	change   string     // id of the change, once the item is applied
	was, is  pilotState // state before and after the item was applied
}

// expectedState is everything that the test expects: the state of the records and the items.
type expectedState struct {
	state  pilotState
	items  []pilotItem
	cooled bool // the rule has acted on the offer, so its next action is refused with the code cooling
}

// operation returns the model of the item's operation.
func (i pilotItem) operation() pilotOp {
	allPaths := func(s pilotState) any { return [4]any{s.Active, s.Weight, s.Rest, s.Excluded} }
	flow := pilotOp{
		judged:  allPaths,
		part:    func(s pilotState) any { return [2]any{s.Active, s.Weight} },
		restore: func(now *pilotState, was pilotState) { now.Active, now.Weight = was.Active, was.Weight },
	}
	destinations := pilotOp{
		judged:  func(s pilotState) any { return s.Rest },
		restore: func(now *pilotState, was pilotState) { now.Rest = was.Rest },
	}
	offer := pilotOp{
		judged:  func(s pilotState) any { return [2]any{s.Offer, s.Cap} },
		restore: func(now *pilotState, was pilotState) { now.Offer, now.Cap = was.Offer, was.Cap },
	}
	o := map[string]pilotOp{
		copilot.OpPausePath: flow, copilot.OpSetWeights: flow, copilot.OpPauseOffer: offer, copilot.OpSetCap: offer,
		copilot.OpSetDestinationWeights: destinations, copilot.OpSwapDestination: destinations,
		copilot.OpExclude: {
			judged:  allPaths,
			part:    func(s pilotState) any { return s.Excluded },
			restore: func(now *pilotState, was pilotState) { now.Excluded = was.Excluded },
		},
		copilot.OpPauseCampaign: {
			judged:  func(s pilotState) any { return s.Campaign },
			restore: func(now *pilotState, was pilotState) { now.Campaign = was.Campaign },
		},
		copilot.OpMapPostback: {
			judged:  func(s pilotState) any { return s.Parameter },
			restore: func(now *pilotState, was pilotState) { now.Parameter = was.Parameter },
		},
		copilot.OpDeny: {
			judged:  func(pilotState) any { return nil },
			part:    func(s pilotState) any { return slices.Contains(strings.Fields(s.Denied), i.value) },
			restore: func(now *pilotState, _ pilotState) { now.Denied = without(now.Denied, i.value) },
		},
	}[i.op]
	if o.part == nil {
		o.part = o.judged
	}
	o.change = map[string]func(*pilotState) bool{
		copilot.OpPausePath: func(s *pilotState) (ok bool) {
			ok, s.Active[0] = s.Active[0], false
			return ok
		},
		copilot.OpSetWeights: func(s *pilotState) bool {
			s.Weight[0], s.Weight[1] = 10, 90
			return true
		},
		copilot.OpSetDestinationWeights: func(s *pilotState) (ok bool) {
			ok, s.Rest[1].Weight = s.Rest[1].Offer != i.third, 5
			return ok
		},
		copilot.OpSwapDestination: func(s *pilotState) (ok bool) {
			ok, s.Rest[1].Offer = s.Rest[1].Offer != i.third, i.third
			return ok
		},
		copilot.OpExclude: func(s *pilotState) bool {
			s.Excluded++
			return true
		},
		copilot.OpPauseOffer: func(s *pilotState) (ok bool) {
			ok, s.Offer = s.Offer, false
			return ok
		},
		copilot.OpSetCap: func(s *pilotState) bool {
			s.Cap = 80
			return true
		},
		copilot.OpPauseCampaign: func(s *pilotState) (ok bool) {
			if ok, s.Campaign = s.Campaign, false; ok {
				s.Paused++
			}
			return ok
		},
		copilot.OpMapPostback: func(s *pilotState) (ok bool) {
			ok, s.Parameter = s.Parameter != "sum", "sum"
			return ok
		},
		copilot.OpDeny: func(s *pilotState) bool {
			s.Denied = strings.Join(slices.Sorted(slices.Values(append(strings.Fields(s.Denied), i.value))), " ")
			return true
		},
	}[i.op]
	return o
}

func without(list, value string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(list), func(v string) bool { return v == value }), " ")
}

// pilotMove is one step: an action on an item, or an edit of the records.
type pilotMove struct {
	action string // apply, undo, edit
	item   int
	edit   pilotEdit
}

// pilotEdit is a call of the API and its effect on the state.
type pilotEdit struct {
	method, path string
	body         object
	apply        func(*pilotState)
}

// step returns the expected state after a move and the expected error code.
func (w expectedState) step(m pilotMove) (expectedState, string) {
	w.items = slices.Clone(w.items)
	if m.action == "edit" {
		m.edit.apply(&w.state)
		return w, ""
	}
	i := &w.items[m.item]
	op := i.operation()
	switch {
	case m.action == "undo" && i.status == copilot.StatusUndone:
		return w, "already_undone"
	case m.action == "undo":
		if op.part(w.state) != op.part(i.is) {
			return w, "stale"
		}
		op.restore(&w.state, i.was)
		i.status = copilot.StatusUndone
		return w, ""
	case i.rule && w.cooled:
		return w, "cooling"
	case i.status != copilot.StatusOpen:
		return w, "not_open"
	}
	after := w.state
	if op.judged(w.state) != i.judged || !op.change(&after) {
		if i.proposal {
			i.status = copilot.StatusStale
		}
		return w, "stale"
	}
	w.cooled = w.cooled || i.rule
	i.was, i.is, w.state, i.status = w.state, after, after, copilot.StatusApplied
	return w, ""
}

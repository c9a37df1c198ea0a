package v1_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/copilot"
)

// pilotState is what the test believes the records to be.
type pilotState struct {
	Campaign, Offer bool // active
	Active          [3]bool
	Weight          [3]float64
	Cap             int // 0: none
	Parameter       string
	Denied          string // values of deny entries, sorted
	Paused          int    // events of the Copilot
}

// pilotOp is what the test believes of an operation: the part of the state that it is judged by, the part that it changes,
// and the change. ok is false if nothing is left to change.
type pilotOp struct {
	judged, part func(pilotState) any
	change       func(*pilotState) (ok bool)
	back         func(now *pilotState, was pilotState)
}

// pilotItem is a suggestion, or a proposal.
type pilotItem struct {
	op       string
	proposal bool
	id       string
	value    string // of deny
	judged   any
	status   string
	change   string // its id, once applied
	was, is  pilotState
}

// pilotWorld is all that the test believes.
type pilotWorld struct {
	state pilotState
	items []pilotItem
}

// of is what the item's operation does.
func (i pilotItem) of() pilotOp {
	flow := pilotOp{
		judged: func(s pilotState) any { return [2]any{s.Active, s.Weight} },
		back:   func(now *pilotState, was pilotState) { now.Active, now.Weight = was.Active, was.Weight },
	}
	offer := pilotOp{
		judged: func(s pilotState) any { return [2]any{s.Offer, s.Cap} },
		back:   func(now *pilotState, was pilotState) { now.Offer, now.Cap = was.Offer, was.Cap },
	}
	o := map[string]pilotOp{
		copilot.OpPausePath: flow, copilot.OpSetWeights: flow, copilot.OpPauseOffer: offer, copilot.OpSetCap: offer,
		copilot.OpPauseCampaign: {
			judged: func(s pilotState) any { return s.Campaign },
			back:   func(now *pilotState, was pilotState) { now.Campaign = was.Campaign },
		},
		copilot.OpMapPostback: {
			judged: func(s pilotState) any { return s.Parameter },
			back:   func(now *pilotState, was pilotState) { now.Parameter = was.Parameter },
		},
		copilot.OpDeny: {
			judged: func(pilotState) any { return nil },
			part:   func(s pilotState) any { return slices.Contains(strings.Fields(s.Denied), i.value) },
			back:   func(now *pilotState, _ pilotState) { now.Denied = without(now.Denied, i.value) },
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

// pilotMove is something that somebody does: an action on an item, or an edit of the records.
type pilotMove struct {
	action string // apply, undo, edit
	item   int
	edit   pilotEdit
}

// pilotEdit is a call of the API and what it makes of the state.
type pilotEdit struct {
	method, path string
	body         object
	make         func(*pilotState)
}

// step is what the test believes that a move does to a world: its code and the world after it.
func (w pilotWorld) step(m pilotMove) (pilotWorld, string) {
	w.items = slices.Clone(w.items)
	if m.action == "edit" {
		m.edit.make(&w.state)
		return w, ""
	}
	i := &w.items[m.item]
	op := i.of()
	switch {
	case m.action == "undo" && i.status == copilot.StatusUndone:
		return w, "already_undone"
	case m.action == "undo":
		if op.part(w.state) != op.part(i.is) {
			return w, "stale"
		}
		op.back(&w.state, i.was)
		i.status = copilot.StatusUndone
		return w, ""
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
	i.was, i.is, w.state, i.status = w.state, after, after, copilot.StatusApplied
	return w, ""
}

// machine is a piloted account that is driven.
type machine struct {
	*piloted
	rt     *rapid.T
	worlds []pilotWorld // what the test believes it can be: one, or several that cannot be told apart yet
	paths  []string
	made   time.Time
}

// TestCopilotMachine drives applies, undos and edits in every order, also at the same time: the records are what one order of
// them makes, no edit is lost, each change is taken back once, and each pause has its event.
func TestCopilotMachine(t *testing.T) {
	t.Parallel()
	server := newPiloted(t)
	rapid.Check(t, func(rt *rapid.T) {
		p := server.another(t)
		p.Do("POST", "/webhooks", object{"url": "https://hooks.acme.com/y", "events": []string{"campaign.paused"}}).Want(201, "")
		m := &machine{piloted: p, rt: rt, paths: p.paths(), made: time.Now()}
		m.worlds = []pilotWorld{{state: pilotState{
			Campaign: true, Offer: true, Active: [3]bool{true, true, true}, Weight: [3]float64{50, 50, 50}, Cap: 50,
		}}}
		m.compare(nil, nil)
		for range rapid.IntRange(2, 8).Draw(rt, "steps") {
			m.suggest(rapid.SampledFrom(slices.Sorted(maps.Keys(p.actions()))).Draw(rt, "operation"), rapid.Bool().Draw(rt, "proposal"))
			var moves []pilotMove
			for range rapid.IntRange(1, 4).Draw(rt, "at once") {
				moves = append(moves, m.draw())
			}
			m.compare(moves, m.do(moves))
		}
	})
}

// suggest adds an item, unless it could not be applied. Exclude is left out: it changes what other operations judge.
func (m *machine) suggest(op string, proposal bool) {
	i := pilotItem{op: op, proposal: proposal, status: copilot.StatusOpen, value: fmt.Sprint("z", len(m.worlds[0].items))}
	if op == copilot.OpExclude || len(m.worlds) > 1 {
		return
	}
	now := m.worlds[0].state
	i.judged = i.of().judged(now)
	if !i.of().change(&now) {
		return
	}
	a := m.actions()[op]
	if op == copilot.OpDeny {
		a.Values, a.Worst = []string{i.value}, 0
	}
	if proposal {
		made, err := m.Store.CopilotProposals().Create(m.t.Context(), copilot.Proposal{
			Owned: models.Owned{AccountID: m.Account.ID}, Title: "Do it", Action: *a,
		}, m.made)
		if err != nil {
			m.rt.Fatal(err)
		}
		i.id = made.ID.String()
	} else {
		key := uuid.NewString()
		err := m.Store.Copilot().Save(m.t.Context(), m.Account.ID, store.FoundSuggestions{At: m.made, Next: m.made, List: []copilot.Suggestion{{
			Kind: "pause_loser", Key: key, Title: "Do it", Action: a, Digest: a.Judged(m.record()),
			ExpiresAt: models.Stamp{Time: m.made.Add(copilot.Life)},
		}}})
		if err != nil {
			m.rt.Fatal(err)
		}
		list, err := m.Store.Copilot().Open(m.t.Context(), m.Account.ID, m.made)
		at := slices.IndexFunc(list, func(s copilot.Suggestion) bool { return s.Key == key })
		if err != nil || at < 0 {
			m.rt.Fatal("the suggestion is not there", err)
		}
		i.id = list[at].ID.String()
	}
	m.worlds[0].items = append(m.worlds[0].items, i)
}

// draw gives something to do.
func (m *machine) draw() pilotMove {
	items := m.worlds[0].items
	if len(items) > 0 && rapid.IntRange(0, 2).Draw(m.rt, "edit") > 0 {
		i := rapid.IntRange(0, len(items)-1).Draw(m.rt, "item")
		if items[i].change != "" && rapid.Bool().Draw(m.rt, "undo") {
			return pilotMove{action: "undo", item: i}
		}
		return pilotMove{action: "apply", item: i}
	}
	n := rapid.IntRange(0, 2).Draw(m.rt, "value")
	campaign := "/campaigns/" + m.campaign.String()
	edits := []pilotEdit{
		{"PATCH", campaign, object{"status": models.StatusOf(n > 0)}, func(s *pilotState) { s.Campaign = n > 0 }},
		{"PATCH", campaign + "/flow", object{"path_id": m.paths[1], "weight": 60 + n}, func(s *pilotState) { s.Weight[1] = float64(60 + n) }},
		{"PATCH", campaign + "/flow", object{"path_id": m.paths[0], "is_active": n > 0}, func(s *pilotState) { s.Active[0] = n > 0 }},
		{"PATCH", "/offers", object{"id": m.offer, "is_active": n > 0}, func(s *pilotState) { s.Offer = n > 0 }},
		{
			"PUT", "/offers",
			object{"id": m.offer, "name": "Shop", "url": "https://o.acme.com/", "network_id": m.network, "daily_cap": 51 + n},
			func(s *pilotState) { s.Cap = 51 + n },
		},
		{"PUT", "/networks", object{"id": m.network, "name": "Net", "postback_params": object{"click_id": "sub"}}, func(s *pilotState) { s.Parameter = "" }},
	}
	return pilotMove{action: "edit", edit: rapid.SampledFrom(edits).Draw(m.rt, "what")}
}

// do makes all moves at once, and gives their codes and the changes they made.
func (m *machine) do(moves []pilotMove) []string {
	codes, changes := make([]string, len(moves)), make([]string, len(moves))
	var all sync.WaitGroup
	for n, move := range moves {
		all.Go(func() {
			if move.action == "edit" {
				codes[n] = m.Do(move.edit.method, move.edit.path, move.edit.body).Code
				return
			}
			i := m.worlds[0].items[move.item]
			body := object{"action": move.action, "id": cmp.Or(map[string]string{"undo": i.change}[move.action], i.id)}
			if i.proposal && move.action == "apply" {
				body["action"] = "apply_proposal"
			}
			a := m.Do("POST", "/copilot", body)
			if codes[n] = a.Code; a.Status == http.StatusOK {
				changes[n] = a.Map()["change_id"].(string)
			}
		})
	}
	all.Wait()
	for n, move := range moves {
		for w := range m.worlds {
			if changes[n] != "" && move.action == "apply" {
				m.worlds[w].items[move.item].change = changes[n]
			}
		}
	}
	return codes
}

// compare keeps the worlds that some order of the moves leads to, with these codes and the records as they are. There is one.
func (m *machine) compare(moves []pilotMove, codes []string) {
	m.rt.Helper()
	got := m.seen()
	var left []pilotWorld
	known := map[string]bool{}
	for _, w := range m.worlds {
		for order := range orders(len(moves)) {
			next, right := w, true
			for _, n := range order {
				var code string
				next, code = next.step(moves[n])
				right = right && code == codes[n]
			}
			if text := fmt.Sprint(next); right && next.state == got && !known[text] {
				known[text] = true
				left = append(left, next)
			}
		}
	}
	if len(left) == 0 {
		m.rt.Fatalf("no order of %+v leads to %q and %+v; before: %+v", moves, codes, got, m.worlds)
	}
	m.worlds = left
}

// orders gives every order of n things.
func orders(n int) func(func([]int) bool) {
	return func(yield func([]int) bool) {
		var next func(order []int) bool
		next = func(order []int) bool {
			if len(order) == n {
				return yield(order)
			}
			for i := range n {
				if !slices.Contains(order, i) && !next(append(slices.Clone(order), i)) {
					return false
				}
			}
			return true
		}
		next(nil)
	}
}

// seen is the state as the records say it.
func (m *machine) seen() pilotState {
	m.rt.Helper()
	r := m.record()
	s := pilotState{Campaign: r.Campaign.Status == models.CampaignActive, Offer: bool(r.Offer.IsActive), Parameter: r.Network.PostbackParams["payout"]}
	for i, p := range r.Paths {
		s.Active[i], s.Weight[i] = p.IsActive, p.Weight
	}
	if r.Offer.DailyCap != nil {
		s.Cap = *r.Offer.DailyCap
	}
	var denied []string
	for _, e := range r.Entries {
		denied = append(denied, e.Value...)
	}
	s.Denied = strings.Join(slices.Sorted(slices.Values(denied)), " ")
	var err error
	s.Paused, err = db.Get[int](m.t.Context(), m.DB, "events", `SELECT count(*) FROM events WHERE account_id = $1
		AND convert_from(body, 'UTF8')::jsonb->'data'->>'by' = 'copilot'`, m.Account.ID)
	if err != nil {
		m.rt.Fatal(err)
	}
	return s
}

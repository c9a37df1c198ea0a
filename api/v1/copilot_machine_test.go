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
	dbcopilot "switchyard/db/copilot"
	"switchyard/models"
	"switchyard/models/autorule"
	"switchyard/models/copilot"
)

// machineEnv makes random moves in an account, and compares its records with a model.
type machineEnv struct {
	*copilotEnv
	rt       *rapid.T
	expected []expectedState // all states of the model that fit the answers and the records so far
	paths    []string
	made     time.Time
	rule     autorule.Rule // the account's rule, which can pause the offer
}

// The origins of an item. A rule only pauses the offer, so for any other operation fromRule makes a suggestion of the copilot.
const (
	fromCopilot = iota
	fromChat
	fromRule
)

// TestCopilotMachine applies suggestions, undoes changes and edits records in random order, sometimes several at the same time.
// The records must be the result of some order of these moves.
func TestCopilotMachine(t *testing.T) {
	t.Parallel()
	server := newCopilotEnv(t)
	rapid.Check(t, func(rt *rapid.T) {
		p := server.another(t)
		p.Do("POST", "/webhooks", object{"url": "https://hooks.acme.com/y", "events": []string{"campaign.paused"}}).Want(201, "")
		m := &machineEnv{copilotEnv: p, rt: rt, paths: p.paths(), made: time.Now()}
		m.expected = []expectedState{{state: pilotState{
			Campaign: true, Offer: true, Active: [3]bool{true, true, true}, Weight: [3]float64{50, 50, 50}, Cap: 50,
		}}}
		m.expected[0].state.Rest = [2]pilotRest{{p.offer, 100}, {p.second, 100}}
		m.createRule()
		m.compare(nil, nil)
		for range rapid.IntRange(2, 8).Draw(rt, "steps") {
			m.suggest(rapid.SampledFrom(slices.Sorted(maps.Keys(p.actions()))).Draw(rt, "operation"), rapid.IntRange(fromCopilot, fromRule).Draw(rt, "who"))
			var moves []pilotMove
			for range rapid.IntRange(1, 4).Draw(rt, "at once") {
				moves = append(moves, m.draw())
			}
			m.compare(moves, m.do(moves))
		}
	})
}

func (m *machineEnv) createRule() {
	id := m.Do("POST", rulesPath, object{
		"name": "Dear", "looks_at": "offer", "action": "pause", "mode": "live", "conditions": []object{{"figure": "cost", "operator": ">", "value": 8}},
	}).Want(http.StatusCreated, "").Map()["id"].(string)
	var err error
	if m.rule, err = dbcopilot.NewRules(m.Store).Find(m.t.Context(), m.Account.ID, uuid.MustParse(id)); err != nil {
		m.rt.Fatal(err)
	}
}

// runRule lets the rule pause the offer. The pause is refused if the records have changed since the rule read them.
func (m *machineEnv) runRule(i pilotItem) (change, code string) {
	done, err := dbcopilot.NewRules(m.Store).Act(m.t.Context(), m.rule, autorule.Act{
		Action: *m.actions()[copilot.OpPauseOffer], What: "pause it", Targets: []autorule.Target{{Offer: m.offer.String(), Name: "Shop"}},
	}, i.digest, m.rule.NewRun(m.Account, m.made), &copilot.Evidence{})
	if e, ok := models.AsError(err); ok {
		return "", e.Code
	}
	if err != nil {
		return "", err.Error()
	}
	return done.Change.ID.String(), ""
}

// suggest adds an item with the operation. It adds nothing if the operation cannot be applied, or if more than one state is
// possible.
func (m *machineEnv) suggest(op string, origin int) {
	i := pilotItem{
		op: op, proposal: origin == fromChat, rule: origin == fromRule && op == copilot.OpPauseOffer, third: m.third, status: copilot.StatusOpen,
		value: fmt.Sprint("z", len(m.expected[0].items)),
	}
	proposal := i.proposal
	if len(m.expected) > 1 {
		return
	}
	now := m.expected[0].state
	i.judged = i.operation().judged(now)
	if !i.operation().change(&now) {
		return
	}
	a := m.actions()[op]
	if op == copilot.OpDeny {
		a.Values, a.Worst = []string{i.value}, 0
	}
	switch {
	case i.rule:
		i.digest = a.JudgedDigest(m.record())
	case proposal:
		made, err := dbcopilot.NewProposals(m.Store).Create(m.t.Context(), copilot.Proposal{
			Owned: models.Owned{AccountID: m.Account.ID}, Title: "Do it", Action: *a,
		}, m.made)
		if err != nil {
			m.rt.Fatal(err)
		}
		i.id = made.ID.String()
	default:
		key := uuid.NewString()
		err := dbcopilot.NewSuggestions(m.Store).Save(m.t.Context(), m.Account.ID, dbcopilot.FoundSuggestions{At: m.made, Next: m.made, List: []copilot.Suggestion{{
			Kind: "pause_loser", Key: key, Title: "Do it", Action: a, Digest: a.JudgedDigest(m.record()),
			ExpiresAt: models.Stamp{Time: m.made.Add(copilot.Life)},
		}}})
		if err != nil {
			m.rt.Fatal(err)
		}
		list, err := dbcopilot.NewSuggestions(m.Store).Open(m.t.Context(), m.Account.ID, m.made)
		at := slices.IndexFunc(list, func(s copilot.Suggestion) bool { return s.Key == key })
		if err != nil || at < 0 {
			m.rt.Fatal("the new suggestion is not among the open suggestions", err)
		}
		i.id = list[at].ID.String()
	}
	m.expected[0].items = append(m.expected[0].items, i)
}

func (m *machineEnv) draw() pilotMove {
	items := m.expected[0].items
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
		{
			"PATCH", campaign + "/flow",
			object{"path_id": m.paths[2], "destinations": []object{{"id": m.offer, "weight": 70 + n}}},
			func(s *pilotState) { s.Rest[0].Weight = float64(70 + n) },
		},
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

// do makes all moves at the same time and returns their error codes. It stores the id of the change of each move "apply".
func (m *machineEnv) do(moves []pilotMove) []string {
	codes, changes := make([]string, len(moves)), make([]string, len(moves))
	var all sync.WaitGroup
	for n, move := range moves {
		all.Go(func() {
			if move.action == "edit" {
				codes[n] = m.Do(move.edit.method, move.edit.path, move.edit.body).Code
				return
			}
			i := m.expected[0].items[move.item]
			if i.rule && move.action == "apply" {
				changes[n], codes[n] = m.runRule(i)
				return
			}
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
		for w := range m.expected {
			if changes[n] != "" && move.action == "apply" {
				m.expected[w].items[move.item].change = changes[n]
			}
		}
	}
	return codes
}

// compare makes the moves in the model in every order. It keeps the states of all orders that fit the answers and the records of
// the account, and fails if no order fits.
func (m *machineEnv) compare(moves []pilotMove, codes []string) {
	m.rt.Helper()
	got := m.seen()
	var possible []expectedState
	known := map[string]bool{}
	for _, w := range m.expected {
		for order := range orders(len(moves)) {
			next, sameCodes := w, true
			for _, n := range order {
				var code string
				next, code = next.step(moves[n])
				sameCodes = sameCodes && code == codes[n]
			}
			if text := fmt.Sprint(next); sameCodes && next.state == got && !known[text] {
				known[text] = true
				possible = append(possible, next)
			}
		}
	}
	if len(possible) == 0 {
		m.rt.Fatalf("no order of %+v leads to %q and %+v; before: %+v", moves, codes, got, m.expected)
	}
	m.expected = possible
}

// orders yields every order of n things.
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

func (m *machineEnv) seen() pilotState {
	m.rt.Helper()
	r := m.record()
	s := pilotState{Campaign: r.Campaign.Status == models.CampaignActive, Offer: bool(r.Offer.IsActive), Parameter: r.Network.PostbackParams["payout"]}
	for i, d := range r.Paths[2].Destinations {
		s.Rest[i] = pilotRest{uuid.MustParse(d.ID), d.Weight}
	}
	if s.Excluded = len(r.Paths[0].Filters); s.Excluded != len(r.Paths[1].Filters) || len(r.Paths[2].Filters) > 0 {
		m.rt.Fatalf("both weighted paths must have the same number of filters, and the default path none: %+v", r.Paths)
	}
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

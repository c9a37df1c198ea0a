package autorule

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/models/flow"
)

// Target is an object that a rule judges, with its figures.
type Target struct {
	Campaign uuid.UUID // zero if the rule judges offers
	Path     string
	Offer    string
	Value    string
	Name     string

	Figures models.Figures
	Payout  *decimal.Decimal // nil: the payout is not known

	place int // index of the target's Series in the list that Replay gets
}

// NewTarget returns the target that a row of a report describes. The report must have the rule's dimensions. ok is false if the
// row describes no target.
func (s Settings) NewTarget(dims []string, f models.Figures) (t Target, ok bool) {
	t.Figures = f
	for i, name := range s.Dimensions() {
		if i >= len(dims) || dims[i] == "" {
			return t, false
		}
		switch name {
		case "campaign_id":
			id, err := uuid.Parse(dims[i])
			if err != nil {
				return t, false
			}
			t.Campaign = id
		case "stream_id":
			t.Path = dims[i]
		case "offer_id":
			t.Offer = dims[i]
		default:
			t.Value = dims[i]
		}
	}
	return t, len(t.Value) <= copilot.MaxValue
}

// Key returns a text that identifies a target among the targets that a rule has now or had under other settings.
func (s Settings) Key(t Target) string {
	parts := []string{s.LooksAt, models.IDText(t.Campaign), t.Path, t.Offer}
	if s.LooksAt == Value {
		parts = append(parts, s.Attribute, t.Value)
	}
	return strings.Join(parts, "/")
}

// Act is one change that a rule requests.
type Act struct {
	Action     copilot.Action
	CampaignID uuid.NullUUID
	What       string
	Targets    []Target
}

// Acts returns the changes that the rule requests for the matched targets. paths returns the paths of a campaign. idle has the
// targets for which there is nothing to change.
func (s Settings) Acts(matched []Target, paths func(uuid.UUID) []flow.Path) (acts []Act, idle []Target) {
	groups := map[string]int{}
	for _, t := range matched {
		a, ok := s.act(t, paths)
		if !ok {
			idle = append(idle, t)
			continue
		}
		group := s.group(t)
		at, known := groups[group]
		if !known || group == "" || len(acts[at].Targets) >= copilot.MaxValues {
			groups[group] = len(acts)
			acts = append(acts, a)
			continue
		}
		acts[at].Targets = append(acts[at].Targets, t)
		acts[at].Action.Weights = append(acts[at].Action.Weights, a.Action.Weights...)
		acts[at].Action.Values = append(acts[at].Action.Values, a.Action.Values...)
	}
	for i := range acts {
		if n := len(acts[i].Targets); n > 1 {
			acts[i].What = fmt.Sprintf("%s and %d more", acts[i].What, n-1)
		}
	}
	return acts, idle
}

// group returns the name of the group of targets that one change covers. It is "" if each target has its own change.
func (s Settings) group(t Target) string {
	switch {
	case s.Action == Deny, s.Action == Weight && s.LooksAt == Path:
		return t.Campaign.String()
	case s.Action == Weight:
		return t.Campaign.String() + "/" + t.Path
	}
	return ""
}

func (s Settings) act(t Target, paths func(uuid.UUID) []flow.Path) (a Act, ok bool) {
	a = Act{Targets: []Target{t}, CampaignID: uuid.NullUUID{UUID: t.Campaign, Valid: t.Campaign != uuid.Nil}}
	a.Action.CampaignID = a.CampaignID
	switch s.Action {
	case Pause:
		return s.pause(a, t)
	case Deny:
		a.Action.Op, _ = copilot.BlockOp(s.Attribute)
		a.Action.Attribute, a.Action.Values, a.What = s.Attribute, []string{t.Value}, "deny "+t.Name
		return a, true
	case Weight:
		return s.weigh(a, t, paths(t.Campaign))
	}
	return a, false
}

func (s Settings) pause(a Act, t Target) (Act, bool) {
	a.What = "pause " + t.Name
	switch s.LooksAt {
	case Campaign:
		a.Action.Op = copilot.OpPauseCampaign
	case Path:
		a.Action.Op, a.Action.PathID = copilot.OpPausePath, t.Path
	default:
		id, ok := models.ParseID(t.Offer)
		a.Action.Op, a.Action.OfferID = copilot.OpPauseOffer, uuid.NullUUID{UUID: id, Valid: ok}
		return a, ok
	}
	return a, true
}

// weigh adds the new weight of a path, or of an offer in it, to the change. It returns false if there is nothing to change.
func (s Settings) weigh(a Act, t Target, paths []flow.Path) (Act, bool) {
	at := slices.IndexFunc(paths, func(p flow.Path) bool { return p.ID == t.Path })
	if at < 0 {
		return a, false
	}
	id, now := t.Path, paths[at].Weight
	a.Action.Op = copilot.OpSetWeights
	if s.LooksAt == Destination {
		i := slices.IndexFunc(paths[at].Destinations, func(d flow.Destination) bool { return d.ID == t.Offer })
		if i < 0 {
			return a, false
		}
		id, now = t.Offer, paths[at].Destinations[i].Weight
		a.Action.Op, a.Action.PathID = copilot.OpSetDestinationWeights, t.Path
	}
	next := s.Weigh(now)
	a.Action.Weights = []copilot.Weight{{ID: id, Weight: next}}
	a.What = fmt.Sprintf("weight of %s from %v to %v", t.Name, now, next)
	return a, next != now
}

// Weigh returns the new weight, rounded to thousandths. A lowered weight stops at MinWeight, and a raised weight stops at
// MaxWeight. A weight that is already beyond its limit stays unchanged.
func (s Settings) Weigh(weight float64) float64 {
	factor := s.Factor.InexactFloat64()
	next := math.Round(weight*factor*1000) / 1000
	if factor < 1 {
		return min(weight, max(next, s.MinWeight.InexactFloat64()))
	}
	return max(weight, min(next, s.MaxWeight.InexactFloat64()))
}

// ByCost sorts targets by cost, the highest first.
func ByCost(list []Target) {
	slices.SortStableFunc(list, func(a, b Target) int {
		return cmp.Or(b.Figures.Cost.Cmp(a.Figures.Cost), cmp.Compare(b.Figures.Clicks, a.Figures.Clicks))
	})
}

// TargetFigures returns the figures of a target that are shown as evidence.
func (s Settings) TargetFigures(t *Target) []copilot.Figure {
	list := []copilot.Figure{}
	for _, name := range s.evidenceFigures() {
		if v, ok := t.figure(name); ok {
			list = append(list, copilot.Figure{Of: t.Name, Name: name, Value: models.NewMoney(v)})
		}
	}
	return list
}

const maxFigures = 60

// Evidence returns the figures that made a rule act. from and to are the bounds of the window, as text.
func (s Settings) Evidence(targets []Target, from, to string) *copilot.Evidence {
	e := copilot.Evidence{From: from, To: to, Confidence: 1, Method: "rule: " + s.Text(), Figures: []copilot.Figure{}}
	for i := range targets {
		e.Sample += targets[i].Figures.Clicks
		if shown := s.TargetFigures(&targets[i]); len(e.Figures)+len(shown) <= maxFigures {
			e.Figures = append(e.Figures, shown...)
		}
	}
	return &e
}

const maxName = 300

// Describe returns a readable name of a target. names maps ids to names.
func (s Settings) Describe(t Target, names map[string]string) string {
	name := func(id string) string { return cmp.Or(names[id], id) }
	text := "campaign " + name(models.IDText(t.Campaign))
	switch s.LooksAt {
	case Value:
		text = s.Attribute + " " + t.Value + " of " + text
	case Path:
		text = "path " + name(t.Path) + " of " + text
	case Destination:
		text = "offer " + name(t.Offer) + " in path " + name(t.Path) + " of " + text
	case Offer:
		text = "offer " + name(t.Offer)
	}
	return models.Shortened(text, maxName)
}

// Message returns the text of an alert about a target.
func (s Settings) Message(t Target) string {
	var list []string
	for _, f := range s.TargetFigures(&t) {
		list = append(list, f.Name+" "+f.Value.Text())
	}
	return s.Text() + ": " + strings.Join(list, ", ")
}

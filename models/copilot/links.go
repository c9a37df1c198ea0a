package copilot

import (
	"fmt"

	"github.com/google/uuid"

	"switchyard/models/flow"
)

// findBadLinks finds links in use that are broken or unsafe.
func findBadLinks(in *Input) (list []finding) {
	for i := range in.Campaigns {
		c := &in.Campaigns[i]
		for k := range c.Paths {
			p := &c.Paths[k]
			for _, d := range p.Destinations {
				name, problem, kind := in.problem(d.ID)
				if p.IsActive && d.Weight > 0 && problem != "" {
					list = append(list, certainFinding(weightBroken+float64(c.clicks()), c.badLink(in, p, d, name, problem, kind)))
				}
			}
		}
	}
	return list
}

// problem returns the name and the kind of an active destination, and the reason why its link must not be used. The reason is
// empty for a working destination. For an unknown or inactive one, all results are empty.
func (in *Input) problem(id string) (name, problem, kind string) {
	if o, ok := in.Offers[id]; ok && bool(o.IsActive) {
		return o.Name, o.Problem, "offer"
	}
	if l, ok := in.Landers[id]; ok && l.Active {
		return l.Name, l.Problem, "landing page"
	}
	return "", "", ""
}

// badLink suggests taking a destination with a bad link out of a path. The destination gets the weight 0 if another destination
// of the path takes its visitors. Otherwise the suggestion swaps it for another working destination. Without one, it is only advice.
func (c *CampaignInput) badLink(in *Input, p *flow.Path, d flow.Destination, name, problem, kind string) Suggestion {
	s := Suggestion{
		Key: c.ID.String() + "/" + p.ID + "/" + d.ID, CampaignID: uuid.NullUUID{UUID: c.ID, Valid: true}, CampaignName: c.Name,
		Title:  fmt.Sprintf("%s “%s” is in rotation although its link does not work", kind, name),
		Detail: fmt.Sprintf("Path “%s” sends visitors there: %s. No other %s of the path could take them.", p.Name, problem, kind),
	}
	visitors := int64(0)
	for _, r := range c.Rows {
		if r.Path == p.ID && (r.Offer == d.ID || r.Lander == d.ID) {
			visitors += r.Clicks
		}
	}
	s.Evidence.Sample, s.Evidence.Figures = visitors, []Figure{count(name, "clicks", visitors)}
	other, spare := c.substitute(in, p, d, kind)
	if other == "" {
		return s
	}
	a := Action{Op: OpSwapDestination, CampaignID: s.CampaignID, PathID: p.ID, From: d.ID, To: other}
	consequence := "can take its place"
	if !spare {
		consequence = "takes them"
		a = Action{Op: OpSetDestinationWeights, CampaignID: s.CampaignID, PathID: p.ID, Weights: []Weight{{d.ID, 0}}}
	}
	if _, _, _, err := a.Apply(Record{Paths: c.Paths}); err == nil {
		otherName, _, _ := in.problem(other)
		s.Detail = fmt.Sprintf("Path “%s” sends visitors there: %s. “%s” %s.", p.Name, problem, otherName, consequence)
		s.Action, s.Digest = &a, a.JudgedDigest(Record{Paths: c.Paths})
	}
	return s
}

// substitute returns a working destination of the same kind. It prefers a destination that already serves the same visitors, then
// a spare destination of the path (without a weight), then a destination of another path for the same visitors. spare reports
// that the path does not send visitors there yet.
func (c *CampaignInput) substitute(in *Input, p *flow.Path, d flow.Destination, kind string) (id string, spare bool) {
	works := func(o flow.Destination) bool {
		_, problem, kindOfOther := in.problem(o.ID)
		return o.ID != d.ID && o.Slot == d.Slot && kindOfOther == kind && problem == ""
	}
	for _, o := range p.Destinations {
		switch {
		case works(o) && o.Weight > 0:
			return o.ID, false
		case works(o) && id == "":
			id = o.ID
		}
	}
	if id != "" {
		return id, true
	}
	for i := range c.Paths {
		other := &c.Paths[i]
		if other.ID == p.ID || !other.IsActive || conditionsDigest(other) != conditionsDigest(p) {
			continue
		}
		for _, o := range other.Destinations {
			if works(o) && o.Weight > 0 {
				return o.ID, true
			}
		}
	}
	return "", false
}

func conditionsDigest(p *flow.Path) string {
	return digest([]any{p.StreamType, p.Logic, p.Filters, p.Rules})
}

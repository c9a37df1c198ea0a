package flow

import (
	"reflect"
	"slices"

	"switchyard/models/cond"
)

// Covered maps each path that no new visitor reaches to the earlier path that takes all of its visitors. It assumes that the
// earlier path has an open destination. A path with a daily cap covers no path, because it lets visitors pass when the cap is
// reached. Paths that are switched off do not count. The dashboard's flow editor decides in the same way (coverer in edit.ts).
func Covered(paths []Path, rotation Rotation) map[int]int {
	order := tried(paths)
	covered := map[int]int{}
	for at, i := range order {
		p := &paths[i]
		if !p.IsActive {
			continue
		}
		for _, j := range order[:at] {
			if o := &paths[j]; o.IsActive && covers(o, p) && !drawnTogether(o, p, rotation) {
				covered[i] = j
				break
			}
		}
	}
	return covered
}

func tried(paths []Path) []int {
	order := make([]int, len(paths))
	for i := range paths {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return rank(&paths[a]) - rank(&paths[b]) })
	return order
}

func rank(p *Path) int {
	switch p.StreamType {
	case Forced:
		return 0
	case Default:
		return 2 * (MaxRuleGroup + 1)
	}
	return MaxRuleGroup + 1 + p.RuleGroup
}

// covers reports whether o takes every visitor of p.
func covers(o, p *Path) bool {
	return o.LeadsOn() && !o.NeverDrawn() && o.DailyCap == nil && len(o.Rules) == 0 && includes(p, o)
}

// includes reports whether every visitor of p certainly meets the filters of o: o has no filters, or both paths have the logic "and"
// and p has all filters of o.
func includes(p, o *Path) bool {
	if len(o.Filters) == 0 {
		return true
	}
	if o.Logic != "and" || p.Logic != "and" {
		return false
	}
	return !slices.ContainsFunc(o.Filters, func(f cond.Condition) bool {
		return !slices.ContainsFunc(p.Filters, func(g cond.Condition) bool { return reflect.DeepEqual(f, g) })
	})
}

// LeadsOn reports whether a path has an answer for its visitors: the action "nothing", a campaign or a destination. Destinations
// with a weight count even if they are paused or have reached their cap.
func (p *Path) LeadsOn() bool {
	switch p.Action {
	case ActionNothing:
		return true
	case ActionCampaign:
		return p.CampaignID != ""
	}
	return slices.ContainsFunc(p.Destinations, func(d Destination) bool { return d.Weight > 0 })
}

// NeverDrawn reports whether a path gets no new visitors because its weight is 0. The weights of forced and default paths have no
// meaning.
func (p *Path) NeverDrawn() bool { return p.StreamType == Regular && p.Weight == 0 }

// drawnTogether reports whether two paths are in the same random choice. If both accept a visitor, chance decides.
func drawnTogether(a, b *Path, rotation Rotation) bool {
	if a.StreamType != Regular {
		return false
	}
	if rotation == ByWeight {
		return b.StreamType == Regular
	}
	return rank(a) == rank(b) && a.RuleGroup > 0
}

// TakesEverybody reports whether a path takes every visitor at all times.
func (p *Path) TakesEverybody() bool {
	return p.IsActive && p.LeadsOn() && !p.NeverDrawn() && p.DailyCap == nil && len(p.Rules) == 0 && len(p.Filters) == 0
}

package flow

import (
	"reflect"
	"slices"

	"switchyard/models/cond"
)

// Covered returns the paths that no new visitor reaches, because an earlier path takes all of their visitors. It maps the index of
// such a path to the index of the earlier path. It assumes that the earlier path has a destination that is open. A path with a
// daily cap lets visitors pass when the cap is reached, so it covers no path. Paths that are switched off neither cover other
// paths nor are covered. The dashboard's flow editor decides in the same way (coverer in edit.ts).
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

// tried returns the indexes of the paths in the order in which they are tried.
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

// includes reports whether every visitor of p meets the filters of o.
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

// LeadsOn reports whether a path leads a visitor anywhere: it has a destination with a weight, has a campaign, or does nothing
// on purpose. It does not check whether the destinations are paused or have reached their cap.
func (p *Path) LeadsOn() bool {
	switch p.Action {
	case ActionNothing:
		return true
	case ActionCampaign:
		return p.CampaignID != ""
	}
	return slices.ContainsFunc(p.Destinations, func(d Destination) bool { return d.Weight > 0 })
}

// NeverDrawn reports whether a path gets no new visitors because its weight is 0. For forced and default paths it is always
// false, because their weights have no meaning.
func (p *Path) NeverDrawn() bool { return p.StreamType == Regular && p.Weight == 0 }

// drawnTogether reports whether two paths are in the same random choice. If both accept a visitor, chance decides which of the two
// paths the visitor gets.
func drawnTogether(a, b *Path, rotation Rotation) bool {
	if a.StreamType != Regular {
		return false
	}
	if rotation == ByWeight {
		return b.StreamType == Regular
	}
	return rank(a) == rank(b) && a.RuleGroup > 0
}

// TakesEverybody reports whether a path takes every visitor at all times: it is switched on, LeadsOn is true, its weight is not
// 0, and it has neither conditions nor a daily cap.
func (p *Path) TakesEverybody() bool {
	return p.IsActive && p.LeadsOn() && !p.NeverDrawn() && p.DailyCap == nil && len(p.Rules) == 0 && len(p.Filters) == 0
}

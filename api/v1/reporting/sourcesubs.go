package reporting

import (
	"slices"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/subslot"
)

// SourceSubs returns the route GET /traffic-sources/{id}/subs.
func SourceSubs(d Deps) route.Route {
	return route.New("GET", "/traffic-sources/{id}/subs", "Traffic sources",
		"a source's sub-parameters: the parameter that fills each, its latest values, and the records that use it",
		route.HandleRecord((*store.Store).Sources, d.sourceSubs), answer.IDCodes).WithShare(route.Reads)
}

// SourceSubList has the sub-parameters of a traffic source.
type SourceSubList struct {
	ID   uuid.UUID   `json:"id"`
	Subs []SourceSub `json:"subs" doc:"sub1 to {lastSub}, in order"`
}

// SourceSub is a sub-parameter of a traffic source.
type SourceSub struct {
	Sub    int            `json:"sub"`
	Param  string         `json:"param" doc:"the link parameter that fills the sub-parameter; empty: the sub-parameter is free"`
	Filled bool           `json:"filled" doc:"false: the tracking links do not have the parameter"`
	Recent []string       `json:"recent" doc:"up to 3 values that the source's latest clicks had, newest first"`
	UsedBy []store.SubUse `json:"used_by" doc:"records that use the sub-parameter, at most 200 for all sub-parameters: the source's campaigns, saved rules, Copilot rules, bot list entries and lists of blocked values that name it, and offers and landing pages with its token in their address"`
}

const (
	recentClicks = 50 // how many of the source's latest clicks are read
	recentValues = 3  // maximum number of values that are shown for each sub-parameter
)

func (d Deps) sourceSubs(c *route.Call, o models.TrafficSource) (SourceSubList, error) {
	out := SourceSubList{ID: o.ID, Subs: make([]SourceSub, models.Subs)}
	for i := range out.Subs {
		out.Subs[i] = SourceSub{Sub: i + 1, Recent: []string{}, UsedBy: []store.SubUse{}}
	}
	for _, s := range subslot.Reserved(o.SourceLink) {
		out.Subs[s.Sub-1].Param = s.Param
	}
	for _, s := range subslot.Filled(o.SourceLink) {
		out.Subs[s.Sub-1].Filled = true
	}
	uses, err := c.Store.SubUses(c.Context(), c.Account.ID, o.ID)
	if err != nil {
		return out, err
	}
	for _, u := range uses {
		out.Subs[u.Sub-1].UsedBy = append(out.Subs[u.Sub-1].UsedBy, u)
	}
	recent, err := d.clicks(c).RecentSubs(c.Context(), c.Account.ID, o.ID, recentClicks)
	for _, values := range recent {
		for i, v := range values {
			s := &out.Subs[i]
			if v != "" && len(s.Recent) < recentValues && !slices.Contains(s.Recent, v) {
				s.Recent = append(s.Recent, v)
			}
		}
	}
	return out, err
}

package flow

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/token"
)

// The stream types of a path.
const (
	Regular = "regular"
	Forced  = "forced"
	Default = "default"
)

// The actions of a path.
const (
	ActionLander   = "lander"
	ActionOffer    = "offer"
	ActionRedirect = "redirect"
	ActionCampaign = "campaign"
	ActionNothing  = "nothing"
)

// The ways in which a visitor is sent to the destination.
const (
	Transition302           = "302"
	Transition301           = "301"
	Transition303           = "303"
	Transition307           = "307"
	TransitionMeta          = "meta"
	TransitionDoubleMeta    = "double_meta"
	TransitionJS            = "js"
	TransitionBlankReferrer = "blank_referrer"
	TransitionFormPost      = "form_post"
	TransitionIframe        = "iframe"
)

// Limits of a flow.
const (
	MaxPaths        = 128
	MaxRules        = 20
	MaxDestinations = 100
	MaxNameLen      = 255
	MaxURLLen       = 2000
	MaxBodyLen      = 20000
	MaxSlot         = 20
	MaxWeight       = 1_000_000
	MaxRuleGroup    = 999
	MaxHandovers    = 3 // maximum number of times that a visitor is handed over to another campaign
)

// Path is one item of a flow. Filters and rules decide which visitors it takes. The action decides what these visitors get. NewPath
// and UnmarshalJSON set the defaults.
type Path struct {
	ID            string           `json:"id" format:"uuid" doc:"id of the path; send it again with the flow to keep the path's statistics; left out: a new id"`
	Name          string           `json:"name" maxLength:"255" doc:"unique in the flow; left out: Path N"`
	StreamType    string           `json:"stream_type" enum:"regular,forced,default" default:"regular" doc:"forced paths are tried first, the default path last"`
	Action        string           `json:"action" enum:"lander,offer,redirect,campaign,nothing" required:"invalid_action"`
	Transition    string           `json:"transition" enum:"302,301,303,307,meta,double_meta,js,blank_referrer,form_post,iframe" default:"302" doc:"how the visitor is sent on"`
	RuleGroup     int              `json:"rule_group" min:"0" max:"999" doc:"the path's group, used only if rotation is position. Lower groups are tried first. The paths of a group share the group's visitors by weight. Each path of group 0 is tried alone"`
	Weight        float64          `json:"weight" min:"0" max:"1000000" default:"100" doc:"the path's share among the paths of its group that take the visitor, or among all such regular paths if rotation is weight; a regular path with 0 gets no new visitors"`
	DailyCap      *int             `json:"daily_cap" min:"1" doc:"maximum number of clicks a day; null: no cap"`
	IsActive      bool             `json:"is_active" default:"true"`
	CollectClicks bool             `json:"collect_clicks" default:"true" doc:"false: clicks of this path are not recorded"`
	Logic         string           `json:"logic" enum:"and,or" default:"and" doc:"whether all or at least one of the filters and rules must match"`
	Filters       []cond.Condition `json:"filters" maxItems:"20" doc:"the path's own conditions; empty: no conditions"`
	Rules         []RuleRef        `json:"rules" maxItems:"20"`
	Destinations  []Destination    `json:"destinations" maxItems:"100" doc:"offers, landing pages and addresses, chosen at random by weight"`
	Response      *Response        `json:"response,omitempty" doc:"the answer if the action is nothing"`
	CampaignID    string           `json:"campaign_id,omitempty" doc:"the campaign to which visitors are handed over if the action is campaign"`
}

// RuleRef is the id of a saved rule, or a rule of the path itself, with logic and conditions. In the path's logic, a RuleRef counts
// as one condition.
type RuleRef struct {
	Name       string           `json:"name" maxLength:"255" doc:"unique in the flow; left out: Rule N"`
	RuleID     string           `json:"rule_id,omitempty" doc:"a saved rule, instead of logic and conditions"`
	Logic      string           `json:"logic,omitempty" enum:"and,or" default:"and"`
	Conditions []cond.Condition `json:"conditions,omitempty" maxItems:"20"`
}

// Destination is an offer or a lander, given by its id, or an address. Slot is the click slot of the lander (1 to 20) that leads
// to it; 0 means every slot.
type Destination struct {
	ID     string  `json:"id,omitempty" doc:"an offer or a landing page; either id or url"`
	URL    string  `json:"url,omitempty" maxLength:"2000" doc:"an address, with tokens such as {clickid}"`
	Weight float64 `json:"weight" min:"0" max:"1000000" default:"100"`
	Slot   int     `json:"slot,omitempty" min:"0" max:"20" doc:"the click slot of the landing page that leads to this destination, as in /out/2; 0 or left out: every slot"`
}

// Response is the answer of a path whose action is nothing.
type Response struct {
	Status int    `json:"status" enum:"200,204,404" default:"404"`
	Body   string `json:"body" maxLength:"20000"`
}

// NewPath returns a path with all defaults. Normalize sets its name and id.
func NewPath() Path {
	return Path{
		StreamType: Regular, Transition: Transition302, Weight: 100, IsActive: true, CollectClicks: true,
		Logic: "and", Filters: []cond.Condition{}, Rules: []RuleRef{}, Destinations: []Destination{},
	}
}

// Simple returns a flow with one path. It leads to the offer, through the lander if there is one. One of the ids may be empty.
func Simple(offerID, landerID string) []Path {
	p := NewPath()
	p.Action = ActionOffer
	for _, id := range []string{landerID, offerID} {
		if id != "" {
			p.Destinations = append(p.Destinations, Destination{ID: id, Weight: 100})
		}
	}
	if landerID != "" {
		p.Action = ActionLander
	}
	return Normalize([]Path{p})
}

// Parse reads the paths of a request and sets their defaults. It ignores unknown members, and null counts as left out. The error
// is a *models.Error with the code of the wrong member.
func Parse(raw json.RawMessage) ([]Path, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, models.Invalid("no_streams", "the flow has no paths")
	}
	v, err := decodeJSON(raw)
	list, ok := v.([]any)
	if err != nil || !ok {
		return nil, models.Invalid("invalid_input", "the paths are not an array of objects")
	}
	if len(list) > MaxPaths {
		return nil, models.Invalid("invalid_input", "a flow has at most %d paths", MaxPaths)
	}
	paths := make([]Path, len(list))
	for i, item := range list {
		if err := paths[i].read(item); err != nil {
			return nil, models.Invalid(err.Code, "path %d: %s", i+1, err.Message)
		}
	}
	if len(paths) == 0 {
		return nil, models.Invalid("no_streams", "the flow has no paths")
	}
	return Normalize(paths), nil
}

// UnmarshalJSON reads a path as Parse does, but does not call Normalize.
func (p *Path) UnmarshalJSON(b []byte) error {
	v, err := decodeJSON(b)
	if err != nil {
		return err
	}
	if err := p.read(v); err != nil {
		return err
	}
	return nil
}

// Normalize sets missing names ("Path N"), ids and defaults of paths. It converts ids to lower case, rounds weights to
// thousandths, and cuts conditions to their limits (cond.Clip). A repeated id becomes a new one.
func Normalize(paths []Path) []Path {
	names, ids, rules := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range paths {
		names[strings.TrimSpace(paths[i].Name)] = true
		for _, r := range paths[i].Rules {
			rules[strings.TrimSpace(r.Name)] = true
		}
	}
	for i := range paths {
		p := &paths[i]
		p.Name = nameOr(p.Name, "Path", i+1, names)
		p.ID = lowerID(p.ID)
		if p.ID == "" || ids[p.ID] {
			p.ID = uuid.NewString()
		}
		ids[p.ID] = true
		p.StreamType, p.Transition = cmp.Or(p.StreamType, Regular), cmp.Or(p.Transition, Transition302)
		p.Logic = logic(p.Logic)
		p.Weight = thousandths(p.Weight)
		p.CampaignID = lowerID(p.CampaignID)
		for j := range p.Rules {
			r := &p.Rules[j]
			r.Name = nameOr(r.Name, "Rule", j+1, rules)
			if r.RuleID = lowerID(r.RuleID); r.RuleID == "" {
				r.Logic = logic(r.Logic)
			}
			clip(r.Conditions)
		}
		clip(p.Filters)
		for j := range p.Destinations {
			d := &p.Destinations[j]
			d.ID, d.URL, d.Weight = lowerID(d.ID), token.ASCIIHost(strings.TrimSpace(d.URL)), thousandths(d.Weight)
		}
	}
	return paths
}

// Identify calls keep with the id of each path. If the result is false, the path gets a new id. So a flow cannot get the statistics
// of another flow's path. If keep is nil, as for a copied flow, every path gets a new id.
func Identify(paths []Path, keep func(id string) bool) {
	for i := range paths {
		if keep == nil || !keep(paths[i].ID) {
			paths[i].ID = uuid.NewString()
		}
	}
}

func clip(list []cond.Condition) {
	for i := range list {
		list[i] = cond.Clip(list[i])
	}
}

func nameOr(name, noun string, n int, taken map[string]bool) string {
	if name = strings.TrimSpace(name); name != "" {
		return name
	}
	for ; ; n++ {
		if name = fmt.Sprintf("%s %d", noun, n); !taken[name] {
			taken[name] = true
			return name
		}
	}
}

func lowerID(id string) string { return strings.ToLower(strings.TrimSpace(id)) }

func logic(s string) string {
	if strings.EqualFold(s, "or") {
		return "or"
	}
	return "and"
}

package smartlinks

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
)

// SmartlinkBrief identifies a smartlink.
type SmartlinkBrief struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
	Slug string    `json:"slug"`
}

// SmartlinkStats counts the clicks of a smartlink in the window.
type SmartlinkStats struct {
	Link         SmartlinkBrief         `json:"link"`
	Range        bind.Range             `json:"range"`
	Clicks       int64                  `json:"clicks"`
	BotClicks    int64                  `json:"bot_clicks"`
	Rules        []SmartlinkRuleFigures `json:"rules" doc:"first the smartlink's rules in their order, then the clicks that no rule matched, then deleted rules"`
	Destinations []SmartlinkDestination `json:"destinations" doc:"most clicks first"`
}

// SmartlinkRuleFigures counts the clicks that a rule matched, or the clicks that no rule matched.
type SmartlinkRuleFigures struct {
	RuleID    *uuid.UUID `json:"rule_id" doc:"null: no rule matched"`
	Name      string     `json:"name" doc:"empty if the rule was deleted or no rule matched"`
	Clicks    int64      `json:"clicks"`
	BotClicks int64      `json:"bot_clicks"`
}

// SmartlinkDestination counts the clicks that were sent to an address.
type SmartlinkDestination struct {
	DestinationURL string `json:"destination_url" doc:"the destination as written in the smartlink, with its tokens not filled in"`
	Clicks         int64  `json:"clicks"`
	BotClicks      int64  `json:"bot_clicks"`
}

func (d Deps) smartlinkStats(c *route.Call, l models.Smartlink) (SmartlinkStats, error) {
	c.MustHavePlace()
	figures, err := d.Reports.SmartlinkFigures(c.Context(), c.Account.ID, l.ID, c.Window.From, c.Window.End())
	out := SmartlinkStats{
		Link: SmartlinkBrief{l.ID, l.Name, l.Slug}, Range: c.Window.Range(), Destinations: []SmartlinkDestination{},
	}
	rules, destinations := map[uuid.UUID]int{uuid.Nil: len(l.Rules)}, map[string]int{}
	for i, r := range l.Rules {
		rules[r.ID] = i
		out.Rules = append(out.Rules, SmartlinkRuleFigures{RuleID: &r.ID, Name: r.Name})
	}
	out.Rules = append(out.Rules, SmartlinkRuleFigures{})
	for _, f := range figures {
		out.Clicks += f.Clicks
		out.BotClicks += f.BotClicks
		i, known := rules[f.RuleID]
		if !known {
			i = len(out.Rules)
			rules[f.RuleID] = i
			out.Rules = append(out.Rules, SmartlinkRuleFigures{RuleID: answer.OrNull(f.RuleID)})
		}
		out.Rules[i].Clicks += f.Clicks
		out.Rules[i].BotClicks += f.BotClicks
		i, known = destinations[f.DestinationURL]
		if !known {
			i = len(out.Destinations)
			destinations[f.DestinationURL] = i
			out.Destinations = append(out.Destinations, SmartlinkDestination{DestinationURL: f.DestinationURL})
		}
		out.Destinations[i].Clicks += f.Clicks
		out.Destinations[i].BotClicks += f.BotClicks
	}
	slices.SortStableFunc(out.Destinations, func(a, b SmartlinkDestination) int { return cmp.Compare(b.Clicks, a.Clicks) })
	return out, err
}

// SmartlinkCleared is the answer to clearing the clicks of a smartlink.
type SmartlinkCleared struct {
	ID        uuid.UUID  `json:"id"`
	Range     bind.Range `json:"range"`
	Clicks    int64      `json:"clicks" doc:"deleted clicks, without bots"`
	BotClicks int64      `json:"bot_clicks" doc:"deleted clicks of bots"`
}

var clearSmartlinkJob = slow.New(jobs.ClearSmartlink, func(a jobs.ClearAnswer) SmartlinkCleared {
	return SmartlinkCleared{a.Of[0], bind.RangeOf(a.From, a.To), a.Clicks, a.BotClicks}
})

func (d Deps) clearSmartlink(c *route.Call, _ models.Smartlink) (SmartlinkCleared, error) {
	args := jobs.ClearArgs{Of: []uuid.UUID{c.ID}, From: c.Window.From, To: c.Window.End()}
	return clearSmartlinkJob.Start(c, d.Jobs, args, nil)
}

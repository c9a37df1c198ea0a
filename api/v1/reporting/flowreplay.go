package reporting

import (
	"encoding/json"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/flow"
)

// FlowReplay returns the route POST /campaigns/{id}/flow/replay.
func FlowReplay(d Deps) route.Route {
	return route.Route{
		Method: "POST", Path: "/campaigns/{id}/flow/replay", Group: "Campaigns", Scope: route.Ask, Share: route.Reads,
		Summary: "route the clicks of the window again through a flow that is not saved, without recording anything",
		Window:  true, BodyOptional: true, Codes: append(answer.IDCodes, draftCodes...), Echoes: draftEchoes,
		Slow: flowReplayJob.Answer(), Handle: route.HandleBody(d.replayFlow),
	}
}

// FlowReplayBody is the flow through which the clicks are routed. Without a flow, the saved one is used.
type FlowReplayBody struct{ DraftFlow }

// FlowReplayed compares the predicted split with the actual one.
type FlowReplayed struct {
	CampaignID uuid.UUID      `json:"campaign_id"`
	Range      bind.Range     `json:"range"`
	Clicks     int64          `json:"clicks" doc:"routed clicks, without bots; the daily caps of offers are not taken into account"`
	BotClicks  int64          `json:"bot_clicks"`
	Changed    int64          `json:"changed" doc:"how many of the clicks would have gone elsewhere"`
	Cut        bool           `json:"cut" doc:"true: the window has more than 50000 clicks, and only the newest were routed"`
	Rows       []PredictedRow `json:"rows" doc:"most clicks first, at most 1000"`
}

// PredictedRow is a destination of clicks.
type PredictedRow struct {
	To           string       `json:"to" enum:"path,fallback_url,destination_url,none"`
	CampaignID   uuid.UUID    `json:"campaign_id" doc:"the campaign that decides; if the requested campaign passes visitors on, this is the campaign that gets them"`
	CampaignName *string      `json:"campaign_name"`
	StreamID     *uuid.UUID   `json:"stream_id"`
	StreamName   *string      `json:"stream_name"`
	LanderID     *uuid.UUID   `json:"lander_id"`
	LanderName   *string      `json:"lander_name"`
	OfferID      *uuid.UUID   `json:"offer_id"`
	OfferName    *string      `json:"offer_name"`
	Clicks       int64        `json:"clicks" doc:"clicks that would go there, without bots"`
	Share        models.Money `json:"share" doc:"percentage of all routed clicks, 0-100"`
	Was          int64        `json:"was" doc:"clicks that did go there"`
}

var flowReplayJob = slow.New(jobs.ReplayFlow, func(a jobs.FlowReplayAnswer) FlowReplayed {
	return FlowReplayed{
		a.CampaignID, bind.RangeOf(a.From, a.To), a.Clicks, a.BotClicks, a.Changed, a.Cut,
		answer.Each(a.Rows, func(r jobs.FlowReplayRow) PredictedRow {
			name := func(id uuid.UUID) *string { return answer.OrNull(a.Names[models.IDText(id)]) }
			return PredictedRow{
				To: r.To, CampaignID: r.CampaignID, CampaignName: name(r.CampaignID), StreamID: answer.OrNull(r.StreamID),
				StreamName: name(r.StreamID), LanderID: answer.OrNull(r.LanderID), LanderName: name(r.LanderID),
				OfferID: answer.OrNull(r.OfferID), OfferName: name(r.OfferID), Clicks: r.Clicks, Was: r.Was,
				Share: models.NewMoney(decimal.NewFromInt(100*r.Clicks).DivRound(decimal.NewFromInt(max(a.Clicks, 1)), 2)),
			}
		}),
	}
})

func (d Deps) replayFlow(c *route.Call, b FlowReplayBody) (FlowReplayed, error) {
	saved, err := c.Store.Campaigns().Flow(c.Context(), c.Account.ID, c.ID)
	if err != nil {
		return FlowReplayed{}, err
	}
	args := jobs.FlowReplayArgs{
		CampaignID: c.ID, TimeRange: models.TimeRange{From: c.Window.From, To: c.Window.End()}, FlowRotation: b.FlowRotation,
		BindVisitors: b.BindVisitors, FallbackURL: b.FallbackURL, DestinationURL: b.DestinationURL,
	}
	if len(b.Streams) > 0 {
		paths, err := b.paths(c)
		if err != nil {
			return FlowReplayed{}, err
		}
		known := map[string]bool{}
		for _, p := range saved.Paths {
			known[p.ID] = true
		}
		flow.Identify(paths, func(id string) bool { return known[id] })
		if args.Streams, err = json.Marshal(paths); err != nil {
			return FlowReplayed{}, err
		}
	}
	return flowReplayJob.Join(c, d.Jobs, args)
}

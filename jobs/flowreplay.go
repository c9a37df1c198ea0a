package jobs

import (
	"encoding/json"

	"github.com/google/uuid"

	"switchyard/models"
)

// MaxFlowReplay is the maximum number of clicks that are routed again. The newest clicks are used.
const MaxFlowReplay = 50_000

// FlowReplayArgs select the clicks of a campaign in the window [From, To), and describe the flow that routes them again. An empty
// field means the campaign's own value. Streams has been validated.
type FlowReplayArgs struct {
	CampaignID uuid.UUID `json:"campaign_id"`
	models.TimeRange
	Streams        json.RawMessage `json:"streams,omitempty"`
	FlowRotation   string          `json:"flow_rotation,omitempty"`
	BindVisitors   string          `json:"bind_visitors,omitempty"`
	FallbackURL    string          `json:"fallback_url,omitempty"`
	DestinationURL string          `json:"destination_url,omitempty"`
}

// FlowReplayAnswer shows how the clicks are distributed over destinations. The rows with the most clicks come first.
type FlowReplayAnswer struct {
	CampaignID uuid.UUID `json:"campaign_id"`
	models.TimeRange
	Clicks    int64             `json:"clicks"` // number of clicks that were routed again, without bots
	BotClicks int64             `json:"bot_clicks"`
	Changed   int64             `json:"changed"` // number of clicks, without bots, that would go elsewhere
	Cut       bool              `json:"cut"`     // the window has more than MaxFlowReplay clicks
	Rows      []FlowReplayRow   `json:"rows"`
	Names     map[string]string `json:"names"`
}

// FlowReplayRow is a destination of clicks. Bots are not counted.
type FlowReplayRow struct {
	models.RoutedTo
	Clicks int64 `json:"clicks"` // clicks that would go there
	Was    int64 `json:"was"`    // clicks that went there
}

// MaxFlowReplayRows is the maximum number of destinations in an answer.
const MaxFlowReplayRows = 1000

// ReplayFlow routes recorded clicks again, by another flow or by the present flow. It records nothing. Error: not_found if the
// campaign was deleted before the job ran.
var ReplayFlow = Define[FlowReplayArgs, FlowReplayAnswer]("flow:replay", largeReport)

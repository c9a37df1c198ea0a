package jobs

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// MaxFlowReplay is how many clicks are routed once more. The newest clicks of the window are taken.
const MaxFlowReplay = 50_000

// FlowReplayArgs name the clicks of a campaign in the window [From, To), and the flow that routes them. An empty field stands
// for the campaign's own value. Streams were validated as they are before a save.
type FlowReplayArgs struct {
	CampaignID uuid.UUID `json:"campaign_id"`
	models.TimeRange
	Streams        json.RawMessage `json:"streams,omitempty"`
	FlowRotation   string          `json:"flow_rotation,omitempty"`
	BindVisitors   string          `json:"bind_visitors,omitempty"`
	FallbackURL    string          `json:"fallback_url,omitempty"`
	DestinationURL string          `json:"destination_url,omitempty"`
}

// FlowReplayAnswer is how the clicks split: most clicks first, at most MaxFlowReplayRows.
type FlowReplayAnswer struct {
	CampaignID uuid.UUID `json:"campaign_id"`
	models.TimeRange
	Clicks    int64             `json:"clicks"` // without bots
	BotClicks int64             `json:"bot_clicks"`
	Changed   int64             `json:"changed"` // clicks without bots that would have gone elsewhere
	Cut       bool              `json:"cut"`     // there are more than MaxFlowReplay
	Rows      []FlowReplayRow   `json:"rows"`
	Names     map[string]string `json:"names"` // of paths, campaigns, landing pages and offers, by their ids
}

// FlowReplayRow is one place that clicks went to, or would have gone to, without bots.
type FlowReplayRow struct {
	models.RoutedTo
	Clicks int64 `json:"clicks"` // would go there
	Was    int64 `json:"was"`    // went there
}

// MaxFlowReplayRows is how many places an answer has.
const MaxFlowReplayRows = 1000

// ReplayFlow routes recorded clicks once more, by another flow or by the present one. It records nothing. Errors: not_found, if
// the campaign was deleted before the job ran.
var ReplayFlow = Define[FlowReplayArgs, FlowReplayAnswer]("flow:replay", Policy{
	Queue: Bulk, Timeout: 10 * time.Minute, Row: true, PerAccount: 1, Retries: []time.Duration{5 * time.Second},
})

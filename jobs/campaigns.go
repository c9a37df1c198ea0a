package jobs

import (
	"time"

	"github.com/google/uuid"
)

// ClearArgs name the clicks of a campaign in [From, To). The rest is how far the job got: it goes on from there.
type ClearArgs struct {
	Campaign uuid.UUID `json:"campaign"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`

	After       uuid.UUID `json:"after,omitzero"` // the last click deleted
	Clicks      int64     `json:"clicks,omitempty"`
	Conversions int64     `json:"conversions,omitempty"`
}

// ClearAnswer tells what was deleted.
type ClearAnswer struct {
	Campaign    uuid.UUID `json:"campaign"`
	From        time.Time `json:"from"`
	To          time.Time `json:"to"`
	Clicks      int64     `json:"clicks"`
	Conversions int64     `json:"conversions"`
}

// ClearCampaign deletes the clicks and conversions of a campaign in a window and takes them out of every figure. It
// works in parts that are kept when the worker dies.
var ClearCampaign = Define[ClearArgs, ClearAnswer]("campaign:clear", Policy{
	Queue: Bulk, Timeout: 30 * time.Minute, Row: true,
	Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute},
})

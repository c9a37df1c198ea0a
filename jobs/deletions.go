package jobs

import (
	"time"

	"github.com/google/uuid"
)

// ClearArgs name what is deleted in [From, To): the clicks of campaigns, or of one smartlink. The rest is how far the job
// got: it goes on from there.
type ClearArgs struct {
	Of   []uuid.UUID `json:"of"`
	From time.Time   `json:"from"`
	To   time.Time   `json:"to"`

	After       uuid.UUID   `json:"after,omitzero"` // the last click deleted
	Clicks      int64       `json:"clicks,omitempty"`
	Conversions int64       `json:"conversions,omitempty"`
	Found       []uuid.UUID `json:"found,omitempty"` // those of which something was deleted
}

// ClearAnswer tells what was deleted. Of are the campaigns or the smartlink as they were named.
type ClearAnswer struct {
	Of          []uuid.UUID `json:"of"`
	From        time.Time   `json:"from"`
	To          time.Time   `json:"to"`
	Clicks      int64       `json:"clicks"`
	Conversions int64       `json:"conversions"`
	Found       int         `json:"found"` // campaigns of which something was deleted
}

// Deletions that a customer asks for. They take what they delete out of every figure, and work in parts that are kept
// when the worker dies.
var (
	// ClearCampaign deletes the clicks and conversions of a campaign in a window.
	ClearCampaign = Define[ClearArgs, ClearAnswer]("campaign:clear", deletion)
	// ClearOrphans deletes all clicks and conversions of campaigns that do not exist any more.
	ClearOrphans = Define[ClearArgs, ClearAnswer]("orphans:clear", deletion)
	// ClearSmartlink deletes the clicks of a smartlink in a window.
	ClearSmartlink = Define[ClearArgs, ClearAnswer]("smartlink:clear", deletion)
)

var deletion = Policy{
	Queue: Bulk, Timeout: 30 * time.Minute, Row: true,
	Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute},
}

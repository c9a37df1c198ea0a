package jobs

import (
	"time"

	"github.com/google/uuid"
)

// ClearArgs select the clicks to delete in [From, To). Of has the ids of their campaigns, or the id of a smartlink. The other
// fields are the progress of the job.
type ClearArgs struct {
	Of   []uuid.UUID `json:"of"`
	From time.Time   `json:"from"`
	To   time.Time   `json:"to"`

	After       uuid.UUID   `json:"after,omitzero"`   // the last click that was deleted
	Clicks      int64       `json:"clicks,omitempty"` // number of deleted clicks, without bots
	BotClicks   int64       `json:"bot_clicks,omitempty"`
	Conversions int64       `json:"conversions,omitempty"`
	Found       []uuid.UUID `json:"found,omitempty"` // the campaigns whose data was deleted
}

// ClearAnswer counts the deleted clicks and conversions.
type ClearAnswer struct {
	Of          []uuid.UUID `json:"of"`
	From        time.Time   `json:"from"`
	To          time.Time   `json:"to"`
	Clicks      int64       `json:"clicks"` // number of deleted clicks, without bots
	BotClicks   int64       `json:"bot_clicks"`
	Conversions int64       `json:"conversions"`
	Found       int         `json:"found"` // number of campaigns whose data was deleted
}

// Deletions that a customer requests. The jobs work in batches, and batches that were committed stay deleted.
var (
	// ClearCampaign deletes the clicks and conversions of a campaign in a window.
	ClearCampaign = Define[ClearArgs, ClearAnswer]("campaign:clear", resumable)
	// ClearOrphans deletes all clicks and conversions of campaigns that do not exist any more.
	ClearOrphans = Define[ClearArgs, ClearAnswer]("orphans:clear", resumable)
	// ClearSmartlink deletes the clicks of a smartlink in a window.
	ClearSmartlink = Define[ClearArgs, ClearAnswer]("smartlink:clear", resumable)
)

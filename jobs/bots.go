package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// RescoreArgs select the clicks in [From, To) and have the settings for their new scores. The other fields are the progress of the
// job.
type RescoreArgs struct {
	models.TimeRange
	Threshold int      `json:"threshold"`
	Disabled  []string `json:"disabled"`

	After      uuid.UUID `json:"after,omitzero"`   // the last click that was examined
	Clicks     int64     `json:"clicks,omitempty"` // scored clicks: those with a signal
	Changed    int64     `json:"changed,omitempty"`
	BotsBefore int64     `json:"bots_before,omitempty"`
	BotsAfter  int64     `json:"bots_after,omitempty"`
	// Days are the days whose spend must be spread again, because clicks became bots or stopped being bots.
	Days []time.Time `json:"days,omitempty"`
}

// RescoreAnswer reports how the clicks were scored before and after. Clicks without a signal are not counted, because no settings
// make them bots.
type RescoreAnswer struct {
	models.TimeRange
	Clicks     int64 `json:"clicks"`
	Changed    int64 `json:"changed"`
	BotsBefore int64 `json:"bots_before"`
	BotsAfter  int64 `json:"bots_after"`
	// Superseded means that newer settings have their own job.
	Superseded bool `json:"superseded"`
}

// RescoreBots scores recorded clicks again by the settings of the account. The figures are consistent after each batch.
var RescoreBots = Define[RescoreArgs, RescoreAnswer]("bots:rescore", resumable)

// ScanBots checks an account's new clicks for signals that can be found only some time after the click. It also scores older
// clicks again if more is known about them by now.
var ScanBots = Define[None, None]("bots:scan", Policy{Queue: Bulk, Timeout: 2 * time.Minute, Retention: time.Minute})

// SweepBots starts ScanBots for each account that has clicks to check.
var SweepBots = tickWithin("bots:sweep", time.Minute)

// VerifyCrawlers checks whether visitors whose user agents name a crawler are that crawler, and scores their clicks again.
var VerifyCrawlers = Define[None, None]("crawlers:verify", Policy{Queue: Bulk, Timeout: 2 * time.Minute, Retention: time.Minute})

// SweepCrawlers starts VerifyCrawlers for each account with clicks to verify.
var SweepCrawlers = tickWithin("crawlers:sweep", time.Minute)

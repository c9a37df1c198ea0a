package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// RescoreArgs select the clicks in the window [From, To), and name the settings by which these clicks are scored again. The
// other fields are the progress of the job, from which the next attempt continues.
type RescoreArgs struct {
	models.TimeRange
	Threshold int      `json:"threshold"`
	Disabled  []string `json:"disabled"`

	After      uuid.UUID `json:"after,omitzero"`    // the last click that was examined
	Clicks     int64     `json:"clicks,omitempty"`  // clicks with a signal, which were scored
	Changed    int64     `json:"changed,omitempty"` // clicks that became bots or are no longer bots
	BotsBefore int64     `json:"bots_before,omitempty"`
	BotsAfter  int64     `json:"bots_after,omitempty"`
	// Days are the days on which clicks became bots or stopped being bots, and whose spend must still be spread again.
	Days []time.Time `json:"days,omitempty"`
}

// RescoreAnswer reports how the clicks were scored before and after. It does not count clicks without any signal, because such a
// click is not a bot under any settings.
type RescoreAnswer struct {
	models.TimeRange
	Clicks     int64 `json:"clicks"`
	Changed    int64 `json:"changed"`
	BotsBefore int64 `json:"bots_before"`
	BotsAfter  int64 `json:"bots_after"`
	// Superseded means that the settings have changed since the job was submitted. The job for the newer settings scores the
	// whole window again.
	Superseded bool `json:"superseded"`
}

// RescoreBots scores recorded clicks again by the settings of the account. It works in batches, and the figures are consistent
// after each batch.
var RescoreBots = Define[RescoreArgs, RescoreAnswer]("bots:rescore", resumable)

// ScanBots checks an account's new clicks for signals that can be found only some time after the click. It also scores older
// clicks again if more is known about them by now.
var ScanBots = Define[None, None]("bots:scan", Policy{Queue: Bulk, Timeout: 2 * time.Minute, Retention: time.Minute})

// SweepBots starts ScanBots for each account that has clicks to check.
var SweepBots = tickWithin("bots:sweep", time.Minute)

// VerifyCrawlers checks whether visitors whose user agents name a crawler really are that crawler, and changes the scores of
// their clicks accordingly.
var VerifyCrawlers = Define[None, None]("crawlers:verify", Policy{Queue: Bulk, Timeout: 2 * time.Minute, Retention: time.Minute})

// SweepCrawlers starts VerifyCrawlers for each account whose clicks have such a user agent and are due for verification.
var SweepCrawlers = tickWithin("crawlers:sweep", time.Minute)

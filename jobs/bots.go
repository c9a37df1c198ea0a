package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// RescoreArgs name the clicks of the window [From, To) and the settings by which they are scored anew. The other fields
// are the progress of the job, which the next attempt continues.
type RescoreArgs struct {
	models.TimeRange
	Threshold int      `json:"threshold"`
	Disabled  []string `json:"disabled"`

	After      uuid.UUID `json:"after,omitzero"`    // the last click looked at
	Clicks     int64     `json:"clicks,omitempty"`  // scored: those with a signal
	Changed    int64     `json:"changed,omitempty"` // that are bots now and were none, or the other way round
	BotsBefore int64     `json:"bots_before,omitempty"`
	BotsAfter  int64     `json:"bots_after,omitempty"`
	// Days are those on which bots have changed and spend was not spread anew yet.
	Days []time.Time `json:"days,omitempty"`
}

// RescoreAnswer tells what the clicks were before and after. Clicks on which no signal fired are no bots under any
// settings, and no number counts them.
type RescoreAnswer struct {
	models.TimeRange
	Clicks     int64 `json:"clicks"`
	Changed    int64 `json:"changed"`
	BotsBefore int64 `json:"bots_before"`
	BotsAfter  int64 `json:"bots_after"`
	// Superseded says that the settings have changed meanwhile: the job of the later ones scores the whole window again.
	Superseded bool `json:"superseded"`
}

// RescoreBots scores recorded clicks anew, by the settings of the account. It works in batches: figures are right after
// each of them.
var RescoreBots = Define[RescoreArgs, RescoreAnswer]("bots:rescore", resumable)

// ScanBots looks at an account's new clicks for signals that show only afterwards, and at older ones of which more is known
// now.
var ScanBots = Define[None, None]("bots:scan", Policy{Queue: Bulk, Timeout: 2 * time.Minute, Retention: time.Minute})

// SweepBots starts ScanBots for each account that has clicks to look at.
var SweepBots = tick("bots:sweep", time.Minute)

// VerifyCrawlers finds out whether an account's visitors whose user agents name crawlers are these, and revises their
// clicks.
var VerifyCrawlers = Define[None, None]("crawlers:verify", Policy{Queue: Bulk, Timeout: 2 * time.Minute, Retention: time.Minute})

// SweepCrawlers starts VerifyCrawlers for accounts that such visitors have come to.
var SweepCrawlers = tick("crawlers:sweep", time.Minute)

package v1

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/bot"
)

// BotDetectionBody is the body of PUT /bot-detection. A setting that is left out keeps its value.
type BotDetectionBody struct {
	Threshold bind.Opt[decimal.Decimal] `json:"threshold" doc:"the new threshold, rounded and limited to the range from 20 to 95"`
	Disabled  bind.Opt[[]string]        `json:"disabled" doc:"names of signals to switch off, up to 40; signals that cannot be switched off are ignored, an unknown name is an error"`
	Days      *int                      `json:"days" bad:"invalid_input" min:"0" max:"730" doc:"how many whole days of clicks are scored again, in addition to today. 0: none. Left out: 30 if something changes, otherwise 0. If something changes, clicks that the job of an earlier change has not scored yet are always scored again"`
}

// BotDetectionChanged is the answer of PUT /bot-detection.
type BotDetectionChanged struct {
	Threshold int         `json:"threshold"`
	Disabled  []string    `json:"disabled"`
	Version   string      `json:"version"`
	JobID     *uuid.UUID  `json:"job_id" doc:"the job that scores the clicks again, see GET /jobs/{id}; null: no clicks are scored again"`
	Range     *bind.Range `json:"range" doc:"the window whose clicks the job scores again: the days that the call asks for, and the whole window of an earlier change whose job has not succeeded. Null: no clicks are scored again"`
}

func botVersion(s bot.Settings) string {
	return hashVersion(store.BotSettings{Threshold: s.Limit(), Disabled: s.Disabled.Reasons()})
}

// recordedBotSettings returns the settings for the audit log.
func recordedBotSettings(c *route.Call, _ uuid.UUID) (any, error) {
	s, err := c.Store.FindBotSettings(c.Context(), c.Account.ID)
	return map[string]any{"threshold": s.Threshold, "disabled": s.Disabled}, err
}

const maxDisabled = 40

// disabledSignals parses names of signals. It leaves out signals that cannot be disabled.
func disabledSignals(names []string) (bot.Signals, error) {
	if len(names) > maxDisabled {
		return 0, models.Invalid("invalid_input", "disabled has at most %d names", maxDisabled)
	}
	var known []string
	for row := range bot.All() {
		known = append(known, row.Reason)
	}
	for i, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		hint := "GET /bot-detection lists them"
		if near := models.Nearest(name, known); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return 0, models.Invalid("invalid_input", "disabled[%d]: there is no signal %.60q: %s", i, name, hint)
	}
	return bot.NewSettings(0, names).Disabled, nil
}

func (b BotDetectionBody) apply(old bot.Settings) (next bot.Settings, err error) {
	next = old
	if b.Threshold.Given() {
		rounded := b.Threshold.Value.Round(0)
		low, high := decimal.NewFromInt(bot.MinThreshold), decimal.NewFromInt(bot.MaxThreshold)
		next.Threshold = int(decimal.Max(low, decimal.Min(high, rounded)).IntPart())
	}
	if b.Disabled.Given() {
		next.Disabled, err = disabledSignals(b.Disabled.Value)
	}
	return next, err
}

// changeBotDetection saves the settings and, in the same transaction, a job that scores recorded clicks by them. An unfinished
// job for earlier settings stops. The new job also covers the window of that job.
func (d Deps) changeBotDetection(c *route.Call, b BotDetectionBody) (out BotDetectionChanged, err error) {
	now := time.Now().UTC()
	id, err := rescoreJob.BeginPrepared(c, d.Jobs, func(tx *store.Store) (*jobs.RescoreArgs, error) {
		old, err := tx.LockBotSettings(c.Context(), c.Account.ID)
		if err != nil {
			return nil, err
		}
		if version := botVersion(old); !c.IfMatch(version) {
			return nil, models.Conflict("stale", "the settings have changed: their version is %s now", version)
		}
		next, err := b.apply(old)
		if err != nil {
			return nil, err
		}
		set := store.BotSettings{Threshold: next.Limit(), Disabled: next.Disabled.Reasons()}
		out.Threshold, out.Disabled, out.Version = set.Threshold, set.Disabled, botVersion(next)
		if err := tx.SetBotSettings(c.Context(), c.Account.ID, set); err != nil {
			return nil, err
		}
		from, err := b.rescoreFrom(c, tx, now, next != old)
		if err != nil || !from.Before(now) {
			return nil, err
		}
		w := models.TimeRange{From: from, To: now}
		out.Range = new(bind.Window{From: w.From, To: w.To}.Range())
		return &jobs.RescoreArgs{TimeRange: w, Threshold: set.Threshold, Disabled: set.Disabled}, nil
	})
	if err == nil {
		tagVersion(c, out.Version)
	}
	if id != uuid.Nil {
		out.JobID = &id
	}
	return out, err
}

// rescoreFrom returns the start of the window whose clicks are scored again, or now if there is no such window. `changed` reports
// whether the call changes the settings.
func (b BotDetectionBody) rescoreFrom(c *route.Call, tx *store.Store, now time.Time, changed bool) (time.Time, error) {
	days := 0
	if changed {
		days = botDays
	}
	if b.Days != nil {
		days = *b.Days
	}
	if days == 0 && !changed {
		return now, nil
	}
	from := now
	if days > 0 {
		from = now.AddDate(0, 0, -days).Truncate(24 * time.Hour)
	}
	unfinished, err := tx.Jobs().Unfinished(c.Context(), c.Account.ID, jobs.RescoreBots.Kind())
	for _, raw := range unfinished {
		var args jobs.RescoreArgs
		if err := json.Unmarshal(raw, &args); err != nil {
			return from, fmt.Errorf("v1: arguments of a job: %w", err)
		}
		if args.From.Before(from) {
			from = args.From
		}
	}
	return from, err
}

// Rescored is the result of the job that scores clicks again.
type Rescored struct {
	Range      bind.Range `json:"range" doc:"the window whose clicks were scored"`
	Clicks     int64      `json:"clicks" doc:"clicks that were scored again: only clicks on which a signal fired or that an entry of the bot lists matched. No settings can make the other clicks of the window count as bots, so no number here includes them"`
	Changed    int64      `json:"changed" doc:"how many of these clicks now count as bots and did not before, or the other way round"`
	BotsBefore int64      `json:"bots_before" doc:"how many of these clicks counted as bots before they were scored again"`
	BotsAfter  int64      `json:"bots_after" doc:"how many of these clicks count as bots after they were scored again"`
	Superseded bool       `json:"superseded" doc:"the settings were changed while the job ran: the job of that change scores the whole window again, and the numbers here cover the clicks that were scored until then"`
}

var rescoreJob = slow.New(jobs.RescoreBots, func(a jobs.RescoreAnswer) Rescored {
	return Rescored{
		Range:  bind.Window{From: a.From, To: a.To}.Range(),
		Clicks: a.Clicks, Changed: a.Changed, BotsBefore: a.BotsBefore, BotsAfter: a.BotsAfter, Superseded: a.Superseded,
	}
})

package retention

import (
	"context"
	"slices"

	"switchyard/db"
	"switchyard/db/botscan"
	"switchyard/db/click"
	"switchyard/db/spend"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/workers"
)

// scoredAtOnce is how many clicks one transaction scores.
const scoredAtOnce = 2000

type rescoreRun = workers.Run[jobs.RescoreArgs, jobs.RescoreAnswer]

// rescore stops scoring if the account's settings differ from the job's.
func rescore(s *store.Store, clicks click.Log) func(context.Context, *rescoreRun) error {
	return func(ctx context.Context, u *rescoreRun) error {
		settings, account := bot.NewSettings(u.Args.Threshold, u.Args.Disabled), u.Job.AccountID.UUID
		superseded := false
		for done := false; !done && !superseded; {
			err := db.RetryConflicts(func() error {
				return u.Step(ctx, func(c db.Conn) (jobs.RescoreArgs, error) {
					now, err := s.On(c).ShareBotSettings(ctx, account)
					if superseded = now != settings; err != nil || superseded {
						return u.Args, err
					}
					out, err := botscan.Rescore(ctx, clicks, c, botscan.RescoreQuery{
						AccountID: account, TimeRange: u.Args.TimeRange, After: u.Args.After, Settings: settings,
					}, scoredAtOnce)
					done = out.Done
					return scored(u.Args, out), err
				})
			})
			if err != nil {
				return err
			}
		}
		for len(u.Args.Days) > 0 {
			err := u.Step(ctx, func(c db.Conn) (jobs.RescoreArgs, error) {
				a := u.Args
				a.Days = a.Days[1:]
				return a, spend.Respread(ctx, clicks, c, account, u.Args.Days[0])
			})
			if err != nil {
				return err
			}
		}
		a := u.Args
		return u.Commit(ctx, jobs.RescoreAnswer{
			TimeRange: models.TimeRange{From: a.From, To: a.To}, Clicks: a.Clicks, Changed: a.Changed, BotsBefore: a.BotsBefore,
			BotsAfter: a.BotsAfter, Superseded: superseded,
		}, nil)
	}
}

func scored(a jobs.RescoreArgs, out botscan.Rescored) jobs.RescoreArgs {
	a.After, a.Clicks, a.Changed = out.After, a.Clicks+out.Clicks, a.Changed+out.Changed
	a.BotsBefore, a.BotsAfter = a.BotsBefore+out.Before, a.BotsAfter+out.Now
	a.Days = slices.Clone(a.Days)
	for _, day := range out.Days {
		if !slices.ContainsFunc(a.Days, day.Equal) {
			a.Days = append(a.Days, day)
		}
	}
	return a
}

package copilot

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/autorule"
	"switchyard/workers"
)

const (
	// replayDays is how many days a rule is replayed over, today not included.
	replayDays = 30
	// maxReplayed is the maximum number of rows of figures in a replay. Each row has the figures of one target in one hour or one day.
	maxReplayed = 50_000
)

// replayRule computes what a rule would have done. It reads the figures of each hour or day once, and adds them up for each
// window.
func (w *worker) replayRule(ctx context.Context, u *workers.Run[jobs.RuleReplayArgs, jobs.RuleReplay]) error {
	account, err := w.store.FindAccount(ctx, u.Job.AccountID.UUID)
	if err != nil {
		return err
	}
	now := w.now().UTC()
	p := &replaying{reading: w.newReading(account, now), rule: u.Args.Rule, to: account.DayStart(now)}
	answer, err := p.answer(ctx)
	if errors.Is(err, errTooLarge) {
		err = models.Invalid("too_large", "there are too many figures for one job: choose fewer campaigns, or days instead of hours")
	}
	if err != nil {
		return err
	}
	return u.Commit(ctx, answer, nil)
}

// replaying is the state of a replay of a rule up to a given time.
type replaying struct {
	*reading
	rule   autorule.Settings
	to     time.Time
	starts []time.Time // of the hours or days
	first  int         // index of the hour or day at whose end the rule runs for the first time
}

func (p *replaying) answer(ctx context.Context) (jobs.RuleReplay, error) {
	from := p.to.AddDate(0, 0, -replayDays)
	out := jobs.RuleReplay{From: from.UTC(), To: p.to.UTC(), Rows: []jobs.RuleReplayRow{}}
	p.divideTime(from)
	list, err := p.series(ctx)
	if err != nil {
		return out, err
	}
	acted := p.rule.Replay(list, p.first, len(p.starts))
	out.Looked, out.Total = len(list), len(acted)
	acted = acted[:min(len(acted), jobs.MaxRuleReplayRows)]
	names, err := p.names(ctx, acted)
	for _, a := range acted {
		a.Target.Name = p.rule.Describe(a.Target, names)
		end := p.to
		if a.Bucket+1 < len(p.starts) {
			end = p.starts[a.Bucket+1]
		}
		out.Rows = append(out.Rows, jobs.RuleReplayRow{At: end.UTC(), Of: a.Target.Name, Figures: p.rule.TargetFigures(&a.Target), After: a.After.Row()})
	}
	return out, err
}

// divideTime divides the time until p.to into hours or days. It begins early enough for the window of the first run.
func (p *replaying) divideTime(from time.Time) {
	size, each := p.rule.Buckets()
	at, next := from.Add(-time.Duration(size-1)*time.Hour).Truncate(time.Hour), func(t time.Time) time.Time { return t.Add(each) }
	if p.rule.WindowUnit == autorule.Days {
		at, next = from.AddDate(0, 0, 1-size), func(t time.Time) time.Time { return t.AddDate(0, 0, 1) }
	}
	for p.first = size - 1; at.Before(p.to); at = next(at) {
		p.starts = append(p.starts, at)
	}
}

// bucket returns the index in starts of the hour or day that has this label in reports. It is negative if the label cannot be
// read.
func (p *replaying) bucket(label string) int {
	if p.rule.WindowUnit == autorule.Days {
		day, err := time.ParseInLocation(time.DateOnly, label, p.to.Location())
		if err != nil {
			return -1
		}
		return int((day.Sub(p.starts[0]) + 12*time.Hour) / (24 * time.Hour)) // days have 23 to 25 hours
	}
	hour, err := time.Parse("2006-01-02 15:04:05-07:00", label)
	if err != nil {
		hour, err = time.Parse(time.DateTime, label) // in UTC
	}
	if err != nil {
		return -1
	}
	return int(hour.Sub(p.starts[0]) / time.Hour)
}

func (p *replaying) series(ctx context.Context) ([]autorule.Series, error) {
	by := "hour"
	if p.rule.WindowUnit == autorule.Days {
		by = "date"
	}
	dims := append(p.rule.Dimensions(), by)
	rows, err := p.readWithin(ctx, p.starts[0], p.to, maxReplayed, scope(p.rule), dims...)
	if err != nil {
		return nil, err
	}
	if len(rows) == maxReplayed {
		return nil, errTooLarge
	}
	var targets []autorule.Target
	places, figures := map[string]int{}, []map[int]models.Figures{}
	for _, row := range rows {
		t, ok := p.rule.NewTarget(row.Dims[:len(row.Dims)-1], models.Figures{})
		b := p.bucket(row.Dims[len(row.Dims)-1])
		if !ok || b < 0 || b >= len(p.starts) {
			continue
		}
		key := p.rule.Key(t)
		at, known := places[key]
		if !known {
			at = len(targets)
			places[key] = at
			targets, figures = append(targets, t), append(figures, map[int]models.Figures{})
		}
		figures[at][b] = figures[at][b].Plus(row.Figures)
	}
	if err := p.setPayouts(ctx, p.rule, targets, p.in.Now); err != nil {
		return nil, err
	}
	list := make([]autorule.Series, len(targets))
	for i, t := range targets {
		list[i] = autorule.Series{Target: t, At: figures[i]}
	}
	return p.zeros(ctx, list)
}

// zeros changes nothing for a rule that is not about campaigns. For a rule about campaigns, it makes hours and days without figures
// count as zero for active campaigns, from their creation on. It also adds the rule's active campaigns without any figures.
func (p *replaying) zeros(ctx context.Context, list []autorule.Series) ([]autorule.Series, error) {
	if p.rule.LooksAt != autorule.Campaign {
		return list, nil
	}
	places := map[uuid.UUID]int{}
	for i := range list {
		places[list[i].Target.Campaign] = i
	}
	err := each(ctx, p.store.Campaigns().List, p.account.ID, func(c models.Campaign) {
		at, known := places[c.ID]
		if c.Status != models.CampaignActive || !known && (!inScope(p.rule, c) || len(list) >= maxTargets) {
			return
		}
		if !known {
			at = len(list)
			list = append(list, autorule.Series{Target: autorule.Target{Campaign: c.ID}})
		}
		list[at].Zeros = true
		for list[at].Since < len(p.starts) && p.starts[list[at].Since].Before(c.CreatedAt.Time) {
			list[at].Since++
		}
	})
	return list, err
}

func (p *replaying) names(ctx context.Context, list []autorule.ReplayedAct) (map[string]string, error) {
	ids := map[string][]string{}
	for _, a := range list {
		ids["campaign_id"] = append(ids["campaign_id"], a.Target.Campaign.String())
		ids["stream_id"] = append(ids["stream_id"], a.Target.Path)
		ids["offer_id"] = append(ids["offer_id"], a.Target.Offer)
	}
	return p.store.NamesOf(ctx, p.account.ID, ids)
}

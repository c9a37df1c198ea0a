package copilot

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	dbcopilot "switchyard/db/copilot"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/autorule"
	"switchyard/models/copilot"
	"switchyard/workers"
)

const (
	// rulesAtOnce is how many accounts a sweep claims in one batch.
	rulesAtOnce = 200
	// rulesClaimed is the time after which a rule gets another job, if the first job did not run it.
	rulesClaimed = 12 * time.Minute
)

// sweepRules starts one job for each account with due rules.
func (w *worker) sweepRules(ctx context.Context) error {
	now := w.now().UTC().Truncate(time.Microsecond)
	return workers.StartDue(ctx, w.store, w.client, rulesAtOnce, func(s *store.Store) ([]models.Job, error) {
		accounts, err := dbcopilot.NewRules(s).ClaimDue(ctx, now, now.Add(rulesClaimed), rulesAtOnce)
		if err != nil {
			return nil, err
		}
		rows := make([]models.Job, len(accounts))
		for i, account := range accounts {
			if rows[i], err = jobs.RunRules.NewRow(account, jobs.RulesArgs{At: now}); err != nil {
				return nil, err
			}
		}
		return rows, nil
	})
}

// runRules runs the rules of an account that were due at the time of the job. A rule that has run is no longer due, so an attempt
// after a crash continues with the next rule. A failing rule does not stop the others. After the last attempt, a failing rule
// waits for its next turn.
func (w *worker) runRules(ctx context.Context, u *workers.Run[jobs.RulesArgs, jobs.RulesRun]) error {
	account, err := w.store.FindAccount(ctx, u.Job.AccountID.UUID)
	if errors.Is(err, models.NotFound("account")) {
		return u.Commit(ctx, jobs.RulesRun{}, nil)
	}
	if err != nil {
		return err
	}
	rules, err := dbcopilot.NewRules(w.store).ListDue(ctx, account.ID, u.Args.At)
	if err != nil {
		return err
	}
	var out jobs.RulesRun
	var failed error
	left := int64(maxRead)
	for _, rule := range rules {
		x := &execution{reading: w.newReading(account, u.Args.At), rule: rule, run: rule.NewRun(account, u.Args.At)}
		x.clicksLeft = left
		err := x.do(ctx)
		left = x.clicksLeft
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && u.Attempt < jobs.RunRules.Policy().MaxAttempts:
			failed = errors.Join(failed, err) // the next attempt runs it once more
			continue
		case err != nil:
			slog.WarnContext(ctx, "rule not run", "rule", rule.ID, "error", err)
			x.run.Outcome = autorule.RunFailed
		case x.later:
			continue // it stays due, and another job will run it
		}
		if err := dbcopilot.NewRules(w.store).End(ctx, rule, x.run); err != nil {
			return err
		}
		out.Rules, out.Done = out.Rules+1, out.Done+x.run.Done
	}
	if failed != nil {
		return failed
	}
	return u.Commit(ctx, out, nil)
}

type execution struct {
	*reading
	rule   autorule.Rule
	run    autorule.Run
	shadow bool
	later  bool // another job runs the rule, because it needs more clicks than this job may still read

	records map[uuid.UUID]copilot.Record // the flows that the matched targets were read from
}

// do finds the targets that match the rule, and changes them or raises alerts. A shadow run only records what the rule would do.
func (x *execution) do(ctx context.Context) error {
	x.shadow = x.rule.Mode == autorule.Shadow
	if x.shadow {
		x.run.Outcome = autorule.RunShadow
	}
	if x.rule.Changes() && !x.account.Allowances().OneClick {
		x.shadow, x.run.Outcome = true, autorule.RunPlan
	}
	isFirst := x.clicksLeft == maxRead // no earlier rule of the job has read clicks
	matched, err := x.matched(ctx)
	if errors.Is(err, errTooLarge) {
		x.run.Outcome, x.later = autorule.RunTooLarge, !isFirst
		return nil
	}
	if err != nil || len(matched) == 0 && x.rule.Changes() {
		return err
	}
	x.run.Matched = len(matched)
	if x.rule.Changes() {
		return x.change(ctx, matched)
	}
	return x.alert(ctx, matched)
}

func (x *execution) change(ctx context.Context, matched []autorule.Target) error {
	cooling, err := dbcopilot.NewRules(x.store).Cooling(ctx, x.rule, x.run.At.Time)
	if err != nil {
		return err
	}
	var open []autorule.Target
	for _, t := range matched {
		if cooling[x.rule.Key(t)] {
			x.logTargets(autorule.ItemCooling, t)
			continue
		}
		open = append(open, t)
	}
	acts, idle := x.rule.Acts(open, x.paths)
	x.logTargets(autorule.ItemIdle, idle...)
	for _, act := range acts {
		switch {
		case x.run.Done >= x.rule.MaxChanges:
			x.logTargets(autorule.ItemLeft, act.Targets...)
			continue
		case x.shadow:
			x.logTargets(autorule.ItemWould, act.Targets...)
			continue
		}
		if err := x.act(ctx, act); err != nil {
			return err
		}
	}
	return nil
}

// act carries out one change. If the record cannot be changed, or has changed since it was read, act records that as the outcome.
func (x *execution) act(ctx context.Context, act autorule.Act) error {
	record, err := x.record(ctx, act)
	var done dbcopilot.Applied
	if err == nil {
		from, to := x.windowText()
		done, err = dbcopilot.NewRules(x.store).Act(ctx, x.rule, act, act.Action.JudgedDigest(record), x.run, x.rule.Evidence(act.Targets, from, to))
	}
	if e, ok := models.AsError(err); ok && e.Kind != models.KindInternal {
		outcome := autorule.ItemRefused
		if e.Code == "cooling" {
			outcome = autorule.ItemCooling
		}
		x.run.Record(x.rule.Settings, outcome, e.Message, uuid.NullUUID{}, act.Targets...)
		return nil
	}
	if err != nil {
		return err
	}
	delete(x.records, act.CampaignID.UUID) // the flow has changed
	x.run.Done++
	x.run.Record(x.rule.Settings, autorule.ItemDone, "", uuid.NullUUID{UUID: done.Change.ID, Valid: true}, act.Targets...)
	if len(done.Deliveries) > 0 {
		x.client.DispatchFor(ctx, x.account.ID, models.KindDeliverWebhook, done.Deliveries...)
	}
	slog.InfoContext(ctx, "rule acted", "rule", x.rule.ID, "change", done.Change.ID)
	return nil
}

// record returns the record that an act changes. For a flow it is the one from which the act was made, unless another act of this
// run has changed the flow.
func (x *execution) record(ctx context.Context, act autorule.Act) (copilot.Record, error) {
	if act.Action.Target().Kind == copilot.TargetFlow {
		if r, ok := x.records[act.CampaignID.UUID]; ok {
			return r, nil
		}
	}
	return dbcopilot.NewSuggestions(x.store).Record(ctx, x.account.ID, act.Action)
}

// alert raises an alert for each target that matches now, up to the limit of the rule, and ends the rule's other alerts.
func (x *execution) alert(ctx context.Context, matched []autorule.Target) error {
	if x.shadow {
		x.logTargets(autorule.ItemWould, matched...)
		return nil
	}
	shown := matched[:min(len(matched), x.rule.MaxChanges)]
	list := db.Map(shown, func(t autorule.Target) dbcopilot.RuleAlert {
		return dbcopilot.RuleAlert{Target: x.rule.Key(t), Name: t.Name, Message: x.rule.Message(t)}
	})
	isAccepted, err := dbcopilot.NewRules(x.store).SetAlerts(ctx, x.rule, list, x.run.At.Time)
	if e, ok := models.AsError(err); ok && e.Code == "stale" {
		return nil // the rule has changed, so End stores nothing
	}
	for i, ok := range isAccepted {
		outcome := autorule.ItemCooling
		if ok {
			x.run.Done++
			outcome = autorule.ItemDone
		}
		x.logTargets(outcome, shown[i])
	}
	x.logTargets(autorule.ItemLeft, matched[len(shown):]...)
	return err
}

func (x *execution) logTargets(outcome string, targets ...autorule.Target) {
	x.run.Record(x.rule.Settings, outcome, "", uuid.NullUUID{}, targets...)
}

func (x *execution) windowText() (from, to string) {
	layout, zone := "2006-01-02 15:04", x.account.DayStart(x.run.At.Time).Location()
	if x.rule.WindowUnit == autorule.Days && !x.rule.IncludeCurrent {
		return x.run.From.In(zone).Format(time.DateOnly), x.run.To.In(zone).AddDate(0, 0, -1).Format(time.DateOnly)
	}
	return x.run.From.In(zone).Format(layout), x.run.To.In(zone).Format(layout)
}

package copilot

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/autorule"
	"switchyard/models/copilot"
)

const (
	lockRule = `
SELECT id FROM copilot_rules WHERE account_id = $1 AND id = $2 AND is_active AND updated_at = $3 FOR NO KEY UPDATE`

	// A target is not claimed during its cool-down.
	claimTarget = `
INSERT INTO copilot_rule_targets AS t (account_id, rule_id, target, name, until) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (rule_id, target) DO UPDATE SET until = excluded.until, name = excluded.name, change_id = NULL WHERE t.until <= $6`

	setTargetsChange = `
UPDATE copilot_rule_targets SET change_id = $3 WHERE account_id = $1 AND rule_id = $2 AND target = ANY ($4)`

	// After an undo, the cool-down of the change's targets begins again.
	coolAfterUndo = `
UPDATE copilot_rule_targets t SET until = greatest(t.until, clock_timestamp() + make_interval(mins => r.cooldown_minutes))
FROM copilot_rules r WHERE r.id = t.rule_id AND t.account_id = $1 AND t.change_id = $2`
)

var errCooling = models.Conflict("cooling", "the rule has acted on this target within its cool-down")

// locked locks a rule. The error has the code "stale" if the rule is inactive or has changed since r was read.
func (k Rules) locked(ctx context.Context, r autorule.Rule) error {
	_, same, err := db.First[uuid.UUID](ctx, k.s.Conn(), "rule", lockRule, r.AccountID, r.ID, r.UpdatedAt.Time)
	if err == nil && !same {
		err = models.Conflict("stale", "the rule was changed at the same time")
	}
	return err
}

// Act carries out a change that a rule requires and starts the cool-down of its targets, in one transaction. Errors: "cooling"
// during the cool-down of a target, "invalid" if the action is not possible, and "stale" if the record or the rule has changed
// since it was read.
func (k Rules) Act(ctx context.Context, r autorule.Rule, act autorule.Act, judged string, run autorule.Run, evidence *copilot.Evidence) (
	Applied, error,
) {
	return store.TxOf(ctx, k.s, func(s *store.Store) (out Applied, err error) {
		if err := NewRules(s).locked(ctx, r); err != nil {
			return out, err
		}
		keys := make([]string, len(act.Targets))
		for i, t := range act.Targets {
			keys[i] = r.Key(t)
			n, err := db.Exec(ctx, s.Conn(), "claim target", claimTarget, r.AccountID, r.ID, keys[i], t.Name, run.At.Add(r.Cooldown()), run.At.Time)
			if err != nil {
				return out, err
			}
			if n == 0 {
				return out, errCooling
			}
		}
		out, err = NewSuggestions(s).apply(ctx, copilot.Change{
			Owned: models.Owned{AccountID: r.AccountID}, RuleID: uuid.NullUUID{UUID: r.ID, Valid: true}, CampaignID: act.CampaignID,
			Title: "Rule " + r.Name + ": " + act.What, Action: act.Action, Evidence: evidence,
		}, judged)
		if err != nil {
			return out, err
		}
		err = db.Run(ctx, s.Conn(), "targets of a change", setTargetsChange, r.AccountID, r.ID, out.Change.ID, keys)
		return out, err
	})
}

// Cooling returns the targets of a rule that are in their cool-down at the given time.
func (k Rules) Cooling(ctx context.Context, r autorule.Rule, at time.Time) (map[string]bool, error) {
	return db.Pairs[string, bool](ctx, k.s.Conn(), "cooling targets", `SELECT target, true FROM copilot_rule_targets
		WHERE account_id = $1 AND rule_id = $2 AND until > $3`, r.AccountID, r.ID, at)
}

const (
	endTargetAlerts = `
UPDATE copilot_rule_targets SET alert_since = NULL
WHERE account_id = $1 AND rule_id = $2 AND alert_since IS NOT NULL AND target <> ALL ($3)`

	// An alert that has ended does not begin again within the cool-down.
	raiseAlert = `
INSERT INTO copilot_rule_targets AS t (account_id, rule_id, target, name, message, alert_since, until) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (rule_id, target) DO UPDATE SET name = excluded.name, message = excluded.message,
	alert_since = coalesce(t.alert_since, excluded.alert_since),
	until = CASE WHEN t.alert_since IS NULL THEN excluded.until ELSE t.until END
WHERE t.alert_since IS NOT NULL OR t.until <= $6`
)

// RuleAlert is an alert of a rule.
type RuleAlert struct {
	RuleID  uuid.UUID `db:"rule_id"`
	Rule    string    `db:"rule"`
	Target  string    `db:"target"`
	Name    string    `db:"name"` // name of the target
	Message string    `db:"message"`
	Since   time.Time `db:"since"`
}

// SetAlerts raises the given alerts of a rule, and ends its other alerts. The result says of each given alert whether it exists
// after the call. An alert that has ended is not raised again within its cool-down. The error has the code "stale" if the rule
// has changed since r was read.
func (k Rules) SetAlerts(ctx context.Context, r autorule.Rule, list []RuleAlert, at time.Time) (raised []bool, err error) {
	return store.TxOf(ctx, k.s, func(s *store.Store) ([]bool, error) {
		if err := NewRules(s).locked(ctx, r); err != nil {
			return nil, err
		}
		keys, raised := db.Map(list, func(a RuleAlert) string { return a.Target }), make([]bool, len(list))
		if err := db.Run(ctx, s.Conn(), "end alerts", endTargetAlerts, r.AccountID, r.ID, keys); err != nil {
			return nil, err
		}
		for i, a := range list {
			n, err := db.Exec(ctx, s.Conn(), "raise alert", raiseAlert, r.AccountID, r.ID, a.Target, a.Name, a.Message, at, at.Add(r.Cooldown()))
			if err != nil {
				return nil, err
			}
			raised[i] = n > 0
		}
		return raised, nil
	})
}

// Alerts lists at most 500 alerts of an account's active rules, newest first.
func (k Rules) Alerts(ctx context.Context, account uuid.UUID) ([]RuleAlert, error) {
	return db.Select[RuleAlert](ctx, k.s.Conn(), "alerts of rules", `SELECT t.rule_id, r.name AS rule, t.target, t.name, t.message, t.alert_since AS since
		FROM copilot_rule_targets t JOIN copilot_rules r ON r.id = t.rule_id
		WHERE t.account_id = $1 AND t.alert_since IS NOT NULL AND r.is_active ORDER BY t.alert_since DESC, t.target LIMIT $2`, account, store.MaxAlerts)
}

const (
	endRun = `
UPDATE copilot_rules SET next_at = $4, taken_until = '-infinity', last_run = $5
WHERE account_id = $1 AND id = $2 AND updated_at = $3 AND next_at <= $6`

	insertRuleRun = `
INSERT INTO copilot_rule_runs (id, account_id, rule_id, at, window_from, window_to, outcome, looked, matched, done, cut, items)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

	deleteOldRuns = `
DELETE FROM copilot_rule_runs WHERE account_id = $1 AND rule_id = $2 AND id NOT IN (
	SELECT id FROM copilot_rule_runs WHERE account_id = $1 AND rule_id = $2 ORDER BY at DESC, id DESC LIMIT 100)`

	// Targets are deleted when their cool-down ended more than changeRetention ago, except those with an alert.
	deleteExpiredTargets = `
DELETE FROM copilot_rule_targets WHERE account_id = $1 AND rule_id = $2 AND alert_since IS NULL AND until < $3`
)

// End records a run of a rule and the time of the next run. Only runs that matched something, failed or
// needed too many clicks are logged. Nothing is recorded if the rule has changed since r was read, or if another run was recorded in
// the meantime.
func (k Rules) End(ctx context.Context, r autorule.Rule, run autorule.Run) error {
	return k.s.Tx(ctx, func(s *store.Store) error {
		n, err := db.Exec(ctx, s.Conn(), "end run", endRun, r.AccountID, r.ID, r.UpdatedAt.Time, r.Next(run.At.Time), db.Document(run.RunSummary), run.At.Time)
		if err != nil || n == 0 || run.Quiet() {
			return err
		}
		err = db.Run(ctx, s.Conn(), "run of a rule", insertRuleRun, run.ID, r.AccountID, r.ID, run.At.Time, run.From.Time, run.To.Time, run.Outcome,
			run.Looked, run.Matched, run.Done, run.Cut, db.Document(run.Items))
		if err != nil {
			return err
		}
		if err = db.Run(ctx, s.Conn(), "delete old runs", deleteOldRuns, r.AccountID, r.ID); err != nil {
			return err
		}
		return db.Run(ctx, s.Conn(), "delete expired targets", deleteExpiredTargets, r.AccountID, r.ID, run.At.Add(-changeRetention))
	})
}

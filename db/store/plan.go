package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/delivery"
	"switchyard/models"
)

// Usage reads how much of its plan an account uses.
type Usage struct{ s *Store }

// Usage returns access to the usage of plans.
func (s *Store) Usage() Usage { return Usage{s} }

// PlanUsage has the numbers of an account's records that count against its plan.
type PlanUsage struct {
	Campaigns int `db:"campaigns"`
	Offers    int `db:"offers"`
	Landers   int `db:"landers"`
	Domains   int `db:"domains"`
	Sources   int `db:"sources"`
	Networks  int `db:"networks"`
	Webhooks  int `db:"webhooks"`
	Keys      int `db:"keys"`
}

const countUsage = `
SELECT (SELECT count(*) FROM campaigns WHERE account_id = $1 AND deleted_at IS NULL) AS campaigns,
	(SELECT count(*) FROM offers WHERE account_id = $1 AND deactivated_at IS NULL) AS offers,
	(SELECT count(*) FROM landers WHERE account_id = $1 AND deactivated_at IS NULL) AS landers,
	(SELECT count(*) FROM domains WHERE account_id = $1) AS domains,
	(SELECT count(*) FROM traffic_sources WHERE account_id = $1 AND is_active AND deactivated_at IS NULL) AS sources,
	(SELECT count(*) FROM networks WHERE account_id = $1 AND is_active AND deactivated_at IS NULL) AS networks,
	(SELECT count(*) FROM webhook_endpoints WHERE account_id = $1) AS webhooks,
	(SELECT count(*) FROM api_keys WHERE account_id = $1 AND kind = 'key' AND revoked_at IS NULL
		AND (expires_at IS NULL OR expires_at > now())) AS keys`

// Count returns the numbers of an account's records.
func (u Usage) Count(ctx context.Context, account uuid.UUID) (PlanUsage, error) {
	return db.Get[PlanUsage](ctx, u.s.c, "usage", countUsage, account)
}

// Room returns how many more records the plan of an account allows, by the names of the records' tables. Networks share their
// allowance with sources. Kinds without a limit are missing.
func (u Usage) Room(ctx context.Context, account models.Account) (map[string]int, error) {
	plan, room := account.Allowances(), map[string]int{}
	for name, a := range map[string]allowance{
		"campaigns": campaignTable.allowance, "offers": offerTable.allowance, "landers": landerTable.allowance, "rules": ruleTable.allowance,
		"flows": flowTable.allowance, "smartlinks": smartlinkTable.allowance, "networks": allowedIntegrations,
		"domains":       {count: `SELECT count(*) FROM domains WHERE account_id = $1`, limit: func(p models.Plan) int { return p.Domains }},
		"copilot_rules": copilotRuleTable.allowance,
		"sites":         {count: siteTable.allowance.count, limit: func(p models.Plan) int { return p.Sites }},
	} {
		if allowed := a.limit(plan); allowed != models.Unlimited {
			have, err := db.Get[int](ctx, u.s.c, name, a.count, account.ID)
			if err != nil {
				return nil, err
			}
			room[name] = max(allowed-have, 0)
		}
	}
	return room, nil
}

// UnknownPlans lists the names of plans that accounts have and that models.Plans lacks. An account on such a plan is allowed
// nothing. UnknownPlans is for workers.
func (u Usage) UnknownPlans(ctx context.Context) ([]string, error) {
	names := db.Map(models.Plans, func(p models.Plan) string { return p.Name })
	return db.Select[string](ctx, u.s.c, "lost plans", `SELECT DISTINCT plan FROM accounts WHERE plan <> ALL ($1) ORDER BY 1 LIMIT 100`, names)
}

// PlanLimit is the number of clicks that an account's plan allows in a month, and the number of clicks that the account had.
type PlanLimit struct {
	AccountID uuid.UUID `db:"account_id"`
	Plan      string    `db:"plan"`
	Allowance int64     `db:"allowance"`
	Clicks    int64     `db:"clicks"`
	ReachedAt time.Time `db:"reached_at"`
}

const openLimits = `
SELECT a.id AS account_id, a.plan, p.allowance, 0 AS clicks, $1::timestamptz AS reached_at
FROM accounts a JOIN unnest($2::text[], $3::bigint[]) AS p (plan, allowance) ON p.plan = a.plan
WHERE NOT EXISTS (SELECT FROM plan_limits m WHERE m.account_id = a.id AND m.month = $4::date)
ORDER BY a.id`

// Open lists the limits of all accounts whose plan limits clicks, for the month of the given time. It leaves out limits that were
// already announced, and does not set Clicks. Open is for workers.
func (u Usage) Open(ctx context.Context, at time.Time) ([]PlanLimit, error) {
	var names []string
	var limits []int64
	for _, p := range models.Plans {
		if p.ClicksPerMonth != models.Unlimited {
			names, limits = append(names, p.Name), append(limits, p.ClicksPerMonth)
		}
	}
	return db.Select[PlanLimit](ctx, u.s.c, "open limits", openLimits, at, names, limits, models.MonthOf(at))
}

const insertLimit = `
INSERT INTO plan_limits (account_id, month, plan, allowance, clicks, reached_at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (account_id, month) DO NOTHING`

// Announce stores the event plan.limit_reached, at most once a month. The caller dispatches the event's deliveries after the
// commit.
func (u Usage) Announce(ctx context.Context, l PlanLimit) ([]uuid.UUID, error) {
	return TxOf(ctx, u.s, func(s *Store) ([]uuid.UUID, error) {
		n, err := s.exec(ctx, "announce limit", insertLimit, l.AccountID, models.MonthOf(l.ReachedAt), l.Plan, l.Allowance,
			l.Clicks, l.ReachedAt)
		if err != nil || n == 0 {
			return nil, err
		}
		plan := models.Plan{Name: l.Plan, ClicksPerMonth: l.Allowance}
		event := models.NewEvent(l.AccountID, models.EventPlanLimitReached, l.ReachedAt, plan.LimitData(l.Clicks, l.ReachedAt))
		return delivery.AddEvent(ctx, s.c, event)
	})
}

var findLimit = `SELECT ` + db.Columns[PlanLimit]("") + ` FROM plan_limits WHERE account_id = $1 AND month = $2`

// Limit returns the limit that was announced in the month of the given time. The error is not_found if no limit was announced.
func (u Usage) Limit(ctx context.Context, account uuid.UUID, at time.Time) (PlanLimit, error) {
	return db.Get[PlanLimit](ctx, u.s.c, "limit", findLimit, account, models.MonthOf(at))
}

package report

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/clickhouse/schema"
	"switchyard/models"
	"switchyard/models/measure"
)

// GoalCount is the number of clicks that reached a goal, by approved or pending conversions. The empty goal stands for
// conversions without a goal.
type GoalCount struct {
	Split    uuid.UUID       `db:"split"`    // id of the lander, source or campaign; zero: none, or not grouped
	Goal     string          `db:"goal"`     // AnyGoal: all goals together
	Clicks   int64           `db:"clicks"`   // clicks that reached the goal
	Approved int64           `db:"approved"` // clicks with an approved conversion
	Revenue  decimal.Decimal `db:"revenue"`  // revenue of approved conversions
}

// AnyGoal is the Goal of a count over all goals together.
const AnyGoal = "*"

// The values of split: the records by which GoalsOf can group.
const (
	ByLander   = "lander"
	BySource   = "source"
	ByCampaign = "campaign"
)

var goalSplits = map[string]string{
	"": "NULL::uuid", ByLander: "f.lander_id", BySource: "f.source_id", ByCampaign: "f.campaign_id",
}

// In the total over all goals, a click that reached two goals counts once.
var countGoals = `
SELECT coalesce(%[1]s, '00000000-0000-0000-0000-000000000000') AS split,
	CASE WHEN grouping(v.goal) = 1 THEN '` + AnyGoal + `' ELSE v.goal END AS goal,
	count(DISTINCT v.click_id) AS clicks,
	count(DISTINCT v.click_id) FILTER (WHERE v.status = 'approved') AS approved,
	coalesce(sum(v.payout * ` + counting + `) FILTER (WHERE v.status = 'approved'), 0) AS revenue
FROM conversions v JOIN clicks f ON f.id = v.click_id
WHERE v.account_id = $1 AND v.click_id >= $3 AND v.click_id < $4 AND v.status IN ('approved', 'pending')
	AND f.account_id = $1 AND f.id >= $3 AND f.id < $4 AND f.campaign_id = ANY ($2::uuid[])
GROUP BY GROUPING SETS ((%[1]s, v.goal), (%[1]s))`

// GoalsOf counts the goals reached by the clicks of campaigns in [from, to), by the time of the click.
func (r Reader) GoalsOf(ctx context.Context, account uuid.UUID, campaigns []uuid.UUID, split string,
	from, to time.Time,
) ([]GoalCount, error) {
	expr, ok := goalSplits[split]
	if !ok {
		return nil, fmt.Errorf("report: goals cannot be split by %q", split)
	}
	w := window{account: account, from: from, to: to, money: true}
	return onClicks(ctx, r, w, func(r Reader) ([]GoalCount, error) {
		return db.Select[GoalCount](ctx, r.Conn, "goals", fmt.Sprintf(countGoals, expr), account, campaigns,
			models.FloorClickID(from), models.FloorClickID(to))
	}, func() ([]GoalCount, error) {
		if split == "" {
			expr = "materialize(" + schema.NoID + ")"
		}
		return schema.Rows(ctx, r.Copy, "goals", func(g *GoalCount) []any {
			return []any{&g.Split, &g.Goal, &g.Clicks, &g.Approved, &g.Revenue}
		}, fmt.Sprintf(clickHouseGoals, expr, measure.Find("revenue").CopyOfSale(), w.clickHouse("v", "click_at"), w.clickHouse("f", "at")),
			account, campaigns)
	})
}

// clickHouseGoals is countGoals for ClickHouse.
const clickHouseGoals = `
SELECT t.split, if(grouping(t.goal) = 1, '` + AnyGoal + `', t.goal), toInt64(uniqExact(t.click_id)),
	toInt64(uniqExactIf(t.click_id, t.status = 'approved')), sum(t.revenue)
FROM (
	SELECT %[1]s AS split, toString(v.goal) AS goal, v.click_id AS click_id, v.status AS status, %[2]s AS revenue
	FROM (SELECT * FROM conversions AS v FINAL WHERE %[3]s AND v.status IN ('approved', 'pending')) AS v
	GLOBAL INNER JOIN (SELECT * FROM clicks AS f FINAL WHERE %[4]s AND f.campaign_id IN (CAST($2, 'Array(UUID)'))) AS f ON f.id = v.click_id
) AS t
GROUP BY GROUPING SETS ((t.split, t.goal), (t.split))`

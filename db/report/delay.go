package report

import (
	"context"
	"fmt"
	"strings"

	"switchyard/db"
	"switchyard/db/clickhouse/schema"
	"switchyard/models"
)

// DelayDimensions are the dimensions by which the delays of conversions can be filtered.
var DelayDimensions = []string{"campaign_id", "offer_id", "source_id"}

// DelayBounds are the bounds between the steps in which conversions are counted, in seconds after the click. The first step
// begins at the click, and the last step has no end.
var DelayBounds = []int64{
	60, 5 * 60, 15 * 60, hourSeconds, 3 * hourSeconds, 6 * hourSeconds, 12 * hourSeconds, daySeconds,
	2 * daySeconds, 3 * daySeconds, 7 * daySeconds, 14 * daySeconds, 30 * daySeconds,
}

// MaxDelays is the maximum number of conversions that are counted. The conversions of the latest clicks are counted.
const MaxDelays = 200_000

// Delay is the number of conversions in a step. Step is the number of bounds that the delay has reached.
type Delay struct {
	Step        int64 `db:"step"`
	Conversions int64 `db:"conversions"`
}

// The time of a click is in the first 48 bits of its id, in milliseconds.
const selectDelays = `
SELECT width_bucket(ms / 1000, $4::bigint[]) AS step, count(*) AS conversions FROM (
	SELECT floor(extract(epoch FROM v.recorded_at) * 1000)::bigint
		- ('x' || left(replace(v.click_id::text, '-', ''), 12))::bit(48)::bigint AS ms
	FROM conversions v
	WHERE v.account_id = $1 AND v.click_id >= $2 AND v.click_id < $3 AND v.status IN ('approved', 'pending')%s
	ORDER BY v.click_id DESC LIMIT %d
) d GROUP BY 1 ORDER BY 1`

const clickHouseDelays = `
SELECT toInt64(arrayCount(b -> b <= s, CAST($2, 'Array(Int64)'))) AS step, toInt64(count()) FROM (
	SELECT intDiv(toUnixTimestamp64Milli(v.recorded_at) - toUnixTimestamp64Milli(v.click_at), 1000) AS s
	FROM conversions AS v FINAL WHERE %s AND v.status IN ('approved', 'pending')%s
	ORDER BY v.click_at DESC LIMIT %d
) GROUP BY step ORDER BY step`

// Delays counts the approved and pending conversions of clicks by the time between click and conversion. It uses the account, the
// window and the filters of the query. It returns only steps with conversions.
func (r Reader) Delays(ctx context.Context, q Query) ([]Delay, error) {
	const what = "delays of conversions"
	w := window{account: q.AccountID, from: q.From, to: q.To}
	return onClicks(ctx, r, w, func(r Reader) ([]Delay, error) {
		args := []any{q.AccountID, models.FloorClickID(q.From), models.FloorClickID(q.To), DelayBounds}
		where, args := delayFilters(q.Filters, args, " = ANY ($%d::uuid[])", " <> ALL ($%d::uuid[])")
		return db.Select[Delay](ctx, r.Conn, what, fmt.Sprintf(selectDelays, where, MaxDelays), args...)
	}, func() ([]Delay, error) {
		args := []any{q.AccountID, DelayBounds}
		where, args := delayFilters(q.Filters, args, " IN (CAST($%d, 'Array(UUID)'))", " NOT IN (CAST($%d, 'Array(UUID)'))")
		return schema.Rows(ctx, r.Copy, what, func(d *Delay) []any { return []any{&d.Step, &d.Conversions} },
			fmt.Sprintf(clickHouseDelays, w.clickHouse("v", "click_at"), where, MaxDelays), args...)
	})
}

// delayFilters returns the filters as SQL conditions that each begin with AND, and appends their arguments to args.
func delayFilters(filters []Filter, args []any, isAny, isNone string) (string, []any) {
	var s strings.Builder
	for _, f := range filters {
		args = append(args, uuids(f.Values))
		test := isAny
		if f.Not {
			test = isNone
		}
		s.WriteString(" AND v." + f.Dimension + fmt.Sprintf(test, len(args)))
	}
	return s.String(), args
}

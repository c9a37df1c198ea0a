package alerts

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
)

// postbackCount counts the postbacks of a network in a period.
type postbackCount struct {
	Total     int64 `db:"total"`
	Unmatched int64 `db:"unmatched"` // includes postbacks that wait for their click longer than longWait
	Refused   int64 `db:"refused"`
}

// networkPostbacks counts the postbacks of a network in the last day and in the week before that day.
type networkPostbacks struct {
	ID     uuid.UUID     `db:"id"`
	Name   string        `db:"name"`
	Since  time.Time     `db:"since"` // time of the day's first unmatched or refused postback
	Day    postbackCount `db:"day"`
	Before postbackCount `db:"before"`
}

// At most the newest 20,000 postbacks of each period are counted.
const selectTroubled = `
WITH recent AS (
	(SELECT network_id, received_at, outcome, true AS today FROM postbacks
	WHERE account_id = $1 AND received_at >= $2 ORDER BY received_at DESC LIMIT 20000)
	UNION ALL
	(SELECT network_id, received_at, outcome, false FROM postbacks
	WHERE account_id = $1 AND received_at >= $3 AND received_at < $2 ORDER BY received_at DESC LIMIT 20000)
), judged AS (
	SELECT network_id, received_at, today, outcome = 'refused' AS refused,
		outcome = 'unmatched' OR outcome = 'pending' AND received_at < $4 AS unmatched
	FROM recent WHERE outcome <> 'pending' OR received_at < $4
)
SELECT n.id, n.name, min(received_at) FILTER (WHERE today AND (unmatched OR refused)) AS since,
	count(*) FILTER (WHERE today) AS "day.total", count(*) FILTER (WHERE today AND unmatched) AS "day.unmatched",
	count(*) FILTER (WHERE today AND refused) AS "day.refused",
	count(*) FILTER (WHERE NOT today) AS "before.total", count(*) FILTER (WHERE NOT today AND unmatched) AS "before.unmatched",
	count(*) FILTER (WHERE NOT today AND refused) AS "before.refused"
FROM judged p JOIN networks n ON n.id = p.network_id AND n.account_id = $1 AND n.deactivated_at IS NULL
GROUP BY n.id, n.name HAVING count(*) FILTER (WHERE today AND (unmatched OR refused)) >= $5
ORDER BY n.id LIMIT $6`

// longWait is how long a postback may wait for its click before it counts as unmatched.
const longWait = 10 * time.Minute

// networksWithBadPostbacks lists the account's networks that are not deactivated and had at least the given number of unmatched or
// refused postbacks in the last day.
func (l reading) networksWithBadPostbacks(ctx context.Context, least int) ([]networkPostbacks, error) {
	day := l.now.AddDate(0, 0, -1)
	return db.Select[networkPostbacks](ctx, l.Store.Conn(), "troubled networks", selectTroubled, l.account.ID, day, day.AddDate(0, 0, -7),
		l.now.Add(-longWait), least, store.MaxAlerts)
}

// failingSource is an active traffic source with a host at which the latest attempts failed.
type failingSource struct {
	ID       uuid.UUID `db:"id"`
	Name     string    `db:"name"`
	Origin   string    `db:"origin"` // scheme, host and port
	Since    time.Time `db:"failing_since"`
	Failures int       `db:"failures"` // consecutive
	models.SourcePostback
}

var selectFailingSources = `
SELECT s.id, s.name, f.origin, f.failing_since, f.failures, ` + db.Columns[models.SourcePostback]("s.") + `
FROM source_failures f JOIN traffic_sources s ON s.id = f.source_id AND s.account_id = f.account_id
WHERE f.account_id = $1 AND f.failures >= $2 AND s.is_active AND s.deactivated_at IS NULL
ORDER BY f.failing_since DESC, s.id LIMIT $3`

// sourcesWithFailures lists the account's active sources with at least the given number of consecutive failed attempts at one
// host. The source that began to fail last comes first.
func (l reading) sourcesWithFailures(ctx context.Context, least int) ([]failingSource, error) {
	return db.Select[failingSource](ctx, l.Store.Conn(), "failing sources", selectFailingSources, l.account.ID, least, store.MaxAlerts)
}

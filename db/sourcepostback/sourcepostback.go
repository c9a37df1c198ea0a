// Package sourcepostback stores the postbacks that tell traffic sources about conversions. Package upload stores the conversions
// that are sent to the APIs of ad platforms.
//
// A postback is stored in the transaction that gives a conversion its status, once for each status. Each postback has a job with
// the same id. The caller dispatches the jobs after its commit. If the caller fails to dispatch a job, the reconciler finds it.
// The postbacks of a conversion are sent in the order of the conversion's statuses.
package sourcepostback

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/models"
)

var settings = db.Columns[models.SourcePostback]("s.")

var selectSettings = `SELECT s.id, ` + settings + ` FROM traffic_sources s WHERE s.account_id = $1 AND s.id = ANY ($2::uuid[])`

// The values of the identity column place are assigned in the order of the list.
var insertPostbacks = `
WITH fresh AS (
	INSERT INTO source_postbacks (id, account_id, source_id, campaign_id, network_id, click_id, conversion_id, reference,
		goal, status, payout, currency, rate, cost, recorded_at)
	SELECT new_id(), $1, v.source_id, v.campaign_id, v.network_id, v.click_id, v.id, v.conversion_id, v.goal, p.status,
		p.payout, p.currency, p.rate, p.cost, p.recorded_at
	FROM unnest($2::uuid[], $3::text[], $4::numeric[], $5::text[], $6::numeric[], $7::timestamptz[], $8::numeric[])
		WITH ORDINALITY AS p (id, status, payout, currency, cost, recorded_at, rate, nth)
	JOIN conversions v ON v.id = p.id AND v.account_id = $1
	ORDER BY p.nth
	ON CONFLICT (conversion_id, status) DO NOTHING
	RETURNING id, account_id
), job AS (` + jobrow.InsertFrom("fresh", `'`+models.KindSendPostback+`'`, "NULL") + `)
SELECT id FROM fresh`

// Add stores the postbacks for conversions that have a new status, in the order of the list. It runs in the transaction of c.
// The conversions must be stored already, and must not change again in this transaction. If a conversion returns to a status
// that it had before, Add stores no postback. Add returns the jobs, which the caller dispatches after the commit.
func Add(ctx context.Context, c db.Conn, account uuid.UUID, list []models.Conversion) ([]models.JobRef, error) {
	wanted, err := conversionsToSend(ctx, c, account, list)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	ids, err := db.Select[uuid.UUID](ctx, c, "add postbacks to sources", insertPostbacks, account,
		db.UUIDs(db.Map(wanted, func(v models.Conversion) uuid.UUID { return v.ID })),
		db.Map(wanted, func(v models.Conversion) string { return v.Status }),
		amounts(wanted, func(v models.Conversion) decimal.Decimal { return v.Payout }),
		db.Map(wanted, func(v models.Conversion) string { return v.Currency }),
		amounts(wanted, func(v models.Conversion) decimal.Decimal { return v.Cost }),
		db.Map(wanted, func(v models.Conversion) string { return v.RecordedAt.UTC().Format(time.RFC3339Nano) }),
		pq.Array(db.Map(wanted, func(v models.Conversion) decimal.NullDecimal { return v.Rate })))
	return models.NewRefs(models.KindSendPostback, account, ids), err
}

func amounts(list []models.Conversion, amount func(models.Conversion) decimal.Decimal) pq.StringArray {
	return db.Map(list, func(v models.Conversion) string { return amount(v).String() })
}

// conversionsToSend returns the conversions that their sources want to receive.
func conversionsToSend(ctx context.Context, c db.Conn, account uuid.UUID, list []models.Conversion) ([]models.Conversion, error) {
	var sources []uuid.UUID
	for _, v := range list {
		if v.SourceID != uuid.Nil && !slices.Contains(sources, v.SourceID) {
			sources = append(sources, v.SourceID)
		}
	}
	if len(sources) == 0 {
		return nil, nil
	}
	type source struct {
		ID uuid.UUID `db:"id"`
		models.SourcePostback
	}
	found, err := db.Select[source](ctx, c, "sources of conversions", selectSettings, account, db.UUIDs(sources))
	if err != nil {
		return nil, err
	}
	byID := db.ByKey(found, func(s source) uuid.UUID { return s.ID })
	return slices.DeleteFunc(slices.Clone(list), func(v models.Conversion) bool {
		_, ok := byID[v.SourceID].URLFor(v.Goal, v.Status)
		return !ok
	}), nil
}

// Target is a postback with all the data that is needed to send it.
type Target struct {
	models.SentPostback
	models.SourcePostback

	SourceName  string  `db:"source_name"`
	Active      bool    `db:"is_active"`
	Deactivated bool    `db:"deactivated"`
	Zone        string  `db:"timezone"` // time zone of the account
	Earlier     float64 `db:"earlier"`  // seconds to wait for earlier postbacks of the conversion; negative if none waits
}

var columns = db.Columns[models.SentPostback]("p.")

// earlier is one second more than the longest time until the next attempt of an earlier postback.
var findTarget = `
SELECT ` + columns + `, ` + settings + `, s.name AS source_name, s.is_active, s.deactivated_at IS NOT NULL AS deactivated, a.timezone,
	coalesce((
		SELECT max(greatest(extract(epoch FROM ` + jobrow.NextAttempt("e.id") + ` - clock_timestamp()), 0)) + 1
		FROM source_postbacks e
		WHERE e.conversion_id = p.conversion_id AND e.place < p.place AND e.result = 'pending' AND ` + jobrow.IsOpen("e.id") + `
	), -1)::float8 AS earlier
FROM source_postbacks p
JOIN accounts a ON a.id = p.account_id
JOIN traffic_sources s ON s.id = p.source_id AND s.account_id = p.account_id
WHERE p.id = $1`

// Find returns a postback. The error is not_found if the postback was deleted with its click.
func Find(ctx context.Context, c db.Conn, id uuid.UUID) (Target, error) {
	return db.Get[Target](ctx, c, "postback", findTarget, id)
}

var findTrial = `
SELECT ` + settings + `, s.name AS source_name, a.timezone, a.currency
FROM traffic_sources s JOIN accounts a ON a.id = s.account_id WHERE s.account_id = $1 AND s.id = $2`

// TrialTarget returns the Target of a trial postback to a traffic source. It sets no field of the postback except Currency,
// which is the currency of the account.
func TrialTarget(ctx context.Context, c db.Conn, account, source uuid.UUID) (Target, error) {
	return db.Get[Target](ctx, c, "traffic source", findTrial, account, source)
}

// Failures returns the number of consecutive failed attempts at a host of a source.
func Failures(ctx context.Context, c db.Conn, source uuid.UUID, origin string) (int, error) {
	const q = `SELECT failures FROM source_failures WHERE source_id = $1 AND origin = $2`
	n, _, err := db.First[int](ctx, c, "failures of source", q, source, origin)
	return n, err
}

// Alias returns the alias of a campaign, even if the campaign was deleted. It is empty if the account has never had such a campaign.
func Alias(ctx context.Context, c db.Conn, account, campaign uuid.UUID) (string, error) {
	const q = `SELECT alias FROM campaigns WHERE account_id = $1 AND id = $2`
	alias, _, err := db.First[string](ctx, c, "alias of campaign", q, account, campaign)
	return alias, err
}

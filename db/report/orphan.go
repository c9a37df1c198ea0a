package report

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clickhouse/schema"
	"switchyard/db/ledger"
	"switchyard/models"
)

// Orphan has the figures of a deleted campaign in a window.
type Orphan struct {
	CampaignID uuid.UUID `db:"campaign_id"`
	Visitors   int64     `db:"visitors"` // visitors, not clicks; known only from clicks that are still kept
	// FirstSeen and LastSeen are the times of the first and the last click, including bots. They are whole hours if the clicks
	// are not kept.
	FirstSeen time.Time `db:"first_seen"`
	LastSeen  time.Time `db:"last_seen"`
	models.Figures
}

const isOrphan = `campaign_id <> '00000000-0000-0000-0000-000000000000' AND NOT EXISTS (
	SELECT FROM campaigns c WHERE c.account_id = $1 AND c.id = campaign_id AND c.deleted_at IS NULL)`

const selectOrphans = `
SELECT campaign_id, min(hour) AS first_seen, max(hour) AS last_seen FROM ` + ledger.Traffic + ` l
WHERE account_id = $1 AND hour >= $2 AND hour < $3 AND ` + isOrphan + `
GROUP BY campaign_id`

const selectOrphanVisitors = `
SELECT campaign_id, count(DISTINCT ` + visitor + `) FILTER (WHERE NOT is_bot) AS visitors,
	min(at) AS first_seen, max(at) AS last_seen
FROM clicks WHERE account_id = $1 AND id >= $2 AND id < $3 AND campaign_id = ANY ($4::uuid[])
GROUP BY campaign_id`

// visitor is the SQL of the visitor of a click: the id from the cookie, or else the fingerprint.
const visitor = `coalesce(nullif(visitor_id, '00000000-0000-0000-0000-000000000000'), unique_key)`

const clickHouseVisitor = `if(visitor_id = ` + schema.NoID + `, unique_key, visitor_id)`

// Orphans returns the figures in [from, to) of deleted campaigns, most clicks first.
func (r Reader) Orphans(ctx context.Context, account uuid.UUID, from, to time.Time) ([]Orphan, error) {
	const what = "orphaned campaigns"
	hours, err := db.Select[Orphan](ctx, r.Conn, what, selectOrphans, account, from.Truncate(time.Hour), to)
	if err != nil || len(hours) == 0 {
		return nil, err
	}
	ids := db.Map(hours, func(o Orphan) string { return o.CampaignID.String() })
	known := db.ByKey(hours, func(o Orphan) string { return o.CampaignID.String() })
	w := window{account: account, from: from, to: to}
	seen, err := onClicks(ctx, r, w, func(r Reader) ([]Orphan, error) {
		return db.Select[Orphan](ctx, r.Conn, what, selectOrphanVisitors, account, models.FloorClickID(from), models.FloorClickID(to), ids)
	}, func() ([]Orphan, error) {
		return schema.Rows(ctx, r.Copy, what, func(o *Orphan) []any {
			return []any{&o.CampaignID, &o.Visitors, &o.FirstSeen, &o.LastSeen}
		}, `SELECT campaign_id, toInt64(uniqExactIf(`+clickHouseVisitor+`, NOT is_bot)), min(at), max(at)
FROM clicks AS f FINAL WHERE `+w.clickHouse("f", "at")+` AND campaign_id IN (CAST($2, 'Array(UUID)')) GROUP BY campaign_id`, account, ids)
	})
	if err != nil {
		return nil, err
	}
	for _, s := range seen {
		known[s.CampaignID.String()] = s
	}
	var list []Orphan
	err = r.Each(ctx, Query{
		AccountID: account, From: from, To: to, Dimensions: []string{"campaign_id"},
		Filters: []Filter{{Dimension: "campaign_id", Values: ids}}, Limit: len(ids),
	}, func(row Row) error {
		o := known[row.Dims[0]]
		o.FirstSeen, o.LastSeen, o.Figures = o.FirstSeen.UTC(), o.LastSeen.UTC(), row.Figures
		list = append(list, o)
		return nil
	})
	return list, err
}

package report

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/ledger"
	"switchyard/models"
)

// Orphan is what a campaign that no longer exists left behind in a window.
type Orphan struct {
	CampaignID uuid.UUID
	Visitors   int64 // people, whatever the number of their clicks; as far as clicks are kept
	// FirstSeen and LastSeen are the times of the first and the last click, bots included. They are whole hours where the
	// clicks are not kept any more.
	FirstSeen, LastSeen time.Time
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

// visitor is who clicked: by the cookie, else by the fingerprint.
const visitor = `coalesce(nullif(visitor_id, '00000000-0000-0000-0000-000000000000'), unique_key)`

type orphanRow struct {
	CampaignID uuid.UUID `db:"campaign_id"`
	Visitors   int64     `db:"visitors"`
	FirstSeen  time.Time `db:"first_seen"`
	LastSeen   time.Time `db:"last_seen"`
}

// Orphans gives what was recorded in [from, to) for campaigns that do not exist any more, most clicks first.
func Orphans(ctx context.Context, c db.Conn, account uuid.UUID, from, to time.Time) ([]Orphan, error) {
	hours, err := db.Select[orphanRow](ctx, c, "orphaned campaigns", selectOrphans, account, from.Truncate(time.Hour), to)
	if err != nil || len(hours) == 0 {
		return nil, err
	}
	ids, known := make([]string, len(hours)), make(map[string]orphanRow, len(hours))
	for i, h := range hours {
		ids[i] = h.CampaignID.String()
		known[ids[i]] = h
	}
	seen, err := db.Select[orphanRow](ctx, c, "visitors of orphaned campaigns", selectOrphanVisitors, account,
		models.FloorClickID(from), models.FloorClickID(to), ids)
	if err != nil {
		return nil, err
	}
	for _, s := range seen {
		known[s.CampaignID.String()] = s
	}
	var list []Orphan
	err = Each(ctx, c, Query{
		AccountID: account, From: from, To: to, Dimensions: []string{"campaign_id"},
		Filters: []Filter{{"campaign_id", ids}}, Limit: len(ids),
	}, func(r Row) error {
		k := known[r.Dims[0]]
		list = append(list, Orphan{
			CampaignID: k.CampaignID, Visitors: k.Visitors, FirstSeen: k.FirstSeen.UTC(), LastSeen: k.LastSeen.UTC(),
			Figures: r.Figures,
		})
		return nil
	})
	return list, err
}

const countLive = `SELECT count(*) FROM campaigns WHERE account_id = $1 AND deleted_at IS NULL`

// LiveCampaigns counts the campaigns that an account has.
func LiveCampaigns(ctx context.Context, c db.Conn, account uuid.UUID) (int, error) {
	return db.Get[int](ctx, c, "count campaigns", countLive, account)
}

// TotalsOf gives the figures of all time of some campaigns together, whether they exist or not.
func TotalsOf(ctx context.Context, c db.Conn, account uuid.UUID, campaigns []uuid.UUID) (models.Figures, error) {
	rows, err := Performance(ctx, c, Query{
		AccountID: account, From: time.Unix(0, 0), To: time.Now().Truncate(time.Hour).AddDate(0, 0, 2),
		Filters: []Filter{{"campaign_id", db.Map(campaigns, uuid.UUID.String)}},
	})
	if err != nil {
		return models.Figures{}, err
	}
	return rows[0].Figures, nil
}

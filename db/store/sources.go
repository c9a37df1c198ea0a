package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/subslot"
)

// Sources accesses the traffic sources of accounts.
type Sources struct {
	integrations[models.TrafficSource]
}

// Sources returns access to the traffic sources.
func (s *Store) Sources() Sources {
	return Sources{integrations[models.TrafficSource]{records[models.TrafficSource]{s, sourceTable}}}
}

var sourceTable = newTable(table[models.TrafficSource]{
	name: "traffic_sources", what: "traffic source", removed: "deactivated_at", allowance: allowedIntegrations,
	prepare: func(ctx context.Context, s *Store, o, old *models.TrafficSource) error {
		inUse := false
		if old.ID != uuid.Nil {
			var err error
			if inUse, err = db.Get[bool](ctx, s.c, "use of a source", sourceInUse, old.AccountID, old.ID); err != nil {
				return err
			}
		}
		subslot.Assign(&o.SourceLink, old.SourceLink, inUse)
		return nil
	},
})

// sourceInUse reports whether the source $2 has figures, or a campaign or a smartlink refers to it. Deleted campaigns and
// smartlinks count.
const sourceInUse = `
SELECT EXISTS (SELECT FROM campaigns WHERE account_id = $1 AND source_id = $2)
	OR EXISTS (SELECT FROM smartlinks WHERE account_id = $1 AND source_id = $2)
	OR EXISTS (SELECT FROM ledger_rollups WHERE rollup = 'traffic' AND account_id = $1 AND source_id = $2)
	OR EXISTS (SELECT FROM ledger WHERE account_id = $1 AND source_id = $2 AND NOT merged)`

const maxNamed = 200

// selectNamed reads sources of the account $1: the sources $2, or else the sources of the campaigns $3, or else all that are not
// deactivated.
var selectNamed = `SELECT ` + db.Columns[models.SourceLink]("s.") + ` FROM traffic_sources s
WHERE s.account_id = $1 AND CASE
	WHEN cardinality($2::uuid[]) > 0 THEN s.id = ANY ($2)
	WHEN cardinality($3::uuid[]) > 0 THEN s.id IN (SELECT source_id FROM campaigns WHERE account_id = $1 AND id = ANY ($3))
	ELSE s.deactivated_at IS NULL END
LIMIT $4`

// SubNames returns the names of the sub-parameters (sub1 and so on) in a report or log with filters, if the selected sources
// agree on them. With more than maxNamed sources, no name is returned.
func (s *Store) SubNames(ctx context.Context, account uuid.UUID, filters []models.ReportFilter) (map[string]string, error) {
	ids := map[string][]uuid.UUID{}
	for _, f := range filters {
		if f.Not {
			continue
		}
		for _, v := range f.Values {
			if id, err := uuid.Parse(v); err == nil {
				ids[f.Dimension] = append(ids[f.Dimension], id)
			}
		}
	}
	links, err := db.Select[models.SourceLink](ctx, s.c, "names of sub-parameters", selectNamed, account,
		db.UUIDs(ids["source_id"]), db.UUIDs(ids["campaign_id"]), maxNamed+1)
	if err != nil || len(links) > maxNamed {
		return map[string]string{}, err
	}
	return subslot.Common(links), nil
}

// SubNamesOf returns for each source the names of its sub-parameters (sub1 and so on).
func (s *Store) SubNamesOf(ctx context.Context, account uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]map[string]string, error) {
	q := sourceTable.from + ` WHERE t.account_id = $1 AND t.id = ANY ($2::uuid[])`
	list, err := db.Select[models.TrafficSource](ctx, s.c, "names of sub-parameters", q, account, db.UUIDs(ids))
	names := map[uuid.UUID]map[string]string{}
	for _, o := range list {
		names[o.ID] = subslot.Names(o.SourceLink)
	}
	return names, err
}

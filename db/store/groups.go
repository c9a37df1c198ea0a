package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// grouped are the scopes of group names: which table has them, and which of its rows count.
var grouped = []struct{ scope, where string }{
	{tableCampaigns, `deleted_at IS NULL`},
	{tableOffers, `deactivated_at IS NULL`},
	{tableLanders, `deactivated_at IS NULL`},
	{"domains", `true`},
}

// GroupScopes lists the scopes that Groups knows.
func GroupScopes() []string {
	out := make([]string, len(grouped))
	for i, g := range grouped {
		out[i] = g.scope
	}
	return out
}

// Groups lists the group names in use by an account's records of a scope, by name; ok is false for an unknown scope.
// Names that differ in case only are groups of their own, as they are in reports.
func (s *Store) Groups(ctx context.Context, account uuid.UUID, scope string) (names []string, ok bool, err error) {
	names = []string{}
	for _, g := range grouped {
		if g.scope != scope {
			continue
		}
		q := `SELECT group_name FROM ` + g.scope + ` WHERE account_id = $1 AND group_name <> '' AND ` + g.where + `
		      GROUP BY group_name ORDER BY lower(group_name), group_name`
		if err := sqlx.SelectContext(ctx, s.c, &names, q, account); err != nil {
			return nil, true, fmt.Errorf("db: groups of %s: %w", scope, err)
		}
		return names, true, nil
	}
	return names, false, nil
}

package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
)

// grouped lists the scopes in which records have group names. A scope is a table. The second value is the condition for the live
// rows of the table.
var grouped = []group{
	{"campaigns", `deleted_at IS NULL`},
	{"offers", `deactivated_at IS NULL`},
	{"landers", `deactivated_at IS NULL`},
	{"domains", `true`},
}

type group struct{ scope, where string }

// GroupScopes lists the scopes that Groups accepts.
func GroupScopes() []string {
	return db.Map(grouped, func(g group) string { return g.scope })
}

// Groups returns the group names that an account uses in a scope, ordered by name. ok is false for an unknown scope. Names that
// differ only in case are different groups, as in reports.
func (s *Store) Groups(ctx context.Context, account uuid.UUID, scope string) (names []string, ok bool, err error) {
	for _, g := range grouped {
		if g.scope != scope {
			continue
		}
		q := `SELECT group_name FROM ` + g.scope + ` WHERE account_id = $1 AND group_name <> '' AND ` + g.where + `
		      GROUP BY group_name ORDER BY lower(group_name), group_name`
		names, err = db.Select[string](ctx, s.c, "groups of "+scope, q, account)
		return names, true, err
	}
	return nil, false, nil
}

package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
)

// Blocks accesses the blocked values of an account. A visitor with a blocked value gets the campaign's fallback. Each change of
// blocked values has an id, by which Undo reverses the change.
type Blocks struct{ s *Store }

// Blocks returns access to blocked values.
func (s *Store) Blocks() Blocks { return Blocks{s} }

// Author is who changes a record: a person, an API key, or a part of the service.
type Author struct {
	Person string
	Key    uuid.NullUUID
	Part   string // models.ByCopilot or models.ByConfig; empty: a person or a key
}

// blockedNames joins the campaign or the source to which the list l belongs.
const blockedNames = `
LEFT JOIN campaigns c ON l.scope = 'campaign' AND c.account_id = l.account_id AND c.id = l.scope_id
LEFT JOIN traffic_sources o ON l.scope = 'source' AND o.account_id = l.account_id AND o.id = l.scope_id`

// listBlocks selects the lists that have values.
const listBlocks = `
SELECT l.id, l.account_id, l.scope, l.scope_id, coalesce(c.name, o.name, '') AS name, l.dimension, n.count, l.changed_at
FROM block_lists l ` + blockedNames + `
CROSS JOIN LATERAL (SELECT count(*) FROM blocked_values v WHERE v.list_id = l.id AND v.removed_at IS NULL) n
WHERE l.account_id = $1 AND n.count > 0 AND ($3::uuid IS NULL OR l.id = $3) AND ($2::uuid IS NULL OR l.scope_id IN
	(SELECT unnest(ARRAY[k.id, k.source_id, k.account_id]) FROM campaigns k WHERE k.account_id = $1 AND k.id = $2))
ORDER BY l.changed_at DESC, l.id LIMIT $4`

const maxBlockLists = 1000

// Lists returns the lists that have values, most recently changed first. If a campaign is given, it returns only the lists that
// apply to the campaign.
func (k Blocks) Lists(ctx context.Context, account uuid.UUID, campaign uuid.NullUUID) ([]models.BlockList, error) {
	return db.Select[models.BlockList](ctx, k.s.c, "lists of blocked values", listBlocks, account, campaign, nil, maxBlockLists)
}

// List returns a list with all its values, in alphabetical order.
func (k Blocks) List(ctx context.Context, account, id uuid.UUID) (list models.BlockList, values []string, err error) {
	list, err = db.Get[models.BlockList](ctx, k.s.c, "list", listBlocks, account, nil, id, 1)
	if err != nil {
		return list, nil, err
	}
	const q = `SELECT value FROM blocked_values WHERE account_id = $1 AND list_id = $2 AND removed_at IS NULL ORDER BY value`
	values, err = db.Select[string](ctx, k.s.c, "blocked values", q, account, id)
	return list, values, err
}

// BlockFilter selects blocked values. A zero field selects all.
type BlockFilter struct {
	List   uuid.UUID
	Search string // part of the value, in upper or lower case
}

const blockedValues = `
SELECT t.id, t.account_id, t.list_id, l.scope, l.scope_id, coalesce(c.name, o.name, '') AS name, l.dimension, t.value, t.who, t.created_at
FROM blocked_values t JOIN block_lists l ON l.id = t.list_id ` + blockedNames + `
WHERE t.account_id = $1 AND t.removed_at IS NULL AND ($2::uuid IS NULL OR t.list_id = $2) AND ($3 = '' OR strpos(lower(t.value), lower($3)) > 0)`

// Values lists blocked values, newest first.
func (k Blocks) Values(ctx context.Context, account uuid.UUID, f BlockFilter, p Page) ([]models.BlockedValue, string, error) {
	return readPage(ctx, k.s, account, p, pageQuery[models.BlockedValue]{
		Name: "blocked values", SQL: blockedValues, Args: []any{account, uuid.NullUUID{UUID: f.List, Valid: f.List != uuid.Nil}, f.Search},
		Filters: f.List.String() + f.Search, Order: newest,
		Place: func(v models.BlockedValue, _ time.Time) []string { return placeOf(v.CreatedAt.Time, v.ID) },
	})
}

// CheckTarget returns an error if the account has no such campaign or source: invalid_campaign, invalid_source.
func (k Blocks) CheckTarget(ctx context.Context, account uuid.UUID, t models.BlockTarget) error {
	id := uuid.NullUUID{UUID: t.ScopeID, Valid: true}
	switch t.Scope {
	case models.BlockCampaign:
		return campaignTable.check(ctx, k.s, account, id, "campaign")
	case models.BlockSource:
		return sourceTable.check(ctx, k.s, account, id, "source")
	}
	return nil
}

const (
	touchList = `
INSERT INTO block_lists (id, account_id, scope, scope_id, dimension) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (account_id, scope_id, dimension) DO UPDATE SET changed_at = clock_timestamp() RETURNING id`

	touchLists = `UPDATE block_lists SET changed_at = clock_timestamp() WHERE account_id = $1 AND id = ANY ($2::uuid[]) RETURNING scope_id`

	// Values that were allowed again stay stored for a week, so that the change can be undone. If an account has more than $2
	// such values, all of them are deleted.
	forgetAllowed = `
DELETE FROM blocked_values WHERE account_id = $1 AND removed_at IS NOT NULL AND (removed_at < now() - interval '7 days'
	OR (SELECT count(*) FROM blocked_values WHERE account_id = $1 AND removed_at IS NOT NULL) > $2)`

	countBlocked = `SELECT count(*) FROM blocked_values WHERE account_id = $1 AND removed_at IS NULL`
)

var addBlocked = `
INSERT INTO blocked_values AS b (id, account_id, list_id, value, change_id, who)
SELECT gen_random_uuid(), $1, $2, value, $3,
	coalesce(nullif($4, ''), ` + keyName("$5") + `, '')
FROM unnest($6::text[]) AS value
ON CONFLICT (list_id, value) DO UPDATE SET id = excluded.id, change_id = excluded.change_id, who = excluded.who,
	created_at = excluded.created_at, removal_id = NULL, removed_at = NULL
WHERE b.removed_at IS NOT NULL`

// Add blocks values. Errors: invalid_campaign, invalid_source, too_many.
func (k Blocks) Add(ctx context.Context, account uuid.UUID, t models.BlockTarget, values []string, by Author) (
	change models.BlockChange, list uuid.UUID, err error,
) {
	change, err = k.change(ctx, account, func(s *Store, c *models.BlockChange) error {
		if err := s.Blocks().CheckTarget(ctx, account, t); err != nil {
			return err
		}
		if err := s.run(ctx, "forget allowed values", forgetAllowed, account, models.MaxBlocked); err != nil {
			return err
		}
		list, err = db.Get[uuid.UUID](ctx, s.c, "list", touchList, uuid.Must(uuid.NewV7()), account, t.Scope, t.ScopeID, t.Dimension)
		if err != nil {
			return err
		}
		n, err := s.exec(ctx, "block values", addBlocked, account, list, c.ID, by.Person, by.Key, pq.Array(values))
		c.Blocked, c.ScopeID = int(n), t.ScopeID
		return err
	})
	return change, list, err
}

const copyBlocked = `
WITH lists AS (
	INSERT INTO block_lists (id, account_id, scope, scope_id, dimension)
	SELECT gen_random_uuid(), l.account_id, l.scope, $3, l.dimension FROM block_lists l
	WHERE l.account_id = $1 AND l.scope = 'campaign' AND l.scope_id = $2
		AND EXISTS (SELECT FROM blocked_values v WHERE v.list_id = l.id AND v.removed_at IS NULL)
	RETURNING id, dimension
)
INSERT INTO blocked_values (id, account_id, list_id, value, change_id, who)
SELECT gen_random_uuid(), $1, n.id, v.value, $4, v.who FROM lists n
JOIN block_lists l ON l.account_id = $1 AND l.scope = 'campaign' AND l.scope_id = $2 AND l.dimension = n.dimension
JOIN blocked_values v ON v.list_id = l.id AND v.removed_at IS NULL`

// copy copies the blocked values of a campaign to another campaign, whose id is `copied`. Error: too_many.
func (k Blocks) copy(ctx context.Context, account, campaign, copied uuid.UUID) error {
	_, err := k.change(ctx, account, func(s *Store, c *models.BlockChange) error {
		n, err := s.exec(ctx, "copy blocked values", copyBlocked, account, campaign, copied, c.ID)
		c.Blocked = int(n)
		return err
	})
	return err
}

// change locks the account, runs fn and then checks the number of blocked values, all in a transaction.
func (k Blocks) change(ctx context.Context, account uuid.UUID, fn func(*Store, *models.BlockChange) error) (models.BlockChange, error) {
	return LockedTxOf(ctx, k.s, account, func(s *Store) (models.BlockChange, error) {
		c := models.BlockChange{ID: uuid.Must(uuid.NewV7())}
		err := fn(s, &c)
		if err == nil {
			c.Total, err = db.Get[int](ctx, s.c, "blocked values", countBlocked, account)
		}
		if err == nil && c.Blocked > 0 && c.Total > models.MaxBlocked {
			err = models.Invalid("too_many", "an account blocks at most %d values: with these there would be %d", models.MaxBlocked, c.Total)
		}
		return c, err
	})
}

// Removal selects the blocked values to allow again: by their ids, or by the values of a dimension. If Target has no scope, it
// selects values in all scopes.
type Removal struct {
	IDs    []uuid.UUID
	Target models.BlockTarget
	Values []string
}

const removeBlocked = `
UPDATE blocked_values v SET removed_at = clock_timestamp(), removal_id = $2 FROM block_lists l
WHERE v.account_id = $1 AND v.removed_at IS NULL AND l.id = v.list_id AND `

// Remove allows blocked values again.
func (k Blocks) Remove(ctx context.Context, account uuid.UUID, r Removal) (models.BlockChange, error) {
	return k.change(ctx, account, func(s *Store, c *models.BlockChange) (err error) {
		if len(r.IDs) > 0 {
			c.Allowed, c.ScopeID, err = s.changeLists(ctx, account, removeBlocked+`v.id = ANY ($3::uuid[])`, c.ID, r.IDs)
			return err
		}
		c.Allowed, c.ScopeID, err = s.changeLists(ctx, account, removeBlocked+`l.dimension = $3 AND v.value = ANY ($4) AND ($5 = '' OR l.scope_id = $6)`,
			c.ID, r.Target.Dimension, pq.Array(r.Values), r.Target.Scope, r.Target.ScopeID)
		return err
	})
}

// changeLists changes blocked values of an account with a query. It touches their lists, so that web processes read the lists
// again. scope is the scope_id that all these lists have in common, or zero.
func (s *Store) changeLists(ctx context.Context, account uuid.UUID, query string, args ...any) (n int, scope uuid.UUID, err error) {
	lists, err := db.Select[uuid.UUID](ctx, s.c, "blocked values", query+` RETURNING v.list_id`, append([]any{account}, args...)...)
	if err != nil || len(lists) == 0 {
		return 0, scope, err
	}
	scopes, err := db.Select[uuid.UUID](ctx, s.c, "lists of blocked values", touchLists, account, lists)
	if err == nil && len(scopes) > 0 && !slices.ContainsFunc(scopes, func(id uuid.UUID) bool { return id != scopes[0] }) {
		scope = scopes[0]
	}
	return len(lists), scope, err
}

const (
	undoAdd    = `UPDATE blocked_values v SET removed_at = clock_timestamp(), removal_id = $2 WHERE v.account_id = $1 AND v.change_id = $3 AND v.removed_at IS NULL`
	undoRemove = `UPDATE blocked_values v SET removed_at = NULL, removal_id = NULL, change_id = $2 WHERE v.account_id = $1 AND v.removal_id = $3 AND v.removed_at IS NOT NULL`
)

// Undo reverses a change, except for values that were changed again later. An undo can be undone too. If nothing is left to
// reverse, the error is not_found.
func (k Blocks) Undo(ctx context.Context, account, change uuid.UUID) (models.BlockChange, error) {
	return k.change(ctx, account, func(s *Store, c *models.BlockChange) (err error) {
		if c.Blocked, c.ScopeID, err = s.changeLists(ctx, account, undoRemove, c.ID, change); err != nil || c.Blocked > 0 {
			return err
		}
		if c.Allowed, c.ScopeID, err = s.changeLists(ctx, account, undoAdd, c.ID, change); err == nil && c.Allowed == 0 {
			err = models.NotFound("change")
		}
		return err
	})
}

// Reach counts the active campaigns to which a scope applies.
func (k Blocks) Reach(ctx context.Context, account uuid.UUID, t models.BlockTarget) (models.BlockReach, error) {
	column := map[string]string{models.BlockCampaign: "id", models.BlockSource: "source_id", models.BlockAccount: "account_id"}[t.Scope]
	q := fmt.Sprintf(`SELECT count(*) AS campaigns, count(*) FILTER (WHERE fallback_url = '') AS without_fallback FROM campaigns
		WHERE account_id = $1 AND %s = $2 AND deleted_at IS NULL AND status = 'active'`, column)
	return db.Get[models.BlockReach](ctx, k.s.c, "campaigns", q, account, t.ScopeID)
}

// CountBlocked counts the given values that are already blocked in the scope.
func (k Blocks) CountBlocked(ctx context.Context, account uuid.UUID, t models.BlockTarget, values []string) (int, error) {
	const q = `SELECT count(*) FROM blocked_values v JOIN block_lists l ON l.id = v.list_id WHERE v.account_id = $1 AND l.scope_id = $2
		AND l.dimension = $3 AND v.value = ANY ($4) AND v.removed_at IS NULL`
	return db.Get[int](ctx, k.s.c, "blocked values", q, account, t.ScopeID, t.Dimension, pq.Array(values))
}

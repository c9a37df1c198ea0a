package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models/flow"
)

const campaignsByAlias = `
SELECT id FROM campaigns WHERE account_id = $1 AND alias = $2 AND deleted_at IS NULL ORDER BY id`

// ByAlias returns the ids of the campaigns that have the alias. There is at most one on each domain.
func (k Campaigns) ByAlias(ctx context.Context, account uuid.UUID, alias string) ([]uuid.UUID, error) {
	return db.Select[uuid.UUID](ctx, k.s.c, "campaigns by alias", campaignsByAlias, account, alias)
}

// Routed lists every campaign with its flow. Pinned campaigns come first, then the newest.
func (k Campaigns) Routed(ctx context.Context, account uuid.UUID) ([]RoutedCampaign, error) {
	q := routedTable.from + ` WHERE ` + routedTable.live +
		` ORDER BY t.is_pinned DESC, t.created_at DESC, t.id DESC`
	list, err := db.Select[RoutedCampaign](ctx, k.s.c, "routed campaigns", q, account)
	if err != nil {
		return nil, err
	}
	flows := db.Map(list, func(c RoutedCampaign) []flow.Path { return c.Paths })
	return list, k.s.inlineDeleted(ctx, account, flows...)
}

// FlowRecord is an offer or a landing page of a flow.
type FlowRecord struct {
	ID       uuid.UUID `db:"id"`
	Kind     string    `db:"kind"` // offer or lander
	Name     string    `db:"name"`
	IsActive bool      `db:"is_active"`
}

const flowRecords = `
SELECT id, 'offer' AS kind, name, is_active AND deactivated_at IS NULL AS is_active
FROM offers WHERE account_id = $1 AND id = ANY ($2)
UNION ALL
SELECT id, 'lander', name, is_active AND deactivated_at IS NULL FROM landers WHERE account_id = $1 AND id = ANY ($2)`

// FlowRecords returns offers and landing pages by their ids, including deactivated ones.
func (k Campaigns) FlowRecords(ctx context.Context, account uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]FlowRecord, error) {
	rows, err := db.Select[FlowRecord](ctx, k.s.c, "records of flows", flowRecords, account, ids)
	return db.ByKey(rows, func(r FlowRecord) uuid.UUID { return r.ID }), err
}

// Count returns the number of campaigns of an account.
func (k Campaigns) Count(ctx context.Context, account uuid.UUID) (int, error) {
	return db.Get[int](ctx, k.s.c, "count campaigns", campaignTable.allowance.count, account)
}

// AnyLive reports whether at least one of the campaigns exists in the account.
func (k Campaigns) AnyLive(ctx context.Context, account uuid.UUID, ids []uuid.UUID) (bool, error) {
	const q = `SELECT EXISTS (SELECT FROM campaigns WHERE account_id = $1 AND id = ANY ($2) AND deleted_at IS NULL)`
	return db.Get[bool](ctx, k.s.c, "campaign", q, account, ids)
}

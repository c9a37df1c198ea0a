package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"switchyard/models"
	"switchyard/models/flow"
)

const campaignsByAlias = `
SELECT id FROM campaigns WHERE account_id = $1 AND alias = $2 AND deleted_at IS NULL ORDER BY id`

// ByAlias finds the campaigns with an alias: one at most on each domain.
func (k Campaigns) ByAlias(ctx context.Context, account uuid.UUID, alias string) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	if err := sqlx.SelectContext(ctx, k.s.c, &ids, campaignsByAlias, account, alias); err != nil {
		return nil, fmt.Errorf("db: campaigns by alias: %w", err)
	}
	return ids, nil
}

// RoutedCampaign is a campaign with its paths.
type RoutedCampaign struct {
	models.Campaign
	Paths []flow.Path
}

const routedStreams = `SELECT id, streams FROM campaigns WHERE account_id = $1 AND deleted_at IS NULL`

// Routed lists every campaign with its flow as Flow gives it, pinned first, then newest.
func (k Campaigns) Routed(ctx context.Context, account uuid.UUID) ([]RoutedCampaign, error) {
	var rows []campaignRow
	const order = ` ORDER BY c.is_pinned DESC, c.created_at DESC, c.id DESC`
	if err := sqlx.SelectContext(ctx, k.s.c, &rows, selectCampaigns+order, account); err != nil {
		return nil, fmt.Errorf("db: routed campaigns: %w", err)
	}
	var flows []struct {
		ID      uuid.UUID       `db:"id"`
		Streams json.RawMessage `db:"streams"`
	}
	if err := sqlx.SelectContext(ctx, k.s.c, &flows, routedStreams, account); err != nil {
		return nil, fmt.Errorf("db: routed campaigns: %w", err)
	}
	paths := make(map[uuid.UUID][]flow.Path, len(flows))
	all := make([][]flow.Path, 0, len(flows))
	for _, f := range flows {
		list := []flow.Path{}
		if err := json.Unmarshal(f.Streams, &list); err != nil {
			return nil, fmt.Errorf("db: read flow: %w", err)
		}
		paths[f.ID], all = list, append(all, list)
	}
	if err := k.s.inlineDeleted(ctx, account, all...); err != nil {
		return nil, err
	}
	out := make([]RoutedCampaign, len(rows))
	for i, r := range rows {
		out[i] = RoutedCampaign{r.model(), paths[r.ID]}
	}
	return out, nil
}

// FlowRecord is an offer or a landing page that a flow leads to. One that was deactivated is still named.
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

// FlowRecords finds the offers and landing pages that paths lead to.
func (k Campaigns) FlowRecords(ctx context.Context, account uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]FlowRecord, error) {
	var rows []FlowRecord
	if err := sqlx.SelectContext(ctx, k.s.c, &rows, flowRecords, account, pq.Array(ids)); err != nil {
		return nil, fmt.Errorf("db: records of flows: %w", err)
	}
	out := make(map[uuid.UUID]FlowRecord, len(rows))
	for _, r := range rows {
		out[r.ID] = r
	}
	return out, nil
}

// AnyLive tells whether one of the campaigns exists on the account.
func (k Campaigns) AnyLive(ctx context.Context, account uuid.UUID, ids []uuid.UUID) (bool, error) {
	const q = `SELECT EXISTS (SELECT FROM campaigns WHERE account_id = $1 AND id = ANY ($2) AND deleted_at IS NULL)`
	return get[bool](ctx, k.s, "campaign", q, account, pq.Array(ids))
}

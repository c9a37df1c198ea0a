package integration

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
)

// Networks stores the connections of networks to the APIs of their platforms.
type Networks struct{ Connections }

var networkTable = table{
	CredentialTable: store.CredentialTable{Name: "network_integrations", Key: "network_id", What: "connection of the network"},
	owners:          "networks", zone: "''",
	failing: `CASE WHEN i.failures >= i.changes_failures THEN i.failure ELSE i.changes_failure END, greatest(i.failures, i.changes_failures),
		coalesce(i.failing_since, i.changes_to, i.saved_at)`,
	changed: "k.changes_at <= $1", since: "k.changes_to", older: "k.older_from",
}

// NewNetworks returns Networks in a store.
func NewNetworks(s *store.Store) Networks { return Networks{Connections{s, networkTable}} }

// changes_to is reset if the platform or a setting changes, because no changes were read with the new settings yet.
const saveNetworkIntegration = `
INSERT INTO network_integrations AS t (network_id, account_id, provider, settings, secrets, is_enabled, next_at, wide_at, changes_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7)
ON CONFLICT (network_id) DO UPDATE SET provider = $3, settings = $4, secrets = $5, is_enabled = $6, next_at = $7, wide_at = $7,
	saved_at = ` + store.NextSave + `, checked_at = NULL, failure = '', failures = 0, failing_since = NULL,
	changes_to = CASE WHEN t.provider = $3 AND t.settings = $4 THEN t.changes_to END,
	changes_at = $7, changes_failure = '', changes_failures = 0, older_from = NULL`

// Save connects a network, or changes its connection. A blank credential keeps its stored value if the platform stays the same.
// If enabled is nil, a new connection is enabled, and an existing one keeps its state. next is the time of the first import.
// Errors: not_found, invalid_credentials, no_encryption_key.
func (k Networks) Save(ctx context.Context, account, network uuid.UUID, p models.NetworkProvider,
	sent map[string]string, enabled *bool, next time.Time,
) error {
	return k.s.LockedTx(ctx, account, func(s *store.Store) error {
		if _, err := s.Networks().Find(ctx, account, network); err != nil {
			return err
		}
		i, err := NewNetworks(s).Find(ctx, account, network)
		if errors.Is(err, ErrNotConnected) {
			i, err = models.Integration{IsEnabled: true}, nil
		}
		var stored map[string]string
		if err == nil && i.Provider == p.Name {
			stored, err = k.t.Stored(ctx, s, account, network, i.Settings)
		}
		if err != nil {
			return err
		}
		set(&i.IsEnabled, enabled)
		credentials, err := p.Complete(sent, stored)
		if err != nil {
			return err
		}
		open, sealed, err := k.t.Seal(s, account, network, p.CredentialForm, credentials)
		if err != nil {
			return err
		}
		return db.Run(ctx, s.Conn(), "connect network", saveNetworkIntegration, network, account, p.Name, db.Document(open), sealed, i.IsEnabled, next)
	})
}

// Changes returns the time until which the changes of a network's orders were read. The error is ErrNotConnected if the network is
// not connected.
func (k Networks) Changes(ctx context.Context, account, network uuid.UUID) (models.ChangesRead, error) {
	return find[models.ChangesRead](ctx, k.Connections, account, network)
}

// RecordChanges records that a reading of changes has ended. to is the time until which all changes are stored, or zero if the
// reading failed. The parameter changes is the time of the next reading. The import of the last days' orders becomes due now. If
// the connection has changed since i was read, nothing is stored.
func (k Networks) RecordChanges(ctx context.Context, i models.Integration, to time.Time, failure string, changes, now time.Time) error {
	return db.Run(ctx, k.s.Conn(), "changes of the network", `UPDATE network_integrations SET checked_at = $7, next_at = $7, changes_at = $6,
			changes_to = coalesce($4, changes_to), changes_failure = $5,
			changes_failures = CASE WHEN $5 = '' THEN 0 ELSE changes_failures + 1 END
		WHERE account_id = $1 AND network_id = $2 AND saved_at = $3`, i.AccountID, i.TargetID, i.SavedAt,
		sql.NullTime{Time: to, Valid: !to.IsZero()}, failure, changes, now)
}

// OlderEnd is the outcome of an import of older orders.
type OlderEnd struct {
	First    *time.Time // the first day of the next import; nil: the next import begins with the oldest orders
	Failure  string     // empty: success
	Failures int
	At       time.Time // time of the next import
}

// RecordOlder records that an import of older orders has ended. Such imports are for a provider whose API cannot select orders by
// the date of a change. The import of the last days becomes due now. If the connection has changed since i was read, nothing is
// stored.
func (k Networks) RecordOlder(ctx context.Context, i models.Integration, e OlderEnd, now time.Time) error {
	return db.Run(ctx, k.s.Conn(), "older orders of the network", `UPDATE network_integrations SET checked_at = $8, next_at = $8, changes_at = $4,
			older_from = $5, changes_failure = $6, changes_failures = $7
		WHERE account_id = $1 AND network_id = $2 AND saved_at = $3`, i.AccountID, i.TargetID, i.SavedAt, e.At, e.First, e.Failure, e.Failures, now)
}

// AdoptedOrder is an order whose click already had a conversion with another id.
type AdoptedOrder struct {
	OrderID      string    `db:"order_id"`
	ClickID      uuid.UUID `db:"click_id"`
	Goal         string    `db:"goal"`
	ConversionID string    `db:"conversion_id"`
}

// Adopted lists a network's adopted orders that belong to the given clicks.
func (k Networks) Adopted(ctx context.Context, account, network uuid.UUID, clicks []uuid.UUID) ([]AdoptedOrder, error) {
	return db.Select[AdoptedOrder](ctx, k.s.Conn(), "adopted orders", `SELECT order_id, click_id, goal, conversion_id FROM adopted_orders
		WHERE account_id = $1 AND network_id = $2 AND click_id = ANY ($3::uuid[])`, account, network, db.UUIDs(clicks))
}

const adoptOrders = `
INSERT INTO adopted_orders (network_id, account_id, order_id, click_id, goal, conversion_id)
SELECT $2, $1, o, c, g, v FROM unnest($3::text[], $4::uuid[], $5::text[], $6::text[]) AS a (o, c, g, v) ON CONFLICT DO NOTHING`

// Adopt stores adopted orders of a network.
func (k Networks) Adopt(ctx context.Context, account, network uuid.UUID, list []AdoptedOrder) error {
	if len(list) == 0 {
		return nil
	}
	return db.Run(ctx, k.s.Conn(), "adopt orders", adoptOrders, account, network,
		db.Map(list, func(o AdoptedOrder) string { return o.OrderID }),
		db.UUIDs(db.Map(list, func(o AdoptedOrder) uuid.UUID { return o.ClickID })),
		db.Map(list, func(o AdoptedOrder) string { return o.Goal }),
		db.Map(list, func(o AdoptedOrder) string { return o.ConversionID }))
}

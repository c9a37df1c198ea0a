package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// NetworkIntegrations accesses the connections of networks to the APIs of their platforms.
type NetworkIntegrations struct{ s *Store }

// NetworkIntegrations returns access to the connections of networks on this store's connection.
func (s *Store) NetworkIntegrations() NetworkIntegrations { return NetworkIntegrations{s} }

var networkIntegrationColumns = db.Columns[models.NetworkIntegration]("")

// Find returns the connection of a network. The error is models.NotFound if the network is not connected.
func (k NetworkIntegrations) Find(ctx context.Context, account, network uuid.UUID) (models.NetworkIntegration, error) {
	return db.Get[models.NetworkIntegration](ctx, k.s.c, "connection of the network", `SELECT `+networkIntegrationColumns+`
		FROM network_integrations WHERE account_id = $1 AND network_id = $2`, account, network)
}

var networkCredentials = CredentialTable{"network_integrations", "network_id", "connection of the network"}

// Credentials returns all credentials of a connection, decrypted. The error is seal.ErrOpen if they can no longer be decrypted.
func (k NetworkIntegrations) Credentials(ctx context.Context, i models.NetworkIntegration) (map[string]string, error) {
	return networkCredentials.Read(ctx, k.s, i.AccountID, i.NetworkID, i.Settings)
}

const saveNetworkIntegration = `
INSERT INTO network_integrations (network_id, account_id, provider, settings, secrets, is_enabled, next_at, wide_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
ON CONFLICT (network_id) DO UPDATE SET provider = $3, settings = $4, secrets = $5, is_enabled = $6, next_at = $7, wide_at = $7,
	saved_at = now(), checked_at = NULL, failure = '', failures = 0, failing_since = NULL`

// Save connects a network, or changes its connection. A blank credential keeps its stored value if the platform stays the same. A
// nil enabled keeps the present state. A new connection is enabled. The first import runs at next. Errors: not_found,
// invalid_credentials, no_encryption_key.
func (k NetworkIntegrations) Save(ctx context.Context, account, network uuid.UUID, p models.NetworkProvider,
	sent map[string]string, enabled *bool, next time.Time,
) error {
	return k.s.Tx(ctx, func(s *Store) error {
		if err := s.LockAccount(ctx, account); err != nil {
			return err
		}
		if _, err := s.Networks().Find(ctx, account, network); err != nil {
			return err
		}
		on, stored := true, map[string]string(nil)
		before, err := s.NetworkIntegrations().Find(ctx, account, network)
		switch {
		case errors.Is(err, models.NotFound("connection of the network")):
		case err != nil:
			return err
		default:
			on = before.IsEnabled
			if before.Provider == p.Name {
				stored, err = networkCredentials.kept(ctx, s, account, network, before.Settings)
			}
			if err != nil {
				return err
			}
		}
		if enabled != nil {
			on = *enabled
		}
		credentials, err := p.Complete(sent, stored)
		if err != nil {
			return err
		}
		open, sealed, err := networkCredentials.Seal(s, account, network, p.CredentialForm, credentials)
		if err != nil {
			return err
		}
		_, err = s.exec(ctx, "connect network", saveNetworkIntegration, network, account, p.Name, db.Document(open), sealed, on, next)
		return err
	})
}

// Remove disconnects a network and deletes its credentials. ok is false if it was not connected.
func (k NetworkIntegrations) Remove(ctx context.Context, account, network uuid.UUID) (ok bool, err error) {
	n, err := k.s.exec(ctx, "disconnect network", `DELETE FROM network_integrations WHERE account_id = $1 AND network_id = $2`,
		account, network)
	return n > 0, err
}

// $6 is the time of the request to the platform. $4 is the reason if it failed. $5 is true if orders were imported.
const noteNetworkIntegration = `
UPDATE network_integrations SET checked_at = $6, failure = $4,
	failures = CASE WHEN $4 = '' THEN 0 ELSE failures + 1 END,
	failing_since = CASE WHEN $4 = '' THEN NULL ELSE coalesce(failing_since, $6) END,
	synced_at = CASE WHEN $5 THEN $6 ELSE synced_at END
WHERE account_id = $1 AND network_id = $2 AND saved_at = $3`

// Note records the result of a request to the platform. An empty failure means success. synced reports whether orders were
// imported. Nothing is recorded if the connection has changed since i was read.
func (k NetworkIntegrations) Note(ctx context.Context, i models.NetworkIntegration, failure string, synced bool, now time.Time) error {
	_, err := k.s.exec(ctx, "note connection of network", noteNetworkIntegration, i.AccountID, i.NetworkID, i.SavedAt, failure, synced, now)
	return err
}

// SetNext stores the time of the next automatic import of orders. From wide on, orders are imported for the longer window. A zero
// wide keeps the present value. Nothing is stored if the connection has changed since i was read.
func (k NetworkIntegrations) SetNext(ctx context.Context, i models.NetworkIntegration, at, wide time.Time) error {
	return networkCredentials.setNext(ctx, k.s, i.AccountID, i.NetworkID, i.SavedAt, at, wide)
}

// After a failure the next import uses the shorter window, because only the longer window may be failing.
const takeDueNetworks = `
UPDATE network_integrations i SET next_at = $2
FROM (
	SELECT k.network_id, k.wide_at <= $1 AND k.failures % 2 = 0 AS wide FROM network_integrations k JOIN networks n ON n.id = k.network_id
	WHERE k.is_enabled AND k.next_at <= $1 AND n.is_active AND n.deactivated_at IS NULL
	ORDER BY k.next_at LIMIT $3 FOR UPDATE OF k SKIP LOCKED
) d
WHERE i.network_id = d.network_id RETURNING i.account_id, i.network_id, i.provider, d.wide`

// DueNetwork is a network whose import of orders is due.
type DueNetwork struct {
	AccountID uuid.UUID `db:"account_id"`
	NetworkID uuid.UUID `db:"network_id"`
	Provider  string    `db:"provider"`
	Wide      bool      `db:"wide"` // the import uses the longer window
}

// TakeDue claims at most limit connections of all accounts whose import is due. They become due again at next.
func (k NetworkIntegrations) TakeDue(ctx context.Context, now, next time.Time, limit int) ([]DueNetwork, error) {
	return db.Select[DueNetwork](ctx, k.s.c, "due networks", takeDueNetworks, now, next, limit)
}

// Failing lists at most 500 of the account's networks whose requests have failed several times in a row.
func (k NetworkIntegrations) Failing(ctx context.Context, account uuid.UUID) ([]FailingIntegration, error) {
	const q = `SELECT n.id, n.name, i.provider, i.failure, i.failures, i.failing_since, i.checked_at
		FROM network_integrations i JOIN networks n ON n.id = i.network_id AND n.account_id = i.account_id
		WHERE i.account_id = $1 AND i.failures >= $2 AND n.is_active AND n.deactivated_at IS NULL
		ORDER BY i.failing_since DESC, n.id LIMIT $3`
	return db.Select[FailingIntegration](ctx, k.s.c, "failing networks", q, account, models.FailingIntegration, MaxAlerts)
}

// AdoptedOrder is an order for whose click a conversion with another id existed already.
type AdoptedOrder struct {
	OrderID      string    `db:"order_id"`
	ClickID      uuid.UUID `db:"click_id"`
	Goal         string    `db:"goal"`
	ConversionID string    `db:"conversion_id"`
}

// Adopted lists the adopted orders of a network for the clicks.
func (k NetworkIntegrations) Adopted(ctx context.Context, account, network uuid.UUID, clicks []uuid.UUID) ([]AdoptedOrder, error) {
	return db.Select[AdoptedOrder](ctx, k.s.c, "adopted orders", `SELECT order_id, click_id, goal, conversion_id FROM adopted_orders
		WHERE account_id = $1 AND network_id = $2 AND click_id = ANY ($3::uuid[])`, account, network, db.UUIDs(clicks))
}

const adoptOrders = `
INSERT INTO adopted_orders (network_id, account_id, order_id, click_id, goal, conversion_id)
SELECT $2, $1, o, c, g, v FROM unnest($3::text[], $4::uuid[], $5::text[], $6::text[]) AS a (o, c, g, v) ON CONFLICT DO NOTHING`

// Adopt stores adopted orders of a network.
func (k NetworkIntegrations) Adopt(ctx context.Context, account, network uuid.UUID, list []AdoptedOrder) error {
	if len(list) == 0 {
		return nil
	}
	_, err := k.s.exec(ctx, "adopt orders", adoptOrders, account, network,
		db.Map(list, func(o AdoptedOrder) string { return o.OrderID }),
		db.UUIDs(db.Map(list, func(o AdoptedOrder) uuid.UUID { return o.ClickID })),
		db.Map(list, func(o AdoptedOrder) string { return o.Goal }),
		db.Map(list, func(o AdoptedOrder) string { return o.ConversionID }))
	return err
}

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
type NetworkIntegrations struct{ Integrations }

var networkIntegrations = integrationTable{
	CredentialTable: CredentialTable{"network_integrations", "network_id", "connection of the network"}, owners: "networks", zone: "''",
}

// NetworkIntegrations returns access to the connections of networks on this store's connection.
func (s *Store) NetworkIntegrations() NetworkIntegrations {
	return NetworkIntegrations{Integrations{s, networkIntegrations}}
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
		i, err := s.NetworkIntegrations().Find(ctx, account, network)
		if errors.Is(err, ErrNoIntegration) {
			i, err = models.Integration{IsEnabled: true}, nil
		}
		var stored map[string]string
		if err == nil && i.Provider == p.Name {
			stored, err = k.t.storedCredentials(ctx, s, account, network, i.Settings)
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
		_, err = s.exec(ctx, "connect network", saveNetworkIntegration, network, account, p.Name, db.Document(open), sealed, i.IsEnabled, next)
		return err
	})
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

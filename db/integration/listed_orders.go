package integration

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
)

// ListedOrder is an order that a network's report has listed. ClickID, Goal and ConversionID are the key of the conversion that
// records the order.
type ListedOrder struct {
	ClickID      uuid.UUID `db:"click_id"`
	Goal         string    `db:"goal"`
	ConversionID string    `db:"conversion_id"`
	OrderedAt    time.Time `db:"ordered_at"`
}

// Listed returns the orders of a network with an order time in [from, to). It leaves out orders that no import has listed since the
// given time.
func (k Networks) Listed(ctx context.Context, account, network uuid.UUID, since, from, to time.Time) ([]ListedOrder, error) {
	return db.Select[ListedOrder](ctx, k.s.Conn(), "listed orders", `SELECT click_id, goal, conversion_id, ordered_at FROM listed_orders
		WHERE account_id = $1 AND network_id = $2 AND listed_at >= $3 AND ordered_at >= $4 AND ordered_at < $5
		ORDER BY ordered_at, click_id, goal, conversion_id`, account, network, since, from, to)
}

const setListed = `
INSERT INTO listed_orders AS l (network_id, account_id, click_id, goal, conversion_id, ordered_at, listed_at)
SELECT DISTINCT ON (c, g, v) $2::uuid, $1::uuid, c, g, v, t, $8::timestamptz
FROM unnest($4::uuid[], $5::text[], $6::text[], $7::timestamptz[]) AS o (c, g, v, t)
ON CONFLICT (network_id, click_id, goal, conversion_id) DO UPDATE SET ordered_at = excluded.ordered_at, listed_at = excluded.listed_at
WHERE l.listed_at < $3 OR l.ordered_at <> excluded.ordered_at`

// SetListed records that an import has listed the orders now. An unchanged order that was listed since the given time is not
// written again.
func (k Networks) SetListed(ctx context.Context, account, network uuid.UUID, since time.Time, list []ListedOrder, now time.Time) error {
	if len(list) == 0 {
		return nil
	}
	return db.Run(ctx, k.s.Conn(), "list orders", setListed, account, network, since,
		db.UUIDs(db.Map(list, func(o ListedOrder) uuid.UUID { return o.ClickID })),
		db.Map(list, func(o ListedOrder) string { return o.Goal }),
		db.Map(list, func(o ListedOrder) string { return o.ConversionID }),
		db.Map(list, func(o ListedOrder) time.Time { return o.OrderedAt }), now)
}

// DeleteListed deletes at most limit orders with an order time before the given time.
func (k Networks) DeleteListed(ctx context.Context, before time.Time, limit int) error {
	return db.Run(ctx, k.s.Conn(), "delete listed orders", `DELETE FROM listed_orders WHERE ctid IN (
		SELECT ctid FROM listed_orders WHERE ordered_at < $1 LIMIT $2)`, before, limit)
}

package clicklog

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/ledger"
)

// changer is what a change of single clicks needs of the engine, in the transaction of c. ids and clicks are sorted.
type changer interface {
	// readClicks reads the clicks that exist. With lock nobody else changes them until the transaction ends.
	readClicks(ctx context.Context, c db.Conn, ids []uuid.UUID, lock bool) ([]*StoredClick, error)
	// saveClicks writes what click-outs change in clicks.
	saveClicks(ctx context.Context, c db.Conn, clicks []*StoredClick) error
	addDeltas(ctx context.Context, c db.Conn, d ledger.Deltas) error
}

// changeColumns are what figures, payouts and costs are worked out from, and what events tell of a click.
var changeColumns = slices.DeleteFunc(slices.Clone(clickColumns), func(c column[StoredClick]) bool {
	return !slices.Contains([]string{
		"id", "at", "account_id", "campaign_id", "stream_id", "lander_id", "offer_id", "network_id", "source_id", "country",
		"device_type", "os", "browser", "is_bot", "cost", "currency", "rate", "conversion_cost", "revenue_share", "is_unique",
		"lp_views", "lp_clicks", "lp_slot", "last_hop_id", "external_id", "subs",
	}, c.name)
})

var selectChanging = `SELECT ` + changeColumns.sql() + ` FROM clicks
WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2 AND $3 ORDER BY id`

func (Log) readClicks(ctx context.Context, c db.Conn, ids []uuid.UUID, lock bool) ([]*StoredClick, error) {
	query := selectChanging
	if lock {
		query += ` FOR NO KEY UPDATE`
	}
	list, err := changeColumns.read(ctx, c, "read clicks", query, db.UUIDs(ids), ids[0], ids[len(ids)-1])
	clicks := make([]*StoredClick, len(list))
	for i := range list {
		clicks[i] = &list[i]
	}
	return clicks, err
}

// The bounds choose the partitions, the list the rows: a planner that knows nothing of a young partition yet must not
// read all that lies between.
const updateHopped = `
UPDATE clicks c SET offer_id = k.offer_id, network_id = k.network_id, lp_slot = k.lp_slot, lp_clicks = k.lp_clicks,
	last_hop_id = k.hop_id
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::int[], $6::uuid[])
	AS k (id, offer_id, network_id, lp_slot, lp_clicks, hop_id)
WHERE c.id = k.id AND c.id = ANY ($1::uuid[]) AND c.id BETWEEN $7 AND $8`

func (Log) saveClicks(ctx context.Context, c db.Conn, clicks []*StoredClick) error {
	_, err := db.Exec(ctx, c, "apply hops", updateHopped,
		idsOf(clicks, func(k *StoredClick) uuid.UUID { return k.ID }),
		idsOf(clicks, func(k *StoredClick) uuid.UUID { return k.OfferID }),
		idsOf(clicks, func(k *StoredClick) uuid.UUID { return k.NetworkID }),
		db.Map(clicks, func(k *StoredClick) int64 { return int64(k.LPSlot) }),
		db.Map(clicks, func(k *StoredClick) int64 { return int64(k.LPClicks) }),
		idsOf(clicks, func(k *StoredClick) uuid.UUID { return k.LastHopID }),
		clicks[0].ID, clicks[len(clicks)-1].ID)
	return err
}

func (Log) addDeltas(ctx context.Context, c db.Conn, d ledger.Deltas) error { return d.Write(ctx, c) }

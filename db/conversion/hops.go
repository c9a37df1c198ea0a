package conversion

import (
	"bytes"
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/ledger"
	"switchyard/models"
)

const insertHops = `
INSERT INTO click_hops (id, click_id, account_id, slot, offer_id, network_id, destination)
SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::uuid[], $6::uuid[], $7::text[])
ON CONFLICT (id) DO NOTHING`

// StoreHops stores the click-outs that are not stored yet. A click-out, or hop, is a visitor's step from a landing page to an
// offer.
func StoreHops(ctx context.Context, c db.Conn, outs []*models.ClickOut) error {
	if len(outs) == 0 {
		return nil
	}
	return db.Run(ctx, c, "store hops", insertHops,
		db.UUIDsOf(outs, func(o *models.ClickOut) uuid.UUID { return o.ID }),
		db.UUIDsOf(outs, func(o *models.ClickOut) uuid.UUID { return o.ClickID }),
		db.UUIDsOf(outs, func(o *models.ClickOut) uuid.UUID { return o.AccountID }),
		db.Map(outs, func(o *models.ClickOut) int64 { return int64(o.Slot) }),
		db.UUIDsOf(outs, func(o *models.ClickOut) uuid.UUID { return o.OfferID }),
		db.UUIDsOf(outs, func(o *models.ClickOut) uuid.UUID { return o.NetworkID }),
		db.Map(outs, func(o *models.ClickOut) string { return o.Destination }))
}

var selectWaiting = `SELECT ` + db.Columns[click.Hop]("") + `
FROM click_hops WHERE NOT applied AND click_id = ANY ($1::uuid[]) ORDER BY id`

// ApplyHops applies the waiting click-outs of some clicks. It moves the figures of each click and of its conversions to the offer
// of the last click-out. It returns the ids of clicks that are not stored yet.
//
// A conversion that has an offer keeps it, because its payout and currency follow that offer's terms. The row of a conversion may
// therefore name another offer than the ledger.
func ApplyHops(ctx context.Context, c db.Conn, in click.Store, clickIDs []uuid.UUID, deltas ledger.Deltas) (
	missing []uuid.UUID, err error,
) {
	if len(clickIDs) == 0 {
		return nil, nil
	}
	hops, err := db.Select[click.Hop](ctx, c, "waiting hops", selectWaiting, db.UUIDs(clickIDs))
	if err != nil || len(hops) == 0 {
		return nil, err
	}
	byClick := map[uuid.UUID][]click.Hop{}
	for _, h := range hops {
		byClick[h.ClickID] = append(byClick[h.ClickID], h)
	}
	ids := db.SortedIDs(byClick)
	clicks, err := in.Read(ctx, c, click.ChangeColumns, click.Set{IDs: ids, Lock: true})
	if err != nil {
		return nil, err
	}
	converted, err := Sums(ctx, c, ids)
	if err != nil {
		return nil, err
	}
	done := make([]uuid.UUID, 0, len(hops))
	for _, click := range clicks {
		deltas.Add(click.LedgerKey(), click.Figures().Plus(converted[click.ID]).Neg())
		for _, h := range byClick[click.ID] {
			applyHop(click, h)
			done = append(done, h.ID)
		}
		deltas.Add(click.LedgerKey(), click.Figures().Plus(converted[click.ID]))
		delete(byClick, click.ID)
	}
	if len(clicks) > 0 {
		if err := in.Save(ctx, c, hopUpdate, clicks); err != nil {
			return nil, err
		}
		const q = `UPDATE click_hops SET applied = true WHERE id = ANY ($1::uuid[])`
		if err := db.Run(ctx, c, "apply hops", q, db.UUIDs(done)); err != nil {
			return nil, err
		}
	}
	if len(converted) > 0 {
		if err := nameOffers(ctx, c, clicks); err != nil {
			return nil, err
		}
	}
	return db.SortedIDs(byClick), nil
}

// applyHop adds a click-out to its click. The latest one determines the offer. A click-out of another account changes nothing.
func applyHop(c *click.StoredClick, h click.Hop) {
	if h.AccountID != c.AccountID {
		return
	}
	c.LPClicks = 1
	if bytes.Compare(h.ID[:], c.LastHopID[:]) > 0 {
		c.LastHopID, c.OfferID, c.NetworkID, c.LPSlot = h.ID, h.OfferID, h.NetworkID, h.Slot
	}
}

// updateOfferless sets the offer of conversions that were recorded before their click-out was stored.
const updateOfferless = `
UPDATE conversions v SET offer_id = k.offer_id, network_id = k.network_id
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS k (id, offer_id, network_id)
WHERE v.click_id = k.id AND v.click_id = ANY ($1::uuid[]) AND v.offer_id = '00000000-0000-0000-0000-000000000000'`

func nameOffers(ctx context.Context, c db.Conn, clicks []*click.StoredClick) error {
	return db.Run(ctx, c, "offers of conversions", updateOfferless,
		db.UUIDsOf(clicks, func(k *click.StoredClick) uuid.UUID { return k.ID }),
		db.UUIDsOf(clicks, func(k *click.StoredClick) uuid.UUID { return k.OfferID }),
		db.UUIDsOf(clicks, func(k *click.StoredClick) uuid.UUID { return k.NetworkID }))
}

// Sums returns, for each click, the sum of the figures of its conversions.
func Sums(ctx context.Context, c db.Conn, ids []uuid.UUID) (map[uuid.UUID]models.Figures, error) {
	const q = `SELECT click_id, status, payout, rate, cost FROM conversions WHERE click_id = ANY ($1::uuid[])`
	list, err := db.Select[Conversion](ctx, c, "conversions of clicks", q, db.UUIDs(ids))
	sums := map[uuid.UUID]models.Figures{}
	for _, v := range list {
		sums[v.ClickID] = sums[v.ClickID].Plus(v.Figures())
	}
	return sums, err
}

// The LATERAL look-up with LIMIT costs one index probe for each waiting click.
const selectAppliable = `
SELECT h.click_id
FROM (SELECT DISTINCT click_id FROM click_hops WHERE NOT applied) h
CROSS JOIN LATERAL (SELECT FROM clicks c WHERE c.id = h.click_id LIMIT 1) c
LIMIT $1`

// ApplyWaitingHops applies stored click-outs that no ingester has applied, for at most limit clicks. It returns the number of these
// clicks.
func ApplyWaitingHops(ctx context.Context, l click.Log, limit int) (int, error) {
	ids, err := db.Select[uuid.UUID](ctx, l.Conn, "apply waiting hops", selectAppliable, limit)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), applyWaiting(ctx, l, ids)
}

// hopsOfCold is how long click-outs wait for a cold click, which is only in ClickHouse.
const hopsOfCold = click.Day

const selectColdHops = `
SELECT DISTINCT click_id FROM click_hops
WHERE NOT applied AND id >= $1 AND click_id < $2 LIMIT $3`

// ApplyColdHops does the same as ApplyWaitingHops for clicks that are only in ClickHouse. The click-outs wait while ClickHouse is
// unavailable.
func ApplyColdHops(ctx context.Context, l click.Log, limit int) error {
	s, err := click.ReadCopy(ctx, l.Conn)
	if err != nil || s.ColdBefore.IsZero() {
		return err
	}
	ids, err := db.Select[uuid.UUID](ctx, l.Conn, "hops of cold clicks", selectColdHops, models.FloorClickID(l.Time().Add(-hopsOfCold)),
		models.FloorClickID(s.ColdBefore), limit)
	if err != nil || len(ids) == 0 {
		return err
	}
	return applyWaiting(ctx, l, ids)
}

func applyWaiting(ctx context.Context, l click.Log, ids []uuid.UUID) error {
	return db.Tx(ctx, l.Conn, func(c db.Conn) error {
		deltas := ledger.Deltas{}
		if _, err := ApplyHops(ctx, c, l.Store(), ids, deltas); err != nil {
			return err
		}
		return deltas.Write(ctx, c)
	})
}

var hopUpdate = click.NewUpdate("apply hops", "offer_id", "network_id", "lp_slot", "lp_clicks", "last_hop_id")

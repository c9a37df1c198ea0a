package clicklog

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/ledger"
	"switchyard/models"
)

const insertHops = `
INSERT INTO click_hops (id, click_id, account_id, slot, offer_id, network_id, destination)
SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::uuid[], $6::uuid[], $7::text[])
ON CONFLICT (id) DO NOTHING`

func storeHops(ctx context.Context, c db.Conn, outs []*models.ClickOut) error {
	if len(outs) == 0 {
		return nil
	}
	ids := func(of func(*models.ClickOut) uuid.UUID) string { return db.UUIDs(db.Map(outs, of)) }
	_, err := db.Exec(ctx, c, "store hops", insertHops,
		ids(func(o *models.ClickOut) uuid.UUID { return o.ID }),
		ids(func(o *models.ClickOut) uuid.UUID { return o.ClickID }),
		ids(func(o *models.ClickOut) uuid.UUID { return o.AccountID }),
		db.Map(outs, func(o *models.ClickOut) int64 { return int64(o.Slot) }),
		ids(func(o *models.ClickOut) uuid.UUID { return o.OfferID }),
		ids(func(o *models.ClickOut) uuid.UUID { return o.NetworkID }),
		db.Map(outs, func(o *models.ClickOut) string { return o.Destination }))
	return err
}

var selectWaiting = `SELECT ` + db.Columns[Hop]("") + `
FROM click_hops WHERE NOT applied AND click_id = ANY ($1::uuid[]) ORDER BY id`

// The bounds choose the partitions, the list the rows: a planner that knows nothing of a young partition yet must not
// read all that lies between.
const updateHopped = `
UPDATE clicks c SET offer_id = k.offer_id, network_id = k.network_id, lp_slot = k.lp_slot, lp_clicks = k.lp_clicks,
	last_hop_id = k.hop_id
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::int[], $6::uuid[])
	AS k (id, offer_id, network_id, lp_slot, lp_clicks, hop_id)
WHERE c.id = k.id AND c.id = ANY ($1::uuid[]) AND c.id BETWEEN $7 AND $8`

// applyHops applies the waiting click-outs of some clicks. It moves the figures of each click and of its conversions to
// the offer of the last click-out. It returns the ids of clicks that are not stored yet.
func applyHops(ctx context.Context, c db.Conn, clickIDs []uuid.UUID, s ledger.Deltas) (missing []uuid.UUID, err error) {
	if len(clickIDs) == 0 {
		return nil, nil
	}
	hops, err := db.Select[Hop](ctx, c, "waiting hops", selectWaiting, db.UUIDs(clickIDs))
	if err != nil || len(hops) == 0 {
		return nil, err
	}
	byClick := map[uuid.UUID][]Hop{}
	for _, h := range hops {
		byClick[h.ClickID] = append(byClick[h.ClickID], h)
	}
	ids := sortedIDs(byClick)
	clicks, err := lockClicks(ctx, c, ids)
	if err != nil {
		return nil, err
	}
	converted, err := conversionSums(ctx, c, ids)
	if err != nil {
		return nil, err
	}
	done := make([]uuid.UUID, 0, len(hops))
	for _, click := range clicks {
		s.Add(click.key(), click.figures().Plus(converted[click.ID]).Neg())
		for _, h := range byClick[click.ID] {
			click.apply(h)
			done = append(done, h.ID)
		}
		s.Add(click.key(), click.figures().Plus(converted[click.ID]))
		delete(byClick, click.ID)
	}
	if len(clicks) > 0 {
		if err := saveHopped(ctx, c, clicks, done); err != nil {
			return nil, err
		}
	}
	if len(converted) > 0 {
		if err := nameOffers(ctx, c, sortedIDs(converted)); err != nil {
			return nil, err
		}
	}
	return sortedIDs(byClick), nil
}

// apply notes a click-out in its click. The latest one decides the offer. One that names another account than the click's
// changes nothing.
func (c *StoredClick) apply(h Hop) {
	if h.AccountID != c.AccountID {
		return
	}
	c.LPClicks = 1
	if bytes.Compare(h.ID[:], c.LastHopID[:]) > 0 {
		c.LastHopID, c.OfferID, c.NetworkID, c.LPSlot = h.ID, h.OfferID, h.NetworkID, h.Slot
	}
}

func saveHopped(ctx context.Context, c db.Conn, clicks []*StoredClick, done []uuid.UUID) error {
	ids := func(of func(*StoredClick) uuid.UUID) string { return db.UUIDs(db.Map(clicks, of)) }
	_, err := db.Exec(ctx, c, "apply hops", updateHopped,
		ids(func(k *StoredClick) uuid.UUID { return k.ID }),
		ids(func(k *StoredClick) uuid.UUID { return k.OfferID }),
		ids(func(k *StoredClick) uuid.UUID { return k.NetworkID }),
		db.Map(clicks, func(k *StoredClick) int64 { return int64(k.LPSlot) }),
		db.Map(clicks, func(k *StoredClick) int64 { return int64(k.LPClicks) }),
		ids(func(k *StoredClick) uuid.UUID { return k.LastHopID }),
		clicks[0].ID, clicks[len(clicks)-1].ID)
	if err == nil {
		_, err = db.Exec(ctx, c, "apply hops", `UPDATE click_hops SET applied = true WHERE id = ANY ($1::uuid[])`, db.UUIDs(done))
	}
	return err
}

// A conversion that was recorded before the click-out to its offer was stored gets the offer from the click.
const updateOfferless = `
UPDATE conversions v SET offer_id = c.offer_id, network_id = c.network_id
FROM clicks c
WHERE v.click_id = ANY ($1::uuid[]) AND v.offer_id = '00000000-0000-0000-0000-000000000000'
	AND c.id = v.click_id AND c.id = ANY ($1::uuid[]) AND c.id BETWEEN $2 AND $3`

func nameOffers(ctx context.Context, c db.Conn, ids []uuid.UUID) error {
	_, err := db.Exec(ctx, c, "offers of conversions", updateOfferless, db.UUIDs(ids), ids[0], ids[len(ids)-1])
	return err
}

// lockColumns are what figures, payouts and costs are worked out from.
var lockColumns = slices.DeleteFunc(slices.Clone(clickColumns), func(c column[StoredClick]) bool {
	return !slices.Contains([]string{
		"id", "at", "account_id", "campaign_id", "stream_id", "lander_id", "offer_id", "network_id", "source_id", "country",
		"device_type", "os", "browser", "is_bot", "cost", "currency", "conversion_cost", "revenue_share", "is_unique",
		"lp_views", "lp_clicks", "lp_slot", "last_hop_id",
	}, c.name)
})

var lockSelect = `SELECT ` + lockColumns.sql() + ` FROM clicks
WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2 AND $3 ORDER BY id`

// lockClicks locks and reads the clicks that exist, lowest id first. ids are sorted.
func lockClicks(ctx context.Context, c db.Conn, ids []uuid.UUID) ([]*StoredClick, error) {
	return someClicks(ctx, c, lockSelect+` FOR NO KEY UPDATE`, ids)
}

func someClicks(ctx context.Context, c db.Conn, query string, ids []uuid.UUID) ([]*StoredClick, error) {
	list, err := lockColumns.read(ctx, c, "read clicks", query, db.UUIDs(ids), ids[0], ids[len(ids)-1])
	clicks := make([]*StoredClick, len(list))
	for i := range list {
		clicks[i] = &list[i]
	}
	return clicks, err
}

// conversionSums adds up what the conversions of each click count.
func conversionSums(ctx context.Context, c db.Conn, ids []uuid.UUID) (map[uuid.UUID]models.Figures, error) {
	const q = `SELECT click_id, status, payout, cost FROM conversions WHERE click_id = ANY ($1::uuid[])`
	list, err := db.Select[conversion](ctx, c, "conversions of clicks", q, db.UUIDs(ids))
	sums := map[uuid.UUID]models.Figures{}
	for _, v := range list {
		sums[v.ClickID] = sums[v.ClickID].Plus(v.figures())
	}
	return sums, err
}

func sortedIDs[V any](m map[uuid.UUID]V) []uuid.UUID {
	return slices.SortedFunc(maps.Keys(m), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
}

// The look-up is lateral with a limit, so that it is one probe of an index for each waiting click.
const selectAppliable = `
SELECT h.click_id
FROM (SELECT DISTINCT click_id FROM click_hops WHERE NOT applied) h
CROSS JOIN LATERAL (SELECT FROM clicks c WHERE c.id = h.click_id LIMIT 1) c
LIMIT $1`

// ApplyWaitingHops applies click-outs that wait although their clicks are stored, for at most limit clicks, and returns
// for how many. The Ingester applies its own: this is the safety net for one that died.
func ApplyWaitingHops(ctx context.Context, d db.Conn, limit int) (int, error) {
	ids, err := db.Select[uuid.UUID](ctx, d, "apply waiting hops", selectAppliable, limit)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), db.Tx(ctx, d, func(c db.Conn) error {
		deltas := ledger.Deltas{}
		if _, err := applyHops(ctx, c, ids, deltas); err != nil {
			return err
		}
		return deltas.Write(ctx, c)
	})
}

package clicklog

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

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
	ids := func(of func(*models.ClickOut) uuid.UUID) string {
		list := make([]uuid.UUID, len(outs))
		for i, o := range outs {
			list[i] = of(o)
		}
		return db.UUIDs(list)
	}
	slots, urls := make([]int64, len(outs)), make([]string, len(outs))
	for i, o := range outs {
		slots[i], urls[i] = int64(o.Slot), o.Destination
	}
	_, err := c.ExecContext(ctx, insertHops,
		ids(func(o *models.ClickOut) uuid.UUID { return o.ID }),
		ids(func(o *models.ClickOut) uuid.UUID { return o.ClickID }),
		ids(func(o *models.ClickOut) uuid.UUID { return o.AccountID }),
		pq.Array(slots),
		ids(func(o *models.ClickOut) uuid.UUID { return o.OfferID }),
		ids(func(o *models.ClickOut) uuid.UUID { return o.NetworkID }),
		pq.Array(urls))
	if err != nil {
		return fmt.Errorf("clicklog: store hops: %w", err)
	}
	return nil
}

// hop is a click-out that has not been applied to its click yet.
type hop struct {
	ID        uuid.UUID `db:"id"`
	ClickID   uuid.UUID `db:"click_id"`
	AccountID uuid.UUID `db:"account_id"`
	Slot      int       `db:"slot"`
	OfferID   uuid.UUID `db:"offer_id"`
	NetworkID uuid.UUID `db:"network_id"`
}

const selectWaiting = `
SELECT id, click_id, account_id, slot, offer_id, network_id
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
	var hops []hop
	if len(clickIDs) == 0 {
		return nil, nil
	}
	if err := sqlx.SelectContext(ctx, c, &hops, selectWaiting, db.UUIDs(clickIDs)); err != nil {
		return nil, fmt.Errorf("clicklog: waiting hops: %w", err)
	}
	if len(hops) == 0 {
		return nil, nil
	}
	byClick := map[uuid.UUID][]hop{}
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
func (c *StoredClick) apply(h hop) {
	if h.AccountID != c.AccountID {
		return
	}
	c.LPClicks = 1
	if bytes.Compare(h.ID[:], c.LastHopID[:]) > 0 {
		c.LastHopID, c.OfferID, c.NetworkID, c.LPSlot = h.ID, h.OfferID, h.NetworkID, h.Slot
	}
}

func saveHopped(ctx context.Context, c db.Conn, clicks []*StoredClick, done []uuid.UUID) error {
	n := len(clicks)
	ids, offers, networks, last := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n)
	slots, counts := make([]int64, n), make([]int64, n)
	for i, k := range clicks {
		ids[i], offers[i], networks[i], last[i] = k.ID, k.OfferID, k.NetworkID, k.LastHopID
		slots[i], counts[i] = int64(k.LPSlot), int64(k.LPClicks)
	}
	_, err := c.ExecContext(ctx, updateHopped, db.UUIDs(ids), db.UUIDs(offers), db.UUIDs(networks), pq.Array(slots),
		pq.Array(counts), db.UUIDs(last), ids[0], ids[n-1])
	if err != nil {
		return fmt.Errorf("clicklog: apply hops: %w", err)
	}
	_, err = c.ExecContext(ctx, `UPDATE click_hops SET applied = true WHERE id = ANY ($1::uuid[])`, db.UUIDs(done))
	if err != nil {
		return fmt.Errorf("clicklog: apply hops: %w", err)
	}
	return nil
}

// A conversion that was recorded before the click-out to its offer was stored gets the offer from the click.
const updateOfferless = `
UPDATE conversions v SET offer_id = c.offer_id, network_id = c.network_id
FROM clicks c
WHERE v.click_id = ANY ($1::uuid[]) AND v.offer_id = '00000000-0000-0000-0000-000000000000'
	AND c.id = v.click_id AND c.id = ANY ($1::uuid[]) AND c.id BETWEEN $2 AND $3`

func nameOffers(ctx context.Context, c db.Conn, ids []uuid.UUID) error {
	if _, err := c.ExecContext(ctx, updateOfferless, db.UUIDs(ids), ids[0], ids[len(ids)-1]); err != nil {
		return fmt.Errorf("clicklog: offers of conversions: %w", err)
	}
	return nil
}

// lockColumns are what figures, payouts and costs are worked out from.
var lockColumns = pickColumns("id", "at", "account_id", "campaign_id", "stream_id", "lander_id", "offer_id",
	"network_id", "source_id", "country", "device_type", "os", "browser", "is_bot", "cost", "currency",
	"conversion_cost", "revenue_share", "is_unique", "lp_views", "lp_clicks", "lp_slot", "last_hop_id")

func pickColumns(names ...string) []column {
	picked := make([]column, 0, len(names))
	for _, c := range clickColumns {
		if slices.Contains(names, c.name) {
			picked = append(picked, c)
		}
	}
	return picked
}

var lockSelect = func() string {
	names := make([]string, len(lockColumns))
	for i, c := range lockColumns {
		names[i] = c.name
	}
	return `SELECT ` + strings.Join(names, ", ") + ` FROM clicks
WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2 AND $3 ORDER BY id`
}()

// lockClicks locks and reads the clicks that exist, lowest id first. ids are sorted.
func lockClicks(ctx context.Context, c db.Conn, ids []uuid.UUID) ([]*StoredClick, error) {
	return someClicks(ctx, c, lockSelect+` FOR NO KEY UPDATE`, ids)
}

func someClicks(ctx context.Context, c db.Conn, query string, ids []uuid.UUID) ([]*StoredClick, error) {
	var clicks []*StoredClick
	dst := make([]any, len(lockColumns))
	err := db.EachRow(ctx, c, func(rows *sqlx.Rows) error {
		click := new(StoredClick)
		for i := range lockColumns {
			dst[i] = lockColumns[i].at(click)
		}
		clicks = append(clicks, click)
		return rows.Scan(dst...)
	}, query, db.UUIDs(ids), ids[0], ids[len(ids)-1])
	if err != nil {
		return nil, fmt.Errorf("clicklog: read clicks: %w", err)
	}
	return clicks, nil
}

// conversionSums adds up what the conversions of each click count.
func conversionSums(ctx context.Context, c db.Conn, ids []uuid.UUID) (map[uuid.UUID]models.Figures, error) {
	var list []struct {
		ClickID uuid.UUID       `db:"click_id"`
		Status  string          `db:"status"`
		Payout  decimal.Decimal `db:"payout"`
		Cost    decimal.Decimal `db:"cost"`
	}
	const q = `SELECT click_id, status, payout, cost FROM conversions WHERE click_id = ANY ($1::uuid[])`
	if err := sqlx.SelectContext(ctx, c, &list, q, db.UUIDs(ids)); err != nil {
		return nil, fmt.Errorf("clicklog: conversions of clicks: %w", err)
	}
	sums := map[uuid.UUID]models.Figures{}
	for _, v := range list {
		sums[v.ClickID] = sums[v.ClickID].Plus(conversionFigures(v.Status, v.Payout, v.Cost))
	}
	return sums, nil
}

func sortedIDs[V any](m map[uuid.UUID]V) []uuid.UUID {
	ids := make([]uuid.UUID, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return ids
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
	var ids []uuid.UUID
	if err := sqlx.SelectContext(ctx, d, &ids, selectAppliable, limit); err != nil {
		return 0, fmt.Errorf("clicklog: apply waiting hops: %w", err)
	}
	if len(ids) == 0 {
		return 0, nil
	}
	return len(ids), db.Tx(ctx, d, func(c db.Conn) error {
		deltas := ledger.Deltas{}
		if _, err := applyHops(ctx, c, ids, deltas); err != nil {
			return err
		}
		return deltas.Write(ctx, c)
	})
}

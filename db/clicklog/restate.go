package clicklog

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/exchangerate"
	"switchyard/db/ledger"
	"switchyard/models"
)

// Restatement applies the new rate of a key to its facts: first to spend, then to clicks, then to conversions. It stores the
// progress. A new Restatement finds the facts that another has left.
type Restatement struct {
	exchangerate.Key
	Kept  time.Time           // spend and clicks before it, and their conversions, are not changed; zero: all are
	rate  decimal.NullDecimal // the new rate of the facts; invalid: not begun
	stage int
	after uuid.UUID // the last click
}

// The stages. Spend comes first, so that spend that is spread again later already has the rate.
const (
	restateSpend = iota
	restateClicks
	restateConversions
)

// Restate sets the rate of at most limit facts and moves their figures, in the transaction of c. Repeat it until it is done, each
// time in a new transaction. Repeating it after that changes nothing. A conversion whose click is no longer kept does not change.
// No event or postback is sent, because the amounts themselves do not change.
func (l Log) Restate(ctx context.Context, c db.Conn, r *Restatement, limit int) (done bool, err error) {
	if err := holdSpend(ctx, c, r.Account); err != nil {
		return false, err
	}
	found, err := exchangerate.Hold(ctx, c, []exchangerate.Key{r.Key})
	if err != nil {
		return false, err
	}
	rate := found[r.Key]
	if !rate.Valid {
		return true, nil
	}
	if !r.rate.Valid || !r.rate.Decimal.Equal(rate.Decimal) { // the rate was replaced again
		*r = Restatement{Key: r.Key, Kept: r.Kept, rate: rate}
		if r.Day.Before(r.Kept) {
			r.stage = restateConversions
		}
	}
	sums := ledger.Deltas{}
	n := 0
	switch r.stage {
	case restateSpend:
		err = r.spend(ctx, c, sums)
	case restateClicks:
		n, err = r.clicks(ctx, c, l.store(), sums, limit)
	case restateConversions:
		n, err = r.conversions(ctx, c, l.store(), sums, limit)
	default:
		return exchangerate.Restated(ctx, c, r.Key, rate.Decimal)
	}
	if err != nil {
		return false, err
	}
	if n == 0 {
		r.stage++
	}
	return false, l.store().addDeltas(ctx, c, sums)
}

// bounds returns the start of the key's day and the start of the next day.
func (r *Restatement) bounds() (day, next time.Time) { return r.Day, r.Day.AddDate(0, 0, 1) }

const restatedSpend = `
UPDATE spend s SET rate = $4 FROM (
	SELECT day, source_id, campaign_id, coalesce(amount * rate, 0) AS was FROM spend
	WHERE account_id = $1 AND day = $2::date AND currency = $3 AND rate IS DISTINCT FROM $4::numeric FOR NO KEY UPDATE
) o WHERE s.account_id = $1 AND s.day = o.day AND s.source_id = o.source_id AND s.campaign_id = o.campaign_id
RETURNING s.source_id, s.campaign_id, s.alone, s.amount * s.rate - o.was AS delta`

func (r *Restatement) spend(ctx context.Context, c db.Conn, sums ledger.Deltas) error {
	list, err := db.Select[struct {
		Source   uuid.UUID       `db:"source_id"`
		Campaign uuid.UUID       `db:"campaign_id"`
		Alone    bool            `db:"alone"`
		Delta    decimal.Decimal `db:"delta"`
	}](ctx, c, "restate spend", restatedSpend, r.Account, r.Day.Format(time.DateOnly), r.Currency, r.rate)
	for _, s := range list {
		if s.Alone {
			sums.Add(aloneKey(r.Account, r.Day, s.Source, s.Campaign), models.Figures{Cost: s.Delta})
		}
	}
	return err
}

var conversionsOfClicks = `SELECT ` + conversionColumns + ` FROM conversions
WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) ORDER BY id FOR NO KEY UPDATE`

var rateUpdate = newUpdate("restate clicks", "rate")

// clicks restates clicks, and the cost of their conversions, which follows from the prices of the click.
func (r *Restatement) clicks(ctx context.Context, c db.Conn, in pgStore, sums ledger.Deltas, limit int) (int, error) {
	from, to := r.bounds()
	list, err := in.scan(ctx, c, changeColumns, clickRange{
		account: r.Account, low: later(next(r.after), models.FloorClickID(from)), high: models.FloorClickID(to), currency: r.Currency,
		rate: r.rate, limit: limit, lock: true,
	})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	for _, click := range list {
		sums.Add(click.key(), click.figures().Neg())
		click.Rate = r.rate
		sums.Add(click.key(), click.figures())
	}
	if err := in.save(ctx, c, rateUpdate, list); err != nil {
		return 0, err
	}
	ids := clickIDs(list)
	sold, err := db.Select[conversion](ctx, c, "conversions of clicks", conversionsOfClicks, r.Account, db.UUIDs(ids))
	if err != nil {
		return 0, err
	}
	r.after = ids[len(ids)-1]
	return len(list), reprice(ctx, c, sums, db.ByKey(list, (*StoredClick).ClickID), sold, func(v conversion) decimal.NullDecimal { return v.Rate })
}

// The look-up of the click costs one index probe.
const selectUnrated = `
SELECT v.id, v.click_id FROM conversions v
CROSS JOIN LATERAL (SELECT FROM clicks f WHERE f.id = v.click_id AND f.account_id = v.account_id OFFSET 0) f
WHERE v.account_id = $1 AND v.recorded_at >= $2 AND v.recorded_at < $3 AND v.currency = $4 AND v.rate IS DISTINCT FROM $5::numeric
	AND v.click_id >= $7
LIMIT $6`

const selectSoldCold = `
SELECT DISTINCT v.click_id FROM conversions v
WHERE v.account_id = $1 AND v.recorded_at >= $2 AND v.recorded_at < $3 AND v.currency = $4 AND v.rate IS DISTINCT FROM $5::numeric
	AND v.click_id >= $6 AND v.click_id < $7`

// thawSold inserts the cold clicks of the conversions to restate into PostgreSQL again.
func (r *Restatement) thawSold(ctx context.Context, c db.Conn, in pgStore) error {
	from, to := r.bounds()
	ids, err := db.Select[uuid.UUID](ctx, c, "cold clicks of conversions", selectSoldCold, r.Account, from, to, r.Currency, r.rate,
		models.FloorClickID(r.Kept), models.FloorClickID(time.Now().Add(-coldAfter)))
	if err != nil || len(ids) == 0 {
		return err
	}
	_, err = in.thaw(ctx, c, r.Account, ids)
	return err
}

var lockUnrated = `SELECT ` + conversionColumns + ` FROM conversions
WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < $3 AND currency = $4 AND rate IS DISTINCT FROM $5::numeric
	AND id = ANY ($6::uuid[]) ORDER BY id FOR NO KEY UPDATE`

// conversions restates conversions. Their clicks are locked first, as everywhere.
func (r *Restatement) conversions(ctx context.Context, c db.Conn, in pgStore, sums ledger.Deltas, limit int) (int, error) {
	from, to := r.bounds()
	if err := r.thawSold(ctx, c, in); err != nil {
		return 0, err
	}
	found, err := db.Pairs[uuid.UUID, uuid.UUID](ctx, c, "conversions to restate", selectUnrated, r.Account, from, to, r.Currency, r.rate, limit,
		models.FloorClickID(r.Kept))
	if err != nil || len(found) == 0 {
		return 0, err
	}
	named := map[uuid.UUID]bool{}
	for _, click := range found {
		named[click] = true
	}
	list, err := in.read(ctx, c, changeColumns, clickSet{ids: db.SortedIDs(named), lock: true})
	if err != nil {
		return 0, err
	}
	sold, err := db.Select[conversion](ctx, c, "conversions to restate", lockUnrated, r.Account, from, to, r.Currency, r.rate,
		db.UUIDs(db.SortedIDs(found)))
	if err != nil {
		return 0, err
	}
	clicks := db.ByKey(list, (*StoredClick).ClickID)
	return len(found), reprice(ctx, c, sums, clicks, sold, func(conversion) decimal.NullDecimal { return r.rate })
}

const updatePrices = `
UPDATE conversions v SET rate = k.rate, cost = k.cost
FROM unnest($1::uuid[], $2::numeric[], $3::numeric[]) AS k (id, rate, cost) WHERE v.id = k.id AND v.id = ANY ($1::uuid[])`

// reprice sets the rate and the new cost of conversions. The caller has locked their clicks.
func reprice(ctx context.Context, c db.Conn, sums ledger.Deltas, clicks map[uuid.UUID]*StoredClick, list []conversion,
	rate func(conversion) decimal.NullDecimal,
) error {
	var ids []uuid.UUID
	var prices []*string
	var costs []string
	for _, v := range list {
		click := clicks[v.ClickID]
		if click == nil { // deleted since it was listed
			continue
		}
		before := v.figures()
		v.price(click, rate(v))
		sums.Add(click.key(), before.Neg())
		sums.Add(click.key(), v.figures())
		ids, costs = append(ids, v.ID), append(costs, v.Cost.String())
		prices = append(prices, numericOrNull(v.Rate))
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := db.Exec(ctx, c, "restate conversions", updatePrices, db.UUIDs(ids), pq.Array(prices), costs)
	return err
}

func numericOrNull(d decimal.NullDecimal) *string {
	if !d.Valid {
		return nil
	}
	text := d.Decimal.String()
	return &text
}

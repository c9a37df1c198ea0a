package spend

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/exchangerate"
	"switchyard/db/ledger"
	"switchyard/models"
)

// Restatement applies a new exchange rate to the facts of its Key (account, day and currency): first to spend, then to clicks,
// then to conversions. It keeps its progress in memory. After a restart, a new Restatement begins at the start and skips the
// facts that already have the rate.
type Restatement struct {
	exchangerate.Key
	Kept  time.Time           // spend and clicks before this time, and their conversions, keep their rate; zero: all are restated
	rate  decimal.NullDecimal // the new rate of the facts; invalid: restating has not begun
	stage int
	after uuid.UUID // the last click that was restated
}

// The stages. Spend comes first: if spend is spread over its clicks again before the Restatement ends, the clicks get the new
// rate.
const (
	restateSpend = iota
	restateClicks
	restateConversions
)

// Restate sets the rate of some facts and corrects the ledger, in the transaction of c. A call covers all spend of the day, or at
// most the given number of clicks or conversions. Repeat it, each time in a new transaction, until done is true. A conversion whose
// click is no longer stored does not change.
func Restate(ctx context.Context, l click.Log, c db.Conn, r *Restatement, limit int) (done bool, err error) {
	if err := lockAccount(ctx, c, r.Account); err != nil {
		return false, err
	}
	found, err := exchangerate.LockRates(ctx, c, []exchangerate.Key{r.Key})
	if err != nil {
		return false, err
	}
	rate := found[r.Key]
	if !rate.Valid {
		return true, nil
	}
	if !r.rate.Valid || !r.rate.Decimal.Equal(rate.Decimal) { // the first call, or the rate has changed since the last call
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
		n, err = r.clicks(ctx, c, l.Store(), sums, limit)
	case restateConversions:
		n, err = r.conversions(ctx, c, l.Store(), sums, limit)
	default:
		return exchangerate.RecordRestated(ctx, c, r.Key, rate.Decimal)
	}
	if err != nil {
		return false, err
	}
	if n == 0 {
		r.stage++
	}
	return false, sums.Write(ctx, c)
}

func (r *Restatement) bounds() (day, next time.Time) { return r.Day, r.Day.AddDate(0, 0, 1) }

const restatedSpend = `
UPDATE spend s SET rate = $4 FROM (
	SELECT day, source_id, campaign_id, starts, ends, sub, sub_value, coalesce(amount * rate, 0) AS was FROM spend
	WHERE account_id = $1 AND day = $2::date AND currency = $3 AND rate IS DISTINCT FROM $4::numeric FOR NO KEY UPDATE
) o WHERE s.account_id = $1 AND (s.day, s.source_id, s.campaign_id, s.starts, s.ends, s.sub, s.sub_value)
	= (o.day, o.source_id, o.campaign_id, o.starts, o.ends, o.sub, o.sub_value)
RETURNING s.day, s.source_id, s.campaign_id, s.starts, s.alone, s.amount * s.rate - o.was AS delta`

// spend restates the spend of the day. It adds the change of the spend without clicks to the parameter sums.
func (r *Restatement) spend(ctx context.Context, c db.Conn, sums ledger.Deltas) error {
	list, err := db.Select[struct {
		pricedSpend
		Delta decimal.Decimal `db:"delta"`
	}](ctx, c, "restate spend", restatedSpend, r.Account, r.Day.Format(time.DateOnly), r.Currency, r.rate)
	for _, s := range list {
		if s.Alone {
			sums.Add(s.ledgerKey(r.Account), models.Figures{Cost: s.Delta})
		}
	}
	return err
}

var conversionsOfClicks = `SELECT ` + conversion.Columns + ` FROM conversions
WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) ORDER BY id FOR NO KEY UPDATE`

var rateUpdate = click.NewUpdate("restate clicks", "rate")

// clicks restates clicks, and the cost of their conversions, because that cost follows from the prices of the click.
func (r *Restatement) clicks(ctx context.Context, c db.Conn, in click.Store, sums ledger.Deltas, limit int) (int, error) {
	from, to := r.bounds()
	list, err := in.Scan(ctx, c, click.ChangeColumns, click.Range{
		Account: r.Account, Low: click.LaterID(click.NextID(r.after), models.FloorClickID(from)), High: models.FloorClickID(to), Currency: r.Currency,
		Rate: r.rate, Limit: limit, Lock: true,
	})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	for _, click := range list {
		sums.Add(click.LedgerKey(), click.Figures().Neg())
		click.Rate = r.rate
		sums.Add(click.LedgerKey(), click.Figures())
	}
	if err := in.Save(ctx, c, rateUpdate, list); err != nil {
		return 0, err
	}
	ids := click.IDs(list)
	converted, err := db.Select[conversion.Conversion](ctx, c, "conversions of clicks", conversionsOfClicks, r.Account, db.UUIDs(ids))
	if err != nil {
		return 0, err
	}
	r.after = ids[len(ids)-1]
	return len(list), reprice(ctx, c, sums, db.ByKey(list, (*click.StoredClick).ClickID), converted, func(v conversion.Conversion) decimal.NullDecimal { return v.Rate })
}

// OFFSET 0 makes PostgreSQL look up each click separately, which costs one index probe.
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

// thawSold copies clicks back from ClickHouse into PostgreSQL, if their conversions are to be restated and PostgreSQL lacks
// the clicks.
func (r *Restatement) thawSold(ctx context.Context, c db.Conn, in click.Store) error {
	from, to := r.bounds()
	ids, err := db.Select[uuid.UUID](ctx, c, "cold clicks of conversions", selectSoldCold, r.Account, from, to, r.Currency, r.rate,
		models.FloorClickID(r.Kept), models.FloorClickID(time.Now().Add(-click.ColdAfter)))
	if err != nil || len(ids) == 0 {
		return err
	}
	_, err = in.Thaw(ctx, c, r.Account, ids)
	return err
}

var lockUnrated = `SELECT ` + conversion.Columns + ` FROM conversions
WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < $3 AND currency = $4 AND rate IS DISTINCT FROM $5::numeric
	AND id = ANY ($6::uuid[]) ORDER BY id FOR NO KEY UPDATE`

// conversions restates conversions. It locks their clicks first, as all other changes of conversions do.
func (r *Restatement) conversions(ctx context.Context, c db.Conn, in click.Store, sums ledger.Deltas, limit int) (int, error) {
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
	list, err := in.Read(ctx, c, click.ChangeColumns, click.Set{IDs: db.SortedIDs(named), Lock: true})
	if err != nil {
		return 0, err
	}
	converted, err := db.Select[conversion.Conversion](ctx, c, "conversions to restate", lockUnrated, r.Account, from, to, r.Currency, r.rate,
		db.UUIDs(db.SortedIDs(found)))
	if err != nil {
		return 0, err
	}
	clicks := db.ByKey(list, (*click.StoredClick).ClickID)
	return len(found), reprice(ctx, c, sums, clicks, converted, func(conversion.Conversion) decimal.NullDecimal { return r.rate })
}

const updatePrices = `
UPDATE conversions v SET rate = k.rate, cost = k.cost
FROM unnest($1::uuid[], $2::numeric[], $3::numeric[]) AS k (id, rate, cost) WHERE v.id = k.id AND v.id = ANY ($1::uuid[])`

// reprice sets the exchange rate and the new cost of conversions. The caller must have locked their clicks.
func reprice(ctx context.Context, c db.Conn, sums ledger.Deltas, clicks map[uuid.UUID]*click.StoredClick, list []conversion.Conversion,
	rate func(conversion.Conversion) decimal.NullDecimal,
) error {
	var ids []uuid.UUID
	var rates []decimal.NullDecimal
	var costs []decimal.Decimal
	for _, v := range list {
		click := clicks[v.ClickID]
		if click == nil { // the click was deleted after its conversion was found
			continue
		}
		before := v.Figures()
		v.SetPrice(click, rate(v))
		sums.Add(click.LedgerKey(), before.Neg())
		sums.Add(click.LedgerKey(), v.Figures())
		ids, rates, costs = append(ids, v.ID), append(rates, v.Rate), append(costs, v.Cost)
	}
	if len(ids) == 0 {
		return nil
	}
	return db.Run(ctx, c, "restate conversions", updatePrices, db.UUIDs(ids), pq.Array(rates), pq.Array(costs))
}

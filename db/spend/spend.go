package spend

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/exchangerate"
	"switchyard/db/ledger"
	"switchyard/models"
	"switchyard/models/measure"
)

// Spend is the amount that an account paid to a source on a day, in total or for one campaign.
type Spend struct {
	Day         time.Time       `db:"day"` // midnight UTC
	SourceID    uuid.UUID       `db:"source_id"`
	CampaignID  uuid.UUID       `db:"campaign_id"` // zero: all campaigns
	Amount      decimal.Decimal `db:"amount"`
	Currency    string          `db:"currency"` // of Amount; empty: the campaign's currency if there is a campaign, else the account's
	Clicks      *int64          `db:"clicks"`   // as the source counted them; nil: not reported
	Impressions *int64          `db:"impressions"`
}

// pricedSpend is spend with the rate by which it counts. Stored spend from the time before rates existed may have no currency. The
// clicks over which it is spread then keep their currency.
type pricedSpend struct {
	Spend
	Rate decimal.NullDecimal `db:"rate"`
}

// Set sets the amount paid for each item of the list, in its order, in the transaction of c. The amount replaces the costs
// of all clicks of that day, source and campaign, the costs of their conversions, and earlier spend. It is spread evenly over the
// stored clicks, and the shares add up to it exactly. If there is no click, the amount is added to the ledger without a click.
// Setting the same amount again changes nothing. A click that is stored later adds its own cost. The amount counts by the rate of
// its currency on that day. Without a rate it is stored, but counts nothing until it is restated. Set returns the number of
// clicks for each item.
func Set(ctx context.Context, l click.Log, c db.Conn, account uuid.UUID, list ...Spend) ([]int64, error) {
	if err := lockAccount(ctx, c, account); err != nil {
		return nil, err
	}
	priced, err := priceSpend(ctx, c, account, list, exchangerate.LockRates)
	if err != nil {
		return nil, err
	}
	return setAll(ctx, c, l.Store(), account, priced)
}

// lockAccount lets only one transaction at a time change the spend of an account, and raises the transaction's time limit.
func lockAccount(ctx context.Context, c db.Conn, account uuid.UUID) error {
	if err := db.Run(ctx, c, "set spend", allowLongStatements); err != nil {
		return err
	}
	return db.Run(ctx, c, "set spend", lockSpend, account)
}

const currenciesOfSpend = `
SELECT '` + db.ZeroID + `'::uuid, currency FROM accounts WHERE id = $1
UNION ALL SELECT id, currency FROM campaigns WHERE account_id = $1 AND id = ANY ($2::uuid[])`

// Currencies returns the currencies in which spend without a currency counts: of each campaign, and of the account under the zero id.
func Currencies(ctx context.Context, c db.Conn, account uuid.UUID, campaigns []uuid.UUID) (map[uuid.UUID]string, error) {
	return db.Pairs[uuid.UUID, string](ctx, c, "currencies of spend", currenciesOfSpend, account, db.UUIDs(campaigns))
}

// priceSpend sets the currency and the rate of each item of a list.
func priceSpend(ctx context.Context, c db.Conn, account uuid.UUID, list []Spend,
	readRates func(context.Context, db.Conn, []exchangerate.Key) (map[exchangerate.Key]decimal.NullDecimal, error),
) ([]pricedSpend, error) {
	campaigns := map[uuid.UUID]bool{}
	for _, s := range list {
		if s.Currency == "" && s.CampaignID != uuid.Nil {
			campaigns[s.CampaignID] = true
		}
	}
	known, err := Currencies(ctx, c, account, db.SortedIDs(campaigns))
	if err != nil {
		return nil, err
	}
	out := make([]pricedSpend, len(list))
	var keys []exchangerate.Key
	for i, s := range list {
		s.Currency = cmp.Or(s.Currency, known[s.CampaignID], known[uuid.Nil])
		out[i] = pricedSpend{s, models.SameRate}
		if s.Currency != known[uuid.Nil] {
			keys = append(keys, exchangerate.NewKey(account, s.Day, s.Currency))
		}
	}
	found, err := readRates(ctx, c, keys)
	for i, s := range out {
		if s.Currency != known[uuid.Nil] {
			out[i].Rate = found[exchangerate.NewKey(account, s.Day, s.Currency)]
		}
	}
	return out, err
}

// Rates returns the rates by which spend counts, or would count if it were set now. A missing rate is invalid. It locks and
// writes nothing.
func Rates(ctx context.Context, c db.Conn, account uuid.UUID, list []Spend) ([]decimal.NullDecimal, error) {
	priced, err := priceSpend(ctx, c, account, list, exchangerate.FindRates)
	return db.Map(priced, func(s pricedSpend) decimal.NullDecimal { return s.Rate }), err
}

// setAll sets amounts of spend. It returns for each the number of clicks over which it was spread.
func setAll(ctx context.Context, c db.Conn, in click.Store, account uuid.UUID, list []pricedSpend) ([]int64, error) {
	clicks, sums := make([]int64, len(list)), ledger.Deltas{}
	for i, s := range list {
		err := in.ThawRange(ctx, c, account, models.FloorClickID(s.Day), models.FloorClickID(s.Day.AddDate(0, 0, 1)))
		if err != nil {
			return nil, err
		}
		if clicks[i], err = s.set(ctx, c, account, sums); err != nil {
			return nil, err
		}
	}
	return clicks, sums.Write(ctx, c)
}

// set replaces the spend of a day. If there are no clicks to spread it over, it adds the spend itself to sums.
func (s pricedSpend) set(ctx context.Context, c db.Conn, account uuid.UUID, sums ledger.Deltas) (clicks int64, err error) {
	if clicks, err = s.spread(ctx, c, account); err != nil {
		return 0, err
	}
	if _, err := deleteSpend(ctx, c, sums, deleteSpendOf, account, s.Day, s.SourceID, db.OrNull(s.CampaignID)); err != nil {
		return 0, err
	}
	err = db.Run(ctx, c, "set spend", insertSpend, account, s.Day, s.SourceID, s.CampaignID, s.Amount, s.Currency,
		s.Clicks, s.Impressions, clicks == 0, s.Rate)
	if clicks == 0 {
		sums.Add(LedgerKey(account, s.Day, s.SourceID, s.CampaignID), models.Figures{Cost: models.ConvertAmount(s.Amount, s.Rate)})
	}
	return clicks, err
}

// LedgerKey returns the ledger key of spend without clicks: the first hour of its day.
func LedgerKey(account uuid.UUID, day time.Time, source, campaign uuid.UUID) ledger.Key {
	return ledger.Key{AccountID: account, Hour: day.Unix(), SourceID: source, CampaignID: campaign}
}

// lockSpend makes sure that the spend of an account is changed by one transaction at a time. lockSpentClicks locks the clicks over
// which an amount is spread. A transaction that stores a conversion or a click-out locks its click too, so it runs before or after the
// change.
const (
	lockSpend       = `SELECT pg_advisory_xact_lock(hashtextextended('switchyard spend ' || $1::text, 0))`
	lockSpentClicks = `
SELECT count(*) FROM (SELECT FROM clicks f WHERE ` + spentClicks + ` ORDER BY id FOR NO KEY UPDATE) l`
	spentClicks = `f.account_id = $1 AND f.id >= $2 AND f.id < $3 AND f.source_id = $4
		AND ($5::uuid IS NULL OR f.campaign_id = $5)`
)

// The amount is the total that was paid. So it also replaces costs of the cost model, including the costs of later conversions.
// Each click's share is the difference of two rounded sums, so all shares add up exactly to the amount. A bot's click costs
// nothing.
var spreadSpend = `
WITH locked AS MATERIALIZED (
	SELECT id, is_bot, CASE WHEN is_bot THEN 0 ELSE coalesce(cost * rate, 0) END AS counted FROM clicks f
	WHERE ` + spentClicks + ` ORDER BY id FOR NO KEY UPDATE
), sold AS MATERIALIZED (
	SELECT v.id, v.click_id, v.cost FROM conversions v JOIN locked l ON l.id = v.click_id
	WHERE v.account_id = $1 AND v.click_id >= $2 AND v.click_id < $3 ORDER BY v.id FOR NO KEY UPDATE OF v
), placed AS (
	SELECT id, is_bot, counted, count(*) FILTER (WHERE NOT is_bot) OVER (ORDER BY id) AS i,
		count(*) FILTER (WHERE NOT is_bot) OVER () AS n
	FROM locked
), priced AS MATERIALIZED (
	SELECT l.id, l.counted + coalesce(v.cost, 0) AS old, CASE WHEN is_bot THEN 0
		ELSE round($6::numeric * i / n, $8) - round($6::numeric * (i - 1) / n, $8) END AS new
	FROM placed l LEFT JOIN (SELECT click_id, sum(cost) AS cost FROM sold GROUP BY click_id) v ON v.click_id = l.id
), freed AS (
	UPDATE conversions v SET cost = 0, given_cost = 0, statements = CASE statements WHEN '[]' THEN statements
		ELSE statements || jsonb_build_array($9::jsonb) END FROM sold s
	WHERE v.account_id = $1 AND v.click_id >= $2 AND v.click_id < $3 AND v.id = s.id
), changed AS (
	UPDATE clicks f SET cost = p.new, unique_cost = 0, conversion_cost = 0, revenue_share = 0,
		currency = coalesce(nullif($7, ''), f.currency), rate = $10::numeric
	FROM priced p WHERE f.account_id = $1 AND f.id = p.id AND f.id >= $2 AND f.id < $3
	RETURNING f.account_id, date_trunc('hour', f.at, 'UTC') AS hour, f.campaign_id, f.stream_id, f.lander_id, f.offer_id,
		f.source_id, f.country, f.device_type, f.os, f.browser,
		coalesce(p.new * $10::numeric, 0) - p.old AS delta
), written AS (
	INSERT INTO ledger (` + ledger.Keys + `, ` + ledger.Sums + `)
	SELECT ` + ledger.Keys + `, ` + ledger.ListOf(isCost, "sum(delta)") + `
	FROM changed GROUP BY ` + ledger.Keys + ` HAVING sum(delta) <> 0
)
SELECT count(*) FROM locked WHERE NOT is_bot`

func isCost(m *measure.Measure) bool { return m.Name == "cost" }

// allowLongStatements lets a statement process all clicks of a day with many clicks. The planner cannot know their number. It would
// plan nested loops, as for a few clicks, and these would never finish.
const allowLongStatements = `SET LOCAL statement_timeout = '10min'; SET LOCAL enable_nestloop = off`

func (s pricedSpend) spread(ctx context.Context, c db.Conn, account uuid.UUID) (clicks int64, err error) {
	args := []any{
		account, models.FloorClickID(s.Day), models.FloorClickID(s.Day.AddDate(0, 0, 1)), s.SourceID, db.OrNull(s.CampaignID),
	}
	if clicks, err = db.Get[int64](ctx, c, "lock clicks of spend", lockSpentClicks, args...); err != nil || clicks == 0 {
		return 0, err
	}
	return db.Get[int64](ctx, c, "spread spend", spreadSpend, append(args, s.Amount, s.Currency, models.MoneyScale,
		conversion.CostStatement(decimal.Zero), s.Rate)...)
}

const insertSpend = `
INSERT INTO spend (account_id, day, source_id, campaign_id, amount, currency, clicks, impressions, alone, rate)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

const deleteSpendOf = `
DELETE FROM spend WHERE account_id = $1 AND day = $2 AND source_id = $3 AND ($4::uuid IS NULL OR campaign_id = $4)
RETURNING day, source_id, campaign_id, CASE WHEN alone THEN coalesce(amount * rate, 0) ELSE 0 END AS counted`

const deleteSpendIn = `
DELETE FROM spend WHERE account_id = $1 AND campaign_id = ANY ($2::uuid[])
	AND day::timestamp AT TIME ZONE 'UTC' >= $3 AND day::timestamp AT TIME ZONE 'UTC' < $4
RETURNING day, source_id, campaign_id, CASE WHEN alone THEN coalesce(amount * rate, 0) ELSE 0 END AS counted`

// deleteSpend deletes the spend that the query selects, and subtracts the amounts without clicks from sums. It returns the campaigns
// of the deleted spend.
func deleteSpend(ctx context.Context, c db.Conn, sums ledger.Deltas, query string, account uuid.UUID, args ...any,
) ([]uuid.UUID, error) {
	deleted, err := db.Select[struct {
		Day      time.Time       `db:"day"`
		Source   uuid.UUID       `db:"source_id"`
		Campaign uuid.UUID       `db:"campaign_id"`
		Counted  decimal.Decimal `db:"counted"`
	}](ctx, c, "drop spend", query, append([]any{account}, args...)...)
	var campaigns []uuid.UUID
	for _, s := range deleted {
		sums.Add(LedgerKey(account, s.Day, s.Source, s.Campaign), models.Figures{Cost: s.Counted.Neg()})
		if !slices.Contains(campaigns, s.Campaign) {
			campaigns = append(campaigns, s.Campaign)
		}
	}
	return campaigns, err
}

// Clear deletes the spend of some campaigns of an account in [from, to), and takes the amounts without clicks out of the ledger.
// It returns the campaigns that had spend.
func Clear(ctx context.Context, c db.Conn, account uuid.UUID, campaigns []uuid.UUID, from, to time.Time) ([]uuid.UUID, error) {
	sums := ledger.Deltas{}
	campaigns, err := deleteSpend(ctx, c, sums, deleteSpendIn, account, db.UUIDs(campaigns), from, to)
	if err != nil {
		return nil, err
	}
	return campaigns, sums.Write(ctx, c)
}

const selectSpent = `
SELECT date_trunc('day', hour, 'UTC') AS day, source_id, campaign_id, sum(clicks)::bigint AS clicks FROM ledger
WHERE account_id = $1 AND hour >= $2 AND hour < $3 AND source_id = ANY ($4::uuid[])
GROUP BY 1, 2, 3`

// Preview returns, for each item, the number of clicks over which Set would spread the amount now. It locks and writes
// nothing.
func Preview(ctx context.Context, c db.Conn, account uuid.UUID, list []Spend) ([]int64, error) {
	if len(list) == 0 {
		return nil, nil
	}
	days := db.Map(list, func(s Spend) time.Time { return s.Day })
	from, to := slices.MinFunc(days, time.Time.Compare), slices.MaxFunc(days, time.Time.Compare)
	sources := db.ByKey(list, func(s Spend) uuid.UUID { return s.SourceID })
	rows, err := db.Select[struct {
		Day      time.Time `db:"day"`
		Source   uuid.UUID `db:"source_id"`
		Campaign uuid.UUID `db:"campaign_id"`
		Clicks   int64     `db:"clicks"`
	}](ctx, c, "preview spend", selectSpent, account, from, to.AddDate(0, 0, 1), db.UUIDs(db.SortedIDs(sources)))
	clicks := map[ledger.Key]int64{} // by the result of LedgerKey for day, source and campaign
	for _, r := range rows {
		clicks[LedgerKey(account, r.Day, r.Source, r.Campaign)] += r.Clicks
		if r.Campaign != uuid.Nil {
			clicks[LedgerKey(account, r.Day, r.Source, uuid.Nil)] += r.Clicks
		}
	}
	return db.Map(list, func(s Spend) int64 { return clicks[LedgerKey(account, s.Day, s.SourceID, s.CampaignID)] }), err
}

package spend

import (
	"cmp"
	"context"
	"database/sql"
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
	Currency    string          `db:"currency"` // currency of Amount; empty: the campaign's or else the account's
	Clicks      *int64          `db:"clicks"`   // number that the source counted; nil: not reported
	Impressions *int64          `db:"impressions"`
	Part
	// ChangeID is the change in which a person set the spend. It is invalid for spend that was read from a platform.
	ChangeID uuid.NullUUID `db:"change_id"`
}

// Part narrows spend to a part of its day, and to the clicks with one value of a sub-parameter. The zero Part means the whole
// day and all clicks.
type Part struct {
	Starts   int    `db:"starts" json:"starts"` // seconds from the start of the day, included
	Ends     int    `db:"ends" json:"ends"`     // excluded; 0: the end of the day
	Sub      int    `db:"sub" json:"sub"`       // number of the sub-parameter; 0: all clicks
	SubValue string `db:"sub_value" json:"sub_value"`
}

const daySeconds = 24 * 60 * 60

// whole is the condition that spend is for the whole day and all clicks.
const whole = `starts = 0 AND ends = 86400 AND sub = 0`

// bounds returns the ids that limit the clicks of the part of a day.
func (p Part) bounds(day time.Time) (low, high uuid.UUID) {
	at := func(seconds int) uuid.UUID { return models.FloorClickID(day.Add(time.Duration(seconds) * time.Second)) }
	return at(p.Starts), at(cmp.Or(p.Ends, daySeconds))
}

// hour returns the hour in which spend without clicks counts: the first hour that begins at the start of the part or later, but
// not after the last hour of the day.
func (p Part) hour(day time.Time) time.Time {
	return day.Add(time.Duration(min((p.Starts+3599)/3600, 23)) * time.Hour)
}

const spendColumns = `day, source_id, campaign_id, amount, currency, rate, clicks, impressions, starts, ends, sub, sub_value, place, alone, change_id`

// pricedSpend is spend with the exchange rate that converts it. Spend that was stored before the service had exchange rates
// may have no currency. The clicks over which such spend is spread then keep their currency.
type pricedSpend struct {
	Spend
	Rate  decimal.NullDecimal `db:"rate"`
	Place sql.NullInt64       `db:"place"` // later spend of its day and source has a higher place; invalid: the next place
	Alone bool                `db:"alone"` // there are no clicks over which to spread it
}

// Set sets the amount paid for each item of the list, in the order of the list, in the transaction of c. An amount replaces the
// costs of all clicks of its day, source, campaign and Part, the costs of the conversions of these clicks, and earlier spend. It is
// spread evenly over the stored clicks, and the shares add up to the amount exactly. If there is no click, the amount is added to
// the ledger without a click. A click that is stored later adds its own cost. The amount is converted by the exchange rate of its
// currency on that day. Without a rate it is stored, but counts as 0 until there is a rate. If the items name a change, Set
// stores the replaced spend in that change: see Undo. Set returns the number of clicks for each item.
func Set(ctx context.Context, l click.Log, c db.Conn, account uuid.UUID, list ...Spend) ([]int64, error) {
	if err := lockAccount(ctx, c, account); err != nil {
		return nil, err
	}
	priced, err := priceSpend(ctx, c, account, list, exchangerate.LockRates)
	if err != nil {
		return nil, err
	}
	var change uuid.NullUUID
	if len(list) > 0 {
		change = list[0].ChangeID // the items of a list belong to the same change
	}
	log, err := findChangeLog(ctx, c, account, change)
	if err != nil {
		return nil, err
	}
	clicks, err := setAll(ctx, c, l.Store(), account, priced, log)
	if err != nil {
		return nil, err
	}
	return clicks, log.save(ctx, c)
}

// lockAccount makes sure that only one transaction at a time changes the spend of an account. It also raises the time limit of
// the transaction's statements.
func lockAccount(ctx context.Context, c db.Conn, account uuid.UUID) error {
	if err := db.Run(ctx, c, "set spend", allowLongStatements); err != nil {
		return err
	}
	return db.Run(ctx, c, "set spend", lockSpend, account)
}

const currenciesOfSpend = `
SELECT '` + db.ZeroID + `'::uuid, currency FROM accounts WHERE id = $1
UNION ALL SELECT id, currency FROM campaigns WHERE account_id = $1 AND id = ANY ($2::uuid[])`

// Currencies returns the currencies of spend that names no currency: the currency of each campaign and, under the zero id, of
// the account.
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
		out[i] = pricedSpend{Spend: s, Rate: models.SameRate}
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

// Rates returns the exchange rates of spend, as they would be if the spend were set now. A missing rate is invalid. It neither
// locks nor writes anything.
func Rates(ctx context.Context, c db.Conn, account uuid.UUID, list []Spend) ([]decimal.NullDecimal, error) {
	priced, err := priceSpend(ctx, c, account, list, exchangerate.FindRates)
	return db.Map(priced, func(s pricedSpend) decimal.NullDecimal { return s.Rate }), err
}

// setAll sets amounts of spend. For each amount it returns the number of clicks over which the amount was spread.
func setAll(ctx context.Context, c db.Conn, in click.Store, account uuid.UUID, list []pricedSpend, log *changeLog) ([]int64, error) {
	clicks, sums := make([]int64, len(list)), ledger.Deltas{}
	for i, s := range list {
		low, high := s.bounds(s.Day)
		if err := in.ThawRange(ctx, c, account, low, high); err != nil {
			return nil, err
		}
		var err error
		if clicks[i], err = s.set(ctx, c, account, sums, log); err != nil {
			return nil, err
		}
	}
	return clicks, sums.Write(ctx, c)
}

// set stores the spend s in place of the earlier spend that it covers: see inScope.
func (s pricedSpend) set(ctx context.Context, c db.Conn, account uuid.UUID, sums ledger.Deltas, log *changeLog) (clicks int64, err error) {
	if err := log.snapshot(ctx, c, s.clickArgs(account)); err != nil {
		return 0, err
	}
	found, err := s.spread(ctx, c, account, log)
	if err != nil {
		return 0, err
	}
	deleted, err := deleteSpend(ctx, c, account, sums, deleteSpendOf, s.scope()...)
	if err != nil {
		return 0, err
	}
	s.Alone = found.Clicks == 0
	log.add(s, found, deleted)
	return found.Clicks, s.insert(ctx, c, account, sums)
}

// insert stores spend. If the spend has no clicks, insert adds its amount to sums.
func (s pricedSpend) insert(ctx context.Context, c db.Conn, account uuid.UUID, sums ledger.Deltas) error {
	if s.Alone {
		sums.Add(s.ledgerKey(account), models.Figures{Cost: models.ConvertAmount(s.Amount, s.Rate)})
	}
	return db.Run(ctx, c, "set spend", insertSpend, account, s.Day, s.SourceID, s.CampaignID, s.Amount, s.Currency,
		s.Clicks, s.Impressions, s.Alone, s.Rate, s.Starts, cmp.Or(s.Ends, daySeconds), s.Sub, s.SubValue, s.ChangeID, s.Place)
}

// ledgerKey returns the ledger key of spend without clicks.
func (s Spend) ledgerKey(account uuid.UUID) ledger.Key {
	return ledger.Key{AccountID: account, Hour: s.hour(s.Day).Unix(), SourceID: s.SourceID, CampaignID: s.CampaignID}
}

// lockSpentClicks locks the clicks over which an amount is spread. A transaction that stores a conversion or a click-out also
// locks its click, so it runs either before or after the change.
const (
	lockSpend       = `SELECT pg_advisory_xact_lock(hashtextextended('switchyard spend ' || $1::text, 0))`
	lockSpentClicks = `
SELECT count(*) FROM (SELECT FROM clicks f WHERE ` + spentClicks + ` ORDER BY id FOR NO KEY UPDATE) l`
	spentClicks = `f.account_id = $1 AND f.id >= $2 AND f.id < $3 AND ($4::uuid IS NULL OR f.source_id = $4)
		AND ($5::uuid IS NULL OR f.campaign_id = $5) AND ($6::int = 0 OR coalesce(f.subs[$6], '') = $7)`
)

// The amount is the total that was paid. So it also replaces costs of the cost model, including the costs of conversions that
// are recorded later. Each click's share is the difference of two rounded running sums, so all shares add up exactly to the amount. A
// bot's click costs nothing.
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
	SELECT l.id, l.is_bot, l.counted + coalesce(v.cost, 0) AS old, CASE WHEN is_bot THEN 0
		ELSE round($8::numeric * i / n, $10) - round($8::numeric * (i - 1) / n, $10) END AS new
	FROM placed l LEFT JOIN (SELECT click_id, sum(cost) AS cost FROM sold GROUP BY click_id) v ON v.click_id = l.id
), freed AS (
	UPDATE conversions v SET cost = 0, given_cost = 0, statements = CASE statements WHEN '[]' THEN statements
		ELSE statements || jsonb_build_array($11::jsonb) END FROM sold s
	WHERE v.account_id = $1 AND v.click_id >= $2 AND v.click_id < $3 AND v.id = s.id
), changed AS (
	UPDATE clicks f SET cost = p.new, unique_cost = 0, conversion_cost = 0, revenue_share = 0,
		currency = coalesce(nullif($9, ''), f.currency), rate = $12::numeric
	FROM priced p WHERE f.account_id = $1 AND f.id = p.id AND f.id >= $2 AND f.id < $3
	RETURNING ` + changedKeys + `, coalesce(p.new * $12::numeric, 0) - p.old AS delta
), ` + writeChanged + `
SELECT count(*) FILTER (WHERE NOT is_bot) AS clicks, coalesce(sum(old), 0) AS before FROM priced`

// changedKeys are the ledger's keys of the clicks f that a statement changes. writeChanged writes the deltas of their costs.
const changedKeys = `f.account_id, date_trunc('hour', f.at, 'UTC') AS hour, f.campaign_id, f.stream_id, f.lander_id, f.offer_id,
		f.source_id, f.country, f.device_type, f.os, f.browser`

var writeChanged = `written AS (
	INSERT INTO ledger (` + ledger.Keys + `, ` + ledger.Sums + `)
	SELECT ` + ledger.Keys + `, ` + ledger.ListOf(isCost, "sum(delta)") + `
	FROM changed GROUP BY ` + ledger.Keys + ` HAVING sum(delta) <> 0
)`

func isCost(m *measure.Measure) bool { return m.Name == "cost" }

// allowLongStatements lets a statement process all clicks of a busy day. The planner cannot know the number of clicks. If nested
// loops were enabled, it would plan them, as for a few clicks, and they would never finish.
const allowLongStatements = `SET LOCAL statement_timeout = '10min'; SET LOCAL enable_nestloop = off`

// spreadOver is the number of clicks over which spend was spread, and the total cost that these clicks and their conversions had
// before, in the account's currency.
type spreadOver struct {
	Clicks int64           `db:"clicks"`
	Before decimal.Decimal `db:"before"`
}

// clickArgs returns the arguments of spentClicks.
func (s Spend) clickArgs(account uuid.UUID) []any {
	low, high := s.bounds(s.Day)
	return []any{account, low, high, s.SourceID, db.OrNull(s.CampaignID), s.Sub, s.SubValue}
}

func (s pricedSpend) spread(ctx context.Context, c db.Conn, account uuid.UUID, log *changeLog) (out spreadOver, err error) {
	args := s.clickArgs(account)
	clicks, err := db.Get[int64](ctx, c, "lock clicks of spend", lockSpentClicks, args...)
	if err != nil || clicks == 0 {
		return out, err
	}
	return db.Get[spreadOver](ctx, c, "spread spend", spreadSpend, append(args, s.Amount, s.Currency, models.MoneyScale,
		conversion.CostStatement(log.statement(), decimal.Zero), s.Rate)...)
}

const insertSpend = `
INSERT INTO spend (account_id, day, source_id, campaign_id, amount, currency, clicks, impressions, alone, rate, starts, ends, sub, sub_value,
	change_id, place)
SELECT $1, $2::date, $3::uuid, $4::uuid, $5::numeric, $6, $7::bigint, $8::bigint, $9::boolean, $10::numeric, $11::int, $12::int, $13::smallint, $14,
	$15::uuid, coalesce($16::bigint, (SELECT coalesce(max(place), 0) + 1 FROM spend WHERE account_id = $1 AND day = $2::date AND source_id = $3::uuid))`

// scope returns the arguments of deleteSpendOf that follow the account.
func (s Spend) scope() []any {
	return []any{s.Day, db.OrNull(s.SourceID), db.OrNull(s.CampaignID), s.Sub, s.SubValue, s.Starts, cmp.Or(s.Ends, daySeconds)}
}

// aloneAt is Part.hour in SQL, in seconds from the start of the day. The view spend_alone has the same rule.
const aloneAt = `least((starts + 3599) / 3600, 23) * 3600`

// inScope selects the earlier spend that new spend replaces. Earlier spend is replaced if its clicks are among the clicks of the
// new spend, or if it has no clicks and counts in the new spend's part of the day.
const inScope = `account_id = $1 AND day = $2::date AND ($3::uuid IS NULL OR source_id = $3) AND ($4::uuid IS NULL OR campaign_id = $4)
	AND ($5::int = 0 OR sub = $5 AND sub_value = $6)
	AND (starts >= $7::int AND ends <= $8::int OR alone AND ` + aloneAt + ` >= $7 AND ` + aloneAt + ` < $8)`

const deleteSpendOf = `DELETE FROM spend WHERE ` + inScope + ` RETURNING ` + spendColumns

const deleteSpendIn = `
DELETE FROM spend WHERE account_id = $1 AND campaign_id = ANY ($2::uuid[])
	AND day::timestamp AT TIME ZONE 'UTC' >= $3 AND day::timestamp AT TIME ZONE 'UTC' < $4
RETURNING ` + spendColumns

// WithoutClicks returns the figures of a day's spend without clicks.
func WithoutClicks(ctx context.Context, c db.Conn, account uuid.UUID, day time.Time) (ledger.Deltas, error) {
	const q = `SELECT ` + spendColumns + ` FROM spend WHERE account_id = $1 AND day = $2::date AND alone`
	list, err := db.Select[pricedSpend](ctx, c, "spend without clicks", q, account, day.Format(time.DateOnly))
	sums := ledger.Deltas{}
	for _, s := range list {
		sums.Add(s.ledgerKey(account), models.Figures{Cost: s.counted()})
	}
	return sums, err
}

// counted returns the amount that spend adds to the ledger on top of the costs of clicks, in the account's currency.
func (s pricedSpend) counted() decimal.Decimal {
	if !s.Alone {
		return decimal.Zero
	}
	return models.ConvertAmount(s.Amount, s.Rate)
}

// deleteSpend deletes the spend that the query selects. It subtracts from sums the amounts of deleted spend without clicks.
func deleteSpend(ctx context.Context, c db.Conn, account uuid.UUID, sums ledger.Deltas, query string, args ...any) ([]pricedSpend, error) {
	deleted, err := db.Select[pricedSpend](ctx, c, "drop spend", query, append([]any{account}, args...)...)
	for i, s := range deleted {
		deleted[i].Day = s.Day.UTC()
		sums.Add(s.ledgerKey(account), models.Figures{Cost: s.counted().Neg()})
	}
	return deleted, err
}

// Clear deletes the spend of some campaigns of an account in [from, to), and subtracts the amounts without clicks from the
// ledger. It returns the campaigns that had spend.
func Clear(ctx context.Context, c db.Conn, account uuid.UUID, campaigns []uuid.UUID, from, to time.Time) ([]uuid.UUID, error) {
	sums := ledger.Deltas{}
	deleted, err := deleteSpend(ctx, c, account, sums, deleteSpendIn, db.UUIDs(campaigns), from, to)
	if err != nil {
		return nil, err
	}
	return db.SortedIDs(db.ByKey(deleted, func(s pricedSpend) uuid.UUID { return s.CampaignID })), sums.Write(ctx, c)
}

const selectSpent = `
SELECT date_trunc('day', hour, 'UTC') AS day, source_id, campaign_id, sum(clicks)::bigint AS clicks FROM ledger
WHERE account_id = $1 AND hour >= $2 AND hour < $3 AND source_id = ANY ($4::uuid[])
GROUP BY 1, 2, 3`

// Preview returns the number of clicks over which Set would spread each item now. The numbers are right only for items that are
// for the whole day and all clicks. It neither locks nor writes anything.
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
	clicks := map[ledger.Key]int64{} // by the result of ledgerKey for day, source and campaign
	key := func(day time.Time, source, campaign uuid.UUID) ledger.Key {
		return Spend{Day: day, SourceID: source, CampaignID: campaign}.ledgerKey(account)
	}
	for _, r := range rows {
		clicks[key(r.Day, r.Source, r.Campaign)] += r.Clicks
		if r.Campaign != uuid.Nil {
			clicks[key(r.Day, r.Source, uuid.Nil)] += r.Clicks
		}
	}
	return db.Map(list, func(s Spend) int64 { return clicks[key(s.Day, s.SourceID, s.CampaignID)] }), err
}

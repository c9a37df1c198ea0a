package spend

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/exchangerate"
	"switchyard/db/ledger"
	"switchyard/models"
)

// byHand is a cost that a person sets by hand.
type byHand struct {
	models.CostRequest
	account models.Account
	parts   []handPart
	quote   models.CostQuote
	list    []pricedSpend
}

// handPart is the part of a UTC day that lies within one day of the account's time zone.
type handPart struct {
	local string    // the day in the account's time zone
	day   time.Time // midnight UTC
	Part
}

func (p handPart) start() time.Time { return p.day.Add(time.Duration(p.Starts) * time.Second) }
func (p handPart) end() time.Time   { return p.day.Add(time.Duration(p.Ends) * time.Second) }

// partsOf splits the days of a request at midnight UTC.
func partsOf(account models.Account, r models.CostRequest) (parts []handPart, err error) {
	zone, err := time.LoadLocation(account.Timezone)
	if err != nil {
		zone = time.UTC
	}
	first, err := time.ParseInLocation(time.DateOnly, r.From, zone)
	if err != nil {
		return nil, err
	}
	last, err := time.ParseInLocation(time.DateOnly, r.To, zone)
	for at := first; err == nil && !at.After(last); at = nextDay(at) {
		for from, to := at.UTC(), nextDay(at).UTC(); from.Before(to); {
			day := from.Truncate(click.Day)
			end := day.Add(click.Day)
			if to.Before(end) {
				end = to
			}
			seconds := func(t time.Time) int { return int(t.Sub(day) / time.Second) }
			parts = append(parts, handPart{at.Format(time.DateOnly), day, Part{
				Starts: seconds(from), Ends: seconds(end), Sub: r.Sub, SubValue: r.SubValue,
			}})
			from = end
		}
	}
	return parts, err
}

// nextDay returns the start of the day after a given time, in the zone of that time.
func nextDay(at time.Time) time.Time {
	y, m, d := at.Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, at.Location())
}

// maxHandRows is the maximum number of combinations of day, source and campaign over which a cost is spread.
const maxHandRows = 2000

// handRow counts the clicks of one source and campaign in a part.
type handRow struct {
	Part     int             `db:"part"` // from 1
	Source   uuid.UUID       `db:"source_id"`
	Campaign uuid.UUID       `db:"campaign_id"`
	Clicks   int64           `db:"clicks"`
	Before   decimal.Decimal `db:"before"` // the present cost of these clicks and their conversions, in the account's currency
}

var selectHandRows = `
SELECT width_bucket(at, $8::timestamptz[]) AS part, source_id, campaign_id, sum(n)::bigint AS clicks, sum(cost) AS before FROM (
	SELECT f.at, f.source_id, f.campaign_id, (NOT f.is_bot)::int AS n, CASE WHEN f.is_bot THEN 0 ELSE coalesce(f.cost * f.rate, 0) END AS cost
	FROM clicks f WHERE ` + spentClicks + `
	UNION ALL
	SELECT f.at, f.source_id, f.campaign_id, 0, v.cost FROM conversions v JOIN clicks f ON f.id = v.click_id
	WHERE v.account_id = $1 AND v.click_id >= $2 AND v.click_id < $3 AND ` + spentClicks + `
) x GROUP BY 1, 2, 3 ORDER BY 1, 3, 2 LIMIT $9`

const selectHandAlone = `SELECT ` + spendColumns + ` FROM spend WHERE account_id = $1 AND day >= $2::date AND day <= $3::date AND alone
	AND ($4::uuid IS NULL OR source_id = $4) AND ($5::uuid IS NULL OR campaign_id = $5) AND ($6::int = 0 OR sub = $6 AND sub_value = $7)`

// Quote returns the changes that SetByHand would make now. Errors: no_clicks, too_many, rate_missing.
func Quote(ctx context.Context, l click.Log, c db.Conn, account models.Account, r models.CostRequest) (models.CostQuote, error) {
	h := byHand{CostRequest: r, account: account}
	err := h.plan(ctx, l, c, exchangerate.FindRates)
	return h.quote, err
}

// SetByHand sets a cost in the transaction of c, and stores the replaced values in the change that has the given id. An amount is
// divided among the days of the account's time zone in proportion to their numbers of clicks, so all clicks cost the same. The
// shares add up to the amount exactly. Errors: the same as Quote.
func SetByHand(ctx context.Context, l click.Log, c db.Conn, account models.Account, r models.CostRequest, change uuid.UUID) (models.CostQuote, error) {
	h := byHand{CostRequest: r, account: account}
	if err := lockAccount(ctx, c, account.ID); err != nil {
		return h.quote, err
	}
	changeID := uuid.NullUUID{UUID: change, Valid: true}
	log, err := findChangeLog(ctx, c, account.ID, changeID)
	if err != nil {
		return h.quote, err
	}
	if err := h.plan(ctx, l, c, exchangerate.LockRates); err != nil {
		return h.quote, err
	}
	sums := ledger.Deltas{}
	for _, p := range h.parts {
		scope := Spend{Day: p.day, SourceID: r.SourceID, CampaignID: r.CampaignID, Part: p.Part}.scope()
		deleted, err := deleteSpend(ctx, c, account.ID, sums, deleteSpendOf, scope...)
		if err != nil {
			return h.quote, err
		}
		log.cover(p.day)
		log.remove(deleted)
	}
	if err := sums.Write(ctx, c); err != nil {
		return h.quote, err
	}
	for i := range h.list {
		h.list[i].ChangeID = changeID
	}
	if _, err := setAll(ctx, c, l.Store(), account.ID, h.list, log); err != nil {
		return h.quote, err
	}
	return h.quote, log.save(ctx, c)
}

type ratesFunc func(context.Context, db.Conn, []exchangerate.Key) (map[exchangerate.Key]decimal.NullDecimal, error)

// plan finds the clicks and divides the cost among them.
func (h *byHand) plan(ctx context.Context, l click.Log, c db.Conn, rates ratesFunc) (err error) {
	if h.parts, err = partsOf(h.account, h.CostRequest); err != nil {
		return err
	}
	rows, err := h.rows(ctx, l, c)
	if err != nil {
		return err
	}
	alone, err := h.alone(ctx, c)
	if err != nil {
		return err
	}
	list, err := h.divide(rows)
	if err != nil {
		return err
	}
	if h.list, err = priceSpend(ctx, c, h.account.ID, list, rates); err != nil {
		return err
	}
	for _, s := range h.list {
		if !s.Rate.Valid {
			return models.Conflict("rate_missing", "there is no exchange rate of %s on %s: set the cost in another currency", s.Currency,
				s.Day.Format(time.DateOnly))
		}
	}
	h.summarize(rows, alone)
	return nil
}

// rows counts the clicks of the request, by part, source and campaign.
func (h *byHand) rows(ctx context.Context, l click.Log, c db.Conn) ([]handRow, error) {
	low, high := models.FloorClickID(h.parts[0].start()), models.FloorClickID(h.parts[len(h.parts)-1].end())
	if err := l.Store().ThawRange(ctx, c, h.account.ID, low, high); err != nil {
		return nil, err
	}
	starts := db.Map(h.parts, func(p handPart) string { return p.start().Format(time.RFC3339) })
	rows, err := db.Select[handRow](ctx, c, "clicks of a cost", selectHandRows, h.account.ID, low, high, db.OrNull(h.SourceID),
		db.OrNull(h.CampaignID), h.Sub, h.SubValue, pq.Array(starts), maxHandRows+1)
	for _, r := range rows {
		h.quote.Clicks += r.Clicks
	}
	if err == nil && (len(rows) > maxHandRows || h.quote.Clicks > models.MaxCostClicks) {
		err = models.Invalid("too_many", "the cost covers more than %d clicks, or more than %d combinations of day, source and campaign: choose fewer days, or one campaign",
			models.MaxCostClicks, maxHandRows)
	}
	return rows, err
}

// partAt returns the index of the part that contains a moment, or -1.
func (h *byHand) partAt(at time.Time) int {
	return slices.IndexFunc(h.parts, func(p handPart) bool { return !at.Before(p.start()) && at.Before(p.end()) })
}

// alone returns the spend without clicks that the request replaces.
func (h *byHand) alone(ctx context.Context, c db.Conn) ([]pricedSpend, error) {
	first, last := h.parts[0].day, h.parts[len(h.parts)-1].day
	list, err := db.Select[pricedSpend](ctx, c, "spend without clicks", selectHandAlone, h.account.ID, first.Format(time.DateOnly),
		last.Format(time.DateOnly), db.OrNull(h.SourceID), db.OrNull(h.CampaignID), h.Sub, h.SubValue)
	return db.Without(list, func(s pricedSpend) bool { return h.partAt(s.hour(s.Day)) < 0 }), err
}

// divide returns the spend of each part, source and campaign. Each share of an amount is the difference of two rounded running
// sums, so all shares add up to the amount exactly.
func (h *byHand) divide(rows []handRow) (list []Spend, err error) {
	if h.quote.Clicks == 0 {
		return h.withoutClicks()
	}
	total, upTo, given := decimal.NewFromInt(h.quote.Clicks), int64(0), decimal.Zero
	for _, r := range rows {
		if r.Clicks == 0 { // bots cost nothing
			continue
		}
		upTo += r.Clicks
		s := h.spend(h.parts[r.Part-1], r.Source, r.Campaign)
		if h.CPC != nil {
			s.Amount = h.CPC.Mul(decimal.NewFromInt(r.Clicks))
		} else {
			sum := h.Amount.Mul(decimal.NewFromInt(upTo)).DivRound(total, models.MoneyScale)
			s.Amount, given = sum.Sub(given), sum
		}
		list = append(list, s)
	}
	return list, nil
}

func (h *byHand) spend(p handPart, source, campaign uuid.UUID) Spend {
	return Spend{Day: p.day, SourceID: source, CampaignID: campaign, Currency: cmp.Or(h.Currency, h.account.Currency), Part: p.Part}
}

// withoutClicks returns the spend of a request whose days have no clicks. Only an amount for a single day at one source can
// count without a click.
func (h *byHand) withoutClicks() ([]Spend, error) {
	if h.Amount != nil && h.Amount.IsZero() {
		return nil, nil
	}
	if h.CPC != nil || h.From != h.To || h.AloneAt == uuid.Nil {
		return nil, models.Invalid("no_clicks", "there are no clicks over which this cost could be spread: an amount without clicks needs "+
			"a single day and a traffic source")
	}
	p := h.parts[0]
	if i := slices.IndexFunc(h.parts, func(p handPart) bool { return p.Starts == 0 }); i >= 0 {
		p = h.parts[i]
	}
	s := h.spend(p, h.AloneAt, h.CampaignID)
	s.Amount = *h.Amount
	return []Spend{s}, nil
}

// replaces reports whether the request changes the cost of a row's clicks and their conversions.
func (h *byHand) replaces(r handRow) bool {
	p := h.parts[r.Part-1]
	return slices.ContainsFunc(h.list, func(s pricedSpend) bool {
		return s.Day.Equal(p.day) && s.Starts == p.Starts && s.SourceID == r.Source && (s.CampaignID == uuid.Nil || s.CampaignID == r.Campaign)
	})
}

// summarize adds up the changes by day and campaign. A day without clicks has a row too.
func (h *byHand) summarize(rows []handRow, alone []pricedSpend) {
	type place struct {
		day      string
		campaign uuid.UUID
	}
	index := map[place]int{}
	row := func(day string, campaign uuid.UUID) *models.CostDay {
		at, ok := index[place{day, campaign}]
		if !ok {
			at = len(h.quote.Days)
			index[place{day, campaign}] = at
			h.quote.Days = append(h.quote.Days, models.CostDay{Day: day, CampaignID: campaign})
		}
		return &h.quote.Days[at]
	}
	before := func(r *models.CostDay, amount decimal.Decimal) {
		r.Before, h.quote.Before = models.NewMoney(r.Before.Add(amount)), models.NewMoney(h.quote.Before.Add(amount))
	}
	for _, r := range rows {
		d := row(h.parts[r.Part-1].local, r.Campaign)
		d.Clicks += r.Clicks
		if h.replaces(r) {
			before(d, r.Before)
		}
	}
	for _, s := range alone {
		before(row(h.parts[h.partAt(s.hour(s.Day))].local, s.CampaignID), s.counted())
	}
	for _, s := range h.list {
		d, amount := row(h.parts[h.partAt(s.Day.Add(time.Duration(s.Starts)*time.Second))].local, s.CampaignID), models.ConvertAmount(s.Amount, s.Rate)
		d.After, h.quote.After = models.NewMoney(d.After.Add(amount)), models.NewMoney(h.quote.After.Add(amount))
	}
	for _, p := range h.parts {
		if !slices.ContainsFunc(h.quote.Days, func(d models.CostDay) bool { return d.Day == p.local }) {
			row(p.local, uuid.Nil)
		}
	}
	slices.SortStableFunc(h.quote.Days, func(a, b models.CostDay) int { return cmp.Compare(a.Day, b.Day) })
}

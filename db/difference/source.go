package difference

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/difference"
)

// platformDay has the figures of a traffic source for a day and a campaign, as read from its platform or entered.
type platformDay struct {
	Day      time.Time       `db:"day"`
	Campaign uuid.UUID       `db:"campaign_id"`
	Amount   decimal.Decimal `db:"amount"`
	Currency string          `db:"currency"`
	Clicks   *int64          `db:"clicks"`
	Platform bool            `db:"platform"` // read from the platform, not entered
}

func (r platformDay) cell() difference.Cell {
	return difference.Cell{Day: r.Day.Format(time.DateOnly), Campaign: r.Campaign}
}

// On days that were never read, spend that was entered counts as the platform's figure, if it is for the whole day in UTC and not
// for a value of a sub-parameter.
const selectReported = `
SELECT day, campaign_id, amount, currency, clicks, true AS platform FROM source_figures
WHERE account_id = $1 AND source_id = $2 AND day >= $3::date AND day <= $4::date
UNION ALL
SELECT s.day, s.campaign_id, s.amount, s.currency, s.clicks, false FROM spend s
WHERE s.account_id = $1 AND s.source_id = $2 AND s.day >= $3::date AND s.day <= $4::date
	AND s.starts = 0 AND s.ends = 86400 AND s.sub = 0
	AND NOT EXISTS (SELECT FROM source_spend_days d WHERE d.source_id = s.source_id AND d.day = s.day)
ORDER BY 1, 2`

// spent is the spend that counts for a day and a campaign.
type spent struct {
	Day      time.Time       `db:"day"`
	Campaign uuid.UUID       `db:"campaign_id"`
	Counted  decimal.Decimal `db:"counted"` // in the account's currency
	Alone    bool            `db:"alone"`
	Part     bool            `db:"part"` // for a part of the day, or for a value of a sub-parameter
}

const selectSpent = `SELECT day, campaign_id, coalesce(amount * rate, 0) AS counted, alone,
	(starts, ends, sub) <> (0, 86400, 0) AS part FROM spend
WHERE account_id = $1 AND source_id = $2 AND day >= $3::date AND day <= $4::date`

type connection struct {
	Zone     string     `db:"zone"`
	SyncedAt *time.Time `db:"synced_at"`
}

type sourceSheet struct {
	*comparison
	ours, theirs, utc map[difference.Cell]models.Figures // our figures by day in our zone, in theirs and in UTC
	rows              map[difference.Cell]platformDay
	read              map[string]bool // days that were read from the platform, and days with entered spend
	spent             map[difference.Cell]decimal.Decimal
	byHand            map[difference.Cell]bool // with spend for a part of the day or of the clicks
	replaced          map[string]bool          // spend without a campaign has replaced the spend of campaigns
	byDay             map[string]bool          // the reported figures name no campaign
}

// place returns the cell in which our figures for c are compared. If the reported figures of the day name no campaign, this is the
// cell of the day without a campaign. Otherwise it is c.
func (s *sourceSheet) place(c difference.Cell) difference.Cell {
	if s.byDay[c.Day] {
		c.Campaign = uuid.Nil
	}
	return c
}

func (s *sourceSheet) placed(figures map[difference.Cell]models.Figures) map[difference.Cell]models.Figures {
	out := make(map[difference.Cell]models.Figures, len(figures))
	for c, f := range figures {
		out[s.place(c)] = out[s.place(c)].Plus(f)
	}
	return out
}

// source compares the figures of a traffic source with ours.
func (k *comparison) source(ctx context.Context) error {
	found, err := db.Get[connection](ctx, k.Conn, "traffic source", `SELECT coalesce(i.zone, '') AS zone, i.synced_at FROM traffic_sources s
		LEFT JOIN source_integrations i ON i.source_id = s.id AND i.account_id = s.account_id WHERE s.account_id = $1 AND s.id = $2`,
		k.account, k.out.ID)
	if err != nil {
		return err
	}
	k.setZone(found.Zone)
	s := &sourceSheet{
		comparison: k, rows: map[difference.Cell]platformDay{}, read: map[string]bool{}, spent: map[difference.Cell]decimal.Decimal{},
		byHand: map[difference.Cell]bool{}, replaced: map[string]bool{}, byDay: map[string]bool{},
	}
	if err := s.load(ctx); err != nil {
		return err
	}
	if k.out.Basis == difference.FromPlatform {
		k.out.ReadAt = found.SyncedAt
	}
	cells := map[difference.Cell]bool{}
	for _, list := range []map[difference.Cell]models.Figures{s.ours, s.theirs, s.utc} {
		for c := range list {
			cells[c] = true
		}
	}
	for c := range s.rows {
		cells[c] = true
	}
	for c := range cells {
		s.compare(c)
	}
	return s.compareConversions(ctx)
}

func (s *sourceSheet) load(ctx context.Context) (err error) {
	if err := s.loadTheirs(ctx); err != nil {
		return err
	}
	const byCampaign = true
	if s.ours, err = s.figures(ctx, s.comparison.ours, byCampaign); err != nil {
		return err
	}
	s.theirs = s.ours
	if s.differ() {
		if s.theirs, err = s.figures(ctx, s.comparison.theirs, byCampaign); err != nil {
			return err
		}
	}
	s.utc = s.ours
	if s.comparison.ours != time.UTC {
		if s.utc, err = s.figures(ctx, time.UTC, byCampaign); err != nil {
			return err
		}
	}
	s.ours, s.theirs, s.utc = s.placed(s.ours), s.placed(s.theirs), s.placed(s.utc)
	spend, err := db.Select[spent](ctx, s.Conn, "spend", selectSpent, s.account, s.out.ID, s.out.From, s.out.To)
	for _, p := range spend {
		c := difference.Cell{Day: p.Day.Format(time.DateOnly), Campaign: p.Campaign}
		s.spent[s.place(c)] = s.spent[s.place(c)].Add(p.Counted)
		s.byHand[s.place(c)] = s.byHand[s.place(c)] || p.Part
		if p.Campaign == uuid.Nil && !p.Alone && !s.byDay[c.Day] {
			s.replaced[c.Day] = true
		}
	}
	return err
}

// loadTheirs reads the platform's figures, and determines which days and which figures can be compared.
func (s *sourceSheet) loadTheirs(ctx context.Context) error {
	list, err := db.Select[platformDay](ctx, s.Conn, "figures of the source", selectReported, s.account, s.out.ID, s.out.From, s.out.To)
	if err != nil {
		return err
	}
	days, err := db.Select[time.Time](ctx, s.Conn, "days of spend", `SELECT day FROM source_spend_days
		WHERE account_id = $1 AND source_id = $2 AND day >= $3::date AND day <= $4::date`, s.account, s.out.ID, s.out.From, s.out.To)
	if err != nil {
		return err
	}
	for _, d := range days {
		s.read[d.Format(time.DateOnly)] = true
		s.out.Basis = difference.FromPlatform
	}
	var amounts []amount
	for _, r := range list {
		if r.Currency == "" { // stored before the program had exchange rates
			r.Currency = s.out.Currency
		}
		c := r.cell()
		only, known := s.byDay[c.Day]
		s.byDay[c.Day] = (only || !known) && r.Campaign == uuid.Nil
		s.rows[c], s.read[c.Day] = r, true
		amounts = append(amounts, amount{r.Amount, r.Currency, r.Day})
		s.out.Compares.Clicks = s.out.Compares.Clicks || r.Clicks != nil
		switch {
		case r.Platform:
			s.out.Basis = difference.FromPlatform
		case s.out.Basis == difference.FromNothing:
			s.out.Basis = difference.FromSpend
		}
	}
	s.out.Compares.Money = s.out.Basis != difference.FromNothing
	return s.loadRates(ctx, amounts)
}

func (s *sourceSheet) compare(c difference.Cell) {
	ours := difference.Figures{Clicks: s.ours[c].Clicks, Money: s.ours[c].Cost.Round(6)}
	ours.Conversions = s.ours[c].Approved + s.ours[c].Pending
	s.sheet.AddOurs(c, ours)
	if !s.read[c.Day] {
		s.sheet.Explain(c, difference.NotRead, "", difference.Figures{Clicks: -ours.Clicks, Money: ours.Money.Neg()})
		return
	}
	row := s.rows[c]
	if row.Clicks != nil {
		s.sheet.AddTheirs(c, difference.Figures{Clicks: *row.Clicks})
	}
	recounted := s.theirs[c]
	s.sheet.Explain(c, difference.TimeZone, "", difference.Figures{Clicks: recounted.Clicks - ours.Clicks})
	s.sheet.Explain(c, difference.Bots, "", difference.Figures{Clicks: recounted.BotClicks})
	s.compareMoney(c, row, ours.Money)
}

// compareMoney explains the difference of money in a cell, step by step: their amount, the amount in our currency, the spend that
// counts, the cost on the day in UTC, the cost on the day in our zone. The spend of a platform's date is stored for the same date
// in UTC.
func (s *sourceSheet) compareMoney(c difference.Cell, row platformDay, cost decimal.Decimal) {
	a := amount{row.Amount, row.Currency, row.Day}
	theirs, converted := decimal.Zero, decimal.Zero
	if row.Currency != "" {
		theirs, converted = s.convert(a, s.rate(a))
	}
	s.sheet.AddTheirs(c, money(theirs))
	s.sheet.Explain(c, difference.Currency, "", money(theirs.Sub(converted)))
	inUTC := s.utc[c].Cost.Round(6)
	s.sheet.Explain(c, difference.TimeZone, "", money(inUTC.Sub(cost)))
	counted, set := s.spent[c]
	counted = counted.Round(6)
	switch {
	case s.replaced[c.Day]:
		s.sheet.Explain(c, difference.Correction, "spend was entered for the source as a whole", money(converted.Sub(inUTC)))
	case s.byHand[c]:
		s.sheet.Explain(c, difference.Correction, "cost was set by hand for a part of the day or of the clicks", money(converted.Sub(inUTC)))
	case set:
		s.sheet.Explain(c, difference.Correction, "spend was entered by hand", money(converted.Sub(counted)))
		s.sheet.Explain(c, difference.Late, "clicks were stored or judged after the spend was spread over the day's clicks",
			money(counted.Sub(inUTC)))
	}
}

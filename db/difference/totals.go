package difference

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/conversion"
	"switchyard/db/report"
	"switchyard/db/reported"
	"switchyard/models"
	"switchyard/models/difference"
)

// compareTotals compares the daily sums of a network, which name no campaign, with ours.
func (n *networkSheet) compareTotals(ctx context.Context) error {
	list, err := reported.ListTotals(ctx, n.Conn, n.account, n.out.ID, n.out.From, n.out.To)
	if err != nil {
		return err
	}
	var amounts []amount
	read := map[string]bool{}
	m := &n.out.Compares
	for _, t := range list {
		amounts = append(amounts, amount{t.Payout.Decimal, t.Currency, t.Day})
		read[t.Day.Format(time.DateOnly)] = true
		m.Clicks, m.Conversions, m.Money = m.Clicks || t.Clicks != nil, m.Conversions || t.Conversions != nil, m.Money || t.Payout.Valid
		n.out.ReadAt = latest(n.out.ReadAt, &t.ReadAt)
	}
	if err := n.loadRates(ctx, amounts); err != nil {
		return err
	}
	for _, t := range list {
		n.addTotals(t)
	}
	for c, f := range n.ours {
		if !read[c.Day] {
			n.sheet.Explain(c, difference.NotRead, "", difference.Figures{Clicks: -f.Clicks})
		}
	}
	if m.Clicks {
		if err := n.explainClicks(ctx, read); err != nil {
			return err
		}
	}
	if err := n.explainConversions(ctx, read); err != nil {
		return err
	}
	return n.eachRefused(ctx, func(c difference.Cell, f difference.Figures, p refusedPostback) {
		c.Campaign = uuid.Nil
		if read[c.Day] {
			n.sheet.Explain(c, p.cause(), p.reason(), f)
		}
	})
}

func (n *networkSheet) addTotals(t reported.Totals) {
	c := difference.Cell{Day: t.Day.Format(time.DateOnly)}
	f := difference.Figures{}
	if t.Clicks != nil {
		f.Clicks = *t.Clicks
	}
	if t.Conversions != nil {
		f.Conversions = *t.Conversions
	}
	a := amount{t.Payout.Decimal, t.Currency, t.Day}
	theirs, converted := n.convert(a, n.rate(a))
	f.Money = theirs
	n.sheet.AddTheirs(c, f)
	n.sheet.Explain(c, difference.Currency, "", money(theirs.Sub(converted)))
}

// explainClicks explains the difference of clicks. A network counts only visitors who reach the offer: clicks without a landing
// page, and click-outs.
func (n *networkSheet) explainClicks(ctx context.Context, read map[string]bool) error {
	const byCampaign = false
	recounted, err := n.figures(ctx, n.theirs, byCampaign)
	if err != nil {
		return err
	}
	direct, err := n.figures(ctx, n.theirs, byCampaign, report.Filter{Dimension: "lander_id", Values: []string{""}})
	if err != nil {
		return err
	}
	for day := range read {
		c := difference.Cell{Day: day}
		all := recounted[c]
		n.sheet.Explain(c, difference.TimeZone, "", difference.Figures{Clicks: all.Clicks - n.ours[c].Clicks})
		n.sheet.Explain(c, difference.Bots, "", difference.Figures{Clicks: direct[c].BotClicks})
		n.sheet.Explain(c, difference.Hops, "", difference.Figures{Clicks: direct[c].Clicks + all.LPClicks - all.Clicks})
	}
	return nil
}

// explainConversions adds our conversions and explains the difference of conversions and money. Networks count a conversion on
// its own day, and we count it on the day of its click.
func (n *networkSheet) explainConversions(ctx context.Context, read map[string]bool) error {
	from, to := n.bounds(n.theirs)
	since, until := n.bounds(n.comparison.ours)
	list, err := db.Select[pair](ctx, n.Conn, "conversions of a network", selectConverted, n.account, n.out.ID, from, to,
		models.FloorClickID(since), models.FloorClickID(until), difference.MaxConversions+1)
	if err != nil {
		return err
	}
	if len(list) > difference.MaxConversions {
		return tooMany("conversions", difference.MaxConversions)
	}
	explain := func(day, cause string, f difference.Figures) {
		if n.inWindow(day) && read[day] {
			n.sheet.Explain(difference.Cell{Day: day}, cause, "", f)
		}
	}
	for _, p := range list {
		f, click := p.counted(), models.ClickTime(p.ClickID)
		day := dayIn(click, n.comparison.ours)
		n.addOurs(difference.Cell{Day: day}, f)
		if n.inWindow(day) && !read[day] {
			n.sheet.Explain(difference.Cell{Day: day}, difference.NotRead, "", f.Neg())
		}
		days := [3]string{day, dayIn(click, n.theirs), dayIn(*p.RecordedAt, n.theirs)}
		for i, cause := range []string{difference.TimeZone, difference.ConversionDay} {
			if days[i] != days[i+1] {
				explain(days[i], cause, f.Neg())
				explain(days[i+1], cause, f)
			}
		}
	}
	return nil
}

const selectConverted = `
SELECT v.id, v.click_id, v.conversion_id, v.status, v.payout, v.currency, v.rate, v.source, v.recorded_at FROM conversions v
WHERE v.account_id = $1 AND v.network_id = $2 AND v.status IN ('approved', 'pending')
	AND (v.recorded_at >= $3 AND v.recorded_at < $4 OR v.click_id >= $5 AND v.click_id < $6) LIMIT $7`

// comparePostbacks compares our conversions with the postbacks that the network has sent. Money is not compared, because amounts
// of refused postbacks were not read.
func (n *networkSheet) comparePostbacks(ctx context.Context) error {
	list, err := n.readPairs(ctx)
	if err != nil {
		return err
	}
	for _, p := range list {
		f := difference.Figures{Conversions: p.counted().Conversions}
		c := difference.Cell{Day: dayIn(models.ClickTime(p.ClickID), n.comparison.ours), Campaign: p.Campaign}
		n.addOurs(c, p.counted())
		if p.Source == models.FromCorrection && f.Conversions > 0 {
			n.sheet.Explain(c, difference.Correction, byHand, f.Neg())
			n.addExample(c.Day, difference.Correction, byHand, p)
			continue
		}
		n.sheet.AddTheirs(c, f)
		n.out.Basis = difference.FromPostbacks
	}
	err = n.eachRefused(ctx, func(c difference.Cell, f difference.Figures, p refusedPostback) {
		n.out.Basis = difference.FromPostbacks
		n.sheet.AddTheirs(c, f)
		n.sheet.Explain(c, p.cause(), p.reason(), f)
		n.sheet.AddExample(difference.Example{Cause: p.cause(), Reason: p.reason(), Day: c.Day, ClickID: p.ClickID})
	})
	n.out.Compares.Conversions = n.out.Basis == difference.FromPostbacks
	return err
}

// refusedPostback is a postback that became no conversion, merged with equal ones.
type refusedPostback struct {
	At       time.Time `db:"at"`
	Outcome  string    `db:"outcome"`
	Detail   string    `db:"detail"`
	Campaign uuid.UUID `db:"campaign_id"`
	ClickID  uuid.UUID `db:"click_id"`
	Number   int       `db:"number"` // of equal postbacks
}

// Anyone who knows a click id can send many postbacks, so the query limits their number before it groups them.
const selectRefused = `
SELECT min(received_at) AS at, outcome, detail, coalesce(campaign_id, '` + db.ZeroID + `') AS campaign_id,
	coalesce(click_id, '` + db.ZeroID + `') AS click_id, count(*) AS number
FROM (
	SELECT received_at, params, outcome, detail, campaign_id, click_id
	FROM postbacks WHERE account_id = $1 AND network_id = $2 AND received_at >= $3 AND received_at < $4
		AND outcome IN ('refused', 'unmatched') LIMIT $5
) p GROUP BY params, outcome, detail, campaign_id, click_id ORDER BY 1`

func (p refusedPostback) cause() string {
	if p.Outcome == conversion.PostbackUnmatched {
		return difference.Unmatched
	}
	return difference.Refused
}

func (p refusedPostback) reason() string { return reasonOf(p.Detail) }

// eachRefused calls the function add for each postback of the window that became no conversion, but only once for equal postbacks.
func (n *networkSheet) eachRefused(ctx context.Context, add func(difference.Cell, difference.Figures, refusedPostback)) error {
	from, to := n.bounds(n.theirs)
	list, err := db.Select[refusedPostback](ctx, n.Conn, "refused postbacks", selectRefused, n.account, n.out.ID, from, to,
		difference.MaxRefused+1)
	number := 0
	for _, p := range list {
		number += p.Number
	}
	if err == nil && number > difference.MaxRefused {
		return tooMany("refused postbacks", difference.MaxRefused)
	}
	for _, p := range list {
		add(difference.Cell{Day: dayIn(p.At, n.theirs), Campaign: p.Campaign}, difference.Figures{Conversions: 1}, p)
	}
	return err
}

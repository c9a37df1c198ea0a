package models

import "github.com/shopspring/decimal"

// MoneyScale is the maximum number of decimals of a stored amount. Answers show six decimals. The cost of a single click may
// need more.
const MoneyScale = 10

// Figures are the counters that reports add up. A bot counts only in BotClicks. Money is exact.
type Figures struct {
	Clicks         int64           `db:"clicks"`
	UniqueClicks   int64           `db:"unique_clicks"`
	BotClicks      int64           `db:"bot_clicks"`
	LPViews        int64           `db:"lp_views"`
	LPClicks       int64           `db:"lp_clicks"`
	Approved       int64           `db:"approved"`
	Pending        int64           `db:"pending"`
	Rejected       int64           `db:"rejected"`
	Chargebacks    int64           `db:"chargebacks"`
	Cost           decimal.Decimal `db:"cost"`
	Revenue        decimal.Decimal `db:"revenue"` // payouts of approved conversions
	PendingRevenue decimal.Decimal `db:"pending_revenue"`
}

// Plus returns the sum of two sets of figures.
func (f Figures) Plus(o Figures) Figures {
	f.Clicks += o.Clicks
	f.UniqueClicks += o.UniqueClicks
	f.BotClicks += o.BotClicks
	f.LPViews += o.LPViews
	f.LPClicks += o.LPClicks
	f.Approved += o.Approved
	f.Pending += o.Pending
	f.Rejected += o.Rejected
	f.Chargebacks += o.Chargebacks
	f.Cost = f.Cost.Add(o.Cost)
	f.Revenue = f.Revenue.Add(o.Revenue)
	f.PendingRevenue = f.PendingRevenue.Add(o.PendingRevenue)
	return f
}

// Neg returns the negative of every figure. Adding the result to a sum undoes a count.
func (f Figures) Neg() Figures {
	return Figures{
		Clicks: -f.Clicks, UniqueClicks: -f.UniqueClicks, BotClicks: -f.BotClicks,
		LPViews: -f.LPViews, LPClicks: -f.LPClicks,
		Approved: -f.Approved, Pending: -f.Pending, Rejected: -f.Rejected, Chargebacks: -f.Chargebacks,
		Cost: f.Cost.Neg(), Revenue: f.Revenue.Neg(), PendingRevenue: f.PendingRevenue.Neg(),
	}
}

// IsZero reports whether every figure is zero.
func (f Figures) IsZero() bool {
	return f.Clicks == 0 && f.UniqueClicks == 0 && f.BotClicks == 0 && f.LPViews == 0 && f.LPClicks == 0 &&
		f.Approved == 0 && f.Pending == 0 && f.Rejected == 0 && f.Chargebacks == 0 &&
		f.Cost.IsZero() && f.Revenue.IsZero() && f.PendingRevenue.IsZero()
}

// Ratios are quotients of summed figures. A ratio is nil if it would divide by zero. LPCTR, CR, ROI and ApproveRate are
// percentages.
type Ratios struct {
	LPCTR       *decimal.Decimal // lander clicks / lander views
	CR          *decimal.Decimal // conversions / clicks
	ROI         *decimal.Decimal // profit / cost
	EPC         *decimal.Decimal // revenue / clicks
	CPC         *decimal.Decimal // cost / clicks
	CPA         *decimal.Decimal // cost / conversions
	ApproveRate *decimal.Decimal // approved / (approved + rejected + pending)
}

// Conversions returns the number of approved and pending conversions.
func (f Figures) Conversions() int64 { return f.Approved + f.Pending }

// Profit returns revenue minus cost.
func (f Figures) Profit() decimal.Decimal { return f.Revenue.Sub(f.Cost) }

const ratioScale = 6 // decimals

// Ratios returns the ratios of the figures, rounded to six decimals.
func (f Figures) Ratios() Ratios {
	count, hundred := decimal.NewFromInt, decimal.NewFromInt(100)
	percent := func(a, b decimal.Decimal) *decimal.Decimal { return ratio(a.Mul(hundred), b) }
	clicks, conversions := count(f.Clicks), count(f.Conversions())
	return Ratios{
		LPCTR:       percent(count(f.LPClicks), count(f.LPViews)),
		CR:          percent(conversions, clicks),
		ROI:         percent(f.Profit(), f.Cost),
		EPC:         ratio(f.Revenue, clicks),
		CPC:         ratio(f.Cost, clicks),
		CPA:         ratio(f.Cost, conversions),
		ApproveRate: percent(count(f.Approved), count(f.Approved+f.Rejected+f.Pending)),
	}
}

func ratio(a, b decimal.Decimal) *decimal.Decimal {
	if b.IsZero() {
		return nil
	}
	q := a.DivRound(b, ratioScale)
	return &q
}

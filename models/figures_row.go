package models

// FigureRow holds figures and their ratios as answers and report files show them. Its fields are the columns, in the order of
// the columns. A ratio is null if it would divide by zero. lp_ctr, cr, roi and approve_rate are percentages.
type FigureRow struct {
	Clicks         int64  `json:"clicks" doc:"without bots"`
	UniqueClicks   int64  `json:"unique_clicks"`
	BotClicks      int64  `json:"bot_clicks"`
	LPViews        int64  `json:"lp_views"`
	LPClicks       int64  `json:"lp_clicks"`
	LPCTR          *Money `json:"lp_ctr" doc:"percent"`
	Conversions    int64  `json:"conversions" doc:"approved and pending"`
	Approved       int64  `json:"approved"`
	Pending        int64  `json:"pending"`
	Rejected       int64  `json:"rejected"`
	Chargebacks    int64  `json:"chargebacks"`
	CR             *Money `json:"cr" doc:"percent"`
	Cost           Money  `json:"cost"`
	Revenue        Money  `json:"revenue" doc:"approved payouts"`
	PendingRevenue Money  `json:"pending_revenue"`
	Profit         Money  `json:"profit"`
	ROI            *Money `json:"roi" doc:"percent"`
	EPC            *Money `json:"epc"`
	CPC            *Money `json:"cpc"`
	CPA            *Money `json:"cpa"`
	ApproveRate    *Money `json:"approve_rate" doc:"percent"`
}

// Row returns the row of the figures.
func (f Figures) Row() FigureRow {
	r := f.Ratios()
	return FigureRow{
		Clicks: f.Clicks, UniqueClicks: f.UniqueClicks, BotClicks: f.BotClicks, LPViews: f.LPViews, LPClicks: f.LPClicks,
		Conversions: f.Conversions(), Approved: f.Approved, Pending: f.Pending, Rejected: f.Rejected,
		Chargebacks: f.Chargebacks, Cost: NewMoney(f.Cost), Revenue: NewMoney(f.Revenue),
		PendingRevenue: NewMoney(f.PendingRevenue), Profit: NewMoney(f.Profit()),
		LPCTR: MoneyOf(r.LPCTR), CR: MoneyOf(r.CR), ROI: MoneyOf(r.ROI), EPC: MoneyOf(r.EPC), CPC: MoneyOf(r.CPC),
		CPA: MoneyOf(r.CPA), ApproveRate: MoneyOf(r.ApproveRate),
	}
}

// LossRow is a click loss as answers and report files show it. Its fields are the columns, in the order of the columns.
type LossRow struct {
	SourceClicks int64  `json:"source_clicks" doc:"as the source counted them"`
	Redirects    int64  `json:"redirects" doc:"clicks that arrived, bots too"`
	LPViews      int64  `json:"lp_views"`
	LPClicks     int64  `json:"lp_clicks"`
	LossPct      *Money `json:"loss_pct" doc:"how much of the source's clicks did not arrive, in per cent; below 0: more arrived"`
}

// Row returns the row of a click loss.
func (l ClickLoss) Row() LossRow {
	return LossRow{l.SourceClicks, l.Redirects, l.LPViews, l.LPClicks, MoneyOf(l.Percent())}
}

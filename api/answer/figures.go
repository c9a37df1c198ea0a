package answer

import (
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// Figures are the columns of clicks, conversions and money that lists show for their window. A ratio is null where it
// would divide by zero; lp_ctr, cr, roi and approve_rate are percentages.
type Figures struct {
	Clicks         int64         `json:"clicks" doc:"without bots"`
	UniqueClicks   int64         `json:"unique_clicks"`
	BotClicks      int64         `json:"bot_clicks"`
	LPViews        int64         `json:"lp_views"`
	LPClicks       int64         `json:"lp_clicks"`
	LPCTR          *models.Money `json:"lp_ctr" doc:"percent"`
	Conversions    int64         `json:"conversions" doc:"approved and pending"`
	Approved       int64         `json:"approved"`
	Pending        int64         `json:"pending"`
	Rejected       int64         `json:"rejected"`
	Chargebacks    int64         `json:"chargebacks"`
	CR             *models.Money `json:"cr" doc:"percent"`
	Cost           models.Money  `json:"cost"`
	Revenue        models.Money  `json:"revenue" doc:"approved payouts"`
	PendingRevenue models.Money  `json:"pending_revenue"`
	Profit         models.Money  `json:"profit"`
	ROI            *models.Money `json:"roi" doc:"percent"`
	EPC            *models.Money `json:"epc"`
	CPC            *models.Money `json:"cpc"`
	CPA            *models.Money `json:"cpa"`
	ApproveRate    *models.Money `json:"approve_rate" doc:"percent"`
}

// ShowFigures gives figures as answers show them.
func ShowFigures(f models.Figures) Figures {
	r := f.Ratios()
	return Figures{
		Clicks: f.Clicks, UniqueClicks: f.UniqueClicks, BotClicks: f.BotClicks, LPViews: f.LPViews, LPClicks: f.LPClicks,
		Conversions: f.Conversions(), Approved: f.Approved, Pending: f.Pending, Rejected: f.Rejected,
		Chargebacks: f.Chargebacks, Cost: models.NewMoney(f.Cost), Revenue: models.NewMoney(f.Revenue),
		PendingRevenue: models.NewMoney(f.PendingRevenue), Profit: models.NewMoney(f.Profit()),
		LPCTR: Ratio(r.LPCTR), CR: Ratio(r.CR), ROI: Ratio(r.ROI), EPC: Ratio(r.EPC), CPC: Ratio(r.CPC), CPA: Ratio(r.CPA),
		ApproveRate: Ratio(r.ApproveRate),
	}
}

// Ratio gives a ratio as answers show it: null where there is none.
func Ratio(d *decimal.Decimal) *models.Money {
	if d == nil {
		return nil
	}
	m := models.NewMoney(*d)
	return &m
}

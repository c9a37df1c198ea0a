package v1

import (
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/db/report"
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

// showFigures gives figures as answers show them.
func showFigures(f models.Figures) Figures {
	r := f.Ratios()
	return Figures{
		Clicks: f.Clicks, UniqueClicks: f.UniqueClicks, BotClicks: f.BotClicks, LPViews: f.LPViews, LPClicks: f.LPClicks,
		Conversions: f.Conversions(), Approved: f.Approved, Pending: f.Pending, Rejected: f.Rejected,
		Chargebacks: f.Chargebacks, Cost: models.NewMoney(f.Cost), Revenue: models.NewMoney(f.Revenue),
		PendingRevenue: models.NewMoney(f.PendingRevenue), Profit: models.NewMoney(f.Profit()),
		LPCTR: ratio(r.LPCTR), CR: ratio(r.CR), ROI: ratio(r.ROI), EPC: ratio(r.EPC), CPC: ratio(r.CPC), CPA: ratio(r.CPA),
		ApproveRate: ratio(r.ApproveRate),
	}
}

func ratio(d *decimal.Decimal) *models.Money {
	if d == nil {
		return nil
	}
	m := models.NewMoney(*d)
	return &m
}

// figuresOf reads the figures of some records for a window, in their order. Dimension is the report's name for them
// (offer_id); a record in which nothing happened has zeros.
func figuresOf[R any](c *route.Call, dimension string, w bind.Window, records []R, id func(R) uuid.UUID) (
	[]Figures, error,
) {
	if len(records) == 0 {
		return nil, nil
	}
	ids := make([]uuid.UUID, len(records))
	for i, r := range records {
		ids[i] = id(r)
	}
	found, err := report.FiguresOf(c.Context(), c.Store.Conn(), c.Account.ID, dimension, ids, w.From, w.End())
	if err != nil {
		return nil, err
	}
	out := make([]Figures, len(records))
	for i := range ids {
		out[i] = showFigures(found[ids[i]])
	}
	return out, nil
}

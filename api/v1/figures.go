package v1

import "switchyard/models"

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

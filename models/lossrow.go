package models

// LossRow is a click loss as answers and report files contain it.
type LossRow struct {
	SourceClicks int64  `json:"source_clicks" doc:"number of clicks that the source counted"`
	Redirects    int64  `json:"redirects" doc:"number of clicks that arrived, including bots"`
	LPViews      int64  `json:"lp_views"`
	LPClicks     int64  `json:"lp_clicks"`
	LossPct      *Money `json:"loss_pct" doc:"the part of the source's clicks that did not arrive, in percent; below 0: more clicks arrived"`
}

// Row returns the row of a click loss.
func (l ClickLoss) Row() LossRow {
	return LossRow{l.SourceClicks, l.Redirects, l.LPViews, l.LPClicks, MoneyOf(l.Percent())}
}

package models

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

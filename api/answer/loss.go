package answer

import "switchyard/models"

// ClickLoss compares the clicks that a traffic source counted with what arrived on those days.
type ClickLoss struct {
	SourceClicks int64         `json:"source_clicks" doc:"as the source counted them"`
	Redirects    int64         `json:"redirects" doc:"clicks that arrived, bots too"`
	LPViews      int64         `json:"lp_views"`
	LPClicks     int64         `json:"lp_clicks"`
	LossPct      *models.Money `json:"loss_pct" doc:"how much of the source's clicks did not arrive, in per cent; below 0: more arrived"`
}

// LossOf shows a click loss; nil stays nil.
func LossOf(l *models.ClickLoss) *ClickLoss {
	if l == nil {
		return nil
	}
	return &ClickLoss{l.SourceClicks, l.Redirects, l.LPViews, l.LPClicks, models.MoneyOf(l.Percent())}
}

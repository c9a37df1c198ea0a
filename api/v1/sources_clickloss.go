package v1

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/clicklog"
	"switchyard/models"
)

// ClickLoss compares the clicks that a traffic source counted with what arrived on those days.
type ClickLoss struct {
	SourceClicks int64         `json:"source_clicks" doc:"as the source counted them"`
	Redirects    int64         `json:"redirects" doc:"clicks that arrived, bots too"`
	LPViews      int64         `json:"lp_views"`
	LPClicks     int64         `json:"lp_clicks"`
	LossPct      *models.Money `json:"loss_pct" doc:"how much of the source's clicks did not arrive, in per cent; below 0: more arrived"`
}

// ClickLossDay is the click loss of a day.
type ClickLossDay struct {
	Day string `json:"day" doc:"YYYY-MM-DD, UTC"`
	ClickLoss
}

func (l ClickLoss) plus(d clicklog.LossDay) ClickLoss {
	l.SourceClicks, l.Redirects = l.SourceClicks+d.SourceClicks, l.Redirects+d.Redirects
	l.LPViews, l.LPClicks = l.LPViews+d.LPViews, l.LPClicks+d.LPClicks
	if l.LossPct = nil; l.SourceClicks > 0 {
		lost := decimal.NewFromInt(100*(l.SourceClicks-l.Redirects)).DivRound(decimal.NewFromInt(l.SourceClicks), 2)
		pct := models.NewMoney(lost)
		l.LossPct = &pct
	}
	return l
}

// sourceRows are the rows of GET /traffic-sources, each with the click loss of the days of the window.
func sourceRows(c *route.Call, page []models.TrafficSource) (func(models.TrafficSource, answer.Figures) SourceRow, error) {
	ids := make([]uuid.UUID, len(page))
	for i, s := range page {
		ids[i] = s.ID
	}
	days, err := clicklog.Log{}.ClickLoss(c.Context(), c.Store.Conn(), c.Account.ID, ids, c.Window.From, c.Window.To)
	lost := map[uuid.UUID]*ClickLoss{}
	for _, d := range days {
		sum := ClickLoss{}
		if have := lost[d.SourceID]; have != nil {
			sum = *have
		}
		sum = sum.plus(d)
		lost[d.SourceID] = &sum
	}
	return func(o models.TrafficSource, f answer.Figures) SourceRow {
		return SourceRow{sourceAnswer(o), f, lost[o.ID]}
	}, err
}

// shownLossDays is of how many days the integration shows the click loss.
const shownLossDays = 14

// clickLossDays is the click loss of each of the last days of a source.
func clickLossDays(c *route.Call, source uuid.UUID) ([]ClickLossDay, error) {
	now := time.Now()
	days, err := clicklog.Log{}.ClickLoss(c.Context(), c.Store.Conn(), c.Account.ID, []uuid.UUID{source}, now.AddDate(0, 0, 1-shownLossDays), now)
	return answer.Each(days, func(d clicklog.LossDay) ClickLossDay {
		return ClickLossDay{d.Day.Format(time.DateOnly), ClickLoss{}.plus(d)}
	}), err
}

package v1

import (
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/spend"
	"switchyard/models"
)

// ClickLossDay is the click loss of a day.
type ClickLossDay struct {
	Day string `json:"day" doc:"YYYY-MM-DD, UTC"`
	answer.ClickLoss
}

// sourceRows returns a function that makes the rows of GET /traffic-sources, with each source's click loss in the window.
func sourceRows(c *route.Call, page []models.TrafficSource) (func(models.TrafficSource, answer.Figures) SourceRow, error) {
	ids := answer.Each(page, models.TrafficSource.RecordID)
	days, err := spend.ClickLoss(c.Context(), c.Store.Conn(), c.Account.ID, ids, c.Window.From, c.Window.To)
	lost := map[uuid.UUID]*models.ClickLoss{}
	for _, d := range days {
		lost[d.SourceID] = lost[d.SourceID].Plus(d.ClickLoss)
	}
	return func(o models.TrafficSource, f answer.Figures) SourceRow {
		return SourceRow{sourceAnswer(o), f, answer.LossOf(lost[o.ID])}
	}, err
}

// listedLossDays is the number of days in click_loss, including today.
const listedLossDays = 14

// clickLossDays returns the click loss of a source by day. Days without clicks reported by the source are left out.
func clickLossDays(c *route.Call, source uuid.UUID) ([]ClickLossDay, error) {
	now := time.Now()
	days, err := spend.ClickLoss(c.Context(), c.Store.Conn(), c.Account.ID, []uuid.UUID{source}, now.AddDate(0, 0, 1-listedLossDays), now)
	return answer.Each(days, func(d spend.LossDay) ClickLossDay {
		return ClickLossDay{d.Day.Format(time.DateOnly), *answer.LossOf(&d.ClickLoss)}
	}), err
}

package answer

import "switchyard/models"

// ClickLoss compares the clicks that a traffic source counted with the clicks that arrived on the same days.
type ClickLoss models.LossRow

// LossOf makes the answer for a click loss.
func LossOf(l *models.ClickLoss) *ClickLoss {
	if l == nil {
		return nil
	}
	return new(ClickLoss(l.Row()))
}

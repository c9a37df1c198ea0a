package answer

import "switchyard/models"

// ClickLoss compares the clicks that a traffic source counted with what arrived on those days.
type ClickLoss models.LossRow

// LossOf shows a click loss; nil stays nil.
func LossOf(l *models.ClickLoss) *ClickLoss {
	if l == nil {
		return nil
	}
	row := ClickLoss(l.Row())
	return &row
}

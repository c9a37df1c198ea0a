package answer

import "switchyard/models"

// Figures are the columns of clicks, conversions and money that lists show for their window.
type Figures = models.FigureRow

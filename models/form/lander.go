package form

import "switchyard/models"

// LanderBody is the body of POST /landers.
type LanderBody struct{ models.LanderFields }

// Record returns the landing page that the body describes.
func (b LanderBody) Record() (models.Lander, error) {
	return models.Lander{LanderFields: b.LanderFields, Protection: models.DefaultProtection()}, nil
}

package form

import (
	"encoding/json"

	"github.com/google/uuid"

	"switchyard/models"
)

// CampaignBody is the body of POST /campaigns. Null means the same as leaving the field out.
type CampaignBody struct {
	Name   string `json:"name" bad:"invalid_input" required:"name_required" trim:"true" maxLength:"255"`
	Alias  string `json:"alias" bad:"invalid_alias" required:"invalid_alias" format:"alias" doc:"on the shared link domain it is replaced by a generated alias; to choose the alias, put the campaign on a domain of your own"`
	Status string `json:"status" bad:"invalid_status" optional:"true" trim:"true" enum:"active,paused" doc:"active or paused; PATCH also accepts archived"`

	models.CampaignSettings `optional:"true"`

	Streams  json.RawMessage `json:"streams" is:"paths" doc:"a full flow: an array of Path"`
	FlowID   uuid.UUID       `json:"flow_id" bad:"invalid_flow" doc:"an active saved flow whose paths are copied if streams is left out"`
	OfferID  uuid.UUID       `json:"offer_id" bad:"invalid_destination" doc:"offer of a flow with one path, if streams and flow_id are left out"`
	LanderID uuid.UUID       `json:"lander_id" bad:"invalid_destination" doc:"landing page of a flow with one path, if streams and flow_id are left out"`
}

// Record returns the new campaign that the body describes.
func (b CampaignBody) Record() (models.Campaign, error) {
	c := models.Campaign{Name: b.Name, Alias: b.Alias, Status: b.Status, CampaignSettings: b.CampaignSettings}
	return c, CheckUniqueness(&c)
}

// CheckUniqueness returns an error if the uniqueness method is "param" but the name of the parameter is missing.
func CheckUniqueness(c *models.Campaign) error {
	if c.UniquenessMethod == models.UniqueByParam && c.UniquenessParam == "" {
		return models.Invalid("uniqueness_param_required", "the uniqueness_method \"param\" needs the name of a parameter in uniqueness_param")
	}
	return nil
}

package form

import (
	"switchyard/models"
	"switchyard/models/bind"
)

// OfferBody is the body of POST /offers.
type OfferBody struct {
	models.OfferFields
	GroupSent bind.Opt[string] `json:"group_name" trim:"true" maxLength:"255"`
	Group     bind.Opt[string] `json:"group" trim:"true" maxLength:"255" doc:"another name for group_name; if both are sent, group_name counts"`
}

// Record returns the offer that the body describes.
func (b OfferBody) Record() (models.Offer, error) {
	o := models.Offer{OfferFields: b.OfferFields}
	o.GroupName = b.GroupSent.Or(b.Group.Value)
	return o, nil
}

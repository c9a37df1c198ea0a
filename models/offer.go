package models

import "github.com/google/uuid"

// Offer is the destination at which a visitor can convert.
type Offer struct {
	Owned
	OfferFields
	Pausable
}

// OfferFields are the fields of an offer that an account chooses.
type OfferFields struct {
	Name            string        `db:"name" json:"name" required:"true" trim:"true" maxLength:"255"`
	URL             string        `db:"url" json:"url" required:"true" trim:"true" maxLength:"4000" format:"routable" send:"http(s); {token} placeholders allowed"`
	NetworkID       uuid.NullUUID `db:"network_id" json:"network_id" bad:"invalid_network" send:"an affiliate network on this account"`
	Payout          Money         `db:"payout" json:"payout" bad:"invalid_number,out_of_range" min:"0" max:"1000000000" default:"0"`
	PayoutType      string        `db:"payout_type" json:"payout_type" enum:"fixed,percent" default:"fixed"`
	Currency        string        `db:"currency" json:"currency" loose:"true" format:"currency" default:"USD" send:"three letters; anything else is read as USD"`
	Country         string        `db:"country" json:"country" bad:"invalid_country" trim:"true" format:"country" send:"two letters, or empty"`
	DailyCap        *int          `db:"daily_cap" json:"daily_cap" bad:"invalid_number,out_of_range" min:"1" max:"1000000" send:"conversions per day"` // nil: no cap
	Notes           string        `db:"notes" json:"notes" maxLength:"2000"`
	GroupName       string        `db:"group_name" json:"group_name" trim:"true" maxLength:"255"`
	PayoutFromParam bool          `db:"payout_from_param" json:"payout_from_param" optional:"true" default:"true" send:"take the payout from the postback"`
	Tags            Tags          `db:"tags" json:"tags"`
}

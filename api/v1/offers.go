package v1

import (
	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
)

// offers are the rows of /offers.
func offers() []route.Route {
	const group = "Offers"
	res := resource[models.Offer, OfferAnswer]{
		table:  func(s *store.Store) table[models.Offer] { return s.Offers() },
		own:    func(o *models.Offer, account, id uuid.UUID) { o.AccountID, o.ID = account, id },
		answer: offerAnswer,
	}
	bodyCodes := route.Codes("400 required too_long invalid_url invalid_number out_of_range invalid_network "+
		"invalid_country", "409 duplicate_name")
	return []route.Route{
		{
			Method: "GET", Path: "/offers", Group: group, Summary: "offers with figures for the window",
			Window: true, Page: true,
			Handle: list((*store.Store).Offers, "offer_id", func(o models.Offer) uuid.UUID { return o.ID }, offerRow),
		},
		{
			Method: "POST", Path: "/offers", Group: group, Summary: "create an offer", Scope: route.Write, Status: 201,
			Codes: bodyCodes, Handle: create[OfferBody](res),
		},
		{
			Method: "PUT", Path: "/offers", Group: group, Summary: "replace an offer", Scope: route.Write,
			Codes: append(answer.IDCodes, bodyCodes...), Handle: put[OfferPut](res, offerAnswer),
		},
		{
			Method: "PATCH", Path: "/offers", Group: group, Summary: "pause or resume an offer", Scope: route.Write,
			Codes: toggleCodes, Handle: toggle((*store.Store).Offers, toggledStatus),
		},
		{
			Method: "DELETE", Path: "/offers", Group: group, Summary: "deactivate an offer", Scope: route.Write,
			Query: answer.QueryID, Codes: answer.IDCodes, Handle: deactivate((*store.Store).Offers),
		},
		{
			Method: "POST", Path: "/offers/{id}/clone", Group: group, Summary: "copy an offer", Scope: route.Write,
			Status: 201, BadID: "invalid_id", Codes: answer.IDCodes, Handle: clone((*store.Store).Offers, offerAnswer),
		},
	}
}

// OfferBody is the body of POST /offers.
type OfferBody struct {
	Name            string             `json:"name" required:"true" trim:"true" maxLength:"255"`
	URL             string             `json:"url" required:"true" trim:"true" maxLength:"4000" format:"routable" doc:"http(s); {token} placeholders allowed"`
	NetworkID       uuid.UUID          `json:"network_id" bad:"invalid_network" doc:"an affiliate network on this account"`
	Payout          models.Money       `json:"payout" bad:"invalid_number,out_of_range" min:"0" max:"1000000000" default:"0"`
	PayoutType      string             `json:"payout_type" enum:"fixed,percent" default:"fixed"`
	Currency        bind.LooseCurrency `json:"currency" default:"USD" doc:"three letters; anything else is read as USD"`
	Country         string             `json:"country" bad:"invalid_country" trim:"true" format:"country" doc:"two letters, or empty"`
	DailyCap        *int               `json:"daily_cap" bad:"invalid_number,out_of_range" min:"1" max:"1000000" doc:"conversions per day"`
	Notes           string             `json:"notes" maxLength:"2000"`
	GroupName       string             `json:"group_name" trim:"true" maxLength:"255"`
	PayoutFromParam bind.Opt[bool]     `json:"payout_from_param" default:"true" doc:"take the payout from the postback"`
	Tags            bind.Tags          `json:"tags"`
}

// OfferPut is the body of PUT /offers: every field is written, one left out goes back to its default.
type OfferPut struct {
	bind.ID
	OfferBody
}

// Record gives the offer that the body describes.
func (b OfferBody) Record() (models.Offer, error) {
	return models.Offer{
		Name: b.Name, URL: b.URL, NetworkID: b.NetworkID, Payout: b.Payout, PayoutType: b.PayoutType,
		Currency: string(b.Currency), Country: b.Country, DailyCap: b.DailyCap, Notes: b.Notes, GroupName: b.GroupName,
		PayoutFromParam: b.PayoutFromParam.Value, Tags: b.Tags,
	}, nil
}

// OfferAnswer is the saved offer. Group and group_name carry the same value.
type OfferAnswer struct {
	ID              uuid.UUID    `json:"id"`
	Name            string       `json:"name"`
	URL             string       `json:"url"`
	NetworkID       *uuid.UUID   `json:"network_id"`
	Payout          models.Money `json:"payout"`
	PayoutType      string       `json:"payout_type" enum:"fixed,percent"`
	Currency        string       `json:"currency"`
	Country         string       `json:"country"`
	DailyCap        *int         `json:"daily_cap"`
	Notes           string       `json:"notes"`
	GroupName       string       `json:"group_name"`
	Group           string       `json:"group" doc:"the same as group_name"`
	PayoutFromParam bool         `json:"payout_from_param"`
	Tags            []string     `json:"tags"`
	Status          string       `json:"status" enum:"active,paused"`
	CreatedAt       string       `json:"created_at"`
	UpdatedAt       string       `json:"updated_at"`
}

func offerAnswer(o models.Offer) OfferAnswer {
	return OfferAnswer{
		ID: o.ID, Name: o.Name, URL: o.URL, NetworkID: answer.IDOrNull(o.NetworkID), Payout: o.Payout,
		PayoutType: o.PayoutType, Currency: o.Currency, Country: o.Country, DailyCap: o.DailyCap, Notes: o.Notes,
		GroupName: o.GroupName, Group: o.GroupName, PayoutFromParam: o.PayoutFromParam, Tags: o.Tags,
		Status: models.StatusOf(o.IsActive), CreatedAt: answer.Stamp(o.CreatedAt), UpdatedAt: answer.Stamp(o.UpdatedAt),
	}
}

// OfferRow is an offer in the list.
type OfferRow struct {
	OfferAnswer
	answer.Figures
}

func offerRow(o models.Offer, f answer.Figures) OfferRow { return OfferRow{offerAnswer(o), f} }

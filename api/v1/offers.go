package v1

import (
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/check"
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
			Handle: list(res, "offer_id", func(o models.Offer) uuid.UUID { return o.ID }, offerRow),
		},
		{
			Method: "POST", Path: "/offers", Group: group, Summary: "create an offer", Scope: route.Write, Status: 201,
			Codes: bodyCodes, Handle: create[OfferBody](res),
		},
		{
			Method: "PUT", Path: "/offers", Group: group, Summary: "replace an offer", Scope: route.Write,
			Codes: append(idCodes, bodyCodes...), Handle: put[OfferPut](res, offerAnswer),
		},
		{
			Method: "PATCH", Path: "/offers", Group: group, Summary: "pause or resume an offer", Scope: route.Write,
			Codes: toggleCodes, Handle: toggle(res),
		},
		{
			Method: "DELETE", Path: "/offers", Group: group, Summary: "deactivate an offer", Scope: route.Write,
			Query: queryID, Codes: idCodes, Handle: deactivate(res),
		},
		{
			Method: "POST", Path: "/offers/{id}/clone", Group: group, Summary: "copy an offer", Scope: route.Write,
			Status: 201, BadID: "invalid_id", Codes: idCodes, Handle: clone((*store.Store).Offers, offerAnswer),
		},
	}
}

// OfferBody is the body of POST /offers.
type OfferBody struct {
	Name            string          `json:"name" required:"true" maxLength:"255"`
	URL             string          `json:"url" required:"true" doc:"http(s); {token} placeholders allowed"`
	NetworkID       uuid.UUID       `json:"network_id" bad:"invalid_network" doc:"an affiliate network on this account"`
	Payout          decimal.Decimal `json:"payout" bad:"invalid_number" min:"0" max:"1000000000" default:"0"`
	PayoutType      string          `json:"payout_type" enum:"fixed,percent" default:"fixed"`
	Currency        bind.LooseText  `json:"currency" default:"USD" doc:"three letters; anything else is read as USD"`
	Country         string          `json:"country" bad:"invalid_country" doc:"two letters, or empty"`
	DailyCap        *int            `json:"daily_cap" bad:"invalid_number" min:"1" max:"1000000" doc:"conversions per day"`
	Notes           string          `json:"notes" maxLength:"2000"`
	GroupName       string          `json:"group_name" maxLength:"255"`
	PayoutFromParam bind.Opt[bool]  `json:"payout_from_param" default:"true" doc:"take the payout from the postback"`
	Tags            []string        `json:"tags" maxItems:"20"`
}

// OfferPut is the body of PUT /offers: every field is written, one left out goes back to its default.
type OfferPut struct {
	bind.ID
	OfferBody
}

const maxPayout = 1_000_000_000

// Record checks the body.
func (b OfferBody) Record() (models.Offer, error) {
	o := models.Offer{
		Name: strings.TrimSpace(b.Name), URL: strings.TrimSpace(b.URL), NetworkID: b.NetworkID,
		Payout: models.NewMoney(b.Payout), PayoutType: b.PayoutType, Currency: check.Currency(string(b.Currency)),
		DailyCap: b.DailyCap, Notes: b.Notes, GroupName: strings.TrimSpace(b.GroupName),
		PayoutFromParam: b.PayoutFromParam.Or(true),
	}
	if o.PayoutType == "" {
		o.PayoutType = models.PayoutFixed
	}
	err := check.First(
		check.Name("name", o.Name),
		check.Required("url", o.URL),
		routable("invalid_url", "url", o.URL),
		check.Range("payout", b.Payout, 0, maxPayout),
		check.OneOf("invalid_input", "payout_type", o.PayoutType, models.PayoutFixed, models.PayoutPercent),
		check.Text("notes", o.Notes, 2000),
		check.Text("group_name", o.GroupName, 255),
	)
	if err == nil && o.DailyCap != nil {
		err = check.IntRange("daily_cap", *o.DailyCap, 1, 1_000_000)
	}
	if err == nil {
		o.Country, err = check.Country(b.Country)
	}
	if err == nil {
		o.Tags, err = check.Tags(b.Tags)
	}
	return o, err
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
		ID: o.ID, Name: o.Name, URL: o.URL, NetworkID: idOrNull(o.NetworkID), Payout: o.Payout,
		PayoutType: o.PayoutType, Currency: o.Currency, Country: o.Country, DailyCap: o.DailyCap, Notes: o.Notes,
		GroupName: o.GroupName, Group: o.GroupName, PayoutFromParam: o.PayoutFromParam, Tags: o.Tags,
		Status: models.StatusOf(o.IsActive), CreatedAt: stamp(o.CreatedAt), UpdatedAt: stamp(o.UpdatedAt),
	}
}

// OfferRow is an offer in the list.
type OfferRow struct {
	OfferAnswer
	Figures
}

func offerRow(o models.Offer, f Figures) OfferRow { return OfferRow{offerAnswer(o), f} }

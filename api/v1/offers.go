package v1

import (
	"slices"
	"time"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/form"
)

// offers returns the routes of /offers.
func offers(d Deps) []route.Route {
	res := resource.Kind[store.Offers, models.Offer, OfferAnswer]{
		Group: "Offers", Path: "/offers", Table: (*store.Store).Offers, Answer: offerAnswer,
		Filters: resource.UseFilters,
		Codes: route.Codes("400 required too_long invalid_url invalid_number out_of_range invalid_network invalid_country",
			"409 duplicate_name"),
	}
	return append(replacing(res, "an offer", "offer_id", (*store.Store).OfferDestinations), []route.Route{
		resource.ListFigures(d.Reports, res, "offers with figures for the window", "offer_id", d.offerRows),
		resource.Create[form.OfferBody](res, "create an offer"),
		resource.Put[OfferPut](res, "replace an offer", offerAnswer),
		resource.Toggle(res, "pause or resume an offer; is_active true also restores a deactivated offer", resource.ToggledStatus, resource.RestoreCodes...),
		resource.RemoveUsed(res, "deactivate an offer; flows that use it then skip it", resource.DeactivatedWith),
		resource.Clone(res, "copy an offer", offerAnswer),
		bulkLabels(res, "offers", labelledOffers),
	}...)
}

// OfferPut is the body of PUT /offers. It replaces every field.
type OfferPut struct {
	bind.ID
	form.OfferBody
}

// OfferAnswer is a saved offer.
type OfferAnswer struct {
	models.Offer
	Group string `json:"group" doc:"the same as group_name"`
}

func offerAnswer(o models.Offer) OfferAnswer { return OfferAnswer{o, o.GroupName} }

// OfferRow is an offer of the list, with figures.
type OfferRow struct {
	OfferAnswer
	answer.Figures
	CappedToday bool       `json:"capped_today" doc:"the offer has reached its daily_cap of conversions for today, in the account's time zone; no visitor is sent to it"`
	LastCheck   *LastCheck `json:"last_check" doc:"the last check of its current URL; null: the URL has not been checked yet"`
}

func (d Deps) offerRows(c *route.Call, page []models.Offer) (func(models.Offer, answer.Figures) OfferRow, error) {
	checks, err := lastChecks(c, models.LinkOffer, page)
	if err != nil {
		return nil, err
	}
	capped, err := d.cappedToday(c, page)
	return func(o models.Offer, f answer.Figures) OfferRow {
		return OfferRow{offerAnswer(o), f, capped(o), checks(o.ID)}
	}, err
}

// cappedToday returns a function that reports whether an offer has reached its daily cap.
func (d Deps) cappedToday(c *route.Call, offers []models.Offer) (func(models.Offer) bool, error) {
	if !slices.ContainsFunc(offers, func(o models.Offer) bool { return o.DailyCap != nil }) {
		return func(models.Offer) bool { return false }, nil
	}
	start := c.Account.DayStart(time.Now())
	// The end lies in the future, to include all conversions until now.
	have, err := d.reports(c).ConversionsIn(c.Context(), c.Account.ID, start, start.AddDate(0, 0, 2))
	return func(o models.Offer) bool { return o.DailyCap != nil && have[o.ID] >= *o.DailyCap }, err
}

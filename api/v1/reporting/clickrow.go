package reporting

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/click"
	"switchyard/models"
	"switchyard/models/bot"
)

// ClickRow is a click of the log.
type ClickRow struct {
	ClickID          string     `json:"click_id"`
	At               string     `json:"at" doc:"ISO 8601, UTC"`
	CampaignID       uuid.UUID  `json:"campaign_id"`
	ParentCampaignID *uuid.UUID `json:"parent_campaign_id" doc:"the campaign that passed the visitor on to this campaign"`
	StreamID         *uuid.UUID `json:"stream_id"`
	LanderID         *uuid.UUID `json:"lander_id"`
	OfferID          *uuid.UUID `json:"offer_id"`
	NetworkID        *uuid.UUID `json:"network_id"`
	SourceID         *uuid.UUID `json:"source_id"`
	ExternalID       string     `json:"external_id" doc:"the traffic source's own click id"`
	PassedStreamID   *uuid.UUID `json:"passed_stream_id" doc:"the first path that matched the visitor but could not be used"`
	PassedReason     string     `json:"passed_reason" enum:",capped,no_usable_destination,over_budget,blocked" doc:"why that path could not be used; blocked: no path was tried, because the visitor has a blocked value"`
	BotEntryID       *uuid.UUID `json:"bot_entry_id" doc:"the bot list entry that decided whether the click counts as a bot; null: the signals decided"`
	GeoSource        string     `json:"geo_source" doc:"the account's geo database that provided the visitor's location; empty: the service's own database"`
	Crawler          string     `json:"crawler" doc:"the crawler that clicked, if the host name of its address confirms it; otherwise empty"`
	ClaimedCrawler   string     `json:"claimed_crawler" doc:"the well-known crawler that the user agent names; empty: the user agent names no crawler"`
	Domain           string     `json:"domain"`
	Destination      string     `json:"destination"`
	Arrival          string     `json:"arrival" doc:"how the page tag found the click, taken from the click's first event. If there is no event, how the redirect identified the visitor"`
	Params           string     `json:"params" doc:"the query string of the click as it was received"`

	models.SubParams
	SubNames map[string]string `json:"sub_names" doc:"the names that the traffic source gives sub1 to {lastSub}; sub-parameters without a name are left out"`
	models.Visitor

	Cost     models.Money `json:"cost"`
	Currency string       `json:"currency" doc:"currency of the cost"`
	Rate     *json.Number `json:"rate" doc:"the exchange rate: what one unit of the cost's currency is worth in the account's currency; null: no rate is known, and the cost counts as 0"`
	IsUnique bool         `json:"is_unique"`
	LPViews  int          `json:"lp_views"`
	LPClicks int          `json:"lp_clicks"`
	LPSlot   *int         `json:"lp_slot" doc:"click slot of the last step from the landing page"`

	Conversions int64        `json:"conversions" doc:"approved and pending conversions"`
	Revenue     models.Money `json:"revenue" doc:"approved payouts, in the account's currency"`

	CampaignName *string `json:"campaign_name"`
	StreamName   *string `json:"stream_name"`
	PassedName   *string `json:"passed_stream_name"`
	LanderName   *string `json:"lander_name"`
	OfferName    *string `json:"offer_name"`
	NetworkName  *string `json:"network_name"`
	SourceName   *string `json:"source_name"`
}

// ClickVisitor describes the visitor of a click.
type ClickVisitor struct {
	VisitorID *uuid.UUID `json:"visitor_id"`
	models.Visitor
	BotSignals []string `json:"bot_signals" doc:"all signals that fired"`
	IsUnique   bool     `json:"is_unique"`
}

// clickRows returns clicks as rows of an answer, with the names of their records.
func (d Deps) clickRows(c *route.Call, clicks []click.StoredClick) ([]ClickRow, error) {
	out := make([]ClickRow, len(clicks))
	if len(clicks) == 0 {
		return out, nil
	}
	sales, err := d.clicks(c).SalesOf(c.Context(), c.Account.ID, clicks)
	if err != nil {
		return nil, err
	}
	names, err := namesOf(c, clickIDs(clicks))
	if err != nil {
		return nil, err
	}
	subNames, err := c.Store.SubNamesOf(c.Context(), c.Account.ID, sourcesOf(clicks))
	for i := range clicks {
		out[i] = clickRow(&clicks[i], sales[clicks[i].ID], names)
		out[i].SubNames = namesOrNone(subNames[clicks[i].SourceID])
	}
	return out, err
}

func sourcesOf(clicks []click.StoredClick) []uuid.UUID {
	ids := map[uuid.UUID]bool{}
	for i := range clicks {
		ids[clicks[i].SourceID] = true
	}
	return slices.Collect(maps.Keys(ids))
}

func clickRow(c *click.StoredClick, sales click.Sales, names map[string]string) ClickRow {
	name := func(id uuid.UUID) *string { return answer.OrNull(names[models.IDText(id)]) }
	claimed, _ := bot.CrawlerOf(c.UserAgent)
	return ClickRow{
		CampaignName: name(c.CampaignID), StreamName: name(c.StreamID), PassedName: name(c.PassedStreamID), LanderName: name(c.LanderID),
		OfferName: name(c.OfferID), NetworkName: name(c.NetworkID), SourceName: name(c.SourceID),
		ClickID: models.FormatClickID(c.ID), At: answer.Stamp(c.At), CampaignID: c.CampaignID,
		ParentCampaignID: answer.OrNull(c.ParentCampaignID), StreamID: answer.OrNull(c.StreamID),
		PassedStreamID: answer.OrNull(c.PassedStreamID), PassedReason: c.PassedReason,
		BotEntryID: answer.OrNull(c.BotEntryID), GeoSource: c.GeoSource,
		Crawler: c.Crawler, ClaimedCrawler: claimed.Name,
		LanderID: answer.OrNull(c.LanderID), OfferID: answer.OrNull(c.OfferID), NetworkID: answer.OrNull(c.NetworkID),
		SourceID: answer.OrNull(c.SourceID), ExternalID: c.ExternalID, Domain: c.Domain, Destination: c.Destination,
		Arrival: c.Arrival, Params: c.Params,
		SubParams: models.SubsOf(c.Subs),
		Visitor:   c.Visitor, Cost: models.NewMoney(c.Cost), Currency: c.Currency, Rate: models.FormatRate(c.Rate), IsUnique: c.IsUnique,
		LPViews: c.LPViews, LPClicks: c.LPClicks, LPSlot: answer.OrNull(c.LPSlot),
		Conversions: sales.Conversions, Revenue: models.NewMoney(sales.Revenue),
	}
}

func clickVisitor(c *click.StoredClick) ClickVisitor {
	return ClickVisitor{
		VisitorID: answer.OrNull(c.VisitorID), Visitor: c.Visitor, BotSignals: bot.Signals(c.BotSignals).Reasons(),
		IsUnique: c.IsUnique,
	}
}

package reporting

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/db/click"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/clickattr"
)

// logFilters are the parameters that filter the logs of clicks and conversions. A conversion is filtered by its click, except in
// dimensions that only conversions have.
var logFilters = slices.Concat([]route.Param{
	{Name: "click_id", Doc: "only this click, even if it lies outside the window"},
	{Name: "external_id", Doc: "only clicks with this click id of the traffic source"},
	{Name: "conversion_id", Doc: "only conversions with this id at the network, or their clicks"},
	zoneParam,
}, filterParams)

var logCodes = route.Codes("400 invalid_dimension invalid_id")

var conversionStatuses = clickattr.Statuses.List()

// clickFilters are the logFilters of clicks.
var clickFilters = slices.DeleteFunc(slices.Clone(logFilters), func(p route.Param) bool {
	return strings.Contains(p.Name, ".") && report.IsConversionDimension(p.Name[len(filterPrefix):])
})

// parseClickID returns the id in the parameter click_id, or the zero id without the parameter.
func parseClickID(c *route.Call) (uuid.UUID, error) {
	text := c.Query.Get("click_id")
	if text == "" {
		return uuid.Nil, nil
	}
	id, err := models.ParseClickID(text)
	if err != nil {
		return uuid.Nil, models.Invalid("invalid_id", "click_id is not a click id")
	}
	return id, nil
}

func (d Deps) filterLog(c *route.Call, q *click.LogQuery) (err error) {
	if q.ClickID, err = parseClickID(c); err != nil {
		return err
	}
	q.ExternalID, q.ConversionID = c.Query.Get("external_id"), c.Query.Get("conversion_id")
	if max(utf8.RuneCountInString(q.ExternalID), utf8.RuneCountInString(q.ConversionID)) > report.MaxFilterLen {
		return models.Invalid("invalid_input", "an id has at most %d characters", report.MaxFilterLen)
	}
	args, err := parseReportArgs(c)
	if err != nil || len(args.Filters) == 0 {
		return err
	}
	zone, err := report.Zone(args.TZ)
	if err != nil {
		return err
	}
	// A conversion may belong to a click long before the window, so the period includes every stored click.
	from, to := time.Now().UTC().AddDate(0, 0, -models.LongestHistory()-2), time.Now().UTC().AddDate(0, 0, 2)
	q.Where, q.WhereInCopy, err = d.reports(c).Conditions(c.Context(), c.Account.ID, args.Filters, zone, from, to)
	return err
}

func conversionIDs(list []models.Conversion) map[string][]string {
	ids := idsByDimension{}
	for i := range list {
		v := &list[i]
		ids.add("campaign_id", v.CampaignID)
		ids.add("offer_id", v.OfferID)
		ids.add("source_id", v.SourceID)
		ids.add(report.Network, v.NetworkID)
	}
	return ids
}

func clickIDs(list []click.StoredClick) map[string][]string {
	ids := idsByDimension{}
	for i := range list {
		c := &list[i]
		ids.add("campaign_id", c.CampaignID)
		ids.add("stream_id", c.StreamID)
		ids.add("stream_id", c.PassedStreamID)
		ids.add("lander_id", c.LanderID)
		ids.add("offer_id", c.OfferID)
		ids.add("source_id", c.SourceID)
		ids.add(report.Network, c.NetworkID)
	}
	return ids
}

// idsByDimension has ids of records by dimension, without duplicates.
type idsByDimension map[string][]string

func (m idsByDimension) add(dimension string, id uuid.UUID) {
	if text := models.IDText(id); text != "" && !slices.Contains(m[dimension], text) {
		m[dimension] = append(m[dimension], text)
	}
}

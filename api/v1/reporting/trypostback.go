package reporting

import (
	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
)

// TrySource returns the route POST /traffic-sources/{id}/test-postback.
func TrySource(d Deps) route.Route {
	return route.New("POST", "/traffic-sources/{id}/test-postback", "Traffic sources",
		"call the source's postback_url for one click and show the request and the answer; nothing is recorded",
		route.HandleRecordBody((*store.Store).Sources, d.trySource), answer.IDCodes,
		route.Codes("400 no_url no_click too_long invalid_number out_of_range invalid_value")).
		WithShare(route.Sends).WithOptionalBody().Awaits(trySourceJob.Answer())
}

// TrySourceBody describes a made-up conversion of a click.
type TrySourceBody struct {
	ClickID      string       `json:"click_id" trim:"true" maxLength:"255" doc:"a click of the source; left out: the source's latest click, if it is among the account's last 20,000 clicks"`
	Status       string       `json:"status" bad:"invalid_value" enum:"approved,pending,rejected,chargeback" default:"approved"`
	Payout       models.Money `json:"payout" bad:"invalid_number,out_of_range" min:"0" max:"1000000000" default:"1" doc:"payout in the account's currency; the source gets the share send_payout_pct of it"`
	ConversionID string       `json:"conversion_id" trim:"true" maxLength:"255" default:"test"`
	Goal         string       `json:"goal" trim:"true" maxLength:"64"`
}

// TriedSource has the request that was sent to a source, and the source's answer.
type TriedSource struct {
	Test       bool               `json:"test" doc:"always true: nothing was recorded, and the made-up conversion is in no figure"`
	ClickID    string             `json:"click_id"`
	Wanted     bool               `json:"wanted" doc:"false: the source would not be notified of such a conversion, because of postback_statuses or postback_goals"`
	Told       bool               `json:"told" doc:"the source answered 2xx"`
	Request    models.SentRequest `json:"request" doc:"the request that was sent, with masked secrets"`
	HTTPStatus *int               `json:"http_status" doc:"status of the source's answer; null: no answer came"`
	Answer     string             `json:"answer" doc:"the beginning of the body of the source's answer"`
	Error      *string            `json:"error" doc:"why the source was not notified"`
	Ms         int64              `json:"ms"`
}

var trySourceJob = slow.New(jobs.TestPostback, func(a jobs.TestedPostback) TriedSource {
	return TriedSource{
		Test: true, ClickID: models.FormatClickID(a.ClickID), Wanted: a.Wanted, Told: a.Told, Request: a.Request, HTTPStatus: a.Status,
		Answer: a.Answer, Error: answer.OrNull(a.Error), Ms: a.MS,
	}
})

func (d Deps) trySource(c *route.Call, source models.TrafficSource, b TrySourceBody) (TriedSource, error) {
	if url, _ := source.URLFor(b.Goal, b.Status); url == "" {
		return TriedSource{}, models.Invalid("no_url", "the traffic source has no postback_url for this goal and status")
	}
	args := jobs.TestPostbackArgs{
		SourceID: c.ID, ConversionID: b.ConversionID, Goal: b.Goal, Status: b.Status, Payout: b.Payout.String(),
	}
	if b.ClickID != "" {
		var err error
		if args.ClickID, err = models.ParseClickID(b.ClickID); err != nil {
			return TriedSource{}, models.Invalid("no_click", "click_id is not a click id")
		}
	}
	return trySourceJob.Run(c, d.Jobs, args)
}

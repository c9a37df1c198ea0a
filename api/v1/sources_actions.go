package v1

import (
	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/integration"
	"switchyard/jobs"
	"switchyard/models"
)

// sourceActions returns the routes of /traffic-sources/{id}/integration/conversion-actions. In the codes, platform_a is
// Google Ads and platform_b is Microsoft Advertising.
func sourceActions(d Deps) []route.Route {
	const group, path = "Traffic sources", "/traffic-sources/{id}/integration/conversion-actions"
	codes := route.Codes("400 invalid_id not_platform_ab not_connected credentials no_customer_id no_account_id not_configured",
		"400 platform_a_refused platform_b_refused")
	return []route.Route{
		route.New("GET", path, group, "conversion actions of the connected ad account", route.Handle(d.listActions),
			codes).WithShare(route.Sends).Awaits(listActionsJob.Answer()),
		route.New("POST", path, group, "create the conversion action to which conversions are uploaded", route.HandleBody(d.createAction), codes).
			WithShare(route.Sends).WithOptionalBody().Awaits(createActionJob.Answer()),
	}
}

// ConversionActions is the answer of GET /traffic-sources/{id}/integration/conversion-actions.
type ConversionActions struct {
	Actions []ConversionAction `json:"actions" doc:"the conversion actions that accept uploads; at most 1,000"`
}

// ConversionAction is a conversion action of Google Ads or an offline goal of Microsoft Advertising.
type ConversionAction struct {
	ID           string  `json:"id"`
	Name         string  `json:"name" doc:"for microsoft_ads, send this name as conversion_action"`
	Category     string  `json:"category" doc:"the category in the platform's words"`
	Status       string  `json:"status" doc:"the status in the platform's words"`
	ResourceName *string `json:"resource_name" doc:"for google_ads, send this resource name as conversion_action; it contains the id of the customer that owns the action"`
	ReadyAt      *string `json:"ready_at" doc:"for a goal that was created here: when microsoft_ads begins to accept uploads to the goal. Uploads wait until then. Null: uploads are accepted now"`
}

func actionAnswer(a jobs.ConversionAction) ConversionAction {
	return ConversionAction{
		ID: a.ID, Name: a.Name, Category: a.Category, Status: a.Status, ResourceName: answer.OrNull(a.Resource), ReadyAt: answer.StampOrNull(a.ReadyAt),
	}
}

var (
	listActionsJob = slow.New(jobs.ListConversionActions, func(list []jobs.ConversionAction) ConversionActions {
		return ConversionActions{answer.Each(list, actionAnswer)}
	})
	createActionJob = slow.New(jobs.CreateConversionAction, actionAnswer)
)

// checkActions refuses a source whose platform has no conversion actions, and a source that lacks something that the platform's API
// needs, such as a sign-in.
func checkActions(c *route.Call) error {
	_, _, err := integration.NewSources(c.Store).WithActions(c.Context(), c.Account.ID, c.ID)
	return err
}

func (d Deps) listActions(c *route.Call) (ConversionActions, error) {
	if err := checkActions(c); err != nil {
		return ConversionActions{}, err
	}
	return listActionsJob.Run(c, d.Jobs, jobs.ConversionActionsArgs{Source: c.ID})
}

// ConversionActionBody is the body of POST /traffic-sources/{id}/integration/conversion-actions.
type ConversionActionBody struct {
	Name string `json:"name" trim:"true" maxLength:"100" bad:"invalid_input" default:"Switchyard conversions" doc:"name of the action; if an action with this name exists, it is used unchanged"`
}

func (d Deps) createAction(c *route.Call, b ConversionActionBody) (ConversionAction, error) {
	if err := checkActions(c); err != nil {
		return ConversionAction{}, err
	}
	if b.Name == "" {
		b.Name = models.DefaultAction
	}
	return createActionJob.Run(c, d.Jobs, jobs.CreateConversionActionArgs{Source: c.ID, Name: b.Name})
}

// Package webhooks has the handlers of /webhooks: the endpoints to which events are sent, and the log of their deliveries.
package webhooks

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/netguard"
)

// Deps are the dependencies of the handlers.
type Deps struct {
	Jobs *jobs.Client
	// EgressAllow lists private networks in which endpoints may be.
	EgressAllow []netip.Prefix
}

// Routes returns the routes of /webhooks.
func Routes(d Deps) []route.Route {
	res := resource.Kind[store.Webhooks, models.Webhook, WebhookAnswer]{
		Group: "Webhooks", Path: "/webhooks", Table: (*store.Store).Webhooks,
		Answer: func(w models.Webhook) WebhookAnswer { return WebhookAnswer{w} },
	}
	urlCodes := route.Codes("400 invalid_url invalid_events")
	return []route.Route{
		res.Row("GET", "", "endpoints, with the number of their deliveries in the last seven days", route.Handle(listWebhooks)),
		res.Row("POST", "", "add an endpoint; only this answer shows its signing secret", route.HandleBody(d.createWebhook),
			urlCodes, route.Codes("400 too_many no_encryption_key")).Creates(),
		res.Row("PATCH", "", "change an endpoint", route.HandleBody(d.updateWebhook), answer.IDCodes, urlCodes,
			route.Codes("400 invalid_status no_fields")),
		res.Row("DELETE", "", "delete an endpoint and its delivery log", route.Handle(deleteWebhook), answer.IDCodes).
			WithQuery(answer.QueryID...),
		res.Row("POST", "/test", "send a ping now", route.HandleBody(d.testWebhook), answer.IDCodes).
			WithShare(route.Sends).Awaits(testJob.Answer()),
		res.Row("GET", "/deliveries", "the delivery log of the last 30 days, newest first", route.Handle(listDeliveries),
			route.Codes("400 invalid_id invalid_status")).
			WithPage().WithQuery(route.Param{Name: "webhook", Type: "uuid", Doc: "only this endpoint"}).
			WithQuery(route.Param{Name: "status", Enum: models.DeliveryStates}),
		res.Row("POST", "/deliveries/redeliver", "send a delivery again now, with the same event and event id",
			route.HandleBody(d.redeliverWebhook), answer.IDCodes, route.Codes("409 in_progress")).
			WithShare(route.Sends).Awaits(redeliverJob.Answer()),
		res.Row("POST", "/rotate", "give an endpoint a new signing secret, which is shown once; for 24 hours the old secret signs too",
			route.HandleBody(rotateWebhook), route.Codes("400 no_encryption_key"), answer.IDCodes),
		res.Row("POST", "/deliveries/redeliver-failed",
			"send every failed delivery of a period again, each once, with the same event and event id",
			route.HandleBody(d.redeliverFailed), answer.IDCodes).
			WithWindow().WithOptionalBody().WithShare(route.Sends).Awaits(redeliverFailedJob.Answer()),
	}
}

// WebhookBody is the body of POST /webhooks.
type WebhookBody struct {
	URL    string   `json:"url" bad:"invalid_url" required:"invalid_url" trim:"true" maxLength:"500" format:"url" doc:"an https address on the public internet"`
	Events []string `json:"events" bad:"invalid_events" required:"invalid_events" enum:"conversion.created,conversion.updated,link.broken,link.unsafe,campaign.paused,plan.limit_reached"`
	Name   string   `json:"name" bad:"invalid_input" trim:"true" maxLength:"255"`
}

// WebhookPatch is the body of PATCH /webhooks. A field that is left out keeps its value.
type WebhookPatch struct {
	bind.ID
	URL    bind.Opt[string]   `json:"url" bad:"invalid_url" null:"refused" trim:"true" maxLength:"500" format:"url" doc:"an https address on the public internet"`
	Events bind.Opt[[]string] `json:"events" bad:"invalid_events" null:"refused" empty:"invalid_events" enum:"conversion.created,conversion.updated,link.broken,link.unsafe,campaign.paused,plan.limit_reached"`
	Name   bind.Opt[string]   `json:"name" bad:"invalid_input" trim:"true" maxLength:"255"`
	Active bind.Opt[bool]     `json:"active" bad:"invalid_status" null:"refused"`
}

// WebhookAnswer is an endpoint.
type WebhookAnswer struct{ models.Webhook }

// WebhookCreated is a new endpoint with its secret.
type WebhookCreated struct {
	WebhookAnswer
	CreatedAt string `json:"createdAt"`
	Secret    string `json:"secret" doc:"signs every delivery; it is not shown again"`
}

// WebhookList is the answer of GET /webhooks.
type WebhookList struct {
	PlanIncludes bool         `json:"planIncludes"`
	Events       []string     `json:"events" doc:"the events that an endpoint can subscribe to"`
	Rows         []WebhookRow `json:"rows"`
}

// WebhookRow is an endpoint of the list, with the number of its deliveries in the last seven days.
type WebhookRow struct {
	WebhookAnswer
	CreatedAt           string       `json:"createdAt"`
	FailingSince        *string      `json:"failingSince" doc:"when the current series of failed attempts began; null: the last attempt did not fail"`
	ConsecutiveFailures int          `json:"consecutiveFailures" doc:"how many of the last attempts failed in a row"`
	OldSecretUntil      *string      `json:"oldSecretUntil" doc:"after a rotation of the secret: until when the old secret signs deliveries too"`
	Deliveries          WebhookCount `json:"deliveries" doc:"deliveries of the last seven days"`
}

// WebhookCount counts deliveries.
type WebhookCount struct {
	Total     int64   `json:"total"`
	Pending   int64   `json:"pending"`
	Delivered int64   `json:"delivered"`
	Failed    int64   `json:"failed"`
	LastAt    *string `json:"lastAt" doc:"when the newest delivery was created, whether or not it has been sent"`
}

func listWebhooks(c *route.Call) (WebhookList, error) {
	hooks, err := c.Store.Webhooks().List(c.Context(), c.Account.ID)
	if !c.MayWriteAs(models.RoleMember) {
		for i := range hooks {
			hooks[i].URL = answer.MaskedURL(hooks[i].URL)
		}
	}
	return WebhookList{c.Account.Allowances().API, models.EventTypes, answer.Each(hooks, webhookRow)}, err
}

func webhookRow(w models.Webhook) WebhookRow {
	n := w.Recent
	return WebhookRow{
		WebhookAnswer: WebhookAnswer{w}, CreatedAt: answer.Stamp(w.CreatedAt),
		FailingSince: answer.StampOrNull(w.FailingSince), ConsecutiveFailures: w.Failures, OldSecretUntil: answer.StampOrNull(w.OldSecret),
		Deliveries: WebhookCount{
			Total: n.Pending + n.Delivered + n.Failed, Pending: n.Pending, Delivered: n.Delivered, Failed: n.Failed,
			LastAt: answer.StampOrNull(n.Last),
		},
	}
}

func (d Deps) createWebhook(c *route.Call, b WebhookBody) (WebhookCreated, error) {
	if err := d.checkPublicURL(b.URL); err != nil {
		return WebhookCreated{}, err
	}
	saved, secret, err := c.Store.Webhooks().Create(c.Context(), models.Webhook{
		AccountID: c.Account.ID, URL: b.URL, Events: inOrder(b.Events), Name: b.Name,
	})
	return WebhookCreated{WebhookAnswer{saved}, answer.Stamp(saved.CreatedAt), secret}, err
}

func (d Deps) updateWebhook(c *route.Call, b WebhookPatch) (WebhookAnswer, error) {
	if !b.URL.Set && !b.Events.Set && !b.Name.Set && !b.Active.Set {
		return WebhookAnswer{}, models.Invalid("no_fields", "there is nothing to change")
	}
	if b.URL.Set {
		if err := d.checkPublicURL(b.URL.Value); err != nil {
			return WebhookAnswer{}, err
		}
	}
	change := models.WebhookChange{URL: b.URL.Sent(), Name: b.Name.Sent(), Active: b.Active.Sent()}
	if b.Events.Set {
		change.Events = inOrder(b.Events.Value)
	}
	saved, err := c.Store.Webhooks().Update(c.Context(), c.Account.ID, b.RecordID(), change)
	return WebhookAnswer{saved}, err
}

// checkPublicURL checks the text of an endpoint's address. The worker checks the resolved addresses on each attempt.
func (d Deps) checkPublicURL(text string) error {
	return netguard.Policy{Allow: d.EgressAllow}.CheckSent(text)
}

// inOrder returns the events without duplicates, in the documented order.
func inOrder(events []string) []string {
	return slices.DeleteFunc(slices.Clone(models.EventTypes), func(e string) bool { return !slices.Contains(events, e) })
}

func deleteWebhook(c *route.Call) (answer.DeletedAnswer, error) {
	return answer.Deleted(c.ID), c.Store.Webhooks().Delete(c.Context(), c.Account.ID, c.ID)
}

// WebhookTested is the result of a ping.
type WebhookTested struct {
	DeliveryID uuid.UUID `json:"deliveryId"`
	WebhookAttempt
}

// WebhookRedelivered is the result of sending a delivery again.
type WebhookRedelivered struct {
	ID uuid.UUID `json:"id" doc:"the delivery's id"`
	WebhookAttempt
}

// WebhookAttempt is the result of an attempt to deliver.
type WebhookAttempt struct {
	Delivered bool    `json:"delivered"`
	Status    *int    `json:"status" doc:"status of the endpoint's answer; null: no answer came"`
	Error     *string `json:"error" doc:"why the event was not delivered"`
}

func webhookAttempt(a jobs.WebhookAnswer) WebhookAttempt {
	return WebhookAttempt{a.Delivered, a.Status, answer.OrNull(a.Error)}
}

var (
	testJob = slow.New(jobs.TestWebhook, func(a jobs.WebhookAnswer) WebhookTested {
		return WebhookTested{a.DeliveryID, webhookAttempt(a)}
	})
	redeliverJob = slow.New(jobs.RedeliverWebhook, func(a jobs.WebhookAnswer) WebhookRedelivered {
		return WebhookRedelivered{a.DeliveryID, webhookAttempt(a)}
	})
)

func (d Deps) testWebhook(c *route.Call, b bind.ID) (WebhookTested, error) {
	id := b.RecordID()
	if _, err := c.Store.Webhooks().Find(c.Context(), c.Account.ID, id); err != nil {
		return WebhookTested{}, err
	}
	return testJob.Run(c, d.Jobs, jobs.WebhookArgs{ID: id})
}

func (d Deps) redeliverWebhook(c *route.Call, b bind.ID) (WebhookRedelivered, error) {
	id := b.RecordID()
	if err := c.Store.Webhooks().CheckDelivery(c.Context(), c.Account.ID, id); err != nil {
		return WebhookRedelivered{}, err
	}
	return redeliverJob.Run(c, d.Jobs, jobs.WebhookArgs{ID: id})
}

// DeliveryRow is a delivery of the log.
type DeliveryRow struct {
	models.WebhookDelivery
	Error *string `json:"error" doc:"why the last attempt failed"`
}

func deliveryRow(r models.WebhookDelivery) DeliveryRow { return DeliveryRow{r, answer.OrNull(r.Error)} }

// DeliveryList is a page of the delivery log.
type DeliveryList resource.Listed[DeliveryRow]

func listDeliveries(c *route.Call) (DeliveryList, error) {
	webhook, err := bind.QueryID(c.Query, "webhook", "invalid_id")
	if err != nil {
		return DeliveryList{}, err
	}
	filter := store.DeliveryFilter{Webhook: webhook, Status: c.Query.Get("status")}
	if filter.Status != "" && !slices.Contains(models.DeliveryStates, filter.Status) {
		return DeliveryList{}, models.Invalid("invalid_status", "status must be one of %s",
			strings.Join(models.DeliveryStates, ", "))
	}
	rows, next, err := c.Store.Webhooks().Deliveries(c.Context(), c.Account.ID, filter, c.Page)
	return DeliveryList{answer.Each(rows, deliveryRow), answer.Cursor(next)}, err
}

package webhooks

import (
	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
)

// WebhookRotated has an endpoint's new secret.
type WebhookRotated struct {
	ID             uuid.UUID `json:"id"`
	Secret         string    `json:"secret" doc:"signs every delivery from now on; it is not shown again"`
	OldSecretUntil string    `json:"oldSecretUntil" doc:"until this time deliveries have a second v1 signature, made with the old secret"`
}

func rotateWebhook(c *route.Call, b bind.ID) (WebhookRotated, error) {
	id := b.RecordID()
	secret, until, err := c.Store.Webhooks().Rotate(c.Context(), c.Account.ID, id)
	return WebhookRotated{id, secret, answer.Stamp(until)}, err
}

// RedeliverBody selects the endpoint whose deliveries are sent again.
type RedeliverBody struct {
	Webhook bind.Opt[string] `json:"webhook" bad:"invalid_id" format:"uuid" doc:"only this endpoint; left out: all active endpoints"`
}

// RedeliveredAll is the answer to sending failed deliveries again.
type RedeliveredAll struct {
	Range    bind.Range `json:"range" doc:"the period in which the deliveries were created"`
	Requeued int64      `json:"requeued" doc:"number of deliveries that are pending again; the log shows their results later"`
}

var redeliverFailedJob = slow.New(jobs.RedeliverFailed, func(a jobs.RedeliverFailedAnswer) RedeliveredAll {
	return RedeliveredAll{bind.RangeOf(a.From, a.To), a.Requeued}
})

func (d Deps) redeliverFailed(c *route.Call, b RedeliverBody) (RedeliveredAll, error) {
	args := jobs.RedeliverFailedArgs{From: c.Window.From, To: c.Window.End()}
	if b.Webhook.Given() {
		args.Webhook, _ = models.ParseID(b.Webhook.Value) // its format has been checked
		if _, err := c.Store.Webhooks().Find(c.Context(), c.Account.ID, args.Webhook); err != nil {
			return RedeliveredAll{}, err
		}
	}
	return redeliverFailedJob.Run(c, d.Jobs, args)
}

package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// WebhookSchedule has the documented waits after failed attempts of a delivery. They allow seven attempts within 20 hours and 36
// minutes.
var WebhookSchedule = []time.Duration{
	time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

// DeliverWebhook sends an event to an endpoint. The job's row has the id of the delivery.
var DeliverWebhook = Define[None, None](models.KindDeliverWebhook, Policy{
	Queue: Webhooks, Timeout: 20 * time.Second, Retries: WebhookSchedule, Row: true,
})

// WebhookArgs names an endpoint (TestWebhook) or a delivery (RedeliverWebhook) of the account.
type WebhookArgs struct {
	ID uuid.UUID `json:"id"`
}

// WebhookAnswer is the result of an attempt that a caller waits for. Status is nil if the endpoint did not answer. Error is empty
// after a success.
type WebhookAnswer struct {
	DeliveryID uuid.UUID `json:"delivery_id"`
	Delivered  bool      `json:"delivered"`
	Status     *int      `json:"status"`
	Error      string    `json:"error"`
}

// TestWebhook sends a ping to an endpoint now. Errors: not_found.
var TestWebhook = Define[WebhookArgs, WebhookAnswer]("webhook:test", interactive(20*time.Second))

// RedeliverWebhook sends a delivery again, once, whatever its result was. Errors: not_found, in_progress.
var RedeliverWebhook = Define[WebhookArgs, WebhookAnswer]("webhook:redeliver", interactive(20*time.Second))

// RedeliverFailedArgs select the failed deliveries that were created in [From, To). An empty Webhook means all active endpoints.
type RedeliverFailedArgs struct {
	Webhook uuid.UUID `json:"webhook,omitzero"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
}

// RedeliverFailedAnswer has the number of deliveries, or of postbacks to traffic sources, that are pending again.
type RedeliverFailedAnswer struct {
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Requeued int64     `json:"requeued"`
}

// RedeliverFailed gives each of the account's failed deliveries in a window one more attempt.
var RedeliverFailed = Define[RedeliverFailedArgs, RedeliverFailedAnswer]("webhook:redeliver_failed", rewindable)

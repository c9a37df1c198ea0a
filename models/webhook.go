package models

import (
	"time"

	"github.com/google/uuid"
)

// MaxWebhooks is how many endpoints an account may have.
const MaxWebhooks = 10

// FailingWebhook is how many failed attempts in a row make an endpoint a failing one.
const FailingWebhook = 3

// SecretOverlap is how long after a rotation the old secret signs too.
const SecretOverlap = 24 * time.Hour

// Webhook is a customer's endpoint for events. Its signing secret is not part of it, since that is shown only once.
type Webhook struct {
	ID           uuid.UUID      `db:"id"`
	AccountID    uuid.UUID      `db:"account_id"`
	Name         string         `db:"name"`
	URL          string         `db:"url"`
	Events       []string       `db:"events"` // the types it subscribes to
	Active       bool           `db:"active"`
	FailingSince *time.Time     `db:"failing_since"`        // first of the failed attempts in a row; nil: the last one succeeded
	Failures     int            `db:"consecutive_failures"` // failed attempts in a row
	OldSecret    *time.Time     `db:"old_secret_until"`     // end of SecretOverlap; nil: only one secret signs
	CreatedAt    time.Time      `db:"created_at"`
	Recent       DeliveryCounts `db:"recent"` // set by lists
}

// DeliveryCounts are the numbers of an endpoint's deliveries of the last seven days, by state.
type DeliveryCounts struct {
	Pending   int64      `db:"pending"`
	Delivered int64      `db:"delivered"`
	Failed    int64      `db:"failed"`
	Last      *time.Time `db:"last"` // when the newest was made
}

// WebhookChange is what a PATCH changes of an endpoint. A nil field stays as it is.
type WebhookChange struct {
	URL    *string
	Events []string
	Name   *string
	Active *bool
}

// States of a delivery, as customers see it.
const (
	DeliveryPending   = "pending"
	DeliveryDelivered = "delivered"
	DeliveryFailed    = "failed"
)

// DeliveryStates lists the states of a delivery.
var DeliveryStates = []string{DeliveryPending, DeliveryDelivered, DeliveryFailed}

// WebhookDelivery is one event on its way to one endpoint.
type WebhookDelivery struct {
	ID          uuid.UUID  `db:"id"`
	WebhookID   uuid.UUID  `db:"endpoint_id"`
	EventID     uuid.UUID  `db:"event_id"`
	EventType   string     `db:"type"`
	Status      string     `db:"status"`
	Attempts    int        `db:"attempts"`
	HTTPStatus  *int       `db:"http_status"` // of the last attempt; nil when no answer came
	Error       string     `db:"error"`
	LastAttempt *time.Time `db:"last_attempt"`
	NextAttempt *time.Time `db:"next_attempt"` // while it is pending
	DeliveredAt *time.Time `db:"delivered_at"`
	CreatedAt   time.Time  `db:"created_at"`
}

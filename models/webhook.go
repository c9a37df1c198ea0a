package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// MaxWebhooks is the number of endpoints that an account may have.
const MaxWebhooks = 10

// FailingReceiver is the number of consecutive failed attempts after which a webhook endpoint, or a host of a traffic source,
// counts as failing.
const FailingReceiver = 3

// SecretOverlap is the time after a rotation during which messages are signed with the old secret too.
const SecretOverlap = 24 * time.Hour

// Webhook is a customer's endpoint for events. It does not contain the signing secret, which is shown only once.
type Webhook struct {
	ID           uuid.UUID      `db:"id" json:"id"`
	AccountID    uuid.UUID      `db:"account_id" json:"-"`
	Name         string         `db:"name" json:"name"`
	URL          string         `db:"url" json:"url"`
	Events       []string       `db:"events" json:"events"`
	Active       bool           `db:"active" json:"active"`
	FailingSince *time.Time     `db:"failing_since" json:"-"` // first of the consecutive failures; nil: the last attempt did not fail
	Failures     int            `db:"consecutive_failures" json:"-"`
	OldSecret    *time.Time     `db:"old_secret_until" json:"-"` // end of SecretOverlap; nil: only one secret signs
	CreatedAt    time.Time      `db:"created_at" json:"-"`
	UpdatedAt    Stamp          `db:"updated_at" json:"updatedAt" doc:"when its settings were last changed: for If-Match of PATCH"`
	Recent       DeliveryCounts `db:"recent" json:"-"` // only set in lists
}

// Version returns the text of UpdatedAt, which differs after each change of the settings.
func (w Webhook) Version() string { return w.UpdatedAt.Text() }

// DeliveryCounts holds the numbers of an endpoint's deliveries in the last seven days, by state.
type DeliveryCounts struct {
	Pending   int64      `db:"pending"`
	Delivered int64      `db:"delivered"`
	Failed    int64      `db:"failed"`
	Last      *time.Time `db:"last"` // when the newest of these deliveries was created, whether or not it has been sent
}

// WebhookChange holds the changes that a PATCH makes to an endpoint. A field that is nil changes nothing.
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

// WebhookDelivery is the delivery of one event to one endpoint.
type WebhookDelivery struct {
	ID          uuid.UUID       `db:"id" json:"id"`
	WebhookID   uuid.UUID       `db:"endpoint_id" json:"webhookId"`
	EventID     uuid.UUID       `db:"event_id" json:"eventId"`
	EventType   string          `db:"type" json:"event"`
	Status      string          `db:"status" json:"status" enum:"pending,delivered,failed"`
	Attempts    int             `db:"attempts" json:"attempts"`
	HTTPStatus  *int            `db:"http_status" json:"httpStatus" doc:"status of the endpoint's last answer; null: no answer came"`
	Error       string          `db:"error" json:"error"`
	Body        json.RawMessage `db:"body" json:"body" is:"event" doc:"body of the request, without whitespace between its parts"`
	Answer      string          `db:"answer" json:"answer" doc:"the first 2 kB of the body of the endpoint's last answer"`
	CreatedAt   Stamp           `db:"created_at" json:"createdAt"`
	LastAttempt *Stamp          `db:"last_attempt" json:"lastAttemptAt"`
	NextAttempt *Stamp          `db:"next_attempt" json:"nextAttemptAt"`
	DeliveredAt *Stamp          `db:"delivered_at" json:"deliveredAt"`
}

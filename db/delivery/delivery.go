// Package delivery stores the events of accounts and their deliveries to webhook endpoints.
//
// An event is stored in the transaction of its cause, with a pending delivery for each subscribed endpoint. Each delivery has a
// job with the same id, which the caller dispatches after its commit. Package store lists the deliveries for customers.
package delivery

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/db/seal"
	"switchyard/models"
)

// SecretPlace returns the seal.Place of an endpoint's signing secret.
func SecretPlace(account, endpoint uuid.UUID) seal.Place {
	return seal.Place{Account: account, Table: "webhook_endpoints", Row: endpoint.String(), Column: "secret"}
}

// Target is a delivery with all that is needed to send it.
type Target struct {
	ID         uuid.UUID `db:"id"`
	AccountID  uuid.UUID `db:"account_id"`
	EndpointID uuid.UUID `db:"endpoint_id"`
	EventType  string    `db:"type"`
	Body       []byte    `db:"body"`
	URL        string    `db:"url"`
	Active     bool      `db:"active"`
	Secret     []byte    `db:"secret"`     // encrypted
	OldSecret  []byte    `db:"old_secret"` // the previous secret, encrypted; nil: no previous secret signs
}

const findTarget = `
SELECT d.id, d.account_id, d.endpoint_id, e.type, e.body, w.url, w.active, w.secret,
	CASE WHEN w.old_secret_until > now() THEN w.old_secret END AS old_secret
FROM webhook_deliveries d
JOIN events e ON e.id = d.event_id
JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.account_id = d.account_id
WHERE d.id = $1`

// Find returns a delivery. The error is not_found if the delivery was deleted with its endpoint.
func Find(ctx context.Context, c db.Conn, id uuid.UUID) (Target, error) {
	return db.Get[Target](ctx, c, "delivery", findTarget, id)
}

const findEndpoint = `
SELECT w.id, w.consecutive_failures FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
WHERE d.id = $1`

// EndpointOf returns the endpoint of a delivery and the number of consecutive failed attempts there. The id is zero if the
// endpoint was deleted.
func EndpointOf(ctx context.Context, c db.Conn, id uuid.UUID) (endpoint uuid.UUID, failures int, err error) {
	found, _, err := db.First[struct {
		ID       uuid.UUID `db:"id"`
		Failures int       `db:"consecutive_failures"`
	}](ctx, c, "endpoint of delivery", findEndpoint, id)
	return found.ID, found.Failures, err
}

// Attempt is the result of an attempt to send a delivery.
type Attempt struct {
	Number    int
	Delivered bool
	Status    *int   // status of the answer; nil if no answer came
	Error     string // text for the customer; empty if delivered
	Answer    string // the first models.MaxAnswer bytes of the answer's body, as text
	Final     bool   // no other attempt follows
}

// MarkAttempt is SQL, for use in a WITH, that records an attempt in a delivery. It returns endpoint_id and delivered. A delivery
// that has arrived once stays delivered.
const MarkAttempt = `UPDATE webhook_deliveries SET
    attempts = $2, http_status = $4, error = $5, answer = $7, last_attempt = clock_timestamp(),
    status = CASE WHEN $3 THEN 'delivered' WHEN status = 'delivered' THEN status WHEN $6 THEN 'failed' ELSE 'pending' END,
    delivered_at = CASE WHEN $3 THEN coalesce(delivered_at, clock_timestamp()) ELSE delivered_at END
WHERE id = $1 RETURNING endpoint_id, $3::boolean AS delivered`

// MarkArgs returns the arguments of MarkAttempt.
func MarkArgs(id uuid.UUID, a Attempt) []any {
	return []any{id, a.Number, a.Delivered, a.Status, a.Error, a.Final, a.Answer}
}

const discardDelivery = `UPDATE webhook_deliveries SET status = 'failed', error = $2 WHERE id = $1 AND status = 'pending'`

// Discard marks a pending delivery as failed without sending it. The customer sees the given text as the delivery's error.
func Discard(ctx context.Context, c db.Conn, id uuid.UUID, why string) error {
	return db.Run(ctx, c, "drop delivery", discardDelivery, id, why)
}

var addPing = `
WITH target AS (
    SELECT new_id() AS id, id AS endpoint_id, account_id FROM webhook_endpoints WHERE id = $1 AND account_id = $2
), event AS (
    INSERT INTO events (id, account_id, type, created_at, body)
    SELECT $3, account_id, $4, $5, $6 FROM target RETURNING id
), job AS (` + jobrow.InsertFrom("target", "$7", "1") + `)
INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id)
SELECT target.id, account_id, endpoint_id, event.id FROM target, event
RETURNING id`

// AddPing stores an event for an endpoint, even if the endpoint does not subscribe to it, with a delivery that is tried once. It
// returns the id of the delivery. The error is not_found if the account has no such endpoint.
func AddPing(ctx context.Context, c db.Conn, e models.Event, endpoint uuid.UUID) (uuid.UUID, error) {
	return db.Get[uuid.UUID](ctx, c, "webhook", addPing, endpoint, e.AccountID, e.ID, e.Type, e.CreatedAt, e.Body,
		models.KindDeliverWebhook)
}

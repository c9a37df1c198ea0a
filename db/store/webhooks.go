package store

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/delivery"
	"switchyard/db/jobrow"
	"switchyard/models"
)

// Webhooks accesses the webhook endpoints of accounts and their delivery log.
type Webhooks struct{ s *Store }

// Webhooks returns access to the webhook endpoints.
func (s *Store) Webhooks() Webhooks { return Webhooks{s} }

const webhookColumns = `id, account_id, name, url, events, active, failing_since, consecutive_failures,
	CASE WHEN old_secret_until > now() THEN old_secret_until END AS old_secret_until, created_at, updated_at`

const listWebhooks = `
SELECT ` + webhookColumns + `, pending AS "recent.pending", delivered AS "recent.delivered",
	failed AS "recent.failed", last AS "recent.last"
FROM webhook_endpoints w CROSS JOIN LATERAL (
	SELECT count(*) FILTER (WHERE status = 'pending') AS pending, count(*) FILTER (WHERE status = 'delivered') AS delivered,
		count(*) FILTER (WHERE status = 'failed') AS failed, max(d.created_at) AS last
	FROM webhook_deliveries d WHERE d.endpoint_id = w.id AND d.created_at >= now() - interval '7 days'
) d
WHERE account_id = $1 ORDER BY created_at DESC, id DESC`

// List lists all endpoints of the account, newest first, with the counts of their deliveries in the last week.
func (w Webhooks) List(ctx context.Context, account uuid.UUID) ([]models.Webhook, error) {
	return db.Select[models.Webhook](ctx, w.s.c, "list webhooks", listWebhooks, account)
}

// Find returns an endpoint.
func (w Webhooks) Find(ctx context.Context, account, id uuid.UUID) (models.Webhook, error) {
	const q = `SELECT ` + webhookColumns + ` FROM webhook_endpoints WHERE account_id = $1 AND id = $2`
	return db.Get[models.Webhook](ctx, w.s.c, "webhook", q, account, id)
}

// Lock does the same as Find, and locks the endpoint until the transaction ends.
func (w Webhooks) Lock(ctx context.Context, account, id uuid.UUID) (models.Webhook, error) {
	const q = `SELECT ` + webhookColumns + ` FROM webhook_endpoints WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`
	return db.Get[models.Webhook](ctx, w.s.c, "webhook", q, account, id)
}

const (
	countWebhooks = `SELECT count(*) FROM webhook_endpoints WHERE account_id = $1`

	insertWebhook = `
INSERT INTO webhook_endpoints (account_id, id, name, url, events, secret) VALUES ($1, $2, $3, $4, $5, $6)
RETURNING ` + webhookColumns
)

// Create adds an active endpoint under a new id. It returns the endpoint's signing secret, which cannot be read later. Errors:
// no_encryption_key, and too_many if the account has models.MaxWebhooks already.
func (w Webhooks) Create(ctx context.Context, hook models.Webhook) (models.Webhook, string, error) {
	hook.ID = uuid.Must(uuid.NewV7())
	secret := newSigningSecret()
	sealed, err := w.s.box.Seal(delivery.SecretPlace(hook.AccountID, hook.ID), []byte(secret))
	if err != nil {
		return hook, "", err
	}
	err = w.s.LockedTx(ctx, hook.AccountID, func(s *Store) error {
		have, err := db.Get[int](ctx, s.c, "webhooks", countWebhooks, hook.AccountID)
		if err != nil {
			return err
		}
		if have >= models.MaxWebhooks {
			return models.Invalid("too_many", "an account may have at most %d webhook endpoints", models.MaxWebhooks)
		}
		hook, err = db.Get[models.Webhook](ctx, s.c, "webhook", insertWebhook, hook.AccountID, hook.ID, hook.Name, hook.URL,
			hook.Events, sealed)
		return err
	})
	return hook, secret, err
}

const rotateSecret = `
UPDATE webhook_endpoints t SET old_secret = secret, old_secret_until = now() + make_interval(secs => $4), secret = $3,
	updated_at = ` + nextVersion + `
WHERE account_id = $1 AND id = $2 RETURNING old_secret_until`

// Rotate gives an endpoint a new signing secret. It returns the new secret, which cannot be read later, and the end of the time
// in which deliveries are also signed with the old one. Errors: no_encryption_key and not_found.
func (w Webhooks) Rotate(ctx context.Context, account, id uuid.UUID) (string, time.Time, error) {
	secret := newSigningSecret()
	sealed, err := w.s.box.Seal(delivery.SecretPlace(account, id), []byte(secret))
	if err != nil {
		return "", time.Time{}, err
	}
	until, err := db.Get[time.Time](ctx, w.s.c, "webhook", rotateSecret, account, id, sealed, models.SecretOverlap.Seconds())
	return secret, until, err
}

// A successful attempt changes the endpoint's row only if consecutive_failures is not 0.
const markAttempt = `
WITH d AS (` + delivery.MarkAttempt + `)
UPDATE webhook_endpoints w SET
	failing_since = CASE WHEN d.delivered THEN NULL ELSE coalesce(failing_since, clock_timestamp()) END,
	consecutive_failures = CASE WHEN d.delivered THEN 0 ELSE consecutive_failures + 1 END
FROM d WHERE w.id = d.endpoint_id AND NOT (d.delivered AND consecutive_failures = 0)`

// MarkAttempt records an attempt in its delivery and in that delivery's endpoint. Call it in the transaction that ends the job's
// attempt.
func (w Webhooks) MarkAttempt(ctx context.Context, id uuid.UUID, a delivery.Attempt) error {
	return w.s.run(ctx, "mark attempt", markAttempt, delivery.MarkArgs(id, a)...)
}

// newSigningSecret returns a random secret. Its whole text, with the prefix, is the key of the signatures.
func newSigningSecret() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails
	return "whsec_" + base64.RawURLEncoding.EncodeToString(raw[:])
}

// A new url, or switching the endpoint on again, resets the consecutive failures.
const updateWebhook = `
UPDATE webhook_endpoints t SET url = coalesce($3::text, url), events = coalesce($4::text[], events),
	name = coalesce($5::text, name), active = coalesce($6::boolean, active), updated_at = ` + nextVersion + `,
	failing_since = CASE WHEN $3::text <> url OR ($6::boolean AND NOT active) THEN NULL ELSE failing_since END,
	consecutive_failures = CASE WHEN $3::text <> url OR ($6::boolean AND NOT active) THEN 0 ELSE consecutive_failures END
WHERE account_id = $1 AND id = $2
RETURNING ` + webhookColumns

// Update saves the fields of a change that are not nil. Pending deliveries go to the new url.
func (w Webhooks) Update(ctx context.Context, account, id uuid.UUID, c models.WebhookChange) (models.Webhook, error) {
	return db.Get[models.Webhook](ctx, w.s.c, "webhook", updateWebhook, account, id, c.URL, c.Events, c.Name, c.Active)
}

// Delete deletes an endpoint and its delivery log. The jobs of pending deliveries then find nothing to do.
func (w Webhooks) Delete(ctx context.Context, account, id uuid.UUID) error {
	return w.s.execOne(ctx, "webhook", `DELETE FROM webhook_endpoints WHERE account_id = $1 AND id = $2`, account, id)
}

// DeliveryFilter selects deliveries. A field with the zero value selects all.
type DeliveryFilter struct {
	Webhook uuid.UUID
	Status  string
}

var deliveryColumns = `d.id, d.endpoint_id, d.event_id, e.type, d.status, d.attempts, d.http_status, d.error, d.answer,
	e.body, d.last_attempt,
	` + jobrow.NextAttempt("d.id") + ` AS next_attempt, d.delivered_at, d.created_at`

var listDeliveries = `
SELECT ` + deliveryColumns + `
FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
WHERE d.account_id = $1 AND d.created_at >= now() - interval '30 days'`

// Deliveries lists the deliveries of the last 30 days, newest first.
func (w Webhooks) Deliveries(ctx context.Context, account uuid.UUID, f DeliveryFilter, p Page) (
	[]models.WebhookDelivery, string, error,
) {
	q := pageQuery[models.WebhookDelivery]{
		Name: "webhook deliveries", SQL: listDeliveries, Args: []any{account},
		Order:   []orderColumn{{"d.created_at", "%s::timestamptz"}, {"d.id", "%s::uuid"}},
		Filters: strings.Join([]string{f.Webhook.String(), f.Status}, "|"),
		Place:   func(d models.WebhookDelivery, _ time.Time) []string { return placeOf(d.CreatedAt.Time, d.ID) },
	}
	if f.Webhook != uuid.Nil {
		q.Args = append(q.Args, f.Webhook)
		q.SQL += fmt.Sprintf(" AND d.endpoint_id = $%d", len(q.Args))
	}
	if f.Status != "" {
		q.Args = append(q.Args, f.Status)
		q.SQL += fmt.Sprintf(" AND d.status = $%d", len(q.Args))
	}
	return readPage(ctx, w.s, account, p, q)
}

// CheckDelivery returns the error not_found if the account does not have the delivery.
func (w Webhooks) CheckDelivery(ctx context.Context, account, id uuid.UUID) error {
	const q = `SELECT id FROM webhook_deliveries WHERE account_id = $1 AND id = $2`
	return w.s.execOne(ctx, "delivery", q, account, id)
}

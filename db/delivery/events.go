package delivery

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/models"
)

const insertEvents = `
INSERT INTO events (id, account_id, type, created_at, body)
SELECT e.id, $1, e.type, e.created_at, e.body
FROM unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::bytea[]) AS e (id, type, created_at, body)`

// One statement inserts both deliveries and jobs, so that each delivery has its job even if endpoints change at the same time.
var insertDeliveries = `
WITH target AS (
    SELECT new_id() AS id, w.id AS endpoint_id, w.account_id, e.id AS event_id
    FROM unnest($2::uuid[], $3::text[]) AS e (id, type)
    JOIN webhook_endpoints w ON w.account_id = $1 AND w.active AND e.type = ANY (w.events)
), job AS (` + jobrow.InsertFrom("target", "$4", "NULL") + `)
INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id)
SELECT id, account_id, endpoint_id, event_id FROM target
RETURNING id`

// AddEvent stores an event, with a pending delivery and its job for each active endpoint that subscribes to it. It returns the
// ids of the deliveries. The caller dispatches the jobs, which have the same ids.
func AddEvent(ctx context.Context, c db.Conn, e models.Event) ([]uuid.UUID, error) {
	return AddEvents(ctx, c, []models.Event{e})
}

// AddEvents does the same as AddEvent for several events of the same account.
func AddEvents(ctx context.Context, c db.Conn, list []models.Event) ([]uuid.UUID, error) {
	if len(list) == 0 {
		return nil, nil
	}
	account := list[0].AccountID
	if slices.ContainsFunc(list, func(e models.Event) bool { return e.AccountID != account }) {
		return nil, errors.New("delivery: events of several accounts")
	}
	ids := db.Map(list, func(e models.Event) uuid.UUID { return e.ID })
	types := db.Map(list, func(e models.Event) string { return e.Type })
	err := db.Run(ctx, c, "add events", insertEvents, account, ids, types,
		db.Map(list, func(e models.Event) string { return e.CreatedAt.UTC().Format(time.RFC3339Nano) }),
		db.Map(list, func(e models.Event) []byte { return e.Body }))
	if err != nil {
		return nil, err
	}
	return db.Select[uuid.UUID](ctx, c, "add deliveries", insertDeliveries, account, ids, types, models.KindDeliverWebhook)
}

package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// $6 is the time of the request to the platform. $4 is the reason if it failed. $5 is true if spend was read.
const noteSourceIntegration = `
UPDATE source_integrations SET checked_at = $6, failure = $4,
	failures = CASE WHEN $4 = '' THEN 0 ELSE failures + 1 END,
	failing_since = CASE WHEN $4 = '' THEN NULL ELSE coalesce(failing_since, $6) END,
	synced_at = CASE WHEN $5 THEN $6 ELSE synced_at END,
	currency = coalesce(nullif($7, ''), currency), zone = coalesce(nullif($8, ''), zone)
WHERE account_id = $1 AND source_id = $2 AND saved_at = $3`

// SourceNote is the result of a request to a platform.
type SourceNote struct {
	Failure        string // empty: success
	Synced         bool   // spend was read
	Currency, Zone string // of the account at the platform; empty: the platform did not return it
}

// Note records the result of a request to the platform. Nothing is recorded if the connection has changed since i was read.
func (k SourceIntegrations) Note(ctx context.Context, i models.SourceIntegration, n SourceNote, now time.Time) error {
	_, err := k.s.exec(ctx, "note connection of traffic source", noteSourceIntegration, i.AccountID, i.SourceID, i.SavedAt, n.Failure,
		n.Synced, now, n.Currency, n.Zone)
	return err
}

// SetNext stores the time of the next automatic read of spend. From wide on, spend is read for the longer window. A zero wide keeps
// the present value. Nothing is stored if the connection has changed since i was read.
func (k SourceIntegrations) SetNext(ctx context.Context, i models.SourceIntegration, at, wide time.Time) error {
	return sourceCredentials.setNext(ctx, k.s, i.AccountID, i.SourceID, i.SavedAt, at, wide)
}

// After a failure the next sync uses the shorter window, because only the longer window may be failing.
const takeDueSources = `
UPDATE source_integrations i SET next_at = $2
FROM (
	SELECT k.source_id, k.wide_at <= $1 AND k.failures % 2 = 0 AS wide FROM source_integrations k JOIN traffic_sources s ON s.id = k.source_id
	WHERE k.is_enabled AND k.next_at <= $1 AND s.is_active AND s.deactivated_at IS NULL
	ORDER BY k.next_at LIMIT $3 FOR UPDATE OF k SKIP LOCKED
) d
WHERE i.source_id = d.source_id RETURNING i.account_id, i.source_id, i.provider, i.zone, d.wide`

// DueSource is a traffic source whose sync of spend is due.
type DueSource struct {
	AccountID uuid.UUID `db:"account_id"`
	SourceID  uuid.UUID `db:"source_id"`
	Provider  string    `db:"provider"`
	Zone      string    `db:"zone"`
	Wide      bool      `db:"wide"` // the sync uses the longer window
}

// TakeDue claims at most limit connections of all accounts whose sync is due. They become due again at next.
func (k SourceIntegrations) TakeDue(ctx context.Context, now, next time.Time, limit int) ([]DueSource, error) {
	return db.Select[DueSource](ctx, k.s.c, "due traffic sources", takeDueSources, now, next, limit)
}

// Failing lists at most 500 of the account's traffic sources whose requests have failed several times in a row.
func (k SourceIntegrations) Failing(ctx context.Context, account uuid.UUID) ([]FailingIntegration, error) {
	const q = `SELECT s.id, s.name, i.provider, i.failure, i.failures, i.failing_since, i.checked_at
		FROM source_integrations i JOIN traffic_sources s ON s.id = i.source_id AND s.account_id = i.account_id
		WHERE i.account_id = $1 AND i.failures >= $2 AND s.is_active AND s.deactivated_at IS NULL
		ORDER BY i.failing_since DESC, s.id LIMIT $3`
	return db.Select[FailingIntegration](ctx, k.s.c, "failing traffic sources", q, account, models.FailingIntegration, MaxAlerts)
}

// Hold locks the spend of a traffic source against other writers until the transaction ends. The error is ErrNoIntegration if the
// source is not connected.
func (k SourceIntegrations) Hold(ctx context.Context, account, source uuid.UUID) error {
	_, err := db.Get[uuid.UUID](ctx, k.s.c, "connection of the traffic source",
		`SELECT source_id FROM source_integrations WHERE account_id = $1 AND source_id = $2 FOR NO KEY UPDATE`, account, source)
	return err
}

// SpendDay returns the number of clicks over which the spend of a day was spread. ok is false if the day's spend was never read.
func (k SourceIntegrations) SpendDay(ctx context.Context, account, source uuid.UUID, day time.Time) (clicks int64, ok bool, err error) {
	return db.First[int64](ctx, k.s.c, "day of spend", `SELECT clicks FROM source_spend_days
		WHERE account_id = $1 AND source_id = $2 AND day = $3::date`, account, source, day.Format(time.DateOnly))
}

const saveSpendDay = `
INSERT INTO source_spend_days (source_id, day, account_id, clicks, synced_at) VALUES ($2, $3::date, $1, $4, $5)
ON CONFLICT (source_id, day) DO UPDATE SET clicks = $4, synced_at = $5`

// SaveSpendDay records that the spend of a day was read, with the number of clicks over which it was spread.
func (k SourceIntegrations) SaveSpendDay(ctx context.Context, account, source uuid.UUID, day time.Time, clicks int64, now time.Time) error {
	_, err := k.s.exec(ctx, "day of spend", saveSpendDay, account, source, day.Format(time.DateOnly), clicks, now)
	return err
}

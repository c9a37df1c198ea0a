package integration

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
)

// Runs stores the records of integration runs.
type Runs struct{ s *store.Store }

// NewRuns returns Runs in a store.
func NewRuns(s *store.Store) Runs { return Runs{s} }

var runColumns = db.Columns[models.IntegrationRun]("")

const startRun = `
INSERT INTO integration_runs (id, account_id, kind, target_id, provider, origin, from_day, to_day, applied, started_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (id) DO UPDATE SET started_at = $10, ended_at = NULL, failure = '', provider_request = ''`

// Start records the start of a run. A run whose job is repeated starts again: its end and its failure are cleared.
func (k Runs) Start(ctx context.Context, r models.IntegrationRun) error {
	return db.Run(ctx, k.s.Conn(), "start run", startRun, r.ID, r.AccountID, r.Kind, r.TargetID, r.Provider, r.Origin, r.From, r.To,
		r.Applied, r.StartedAt)
}

// RecordRead stores how much a run has read from the platform.
func (k Runs) RecordRead(ctx context.Context, account, id uuid.UUID, requests, pages, read int) error {
	return db.Run(ctx, k.s.Conn(), "note run", `UPDATE integration_runs SET requests = $3, pages = $4, read = $5
		WHERE account_id = $1 AND id = $2`, account, id, requests, pages, read)
}

// RecordLastDay stores the last day of a run that did not know this day when it started.
func (k Runs) RecordLastDay(ctx context.Context, account, id uuid.UUID, day time.Time) error {
	return db.Run(ctx, k.s.Conn(), "last day of run", `UPDATE integration_runs SET to_day = $3::date WHERE account_id = $1 AND id = $2`,
		account, id, day.Format(time.DateOnly))
}

// RunEnd describes how a run ended.
type RunEnd struct {
	Matched, Changed int
	Failure          string // empty: success
	Request          string // the provider's id of the failed request, if the provider returned one
}

// End records the result of a run.
func (k Runs) End(ctx context.Context, account, id uuid.UUID, at time.Time, e RunEnd) error {
	return db.Run(ctx, k.s.Conn(), "end run", `UPDATE integration_runs SET ended_at = $3, matched = $4, changed = $5, failure = $6,
		provider_request = $7 WHERE account_id = $1 AND id = $2`, account, id, at, e.Matched, e.Changed, e.Failure, e.Request)
}

// List lists the latest runs of a target, newest first. The limit applies to each kind of run.
func (k Runs) List(ctx context.Context, account, target uuid.UUID, limit int) ([]models.IntegrationRun, error) {
	return db.Select[models.IntegrationRun](ctx, k.s.Conn(), "runs", `SELECT `+runColumns+` FROM (
		SELECT *, row_number() OVER (PARTITION BY kind ORDER BY started_at DESC, id) AS place FROM integration_runs
		WHERE account_id = $1 AND target_id = $2) r WHERE place <= $3 ORDER BY started_at DESC, id`, account, target, limit)
}

// DeleteExpired deletes runs that started before the given time, up to the limit.
func (k Runs) DeleteExpired(ctx context.Context, before time.Time, limit int) error {
	return db.Run(ctx, k.s.Conn(), "forget runs", `DELETE FROM integration_runs WHERE id IN (
		SELECT id FROM integration_runs WHERE started_at < $1 LIMIT $2)`, before, limit)
}

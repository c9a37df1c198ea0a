package integration

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
)

// TroubledUploads is a traffic source whose conversion uploads were stopped or keep failing.
type TroubledUploads struct {
	ID       uuid.UUID `db:"id"`
	Name     string    `db:"name"`
	Provider string    `db:"provider"`
	Stopped  string    `db:"uploads_stopped"` // reason of the stop; empty: the uploads fail
	Failure  string    `db:"upload_failure"`
	Failures int       `db:"upload_failures"`
	Since    time.Time `db:"since"`
}

// TroubledUploads lists at most 500 of the account's active traffic sources whose uploads are switched on but were stopped, or
// failed several times in a row.
func (k Sources) TroubledUploads(ctx context.Context, account uuid.UUID) ([]TroubledUploads, error) {
	const q = `SELECT s.id, s.name, i.provider, i.uploads_stopped, i.upload_failure, i.upload_failures,
			coalesce(i.uploads_stopped_at, i.upload_failing_since, now()) AS since
		FROM source_integrations i JOIN traffic_sources s ON s.id = i.source_id AND s.account_id = i.account_id
		WHERE i.account_id = $1 AND i.conversions_enabled AND (i.uploads_stopped <> '' OR i.upload_failures >= $2)
			AND s.is_active AND s.deactivated_at IS NULL
		ORDER BY since DESC, s.id LIMIT $3`
	return db.Select[TroubledUploads](ctx, k.s.Conn(), "troubled uploads", q, account, models.FailingIntegration, store.MaxAlerts)
}

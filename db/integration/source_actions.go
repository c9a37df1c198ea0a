package integration

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// WithActions returns the integration of a traffic source whose platform has conversion actions. connection is the id of its OAuth
// connection to the platform. Errors: not_platform_ab, not_connected, no_customer_id, no_account_id.
func (k Sources) WithActions(ctx context.Context, account, source uuid.UUID) (
	i models.SourceIntegration, connection uuid.UUID, err error,
) {
	i, err = k.Find(ctx, account, source)
	if errors.Is(err, ErrNotConnected) {
		return i, connection, models.ErrNoActions()
	}
	if err == nil {
		err = i.CheckActions()
	}
	if err != nil {
		return i, connection, err
	}
	signedIn, err := k.signedIn(ctx, account, i.Provider)
	if err != nil {
		return i, connection, err
	}
	const needed = true
	chosen, err := models.ChooseConnection(signedIn, i.ConnectionID, needed)
	if e, ok := models.AsError(err); ok {
		err = models.Invalid("not_connected", "%s", e.Message) // one code, whether no connection exists or none was chosen
	}
	if err == nil {
		err = i.CheckAdvertiser()
	}
	return i, chosen.UUID, err
}

const setSourceAction = `
UPDATE source_integrations SET conversion_action = $4,
	uploads_ready_at = CASE WHEN $5::timestamptz IS NOT NULL THEN $5 WHEN conversion_action = $4 THEN uploads_ready_at
		ELSE $6 END
WHERE account_id = $1 AND source_id = $2 AND saved_at = $3 RETURNING uploads_ready_at`

// SetAction stores the conversion action to which a source's conversions are uploaded, and the time from which the platform
// accepts them (the parameter ready). If this parameter is nil, a new action gets the time in the parameter latest, and the same
// action keeps its time. SetAction returns the stored time. If the integration was saved again after i was read, SetAction stores
// nothing and returns the parameter ready.
func (k Sources) SetAction(ctx context.Context, i models.SourceIntegration, action string, ready, latest *time.Time) (
	*time.Time, error,
) {
	at, found, err := db.First[*time.Time](ctx, k.s.Conn(), "conversion action", setSourceAction, i.AccountID, i.TargetID, i.SavedAt, action, ready, latest)
	if err != nil || !found {
		return ready, err
	}
	return at, nil
}

// signedIn lists the connections by OAuth sign-in to a provider, the oldest first.
func (k Sources) signedIn(ctx context.Context, account uuid.UUID, provider string) ([]uuid.UUID, error) {
	return db.Select[uuid.UUID](ctx, k.s.Conn(), "connections", `SELECT id FROM oauth_connections WHERE account_id = $1 AND provider = $2
		ORDER BY id`, account, provider)
}

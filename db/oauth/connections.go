// Package oauth stores the connections to ad platforms that were made by OAuth sign-in, and the sign-ins in progress.
package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
)

// Connections stores the connections to ad platforms that were made by OAuth sign-in.
type Connections struct{ s *store.Store }

// NewConnections returns Connections in a store.
func NewConnections(s *store.Store) Connections { return Connections{s} }

const what = "connection"

var columns = db.Columns[models.OAuthConnection]("")

// List lists the connections of an account to all providers, the oldest first.
func (k Connections) List(ctx context.Context, account uuid.UUID) ([]models.OAuthConnection, error) {
	return db.Select[models.OAuthConnection](ctx, k.s.Conn(), "connections", `SELECT `+columns+`
		FROM oauth_connections WHERE account_id = $1 ORDER BY id`, account)
}

// Find returns a connection.
func (k Connections) Find(ctx context.Context, account, id uuid.UUID) (models.OAuthConnection, error) {
	return db.Get[models.OAuthConnection](ctx, k.s.Conn(), what, `SELECT `+columns+`
		FROM oauth_connections WHERE account_id = $1 AND id = $2`, account, id)
}

// First returns the oldest connection to a provider.
func (k Connections) First(ctx context.Context, account uuid.UUID, provider string) (models.OAuthConnection, error) {
	return db.Get[models.OAuthConnection](ctx, k.s.Conn(), what, `SELECT `+columns+`
		FROM oauth_connections WHERE account_id = $1 AND provider = $2 ORDER BY id LIMIT 1`, account, provider)
}

// Remove deletes a connection and its tokens. Traffic sources that used it then have no connection.
func (k Connections) Remove(ctx context.Context, account, id uuid.UUID) error {
	return k.s.Tx(ctx, func(s *store.Store) error {
		if err := db.ExecOne(ctx, s.Conn(), what, `DELETE FROM oauth_connections WHERE account_id = $1 AND id = $2`, account, id); err != nil {
			return err
		}
		return db.Run(ctx, s.Conn(), "disconnect traffic sources", `UPDATE source_integrations SET oauth_connection_id = NULL
			WHERE account_id = $1 AND oauth_connection_id = $2`, account, id)
	})
}

// adoptSources gives a connection to the account's traffic sources of the same platform that have no connection. It changes nothing
// if the account has several connections to the platform. models.ChooseConnection follows the same rule.
const adoptSources = `
UPDATE source_integrations i SET oauth_connection_id = $3 WHERE account_id = $1 AND provider = $2
	AND NOT EXISTS (SELECT FROM oauth_connections o WHERE o.account_id = $1 AND o.id = i.oauth_connection_id)
	AND (SELECT count(*) FROM oauth_connections o WHERE o.account_id = $1 AND o.provider = $2) = 1`

func tokensPlace(account, id uuid.UUID) seal.Place {
	return seal.Place{Account: account, Table: "oauth_connections", Row: id.String(), Column: "tokens"}
}

func (k Connections) seal(account, id uuid.UUID, t models.OAuthTokens) ([]byte, error) {
	raw, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("oauth: tokens of connection: %w", err)
	}
	return k.s.Box().Seal(tokensPlace(account, id), raw)
}

// Tokens returns a connection with its tokens. The error is seal.ErrOpen if they can no longer be decrypted.
func (k Connections) Tokens(ctx context.Context, account, id uuid.UUID) (c models.OAuthConnection, t models.OAuthTokens, err error) {
	row, err := db.Get[struct {
		models.OAuthConnection
		Sealed []byte `db:"tokens"`
	}](ctx, k.s.Conn(), what, `SELECT `+columns+`, tokens FROM oauth_connections WHERE account_id = $1 AND id = $2`, account, id)
	if err != nil {
		return c, t, err
	}
	raw, err := k.s.Box().Open(ctx, tokensPlace(account, id), row.Sealed)
	if err != nil {
		return row.OAuthConnection, t, err
	}
	if err = json.Unmarshal(raw, &t); err != nil {
		err = fmt.Errorf("oauth: tokens of connection %s: %w", id, err)
	}
	return row.OAuthConnection, t, err
}

var save = `
INSERT INTO oauth_connections AS c (id, account_id, provider, user_id, user_name, tokens, scopes, expires_at, refresh_at, connected_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (account_id, provider, user_id) DO UPDATE SET user_name = $5, tokens = $6, scopes = $7, expires_at = $8, refresh_at = $9,
	connected_at = $10, status = '` + models.OAuthActive + `', failure = '', failing_since = NULL, version = c.version + 1,
	lease = NULL, lease_until = NULL
RETURNING ` + columns

// Save stores a connection with the granted tokens. If the platform's user was connected before, the old connection gets the new
// tokens. Errors: too_many, no_encryption_key.
func (k Connections) Save(ctx context.Context, account uuid.UUID, provider string, g models.OAuthGrant, now time.Time) (
	models.OAuthConnection, error,
) {
	return store.LockedTxOf(ctx, k.s, account, func(s *store.Store) (c models.OAuthConnection, err error) {
		id, known, err := db.First[uuid.UUID](ctx, s.Conn(), what, `SELECT id FROM oauth_connections
			WHERE account_id = $1 AND provider = $2 AND user_id = $3`, account, provider, g.UserID)
		if err != nil {
			return c, err
		}
		if !known {
			id = uuid.Must(uuid.NewV7())
			if err := NewConnections(s).checkRoom(ctx, account); err != nil {
				return c, err
			}
		}
		sealed, err := NewConnections(s).seal(account, id, g.Tokens)
		if err != nil {
			return c, err
		}
		if c, err = db.Get[models.OAuthConnection](ctx, s.Conn(), what, save, id, account, provider, g.UserID, g.UserName, sealed,
			g.Scopes, g.ExpiresAt, refreshAt(g.ExpiresAt, now), now); err != nil {
			return c, err
		}
		err = db.Run(ctx, s.Conn(), "connect traffic sources", adoptSources, account, provider, id)
		return c, err
	})
}

// refreshAt returns the time to renew a token that expires at the given time. It is nil if the token does not expire.
func refreshAt(expires *time.Time, now time.Time) *time.Time {
	if expires == nil {
		return nil
	}
	at := expires.Add(-models.OAuthRefreshAhead(expires.Sub(now)))
	return &at
}

// checkRoom returns the error too_many if the account already has the maximum number of connections. The account must be locked.
func (k Connections) checkRoom(ctx context.Context, account uuid.UUID) error {
	have, err := db.Get[int](ctx, k.s.Conn(), "connections", `SELECT count(*) FROM oauth_connections WHERE account_id = $1`, account)
	if err == nil && have >= models.MaxOAuthConnections {
		err = models.Invalid("too_many", "at most %d connections can be made by sign-in", models.MaxOAuthConnections)
	}
	return err
}

const claim = `
UPDATE oauth_connections SET lease = $4, lease_until = now() + make_interval(secs => $5)
WHERE account_id = $1 AND id = $2 AND version = $3 AND (lease_until IS NULL OR lease_until <= now())`

// ClaimRefresh leases the renewal of a connection's tokens to a process. ok is false if another process has the lease, or has
// renewed the tokens.
func (k Connections) ClaimRefresh(ctx context.Context, c models.OAuthConnection, holder uuid.UUID, lease time.Duration) (ok bool, err error) {
	n, err := db.Exec(ctx, k.s.Conn(), "claim connection", claim, c.AccountID, c.ID, c.Version, holder, lease.Seconds())
	return n > 0, err
}

const renewed = `
UPDATE oauth_connections SET tokens = $4, expires_at = $5, refresh_at = $6, refreshed_at = $7, version = version + 1,
	scopes = CASE WHEN $8 = '' THEN scopes ELSE $8 END,
	status = '` + models.OAuthActive + `', failure = '', failing_since = NULL, lease = NULL, lease_until = NULL
WHERE account_id = $1 AND id = $2 AND lease = $3`

// SetRefreshed saves renewed tokens and ends the lease. If the holder has lost the lease, nothing is saved and ok is false.
func (k Connections) SetRefreshed(ctx context.Context, c models.OAuthConnection, holder uuid.UUID, g models.OAuthGrant, now time.Time) (
	ok bool, err error,
) {
	sealed, err := k.seal(c.AccountID, c.ID, g.Tokens)
	if err != nil {
		return false, err
	}
	n, err := db.Exec(ctx, k.s.Conn(), "renew connection", renewed, c.AccountID, c.ID, holder, sealed, g.ExpiresAt,
		refreshAt(g.ExpiresAt, now), now, g.Scopes)
	return n > 0, err
}

const failed = `
UPDATE oauth_connections SET status = $4, failure = $5, failing_since = coalesce(failing_since, $6), refresh_at = $7,
	lease = NULL, lease_until = NULL
WHERE account_id = $1 AND id = $2 AND lease = $3`

// SetFailed records why tokens could not be renewed, and ends the lease. next is the time of the next renewal. If next is nil,
// the tokens are renewed only on demand. revoked means that the platform no longer accepts the tokens.
func (k Connections) SetFailed(ctx context.Context, c models.OAuthConnection, holder uuid.UUID, failure string, revoked bool,
	now time.Time, next *time.Time,
) error {
	status := models.OAuthActive
	if revoked {
		status = models.OAuthRevoked
	}
	return db.Run(ctx, k.s.Conn(), "note connection", failed, c.AccountID, c.ID, holder, status, failure, now, next)
}

// Due identifies a connection whose tokens are due for renewal.
type Due struct {
	AccountID uuid.UUID `db:"account_id"`
	ID        uuid.UUID `db:"id"`
}

const claimDue = `
UPDATE oauth_connections c SET refresh_at = $2 FROM (
	SELECT id FROM oauth_connections WHERE status = '` + models.OAuthActive + `' AND refresh_at <= $1
	ORDER BY refresh_at LIMIT $3 FOR UPDATE SKIP LOCKED
) d WHERE c.id = d.id RETURNING c.account_id, c.id`

// ClaimDue claims at most limit connections of all accounts whose tokens are due for renewal. They become due again at the time
// in the parameter next.
func (k Connections) ClaimDue(ctx context.Context, now, next time.Time, limit int) ([]Due, error) {
	return db.Select[Due](ctx, k.s.Conn(), "due connections", claimDue, now, next, limit)
}

// troubledAfter is how long renewals may fail before a connection is troubled.
const troubledAfter = 15 * time.Minute

// Troubled lists at most 500 connections of an account that were revoked, or whose renewal has failed for at least troubledAfter.
func (k Connections) Troubled(ctx context.Context, account uuid.UUID, now time.Time) ([]models.OAuthConnection, error) {
	return db.Select[models.OAuthConnection](ctx, k.s.Conn(), "troubled connections", `SELECT `+columns+` FROM oauth_connections
		WHERE account_id = $1 AND (status = $2 OR failing_since <= $3) ORDER BY failing_since DESC, id LIMIT $4`,
		account, models.OAuthRevoked, now.Add(-troubledAfter), store.MaxAlerts)
}

package assistant

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
)

// Tokens are a new access token and a new refresh token of a grant.
type Tokens struct {
	Access, Refresh string
	Rights          models.Rights // limited by the person's present role
}

// Exchange is what a client sends to get tokens.
type Exchange struct {
	Client   string
	Resource string // empty: the grant's
	Redirect string // only with a code
	Verifier string // only with a code
	Scope    string // only with a refresh token; empty: the grant's
}

// token is a code or a refresh token, with its grant.
type token struct {
	GrantID   uuid.UUID     `db:"grant_id"`
	AccountID uuid.UUID     `db:"account_id"`
	Used      bool          `db:"used"`
	Live      bool          `db:"live"` // not expired, and with a valid grant
	Redirect  string        `db:"redirect_uri"`
	Challenge string        `db:"challenge"`
	Client    string        `db:"client_id"`
	Resource  string        `db:"resource"`
	Rights    models.Rights `db:"rights"`
	Role      models.Role   `db:"role"`
}

// lockToken selects a code or a refresh token. It locks the row, so that the second of two simultaneous uses sees the first.
const lockToken = `
SELECT t.grant_id, t.account_id, t.used_at IS NOT NULL AS used, t.redirect_uri, t.challenge, g.client_id, g.resource, g.rights,
	coalesce(m.role, '') AS role, t.expires_at > $3 AND k.revoked_at IS NULL AND k.expires_at > $3 AND m.role IS NOT NULL AND a.assistants AS live
FROM assistant_tokens t JOIN assistant_grants g ON g.id = t.grant_id JOIN api_keys k ON k.id = g.id JOIN accounts a ON a.id = g.account_id
LEFT JOIN memberships m ON m.account_id = g.account_id AND m.user_id = g.user_id
WHERE t.hash = $1 AND t.kind = $2 FOR UPDATE OF t`

var (
	errGrant    = models.Invalid("invalid_grant", "the code or token is unknown, expired, revoked or used already")
	errVerifier = models.Invalid("invalid_grant", "the code_verifier does not match the code")
	errRedirect = models.Invalid("invalid_grant", "the redirect_uri does not match the code")
	errTarget   = models.Invalid("invalid_target", "the resource does not match the grant")
	errScope    = models.Invalid("invalid_scope", "the scope is wider than what was granted")
)

// RedeemCode exchanges a code for tokens. Errors: invalid_grant, invalid_target.
func (a Assistants) RedeemCode(ctx context.Context, code string, x Exchange, now time.Time) (Tokens, error) {
	return a.exchange(ctx, "code", code, x, now, func(t token) error {
		sum := sha256.Sum256([]byte(x.Verifier))
		switch challenge := base64.RawURLEncoding.EncodeToString(sum[:]); {
		case t.Redirect != x.Redirect:
			return errRedirect
		case subtle.ConstantTimeCompare([]byte(challenge), []byte(t.Challenge)) != 1:
			return errVerifier
		}
		return nil
	})
}

// Refresh exchanges a refresh token for new tokens. Errors: invalid_grant, invalid_target, invalid_scope.
func (a Assistants) Refresh(ctx context.Context, refresh string, x Exchange, now time.Time) (Tokens, error) {
	return a.exchange(ctx, "refresh", refresh, x, now, func(t token) error {
		if x.Scope != "" && !t.Rights.Includes(models.RightsOfScope(x.Scope)) {
			return errScope
		}
		return nil
	})
}

const (
	useToken     = `UPDATE assistant_tokens SET used_at = $2 WHERE hash = $1`
	extendGrant  = `UPDATE api_keys SET expires_at = $2 WHERE id = $1`
	connectGrant = `UPDATE assistant_grants SET connected_at = coalesce(connected_at, $2) WHERE id = $1`
	revokeGrant  = `UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1`
	insertToken  = `INSERT INTO assistant_tokens (hash, account_id, grant_id, kind, expires_at) VALUES ($1, $2, $3, $4, $5)`
)

// exchange issues new tokens for a code or a refresh token. A second use of the code or token ends its grant. A
// request that is refused for another reason does not use up the code or token.
func (a Assistants) exchange(ctx context.Context, kind, secret string, x Exchange, now time.Time, check func(token) error) (out Tokens, err error) {
	var refused error // returned after the commit, because the end of the grant must be committed
	err = a.s.Tx(ctx, func(s *store.Store) error {
		hash := models.HashToken(secret)
		t, ok, err := db.First[token](ctx, s.Conn(), kind, lockToken, hash, kind, now)
		switch {
		case err != nil:
			return err
		case !ok || t.Client != x.Client:
			refused = errGrant
			return nil
		case t.Used:
			refused = errGrant
			return db.Run(ctx, s.Conn(), "end grant", revokeGrant, t.GrantID, now)
		case !t.Live:
			refused = errGrant
		case x.Resource != "" && x.Resource != t.Resource:
			refused = errTarget
		default:
			refused = check(t)
		}
		if refused != nil {
			return nil
		}
		if err := db.Run(ctx, s.Conn(), "use", useToken, hash, now); err != nil {
			return err
		}
		out, err = New(s).issue(ctx, t, now)
		return err
	})
	if err == nil {
		err = refused
	}
	return out, err
}

// issue makes new tokens of a grant and extends the grant.
func (a Assistants) issue(ctx context.Context, t token, now time.Time) (Tokens, error) {
	out := Tokens{Access: models.NewAccessToken(), Refresh: models.NewRefreshToken(), Rights: t.Rights.Within(t.Role)}
	end := now.Add(models.RefreshTokenLife)
	for _, step := range []struct {
		query string
		args  []any
	}{
		{insertToken, []any{models.HashToken(out.Access), t.AccountID, t.GrantID, "access", now.Add(models.AccessTokenLife)}},
		{insertToken, []any{models.HashToken(out.Refresh), t.AccountID, t.GrantID, "refresh", end}},
		{extendGrant, []any{t.GrantID, end}},
		{connectGrant, []any{t.GrantID, now}},
	} {
		if err := db.Run(ctx, a.s.Conn(), "issue tokens", step.query, step.args...); err != nil {
			return Tokens{}, err
		}
	}
	return out, nil
}

const (
	findToken = `SELECT t.kind, g.id, g.account_id, g.client_name FROM assistant_tokens t JOIN assistant_grants g ON g.id = t.grant_id
WHERE t.hash = $1 AND t.kind IN ('access', 'refresh') AND g.client_id = $2`
	deleteToken = `DELETE FROM assistant_tokens WHERE hash = $1`
)

// RevokeToken ends a token that a client gives back. A refresh token ends the whole grant. RevokeToken then returns the
// grant, unless it has ended before. An unknown token is no error.
func (a Assistants) RevokeToken(ctx context.Context, secret, client string, now time.Time) (ended *models.AssistantGrant, err error) {
	type row struct {
		models.AssistantGrant
		Kind string `db:"kind"`
	}
	err = a.s.Tx(ctx, func(s *store.Store) error {
		t, ok, err := db.First[row](ctx, s.Conn(), "token", findToken, models.HashToken(secret), client)
		switch {
		case err != nil || !ok:
			return err
		case t.Kind == "access":
			return db.Run(ctx, s.Conn(), "token", deleteToken, models.HashToken(secret))
		}
		n, err := db.Exec(ctx, s.Conn(), "end grant", `UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL`, t.ID, now)
		if n > 0 {
			ended = &t.AssistantGrant
		}
		return err
	})
	return ended, err
}

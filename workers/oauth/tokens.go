package oauth

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	dboauth "switchyard/db/oauth"
	"switchyard/db/seal"
	"switchyard/models"
	"switchyard/workers/providers/oauth"
)

// minValidity is how long an access token must still be valid when Token returns it.
const minValidity = time.Minute

// Token returns an access token that is valid for more than a minute. Its errors for customers are not_connected, credentials,
// not_configured, and the code of the platform's refusal.
func (t *Tokens) Token(ctx context.Context) (string, error) {
	return t.get(ctx, func(c models.OAuthConnection, _ models.OAuthTokens) bool { return t.isFresh(c) })
}

// Renew returns a new access token after the platform has refused one. It has the same errors as Token.
func (t *Tokens) Renew(ctx context.Context, refused string) (string, error) {
	return t.get(ctx, func(c models.OAuthConnection, have models.OAuthTokens) bool {
		return have.Access != refused && t.isFresh(c)
	})
}

func (t *Tokens) isFresh(c models.OAuthConnection) bool {
	return c.ExpiresAt == nil || c.ExpiresAt.After(t.k.o.Now().Add(minValidity))
}

// renewEarly renews the tokens if they expire soon and no other process has renewed them.
func (t *Tokens) renewEarly(ctx context.Context) error {
	_, err := t.get(ctx, func(c models.OAuthConnection, _ models.OAuthTokens) bool {
		if c.ExpiresAt == nil {
			return true
		}
		since := c.ConnectedAt
		if c.RefreshedAt != nil && c.RefreshedAt.After(since) {
			since = *c.RefreshedAt
		}
		return t.k.o.Now().Before(c.ExpiresAt.Add(-models.OAuthRefreshAhead(c.ExpiresAt.Sub(since))))
	})
	return err
}

const (
	// refreshLease is how long one process may take to renew tokens. After that time another process may start.
	refreshLease = 30 * time.Second
	// refreshTime is how long the platform may take. The rest of the lease is for saving the new tokens.
	refreshTime  = 15 * time.Second
	pollInterval = 150 * time.Millisecond
)

// get returns the stored access token if the function usable accepts it. Otherwise it waits until this process or another one has renewed the
// tokens.
func (t *Tokens) get(ctx context.Context, usable func(models.OAuthConnection, models.OAuthTokens) bool) (string, error) {
	records := dboauth.NewConnections(t.k.store)
	for {
		c, have, err := records.Tokens(ctx, t.account, t.id)
		switch {
		case errors.Is(err, models.NotFound("connection")):
			return "", errNotConnected()
		case errors.Is(err, seal.ErrOpen):
			return "", errCredentials("the stored tokens cannot be read any more")
		case err != nil:
			return "", err
		case c.Status == models.OAuthRevoked:
			return "", errCredentials(c.Failure)
		case c.CheckUse(t.use) != nil:
			return "", c.CheckUse(t.use)
		case usable(c, have):
			return have.Access, nil
		}
		holder := uuid.New()
		claimed, err := records.ClaimRefresh(ctx, c, holder, refreshLease)
		if err != nil {
			return "", err
		}
		if claimed {
			token, saved, err := t.refresh(ctx, c, have, holder)
			if err != nil || saved {
				return token, err
			}
			continue // another process has taken over, or a user has signed in again
		}
		if err := t.k.o.Wait(ctx, pollInterval); err != nil {
			return "", err
		}
	}
}

// refresh renews the tokens for which this process has the lease. It saves the new tokens before any caller gets a token, because
// the platform may no longer accept the old tokens. It continues if the caller's context ends.
func (t *Tokens) refresh(ctx context.Context, c models.OAuthConnection, have models.OAuthTokens, holder uuid.UUID) (
	token string, saved bool, err error,
) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshLease)
	defer cancel()
	limited, stop := context.WithTimeout(ctx, refreshTime)
	g, err := t.k.o.Client.Refresh(limited, c.Provider, have)
	stop()
	if err != nil {
		return "", false, t.recordFailure(ctx, c, holder, err)
	}
	g.Tokens.Refresh = cmp.Or(g.Tokens.Refresh, have.Refresh)
	for {
		saved, err = dboauth.NewConnections(t.k.store).SetRefreshed(ctx, c, holder, g, t.k.o.Now())
		if err == nil {
			return g.Tokens.Access, saved, nil
		}
		if t.k.o.Wait(ctx, pollInterval) != nil { // the lease has ended
			return "", false, err
		}
	}
}

func (t *Tokens) recordFailure(ctx context.Context, c models.OAuthConnection, holder uuid.UUID, cause error) error {
	text := cause.Error()
	if e, known := models.AsError(cause); known {
		text = e.Message
	}
	now := t.k.o.Now()
	var next *time.Time
	revoked := errors.Is(cause, oauth.ErrRevoked)
	if !revoked {
		at := now.Add(sweepAgain)
		next = &at
	}
	if err := dboauth.NewConnections(t.k.store).SetFailed(ctx, c, holder, text, revoked, now, next); err != nil {
		return err
	}
	if revoked {
		return errCredentials(text)
	}
	return customerError(c.Provider, cause)
}

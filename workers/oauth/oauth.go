// Package oauth maintains the connections that accounts have made by signing in at ad platforms. It completes sign-ins, renews
// tokens, lists ad accounts, and lists and creates conversion actions.
package oauth

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"switchyard/db"
	dboauth "switchyard/db/oauth"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/interval"
	"switchyard/workers"
	"switchyard/workers/providers/oauth"
)

// Options are the options of New.
type Options struct {
	Client *oauth.Client
	Now    func() time.Time
	// Wait waits for another process that renews the same tokens. It may be nil.
	Wait func(ctx context.Context, d time.Duration) error
}

// Connections provides the connections made by sign-in. It is safe for concurrent use.
type Connections struct {
	o     Options
	store *store.Store
}

// New makes Connections.
func New(s *store.Store, o Options) *Connections {
	o.Now = workers.Clock(o.Now)
	if o.Wait == nil {
		o.Wait = interval.Sleep
	}
	return &Connections{o, s}
}

// Register registers the handlers at a runtime.
func (k *Connections) Register(r *workers.Runtime) {
	workers.Register(r, jobs.ExchangeOAuth, k.exchange)
	workers.Register(r, jobs.ListAdAccounts, k.accounts)
	workers.Register(r, jobs.ListConversionActions, k.listActions)
	workers.Register(r, jobs.CreateConversionAction, k.createAction)
	workers.RegisterTick(r, jobs.SweepOAuth, k.sweep)
}

// exchange completes a sign-in and saves the connection.
func (k *Connections) exchange(ctx context.Context, a jobs.OAuthAttemptArgs) (out jobs.OAuthConnected, err error) {
	account := workers.Account(ctx)
	attempt, code, err := dboauth.NewAttempts(k.store).Consume(ctx, account, a.ID, k.o.Now())
	if err != nil {
		return out, err
	}
	g, err := k.o.Client.Exchange(ctx, attempt.Provider, code, attempt.Verifier, attempt.Redirect)
	if _, known := models.AsError(err); err != nil && !known {
		err = models.Invalid("signin_refused", "%s", err)
	}
	if err != nil {
		return out, err
	}
	if len(models.MissingUses(attempt.Provider, g.Scopes)) == len(models.OAuthUses) {
		return out, models.Invalid("signin_refused", "neither spend nor uploads were allowed: sign in again and grant the requested permissions")
	}
	c, err := dboauth.NewConnections(k.store).Save(context.WithoutCancel(ctx), account, attempt.Provider, g, k.o.Now())
	return jobs.OAuthConnected{ID: c.ID, Provider: c.Provider, UserName: c.UserName}, err
}

func (k *Connections) accounts(ctx context.Context, a jobs.OAuthAccountsArgs) ([]jobs.AdAccount, error) {
	account := workers.Account(ctx)
	c, err := dboauth.NewConnections(k.store).Find(ctx, account, a.Connection)
	if errors.Is(err, models.NotFound("connection")) {
		return nil, errNotConnected()
	}
	if err != nil {
		return nil, err
	}
	list, err := withToken(ctx, c.Provider, k.TokensFor(models.OAuthAds, account, a.Connection), func(token string) ([]oauth.Account, error) {
		return k.o.Client.Accounts(ctx, c.Provider, token)
	})
	return db.Map(list, func(a oauth.Account) jobs.AdAccount { return jobs.AdAccount(a) }), err
}

// customerError converts a platform's error to an error for the customer.
func customerError(provider string, err error) error {
	if err == nil {
		return nil
	}
	if _, known := models.AsError(err); known {
		return err
	}
	if errors.Is(err, oauth.ErrRevoked) {
		return errCredentials(err.Error())
	}
	p, _ := models.SignInProviderNamed(provider)
	return models.Invalid(p.Refused, "%s: %s", p.Label, err)
}

func errNotConnected() error {
	return models.Invalid("not_connected", "there is no such connection: sign in at the platform first")
}

func errCredentials(why string) error {
	return models.Invalid("credentials", "the connection is no longer valid, sign in again: %s", why)
}

const (
	claimedAtOnce = 500 // in one batch of a sweep
	renewedAtOnce = 16
	sweepAgain    = 2 * time.Minute // wait after a failed renewal
)

// sweep renews the tokens that expire soon.
func (k *Connections) sweep(ctx context.Context) error {
	for ctx.Err() == nil {
		now := k.o.Now()
		due, err := dboauth.NewConnections(k.store).ClaimDue(ctx, now, now.Add(sweepAgain), claimedAtOnce)
		if err != nil {
			return err
		}
		var g errgroup.Group
		g.SetLimit(renewedAtOnce)
		for _, d := range due {
			g.Go(func() error {
				if err := k.TokensOf(d.AccountID, d.ID).renewEarly(ctx); err != nil && ctx.Err() == nil {
					slog.WarnContext(ctx, "tokens not renewed", "account_id", d.AccountID, "connection_id", d.ID, "error", err)
				}
				return nil
			})
		}
		_ = g.Wait()
		if len(due) < claimedAtOnce {
			return dboauth.NewAttempts(k.store).DeleteExpired(ctx, k.o.Now())
		}
	}
	return ctx.Err()
}

// Tokens returns the access tokens of a connection. It is safe for concurrent use.
type Tokens struct {
	k           *Connections
	account, id uuid.UUID
	use         models.OAuthUse // empty for any use
}

// TokensOf returns the access tokens of an account's connection.
func (k *Connections) TokensOf(account, connection uuid.UUID) *Tokens {
	return &Tokens{k: k, account: account, id: connection}
}

// TokensFor returns the access tokens of an account's connection for a use. If the person who signed in did not allow the use,
// the methods of the result return an error.
func (k *Connections) TokensFor(use models.OAuthUse, account, connection uuid.UUID) *Tokens {
	return &Tokens{k, account, connection, use}
}

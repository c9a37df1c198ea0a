package oauth

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"switchyard/db/integration"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/providers/oauth"
)

// listActions lists the platform's conversion actions to which a traffic source's conversions can be uploaded.
func (k *Connections) listActions(ctx context.Context, a jobs.ConversionActionsArgs) ([]jobs.ConversionAction, error) {
	i, t, advertiser, err := k.advertiser(ctx, a.Source)
	if err != nil {
		return nil, err
	}
	list, err := withToken(ctx, i.Provider, t, func(token string) ([]oauth.Action, error) { return k.o.Client.Actions(ctx, advertiser, token) })
	out := make([]jobs.ConversionAction, len(list))
	for n, v := range list {
		out[n] = jobs.ConversionAction(v)
		if i.Uploads(v.ID, v.Name) {
			out[n].ReadyAt = i.UploadsReadyAt
		}
	}
	return out, err
}

// createAction creates the conversion action that a traffic source's conversions are uploaded to.
func (k *Connections) createAction(ctx context.Context, a jobs.CreateConversionActionArgs) (out jobs.ConversionAction, err error) {
	i, t, advertiser, err := k.advertiser(ctx, a.Source)
	if err != nil {
		return out, err
	}
	made, err := withToken(ctx, i.Provider, t, func(token string) (oauth.Action, error) {
		return k.o.Client.CreateAction(ctx, advertiser, token, a.Name)
	})
	if err != nil {
		return out, err
	}
	out = jobs.ConversionAction(made)
	action := made.Resource                // the resource name also contains the account that owns the action
	if i.Provider == models.MicrosoftAds { // uploads to Microsoft contain the name of the action
		action = made.Name
	}
	// An action has no ReadyAt if it was there before. If a job that died has created it, it may still be too new for uploads.
	// ReadyBy is the latest time at which it becomes usable.
	out.ReadyAt, err = integration.NewSources(k.store).SetAction(context.WithoutCancel(ctx), i, action, made.ReadyAt, k.o.Client.ReadyBy(i.Provider))
	return out, err
}

// advertiser finds the ad account of a traffic source, and the tokens for requests to it.
func (k *Connections) advertiser(ctx context.Context, source uuid.UUID) (i models.SourceIntegration, t *Tokens, advertiser oauth.Advertiser, err error) {
	account := workers.Account(ctx)
	i, connection, err := integration.NewSources(k.store).WithActions(ctx, account, source)
	if err != nil {
		return i, nil, advertiser, err
	}
	advertiser = oauth.Advertiser{Provider: i.Provider, Credentials: i.Settings, Currency: i.Currency}
	if advertiser.Currency == "" {
		owner, err := k.store.FindAccount(ctx, account)
		if err != nil {
			return i, nil, advertiser, err
		}
		advertiser.Currency = owner.Currency
	}
	return i, k.TokensFor(models.OAuthAds, account, connection), advertiser, nil
}

// withToken calls the function ask with an access token. If the platform refuses the token, withToken calls ask once more with a
// renewed token. The returned errors are for the customer.
func withToken[T any](ctx context.Context, provider string, t *Tokens, ask func(token string) (T, error)) (T, error) {
	var none T
	token, err := t.Token(ctx)
	if err != nil {
		return none, err
	}
	out, err := ask(token)
	if !errors.Is(err, oauth.ErrRevoked) {
		return out, customerError(provider, err)
	}
	if token, err = t.Renew(ctx, token); err != nil {
		return none, err
	}
	out, err = ask(token)
	return out, customerError(provider, err)
}

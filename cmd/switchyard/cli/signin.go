package cli

import (
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/ops/config"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/oauth"
	provider "switchyard/workers/providers/oauth"
)

// signInApps returns the apps under which the ad platforms know this install.
func signInApps(cfg config.Config) provider.Apps {
	apps := map[string]provider.App{
		models.GoogleAds:    {ID: cfg.GoogleAdsClientID, Secret: cfg.GoogleAdsSecret},
		models.MicrosoftAds: {ID: cfg.MicrosoftClientID, Secret: cfg.MicrosoftSecret, DeveloperToken: cfg.MicrosoftToken},
		models.Meta:         {ID: cfg.MetaAppID, Secret: cfg.MetaSecret},
	}
	for name, app := range cfg.SignInApps {
		apps[name] = provider.App{ID: app.ID, Secret: app.Secret}
	}
	return provider.Apps{URL: cfg.OAuthURL, MetaVersion: cfg.MetaVersion, ByProvider: apps}
}

// registerSignIns registers the jobs that maintain the connections made by sign-in. It returns these connections, which provide
// access tokens to other jobs.
func registerSignIns(cfg config.Config, r *workers.Runtime, records *store.Store) (*oauth.Connections, error) {
	out, err := newEgress(cfg, egress.Options{MaxHeaders: 64 << 10, MaxBody: 8 << 20})
	if err != nil {
		return nil, err
	}
	k := oauth.New(records, oauth.Options{Client: provider.New(provider.Options{
		Apps: signInApps(cfg), Egress: out, GoogleVersion: cfg.GoogleAdsVersion,
	})})
	k.Register(r)
	return k, nil
}

package cli

import (
	"switchyard/models"
	"switchyard/ops/config"
	"switchyard/workers/providers/oauth"
)

// signInApps returns the apps under which the ad platforms know this install.
func signInApps(cfg config.Config) oauth.Apps {
	apps := map[string]oauth.App{
		models.GoogleAds:    {ID: cfg.GoogleAdsClientID, Secret: cfg.GoogleAdsSecret},
		models.MicrosoftAds: {ID: cfg.MicrosoftClientID, Secret: cfg.MicrosoftSecret, DeveloperToken: cfg.MicrosoftToken},
		models.Meta:         {ID: cfg.MetaAppID, Secret: cfg.MetaSecret},
	}
	for name, app := range cfg.SignInApps {
		apps[name] = oauth.App{ID: app.ID, Secret: app.Secret}
	}
	return oauth.Apps{URL: cfg.OAuthURL, MetaVersion: cfg.MetaVersion, ByProvider: apps}
}

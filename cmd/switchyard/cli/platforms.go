package cli

import (
	"time"

	"github.com/google/uuid"

	"switchyard/db/kv"
	"switchyard/models"
	"switchyard/ops/config"
	"switchyard/workers/adspend"
	"switchyard/workers/adupload"
	"switchyard/workers/correction"
	"switchyard/workers/egress"
	"switchyard/workers/networksync"
	"switchyard/workers/oauth"
	"switchyard/workers/providers/ads"
	"switchyard/workers/providers/networks"
	provider "switchyard/workers/providers/oauth"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// registerPlatforms registers the jobs that exchange data with affiliate networks and ad platforms, renew the tokens of sign-ins,
// and correct conversions and costs.
func (g *registrar) registerPlatforms() {
	networksync.Register(g.runtime, g.records, networksync.Options{Clicks: g.clicks, Client: networks.New(networks.Options{
		Egress: g.openPlatforms(), URL: g.cfg.NetworkURL, Pace: g.pace,
	})})
	signedIn := oauth.New(g.records, oauth.Options{Client: provider.New(provider.Options{
		Apps: signInApps(g.cfg), Egress: g.egress(egress.Options{MaxHeaders: 64 << 10, MaxBody: 8 << 20}),
		GoogleVersion: g.cfg.GoogleAdsVersion,
	})})
	signedIn.Register(g.runtime)
	tokensFor := func(use models.OAuthUse) func(account, connection uuid.UUID) ads.Tokens {
		return func(account, connection uuid.UUID) ads.Tokens { return signedIn.TokensFor(use, account, connection) }
	}
	o := ads.Options{
		Options:        platform.Options{Egress: g.openPlatforms(), URL: g.cfg.AdURL, Pace: g.pace},
		DeveloperToken: g.cfg.MicrosoftToken, Versions: chosenVersions(g.cfg),
	}
	adspend.Register(g.runtime, g.records, adspend.Options{Clicks: g.clicks, Tokens: tokensFor(models.OAuthAds), Client: ads.New(o)})
	correction.Register(g.runtime, g.records, g.clicks)
	uploads, googleClicks := models.OAuthUploads, g.cfg.GoogleUploads == config.GoogleClickConversions
	if googleClicks { // click conversions are uploaded to the API that reports the spend
		uploads = models.OAuthAds
	}
	adupload.Register(g.runtime, g.records, adupload.Options{
		Clicks: g.clicks, Tokens: tokensFor(uploads), Off: !g.cfg.ConversionUploads,
		Uploader: ads.NewUploader(ads.UploadOptions{Options: o, GoogleClicks: googleClicks}),
	})
}

// openPlatforms returns an egress client that accepts large answers, because platforms return long lists.
func (g *registrar) openPlatforms() *egress.Client {
	return g.egress(egress.Options{MaxHeaders: 64 << 10, MaxBody: 32 << 20})
}

// pace returns the limit of a connection's requests, shared by all processes.
func (g *registrar) pace(key string, burst int, interval time.Duration) rest.Pace {
	return kv.NewBudget(kv.BudgetOptions{
		Client: g.options.Redis, Name: key, Burst: burst, Interval: interval, Timeout: time.Second,
	})
}

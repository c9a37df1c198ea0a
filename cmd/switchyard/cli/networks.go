package cli

import (
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/kv"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/ops/config"
	"switchyard/workers"
	"switchyard/workers/adspend"
	"switchyard/workers/egress"
	"switchyard/workers/networksync"
	"switchyard/workers/providers/ads"
	"switchyard/workers/providers/networks"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// registerNetworks adds what asks the platforms of affiliate networks.
func registerNetworks(cfg config.Config, r *workers.Runtime, records *store.Store, clicks click.Log, queue jobs.Redis) error {
	out, err := openPlatforms(cfg)
	if err != nil {
		return err
	}
	networksync.Register(r, records, networksync.Options{Clicks: clicks, Client: networks.New(networks.Options{
		Egress: out, URL: cfg.NetworkURL, Pace: paceOf(queue),
	})})
	return nil
}

// registerSpend adds what asks ad platforms.
func registerSpend(cfg config.Config, r *workers.Runtime, records *store.Store, clicks click.Log,
	tokens func(account, connection uuid.UUID) ads.Tokens, queue jobs.Redis,
) error {
	o, err := adsOptions(cfg, queue)
	if err != nil {
		return err
	}
	adspend.Register(r, records, adspend.Options{Clicks: clicks, Tokens: tokens, Client: ads.New(o)})
	return nil
}

// adsOptions returns the options of clients of ad platforms, for spend and for uploads.
func adsOptions(cfg config.Config, queue jobs.Redis) (ads.Options, error) {
	out, err := openPlatforms(cfg)
	return ads.Options{
		Options: platform.Options{Egress: out, URL: cfg.AdURL, Pace: paceOf(queue)}, DeveloperToken: cfg.MicrosoftToken,
		Versions: map[string]string{models.GoogleAds: cfg.GoogleAdsVersion, models.Meta: cfg.MetaVersion},
	}, err
}

// openPlatforms opens the egress client for platforms, whose answers are long lists.
func openPlatforms(cfg config.Config) (*egress.Client, error) {
	return newEgress(cfg, egress.Options{MaxHeaders: 64 << 10, MaxBody: 32 << 20})
}

// paceOf limits the rate of requests of a connection across all processes.
func paceOf(queue jobs.Redis) func(key string, burst int, interval time.Duration) rest.Pace {
	return func(key string, burst int, interval time.Duration) rest.Pace {
		return kv.NewBudget(kv.BudgetOptions{
			Client: queue, Name: key, Burst: burst, Interval: interval, Timeout: time.Second,
		})
	}
}

package cli

import (
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/kv"
	"switchyard/db/store"
	"switchyard/jobs"
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

// registerNetworks registers the jobs that fetch conversions from affiliate networks.
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

// registerSpend registers the jobs that fetch spend from ad platforms.
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

// adsOptions returns the options for clients of ad platforms, which spend and uploads share.
func adsOptions(cfg config.Config, queue jobs.Redis) (ads.Options, error) {
	out, err := openPlatforms(cfg)
	return ads.Options{
		Options: platform.Options{Egress: out, URL: cfg.AdURL, Pace: paceOf(queue)}, DeveloperToken: cfg.MicrosoftToken,
		Versions: chosenVersions(cfg),
	}, err
}

// openPlatforms returns an egress client for platforms. It allows large answers, because platforms return long lists.
func openPlatforms(cfg config.Config) (*egress.Client, error) {
	return newEgress(cfg, egress.Options{MaxHeaders: 64 << 10, MaxBody: 32 << 20})
}

// paceOf returns a function that limits the request rate of a connection. All processes share the limit.
func paceOf(queue jobs.Redis) func(key string, burst int, interval time.Duration) rest.Pace {
	return func(key string, burst int, interval time.Duration) rest.Pace {
		return kv.NewBudget(kv.BudgetOptions{
			Client: queue, Name: key, Burst: burst, Interval: interval, Timeout: time.Second,
		})
	}
}

package cli

import (
	"switchyard/api/routing"
	"switchyard/db"
	"switchyard/db/kv"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/ops/config"
	"switchyard/workers"
	edgeworker "switchyard/workers/edge"
	"switchyard/workers/egress"
	"switchyard/workers/providers/cloudflare"
)

// publishes reports whether campaigns are published to Cloudflare Workers KV, for routing at the edge.
func publishes(cfg config.Config) bool {
	return cfg.CloudflareToken != "" && cfg.CloudflareAccount != "" && cfg.CloudflareKV != ""
}

// cloudflareMaxBody is the maximum size of an answer. The largest answer comes from Workers KV and lists 10,000 keys that were
// not written.
const cloudflareMaxBody = 8 << 20

// registerEdge registers the jobs that publish campaigns to the edge.
func registerEdge(cfg config.Config, r *workers.Runtime, records *store.Store, w workers.Options, locks *db.DB) error {
	o := edgeworker.Options{
		Locks: locks, Format: routing.EdgeFormat,
		Compile: func(r *store.Routing) ([]models.EdgeBundle, error) {
			return routing.NewExplainer(r).Snapshot().EdgeBundles()
		},
	}
	if publishes(cfg) {
		client, err := openCloudflare(cfg, w.Redis)
		if err != nil {
			return err
		}
		o.Keys = cloudflare.NewKV(client, cfg.CloudflareAccount, cfg.CloudflareKV)
		o.Background = cloudflare.NewKV(client.Background(), cfg.CloudflareAccount, cfg.CloudflareKV)
	}
	edgeworker.Register(r, records, o)
	return nil
}

// openCloudflare returns a client of Cloudflare's API. All processes share one budget of requests.
func openCloudflare(cfg config.Config, redis jobs.Redis) (*cloudflare.Client, error) {
	out, err := newEgress(cfg, egress.Options{MaxHeaders: 64 << 10, MaxBody: cloudflareMaxBody})
	if err != nil {
		return nil, err
	}
	return cloudflare.New(cloudflare.Options{
		Egress: out, Token: cfg.CloudflareToken, URL: cfg.CloudflareURL, Budget: kv.NewBudget(kv.BudgetOptions{
			Client: redis, Name: models.EdgeCloudflare, Burst: cloudflare.Burst, Interval: cloudflare.Interval, Timeout: kv.Timeout,
		}),
	}), nil
}

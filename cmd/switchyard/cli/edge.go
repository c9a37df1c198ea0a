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

// publishes reports whether campaigns are published to an edge.
func publishes(cfg config.Config) bool {
	return cfg.CloudflareToken != "" && cfg.CloudflareAccount != "" && cfg.CloudflareKV != ""
}

// cloudflareMaxBody is the largest answer that is read: of Workers KV, 10,000 keys that were not written.
const cloudflareMaxBody = 8 << 20

// registerEdge registers what publishes campaigns to the edge.
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

// openCloudflare makes the client of Cloudflare's API. All processes share its budget of requests.
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

package main

import (
	"time"

	"switchyard/db/kv"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/ops/config"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/network"
	"switchyard/workers/providers/networks"
	"switchyard/workers/providers/rest"
)

// openNetworks makes what asks the platforms of affiliate networks.
func openNetworks(cfg config.Config, r *workers.Runtime, records *store.Store, clicks network.Clicks, queue jobs.Redis) (
	*network.Platforms, error,
) {
	out, err := egress.New(egress.Options{
		Allow: cfg.EgressAllow, CAFile: cfg.EgressCAFile, MaxHeaders: 64 << 10, MaxBody: 32 << 20,
	})
	if err != nil {
		return nil, err
	}
	return network.New(r, records, network.Options{Clicks: clicks, Client: networks.New(networks.Options{
		Egress: out, URL: cfg.NetworkURL, Pace: func(key string, burst int, interval time.Duration) rest.Pace {
			return kv.NewBudget(kv.BudgetOptions{
				Client: queue, Name: key, Burst: burst, Interval: interval, Timeout: time.Second,
			})
		},
	})}), nil
}

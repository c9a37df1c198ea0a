package main

import (
	"time"

	"switchyard/db/kv"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/ops/config"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/providers/ads"
	"switchyard/workers/providers/rest"
	"switchyard/workers/upload"
)

// registerUploads registers what tells ad platforms of conversions.
func registerUploads(cfg config.Config, r *workers.Runtime, records *store.Store, clicks upload.Clicks, queue jobs.Redis) error {
	out, err := egress.New(egress.Options{
		Allow: cfg.EgressAllow, CAFile: cfg.EgressCAFile, MaxHeaders: 64 << 10, MaxBody: 8 << 20,
	})
	if err != nil {
		return err
	}
	upload.Register(r, records, upload.Options{
		Clicks: clicks, Off: !cfg.ConversionUploads,
		Uploader: ads.NewUploader(ads.UploadOptions{
			Egress: out, GoogleClicks: cfg.GoogleUploads == config.GoogleClickConversions,
			Pace: func(key string, burst int, interval time.Duration) rest.Pace {
				return kv.NewBudget(kv.BudgetOptions{
					Client: queue, Name: key, Burst: burst, Interval: interval, Timeout: time.Second,
				})
			},
		}),
	})
	return nil
}

package main

import (
	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/ops/config"
	"switchyard/workers"
	"switchyard/workers/providers/ads"
	"switchyard/workers/upload"
)

// registerUploads registers what tells ad platforms of conversions.
func registerUploads(cfg config.Config, r *workers.Runtime, records *store.Store, clicks upload.Clicks,
	tokens func(account, connection uuid.UUID) ads.Tokens, queue jobs.Redis,
) error {
	o, err := adsOptions(cfg, queue)
	if err != nil {
		return err
	}
	upload.Register(r, records, upload.Options{
		Clicks: clicks, Tokens: tokens, Off: !cfg.ConversionUploads,
		Uploader: ads.NewUploader(ads.UploadOptions{Options: o, GoogleClicks: cfg.GoogleUploads == config.GoogleClickConversions}),
	})
	return nil
}

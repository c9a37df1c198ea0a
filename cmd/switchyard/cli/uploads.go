package cli

import (
	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/ops/config"
	"switchyard/workers"
	"switchyard/workers/adupload"
	"switchyard/workers/providers/ads"
)

// registerUploads registers the jobs that upload conversions to ad platforms.
func registerUploads(cfg config.Config, r *workers.Runtime, records *store.Store, clicks click.Log,
	tokens func(account, connection uuid.UUID) ads.Tokens, queue jobs.Redis,
) error {
	o, err := adsOptions(cfg, queue)
	if err != nil {
		return err
	}
	adupload.Register(r, records, adupload.Options{
		Clicks: clicks, Tokens: tokens, Off: !cfg.ConversionUploads,
		Uploader: ads.NewUploader(ads.UploadOptions{Options: o, GoogleClicks: cfg.GoogleUploads == config.GoogleClickConversions}),
	})
	return nil
}

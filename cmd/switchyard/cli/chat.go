package cli

import (
	"switchyard/api"
	"switchyard/api/v1"
	"switchyard/db/store"
	"switchyard/ops/config"
	"switchyard/workers"
	"switchyard/workers/chat"
	"switchyard/workers/egress"
	"switchyard/workers/providers/ai"
)

// registerChat registers the chat jobs, which call language models.
func registerChat(cfg config.Config, r *workers.Runtime, records *store.Store, from Readers) error {
	out, err := newEgress(cfg, egress.Options{MaxHeaders: 64 << 10, MaxBody: 8 << 20})
	if err != nil {
		return err
	}
	chat.Register(r, records, chat.Options{
		Client: ai.New(ai.Options{Egress: out, URL: cfg.AIURL}),
		Reads: api.Reads(api.Deps{Store: records, BaseURL: cfg.BaseURL, V1: v1.Deps{
			Jobs: r.Client(), Clicks: from.clicks(from.Bulk), Reports: from.reports(from.Bulk),
			Tracker: cfg.Tracker(), Edge: cfg.Edge(), EdgePublishing: publishes(cfg), SignIn: signInApps(cfg),
			NetworkFile: cfg.GeoASNDB != "", AnonymousFile: cfg.GeoAnonymousDB != "",
		}}),
		Install: chat.Install{Provider: cfg.AIProvider, Key: cfg.AIKey, Model: cfg.AIModel},
	})
	return nil
}

package main

import (
	"switchyard/db/store"
	"switchyard/ops/config"
	"switchyard/workers"
	"switchyard/workers/chat"
	"switchyard/workers/egress"
	"switchyard/workers/providers/ai"
)

// registerChat registers what asks language models.
func registerChat(cfg config.Config, r *workers.Runtime, records *store.Store) error {
	out, err := egress.New(egress.Options{
		Allow: cfg.EgressAllow, CAFile: cfg.EgressCAFile, MaxHeaders: 64 << 10, MaxBody: 8 << 20,
	})
	if err != nil {
		return err
	}
	chat.Register(r, records, chat.Options{
		Client:  ai.New(ai.Options{Egress: out, URL: cfg.AIURL}),
		Install: chat.Install{Provider: cfg.AIProvider, Key: cfg.AIKey, Model: cfg.AIModel},
	})
	return nil
}

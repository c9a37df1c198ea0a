package main

import (
	"switchyard/db/store"
	"switchyard/ops/config"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/linkcheck"
	"switchyard/workers/providers/safebrowsing"
)

// registerLinks registers the checks of customers' links and of the allowances of plans. Links may be http and their
// answers may have long headers.
func registerLinks(cfg config.Config, r *workers.Runtime, records *store.Store) error {
	o := egress.Options{
		Allow: cfg.EgressAllow, CAFile: cfg.EgressCAFile, Schemes: []string{"https", "http"}, MaxHeaders: 64 << 10,
	}
	pages, err := egress.New(o)
	if err != nil {
		return err
	}
	o.Schemes, o.MaxBody = nil, 1<<20
	lists, err := egress.New(o)
	if err != nil {
		return err
	}
	linkcheck.Register(r, linkcheck.Options{Store: records, Egress: pages, List: safebrowsing.New(safebrowsing.Options{
		WebRiskKey: cfg.WebRiskKey, SafeBrowsingKey: cfg.SafeBrowsingKey, URL: cfg.SafeBrowsingURL, Egress: lists,
	})})
	return nil
}

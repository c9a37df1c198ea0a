package cli

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"switchyard/api"
	"switchyard/api/v1"
	dbalerts "switchyard/db/alerts"
	"switchyard/db/click"
	dbexport "switchyard/db/export"
	"switchyard/db/store"
	"switchyard/models/tool"
	"switchyard/ops/config"
	"switchyard/ops/docs"
	"switchyard/workers"
	"switchyard/workers/accountconfig"
	"switchyard/workers/alerts"
	"switchyard/workers/botscan"
	"switchyard/workers/chat"
	"switchyard/workers/clientdocument"
	"switchyard/workers/conversion"
	"switchyard/workers/copilot"
	"switchyard/workers/crawler"
	"switchyard/workers/egress"
	"switchyard/workers/exchangerate"
	"switchyard/workers/export"
	"switchyard/workers/flowreplay"
	"switchyard/workers/geo"
	"switchyard/workers/housekeeping"
	"switchyard/workers/issuer/acme"
	"switchyard/workers/linkcheck"
	"switchyard/workers/oldtracker"
	"switchyard/workers/plan"
	"switchyard/workers/providers/ai"
	chatprovider "switchyard/workers/providers/chat"
	"switchyard/workers/providers/geolookup"
	"switchyard/workers/providers/mail"
	"switchyard/workers/providers/safebrowsing"
	"switchyard/workers/retention"
	"switchyard/workers/sourcepostback"
	"switchyard/workers/webhook"
)

// registrar registers the jobs of a runtime.
type registrar struct {
	cfg     config.Config
	options workers.Options
	from    Readers
	runtime *workers.Runtime
	records *store.Store
	clicks  click.Log
	err     error // the first error of the set-up
}

// NewRuntime returns a runtime with every handler of the service.
func NewRuntime(cfg config.Config, from Readers, o workers.Options) (*workers.Runtime, error) {
	records, err := openStore(cfg, o.DB)
	if err != nil {
		return nil, err
	}
	g := &registrar{cfg: cfg, options: o, from: from, runtime: workers.New(o), records: records, clicks: from.clicks(o.DB)}
	r, clicks, bulk := g.runtime, g.clicks, from.reports(from.Bulk)
	// pages is the client for customers' links, postback addresses and old trackers. Some servers answer with long headers.
	pages := g.egress(egress.Options{Schemes: []string{"https", "http"}, MaxHeaders: 64 << 10})
	webhook.Register(r, records, webhook.Options{Egress: g.egress(egress.Options{}), Schedule: cfg.WebhookSchedule})
	sourcepostback.Register(r, records, sourcepostback.Options{Egress: pages, Clicks: clicks, Schedule: cfg.WebhookSchedule})
	oldtracker.Register(r, records, oldtracker.Options{Egress: pages, Schedule: cfg.WebhookSchedule})
	conversion.Register(r, records, clicks)
	housekeeping.Register(r, records)
	clientdocument.Register(r, clientdocument.Options{Store: records, Egress: g.egress(egress.Options{MaxBody: clientdocument.MaxBody})})
	retention.Register(r, records, clicks)
	botscan.Register(r, records, botscan.Options{Clicks: clicks})
	plan.Register(r, records, from.reports(o.DB), nil)
	crawler.Register(r, records, crawler.Options{Clicks: clicks, Names: egress.NewNames(cfg.DNSServers...)})
	if err := g.registerHosts(); err != nil {
		return nil, err
	}
	geo.Register(r, records, geo.Options{Clicks: clicks, Lookups: geolookup.New(geolookup.Options{
		Egress: g.egress(egress.Options{MaxBody: 64 << 10}), URL: cfg.GeoLookupURL,
	})})
	linkcheck.Register(r, linkcheck.Options{Store: records, Egress: pages, List: safebrowsing.New(safebrowsing.Options{
		WebRiskKey: cfg.WebRiskKey, SafeBrowsingKey: cfg.SafeBrowsingKey, URL: cfg.SafeBrowsingURL,
		Egress: g.egress(egress.Options{MaxHeaders: 64 << 10, MaxBody: 1 << 20}),
	})})
	err = exchangerate.Register(r, records, exchangerate.Options{
		Egress: g.egress(egress.Options{MaxBody: exchangerate.MaxBody}), URL: cfg.RatesURL, File: cfg.RatesFile, Clicks: clicks,
	})
	if err != nil {
		return nil, err
	}
	copilot.Register(r, records, bulk, nil)
	g.registerAlerts()
	export.Register(r, records, dbexport.Reader{Conn: from.Bulk, Copy: from.copied}, bulk)
	g.registerPlatforms()
	g.registerChat()
	// Customers' trackers may have no certificate.
	trackers := g.egress(egress.Options{Schemes: []string{"https", "http"}, MaxHeaders: 64 << 10, MaxBody: 64 << 20})
	accountconfig.Register(r, records, accountconfig.Options{Client: trackers.HTTP(time.Minute), Clicks: clicks})
	flowreplay.Register(r, records, FlowReplayOptions(from.clicks(from.Bulk)))
	return r, g.err
}

// egress returns a client for requests to other hosts, within the operator's limits. NewRuntime returns its error.
func (g *registrar) egress(o egress.Options) *egress.Client {
	o.Allow, o.CAFile, o.Hosts = g.cfg.EgressAllow, g.cfg.EgressCAFile, g.cfg.EgressHosts
	client, err := egress.New(o)
	g.err = cmp.Or(g.err, err)
	return client
}

// registerHosts registers the jobs for domains and their certificates, and the jobs that publish campaigns to Cloudflare's edge.
func (g *registrar) registerHosts() error {
	g.registerDomains()
	authority, err := g.openIssuer()
	if err != nil {
		return err
	}
	acme.Register(g.runtime, authority, slices.Sorted(maps.Keys(ownHosts(g.cfg))))
	g.registerCertificates(authority)
	g.registerEdge()
	return nil
}

// registerAlerts registers the jobs that send alerts by e-mail and chat.
func (g *registrar) registerAlerts() {
	o := alerts.Options{
		Alerts: dbalerts.Reader{Store: g.records, Figures: g.from.reports(g.from.Bulk)}, From: g.cfg.BaseURL,
		Chat:     chatprovider.New(chatprovider.Options{Egress: g.egress(egress.Options{}), Telegram: g.cfg.TelegramURL}),
		Schedule: g.cfg.WebhookSchedule,
	}
	if g.cfg.SMTPURL != "" {
		sender, err := mail.New(mail.Options{URL: g.cfg.SMTPURL, From: g.cfg.SMTPFrom, CAFile: g.cfg.EgressCAFile})
		g.err = cmp.Or(g.err, err)
		o.Mail = sender
	}
	alerts.Register(g.runtime, g.records, o)
}

// registerChat registers the chat jobs, which call language models.
func (g *registrar) registerChat() {
	pages, err := docs.Pages()
	g.err = cmp.Or(g.err, err)
	chat.Register(g.runtime, g.records, chat.Options{
		Client: ai.New(ai.Options{Egress: g.egress(egress.Options{MaxHeaders: 64 << 10, MaxBody: 8 << 20}), URL: g.cfg.AIURL}),
		Reads: api.Reads(api.Deps{Store: g.records, BaseURL: g.cfg.BaseURL, V1: v1.Deps{
			Jobs: g.runtime.Client(), Clicks: g.from.clicks(g.from.Bulk), Reports: g.from.reports(g.from.Bulk),
			Tracker: g.cfg.Tracker(), Edge: g.cfg.Edge(), EdgePublishing: publishes(g.cfg), SignIn: signInApps(g.cfg),
			NetworkFile: g.cfg.GeoASNDB != "", AnonymousFile: g.cfg.GeoAnonymousDB != "",
		}}),
		Docs:    tool.NewLibrary(api.Pages(pages)),
		Install: chat.Install{Provider: g.cfg.AIProvider, Key: g.cfg.AIKey, Model: g.cfg.AIModel},
	})
}

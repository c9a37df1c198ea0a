package cli

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"switchyard/api/routing"
	"switchyard/db"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/ops/admin"
	"switchyard/ops/client"
	"switchyard/ops/config"
	"switchyard/ops/demo"
	"switchyard/ops/devstack"
	"switchyard/ops/logs"
	"switchyard/workers"
)

// upCmd runs everything in one process.
type upCmd struct{}

// upPools are the pools of web and worker in one process. The clock uses the lockPool of the worker.
var upPools = []pool{controlPool, reportPool, ingestPool, workPool, bulkPool, lockPool}

// Run implements the command. It runs until it is interrupted, and then stops the private servers.
func (c *upCmd) Run(ctx context.Context, e *env) (err error) {
	cfg, err := c.settings(ctx, e)
	if err != nil {
		return err
	}
	slog.SetDefault(logs.New(e.stderr, cfg.LogLevel))
	tuneRuntime(e.getenv)
	servers, release, err := devstack.Use(ctx, stackOptions(cfg, e))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(context.WithoutCancel(ctx))) }()
	cfg.DatabaseURL, cfg.RedisURL = cmp.Or(cfg.DatabaseURL, servers.DatabaseURL), cmp.Or(cfg.RedisURL, servers.RedisURL)
	p, err := openPools(cfg, "up", upPools)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if err := p.of(workPool).Check(ctx); err != nil {
		return err
	}
	n, err := db.Migrate(ctx, p.of(lockPool))
	if err != nil {
		return err
	}
	e.logf("%d migrations applied, the schema is up to date", n)
	ensureClicks(ctx, cfg, p.of(workPool), p.clicks)
	p.detectMissingCopy(ctx, p.of(workPool))
	r, err := jobs.OpenRedis(cfg.RedisURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return c.serve(ctx, e, cfg, p, r)
}

// settings reads the settings from the environment. Some defaults differ, because everything runs on one machine. For example,
// secrets are saved, the service is on loopback at a free port, and proxies on the machine are trusted. The operators' pages are at
// the same port unless other machines can reach it.
func (c *upCmd) settings(ctx context.Context, e *env) (config.Config, error) {
	cfg, err := e.config()
	if err != nil {
		return cfg, err
	}
	if e.getenv("LOG_LEVEL") == "" {
		cfg.LogLevel = slog.LevelWarn // up prints its own messages
	}
	if e.getenv("TRUSTED_PROXIES") == "" {
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	}
	if cfg.Bind == "" {
		cfg.Bind = "127.0.0.1"
	}
	if e.getenv("PORT") == "" {
		taken := cfg.Port
		cfg.Port = freePort(ctx, cfg.Port)
		if cfg.Port != taken {
			e.logf("port %d is in use, so port %d is used; PORT sets another port", taken, cfg.Port)
		}
	}
	if e.getenv("OPS_ADDR") == "" {
		cfg.OpsAddr = "" // at the same port
		if !models.Loopback(cfg.Bind) {
			cfg.OpsAddr = config.DefaultOpsAddr(cfg.Port)
		}
	}
	if e.getenv("BASE_URL") == "" {
		cfg.BaseURL = cfg.LocalURL()
	}
	return cfg, cfg.EnsureSecrets()
}

// freePort tries 100 ports in order, beginning with the parameter `first`. It returns the first free one, or `first` if none is free.
func freePort(ctx context.Context, first int) int {
	var lc net.ListenConfig
	for port := first; port < first+100; port++ {
		if l, err := lc.Listen(ctx, "tcp", ":"+strconv.Itoa(port)); err == nil {
			_ = l.Close()
			return port
		}
	}
	return first
}

// serve runs the three process types until the context ends or one of them fails.
func (c *upCmd) serve(ctx context.Context, e *env, cfg config.Config, p pools, r jobs.Redis) error {
	e.logf("starting web, worker and clock")
	client, registry := jobs.Connect(r), p.registry()
	g, ctx := errgroup.WithContext(ctx)
	answering := make(chan struct{})
	g.Go(func() error {
		return web{cfg: cfg, pools: p, redis: r, client: client, registry: registry, ready: func() { close(answering) }}.run(ctx)
	})
	g.Go(func() error {
		return runWorker(ctx, cfg, p, workers.Options{DB: p.of(workPool), Redis: r, Client: client, Metrics: registry})
	})
	g.Go(func() error { return runClock(ctx, p.of(lockPool), client) })
	g.Go(func() error {
		select {
		case <-answering:
			return c.announce(ctx, e, cfg, p.of(controlPool))
		case <-ctx.Done():
			return nil
		}
	})
	err := g.Wait()
	e.logf("stopped")
	return err
}

// announce creates the demo account with some history, and prints the addresses of the service. If the demo account cannot be
// created, the service keeps running.
func (c *upCmd) announce(ctx context.Context, e *env, cfg config.Config, d *db.DB) error {
	campaign, account, entry, err := c.demo(ctx, cfg, d)
	if err != nil {
		if ctx.Err() == nil {
			e.logf("the service runs, but the demo account could not be created: %v", err)
		}
		return nil
	}
	if err := e.printTable(startMessages(cfg, campaign, account, entry, e.getenv("OPS_PASSWORD") != "")); err != nil {
		return err
	}
	n, err := demo.History(ctx, d, cfg.DataDir, account, client.New(account.URL, account.Key), routing.ClickRouter(d))
	switch {
	case ctx.Err() != nil:
	case err != nil:
		e.logf("the demo account has no traffic of the last days: %v", err)
	case n > 0:
		e.logf("the demo account has %d clicks of the last days", n)
	}
	return nil
}

// startMessages returns the lines that tell the user where everything is. Only the first start shows the key and the password.
func startMessages(cfg config.Config, campaign demo.Campaign, account demo.Account, entry string, ownPassword bool) []string {
	key, password := account.Key+"\t(full access to the account Demo; it is not shown again)", cfg.OpsPassword
	if !account.NewKey {
		key = "shown at the first start\t(another one: bin/switchyard keys create --account " + account.ID + ")"
		password = "in " + filepath.Join(cfg.DataDir, config.SecretsFile)
	}
	if ownPassword {
		password = "of OPS_PASSWORD"
	}
	pages := cfg.LocalURL()
	if slices.Contains(cfg.SharedDomains, config.Reachable(cfg.Bind)) { // /ops is not served at this host
		pages = "http://" + net.JoinHostPort("localhost", strconv.Itoa(cfg.Port))
	}
	if host, port, err := net.SplitHostPort(cfg.OpsAddr); err == nil {
		pages = "http://" + net.JoinHostPort(config.Reachable(host), port)
	}
	lines := []string{
		"", "Switchyard is running. Ctrl-C stops it; what it stored stays in " + cfg.DataDir + ".", "",
		"  dashboard\t" + entry + "\t(signs in once, within a day, and asks for a new password the first time; each start makes a new link)",
		"  API\t" + cfg.BaseURL + "/api/v1\t(calls are below it; documentation: " + cfg.BaseURL + "/docs)",
		"  key\t" + key,
		"  tracking link\t" + campaign.Link + "\t(click it, or send visitors: bin/switchyard demo)",
		"  operators\t" + pages + "/ops/queues\t(any user name, password " + password + ")", "",
	}
	if account.NewKey {
		lines = append(lines, "  curl -H 'Authorization: Bearer "+account.Key+"' "+cfg.BaseURL+"/api/v1/stats/overview", "")
	}
	return lines
}

// demo creates the demo account and its campaign. entry is a link that signs in as the account's owner, once.
func (c *upCmd) demo(ctx context.Context, cfg config.Config, d *db.DB) (_ demo.Campaign, account demo.Account, entry string, err error) {
	s, err := openStore(cfg, d)
	if err != nil {
		return demo.Campaign{}, account, "", err
	}
	operator := admin.Admin{Store: s, BaseURL: cfg.BaseURL}
	if account, err = demo.Open(ctx, operator, cfg.DataDir); err != nil {
		return demo.Campaign{}, account, "", err
	}
	link, err := operator.CreateEntryLink(ctx, account.ID, demo.Email)
	if err != nil {
		return demo.Campaign{}, account, "", err
	}
	account.URL = cfg.LocalURL()
	if err := account.Save(cfg.DataDir); err != nil {
		return demo.Campaign{}, account, "", err
	}
	campaign, err := demo.SetUp(ctx, client.New(account.URL, account.Key))
	return campaign, account, link.URL, err
}

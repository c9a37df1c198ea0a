package cli

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"switchyard/db"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/apiversion"
	"switchyard/ops/config"
	"switchyard/ops/monitor"
)

// figuresFlag is the flag of processes that serve nothing over HTTP except metrics and health checks.
type figuresFlag struct {
	Metrics string `help:"Address, such as 127.0.0.1:9090, for /metrics, /healthz and /readyz of this process; empty: they are not served." default:""`
}

// serveWhile calls the function process. If an address is set, it serves the metrics and health checks there until the function
// returns.
func (f figuresFlag) serveWhile(ctx context.Context, cfg config.Config, p pools, d *db.DB, r jobs.Redis, reg *prometheus.Registry,
	process func(context.Context) error,
) error {
	if f.Metrics == "" {
		return process(ctx)
	}
	name, _, _ := net.SplitHostPort(f.Metrics)
	pages := monitor.New(monitor.Options{
		Password: cfg.OpsPassword, Host: name, TrustedProxies: cfg.TrustedProxies, Registry: reg,
		Checks: append(p.clicksCheck(), processChecks(cfg, d, r)...),
	})
	stop, err := serveBeside(ctx, port{addr: f.Metrics, setting: "--metrics"}, pages)
	if err != nil {
		return err
	}
	defer stop()
	return process(ctx)
}

// processChecks returns the readiness checks of a worker or a clock. Such a process is not ready while the database lacks
// migrations, because its queries would fail.
func processChecks(cfg config.Config, d *db.DB, r jobs.Redis) []monitor.Check {
	return []monitor.Check{
		{Name: "postgres", Run: func(ctx context.Context) error { return d.PingContext(ctx) }},
		{Name: "schema", Advice: errBehind.Error(), Run: func(ctx context.Context) error {
			if err := checkSchema(ctx, d); errors.Is(err, errBehind) {
				return err
			}
			return nil // the check postgres fails if the database does not answer
		}},
		{Name: "redis", Run: func(ctx context.Context) error { return jobs.CheckRedis(ctx, r) }},
		monitor.APIVersionsCheck(apiVersions(cfg), time.Now),
	}
}

// apiVersions returns the versions of other services' APIs that the process uses.
func apiVersions(cfg config.Config) []apiversion.Version {
	return apiversion.Used(chosenVersions(cfg))
}

// chosenVersions returns the versions that settings choose, by provider.
func chosenVersions(cfg config.Config) map[string]string {
	return map[string]string{models.GoogleAds: cfg.GoogleAdsVersion, models.Meta: cfg.MetaVersion}
}

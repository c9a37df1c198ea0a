package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"switchyard/jobs"
	"switchyard/ops/config"
	"switchyard/ops/monitor"
	"switchyard/workers"
)

// besideFigures runs a process that serves no HTTP itself. With an address it also serves the process's metrics and
// health there. It ends when the context ends or one of the two fails.
func besideFigures(ctx context.Context, address string, cfg config.Config, o workers.Options, reg *prometheus.Registry,
	process func(context.Context) error,
) error {
	if address == "" {
		return process(ctx)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("cannot show figures: %w; --metrics chooses another address", err)
	}
	srv := &http.Server{
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, MaxHeaderBytes: maxHeader,
		Handler: monitor.New(monitor.Options{
			Password: cfg.OpsPassword, Registry: reg,
			Checks: []monitor.Check{
				{Name: "postgres", Ask: func(ctx context.Context) error { return o.DB.PingContext(ctx) }},
				{Name: "redis", Ask: func(ctx context.Context) error { return jobs.CheckRedis(ctx, o.Redis) }},
			},
		}),
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("cannot show figures: %w", err)
		}
		return nil
	})
	g.Go(func() error {
		defer func() { _ = srv.Close() }()
		return process(ctx)
	})
	return g.Wait()
}

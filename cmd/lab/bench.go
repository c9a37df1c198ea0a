package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"time"

	"switchyard/api/click/visitor"
	"switchyard/models/bot"
	"switchyard/ops/lab/bench"
)

// benchCmd measures the speed figures of the README on this machine.
type benchCmd struct {
	Rounds      int           `help:"Number of rounds. Each round measures the bare redirect, then the tracking link." default:"5"`
	Duration    time.Duration `help:"Length of each measurement." default:"3s"`
	Connections int           `help:"Number of connections in the measurements that load the service fully." default:"64"`
	Sustained   time.Duration `help:"How long to send 5,000 clicks a second." default:"2m"`
	Clicks      int           `help:"Number of clicks on which reports are measured; 0 means 2,000,005." env:"BENCH_CLICKS"`
	Flood       int           `help:"Number of clicks in each flood; 0: measure only the clicks of people." default:"1000000"`
	Parts       []string      `arg:"" optional:"" help:"What to measure (${enum}); all by default." enum:"${bench_parts}"`
}

// Run implements the command.
func (c *benchCmd) Run(ctx context.Context, top *cli) (err error) {
	visitors, err := visitor.New(visitor.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, visitors.Close()) }()
	return bench.Run(ctx, bench.Options{
		Detector: detector{visitors},
		Rounds:   max(1, c.Rounds), Duration: c.Duration, Connections: max(1, c.Connections), Parts: c.Parts,
		Sustained: c.Sustained, Clicks: max(0, c.Clicks), Flood: max(0, c.Flood), Binary: top.Binary, Out: os.Stdout,
	})
}

// detector finds the signals of a request as tracking links do.
type detector struct{ *visitor.Describer }

// Signals implements bench.Detector.
func (d detector) Signals(r *http.Request) bot.Signals {
	var seen visitor.Description
	d.Describe(r, nil, &seen)
	return seen.Signals
}

// bareCmd runs as a child of benchCmd.
type bareCmd struct {
	Addr        string `help:"Address to listen on." required:""`
	Certificate string `help:"PEM file of a certificate and its key; empty: no TLS."`
}

// Run implements the command.
func (c *bareCmd) Run(ctx context.Context) error { return bench.Bare(ctx, c.Addr, c.Certificate) }

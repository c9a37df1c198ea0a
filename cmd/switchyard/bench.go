package main

import (
	"context"
	"time"

	"switchyard/ops/lab/bench"
)

// benchCmd measures, on this machine, what the README says about speed.
type benchCmd struct {
	Run  benchRun  `cmd:"" default:"withargs" help:"Measure a service of its own and print a table of goals and verdicts."`
	Bare benchBare `cmd:"" hidden:"" help:"Serve the bare redirect that tracking links are compared with."`
}

type benchRun struct {
	Rounds      int           `help:"How often bare and real take turns." default:"5"`
	Duration    time.Duration `help:"Length of one turn." default:"3s"`
	Connections int           `help:"Connections of the saturating loads." default:"64"`
	Parts       []string      `arg:"" optional:"" help:"What to measure (${enum}); all by default." enum:"${bench_parts}"`
}

// Run implements the command.
func (c *benchRun) Run(ctx context.Context, e *env) error {
	return bench.Run(ctx, bench.Options{
		Rounds: max(1, c.Rounds), Duration: c.Duration, Connections: max(1, c.Connections), Parts: c.Parts, Out: e.stdout,
	})
}

type benchBare struct {
	Addr string `help:"Address to listen on." required:""`
}

// Run implements the command.
func (c *benchBare) Run(ctx context.Context) error { return bench.Bare(ctx, c.Addr) }

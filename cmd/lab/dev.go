package main

import (
	"context"
	"os"

	"switchyard/ops/lab/dev"
)

// devCmd runs the service, and builds and starts it again after every change of its source.
type devCmd struct {
	Build []string `arg:"" passthrough:"" help:"The command that builds the service, after --."`
}

// Run implements the command.
func (c *devCmd) Run(ctx context.Context, top *cli) error {
	build := c.Build
	if build[0] == "--" {
		build = build[1:]
	}
	return dev.Run(ctx, dev.Options{Root: ".", Build: build, Binary: top.Binary, Out: os.Stderr})
}

package main

import (
	"context"
	"os"

	"switchyard/ops/lab/smoke"
)

// smokeCmd tests a service from outside. Its exit code is 1 if any figure is wrong.
type smokeCmd struct {
	URL    string `help:"Address of a running service; empty: a new service is started." placeholder:"URL"`
	Key    string `help:"With --url: a key of an account without traffic. The key must be allowed to write." env:"SWITCHYARD_KEY" placeholder:"KEY"`
	Copy   string `help:"A ClickHouse server that keeps a copy of the clicks; empty: no copy." env:"TEST_CLICKS_URL" placeholder:"URL" name:"clicks-url"`
	Clicks int    `help:"How many visitors to send." default:"2000"`
}

// Run implements the command.
func (c *smokeCmd) Run(ctx context.Context, top *cli) error {
	return smoke.Run(ctx, smoke.Options{
		URL: c.URL, Key: c.Key, ClicksURL: c.Copy, Clicks: c.Clicks, Binary: top.Binary, AdFake: adFakes(), Out: os.Stdout,
	})
}

// Command lab is for the developers of Switchyard. It tests and measures the service from outside, and runs the service during
// development. The service does not import code from it.
//
// This package has only flags and wiring. A command is a field of cli with a Run method, in its own file.
package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"switchyard/ops/lab/bench"
)

// cli lists the commands in the order in which help shows them.
type cli struct {
	Smoke      smokeCmd      `cmd:"" help:"Test a service from outside and compare every figure with the expected one."`
	Bench      benchCmd      `cmd:"" help:"Measure the speed of a service on this machine."`
	Dev        devCmd        `cmd:"" help:"Run the service, and build and start it again after every change of its source."`
	Bare       bareCmd       `cmd:"" hidden:"" help:"Serve the bare redirect that tracking links are compared with."`
	Clickhouse clickhouseCmd `cmd:"" help:"Run a ClickHouse server for tests, alone or together with a command."`

	Binary string `help:"The program of the service." default:"${binary}" placeholder:"PATH"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := &cli{}
	parsed := kong.Parse(c,
		kong.Name("lab"),
		kong.Description("Tests, measures and runs the service from outside."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"binary": siblingProgram("switchyard"), "bench_parts": strings.Join(bench.Parts(), ",")},
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(c),
	)
	parsed.FatalIfErrorf(parsed.Run())
}

// siblingProgram returns the path of a program in the running program's directory, or its name if the directory is unknown.
func siblingProgram(name string) string {
	self, err := os.Executable()
	if err != nil {
		return name
	}
	return filepath.Join(filepath.Dir(self), name)
}

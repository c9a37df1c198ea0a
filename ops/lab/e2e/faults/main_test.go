// Package faults tests that no acknowledged data is lost when processes and servers are killed, frozen, unreachable, full or under attack.
package faults

import (
	"maps"
	"os"
	"testing"

	"switchyard/cmd/switchyard/cli"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/e2e/faultworker"
)

func TestMain(m *testing.M) {
	commands := maps.Clone(faultworker.Commands)
	commands[attackCommand] = func([]string) error { return runAttacks(os.Stdin, os.Stdout) }
	e2e.Main(m, cli.Main, commands, nil)
}

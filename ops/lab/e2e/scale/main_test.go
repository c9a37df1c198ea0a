// Package scale tests the service with many processes and many servers.
package scale

import (
	"testing"

	"switchyard/cmd/switchyard/cli"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/e2e/faultworker"
)

func TestMain(m *testing.M) { e2e.Main(m, cli.Main, faultworker.Commands, nil) }

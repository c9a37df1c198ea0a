// Package api tests what clients, networks and visitors send and get. It also writes and checks the golden files of the API.
package api

import (
	"testing"

	"switchyard/cmd/switchyard/cli"
	"switchyard/ops/lab/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m, cli.Main, nil, nil) }

// Package browser tests the dashboard and other pages in Chromium.
package browser

import (
	"testing"

	"switchyard/cmd/switchyard/cli"
	"switchyard/ops/lab/e2e"
)

func TestMain(m *testing.M) {
	e2e.Main(m, cli.Main, nil, func() {
		if shared.end != nil {
			shared.end()
		}
	})
}

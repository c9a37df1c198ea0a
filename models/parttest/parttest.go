// Package parttest divides the tests between `make test` and the parts of `make e2e`. A test that needs more than PostgreSQL and
// Redis names its part in a separate statement at its beginning:
//
//	func TestKilledWorker(t *testing.T) {
//		parttest.Faults.Only(t)
//
// The command ops/lab/suite reads these lines to find the tests of a part. Fixtures call Needs.
package parttest

import (
	"os"
	"strings"
	"sync"
	"testing"
)

// Part is the name of a part of `make e2e`.
type Part string

// The parts.
const (
	Browser    Part = "browser"    // the dashboard and other pages in Chromium
	Faults     Part = "faults"     // our programs as child processes: kills, outages, scale-out, the command line
	Edge       Part = "edge"       // BIND, Pebble, certificates of our own edge, the edge runtime, proxies in front
	ClickHouse Part = "clickhouse" // clicks in ClickHouse
	Clients    Part = "clients"    // clients generated from openapi.json, samples in JavaScript and PHP
)

// Parts lists the parts in the order in which `make e2e` runs them.
var Parts = []Part{Clients, Edge, ClickHouse, Faults, Browser}

// Variable is the environment variable with the name of the part that runs. It is unset for `make test`.
const Variable = "SWITCHYARD_TEST_PART"

// All is the value of Variable for a run of every test, as in `make chaos`.
const All = "all"

var declared sync.Map

// Runs reports whether the tests of the part run now.
func (p Part) Runs() bool {
	running := os.Getenv(Variable)
	return running == string(p) || running == All
}

// Only is called by a test that belongs to the part. It skips the test unless the part runs.
func (p Part) Only(tb testing.TB) {
	tb.Helper()
	p.Also(tb)
	if !p.Runs() {
		tb.Skipf("part of make e2e PART=%s", p)
	}
}

// Also is called by a test if at least some of its subtests belong to the part.
func (p Part) Also(tb testing.TB) {
	tb.Helper()
	declared.Store(key(tb, p), true)
}

// Needs is called by fixtures for tests of some parts. It skips the test or subtest unless the part that the test has named is
// running. If the test has named none of these parts, the test fails.
func Needs(tb testing.TB, parts ...Part) {
	tb.Helper()
	for _, p := range parts {
		if _, ok := declared.Load(key(tb, p)); ok {
			if !p.Runs() {
				tb.Skipf("part of make e2e PART=%s", p)
			}
			return
		}
	}
	tb.Fatalf("%s uses a fixture of make e2e: begin it with parttest.X.Only(t), X being one of %v", root(tb), parts)
}

// Plain skips a subtest that belongs to `make test` while a part of `make e2e` is running.
func Plain(tb testing.TB) {
	tb.Helper()
	if running := os.Getenv(Variable); running != "" && running != All {
		tb.Skip("part of make test")
	}
}

func key(tb testing.TB, p Part) string {
	tb.Helper()
	return root(tb) + " " + string(p)
}

func root(tb testing.TB) string {
	tb.Helper()
	name, _, _ := strings.Cut(tb.Name(), "/")
	return name
}

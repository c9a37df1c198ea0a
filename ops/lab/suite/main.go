// Command suite runs the project's tests: `make test` and the parts of `make e2e`. It starts the servers that they need. A test
// with the line parttest.Edge.Only(t), for example, belongs to the part Edge. The exit code is 1 if a part has failed or could
// not run, and 2 if the arguments are wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"switchyard/models/parttest"
)

// The two parts that package parttest does not list.
const (
	plain = "test" // the tests that need only PostgreSQL and Redis
	race  = "race" // the packages whose goroutines share memory, under the race detector
)

// e2e lists the parts of `make e2e`, the quickest first.
func e2e() []string {
	var names []string
	for _, p := range parttest.Parts {
		names = append(names, string(p))
	}
	return append(names, race)
}

func main() {
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "Usage: suite [flags] test | e2e | PART...\n\nParts: %s\n\nFlags:\n", strings.Join(e2e(), ", "))
		flag.PrintDefaults()
	}
	var o options
	flag.StringVar(&o.packages, "packages", "./...", "the packages to test, separated by spaces, as go test takes them; with ./..., the part \"race\" runs only the packages of its own list")
	flag.StringVar(&o.run, "run", "", "run only the tests that match this expression")
	flag.StringVar(&o.bin, "bin", "bin", "the directory of the built programs, which the parts start")
	flag.Parse()
	parts, err := choose(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	err = runAll(ctx, o, parts)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(1)
	}
}

// choose returns the parts that the arguments name. "e2e" stands for every part except "test".
func choose(args []string) ([]string, error) {
	var parts []string
	for _, name := range args {
		switch {
		case name == "e2e":
			parts = append(parts, e2e()...)
		case name == plain || slices.Contains(e2e(), name):
			parts = append(parts, name)
		default:
			return nil, fmt.Errorf("there is no part %q", name)
		}
	}
	if len(parts) == 0 {
		return nil, errors.New("the arguments name no part to run")
	}
	return parts, nil
}

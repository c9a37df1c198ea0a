package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// listed limits the slow tests, and the slow packages, that printReport prints.
const listed = 10

// event is one line of `go test -json`. Without Test it is about a package. Elapsed is in seconds, and leaves out the time in
// which a parallel test was paused.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// test returns the name of the test with its package.
func (e event) test() string {
	return strings.TrimSpace(strings.TrimPrefix(e.Package, "switchyard/") + " " + e.Test)
}

// elsewhere is the text by which printReport recognises a test that another command runs.
const elsewhere = "part of make "

// printReport reads a file of events, whose last line may be incomplete. It prints the slowest tests and packages, and the
// skipped tests, except tests that another make command runs. The error lists the tests that began and did not end. Such a run
// has not passed, whatever its exit code.
func printReport(out io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	var tests, packages []event
	var skipped []string
	last := map[string]string{} // the line that a test printed last before it ended
	running := map[string]bool{}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("read the times: %w", err)
		}
		if e.Action == "run" && !strings.Contains(e.Test, "/") {
			running[e.test()] = true
		}
		if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
			delete(running, e.test())
		}
		switch {
		case e.Action == "output" && !strings.Contains(e.Output, "--- SKIP"):
			last[e.test()] = strings.TrimSpace(e.Output)
		case e.Action == "skip" && e.Test != "" && !strings.Contains(last[e.test()], elsewhere):
			skipped = append(skipped, e.test()+": "+last[e.test()])
		case e.Action != "pass" && e.Action != "fail" || strings.Contains(e.Test, "/"):
		case e.Test == "":
			packages = append(packages, e)
		default:
			tests = append(tests, e)
		}
	}
	err = errors.Join(printTop(out, "packages", packages), printTop(out, "tests", tests))
	if len(skipped) > 0 {
		_, failed := fmt.Fprintf(out, "\nskipped:\n  %s\n", strings.Join(skipped, "\n  "))
		err = errors.Join(err, failed)
	}
	if len(running) > 0 {
		err = errors.Join(err, fmt.Errorf("these tests did not end: %s", strings.Join(slices.Sorted(maps.Keys(running)), ", ")))
	}
	return err
}

func printTop(out io.Writer, what string, events []event) error {
	slices.SortFunc(events, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	events = events[:min(listed, len(events))]
	_, err := fmt.Fprintf(out, "\nslowest %s:\n", what)
	for _, e := range events {
		_, failed := fmt.Fprintf(out, "%8.1f s  %s\n", e.Elapsed, e.test())
		err = errors.Join(err, failed)
	}
	return err
}

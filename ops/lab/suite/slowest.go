package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// shown is how many tests and packages are printed.
const shown = 10

// event is the end of a test or, without Test, of a package, as `go test -json` reports it. Elapsed is in seconds; for a
// parallel test it counts from when the test went on.
type event struct {
	Action, Package, Test string
	Elapsed               float64
}

// printSlowest prints the slowest tests and packages of a file of events. Subtests count as their test.
func printSlowest(out io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	var tests, packages []event
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("read the times: %w", err)
		}
		switch {
		case e.Action != "pass" && e.Action != "fail" || strings.Contains(e.Test, "/"):
		case e.Test == "":
			packages = append(packages, e)
		default:
			tests = append(tests, e)
		}
	}
	return errors.Join(printTop(out, "packages", packages), printTop(out, "tests", tests))
}

func printTop(out io.Writer, what string, events []event) error {
	slices.SortFunc(events, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	events = events[:min(shown, len(events))]
	_, err := fmt.Fprintf(out, "\nslowest %s:\n", what)
	for _, e := range events {
		name := strings.TrimPrefix(e.Package, "switchyard/")
		if e.Test != "" {
			name += " " + e.Test
		}
		_, failed := fmt.Fprintf(out, "%8.1f s  %s\n", e.Elapsed, name)
		err = errors.Join(err, failed)
	}
	return err
}

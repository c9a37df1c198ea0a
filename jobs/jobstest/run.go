package jobstest

import (
	"context"
	"testing"
)

// Run runs fn, for example the Run of a workers.Runtime, until the test ends. An error of fn fails the test.
func Run(tb testing.TB, fn func(context.Context) error) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	done := make(chan error, 1)
	go func() { done <- fn(ctx) }()
	tb.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			tb.Error(err)
		}
	})
}

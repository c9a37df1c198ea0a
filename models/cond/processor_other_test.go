//go:build !linux

package cond_test

import "time"

// processorTime returns the elapsed time of fn. It is used where the system does not report processor time.
func processorTime(fn func()) time.Duration {
	began := time.Now()
	fn()
	return time.Since(began)
}

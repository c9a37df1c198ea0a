//go:build !linux

package cond_test

import "time"

// processorTime is how long fn takes, where the system does not tell more.
func processorTime(fn func()) time.Duration {
	began := time.Now()
	fn()
	return time.Since(began)
}

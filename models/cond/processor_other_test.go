//go:build !linux

package cond_test

import "time"

// processorTime returns the time that passes while fn runs. It is for systems that do not report processor time.
func processorTime(fn func()) time.Duration {
	began := time.Now()
	fn()
	return time.Since(began)
}

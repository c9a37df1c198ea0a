// Package longtest chooses the form of tests that have two forms: the short form for make test and make e2e, and the long form
// for make chaos, which sets SWITCHYARD_CHAOS.
package longtest

import "os"

// On reports whether the tests run in their long form.
func On() bool { return os.Getenv("SWITCHYARD_CHAOS") != "" }

// Size returns the first size for the short form of the tests, and the second for the long form.
func Size[T any](short, long T) T {
	if On() {
		return long
	}
	return short
}

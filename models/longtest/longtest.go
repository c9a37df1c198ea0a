// Package longtest lets a test run in a short or a long form.
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

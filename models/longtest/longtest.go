// Package longtest chooses between the two forms that some tests have: the short one of make test and make e2e, and the long one of
// make chaos, which sets SWITCHYARD_CHAOS.
package longtest

import "os"

// On reports whether the tests run in their long form.
func On() bool { return os.Getenv("SWITCHYARD_CHAOS") != "" }

// Size is how much of something the tests do in the form in which they run.
func Size[T any](short, long T) T {
	if On() {
		return long
	}
	return short
}

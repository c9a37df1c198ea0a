//go:build !unix

package certs

// openFiles returns a large number, because the limit of open files is unknown on this system.
func openFiles() int { return 1 << 20 }

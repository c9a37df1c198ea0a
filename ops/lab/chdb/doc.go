// Package chdb is a ClickHouse server for tests and for one machine. It loads the engine as a library and offers as much of
// ClickHouse's HTTP interface as the Go client needs. There are no other servers and no Keeper, so its tables are not replicated.
//
// npm installs the library in the user's cache directory, at the version of package.json. The library is loaded without cgo. It takes
// the handlers of SIGSEGV and similar signals away from Go's runtime, so such a fault ends the process at once. Closing the
// library does not always work, so this package never closes it. It stays open until the process ends.
package chdb

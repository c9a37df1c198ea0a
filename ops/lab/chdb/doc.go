// Package chdb is a ClickHouse server for tests and for one machine: the engine as a library, behind as much of ClickHouse's
// HTTP interface as its Go client needs. It has plain tables: it has no other servers to talk to and no Keeper. For what is asked of
// a cluster it stands for one of two shards: see Cluster.
//
// The library is installed by npm below the user's cache, at the version of package.json. It is loaded without cgo. It takes
// the handlers of SIGSEGV and its like away from Go's runtime, so a fault in this process ends it at once. It cannot
// always be closed either: a program that has opened it ends by os.Exit.
package chdb

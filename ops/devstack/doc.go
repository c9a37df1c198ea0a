// Package devstack gives a checkout its own PostgreSQL and Redis.
//
// Missing programs are installed with the system's package manager. If that is not possible, the error says exactly what to
// install. The servers are private instances with files below the data directory. They listen on loopback, on free ports that are
// saved, and have random passwords, so they can run next to servers on the standard ports.
//
// Instances that still run are reused, and leftovers of a kill -9 are cleared away. An exclusive lock makes callers that start at
// the same time share one set of servers.
//
// PostgreSQL refuses to run as root. If the caller is root, the instances run as the system user that owns their directory. If
// root owns this directory or it does not exist yet, they run as the user "postgres", or as another user without privileges if
// there is no user "postgres". If that user cannot reach the data directory, the instances are placed below /var/tmp instead, and
// the output says so.
//
// The package is meant for development, tests and single machines. Set DATABASE_URL and REDIS_URL to use servers of your own.
package devstack

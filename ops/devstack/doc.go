// Package devstack gives a checkout its own PostgreSQL and Redis.
//
// It finds the servers' programs. Where they are missing, it installs them with the system's package manager, or says exactly
// what to install. It runs private instances below the data directory: on loopback, on free ports that it remembers, and with
// random passwords, so that they can run next to servers on the standard ports.
//
// Everything is repeatable: instances that still run are adopted, what a kill -9 left behind is cleared away, and an
// exclusive lock makes two callers at the same time share one set of servers.
//
// PostgreSQL refuses to run as root. For root, the instances run as the account "postgres", or as another account without
// privileges if that one does not exist. If the account cannot reach the data directory, the instances are placed below
// /var/tmp instead, which is announced.
//
// It is meant for development, tests and single machines. Set DATABASE_URL and REDIS_URL to use servers of your own.
package devstack

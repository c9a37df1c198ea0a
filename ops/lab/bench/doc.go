// Package bench measures a service from outside, on the machine on which it runs. It compares tracking links with a bare gin
// handler that only answers 302. It also measures, among others, a flood of random user agents, ingest at a steady rate, the
// start of awaited jobs, and the choice of a path alone.
//
// Rates vary over time on a shared machine. So the bare server and the service take turns in one run, and their medians are
// compared.
package bench

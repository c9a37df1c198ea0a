// Package bench measures a service from outside, on the machine it runs on: tracking links against a bare gin handler
// that only answers 302, a flood of random user agents, ingest at a steady rate, the start of awaited jobs, and the
// choice of a path alone. One part needs no service: suggestions, in markets that package market simulates.
//
// Rates on a shared machine wander, so bare and real take turns in one run and medians are compared.
package bench

// Package bench measures a service from outside, on the machine on which it runs.
//
// Rates vary over time on a shared machine. So the service and a bare HTTP server take turns in one run, and their medians are
// compared.
package bench

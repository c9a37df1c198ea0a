// Package fleet runs the service as its operators and customers use it: private servers, one child process per process type, the
// command line, the REST API over HTTP, and an https receiver for webhooks.
package fleet

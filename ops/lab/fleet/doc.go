// Package fleet runs the service as its operators and customers meet it: private servers, one child process per
// process type, the command line, the REST API over HTTP, and an https receiver for webhooks. It knows nothing of the
// service's inside, so that what is proved with it is proved of the outside.
package fleet

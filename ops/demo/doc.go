// Package demo creates an account to look at: a campaign with everything that a buyer sets up, and traffic on it from
// visitors of many countries and devices. Records are created through the API of a running service. New visitors follow
// the campaign's tracking link, like visitors of a real campaign. Past clicks cannot be made by sending visitors, so they
// are written to a spool and ingested from there like any other click.
package demo

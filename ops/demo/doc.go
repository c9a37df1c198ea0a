// Package demo creates the demo account: campaigns with everything that they need, and traffic from visitors of many countries
// and devices. The campaigns and their records are created through the API of a running service. Past clicks cannot be made by
// sending visitors, so they are written to a spool and ingested from there like any other click.
package demo

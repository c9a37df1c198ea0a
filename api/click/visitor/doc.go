// Package visitor describes the visitor of an HTTP request: address, place, network, device, language, referrer and the signals
// of a bot. It runs on the hot path of the redirect. Everything is read from memory or from mapped files, no other service is
// asked, nothing is logged per request, and no input makes it fail. A property that cannot be determined stays empty.
//
// User agents are classified by a fast table of markers. The table alone decides the device type, the kind of bot and every
// common browser and system, so that these never depend on load. Brands, models, rare families and rare crawlers come from the
// slow regular-expression parsers. They run once per user agent, behind a cache and within a budget of CPU time (see agentCache).
// A flood of random user agents therefore gets descriptions without brand and model, but does not slow down the redirect.
//
// Country data of addresses without a database: IP2Location LITE, built into github.com/phuslu/iploc.
package visitor

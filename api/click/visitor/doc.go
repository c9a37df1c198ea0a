// Package visitor describes the visitor of an HTTP request: address, place, network, device, language, referrer and the signals
// of a bot. It runs on the hot path of the redirect. Everything is read from memory or from mapped files, no other service is
// asked, nothing is logged per request, and no input makes it fail.
//
// User agents are classified by fast tables of markers. The slow regular-expression parsers add rare browsers, systems and
// crawlers, and the brands and models that the markers do not know. They run once per cached user agent and within a budget of
// CPU time (see agentCache).
//
// If no geo database has the country of an address, the country comes from IP2Location LITE, which github.com/phuslu/iploc contains.
package visitor

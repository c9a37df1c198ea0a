// Package visitor describes who is asking, from an HTTP request: address, place, network, device, language, referrer
// and the signals of a bot. It runs on the hot path of the redirect: everything is read from memory or from mapped
// files, nobody is asked, nothing is logged, and no input makes it fail. What cannot be told stays empty.
//
// User agents are classified by a fast table of markers, which alone decides device type, kind of bot and every common
// browser and system, so that such a figure never depends on load. Brands, models, rare families and rare crawlers
// come from the slow regular-expression parsers, which run once per user agent, behind a cache and within a budget of
// CPU time (see agentCache): a flood of random user agents costs a description without brand and model, not the
// redirect.
//
// Country data of addresses without a database: IP2Location LITE, built into github.com/phuslu/iploc.
package visitor

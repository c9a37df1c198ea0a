// Package click answers everything that visitors, networks and shops send to a tracking domain: tracking links,
// smartlinks, click-outs of landers, postbacks, the pixel, and what protected landers ask about their visitors.
//
// The redirect depends on nothing. It routes by a snapshot of all live campaigns and smartlinks in memory, which Run
// keeps fresh from PostgreSQL's change notices, and which is loaded from a copy on disk when PostgreSQL is away at the
// start. A click is on stable storage before its visitor is answered. If that takes longer than he waits, he is sent
// on and the click waits in memory for the disk: it is counted as late. One that the spool has no room for is counted
// as unrecorded. Visitors are never told what failed.
//
// # Protected landers
//
// The lists of a protection (countries, devices, referrers, bots) are asked by the redirect: who is on the wrong side
// goes to the fallback and never sees the page's address. Whether a visitor of the page came through a tracking link
// only the page can ask, at
//
//	GET https://{tracking domain}/lp/verify
//	{"data": {"allowed": true, "reason": "ok", "fallback_url": null}}
//
// from the visitor's browser, or from its own server with the visitor's ip and ua as parameters. It brings:
//
//   - mode signed: key, the signed key that stands for {lp_key} in the page's address (else it was added there as
//     lp_key). It holds for ttlSeconds; with bindIp only from the visitor's network (/24, or /64 of IPv6), with
//     bindUserAgent only with his user agent.
//   - mode click: clickid, the click id in the page's address, or the cookie of the tracking domain. The click must
//     have led to this page, within ttlSeconds.
//   - lander, the page's id, for visitors who bring neither; else there is no telling whose fallback_url to answer.
//
// With singleUse a key or click lets in once among all processes; while PostgreSQL is away, once in each process.
package click

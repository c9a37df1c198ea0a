// Package click answers the requests to a tracking domain, such as tracking links, smartlinks, click-outs of landers,
// postbacks, the pixel, events and hidden links of the page tag, goals that servers report, the requests by which protected
// landers check their visitors, and the clicks that the edge (ops/deploy/edge) has routed.
//
// The redirect depends on no other service. It routes by a snapshot of all live campaigns and smartlinks in memory, which Run
// keeps fresh. If PostgreSQL cannot be reached at the start, the snapshot is loaded from a copy on disk. A click is on stable
// storage before its visitor is answered. If that takes longer than the timeout, the visitor is sent on, the click waits in
// memory for the disk, and it is counted as late.
//
// # Protected landers
//
// The redirect checks the lists of a protection (countries, devices, referrers, bots). It sends a visitor who fails a list to
// the fallback, so that this visitor never sees the page's address. Only the page itself can ask whether its visitor came
// through a tracking link. It sends this request from the visitor's browser, or from its own server with the visitor's ip and
// ua as parameters:
//
//	GET https://{tracking domain}/lp/verify
//	{"data": {"allowed": true, "reason": "ok", "fallback_url": null}}
//
// The request also has these parameters:
//
//   - mode signed: key, the signed key from the page's address. The redirect puts the key in place of the token {lp_key}. If the
//     address has no such token, it adds the parameter lp_key. The key is valid for ttlSeconds. With bindIp it is valid only from
//     the visitor's network (/24, or /64 for IPv6), with bindUserAgent only with the visitor's user agent.
//   - mode click: clickid, the click id in the page's address. Without it the cookie of the tracking domain names the click.
//     The click must have led to this page, at most ttlSeconds ago.
//   - lander: the page's id, for visitors who bring neither a key nor a click. Without it the service does not know which
//     page's fallback_url to return.
//
// With singleUse, each key or click lets in only one visitor, counted over all processes. While PostgreSQL cannot be reached,
// each process counts for itself, so the key or click lets in one visitor per process.
package click

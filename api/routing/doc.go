// Package routing holds the data that the redirect needs to route visitors: a snapshot in memory of all live campaigns,
// smartlinks and the records that they refer to. A Refresher keeps the snapshot fresh from PostgreSQL's change notices. If
// PostgreSQL cannot be reached at the start, the Refresher uses a copy on disk. An Explainer makes decisions with the same
// compiled flows, but carries none of the decisions out.
package routing

// Package routing holds what the redirect routes by: a snapshot of all live campaigns, smartlinks and what they name,
// in memory. A Refresher keeps it fresh from PostgreSQL's change notices, and starts from a copy on disk while
// PostgreSQL is away. An Explainer asks the same compiled flows for decisions that are not carried out.
package routing

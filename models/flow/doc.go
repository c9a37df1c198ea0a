// Package flow validates the paths of a campaign and picks one for a visitor.
//
// Parse reads paths from JSON, Validate refuses what cannot be routed, Compile prepares a Plan and Plan.Pick decides.
// Pick is pure: the same visitor, gates and seed give the same decision. It allocates nothing.
//
// Order: forced paths by position; the bound path; regular paths; the default path; then the campaign's
// fallback_url, its destination_url, nothing. A path or destination of weight 0 is never drawn, though a visitor who
// is bound to it keeps it. Weights of forced and default paths have no meaning.
package flow

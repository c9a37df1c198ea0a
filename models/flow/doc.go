// Package flow validates the paths of a campaign and chooses a path for a visitor.
//
// Parse reads paths from JSON, Validate refuses flows that cannot be routed, Compile makes a Plan, and Plan.Pick decides. The
// decision depends only on the visitor, the seed, the answers of Env.Admit, and the set of open landing pages and offers
// (Ref.Open). Pick allocates nothing.
//
// The order is: forced paths by position, the bound path, regular paths, the default path, the campaign's fallback_url, its
// destination_url, and finally nothing. A regular path with the weight 0 is never chosen for a new visitor, nor is a landing
// page or an offer with the weight 0. A bound visitor keeps them. The weights of forced and default paths have no meaning.
package flow

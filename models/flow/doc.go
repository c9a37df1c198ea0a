// Package flow validates the paths of a campaign and chooses a path for a visitor.
//
// Parse reads paths from JSON, Validate refuses flows that cannot be routed, Compile makes a Plan, and Plan.Pick decides. The
// decision depends only on the visitor, the seed, and the answers of Env.Admit and Ref.Open. Pick allocates nothing.
//
// The order is: forced paths by position, the bound path, regular paths, the default path, the campaign's fallback_url, its
// destination_url, and finally nothing. A regular path or a destination with the weight 0 is never chosen for a new visitor, but
// a bound visitor keeps it. The weights of forced and default paths have no meaning.
package flow

// Package flow validates the paths of a campaign and picks one for a visitor.
//
// Parse reads paths from JSON, Validate refuses flows that cannot be routed, Compile compiles a Plan, and Plan.Pick decides.
// The same visitor, answers of Env.Admit, open references and seed give the same decision. Pick allocates nothing.
//
// The order is: forced paths by position, the bound path, regular paths, the default path, the campaign's fallback_url, its
// destination_url, and finally nothing. A path or destination of weight 0 is never drawn, but a visitor who is bound to it
// keeps it. The weights of forced and default paths have no meaning.
package flow

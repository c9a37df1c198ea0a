package jobs

import "time"

// PublishedEdge is the result of publishing an account's campaigns to the edge.
type PublishedEdge struct {
	Configured bool   `json:"configured"` // false: there is no edge to publish to, and nothing was done
	Published  int    `json:"published"`  // campaigns whose current state the edge has, including unchanged campaigns
	Written    int    `json:"written"`    // part of Published: campaigns whose current state the edge did not have before
	Removed    int    `json:"removed"`
	Failed     int    `json:"failed"` // campaigns that could not be written or removed; they are tried again
	Rules      int    `json:"rules"`
	RulesError string `json:"rules_error"`
	MS         int64  `json:"ms"`
}

// PublishEdge publishes, to the edge, the active campaigns whose domain belongs to the account. It skips campaigns whose current
// state the edge already has.
var PublishEdge = Define[None, PublishedEdge]("edge:publish", interactive(5*time.Minute))

// SweepEdge publishes the campaigns of each account in which something has changed. Campaigns that failed are tried again by a
// later run.
var SweepEdge = tickWithin("edge:sweep", 10*time.Minute)

package jobs

import "time"

// PublishedEdge is what a publishing of an account's campaigns to the edge has come to.
type PublishedEdge struct {
	Configured bool   `json:"configured"` // false: there is no edge to publish to, and nothing was done
	Published  int    `json:"published"`  // campaigns that the edge has as they are, unchanged ones included
	Written    int    `json:"written"`    // of Published: that it did not have before
	Removed    int    `json:"removed"`    // campaigns that it has no longer
	Failed     int    `json:"failed"`     // campaigns that could not be written or removed; they are tried again
	Rules      int    `json:"rules"`      // saved rules in the published campaigns
	RulesError string `json:"rules_error"`
	MS         int64  `json:"ms"`
}

// PublishEdge publishes every campaign of the account that has a domain, as far as the edge does not have it yet.
var PublishEdge = Define[None, PublishedEdge]("edge:publish", Policy{Queue: Interactive, Timeout: 5 * time.Minute})

// SweepEdge publishes the campaigns of accounts in which something has changed. What it does not come to, or what fails, the
// next run takes up.
var SweepEdge = tick("edge:sweep", 10*time.Minute)

package bot

import "time"

// The bounds of signals that are found after the click.
const (
	FloodBound   = 60 // up to this many clicks within FloodWindow are not a flood
	FloodWindow  = time.Minute
	RepeatBound  = 20 // up to this many repeated clicks within RepeatWindow are no signal
	RepeatWindow = 24 * time.Hour
	FastBound    = 800 * time.Millisecond // a click-out within this time after the click is too fast
	TagWait      = 30 * time.Second       // time that the page tag has for its first event
	TaggedBound  = 5                      // a landing page has the tag if this many of its clicks had events within TaggedWindow
	TaggedWindow = 24 * time.Hour
)

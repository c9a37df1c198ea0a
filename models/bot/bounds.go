package bot

import "time"

// The bounds of signals that are found after the click: in other clicks, or in what its visitor did next.
const (
	FloodBound   = 60 // clicks within FloodWindow that are no flood yet
	FloodWindow  = time.Minute
	RepeatBound  = 20 // repeated clicks within RepeatWindow that are no signal yet
	RepeatWindow = 24 * time.Hour
	FastBound    = 800 * time.Millisecond // from the click to the click-out: as fast is too fast
	TagWait      = 30 * time.Second       // how long the page tag has for its first event
	TaggedBound  = 5                      // clicks whose events came from a landing page within TaggedWindow: it has the tag
	TaggedWindow = 24 * time.Hour
)

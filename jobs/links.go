package jobs

import "time"

// SweepLinks tries the links of active offers and landing pages that were not tried within the hour. What one run does
// not reach, the next one begins with.
var SweepLinks = Define[Tick, None]("links:sweep", Policy{Queue: Maintenance, Timeout: 50 * time.Minute})

// ScreenLinks looks active links and tracking domains up in the list of unsafe addresses.
var ScreenLinks = Define[Tick, None]("links:screen", Policy{
	Queue: Maintenance, Timeout: 20 * time.Minute, Retries: []time.Duration{time.Minute, 10 * time.Minute},
})

// WatchPlans announces accounts whose clicks of the month passed the allowance of their plan.
var WatchPlans = Define[Tick, None]("plans:watch", Policy{Queue: Maintenance, Timeout: 5 * time.Minute})

package jobs

import "time"

// CompactLedger adds up ledger rows of equal keys and applies steps of visitors that missed their click.
var CompactLedger = Define[Tick, None]("ledger:compact", Policy{Queue: Maintenance, Timeout: 5 * time.Minute})

// TidyClicks makes the partitions of the days to come and drops those that no plan's history reaches.
var TidyClicks = Define[Tick, None]("clicks:tidy", Policy{
	Queue: Maintenance, Timeout: 30 * time.Minute, Retries: []time.Duration{time.Minute, 10 * time.Minute},
})

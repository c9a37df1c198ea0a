package jobs

import "time"

// CopilotRefreshed is what a refresh has found.
type CopilotRefreshed struct {
	At     time.Time `json:"at"`
	Judged int       `json:"judged"` // how many things were judged
	Open   int       `json:"open"`   // suggestions that are open now
}

// RefreshCopilot judges an account's figures and writes the suggestions that they call for.
var RefreshCopilot = Define[None, CopilotRefreshed]("copilot:refresh", Policy{Queue: Bulk, Timeout: 10 * time.Minute})

// SweepCopilot starts RefreshCopilot for accounts that were not judged for a day.
var SweepCopilot = tick("copilot:sweep", time.Minute)

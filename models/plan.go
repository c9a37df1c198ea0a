package models

// Unlimited is an allowance without a bound.
const Unlimited = -1

// Plan is what an account on it may have. Deleted and deactivated records do not count. Integrations counts active
// traffic sources and networks together.
type Plan struct {
	Name           string
	API            bool
	GoalTracking   bool
	CallsPerMinute int
	Campaigns      int
	Offers         int
	Landers        int
	Integrations   int
	Domains        int
	ClicksPerMonth int64
	HistoryDays    int
}

// Plans is the table of plans, the only home of their allowances. The calls per minute are those of the API
// documentation.
var Plans = []Plan{
	{"starter", false, false, 60, 10, 50, 50, 10, 1, 100_000, 30},
	{"growth", true, false, 300, 100, 500, 500, 50, 10, 1_000_000, 180},
	{"pro", true, true, 600, 1_000, 5_000, 5_000, 200, 50, 10_000_000, 365},
	{"scale", true, true, 1200, Unlimited, Unlimited, Unlimited, Unlimited, Unlimited, Unlimited, 730},
}

// PlanNamed finds a plan by its name; ok is false for an unknown one.
func PlanNamed(name string) (plan Plan, ok bool) {
	for _, p := range Plans {
		if p.Name == name {
			return p, true
		}
	}
	return Plan{}, false
}

// LongestHistory is the longest HistoryDays of all plans. Older clicks are deleted.
func LongestHistory() int {
	days := 0
	for _, p := range Plans {
		days = max(days, p.HistoryDays)
	}
	return days
}

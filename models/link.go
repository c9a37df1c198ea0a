package models

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// LinkFailures is the number of consecutive failed checks after which a link counts as broken. A further failure within
// BrokenAfter of the first failure does not count. So a short outage does not break a link, however often a person checks it by
// hand.
const (
	LinkFailures = 2
	BrokenAfter  = 30 * time.Minute
)

// Link is an active offer, landing page or tracking domain in the form that the checks use. A domain is only looked up in the
// list of unsafe addresses. It is not requested, because this tracker itself would answer the request.
type Link struct {
	Kind      string     `db:"kind"`
	ID        uuid.UUID  `db:"id"`
	AccountID uuid.UUID  `db:"account_id"`
	Name      string     `db:"name"`
	URL       string     `db:"url"`        // of an offer or landing page: as stored, with its {token} placeholders
	CheckedAt *time.Time `db:"checked_at"` // time of the last check of this URL; nil: never
}

// The kinds of link.
const (
	LinkOffer  = "offer"
	LinkLander = "lander"
	LinkDomain = "domain"
)

// LinkResult is the result of one check of a link. The link works if Error is empty.
type LinkResult struct {
	At     time.Time
	Status *int // nil: no answer came
	Error  string
}

// LinkState is the state of a link after all its checks.
type LinkState struct {
	CheckedAt    time.Time  `db:"checked_at"`
	Status       *int       `db:"http_status"`
	Error        string     `db:"error"`
	Failures     int        `db:"failures"`
	FailingSince *time.Time `db:"failing_since"`
	BrokenAt     *time.Time `db:"broken_at"` // when the link was reported as broken; nil: it is not broken
}

// Checked returns the state after one more check.
func (s LinkState) Checked(r LinkResult) (next LinkState, broke bool) {
	next = LinkState{CheckedAt: r.At, Status: r.Status, Error: r.Error}
	if r.Error == "" {
		return next, false
	}
	next.Failures, next.FailingSince, next.BrokenAt = s.Failures, s.FailingSince, s.BrokenAt
	if next.FailingSince == nil {
		next.FailingSince = &r.At
	}
	if s.Failures == 0 || r.At.Sub(*next.FailingSince) >= BrokenAfter {
		next.Failures++
	}
	if next.BrokenAt == nil && next.Failures >= LinkFailures {
		next.BrokenAt, broke = &r.At, true
	}
	return next, broke
}

// ScreenState is the result of looking a link up in the list of unsafe addresses.
type ScreenState struct {
	CheckedAt time.Time
	Threats   []string   // threats in the words of the list, sorted; empty: the link is not listed
	UnsafeAt  *time.Time // when the link was reported as unsafe; nil: it is not unsafe
}

// Screened returns the state after one more look-up.
func (s ScreenState) Screened(at time.Time, threats []string) (next ScreenState, listed bool) {
	next = ScreenState{CheckedAt: at, Threats: slices.Compact(slices.Sorted(slices.Values(threats)))}
	if len(next.Threats) == 0 {
		return next, false
	}
	if next.UnsafeAt = s.UnsafeAt; next.UnsafeAt == nil {
		next.UnsafeAt, listed = &at, true
	}
	return next, listed
}

// LinkProblem is a link that is broken or unsafe now.
type LinkProblem struct {
	Link
	State   LinkState `db:"state"`
	Threats []string  `db:"threats"`
	Since   time.Time `db:"since"`
	// For an unsafe domain: the number of campaigns that have moved away from it, and the host to which they moved.
	FailedOver   int    `db:"failed_over"`
	FailedOverTo string `db:"failed_over_to"`
}

// The kinds of checks whose states are stored, with their names in GET /alerts.
const (
	ServiceLinkChecks   = "link_checks"
	ServiceSafeBrowsing = "safe_browsing"
	ServiceJobs         = "jobs"
)

// The states of a check.
const (
	ServiceOK      = "ok"
	ServiceBehind  = "behind" // the check works, but its results are old
	ServiceFailing = "failing"
	ServiceOff     = "off"     // the check is not set up on this install
	ServiceWaiting = "waiting" // the check has not run yet
)

// LinkService is the result of the last run of a kind of check.
type LinkService struct {
	Name      string    `db:"name"`
	Status    string    `db:"status"`
	Message   string    `db:"message"` // for people; empty if there is no problem
	CheckedAt time.Time `db:"checked_at"`
}

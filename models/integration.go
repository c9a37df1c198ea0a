package models

import (
	"time"

	"github.com/google/uuid"
)

// NetworkIntegration is the connection of an affiliate network to the API of its platform. Its secrets stay in the store.
type NetworkIntegration struct {
	NetworkID uuid.UUID         `db:"network_id"`
	AccountID uuid.UUID         `db:"account_id"`
	Provider  string            `db:"provider"`
	Settings  map[string]string `db:"settings,json"` // the credentials that are no secrets
	IsEnabled bool              `db:"is_enabled"`    // orders are imported automatically
	SavedAt   time.Time         `db:"saved_at"`
	CheckedAt *time.Time        `db:"checked_at"` // when the platform was last asked; nil: never
	SyncedAt  *time.Time        `db:"synced_at"`  // when orders were last imported; nil: never
	Failure   string            `db:"failure"`    // for a person; without secrets; empty: it does not fail
	Failures  int               `db:"failures"`   // in a row
	Since     *time.Time        `db:"failing_since"`
	NextAt    time.Time         `db:"next_at"`
}

// FailingIntegration is how many failures in a row make a connection a failing one.
const FailingIntegration = 3

// When orders are imported automatically, and for which days: networks revise orders for weeks.
const (
	SyncEvery    = 30 * time.Minute
	SyncDays     = 3 // of most imports, today included
	SyncWideDays = 45
	SyncMost     = 50_000 // orders
	syncLongest  = 12 * time.Hour
)

// NextSync returns the time from an import to the next one. failures is the number of failures in a row, and 0 means that the
// import did not fail.
func NextSync(failures int) time.Duration { return backOff(SyncEvery, failures) }

// backOff is a wait that doubles with each failure in a row.
func backOff(wait time.Duration, failures int) time.Duration {
	for range failures {
		if wait *= 2; wait >= syncLongest {
			return syncLongest
		}
	}
	return wait
}

// The origins of a run.
const (
	RunByAPI   = "api"
	RunByClock = "clock"
)

// TooManyRows is the code of a range with more rows than one run takes.
const TooManyRows = "too_many"

// PlatformFailed reports whether a run that ended with an error code counts as a failure of its platform. A range that a person
// chose too long does not count, because the platform is fine and a shorter range works.
func PlatformFailed(origin, code string) bool { return code != TooManyRows || origin == RunByClock }

// wideEvery is how often the longer window is taken.
const wideEvery = 24 * time.Hour

// NextWide returns when the longer window is due again, after a run over it that ended with an error code; empty: the run
// succeeded. The zero time means that the window stays due. A window with too many rows would have as many half an hour later,
// so it does not stay due.
func NextWide(now time.Time, code string) time.Time {
	if code == "" || code == TooManyRows {
		return now.Add(wideEvery)
	}
	return time.Time{}
}

// RunNetworkSync is the kind of runs that import the orders of a network.
const RunNetworkSync = "network_sync"

// IntegrationRun is what a run of an integration did.
type IntegrationRun struct {
	ID        uuid.UUID  `db:"id"` // of its job
	AccountID uuid.UUID  `db:"account_id"`
	Kind      string     `db:"kind"`
	TargetID  uuid.UUID  `db:"target_id"`
	Provider  string     `db:"provider"`
	Origin    string     `db:"origin"`
	From      *time.Time `db:"from_day"`
	To        *time.Time `db:"to_day"`
	Applied   bool       `db:"applied"`
	StartedAt time.Time  `db:"started_at"`
	EndedAt   *time.Time `db:"ended_at"` // nil: it is under way, or its process has died
	Requests  int        `db:"requests"`
	Pages     int        `db:"pages"`
	Read      int        `db:"read"`
	Matched   int        `db:"matched"`
	Changed   int        `db:"changed"`
	Failure   string     `db:"failure"`          // for a person
	Request   string     `db:"provider_request"` // what the provider calls the request that failed; for operators alone
}

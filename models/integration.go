package models

import (
	"time"

	"github.com/google/uuid"
)

// Integration is the connection of a network or a traffic source to the API of its platform. The struct does not contain the
// secrets of the connection.
type Integration struct {
	TargetID  uuid.UUID         `db:"target_id"` // the network or the traffic source
	AccountID uuid.UUID         `db:"account_id"`
	Provider  string            `db:"provider"`
	Settings  map[string]string `db:"settings,json"` // the credentials that are not secret
	IsEnabled bool              `db:"is_enabled"`    // orders are imported, or spend is read, automatically
	SavedAt   time.Time         `db:"saved_at"`
	CheckedAt *time.Time        `db:"checked_at"` // time of the last request to the platform; nil: never
	SyncedAt  *time.Time        `db:"synced_at"`  // time of the last import that succeeded; nil: never
	Failure   string            `db:"failure"`    // for people; contains no secrets; empty: no failure
	Failures  int               `db:"failures"`
	Since     *time.Time        `db:"failing_since"`
	NextAt    time.Time         `db:"next_at"`
}

// ChangesRead says up to which time the changes of orders were read from a network, by the date of the change.
type ChangesRead struct {
	To       *time.Time `db:"changes_to"`      // changes until this time are stored; nil: no changes were read
	Failure  string     `db:"changes_failure"` // why the last reading failed, for people; empty: it succeeded
	Failures int        `db:"changes_failures"`
}

// NetworkNotConnected returns the error for a network without a connection.
func NetworkNotConnected() *Error {
	return Invalid("not_connected", "the network is not connected: connect it with PUT /networks/{id}/integration")
}

// SourceNotConnected returns the error for a traffic source without a connection.
func SourceNotConnected() *Error {
	return Invalid("not_configured", "the traffic source is not connected: connect it with PUT /traffic-sources/{id}/integration")
}

// FailingIntegration is the number of consecutive failures after which a connection counts as failing.
const FailingIntegration = 3

// The intervals and windows of automatic imports of orders. The windows reach back because networks change orders for weeks.
const (
	SyncEvery    = 30 * time.Minute
	SyncDays     = 3      // window of most imports, including today
	SyncWideDays = 45     // the longer window, which is due once a day
	SyncMost     = 50_000 // maximum number of orders in one import
	syncLongest  = 12 * time.Hour
)

// NextSync returns the time from an import to the next import, after a number of failures in a row.
func NextSync(failures int) time.Duration { return backOff(SyncEvery, failures) }

// ChangesEvery is the interval between two readings of changes.
const ChangesEvery = 3 * time.Hour

// ChangesBegin is how far back changes are read when a connection reads them for the first time.
const ChangesBegin = SyncWideDays * 24 * time.Hour

// NextChanges returns the time from a reading of changes to the next reading. behind says that there are later changes that are
// not read yet.
func NextChanges(behind bool, failures int) time.Duration {
	if behind && failures == 0 {
		return SyncEvery / 2
	}
	return backOff(ChangesEvery, failures)
}

// OlderEvery is the interval between imports of older orders, for networks whose API cannot select orders by the date of a
// change.
const OlderEvery = 24 * time.Hour

// OlderDays is the age in days of the oldest orders that are imported. Everflow refuses a range that begins a year ago.
const OlderDays = 345

// OlderWindow returns the days of the next import of older orders. It begins with the oldest orders if `next` is nil or out of
// range. It may reach into the longer window (SyncWideDays), because a large account may have too many orders for one import of
// the longer window.
func OlderWindow(today time.Time, next *time.Time) (from, to time.Time) {
	day := time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)
	from, last := day.AddDate(0, 0, -OlderDays), day.AddDate(0, 0, -SyncDays)
	if next != nil && next.After(from) && !next.After(last) {
		from = *next
	}
	if to = from.AddDate(0, 0, SyncWideDays-1); to.After(last) {
		to = last
	}
	return from, to
}

// NextOlder returns the first day of the next import of older orders, and the time until it is due. The last import has read the
// days from firstRead to lastRead. A nil first day means the oldest orders.
func NextOlder(today, firstRead, lastRead time.Time) (first *time.Time, wait time.Duration) {
	wait = OlderEvery
	if _, end := OlderWindow(today, &firstRead); lastRead.Before(end) {
		wait = SyncEvery / 2
	}
	if next := lastRead.AddDate(0, 0, 1); next.AddDate(0, 0, SyncDays).Before(today) {
		first = &next
	}
	return first, wait
}

// NextOlderTry returns the time until older orders are imported again, after a number of failures in a row.
func NextOlderTry(failures int) time.Duration { return backOff(ChangesEvery, failures) }

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

// TooManyRows is the error code for a range with more rows than a run accepts.
const TooManyRows = "too_many"

// PlatformFailed reports whether a run that ended with an error code counts as a failure of its platform. A run that a person
// started over too long a range does not count: a shorter range would succeed.
func PlatformFailed(origin, code string) bool { return code != TooManyRows || origin == RunByClock }

const wideEvery = 24 * time.Hour

// NextWideSync returns the time at which the longer window is due again. code is the error code of the run that has just imported
// the window, or empty if the run succeeded. The zero time means that the window stays due. If the window has too many rows, it
// is due again only a day later, because a sooner attempt would fail in the same way.
func NextWideSync(now time.Time, code string) time.Time {
	if code == "" || code == TooManyRows {
		return now.Add(wideEvery)
	}
	return time.Time{}
}

// The kinds of runs that import orders of a network. RunNetworkSync imports the orders of the last days or of requested days, and
// RunNetworkChanges imports the orders that changed in a period, or older orders.
const (
	RunNetworkSync    = "network_sync"
	RunNetworkChanges = "network_changes"
)

// IntegrationRun is the record of a run of an integration.
type IntegrationRun struct {
	ID        uuid.UUID  `db:"id"` // the id of the run's job
	AccountID uuid.UUID  `db:"account_id"`
	Kind      string     `db:"kind"`
	TargetID  uuid.UUID  `db:"target_id"`
	Provider  string     `db:"provider"`
	Origin    string     `db:"origin"`
	From      *time.Time `db:"from_day"`
	To        *time.Time `db:"to_day"`
	Applied   bool       `db:"applied"`
	StartedAt time.Time  `db:"started_at"`
	EndedAt   *time.Time `db:"ended_at"` // nil: the run is still running, or its process has died
	Requests  int        `db:"requests"`
	Pages     int        `db:"pages"`
	Read      int        `db:"read"`
	Matched   int        `db:"matched"`
	Changed   int        `db:"changed"`
	Failure   string     `db:"failure"`          // for people
	Request   string     `db:"provider_request"` // only for operators
}

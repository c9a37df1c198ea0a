package ingest

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
)

const (
	// Behind is the lag above which a process counts as behind. The lag is the age of the newest stored record while newer ones wait.
	Behind      = time.Minute
	reportEvery = 20 * time.Second
	// expiry is the time without a report after which a process counts as ended.
	expiry = 5 * time.Minute
	// busyLag is the lag of a process above which deferrable work pauses.
	busyLag = 2 * time.Second
	// restFor is how long deferrable work pauses after a report of a busy process.
	restFor = 10 * time.Second
)

// Lag reports to all processes how far this process is behind with storing its records.
type Lag struct {
	Conn db.Conn
	Lag  func() time.Duration // see spool.Stats
	Now  func() time.Time     // nil: time.Now
	// Strained reports whether redirects wait for a processor; nil: never.
	Strained func() bool

	process    uuid.UUID
	reportedAt time.Time
}

// Run reports the lag until the context ends.
func (l *Lag) Run(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if l.due() {
			if err := l.Report(ctx); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "the lag of storing clicks cannot be reported", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			ended, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_, _ = db.Exec(ended, l.Conn, "spool ends", `DELETE FROM spool_states WHERE process = $1`, l.process) // if this fails, the row expires
			return
		case <-tick.C:
		}
	}
}

// due reports whether it is time for a report. Busy processes report more often.
func (l *Lag) due() bool {
	passed := l.now().Sub(l.reportedAt)
	return passed >= reportEvery || passed >= restFor/2 && l.busy()
}

func (l *Lag) busy() bool { return l.Lag() > busyLag || l.Strained != nil && l.Strained() }

func (l *Lag) now() time.Time {
	if l.Now != nil {
		return l.Now()
	}
	return time.Now()
}

const (
	reportLag = `
INSERT INTO spool_states AS s (process, seen_at, behind_since, stored_until, rest_until)
SELECT $1, now, CASE WHEN behind THEN now END, CASE WHEN behind THEN stored END, rest
FROM (SELECT $2::timestamptz AS now, $3::boolean AS behind, $4::timestamptz AS stored, $5::timestamptz AS rest) v
ON CONFLICT (process) DO UPDATE SET seen_at = excluded.seen_at, stored_until = excluded.stored_until,
	rest_until = coalesce(excluded.rest_until, s.rest_until),
	behind_since = CASE WHEN excluded.behind_since IS NOT NULL THEN coalesce(s.behind_since, excluded.behind_since) END`
	deleteLags = `DELETE FROM spool_states WHERE seen_at < $1`
)

// Report reports the lag once, and deletes the reports of ended processes.
func (l *Lag) Report(ctx context.Context) error {
	now := l.now()
	l.reportedAt = now
	if l.process == uuid.Nil {
		l.process = uuid.Must(uuid.NewV7())
	}
	lag, rest := l.Lag(), sql.NullTime{Time: now.Add(restFor), Valid: l.busy()}
	if err := db.Run(ctx, l.Conn, "report lag", reportLag, l.process, now, lag > Behind, now.Add(-lag), rest); err != nil {
		return err
	}
	return db.Run(ctx, l.Conn, "delete lags", deleteLags, now.Add(-expiry))
}

// StoredState is the progress of the processes that record clicks.
type StoredState struct {
	Processes int        `db:"processes"` // running processes
	Behind    int        `db:"behind"`    // processes that are behind
	Since     *time.Time `db:"since"`     // since when; nil: none is behind
	Until     *time.Time `db:"stored"`    // all processes have stored their clicks up to this time; nil: none is behind
}

const selectStored = `
SELECT count(*) AS processes, count(behind_since) AS behind, min(behind_since) AS since, min(stored_until) AS stored
FROM spool_states WHERE seen_at >= $1`

// ReadStored returns the progress of all processes.
func ReadStored(ctx context.Context, c db.Conn, now time.Time) (StoredState, error) {
	return db.Get[StoredState](ctx, c, "stored", selectStored, now.Add(-expiry))
}

const selectRests = `SELECT EXISTS (SELECT FROM spool_states WHERE rest_until > $1)`

// Busy reports whether deferrable work should pause, because clicks or redirects of a process wait.
func Busy(ctx context.Context, l click.Log) (bool, error) {
	return db.Get[bool](ctx, l.Conn, "busy processes", selectRests, l.Time())
}

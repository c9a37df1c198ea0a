package clicklog

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
)

const (
	// Behind is how old the newest stored record of a process may be while others wait.
	Behind = time.Minute
	// toldEvery is how often a process tells how far it is.
	toldEvery = 20 * time.Second
	// forgotten is after how long without a word a process is taken for ended. What its disk holds is the next process's.
	forgotten = 5 * time.Minute
	// busyLag is how old the newest stored record of a process is at least while work that can wait rests.
	busyLag = 2 * time.Second
	// restFor is how long that work rests after a process has told that it is busy. A process that stays busy tells it
	// again in time.
	restFor = 10 * time.Second
)

// Lag tells all processes how far behind this process is with storing what it records. While PostgreSQL is away, no process
// hears it, and none could ask.
type Lag struct {
	Conn db.Conn
	Lag  func() time.Duration // of the spool: spool.Stats
	Now  func() time.Time     // nil: time.Now
	// Strained reports whether redirects wait for a processor; nil: they never do.
	Strained func() bool

	process uuid.UUID
	toldAt  time.Time
}

// Run reports the lag until the context ends.
func (l *Lag) Run(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if l.due() {
			if err := l.Tell(ctx); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "nobody hears how far clicks are stored", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			ended, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_, _ = db.Exec(ended, l.Conn, "spool ends", `DELETE FROM spool_states WHERE process = $1`, l.process) // else it is forgotten
			return
		case <-tick.C:
		}
	}
}

// due is false while what was told last still holds.
func (l *Lag) due() bool {
	passed := l.now().Sub(l.toldAt)
	return passed >= toldEvery || passed >= restFor/2 && l.busy()
}

// busy reports whether clicks wait, or redirects wait for a processor.
func (l *Lag) busy() bool { return l.Lag() > busyLag || l.Strained != nil && l.Strained() }

func (l *Lag) now() time.Time {
	if l.Now != nil {
		return l.Now()
	}
	return time.Now()
}

const (
	tellLag = `
INSERT INTO spool_states AS s (process, seen_at, behind_since, stored_until, rest_until)
SELECT $1, now, CASE WHEN behind THEN now END, CASE WHEN behind THEN stored END, rest
FROM (SELECT $2::timestamptz AS now, $3::boolean AS behind, $4::timestamptz AS stored, $5::timestamptz AS rest) v
ON CONFLICT (process) DO UPDATE SET seen_at = excluded.seen_at, stored_until = excluded.stored_until,
	rest_until = coalesce(excluded.rest_until, s.rest_until),
	behind_since = CASE WHEN excluded.behind_since IS NOT NULL THEN coalesce(s.behind_since, excluded.behind_since) END`
	forgetLags = `DELETE FROM spool_states WHERE seen_at < $1`
)

// Tell tells it once, and forgets the processes that have ended.
func (l *Lag) Tell(ctx context.Context) error {
	now := l.now()
	l.toldAt = now
	if l.process == uuid.Nil {
		l.process = uuid.Must(uuid.NewV7())
	}
	lag, rest := l.Lag(), sql.NullTime{Time: now.Add(restFor), Valid: l.busy()}
	if _, err := db.Exec(ctx, l.Conn, "tell lag", tellLag, l.process, now, lag > Behind, now.Add(-lag), rest); err != nil {
		return err
	}
	_, err := db.Exec(ctx, l.Conn, "forget lags", forgetLags, now.Add(-forgotten))
	return err
}

// StoredState is how far the processes that record clicks are.
type StoredState struct {
	Processes int        `db:"processes"` // that run
	Behind    int        `db:"behind"`
	Since     *time.Time `db:"since"`  // one is behind; nil: none is
	Until     *time.Time `db:"stored"` // the clicks of all are stored
}

const selectStored = `
SELECT count(*) AS processes, count(behind_since) AS behind, min(behind_since) AS since, min(stored_until) AS stored
FROM spool_states WHERE seen_at >= $1`

// Stored tells how far all processes of the install are.
func (l Log) Stored(ctx context.Context, now time.Time) (StoredState, error) {
	return db.Get[StoredState](ctx, l.Conn, "stored", selectStored, now.Add(-forgotten))
}

const selectRests = `SELECT EXISTS (SELECT FROM spool_states WHERE rest_until > $1)`

// Busy reports whether work that can wait should rest: a process has clicks to store, or its redirects wait for a processor.
func (l Log) Busy(ctx context.Context) (bool, error) {
	return db.Get[bool](ctx, l.Conn, "busy processes", selectRests, l.now())
}

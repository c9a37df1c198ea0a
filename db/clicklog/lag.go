package clicklog

import (
	"context"
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
)

// Lag tells all processes how far one is with storing what it records. If PostgreSQL is away nobody hears of it, and nobody
// could ask.
type Lag struct {
	Conn db.Conn
	Lag  func() time.Duration // of the spool: spool.Stats
	Now  func() time.Time     // nil: time.Now

	process uuid.UUID
}

// Run tells it until the context ends.
func (l *Lag) Run(ctx context.Context) {
	tick := time.NewTicker(toldEvery)
	defer tick.Stop()
	for {
		if err := l.Tell(ctx); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "nobody hears how far clicks are stored", "error", err)
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

const (
	tellLag = `
INSERT INTO spool_states AS s (process, seen_at, behind_since, stored_until)
SELECT $1, now, CASE WHEN behind THEN now END, CASE WHEN behind THEN stored END
FROM (SELECT $2::timestamptz AS now, $3::boolean AS behind, $4::timestamptz AS stored) v
ON CONFLICT (process) DO UPDATE SET seen_at = excluded.seen_at, stored_until = excluded.stored_until,
	behind_since = CASE WHEN excluded.behind_since IS NOT NULL THEN coalesce(s.behind_since, excluded.behind_since) END`
	forgetLags = `DELETE FROM spool_states WHERE seen_at < $1`
)

// Tell tells it once, and forgets the processes that have ended.
func (l *Lag) Tell(ctx context.Context) error {
	now := time.Now()
	if l.Now != nil {
		now = l.Now()
	}
	if l.process == uuid.Nil {
		l.process = uuid.Must(uuid.NewV7())
	}
	lag := l.Lag()
	if _, err := db.Exec(ctx, l.Conn, "tell lag", tellLag, l.process, now, lag > Behind, now.Add(-lag)); err != nil {
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

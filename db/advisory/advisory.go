// Package advisory elects one process among several by an advisory lock in PostgreSQL. The server releases the lock when the
// holder's session ends.
package advisory

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"log/slog"
	"time"

	"switchyard/db"
)

// every is the interval of attempts to get the lock, and of checks of the holder's session.
const every = time.Second

// WithLock calls the function lead whenever this process gets the named lock, until the context ends. If the lock's session is
// lost, the context of the function ends. When the function returns, the lock is released, and WithLock tries again. While
// PostgreSQL cannot be reached, no process leads.
func WithLock(ctx context.Context, d *db.DB, name string, lead func(context.Context)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := try(ctx, d, name, lead); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "lock not reachable", "lock", name, "error", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// try calls the function lead if the lock is free. It ends the context of the function if the lock's session is lost.
func try(ctx context.Context, d *db.DB, name string, lead func(context.Context)) error {
	conn, err := d.Conn(ctx) // until Close, no other caller gets this session
	if err != nil {
		return fmt.Errorf("advisory: session: %w", err)
	}
	defer conn.Close() //nolint:errcheck // if Close fails, the session is already lost
	var got bool
	const tryLock = `SELECT pg_try_advisory_lock(hashtextextended($1, 0))`
	if err := conn.QueryRowContext(ctx, tryLock, name).Scan(&got); err != nil {
		return fmt.Errorf("advisory: lock: %w", err)
	}
	if !got {
		return nil
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if _, err := conn.ExecContext(end, `SELECT pg_advisory_unlock(hashtextextended($1, 0))`, name); err != nil {
			// The pool must not keep a session that may still hold the lock.
			_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		}
	}()
	leading, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan struct{})
	go func() { defer close(done); lead(leading) }()
	err = watch(ctx, conn, done)
	stop()
	<-done
	return err
}

// watch waits until lead is done or the context ends. It returns an error if the session does not answer.
func watch(ctx context.Context, s *sql.Conn, done <-chan struct{}) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return nil
		case <-tick.C:
			check, cancel := context.WithTimeout(ctx, 5*time.Second)
			err := s.PingContext(check)
			cancel()
			if err != nil && ctx.Err() == nil {
				return fmt.Errorf("advisory: session lost: %w", err)
			}
		}
	}
}

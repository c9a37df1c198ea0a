// Package advisory lets one process at a time do something, under a lock that PostgreSQL gives back by itself when
// the session of its holder ends.
package advisory

import (
	"context"
	"database/sql/driver"
	"fmt"
	"log/slog"
	"time"

	"switchyard/db"
)

// Options of Hold.
type Options struct {
	Every time.Duration // how often a waiting process tries, and a holder checks its session; default 1 second
}

// Hold runs lead while this process holds the lock of a name, and tries again for it when it is lost, until the
// context ends; lead's context is cancelled when the session is lost. The lock is held by a session of its own. While
// PostgreSQL is away nobody leads. A lead that returns by itself gives the lock up.
func Hold(ctx context.Context, d *db.DB, name string, o Options, lead func(context.Context)) error {
	if o.Every == 0 {
		o.Every = time.Second
	}
	tick := time.NewTicker(o.Every)
	defer tick.Stop()
	for {
		if err := try(ctx, d, name, o, lead); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "lock not reachable", "lock", name, "error", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// session is a dedicated connection: the pool would hand the lock's session to others.
type session interface {
	PingContext(ctx context.Context) error
}

func try(ctx context.Context, d *db.DB, name string, o Options, lead func(context.Context)) error {
	conn, err := d.Conn(ctx)
	if err != nil {
		return fmt.Errorf("advisory: session: %w", err)
	}
	defer conn.Close() //nolint:errcheck // it may be broken; there is nothing else to do with it
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
	err = watch(ctx, conn, o.Every, done)
	stop()
	<-done
	return err
}

// watch returns when the leader is done, the context ends, or the session does not answer.
func watch(ctx context.Context, s session, every time.Duration, done <-chan struct{}) error {
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

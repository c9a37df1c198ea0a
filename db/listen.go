package db

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/lib/pq"

	"switchyard/models/interval"
)

// Notice is a notification, or the request to read everything again.
type Notice struct {
	// Resync means that notices may have been missed before the first connection or while there was no connection: read everything
	// again.
	Resync  bool
	Payload string
}

const (
	listenMinWait = 100 * time.Millisecond
	listenMaxWait = 2 * time.Second
	listenPing    = 20 * time.Second
)

// Listen calls the function handle with every notification on a channel, one at a time, until the context ends. It also calls
// this function with Resync at the start and after every reconnect. It has its own connection and reconnects automatically. It
// returns an error only if the URL cannot be read.
func Listen(ctx context.Context, url, channel string, handle func(context.Context, Notice)) error {
	if _, err := pq.NewConfig(url); err != nil {
		return fmt.Errorf("db: DATABASE_URL: %w", err)
	}
	l := pq.NewListener(withConnectTimeout(url), listenMinWait, listenMaxWait, logListener(ctx))
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	go interval.Every(ctx, listenPing, func() { _ = l.Ping() }) // after an error, pq connects again

	// l.Listen waits for the first connection. After a reconnect, pq sends nil.
	if err := l.Listen(channel); err != nil {
		return nil //nolint:nilerr // only a closed listener fails: the context has ended
	}
	handle(ctx, Notice{Resync: true})
	for n := range l.Notify {
		switch {
		case ctx.Err() != nil: // discard the remaining notices, so that pq's goroutine can end
		case n == nil:
			handle(ctx, Notice{Resync: true})
		default:
			handle(ctx, Notice{Payload: n.Extra})
		}
	}
	return nil
}

func logListener(ctx context.Context) pq.EventCallbackType {
	return func(event pq.ListenerEventType, err error) {
		if ctx.Err() == nil && event == pq.ListenerEventDisconnected {
			slog.WarnContext(ctx, "listening to postgres was interrupted", "error", err)
		}
	}
}

// withConnectTimeout adds a connect timeout of 5 seconds to a URL without one. Without one, pq's listener would wait for ever.
func withConnectTimeout(url string) string {
	if strings.Contains(url, "connect_timeout") {
		return url
	}
	switch {
	case !strings.Contains(url, "://"):
		return url + " connect_timeout=5"
	case strings.Contains(url, "?"):
		return url + "&connect_timeout=5"
	}
	return url + "?connect_timeout=5"
}

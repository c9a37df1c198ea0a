package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// doneChannel is the Redis channel with the ids of finished jobs.
const doneChannel = "switchyard:jobs:done"

// Notify announces that a job has finished. A failed announcement is only logged, because callers also poll.
func Notify(ctx context.Context, r redis.UniversalClient, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := r.Publish(ctx, doneChannel, id).Err(); err != nil {
		slog.WarnContext(ctx, "the end of a job was not announced", "id", id, "error", err)
	}
}

type watchers struct {
	mu     sync.Mutex
	byID   map[string]map[chan struct{}]struct{}
	listen sync.Once
}

// Watch implements Backend.
func (b *redisBackend) Watch(id string) (<-chan struct{}, func()) {
	w := &b.watchers
	w.listen.Do(func() { go w.receive(b.redis) })
	ch := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byID[id] == nil {
		w.byID[id] = map[chan struct{}]struct{}{}
	}
	w.byID[id][ch] = struct{}{}
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.byID[id], ch)
		if len(w.byID[id]) == 0 {
			delete(w.byID, id)
		}
	}
}

// receive reads the notifications for all callers of this process over one connection, and passes them on. It ends when the client
// is closed.
func (w *watchers) receive(r redis.UniversalClient) {
	sub := r.Subscribe(context.Background(), doneChannel)
	defer sub.Close() //nolint:errcheck // no caller waits for messages any more
	for m := range sub.Channel() {
		w.mu.Lock()
		for ch := range w.byID[m.Payload] {
			select {
			case ch <- struct{}{}:
			default:
			}
		}
		w.mu.Unlock()
	}
}

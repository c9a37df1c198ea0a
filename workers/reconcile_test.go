package workers_test

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"switchyard/models"
	"switchyard/workers"
)

// slowRedis answers so many commands, as many as fit into one run when each takes long, and fails the others.
type slowRedis struct{ left atomic.Int64 }

func (s *slowRedis) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (s *slowRedis) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if s.left.Add(-1) < 0 {
			return errTooSlow
		}
		return next(ctx, cmd)
	}
}

func (s *slowRedis) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error { return next(ctx, cmds) }
}

var errTooSlow = errors.New("redis takes too long")

// TestReconcileGetsOnThoughRedisIsSlow: a run that ends in the middle, since Redis takes long, has enqueued what it came
// to: a next run gets further. To look at rows that have their task takes few questions.
func TestReconcileGetsOnThoughRedisIsSlow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	workers.RegisterRow(b.rt, effect, leave)
	const rows, answered, rounds = 600, 150, 10
	const many = `INSERT INTO jobs (id, kind, next_attempt_at)
		SELECT gen_random_uuid(), $1, now() - interval '1 hour' FROM generate_series(1, $2)`
	if _, err := b.db.ExecContext(t.Context(), many, effect.Kind(), rows); err != nil {
		t.Fatal(err)
	}
	var slow slowRedis
	b.redis.AddHook(&slow)
	n := 0
	for err := errTooSlow; err != nil; n++ {
		if n == rounds {
			t.Fatalf("after %d runs: %v", n, err)
		}
		slow.left.Store(answered)
		err = b.rt.Reconcile(t.Context())
	}
	t.Logf("%d rows in %d runs of %d commands", rows, n, answered)
	var refs []models.JobRef
	const all = `SELECT id, account_id, kind, generation FROM jobs WHERE kind = $1`
	if err := b.db.SelectContext(t.Context(), &refs, all, effect.Kind()); err != nil {
		t.Fatal(err)
	}
	slow.left.Store(answered)
	if lost, err := b.client.LostRows(t.Context(), refs...); err != nil || len(lost) > 0 || len(refs) != rows {
		t.Errorf("%d of %d rows are lost, %v", len(lost), len(refs), err)
	}
}

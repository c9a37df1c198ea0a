package jobstest

import (
	"context"
	"errors"
	"net"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"switchyard/jobs"
)

// ErrSlow is the error of the commands that a Slow does not let through.
var ErrSlow = errors.New("redis takes too long")

// Slow lets Redis answer a limited number of commands and makes all other commands fail. Connections and pipelines are not
// limited.
type Slow struct{ left atomic.Int64 }

// SlowDown adds a Slow to a Redis client. No command is answered until Answer is called.
func SlowDown(r jobs.Redis) *Slow {
	s := &Slow{}
	r.AddHook(s)
	return s
}

// Answer sets the number of further commands that are answered.
func (s *Slow) Answer(commands int) { s.left.Store(int64(commands)) }

// DialHook implements redis.Hook.
func (s *Slow) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook implements redis.Hook.
func (s *Slow) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if s.left.Add(-1) < 0 {
			return ErrSlow
		}
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (s *Slow) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error { return next(ctx, cmds) }
}

// Package kv keeps counters in Redis, such as the windows of the rate limit and the daily caps, and sends messages between
// processes (Share). The counters may be lost at any moment. While Redis cannot be reached, each process counts on its own.
package kv

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Timeout is the maximum time that Redis may take while a visitor or a caller waits.
const Timeout = 250 * time.Millisecond

const (
	window          = time.Minute
	awayPause       = time.Second      // how long no request is sent to Redis after Redis did not answer
	announceEvery   = 10 * time.Second // how often a process announces itself
	processLifetime = 30 * time.Second // time without an announcement after which a process is no longer counted as alive
)

// Window is the state of a window after a call was counted.
type Window struct {
	Limit     int
	Remaining int
	Reset     time.Duration // time until the window restarts
	Over      bool          // the call is beyond the limit
}

// Rates counts the calls of all processes of the install in fixed windows, usually of one minute. A window begins with its first
// call. While Redis cannot be reached, each process counts on its own, with an equal share of the limit.
type Rates struct {
	client  redis.UniversalClient
	prefix  string
	timeout time.Duration
	name    string // name of this process

	mu        sync.Mutex
	processes int
	announced time.Time
	awayUntil time.Time
	local     map[string]*localWindow // windows that this process counts while Redis is away
}

type localWindow struct {
	count int
	ends  time.Time
}

// NewRates returns a counter. A nil client means that there is no Redis. prefix is put before every key, so that tests can share
// a server. A server that does not answer within `timeout` counts as unreachable.
func NewRates(client redis.UniversalClient, prefix string, timeout time.Duration) *Rates {
	return &Rates{
		client: client, prefix: prefix, timeout: timeout, name: rand.Text(), processes: 1, local: map[string]*localWindow{},
	}
}

// allowScript counts a call. KEYS[1] is the window's counter. ARGV[1] is the window's length in milliseconds. It returns {calls
// in this window, including this call; milliseconds until the window ends}. A counter without an expiry time gets one again, so
// that no account stays locked out.
var allowScript = redis.NewScript(`
local n = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if n == 1 or left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {n, left}`)

// Allow counts a call of an account. It never fails.
func (r *Rates) Allow(ctx context.Context, account string, limit int) Window {
	return r.AllowWithin(ctx, account, limit, window)
}

// AllowWithin counts a call in the window with the given name and length.
func (r *Rates) AllowWithin(ctx context.Context, name string, limit int, length time.Duration) Window {
	if res, ok := r.run(ctx, allowScript, name, length.Milliseconds()); ok {
		return windowOf(int(res[0]), limit, time.Duration(res[1])*time.Millisecond)
	}
	return r.countLocally(name, limit, time.Now(), length)
}

// Uncount removes a call from its window, for a limit of failed calls. Each call is counted before its success is known, so that
// many concurrent calls cannot all pass. Uncount never fails. A call that cannot be removed stays counted.
func (r *Rates) Uncount(ctx context.Context, name string) {
	if _, ok := r.run(ctx, uncountScript, name); ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if w := r.local[name]; w != nil && w.count > 0 {
		w.count--
	}
}

// uncountScript removes a call. KEYS[1] is the window's counter. It returns {calls that are still counted}, or {0} for a window
// that has ended.
var uncountScript = redis.NewScript(`
local n = tonumber(redis.call('GET', KEYS[1]) or '0')
if n > 0 then
  n = redis.call('DECR', KEYS[1])
end
return {n}`)

func (r *Rates) run(ctx context.Context, script *redis.Script, name string, args ...any) (res []int64, ok bool) {
	if !r.reachable() {
		return nil, false
	}
	limited, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	res, err := script.Run(limited, r.client, []string{r.prefix + "rate:" + name}, args...).Int64Slice()
	if err == nil {
		r.announce(limited)
	} else if ctx.Err() == nil {
		r.recordFailure(ctx, fmt.Errorf("kv: rate window: %w", err))
	}
	return res, err == nil
}

func windowOf(count, limit int, left time.Duration) Window {
	return Window{Limit: limit, Remaining: max(0, limit-count), Reset: left, Over: count > limit}
}

func (r *Rates) countLocally(name string, limit int, now time.Time, length time.Duration) Window {
	r.mu.Lock()
	defer r.mu.Unlock()
	share := max(1, limit/r.processes)
	w := r.local[name]
	if w == nil || !now.Before(w.ends) {
		r.evictEnded(now)
		w = &localWindow{ends: now.Add(length)}
		r.local[name] = w
	}
	w.count++
	return windowOf(w.count, share, w.ends.Sub(now))
}

func (r *Rates) evictEnded(now time.Time) {
	for name, w := range r.local {
		if !now.Before(w.ends) {
			delete(r.local, name)
		}
	}
}

func (r *Rates) reachable() bool {
	if r.client == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().After(r.awayUntil)
}

func (r *Rates) recordFailure(ctx context.Context, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.awayUntil = time.Now().Add(awayPause)
	slog.WarnContext(ctx, "calls are counted for the rate limit in this process only", "error", err)
}

// announce records, at most once per announceEvery, that this process is alive, and counts the live processes. Failures are
// ignored.
func (r *Rates) announce(ctx context.Context) {
	now := time.Now()
	r.mu.Lock()
	due := now.Sub(r.announced) >= announceEvery
	if due {
		r.announced = now
	}
	r.mu.Unlock()
	if !due {
		return
	}
	key := r.prefix + "rate-processes"
	pipe := r.client.Pipeline()
	pipe.ZAdd(ctx, key, redis.Z{Score: float64(now.UnixMilli()), Member: r.name})
	pipe.ZRemRangeByScore(ctx, key, "-inf", strconv.FormatInt(now.Add(-processLifetime).UnixMilli(), 10))
	alive := pipe.ZCard(ctx, key)
	pipe.PExpire(ctx, key, 2*processLifetime)
	if _, err := pipe.Exec(ctx); err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.processes = max(1, int(alive.Val()))
}

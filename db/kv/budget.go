package kv

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Budget limits the calls of one provider over all processes of the install: at most Burst at once, and one more after
// each Interval. In any time t there are at most Burst + t/Interval.
//
// While Redis is away it allows every call: jobs come by Redis, so there are few, and the provider's own limit holds.
type Budget struct {
	o BudgetOptions

	mu     sync.Mutex
	paused time.Time // nothing is allowed before, as far as this process knows
}

// BudgetOptions of NewBudget. All are required but Prefix.
type BudgetOptions struct {
	Client   redis.UniversalClient
	Prefix   string // goes before the key, so that tests share a server
	Name     string // of the provider
	Burst    int
	Interval time.Duration
	Timeout  time.Duration // after which Redis counts as away
}

// NewBudget makes a Budget.
func NewBudget(o BudgetOptions) *Budget { return &Budget{o: o} }

// takeScript takes one call. KEYS[1] when the budget is full again, in milliseconds of the server's clock; ARGV[1] the
// interval in milliseconds; ARGV[2] how many calls may be ahead of the interval. Returns 0, or for how many milliseconds
// to wait.
var takeScript = redis.NewScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local wait = full - now - (ARGV[2] - 1) * ARGV[1]
if wait > 0 then return math.ceil(wait) end
full = full + ARGV[1]
redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now))
return 0`)

// pauseScript forbids calls for some time. KEYS[1] as of takeScript; ARGV[1] for how many milliseconds until the budget is
// full again.
var pauseScript = redis.NewScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now + ARGV[1])
redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now))
return 0`)

// Take takes one call and leaves at least leave calls of the burst to others. It returns 0, or how long to wait before asking
// again.
func (b *Budget) Take(ctx context.Context, leave int) (wait time.Duration) {
	if wait = b.pausedFor(time.Now()); wait > 0 {
		return wait
	}
	interval := strconv.FormatFloat(float64(b.o.Interval)/float64(time.Millisecond), 'f', 3, 64)
	ms, err := b.run(ctx, takeScript, interval, max(b.o.Burst-leave, 1))
	if err != nil {
		slog.WarnContext(ctx, "calls of a provider are not counted", "provider", b.o.Name, "error", err)
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// Pause allows no call for the time d, because the provider said so. After it the calls come one after another.
func (b *Budget) Pause(ctx context.Context, d time.Duration) {
	b.mu.Lock()
	if until := time.Now().Add(d); until.After(b.paused) {
		b.paused = until
	}
	b.mu.Unlock()
	empty := d + time.Duration(b.o.Burst-1)*b.o.Interval
	if _, err := b.run(ctx, pauseScript, empty.Milliseconds()); err != nil {
		slog.WarnContext(ctx, "other processes are not told of a provider's pause", "provider", b.o.Name, "error", err)
	}
}

func (b *Budget) pausedFor(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.paused.Sub(now)
}

func (b *Budget) run(ctx context.Context, script *redis.Script, args ...any) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, b.o.Timeout)
	defer cancel()
	n, err := script.Run(ctx, b.o.Client, []string{b.o.Prefix + "budget:" + b.o.Name}, args...).Int64()
	if err != nil {
		return 0, fmt.Errorf("kv: budget: %w", err)
	}
	return n, nil
}

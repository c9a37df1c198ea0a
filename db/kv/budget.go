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

// Budget limits the calls that all processes of the install make to a provider. A full budget allows Burst calls without a pause
// between them. Each Interval adds one call, until the budget is full.
//
// While Redis cannot be reached, Budget allows every call, except during a pause that was set in this process. There are few
// calls at that time, because jobs come through Redis.
type Budget struct {
	o BudgetOptions

	mu     sync.Mutex
	paused time.Time // end of the longest pause that this process has set
}

// BudgetOptions are the options of NewBudget. All but Prefix are required.
type BudgetOptions struct {
	Client   redis.UniversalClient
	Prefix   string // prefix of the key, so that tests can share a server
	Name     string // name of the provider
	Burst    int
	Interval time.Duration
	Timeout  time.Duration // after this time without an answer, Redis counts as unreachable
}

// NewBudget returns a Budget.
func NewBudget(o BudgetOptions) *Budget { return &Budget{o: o} }

// budgetScript counts a call. KEYS[1] is the time when the budget is full again, in milliseconds of the server's clock. ARGV[1]
// is the interval in milliseconds. ARGV[2] is the number of calls of a full budget, without the reserved calls. It returns 0, or
// the milliseconds to wait.
var budgetScript = redis.NewScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local wait = full - now - (ARGV[2] - 1) * ARGV[1]
if wait > 0 then return math.ceil(wait) end
full = full + ARGV[1]
redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now))
return 0`)

// pauseScript forbids calls for some time. KEYS[1] is the same as in budgetScript. ARGV[1] is the number of milliseconds until
// the budget is full again.
var pauseScript = redis.NewScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now + ARGV[1])
redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now))
return 0`)

// Allow counts a call and returns 0. reserved is the number of calls of the burst that must be left for other callers. If fewer
// would be left, Allow counts nothing and returns the time to wait before the next try.
func (b *Budget) Allow(ctx context.Context, reserved int) (wait time.Duration) {
	if wait = b.pausedFor(time.Now()); wait > 0 {
		return wait
	}
	interval := strconv.FormatFloat(float64(b.o.Interval)/float64(time.Millisecond), 'f', 3, 64)
	ms, err := b.run(ctx, budgetScript, interval, max(b.o.Burst-reserved, 1))
	if err != nil {
		slog.WarnContext(ctx, "calls to a provider are not counted", "provider", b.o.Name, "error", err)
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// Pause forbids calls for the time d, because the provider requested it. After d, one call is allowed in each interval.
func (b *Budget) Pause(ctx context.Context, d time.Duration) {
	b.mu.Lock()
	if until := time.Now().Add(d); until.After(b.paused) {
		b.paused = until
	}
	b.mu.Unlock()
	empty := d + time.Duration(b.o.Burst-1)*b.o.Interval
	if _, err := b.run(ctx, pauseScript, empty.Milliseconds()); err != nil {
		slog.WarnContext(ctx, "other processes do not know that a provider requested a pause", "provider", b.o.Name, "error", err)
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

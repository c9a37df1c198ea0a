// Package kv holds what lives in Redis and may be lost at any moment: the rate limit's windows.
package kv

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Wait is how long Redis is waited for where a visitor or a caller waits.
const Wait = 250 * time.Millisecond

const (
	window      = time.Minute
	redisPause  = time.Second      // how long it is not asked again after that
	announce    = 10 * time.Second // how often a process says that it lives
	forgetAfter = 30 * time.Second // when a silent process no longer counts
)

// Take is the state of a window after a call was counted.
type Take struct {
	Limit     int
	Remaining int
	Reset     time.Duration // until the window restarts
	Over      bool          // the call is beyond the limit
}

// Rates counts calls in fixed one-minute windows, exactly over all processes of the install. A window begins with its
// first call. If Redis is away each process counts for itself, with its share of the limit: the limit divided by the
// processes that were alive when Redis was last heard.
type Rates struct {
	client redis.UniversalClient
	prefix string
	wait   time.Duration
	name   string // of this process

	mu        sync.Mutex
	processes int
	announced time.Time
	awayUntil time.Time
	local     map[string]*localWindow
}

type localWindow struct {
	count int
	ends  time.Time
}

// OpenRates makes the counter on the server that a redis:// URL names, without connecting yet; an empty URL means that
// there is none. Prefix goes before every Redis key, so that tests share a server; "" in production. A server that has
// not answered after wait counts as away.
func OpenRates(url, prefix string, wait time.Duration) (*Rates, error) {
	client, err := connect(url, wait)
	if err != nil {
		return nil, err
	}
	return &Rates{
		client: client, prefix: prefix, wait: wait, name: rand.Text(), processes: 1, local: map[string]*localWindow{},
	}, nil
}

// connect gives nil for an empty URL. ?master_name= and ?addr= name sentinels and the nodes of a cluster.
func connect(address string, wait time.Duration) (redis.UniversalClient, error) {
	if address == "" {
		return nil, nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("kv: REDIS_URL is not a URL") // the error of url.Parse would repeat the password
	}
	switch query := u.Query(); {
	case query.Has("master_name"):
		o, err := redis.ParseFailoverURL(address)
		if err != nil {
			return nil, fmt.Errorf("kv: REDIS_URL: %w", err)
		}
		o.MaxRetries, o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.ContextTimeoutEnabled = -1, wait, wait, wait, true
		return redis.NewFailoverClient(o), nil
	case query.Has("addr"):
		o, err := redis.ParseClusterURL(address)
		if err != nil {
			return nil, fmt.Errorf("kv: REDIS_URL: %w", err)
		}
		o.MaxRetries, o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.ContextTimeoutEnabled = -1, wait, wait, wait, true
		return redis.NewClusterClient(o), nil
	}
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, fmt.Errorf("kv: REDIS_URL: %w", err)
	}
	o.MaxRetries, o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.ContextTimeoutEnabled = -1, wait, wait, wait, true
	o.DialerRetries = 1
	return redis.NewClient(o), nil
}

// Close ends the connections.
func (r *Rates) Close() error {
	if r.client == nil {
		return nil
	}
	return r.client.Close()
}

// takeScript counts one call.
// KEYS[1] the window's counter; ARGV[1] the window's length in milliseconds.
// Returns {calls in this window with this one, milliseconds until it ends}.
// A counter that lost its end of life gets one again, so that no account stays locked out.
var takeScript = redis.NewScript(`
local n = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if n == 1 or left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {n, left}`)

// Take counts one call of an account. It never fails.
func (r *Rates) Take(ctx context.Context, account string, limit int) Take {
	if r.reachable() {
		take, err := r.shared(ctx, account, limit)
		if err == nil {
			return take
		}
		if ctx.Err() == nil {
			r.lost(ctx, err)
		}
	}
	return r.own(account, limit, time.Now())
}

func (r *Rates) shared(ctx context.Context, account string, limit int) (Take, error) {
	ctx, cancel := context.WithTimeout(ctx, r.wait)
	defer cancel()
	res, err := takeScript.Run(ctx, r.client, []string{r.prefix + "rate:" + account}, window.Milliseconds()).Int64Slice()
	if err != nil {
		return Take{}, fmt.Errorf("kv: rate window: %w", err)
	}
	r.announce(ctx)
	return take(int(res[0]), limit, time.Duration(res[1])*time.Millisecond), nil
}

func take(count, limit int, left time.Duration) Take {
	return Take{Limit: limit, Remaining: max(0, limit-count), Reset: left, Over: count > limit}
}

// own counts in this process alone.
func (r *Rates) own(account string, limit int, now time.Time) Take {
	r.mu.Lock()
	defer r.mu.Unlock()
	share := max(1, limit/r.processes)
	w := r.local[account]
	if w == nil || !now.Before(w.ends) {
		r.sweep(now)
		w = &localWindow{ends: now.Add(window)}
		r.local[account] = w
	}
	w.count++
	return take(w.count, share, w.ends.Sub(now))
}

// sweep drops windows that ended, so that the map does not grow with every account ever seen.
func (r *Rates) sweep(now time.Time) {
	for account, w := range r.local {
		if !now.Before(w.ends) {
			delete(r.local, account)
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

func (r *Rates) lost(ctx context.Context, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.awayUntil = time.Now().Add(redisPause)
	slog.WarnContext(ctx, "rate limit counts in this process alone", "error", err)
}

// announce says now and then that this process lives, and learns how many do. A failure is left for the next time.
func (r *Rates) announce(ctx context.Context) {
	now := time.Now()
	r.mu.Lock()
	due := now.Sub(r.announced) >= announce
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
	pipe.ZRemRangeByScore(ctx, key, "-inf", strconv.FormatInt(now.Add(-forgetAfter).UnixMilli(), 10))
	alive := pipe.ZCard(ctx, key)
	pipe.PExpire(ctx, key, 2*forgetAfter)
	if _, err := pipe.Exec(ctx); err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.processes = max(1, int(alive.Val()))
}

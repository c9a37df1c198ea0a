package kv

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// capRetention is how long the counter of a day is kept after the last count. It is longer than a day in any time zone.
const capRetention = 48 * time.Hour

// ErrAway is the error of a call that sent no request, because Redis is not configured or did not answer a moment ago.
var ErrAway = errors.New("kv: redis is away")

// Caps counts the events of daily caps, over all processes of the install.
type Caps struct {
	client    redis.UniversalClient
	prefix    string
	timeout   time.Duration
	awayUntil atomic.Int64 // Unix nanoseconds
}

// NewCaps returns a counter. NewRates explains the parameters.
func NewCaps(client redis.UniversalClient, prefix string, timeout time.Duration) *Caps {
	return &Caps{client: client, prefix: prefix, timeout: timeout}
}

// Close closes the client.
func (c *Caps) Close() error {
	if c.client == nil {
		return nil
	}
	return c.client.Close()
}

// capScript adds a number to a counter, and then counts one more event if the limit leaves room. KEYS[1] is the counter. ARGV[1]
// is the number to add, ARGV[2] the minimum of the counter, ARGV[3] the limit (0: count no further event), and ARGV[4] the
// seconds until the counter expires. It returns {the counter, 1 if a further event was counted}.
var capScript = redis.NewScript(`
local n = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), tonumber(ARGV[2])) + tonumber(ARGV[1])
local taken = 0
if n < tonumber(ARGV[3]) then
  n, taken = n + 1, 1
end
redis.call('SET', KEYS[1], string.format('%d', n), 'EX', ARGV[4])
return {n, taken}`)

// Reserve updates the count of a key that all processes share. It raises the count to at least floor, because Redis may have lost
// the counter. It adds the events that only this process has counted. Then, if the limit leaves room, it counts one more event, and
// taken is true. It returns the new count. ErrAway means that nothing was counted. After any other error, the events may have been
// counted.
func (c *Caps) Reserve(ctx context.Context, key string, add, floor, limit int) (total int, taken bool, err error) {
	if c.client == nil || time.Now().UnixNano() < c.awayUntil.Load() {
		return 0, false, ErrAway
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	res, err := capScript.Run(ctx, c.client, []string{c.prefix + "cap:" + key}, add, floor, limit,
		int(capRetention/time.Second)).Int64Slice()
	if err != nil {
		c.awayUntil.Store(time.Now().Add(awayPause).UnixNano())
		slog.WarnContext(ctx, "daily caps are counted in this process only", "error", err)
		return 0, false, fmt.Errorf("kv: daily cap: %w", err)
	}
	return int(res[0]), res[1] == 1, nil
}

package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Redis is the one client of a process.
type Redis = redis.UniversalClient

// clientLog keeps what the Redis client says of its connections out of the standard error: the calls that fail tell.
type clientLog struct{}

// Printf implements the logger of go-redis.
func (clientLog) Printf(ctx context.Context, format string, args ...any) {
	slog.DebugContext(ctx, "redis client", "text", fmt.Sprintf(format, args...))
}

var logOnce = sync.OnceFunc(func() { redis.SetLogger(clientLog{}) })

// OpenRedis makes the one client of a process. It does not connect. The URL is redis://, rediss:// (TLS; with
// ?skip_verify=true for a self-signed certificate) or unix://; ?addr=host:port names further nodes of a
// cluster, ?master_name= the master that the sentinels at the URL's addresses watch. Features that managed servers stumble over are off.
func OpenRedis(address string) (redis.UniversalClient, error) {
	logOnce()
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("jobs: REDIS_URL is not a URL") // the error of url.Parse would repeat the password
	}
	switch query := u.Query(); {
	case query.Has("master_name"):
		o, err := redis.ParseFailoverURL(address)
		if err != nil {
			return nil, fmt.Errorf("jobs: REDIS_URL: %w", err)
		}
		o.DisableIdentity = true
		return redis.NewFailoverClient(o), nil
	case query.Has("addr"):
		o, err := redis.ParseClusterURL(address)
		if err != nil {
			return nil, fmt.Errorf("jobs: REDIS_URL: %w", err)
		}
		o.DisableIdentity = true
		o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
		return redis.NewClusterClient(o), nil
	}
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, fmt.Errorf("jobs: REDIS_URL: %w", err)
	}
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(o), nil
}

// ErrEvicts is a Redis server that throws keys away when it is full.
var ErrEvicts = errors.New("redis may evict keys: set maxmemory-policy to noeviction, or queued tasks vanish under load")

// ErrFull is a Redis server that takes no tasks because its memory is used up.
var ErrFull = errors.New("redis is full: raise maxmemory; jobs with rows wait in postgresql until then")

// CheckRedis reaches the server. One that evicts is ErrEvicts, one that takes nothing any more ErrFull.
func CheckRedis(ctx context.Context, r redis.UniversalClient) error {
	info, err := r.Info(ctx, "memory").Result()
	if err != nil {
		return fmt.Errorf("jobs: redis: %w", err)
	}
	memory := map[string]string{}
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		memory[name] = value
	}
	limit, _ := strconv.ParseInt(memory["maxmemory"], 10, 64)
	used, _ := strconv.ParseInt(memory["used_memory"], 10, 64)
	switch policy := memory["maxmemory_policy"]; {
	case limit == 0: // without a limit nothing is ever evicted
		return nil
	case policy != "" && policy != "noeviction":
		return fmt.Errorf("%w (now %s)", ErrEvicts, policy)
	case used >= limit:
		return ErrFull
	}
	return nil
}

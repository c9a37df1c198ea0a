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
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Redis is a client of the Redis server, for packages that do not import its library.
type Redis = redis.UniversalClient

// clientLog writes the Redis client's messages about its connections to the log, at the debug level. Failures of calls are logged
// by the caller.
type clientLog struct{}

// Printf implements the logger of go-redis.
func (clientLog) Printf(ctx context.Context, format string, args ...any) {
	slog.DebugContext(ctx, "redis client", "text", fmt.Sprintf(format, args...))
}

var logOnce = sync.OnceFunc(func() { redis.SetLogger(clientLog{}) })

// OpenRedis returns the Redis client of a process, without connecting. The address is redis://, rediss:// (TLS; with
// ?skip_verify=true for a self-signed certificate) or unix://. ?addr=host:port names further nodes of a cluster. With
// ?master_name=, the address and ?addr= are Sentinels that watch this master. The password of the URL is then for the servers,
// and ?sentinel_password= is for the Sentinels. Features that managed servers refuse are off.
func OpenRedis(address string) (Redis, error) { return OpenRedisTimeout(address, 0) }

// OpenRedisTimeout does the same as OpenRedis for calls for which a user waits. A call ends with its context or after the
// timeout, and is not repeated. If timeout is zero, the timeouts and retries of the Redis library apply.
func OpenRedisTimeout(address string, timeout time.Duration) (Redis, error) {
	logOnce()
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("jobs: REDIS_URL is not a URL") // the error of url.Parse would repeat the password
	}
	failFast := func(retries *int, withContext *bool, timeouts ...*time.Duration) {
		if timeout == 0 {
			return
		}
		*retries, *withContext = -1, true
		for _, t := range timeouts {
			*t = timeout
		}
	}
	switch query := u.Query(); {
	case query.Has("master_name"):
		o, err := sentinelOptions(*u)
		if err != nil {
			return nil, err
		}
		failFast(&o.MaxRetries, &o.ContextTimeoutEnabled, &o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout)
		return redis.NewFailoverClient(o), nil
	case query.Has("addr"):
		o, err := redis.ParseClusterURL(address)
		if err != nil {
			return nil, fmt.Errorf("jobs: REDIS_URL: %w", err)
		}
		o.DisableIdentity = true
		o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
		failFast(&o.MaxRetries, &o.ContextTimeoutEnabled, &o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout)
		return redis.NewClusterClient(o), nil
	}
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, fmt.Errorf("jobs: REDIS_URL: %w", err)
	}
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	failFast(&o.MaxRetries, &o.ContextTimeoutEnabled, &o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout)
	if timeout > 0 {
		o.DialerRetries = 1
	}
	return redis.NewClient(o), nil
}

// sentinelOptions reads a URL with master_name. The library would use the name and password of the URL for the Sentinels. They
// are for the servers.
func sentinelOptions(u url.URL) (*redis.FailoverOptions, error) {
	query := u.Query()
	name, password := query.Get("sentinel_username"), query.Get("sentinel_password")
	query.Del("sentinel_username")
	query.Del("sentinel_password")
	servers := u.User
	u.User, u.RawQuery = nil, query.Encode()
	o, err := redis.ParseFailoverURL(u.String())
	if err != nil {
		return nil, fmt.Errorf("jobs: REDIS_URL: %w", err)
	}
	o.SentinelUsername, o.SentinelPassword = name, password
	if servers != nil {
		o.Username = servers.Username()
		o.Password, _ = servers.Password()
	}
	o.DisableIdentity = true
	return o, nil
}

// ErrEvicts means that the Redis server deletes keys when it is full.
var ErrEvicts = errors.New("redis may evict keys: set maxmemory-policy to noeviction, or queued tasks vanish under load")

// ErrFull means that the Redis server has no memory left for tasks.
var ErrFull = errors.New("redis is full: raise maxmemory; jobs with rows wait in postgresql until then")

// CheckRedis checks that the server answers and can hold tasks. Errors: ErrEvicts, ErrFull.
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

package jobs

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Redis is the one client of a process.
type Redis = redis.UniversalClient

// OpenRedis makes the one client of a process. It does not connect. The URL is redis://, rediss:// (TLS; with
// ?skip_verify=true for a self-signed certificate) or unix://; ?addr=host:port names further nodes of a
// cluster, ?master_name= the master that the sentinels at the URL's addresses watch. Features that managed servers stumble over are off.
func OpenRedis(address string) (redis.UniversalClient, error) {
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

// CheckRedis reaches the server and refuses one that evicts with ErrEvicts.
func CheckRedis(ctx context.Context, r redis.UniversalClient) error {
	info, err := r.Info(ctx, "memory").Result()
	if err != nil {
		return fmt.Errorf("jobs: redis: %w", err)
	}
	if strings.Contains(info, "\nmaxmemory:0\r") {
		return nil // without a limit nothing is ever evicted
	}
	for line := range strings.Lines(info) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(line), "maxmemory_policy:"); ok && p != "noeviction" {
			return fmt.Errorf("%w (now %s)", ErrEvicts, p)
		}
	}
	return nil
}

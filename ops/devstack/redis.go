package devstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"switchyard/jobs"
	"switchyard/ops/client"
)

// The data is in home/redis, and the log is next to it.
type redis struct{ home *home }

func (r *redis) name() string { return "Redis" }
func (r *redis) dir() string  { return r.home.file("redis") }

func (r *redis) url() string {
	u := url.URL{
		Scheme: "redis", User: url.UserPassword("default", r.home.state.RedisPassword),
		Host: r.address(), Path: "/0",
	}
	return u.String()
}

func (r *redis) address() string { return "127.0.0.1:" + strconv.Itoa(r.home.state.RedisPort) }

// client returns a client for the program that listens on the port, which might be another program than Redis. The caller
// closes the client.
func (r *redis) client() (jobs.Redis, error) { return jobs.OpenRedisTimeout(r.url(), time.Minute) }

func (r *redis) check(question func(jobs.Redis) bool) bool {
	c, err := r.client()
	if err != nil {
		return false
	}
	defer func() { _ = c.Close() }()
	return question(c)
}

var errEnded = errors.New("no reason given")

// Nothing is evicted, because queued jobs are not a cache. Except in tests, the append-only file is synced every second. It does
// no harm if Redis loses its last second, because each job that must run is also a row in PostgreSQL.
func (r *redis) settings() string {
	lines := []string{
		"bind 127.0.0.1",
		"port " + strconv.Itoa(r.home.state.RedisPort),
		"requirepass " + r.home.state.RedisPassword,
		`dir "` + r.dir() + `"`,
		`logfile "` + r.home.file("redis.log") + `"`,
		"daemonize no",
		"maxmemory-policy noeviction",
		"databases 16",
	}
	if r.home.opts.Test {
		lines = append(lines, "appendonly no", `save ""`, "databases 1024")
	} else {
		lines = append(lines, "appendonly yes", "appendfsync everysec")
	}
	return strings.Join(lines, "\n") + "\n"
}

func (r *redis) running(ctx context.Context) bool {
	if r.home.state.RedisPort == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second) // another program on the port may never answer
	defer cancel()
	return r.check(func(c jobs.Redis) bool { return sameFile(c.ConfigGet(ctx, "dir").Val()["dir"], r.dir()) })
}

// loaded reports whether Redis has read its file. Until then it refuses most commands.
func (r *redis) loaded(ctx context.Context) bool {
	return r.check(func(c jobs.Redis) bool { return c.Ping(ctx).Err() == nil })
}

func (r *redis) start(ctx context.Context) error {
	h := r.home
	bin, ok := redisTool.Find()
	if !ok {
		return errors.New("its program has vanished; try again")
	}
	if err := os.Mkdir(r.dir(), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := h.acct.chown(r.dir()); err != nil {
		return err
	}
	if err := h.choosePort(&h.state.RedisPort); err != nil {
		return err
	}
	if err := h.write("redis.conf", []byte(r.settings())); err != nil {
		return err
	}
	h.logf("starting Redis on %s", r.address())
	// Redis must outlive the caller, so no context kills it.
	cmd := h.acct.command(context.WithoutCancel(ctx), h.dir, bin, h.file("redis.conf"))
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for !r.running(ctx) || !r.loaded(ctx) {
		select {
		case err := <-ended:
			return fmt.Errorf("%s ended at once: %w\n%s", filepath.Base(bin), cmp.Or(err, errEnded), h.logTail("redis.log"))
		case <-ctx.Done():
			return fmt.Errorf("no answer on %s: %w\n%s", r.address(), ctx.Err(), h.logTail("redis.log"))
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

func (r *redis) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c, err := r.client()
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := c.Shutdown(ctx).Err(); err != nil {
		return err
	}
	return client.Poll(ctx, 50*time.Millisecond, func() (bool, error) { return !r.running(ctx), nil })
}

package jobstest

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"switchyard/jobs"
)

// Redis starts a private, empty server on a socket and gives a client of it; both end with the test. A server of its
// own, because the names of asynq's keys are fixed, and so that a test may empty or stop it. Under -short the test is
// skipped.
func Redis(t testing.TB) redis.UniversalClient {
	t.Helper()
	r, err := jobs.OpenRedis(RedisURL(t))
	if err != nil {
		t.Fatalf("jobstest: %v", err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// RedisURL is Redis for a test that makes clients of its own.
func RedisURL(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Redis, skipped by -short")
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "r")
	cmd := exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--dir", dir, //nolint:noctx // ended below
		"--save", "", "--appendonly", "no")
	if err := cmd.Start(); err != nil {
		t.Fatalf("jobstest: %v: run `make test`, which installs it", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	url := "unix://" + socket
	await(t, url)
	return url
}

func await(t testing.TB, url string) {
	t.Helper()
	r, err := jobs.OpenRedis(url)
	if err != nil {
		t.Fatalf("jobstest: %v", err)
	}
	defer r.Close() //nolint:errcheck // nothing was written
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for r.Ping(ctx).Err() != nil {
		select {
		case <-ctx.Done():
			t.Fatal("jobstest: redis-server does not answer")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

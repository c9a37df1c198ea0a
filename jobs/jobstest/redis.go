package jobstest

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/redis/go-redis/v9"

	"switchyard/jobs"
	"switchyard/models/await"
)

// Redis starts a private, empty server on a Unix socket and returns a client of it. Each test has its own server, because the
// names of asynq's keys are fixed. With -short, the test is skipped.
func Redis(tb testing.TB) redis.UniversalClient {
	tb.Helper()
	r, err := jobs.OpenRedis(RedisURL(tb))
	if err != nil {
		tb.Fatalf("jobstest: %v", err)
	}
	tb.Cleanup(func() { _ = r.Close() })
	return r
}

// RedisURL starts a private, empty server on a Unix socket and returns its URL, for a test that makes its own clients.
func RedisURL(tb testing.TB) string {
	tb.Helper()
	if testing.Short() {
		tb.Skip("needs Redis, skipped by -short")
	}
	dir := tb.TempDir()
	socket := filepath.Join(dir, "r")
	cmd := exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--dir", dir, //nolint:noctx // ended below
		"--save", "", "--appendonly", "no")
	if err := cmd.Start(); err != nil {
		tb.Fatalf("jobstest: %v: run `make test`, which installs it", err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	url := "unix://" + socket
	ping(tb, url)
	return url
}

func ping(tb testing.TB, url string) {
	tb.Helper()
	r, err := jobs.OpenRedis(url)
	if err != nil {
		tb.Fatalf("jobstest: %v", err)
	}
	defer r.Close() //nolint:errcheck // nothing was written
	await.Until(tb, "redis-server answers", func() bool { return r.Ping(tb.Context()).Err() == nil })
}

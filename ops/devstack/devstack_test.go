package devstack

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"switchyard/models/await"
)

// TestLife takes one set of real servers through starts, crashes and stops.
func TestLife(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs PostgreSQL and Redis, skipped by -short")
	}
	opts := Options{DataDir: dataDir(t), Test: true, Out: t.Output()}
	t.Cleanup(func() {
		if err := Stop(context.WithoutCancel(t.Context()), opts); err != nil {
			t.Error(err)
		}
	})
	first := ensure(t, opts)
	write(t, opts)

	steps := []struct {
		name string
		do   func()
	}{
		{"nothing", func() {}},
		{"stop", func() { must(t, Stop(t.Context(), opts)) }},
		{"kill -9 of both servers", func() { kill(t, opts) }},
		{"the server's process id now belongs to another program", func() {
			kill(t, opts)
			replacePID(t, opts, os.Getpid())
		}},
	}
	for _, step := range steps {
		step.do()
		if again := ensure(t, opts); again != first {
			t.Errorf("after %s: %+v, want the same servers as before", step.name, again)
		}
		read(t, opts, step.name)
	}

	// Only this step may change the addresses: other programs listen on both ports.
	must(t, Stop(t.Context(), opts))
	h := open(t, opts)
	h.unlock()
	occupy(t, h.state.PostgresPort)
	occupy(t, h.state.RedisPort)
	if moved := ensure(t, opts); moved.DatabaseURL == first.DatabaseURL || moved.RedisURL == first.RedisURL {
		t.Errorf("the servers kept a port on which another program listens: %+v", moved)
	}
	read(t, opts, "a move to other ports")
}

// TestUse checks that servers which Use started run until their last user releases them, and that servers which Ensure started run
// until Stop.
func TestUse(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Redis, skipped by -short")
	}
	opts := Options{DataDir: dataDir(t), Test: true, NoPostgres: true, Out: t.Output()}
	running := func() bool {
		h := open(t, opts)
		defer h.unlock()
		return (&redis{home: h}).running(t.Context())
	}
	servers, releaseA, err := Use(t.Context(), opts)
	must(t, err)
	if servers.DatabaseURL != "" || servers.RedisURL == "" {
		t.Fatalf("servers = %+v, want Redis alone", servers)
	}
	same, releaseB, err := Use(t.Context(), opts)
	must(t, err)
	if same != servers {
		t.Errorf("the second user got %+v, want %+v", same, servers)
	}
	must(t, releaseA(t.Context()))
	if !running() {
		t.Error("Redis was stopped while it still had a user")
	}
	must(t, releaseB(t.Context()))
	if running() {
		t.Error("Redis still runs after its last user released it")
	}

	ensure(t, opts)
	_, release, err := Use(t.Context(), opts)
	must(t, err)
	must(t, release(t.Context()))
	if !running() {
		t.Error("the server that Ensure had started was stopped when its last user released it")
	}
	must(t, Stop(t.Context(), opts))
	if running() {
		t.Error("Redis still runs after Stop")
	}
}

// TestPlaceElsewhere: if the caller is root and the system user that runs the servers cannot reach the data directory, the
// servers' files are placed below /var/tmp.
func TestPlaceElsewhere(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root's servers run as another system user")
	}
	closed := filepath.Join(t.TempDir(), "closed")
	must(t, os.Mkdir(closed, 0o700))
	var said strings.Builder
	var dirs []string
	for range 2 {
		h, err := openHome(t.Context(), Options{DataDir: filepath.Join(closed, "data"), Out: &said})
		must(t, err)
		h.unlock()
		dirs = append(dirs, h.dir)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dirs[0]) })
	if !strings.HasPrefix(dirs[0], "/var/tmp/switchyard-") || dirs[0] != dirs[1] {
		t.Errorf("placed in %v, want the same directory below /var/tmp twice", dirs)
	}
	if !strings.Contains(said.String(), dirs[0]) {
		t.Errorf("the output %q does not name the directory", said.String())
	}
}

// TestLockWaits: a second caller waits for the lock until its context ends.
func TestLockWaits(t *testing.T) {
	t.Parallel()
	opts := Options{DataDir: dataDir(t)}
	h := open(t, opts)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := openHome(ctx, opts); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("openHome of a locked directory returned %v, want it to wait until the deadline", err)
	}
	h.unlock()
	open(t, opts).unlock()
}

// TestFind: Find returns the newest program that is complete and new enough, and nothing if there is no such program.
func TestFind(t *testing.T) {
	t.Parallel()
	program := func(version string) string { return "#!/bin/sh\necho '" + version + "'\n" }
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"newest", map[string]string{
			"15/server": program("server (PostgreSQL) 15.18 (Debian)"), "15/init": "x",
			"17/server": program("server (PostgreSQL) 17.2"), "17/init": "x",
		}, "17/server"},
		{"incomplete", map[string]string{
			"15/server": program("server (PostgreSQL) 15.18"), "15/init": "x",
			"17/server": program("server (PostgreSQL) 17.2"),
		}, "15/server"},
		{"too old", map[string]string{"14/server": program("server (PostgreSQL) 14.9"), "14/init": "x"}, ""},
		{"not understood", map[string]string{"15/server": program("hello"), "15/init": "x"}, ""},
		{"missing", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for name, text := range tt.files {
				must(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
				must(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o755))
			}
			tl := Tool{Programs: []string{"server"}, Beside: []string{"init"}, Globs: []string{root + "/*"}, Min: 15}
			got, ok := tl.Find()
			if ok != (tt.want != "") || ok && got != filepath.Join(root, tt.want) {
				t.Errorf("Find returned %q, %v, want %q", got, ok, tt.want)
			}
		})
	}
}

func ensure(t *testing.T, opts Options) Servers {
	t.Helper()
	s, err := Ensure(t.Context(), opts)
	must(t, err)
	return s
}

// If the caller is root, the servers run as another system user, who can reach the directory too.
func dataDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	return dir
}

func open(t *testing.T, opts Options) *home {
	t.Helper()
	h, err := openHome(t.Context(), opts)
	must(t, err)
	return h
}

func cluster(t *testing.T, opts Options) (*postgres, func()) {
	t.Helper()
	h := open(t, opts)
	pg, err := existingPostgres(h)
	must(t, err)
	return pg, h.unlock
}

func write(t *testing.T, opts Options) {
	t.Helper()
	pg, done := cluster(t, opts)
	defer done()
	_, err := pg.query(t.Context(), dbName, "create table kept as select 42 as n; checkpoint")
	must(t, err)
}

func read(t *testing.T, opts Options, after string) {
	t.Helper()
	pg, done := cluster(t, opts)
	defer done()
	got, err := pg.query(t.Context(), dbName, "select n from kept")
	must(t, err)
	if got != "42" {
		t.Errorf("after %s: read %q, want 42", after, got)
	}
}

func kill(t *testing.T, opts Options) {
	t.Helper()
	pg, done := cluster(t, opts)
	defer done()
	rd := &redis{home: pg.home}
	client, err := rd.client()
	must(t, err)
	info, err := client.Info(t.Context(), "server").Result()
	must(t, errors.Join(err, client.Close()))
	_, after, _ := strings.Cut(info, "process_id:")
	redisPID, _, _ := strings.Cut(after, "\r\n")
	text, err := os.ReadFile(pg.pidFile())
	must(t, err)
	postgresPID, _, _ := strings.Cut(string(text), "\n")
	for _, pid := range []string{redisPID, postgresPID} {
		n, err := strconv.Atoi(pid)
		must(t, err)
		must(t, syscall.Kill(n, syscall.SIGKILL))
	}
	await.Until(t, "the ports are free", func() bool {
		return portFree(pg.home.state.PostgresPort) && portFree(pg.home.state.RedisPort)
	})
}

func replacePID(t *testing.T, opts Options, pid int) {
	t.Helper()
	pg, done := cluster(t, opts)
	defer done()
	text, err := os.ReadFile(pg.pidFile())
	must(t, err)
	_, rest, _ := strings.Cut(string(text), "\n")
	must(t, os.WriteFile(pg.pidFile(), []byte(strconv.Itoa(pid)+"\n"+rest), 0o600))
}

func occupy(t *testing.T, port int) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestPackagesOf: packagesOf joins the packages of several tools, or returns nothing if a tool has no package at the manager.
func TestPackagesOf(t *testing.T) {
	t.Parallel()
	compiler := Tool{Packages: map[string]string{"apt-get": "gcc libc6-dev"}}
	tests := []struct {
		manager string
		tools   []Tool
		want    string
	}{
		{"apt-get", []Tool{postgresTool, redisTool, compiler}, "postgresql redis-server gcc libc6-dev"},
		{"apk", []Tool{redisTool}, "redis"},
		{"brew", []Tool{redisTool, compiler}, ""},
		{"pacman", []Tool{redisTool}, ""},
	}
	for _, tt := range tests {
		if got := strings.Join(manager{name: tt.manager}.packagesOf(tt.tools), " "); got != tt.want {
			t.Errorf("packagesOf of %s returned %q, want %q", tt.manager, got, tt.want)
		}
	}
}

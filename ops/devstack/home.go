package devstack

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"switchyard/ops/client"
)

type home struct {
	opts  Options
	dir   string
	acct  account // the system user that runs the servers
	state state
	lock  *os.File
}

// state is the content of state.json, which has mode 0600 because of the passwords.
type state struct {
	PostgresPort     int    `json:"postgres_port"`
	PostgresPassword string `json:"postgres_password"`
	RedisPort        int    `json:"redis_port"`
	RedisPassword    string `json:"redis_password"`
}

// openHome waits for the lock of the directory. The caller must call unlock when done.
func openHome(ctx context.Context, opts Options) (*home, error) {
	if opts.DataDir == "" {
		return nil, errors.New("devstack: no data directory given; set DATA_DIR")
	}
	root, err := filepath.Abs(opts.DataDir)
	if err != nil {
		return nil, fmt.Errorf("devstack: data directory: %w", err)
	}
	name := "servers"
	if opts.Test {
		name = "test-servers"
	}
	h := &home{opts: opts}
	if err := h.place(ctx, root, name); err != nil {
		return nil, err
	}
	if err := h.acquireLock(ctx); err != nil {
		return nil, err
	}
	if err := h.load(); err != nil {
		h.unlock()
		return nil, err
	}
	return h, nil
}

// place chooses a directory that the system user of the servers can use: below the directory root if possible, otherwise below
// /var/tmp. The name below /var/tmp is derived from the arguments root and name, so that the next run finds the directory again.
func (h *home) place(ctx context.Context, root, name string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return fmt.Errorf("devstack: data directory %s: %w; set DATA_DIR to a directory that you can write to", root, err)
	}
	first := filepath.Join(root, name)
	acct, err := pickAccount(first)
	if err != nil {
		return err
	}
	h.acct, h.dir = acct, first
	if err = makeHome(ctx, acct, first); err == nil {
		return nil
	}
	if !acct.switched {
		return fmt.Errorf("devstack: %s cannot be used: %w; remove it or set DATA_DIR to another directory", first, err)
	}
	sum := sha256.Sum256([]byte(first))
	h.dir = filepath.Join("/var/tmp", "switchyard-"+hex.EncodeToString(sum[:6]))
	if h.acct, err = pickAccount(h.dir); err != nil {
		return err
	}
	if err := makeHome(ctx, h.acct, h.dir); err != nil {
		return fmt.Errorf("devstack: neither %s nor %s can hold the servers: %w; set DATA_DIR", first, h.dir, err)
	}
	_ = os.Remove(first) // succeeds only if it is empty; we put nothing there
	h.logf("%s is out of reach for the system user of the servers; their files are in %s", root, h.dir)
	return nil
}

func makeHome(ctx context.Context, acct account, dir string) error {
	if err := os.Mkdir(dir, 0o700); err == nil {
		if err := acct.chown(dir); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || st.Uid != acct.uid || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s is not a private directory of user id %d", dir, acct.uid)
	}
	if !acct.switched {
		return nil
	}
	cmd := acct.command(ctx, "/", "/bin/sh", "-c", `cd "$1" && test -w .`, "sh", dir)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("user id %d cannot write to %s: %w", acct.uid, dir, err)
	}
	return nil
}

func (h *home) file(name string) string { return filepath.Join(h.dir, name) }

// The operating system releases the lock when the process ends, even if it is killed.
func (h *home) acquireLock(ctx context.Context) error {
	f, err := h.open("lock")
	if err != nil {
		return fmt.Errorf("devstack: lock: %w", err)
	}
	announce := sync.OnceFunc(func() { h.logf("waiting until another start of the same servers ends") })
	err = client.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
			announce()
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return errors.Join(fmt.Errorf("devstack: lock %s: %w", f.Name(), err), f.Close())
	}
	h.lock = f
	return nil
}

func (h *home) unlock() { _ = h.lock.Close() }

func (h *home) setDetached(on bool) error {
	if !on {
		if err := os.Remove(h.file("keep")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("devstack: %w", err)
		}
		return nil
	}
	f, err := h.open("keep")
	if err != nil {
		return fmt.Errorf("devstack: %w", err)
	}
	return f.Close()
}

func (h *home) detached() bool {
	_, err := os.Stat(h.file("keep"))
	return err == nil
}

func (h *home) load() error {
	text, err := os.ReadFile(h.file("state.json"))
	if errors.Is(err, fs.ErrNotExist) {
		h.state = state{PostgresPassword: rand.Text(), RedisPassword: rand.Text()}
		return h.save()
	}
	if err != nil {
		return fmt.Errorf("devstack: state: %w", err)
	}
	if err := json.Unmarshal(text, &h.state); err != nil {
		return fmt.Errorf("devstack: %s is damaged: %w; remove the directory %s to start afresh",
			h.file("state.json"), err, h.dir)
	}
	return nil
}

// save replaces the state atomically.
func (h *home) save() error {
	text, err := json.Marshal(h.state)
	if err != nil {
		return fmt.Errorf("devstack: state: %w", err)
	}
	if err := h.write("state.json", text); err != nil {
		return fmt.Errorf("devstack: state: %w", err)
	}
	return nil
}

// The file gets the system user of the servers as its owner.
func (h *home) write(name string, text []byte) error {
	tmp := name + ".new"
	if err := os.RemoveAll(h.file(tmp)); err != nil {
		return err
	}
	f, err := h.open(tmp)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(h.file(tmp), h.file(name))
}

// open opens or creates a private file of the home for the system user of the servers. It follows no symbolic link: if the caller
// is root, the directory belongs to a user with fewer rights, who could have placed the link.
func (h *home) open(name string) (*os.File, error) {
	f, err := os.OpenFile(h.file(name), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if h.acct.switched {
		if err := f.Chown(int(h.acct.uid), int(h.acct.gid)); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, nil
}

func (h *home) choosePort(port *int) error {
	if *port != 0 && portFree(*port) {
		return nil
	}
	candidate, err := freePort(20000, h.state.PostgresPort, h.state.RedisPort)
	if err != nil {
		return err
	}
	*port = candidate
	return h.save()
}

// FreePort returns a loopback port from 10000 to 19999 on which no process listens. Private servers use other ports, from 20000
// to 29999. Both ranges lie below the range of ports of outgoing connections. If a server's port were in that range, a client that
// dials it after the server's end could be connected to itself.
func FreePort(taken ...int) (int, error) { return freePort(10000, taken...) }

func freePort(first int, taken ...int) (int, error) {
	for range 200 {
		port := first + mathrand.IntN(10000)
		if !slices.Contains(taken, port) && portFree(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("devstack: no free port between %d and %d", first, first+9999)
}

func portFree(port int) bool {
	// Listening on loopback returns at once, so it needs no context.
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

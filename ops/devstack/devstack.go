package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// Options choose the servers. DataDir is required.
type Options struct {
	// DataDir is the directory in which the servers get a directory for their files, if they can write there: see Servers.Dir. Test
	// servers get a separate directory.
	DataDir string
	// Test trades durability for speed: no fsync, no append-only file. Never use it for data that matters.
	Test bool
	// NoPostgres and NoRedis leave one server out, for operators who have their own.
	NoPostgres, NoRedis bool
	// ReplicaOf makes PostgreSQL a streaming replica of the server at this URL. The URL's role must be allowed to replicate.
	ReplicaOf string
	// Existing makes Ensure and Use fail if a wanted server was never set up here.
	Existing bool
	// Out receives progress lines; nil drops them.
	Out io.Writer
}

// Servers holds the addresses of the servers. A server that was left out has an empty URL. Both URLs contain a password.
type Servers struct {
	DatabaseURL string `json:"database_url,omitempty"` // a superuser's URL of the database "switchyard"
	RedisURL    string `json:"redis_url,omitempty"`
	// Dir is the directory of the servers' files. It is below DataDir, or below /var/tmp if the system user that runs the servers
	// cannot write to DataDir.
	Dir string `json:"-"`
}

type server interface {
	name() string
	// running reports whether this instance answers on its port. It is false if another program answers there.
	running(ctx context.Context) bool
	start(ctx context.Context) error
	stop(ctx context.Context) error
	url() string
}

// Ensure starts the servers that do not run yet, and leaves them running.
func Ensure(ctx context.Context, opts Options) (Servers, error) {
	h, err := openHome(ctx, opts)
	if err != nil {
		return Servers{}, err
	}
	defer h.unlock()
	if err := h.setDetached(true); err != nil {
		return Servers{}, err
	}
	return h.ensure(ctx)
}

// Use starts the servers for its caller. The release of the last caller of Use stops them, unless Ensure was called after the last
// Stop. If the calling process is killed, the servers keep running until the next caller releases them.
func Use(ctx context.Context, opts Options) (servers Servers, release func(context.Context) error, err error) {
	h, err := openHome(ctx, opts)
	if err != nil {
		return Servers{}, nil, err
	}
	defer h.unlock()
	users, err := h.open("users")
	if err != nil {
		return Servers{}, nil, fmt.Errorf("devstack: count users: %w", err)
	}
	if err := syscall.Flock(int(users.Fd()), syscall.LOCK_SH); err != nil {
		return Servers{}, nil, errors.Join(fmt.Errorf("devstack: count users: %w", err), users.Close())
	}
	if servers, err = h.ensure(ctx); err != nil {
		return Servers{}, nil, errors.Join(err, users.Close())
	}
	return servers, func(ctx context.Context) error { return stopIfLast(ctx, opts, users) }, nil
}

func stopIfLast(ctx context.Context, opts Options, users *os.File) error {
	defer func() { _ = users.Close() }()
	opts.Out = nil // the place of the servers was already printed at the start
	h, err := openHome(ctx, opts)
	if err != nil {
		return err
	}
	defer h.unlock()
	if err := syscall.Flock(int(users.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil || h.detached() {
		return nil
	}
	return h.stop(ctx)
}

// Stop stops the servers of this data directory and keeps their data.
func Stop(ctx context.Context, opts Options) error {
	h, err := openHome(ctx, opts)
	if err != nil {
		return err
	}
	defer h.unlock()
	if err := h.setDetached(false); err != nil {
		return err
	}
	return h.stop(ctx)
}

// The caller holds the lock.
func (h *home) ensure(ctx context.Context) (Servers, error) {
	s := Servers{Dir: h.dir}
	if err := h.checkExisting(); err != nil {
		return s, err
	}
	if err := Install(ctx, h.opts.Out, h.tools()...); err != nil {
		return s, err
	}
	if !h.opts.NoPostgres {
		pg, err := openPostgres(ctx, h)
		if err == nil {
			s.DatabaseURL, err = h.ensureRunning(ctx, pg)
		}
		if err != nil {
			return Servers{}, err
		}
	}
	if !h.opts.NoRedis {
		var err error
		if s.RedisURL, err = h.ensureRunning(ctx, &redis{home: h}); err != nil {
			return Servers{}, err
		}
	}
	return s, nil
}

func (h *home) checkExisting() error {
	if !h.opts.Existing {
		return nil
	}
	exists := map[string]bool{}
	for _, srv := range h.existingServers() {
		exists[srv.name()] = true
	}
	for name, unwanted := range map[string]bool{"PostgreSQL": h.opts.NoPostgres, "Redis": h.opts.NoRedis} {
		if !unwanted && !exists[name] {
			return fmt.Errorf("devstack: there is no private %s below %s", name, h.opts.DataDir)
		}
	}
	return nil
}

func (h *home) tools() []Tool {
	var tools []Tool
	if _, err := h.clusterVersion(); err != nil && !h.opts.NoPostgres { // an existing cluster needs the programs of its own version
		tools = append(tools, postgresTool)
	}
	if !h.opts.NoRedis {
		tools = append(tools, redisTool)
	}
	return tools
}

func (h *home) ensureRunning(ctx context.Context, srv server) (string, error) {
	if srv.running(ctx) {
		return srv.url(), nil
	}
	began := time.Now()
	if err := srv.start(ctx); err != nil {
		return "", fmt.Errorf("devstack: start %s: %w", srv.name(), err)
	}
	h.logf("%s is ready (%.1f s)", srv.name(), time.Since(began).Seconds())
	return srv.url(), nil
}

// The caller holds the lock.
func (h *home) stop(ctx context.Context) error {
	var errs []error
	for _, srv := range h.existingServers() {
		if !srv.running(ctx) {
			continue
		}
		if err := srv.stop(ctx); err != nil {
			errs = append(errs, fmt.Errorf("devstack: stop %s: %w", srv.name(), err))
		}
	}
	return errors.Join(errs...)
}

func (h *home) existingServers() []server {
	var all []server
	if _, err := os.Stat(h.file("redis")); err == nil {
		all = append(all, &redis{home: h})
	}
	if pg, err := existingPostgres(h); err == nil {
		all = append(all, pg)
	}
	return all
}

func (h *home) logf(format string, args ...any) { logTo(h.opts.Out, format, args...) }

func logTo(out io.Writer, format string, args ...any) {
	if out != nil {
		_, _ = fmt.Fprintf(out, "  "+format+"\n", args...)
	}
}

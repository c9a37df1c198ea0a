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

// Options say which servers are wanted, where, and how durable.
type Options struct {
	// DataDir is the directory to keep the servers' files in; it is created. Test servers live in a directory of
	// their own inside it.
	DataDir string
	// Test trades durability for speed (no fsync, no append-only file). Never use it for data that matters.
	Test bool
	// NoPostgres and NoRedis leave one server out, because the operator brings it.
	NoPostgres, NoRedis bool
	// Existing refuses to set up a server that was never there.
	Existing bool
	// Compiler asks for a C compiler too, which Go's race detector needs.
	Compiler bool
	// Out receives progress lines; nil drops them.
	Out io.Writer
}

// Servers tell how to reach what runs. A server that was left out has an empty URL. Both URLs contain a password.
type Servers struct {
	DatabaseURL string `json:"database_url,omitempty"` // a superuser's URL of the database "switchyard"
	RedisURL    string `json:"redis_url,omitempty"`
	// Dir holds the files of the servers: it is DataDir's, or one that their account can reach. The cluster of PostgreSQL
	// is its "postgres".
	Dir string `json:"-"`
}

// server is one kind of instance: all that Ensure and Stop need to know of it.
type server interface {
	name() string
	// running reports whether exactly this instance answers, not a stranger on its port.
	running(ctx context.Context) bool
	start(ctx context.Context) error
	stop(ctx context.Context) error
	url() string
}

// Ensure makes the servers run and leaves them running. Calling it again is cheap and changes nothing.
func Ensure(ctx context.Context, opts Options) (Servers, error) {
	h, err := openHome(ctx, opts)
	if err != nil {
		return Servers{}, err
	}
	defer h.unlock()
	if err := h.keep(true); err != nil {
		return Servers{}, err
	}
	return h.ensure(ctx)
}

// Use makes the servers run until the last user lets go: release stops them unless somebody else uses them or
// Ensure asked for them to stay. A user that was killed has let go; its servers are adopted by the next one.
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
	return servers, func(ctx context.Context) error { return letGo(ctx, opts, users) }, nil
}

// letGo stops the servers if the shared lock on users can be made exclusive, that is if nobody else holds it.
func letGo(ctx context.Context, opts Options, users *os.File) error {
	defer func() { _ = users.Close() }()
	opts.Out = nil // where the servers are was said at the start
	h, err := openHome(ctx, opts)
	if err != nil {
		return err
	}
	defer h.unlock()
	if err := syscall.Flock(int(users.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil || h.kept() {
		return nil // somebody else still needs them
	}
	return h.stop(ctx)
}

// Stop stops the servers of this data directory and keeps their data. Servers that do not run are no error.
func Stop(ctx context.Context, opts Options) error {
	h, err := openHome(ctx, opts)
	if err != nil {
		return err
	}
	defer h.unlock()
	if err := h.keep(false); err != nil {
		return err
	}
	return h.stop(ctx)
}

// ensure adopts or starts each wanted server. The caller holds the lock.
func (h *home) ensure(ctx context.Context) (Servers, error) {
	s := Servers{Dir: h.dir}
	if err := h.found(); err != nil {
		return s, err
	}
	if err := provide(ctx, h.opts.Out, h.tools()...); err != nil {
		return s, err
	}
	if !h.opts.NoPostgres {
		pg, err := openPostgres(ctx, h)
		if err == nil {
			s.DatabaseURL, err = h.bring(ctx, pg)
		}
		if err != nil {
			return Servers{}, err
		}
	}
	if !h.opts.NoRedis {
		var err error
		if s.RedisURL, err = h.bring(ctx, &redis{home: h}); err != nil {
			return Servers{}, err
		}
	}
	return s, nil
}

// found fails for a server that is wanted only if it exists, and does not.
func (h *home) found() error {
	if !h.opts.Existing {
		return nil
	}
	have := map[string]bool{}
	for _, srv := range h.present() {
		have[srv.name()] = true
	}
	for name, unwanted := range map[string]bool{"PostgreSQL": h.opts.NoPostgres, "Redis": h.opts.NoRedis} {
		if !unwanted && !have[name] {
			return fmt.Errorf("devstack: there is no private %s below %s", name, h.opts.DataDir)
		}
	}
	return nil
}

// tools lists the programs that this home needs.
func (h *home) tools() []tool {
	var tools []tool
	if _, err := h.clusterVersion(); err != nil && !h.opts.NoPostgres { // a cluster asks for its own version
		tools = append(tools, postgresTool)
	}
	if !h.opts.NoRedis {
		tools = append(tools, redisTool)
	}
	if h.opts.Compiler {
		tools = append(tools, compilerTool)
	}
	return tools
}

// bring starts srv unless it runs and returns its URL.
func (h *home) bring(ctx context.Context, srv server) (string, error) {
	if srv.running(ctx) {
		return srv.url(), nil
	}
	began := time.Now()
	if err := srv.start(ctx); err != nil {
		return "", fmt.Errorf("devstack: start %s: %w", srv.name(), err)
	}
	h.say("%s is ready (%.1f s)", srv.name(), time.Since(began).Seconds())
	return srv.url(), nil
}

// stop stops what runs, the queue before the database. The caller holds the lock.
func (h *home) stop(ctx context.Context) error {
	var errs []error
	for _, srv := range h.present() {
		if !srv.running(ctx) {
			continue
		}
		if err := srv.stop(ctx); err != nil {
			errs = append(errs, fmt.Errorf("devstack: stop %s: %w", srv.name(), err))
		}
	}
	return errors.Join(errs...)
}

// present lists the servers that were set up here before; nothing is installed for it.
func (h *home) present() []server {
	var all []server
	if _, err := os.Stat(h.file("redis")); err == nil {
		all = append(all, &redis{home: h})
	}
	if pg, err := existingPostgres(h); err == nil {
		all = append(all, pg)
	}
	return all
}

// say writes one progress line.
func (h *home) say(format string, args ...any) { say(h.opts.Out, format, args...) }

func say(out io.Writer, format string, args ...any) {
	if out != nil {
		_, _ = fmt.Fprintf(out, "  "+format+"\n", args...)
	}
}

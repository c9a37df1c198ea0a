// Package dev runs the service during development. It builds and starts the service, and does both again whenever a source file changes. The private servers keep running between restarts.
package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"switchyard/ops/config"
	"switchyard/ops/devstack"
)

// Options say what to run.
type Options struct {
	Root  string
	Build []string
	// Binary is the program of the service; it is called with "up".
	Binary string
	Out    io.Writer
}

const (
	pollEvery   = 500 * time.Millisecond
	stopTimeout = 20 * time.Second
)

// Run builds and runs the service until the context ends. If the environment does not name a PostgreSQL or a Redis, Run starts a
// private server, which stops when Run returns.
func Run(ctx context.Context, o Options) (err error) {
	cfg, err := config.Load(os.Getenv)
	if err != nil {
		return err
	}
	_, release, err := devstack.Use(ctx, devstack.Options{
		DataDir: cfg.DataDir, NoPostgres: cfg.DatabaseURL != "", NoRedis: cfg.RedisURL != "", Out: o.Out,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(context.WithoutCancel(ctx))) }()
	l := &loop{root: o.Root, build: o.build, start: o.start, out: o.Out, stop: func() {}}
	defer func() { l.stop() }()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if err := l.rebuild(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (o Options) build(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, o.Build[0], o.Build[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = o.Root, o.Out, o.Out
	return cmd.Run()
}

func (o Options) start(ctx context.Context) (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	cmd := exec.CommandContext(ctx, o.Binary, "up")
	cmd.Dir, cmd.Stdout, cmd.Stderr = o.Root, o.Out, o.Out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal reaches only this process, which stops the service
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTimeout
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("dev: %w", err)
	}
	return func() {
		cancel()
		_ = cmd.Wait() // the error is expected, because we ended it
	}, nil
}

type loop struct {
	root  string
	build func(context.Context) error
	start func(context.Context) (stop func(), err error)
	out   io.Writer

	built source
	stop  func()
}

// While the source does not build, the last service that was built keeps running.
func (l *loop) rebuild(ctx context.Context) error {
	now, err := read(l.root)
	if err != nil || now == l.built {
		return err
	}
	l.built = now
	if err := l.build(ctx); err != nil {
		l.log("it does not build (" + err.Error() + "); waiting for the next change")
		return nil
	}
	l.stop()
	l.stop = func() {}
	stop, err := l.start(ctx)
	if err != nil {
		return err
	}
	l.stop = stop
	l.log("started; it is built and started again when a file changes")
	return nil
}

func (l *loop) log(text string) { _, _ = fmt.Fprintln(l.out, "  dev:", text) }

// source summarizes the source files. Every usual change of a file changes it.
type source struct {
	files  int
	bytes  int64
	newest time.Time
}

// Tests, Markdown, dot-files, testdata and bin are skipped.
func read(root string) (source, error) {
	var s source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed during the walk
		}
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "bin" || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".md") {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // removed during the walk
		}
		s.files++
		s.bytes += info.Size()
		if info.ModTime().After(s.newest) {
			s.newest = info.ModTime()
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("dev: look for changes: %w", err)
	}
	return s, nil
}

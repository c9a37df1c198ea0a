package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// guard is a shell process that cleans up if the fleet's own process is killed. It notices this because the pipe between them is
// then closed.
type guard struct {
	cmd  *exec.Cmd
	pipe io.Closer
}

const guardScript = `
cat >/dev/null
while read -r pid; do kill -9 "$pid" 2>/dev/null; done <"$1/pids"
rm -rf "$1" "$2"`

func (f *Fleet) startGuard() error {
	if err := os.WriteFile(f.pids(), nil, 0o600); err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	cmd := exec.Command("/bin/sh", "-c", guardScript, "sh", f.Dir, f.home) //nolint:noctx // outlives us
	cmd.Env = f.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal must not reach the guard
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("fleet: guard: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("fleet: guard: %w", err)
	}
	f.guard = &guard{cmd, pipe}
	return nil
}

func (f *Fleet) registerServers(ctx context.Context) error {
	postgres, err := f.Postgres()
	if err != nil {
		return err
	}
	redis, err := f.Redis(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f.registerPID(postgres.pid), f.registerPID(redis.pid))
}

func (f *Fleet) registerPID(pid int) error {
	file, err := os.OpenFile(f.pids(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	_, err = fmt.Fprintln(file, pid)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}

func (f *Fleet) pids() string { return filepath.Join(f.Dir, "pids") }

func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_ = g.cmd.Process.Kill()
	_ = g.cmd.Wait()
	_ = g.pipe.Close()
}

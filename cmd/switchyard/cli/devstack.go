package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"switchyard/ops/config"
	"switchyard/ops/devstack"
)

// devstackCmd runs the private servers.
type devstackCmd struct {
	Up   devstackUp   `cmd:"" help:"Start the servers and leave them running."`
	Down devstackDown `cmd:"" help:"Stop the servers; their data stays."`
	Exec devstackExec `cmd:"" help:"Run a program with the servers, and stop the servers when the last program that uses them ends."`
}

// devstackFlags are common to the devstack commands.
type devstackFlags struct {
	Test bool `help:"The test servers: fast, not durable."`
}

func (f devstackFlags) options(e *env) (devstack.Options, error) {
	cfg, err := config.Load(e.getenv)
	if f.Test {
		cfg.DatabaseURL, cfg.RedisURL = e.getenv("TEST_DATABASE_URL"), e.getenv("TEST_REDIS_URL")
	}
	opts := stackOptions(cfg, e)
	opts.Test = f.Test
	return opts, err
}

// stackOptions returns options that start only the servers whose URL is not set.
func stackOptions(cfg config.Config, e *env) devstack.Options {
	return devstack.Options{
		DataDir: cfg.DataDir, NoPostgres: cfg.DatabaseURL != "", NoRedis: cfg.RedisURL != "", Out: e.stderr,
	}
}

type devstackUp struct {
	devstackFlags
	Env  bool `help:"Print lines for a shell to export."`
	JSON bool `help:"Print one JSON value."`
}

// Run implements the command.
func (c *devstackUp) Run(ctx context.Context, e *env) error {
	opts, err := c.options(e)
	if err != nil {
		return err
	}
	servers, err := devstack.Ensure(ctx, opts)
	if err != nil {
		return err
	}
	lines := serverEnv(servers, c.Test)
	if c.Env {
		for i, line := range lines {
			lines[i] = "export " + shellQuoted(line)
		}
	}
	return e.print(c.JSON, servers, lines...)
}

type devstackDown struct{ devstackFlags }

// Run implements the command.
func (c *devstackDown) Run(ctx context.Context, e *env) error {
	opts, err := c.options(e)
	if err != nil {
		return err
	}
	return devstack.Stop(ctx, opts)
}

type devstackExec struct {
	devstackFlags
	Command []string `arg:"" passthrough:"" help:"Program and its arguments, after --."`
}

// Run implements the command. The process exits with the program's code.
func (c *devstackExec) Run(ctx context.Context, e *env) (err error) {
	command := c.Command
	if command[0] == "--" {
		command = command[1:]
	}
	if len(command) == 0 {
		return usageError{errors.New("devstack exec: no program given; write: devstack exec -- PROGRAM")}
	}
	opts, err := c.options(e)
	if err != nil {
		return err
	}
	servers, release, err := devstack.Use(ctx, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(context.WithoutCancel(ctx))) }()

	cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the operator chooses the program
	cmd.Env = append(os.Environ(), serverEnv(servers, c.Test)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, e.stdout, e.stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	err = cmd.Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && failed.ExitCode() > 0 {
		return exitError(failed.ExitCode())
	}
	return err
}

// serverEnv returns the variables that name the servers, for the service or for the tests. A server that was not started is left
// out, so that the operator's own variable stays in force.
func serverEnv(s devstack.Servers, test bool) []string {
	prefix := ""
	if test {
		prefix = "TEST_"
	}
	var lines []string
	if s.DatabaseURL != "" {
		lines = append(lines, prefix+"DATABASE_URL="+s.DatabaseURL)
	}
	if s.RedisURL != "" {
		lines = append(lines, prefix+"REDIS_URL="+s.RedisURL)
	}
	return lines
}

// shellQuoted quotes the value of NAME=value for a shell.
func shellQuoted(assignment string) string {
	name, value, _ := strings.Cut(assignment, "=")
	return name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

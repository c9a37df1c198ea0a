package chdb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Options of Run and Start.
type Options struct {
	// Dir is the data directory. If it is empty, Run creates a temporary one and removes it at the end.
	Dir    string
	Listen string
	// Password is the password of ClickHouse's user "default". If it is empty, a random one is used.
	Password string
	// Command runs while the server is up. It finds the server's URL in TEST_CLICKS_URL, the name of its cluster in TEST_CLICKS_CLUSTER
	// and the program that starts servers in TEST_CLICKS_LAB. Without a command the server runs until the context ends.
	Command []string
	// Out receives a line before an installation. Without a Command, it also receives a line when the server is ready. With a
	// Command, it also receives a line if the Command has to run without a server.
	Out io.Writer
}

// The variables that tests read: the URL of a server, the name of its cluster, and the program that starts a server.
const (
	variable = "TEST_CLICKS_URL"
	cluster  = "TEST_CLICKS_CLUSTER"
	program  = "TEST_CLICKS_LAB"
)

// Run starts a server and returns the code to exit with: the command's code, if there is a command. The process must then end by
// os.Exit or by returning from main. If TEST_CLICKS_URL already names a server and there is a command, Run starts no server and the
// command uses the named one. If the engine cannot be installed, the command runs without a server, and the output says so.
func Run(ctx context.Context, o Options) (code int, err error) {
	if url := os.Getenv(variable); url != "" && len(o.Command) > 0 {
		return runCommand(ctx, o.Command)
	}
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "switchyard-clickhouse-"); err != nil {
			return 1, fmt.Errorf("chdb: %w", err)
		}
		defer func() { _ = os.RemoveAll(o.Dir) }()
	}
	url, err := Start(ctx, o)
	if errors.Is(err, errNotInstalled) && len(o.Command) > 0 {
		_, _ = fmt.Fprintln(o.Out, "  tests of ClickHouse are skipped:", err)
		return runCommand(ctx, o.Command)
	}
	if err != nil {
		return 1, err
	}
	if len(o.Command) > 0 {
		self, err := os.Executable()
		if err != nil {
			return 1, fmt.Errorf("chdb: %w", err)
		}
		return runCommand(ctx, o.Command, variable+"="+url, cluster+"="+Cluster, program+"="+self)
	}
	_, _ = fmt.Fprintln(o.Out, "  ClickHouse is ready:", url)
	<-ctx.Done()
	return 0, nil
}

const headerTimeout = 10 * time.Second

// errNotInstalled means that the engine cannot be installed.
var errNotInstalled = errors.New("chdb: there is no engine")

// Start starts a server in this process and returns its URL. The server answers until the process ends, which must happen by
// os.Exit or by returning from main.
func Start(ctx context.Context, o Options) (url string, err error) {
	library, err := Install(ctx, o.Out)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNotInstalled, err)
	}
	if o.Password == "" {
		o.Password = rand.Text()
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return "", fmt.Errorf("chdb: %w", err)
	}
	engine, err := Open(library, o.Dir)
	if err != nil {
		return "", err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return "", fmt.Errorf("chdb: %w", err)
	}
	server := &http.Server{Handler: Server{Engine: engine, Password: o.Password}, ReadHeaderTimeout: headerTimeout}
	go func() { _ = server.Serve(l) }()
	return address(l.Addr().String(), o.Password), nil
}

const stopTimeout = 30 * time.Second

func runCommand(ctx context.Context, command []string, env ...string) (int, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(syscall.SIGTERM) }, stopTimeout
	cmd.Env = append(os.Environ(), env...)
	err := cmd.Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(failed.ExitCode(), 1), nil
	}
	if err != nil {
		return 1, fmt.Errorf("chdb: %w", err)
	}
	return 0, nil
}

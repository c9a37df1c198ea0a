package dbtest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"switchyard/models/await"
)

// Bouncer starts a PgBouncer in transaction mode in front of a server, with at most the given number of sessions. It returns the
// URL, which is valid until the test ends. Without PgBouncer the test is skipped.
func Bouncer(tb testing.TB, server string, sessions int) string {
	tb.Helper()
	program, err := osexec.LookPath("pgbouncer")
	if err != nil {
		if _, err := os.Stat("/usr/sbin/pgbouncer"); err != nil {
			tb.Skip("there is no pgbouncer: install it")
		}
		program = "/usr/sbin/pgbouncer"
	}
	u, err := url.Parse(server)
	if err != nil {
		tb.Fatal(err)
	}
	port := freePort(tb)
	password, _ := u.User.Password()
	name := strings.TrimPrefix(u.Path, "/")
	conf := fmt.Sprintf(`[databases]
%s = host=%s port=%s user=%s password=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = %d
max_client_conn = 2000
`, name, u.Hostname(), u.Port(), u.User.Username(), password, port, sessions)
	dir, err := os.MkdirTemp("", "bouncer") //nolint:usetesting // PgBouncer's user could not read the test's directory
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(dir, "pgbouncer.ini")
	if os.Geteuid() == 0 { // PgBouncer refuses to run as root
		conf += "user = nobody\n"
	}
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	var output bytes.Buffer
	cmd := osexec.CommandContext(ctx, program, path)
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		cancel()
		tb.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // fails when the end of the test kills the process
		close(ended)
	}()
	tb.Cleanup(func() {
		cancel()
		<-ended
		_ = os.RemoveAll(dir)
		if tb.Failed() {
			tb.Logf("pgbouncer: %.4000s", output.String())
		}
	})
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	await.Until(tb, "pgbouncer listens", func() bool {
		select {
		case <-ended:
			tb.Fatalf("pgbouncer has ended: %s", output.String())
		default:
		}
		c, err := (&net.Dialer{}).DialContext(tb.Context(), "tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	u.Host, u.User = address, url.UserPassword(u.User.Username(), "any")
	return u.String()
}

func freePort(tb testing.TB) int {
	tb.Helper()
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		tb.Fatal(err)
	}
	return port
}

package fleet

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"switchyard/ops/client"
)

// Server is one of the fleet's private servers.
type Server struct{ pid int }

// Postgres finds the running PostgreSQL.
func (f *Fleet) Postgres() (Server, error) {
	text, err := os.ReadFile(filepath.Join(f.home, "postgres", "postmaster.pid"))
	if err != nil {
		return Server{}, fmt.Errorf("fleet: find PostgreSQL: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return Server{}, fmt.Errorf("fleet: find PostgreSQL: %w", err)
	}
	return Server{pid}, nil
}

// Redis finds the running Redis.
func (f *Fleet) Redis(ctx context.Context) (Server, error) {
	u, err := url.Parse(f.RedisURL)
	if err != nil {
		return Server{}, fmt.Errorf("fleet: find Redis: %w", err)
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return Server{}, fmt.Errorf("fleet: find Redis: %w", err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	password, _ := u.User.Password()
	if _, err := fmt.Fprintf(conn, "AUTH %s\r\nINFO server\r\n", password); err != nil {
		return Server{}, fmt.Errorf("fleet: find Redis: %w", err)
	}
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "process_id:"); ok {
			pid, err := strconv.Atoi(text)
			return Server{pid}, err
		}
	}
	return Server{}, errors.New("fleet: find Redis: it does not report its process id")
}

// Kill ends the server at once, as a crash would, and waits until all its processes are gone.
func (s Server) Kill(ctx context.Context) error {
	all := append(children(s.pid), s.pid)
	if err := syscall.Kill(s.pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("fleet: kill: %w", err)
	}
	return client.Poll(ctx, 20*time.Millisecond, func() (bool, error) {
		for _, pid := range all {
			if alive(pid) {
				return false, nil
			}
		}
		return true, nil
	})
}

// CPU returns the processor time of the server's processes, including child processes that have ended.
func (s Server) CPU() time.Duration {
	sum := processorTime(s.pid, true)
	for _, pid := range children(s.pid) {
		sum += processorTime(pid, true)
	}
	return sum
}

// Freeze suspends the server. Its connections stay open, but it does not answer until Thaw.
func (s Server) Freeze() error { return s.signal(syscall.SIGSTOP) }

// Thaw lets a frozen server continue.
func (s Server) Thaw() error { return s.signal(syscall.SIGCONT) }

// signal signals the server and then its child processes. In this order, Freeze misses no process, because a suspended server
// starts no new ones.
func (s Server) signal(sig syscall.Signal) error {
	if err := syscall.Kill(s.pid, sig); err != nil {
		return fmt.Errorf("fleet: signal: %w", err)
	}
	for _, pid := range children(s.pid) {
		_ = syscall.Kill(pid, sig) // a process that has just ended is not an error
	}
	return nil
}

func children(parent int) []int {
	var pids []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		if fields := statFields(stat); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(stat))); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// alive reports whether a process runs. A zombie does not count as alive.
func alive(pid int) bool {
	fields := statFields(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return len(fields) > 0 && fields[0] != "Z" && fields[0] != "X"
}

// statFields returns the fields of a /proc stat file that follow the program's name: state, parent, ...
func statFields(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	i := strings.LastIndex(string(text), ") ")
	if i < 0 {
		return nil
	}
	return strings.Fields(string(text[i+2:]))
}

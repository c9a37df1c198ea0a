package devstack

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// redis is the private Redis: data in home/redis, log beside it.
type redis struct{ home *home }

func (r *redis) name() string { return "Redis" }
func (r *redis) dir() string  { return r.home.file("redis") }

func (r *redis) url() string {
	u := url.URL{
		Scheme: "redis", User: url.UserPassword("default", r.home.state.RedisPassword),
		Host: r.address(), Path: "/0",
	}
	return u.String()
}

func (r *redis) address() string { return "127.0.0.1:" + strconv.Itoa(r.home.state.RedisPort) }

// errEnded stands for a server that ended without an error of its own.
var errEnded = errors.New("no reason given")

// settings: never evict, because queued jobs are not a cache; append-only file with a sync every second, because
// PostgreSQL is the truth and Redis may lose its last second.
func (r *redis) settings() string {
	lines := []string{
		"bind 127.0.0.1",
		"port " + strconv.Itoa(r.home.state.RedisPort),
		"requirepass " + r.home.state.RedisPassword,
		`dir "` + r.dir() + `"`,
		`logfile "` + r.home.file("redis.log") + `"`,
		"daemonize no",
		"maxmemory-policy noeviction",
		"databases 16",
	}
	if r.home.opts.Test {
		lines = append(lines, "appendonly no", `save ""`, "databases 1024")
	} else {
		lines = append(lines, "appendonly yes", "appendfsync everysec")
	}
	return strings.Join(lines, "\n") + "\n"
}

func (r *redis) running(ctx context.Context) bool {
	if r.home.state.RedisPort == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second) // a stranger on the port may not answer at all
	defer cancel()
	answer, err := r.call(ctx, "CONFIG", "GET", "dir")
	if err != nil || len(answer) != 2 {
		return false
	}
	a, errA := os.Stat(answer[1])
	b, errB := os.Stat(r.dir())
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// loaded tells whether what was saved is back in memory: until then Redis refuses most commands.
func (r *redis) loaded(ctx context.Context) bool {
	_, err := r.call(ctx, "PING")
	return err == nil
}

func (r *redis) start(ctx context.Context) error {
	h := r.home
	bin, ok := redisTool.find()
	if !ok {
		return errors.New("its program has vanished; try again")
	}
	if err := os.Mkdir(r.dir(), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := h.acct.own(r.dir()); err != nil {
		return err
	}
	if err := h.settlePort(&h.state.RedisPort); err != nil {
		return err
	}
	if err := h.write("redis.conf", []byte(r.settings())); err != nil {
		return err
	}
	h.say("starting Redis on %s", r.address())
	// It must outlive the caller, so no context kills it.
	cmd := h.acct.command(context.WithoutCancel(ctx), h.dir, bin, h.file("redis.conf"))
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for !r.running(ctx) || !r.loaded(ctx) {
		select {
		case err := <-ended:
			return fmt.Errorf("%s ended at once: %w\n%s", filepath.Base(bin), cmp.Or(err, errEnded), h.logTail("redis.log"))
		case <-ctx.Done():
			return fmt.Errorf("no answer on %s: %w\n%s", r.address(), ctx.Err(), h.logTail("redis.log"))
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

// stop asks Redis to save and end, and waits until it answers no more.
func (r *redis) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if _, err := r.call(ctx, "SHUTDOWN"); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for r.running(ctx) {
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// call sends AUTH and one command and returns the strings of the answer. It is the little of the protocol that
// adopting and stopping a server needs; the service itself speaks to Redis through its client library.
func (r *redis) call(ctx context.Context, command ...string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", r.address())
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	in := bufio.NewReader(conn)
	for _, words := range [][]string{{"AUTH", r.home.state.RedisPassword}, command} {
		if _, err := fmt.Fprintf(conn, "%s\r\n", strings.Join(words, " ")); err != nil {
			return nil, err
		}
		answer, err := readReply(in)
		if err != nil || &words[0] == &command[0] {
			return answer, err
		}
	}
	return nil, nil
}

// readReply reads one reply: a status, an error, a string, or a flat array of strings.
func readReply(in *bufio.Reader) ([]string, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return nil, errors.New("empty reply")
	}
	switch line[0] {
	case '+', ':':
		return []string{line[1:]}, nil
	case '-':
		return nil, errors.New(line[1:])
	}
	n, err := strconv.Atoi(line[1:])
	if err != nil || n < 0 || n > 1<<16 || (line[0] != '*' && line[0] != '$') {
		return nil, errors.New("not the reply of a Redis server")
	}
	if line[0] == '$' {
		text := make([]byte, n+2)
		if _, err := io.ReadFull(in, text); err != nil {
			return nil, err
		}
		return []string{string(text[:n])}, nil
	}
	var all []string
	for range n {
		one, err := readReply(in)
		if err != nil {
			return nil, err
		}
		all = append(all, one...)
	}
	return all, nil
}

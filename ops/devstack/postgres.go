package devstack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"switchyard/ops/client"
)

const (
	dbUser = "switchyard"
	dbName = "switchyard"
	// startTimeout includes the crash recovery of a large cluster. recoveryTimeout is the wait for a server process that
	// already exists but does not answer yet.
	startTimeout    = 2 * time.Minute
	recoveryTimeout = 30 * time.Second
)

// The cluster is in home/postgres, and its log is next to it.
type postgres struct {
	home *home
	bin  string
}

func openPostgres(ctx context.Context, h *home) (*postgres, error) {
	if pg, err := existingPostgres(h); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return pg, err
	}
	program, ok := postgresTool.Find()
	if !ok {
		return nil, errors.New("devstack: PostgreSQL's programs, found a moment ago, are gone; try again")
	}
	pg := &postgres{home: h, bin: filepath.Dir(program)}
	h.logf("creating a PostgreSQL cluster in %s", pg.dir())
	if h.opts.ReplicaOf != "" {
		return pg, pg.copyPrimary(ctx)
	}
	return pg, pg.create(ctx)
}

// existingPostgres opens the cluster with the programs of its version. It returns fs.ErrNotExist if there is no cluster.
func existingPostgres(h *home) (*postgres, error) {
	version, err := h.clusterVersion()
	if err != nil {
		return nil, fmt.Errorf("devstack: cluster: %w", err)
	}
	pg := &postgres{home: h}
	for _, c := range postgresTool.candidates() {
		if strconv.Itoa(c.version) == version {
			pg.bin = filepath.Dir(c.path)
			return pg, nil
		}
	}
	return nil, fmt.Errorf("devstack: the cluster in %s was made by PostgreSQL %s, which is not installed; install it, "+
		"or remove that directory to start with an empty database", pg.dir(), version)
}

func (h *home) clusterVersion() (string, error) {
	text, err := os.ReadFile(filepath.Join(h.file("postgres"), "PG_VERSION"))
	return strings.TrimSpace(string(text)), err
}

func (p *postgres) name() string { return "PostgreSQL" }
func (p *postgres) dir() string  { return p.home.file("postgres") }

func (p *postgres) url() string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(dbUser, p.home.state.PostgresPassword),
		Host: "127.0.0.1:" + strconv.Itoa(p.home.state.PostgresPort), Path: dbName, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// create runs initdb in a temporary directory and renames it afterwards, so that a killed initdb leaves no incomplete cluster.
func (p *postgres) create(ctx context.Context) error {
	h, fresh := p.home, p.dir()+".new"
	if err := h.write("password", []byte(h.state.PostgresPassword)); err != nil {
		return fmt.Errorf("devstack: cluster: %w", err)
	}
	defer func() { _ = os.Remove(h.file("password")) }()
	auth := "scram-sha-256"
	if h.opts.Test {
		auth = "md5" // scram hashes 4,096 times for each connection, which took a fourteenth of the tests' processor time
	}
	var err error
	for _, locale := range []string{"C.UTF-8", "C"} { // not every system has C.UTF-8
		if err := os.RemoveAll(fresh); err != nil {
			return fmt.Errorf("devstack: cluster: %w", err)
		}
		args := []string{
			"--pgdata=" + fresh, "--username=" + dbUser, "--pwfile=" + h.file("password"),
			"--auth=" + auth, "--encoding=UTF8", "--locale=" + locale,
		}
		if h.opts.Test {
			args = append(args, "--no-sync")
		}
		if err = h.acct.run(ctx, h.dir, p.tool("initdb"), args...); err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("devstack: create cluster: %w", err)
	}
	conf, err := os.OpenFile(filepath.Join(fresh, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("devstack: cluster: %w", err)
	}
	_, err = conf.WriteString("\ninclude = '../postgres.conf'\n")
	if err := errors.Join(err, conf.Close()); err != nil {
		return fmt.Errorf("devstack: cluster: %w", err)
	}
	return os.Rename(fresh, p.dir())
}

// copyPrimary copies the cluster of the primary and sets the copy up to follow the primary.
func (p *postgres) copyPrimary(ctx context.Context) error {
	h, fresh := p.home, p.dir()+".new"
	primary, err := url.Parse(h.opts.ReplicaOf)
	if err != nil {
		return errors.New("devstack: the primary's address is not a URL") // the error of url.Parse would repeat the password
	}
	h.state.PostgresPassword, _ = primary.User.Password()
	if err := errors.Join(h.save(), os.RemoveAll(fresh)); err != nil {
		return fmt.Errorf("devstack: replica: %w", err)
	}
	cmd := h.acct.command(ctx, h.dir, p.tool("pg_basebackup"), "--pgdata="+fresh, "--write-recovery-conf",
		"--wal-method=stream", "--checkpoint=fast", "--no-password", "--host="+primary.Hostname(), "--port="+primary.Port(),
		"--username="+primary.User.Username())
	cmd.Env = append(cmd.Env, "PGPASSWORD="+h.state.PostgresPassword, "PGSSLMODE=disable")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("devstack: copy the primary: %w\n%s", err, tail(string(out)))
	}
	return os.Rename(fresh, p.dir())
}

// settings returns the content of postgres.conf, which every start rewrites. The cluster's own postgresql.conf includes this file
// in its last line, so these settings take precedence.
func (p *postgres) settings() string {
	lines := []string{
		"listen_addresses = '127.0.0.1'",
		"port = " + strconv.Itoa(p.home.state.PostgresPort),
		"unix_socket_directories = ''",
		"max_connections = 300",
		"timezone = 'UTC'",
		"log_timezone = 'UTC'",
		// Clicks are written all the time. With these settings whole pages are written to the write-ahead log less often, and
		// compressed, so a redirect waits less for the disk.
		"shared_buffers = '256MB'", "max_wal_size = '4GB'", "checkpoint_timeout = '15min'", "wal_compression = on",
		// A report of 50,000 placements is grouped and sorted in memory. With the default of 4 MB it is written to the disk.
		"work_mem = '64MB'",
	}
	if p.home.opts.Test {
		lines = append(lines, "fsync = off", "synchronous_commit = off", "full_page_writes = off",
			"wal_level = minimal", "max_wal_senders = 0", "max_parallel_workers_per_gather = 0", "autovacuum = off")
	}
	return strings.Join(lines, "\n") + "\n"
}

func (p *postgres) running(ctx context.Context) bool {
	if p.home.state.PostgresPort == 0 {
		return false
	}
	got, err := p.query(ctx, dbName, "show data_directory")
	return err == nil && sameFile(got, p.dir())
}

func (p *postgres) start(ctx context.Context) error {
	h := p.home
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if p.alive(ctx) { // the server may be in recovery after a crash
		if p.answers(ctx, recoveryTimeout) {
			return nil
		}
		if err := p.stop(ctx); err != nil {
			return err
		}
	}
	if err := h.choosePort(&h.state.PostgresPort); err != nil {
		return err
	}
	if err := h.write("postgres.conf", []byte(p.settings())); err != nil {
		return err
	}
	h.logf("starting PostgreSQL on 127.0.0.1:%d", h.state.PostgresPort)
	err := client.Poll(ctx, 300*time.Millisecond, func() (bool, error) {
		err := h.acct.run(ctx, h.dir, p.tool("pg_ctl"), "start", "--silent", "--wait",
			"--timeout="+strconv.Itoa(int(startTimeout.Seconds())), "--pgdata="+p.dir(), "--log="+h.file("postgres.log"))
		if err != nil && p.clearLeftovers(ctx) {
			return false, nil
		}
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, h.logTail("postgres.log"))
		}
		return err == nil, err
	})
	if err != nil {
		return err
	}
	return p.createDatabase(ctx)
}

func (p *postgres) answers(ctx context.Context, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return client.Poll(ctx, 200*time.Millisecond, func() (bool, error) { return p.running(ctx), nil }) == nil
}

// clearLeftovers prepares another start after a server was killed, and reports whether that start may succeed. If the
// process id in the pid file belongs to no server of this cluster, clearLeftovers replaces the id with a number that
// no process has. It keeps the rest of the file, from which PostgreSQL learns whether children of the killed server
// still use the data. Such children end after a while.
func (p *postgres) clearLeftovers(ctx context.Context) bool {
	log := p.home.logTail("postgres.log")
	if strings.Contains(log, "shared memory block") && strings.Contains(log, "still in use") {
		return true
	}
	text, err := os.ReadFile(p.pidFile())
	if err != nil || p.alive(ctx) {
		return false
	}
	pid, rest, _ := strings.Cut(string(text), "\n")
	if pid == noSuchPID {
		return false
	}
	return os.WriteFile(p.pidFile(), []byte(noSuchPID+"\n"+rest), 0o600) == nil
}

// noSuchPID is greater than the highest process id of any system.
const noSuchPID = "2147483646"

func (p *postgres) pidFile() string { return filepath.Join(p.dir(), "postmaster.pid") }

// alive reports whether the process in the pid file is a server of this cluster. The process id may since have been given to
// another program, even to another PostgreSQL.
func (p *postgres) alive(ctx context.Context) bool {
	text, err := os.ReadFile(p.pidFile())
	if err != nil {
		return false
	}
	pid, _, _ := strings.Cut(string(text), "\n")
	if _, err := strconv.Atoi(pid); err != nil {
		return false
	}
	return strings.Contains(commandLine(ctx, pid), p.dir())
}

// commandLine returns the command line of a process. It is empty for a process that has ended, and for a zombie.
func commandLine(ctx context.Context, pid string) string {
	if text, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline")); err == nil {
		return strings.ReplaceAll(string(text), "\x00", " ")
	}
	out, err := exec.CommandContext(ctx, "ps", "-o", "args=", "-p", pid).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func (p *postgres) createDatabase(ctx context.Context) error {
	const countQuery = "select count(*) from pg_database where datname = '" + dbName + "'"
	got, err := p.query(ctx, "postgres", countQuery)
	if err == nil && got == "0" {
		_, err = p.query(ctx, "postgres", "create database "+dbName)
	}
	return err
}

// The password is passed in the environment, never on a command line.
func (p *postgres) query(ctx context.Context, database, statement string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := p.home.acct.command(ctx, p.home.dir, p.tool("psql"), "-XAtqw", "-v", "ON_ERROR_STOP=1", "-c", statement)
	cmd.Env = append(cmd.Env, "PGHOST=127.0.0.1", "PGPORT="+strconv.Itoa(p.home.state.PostgresPort), "PGUSER="+dbUser,
		"PGPASSWORD="+p.home.state.PostgresPassword, "PGDATABASE="+database, "PGSSLMODE=disable", "PGCONNECT_TIMEOUT=5")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("psql: %w\n%s", err, tail(string(out)))
	}
	return strings.TrimSpace(string(out)), nil
}

func (p *postgres) stop(ctx context.Context) error {
	return p.home.acct.run(ctx, p.home.dir, p.tool("pg_ctl"), "stop", "--silent", "--mode=fast", "--wait",
		"--timeout=60", "--pgdata="+p.dir())
}

// tool returns the path of a program of the cluster's version. A program that is not next to the server, such as psql on
// some systems, is looked up in PATH.
func (p *postgres) tool(name string) string {
	path := filepath.Join(p.bin, name)
	if _, err := os.Stat(path); err != nil {
		return name
	}
	return path
}

func (h *home) logTail(name string) string {
	text, err := os.ReadFile(h.file(name))
	if err != nil {
		return ""
	}
	return tail(string(text))
}

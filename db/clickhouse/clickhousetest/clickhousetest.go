// Package clickhousetest gives each test its own ClickHouse databases, and servers that the test may kill. make e2e starts a
// server and passes its URL in TEST_CLICKS_URL.
package clickhousetest

import (
	"context"
	"crypto/rand"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"switchyard/db/clickhouse"
	"switchyard/db/clickhouse/schema"
	"switchyard/models/await"
	"switchyard/models/parttest"
)

// Server returns the URL of the server that all tests use.
func Server(tb testing.TB) string {
	tb.Helper()
	parttest.Needs(tb, parttest.ClickHouse)
	address := os.Getenv("TEST_CLICKS_URL")
	if address == "" {
		tb.Skip("TEST_CLICKS_URL names no ClickHouse server: run the tests by make e2e PART=clickhouse, or bin/lab clickhouse -- go test ...")
	}
	return address
}

// Cluster returns the name of the cluster of Server.
func Cluster(tb testing.TB) string {
	tb.Helper()
	Server(tb)
	name := os.Getenv("TEST_CLICKS_CLUSTER")
	if name == "" {
		tb.Skip("TEST_CLICKS_CLUSTER names no cluster of the server of TEST_CLICKS_URL")
	}
	return name
}

// New creates a database on Server, creates the given tables in it, and returns a connection to it.
func New(tb testing.TB, tables ...schema.Table) *clickhouse.Conn {
	tb.Helper()
	return NewOn(tb, Server(tb), tables...)
}

// NewOn does the same as New on another server.
func NewOn(tb testing.TB, server string, tables ...schema.Table) *clickhouse.Conn {
	tb.Helper()
	conn, _ := newOn(tb, server, "", tables...)
	return conn
}

// NewURL does the same as New and also returns the URL of the database.
func NewURL(tb testing.TB, tables ...schema.Table) (*clickhouse.Conn, string) {
	tb.Helper()
	return newOn(tb, Server(tb), "", tables...)
}

// NewCluster does the same as New on all servers of Cluster.
func NewCluster(tb testing.TB, tables ...schema.Table) *clickhouse.Conn {
	tb.Helper()
	conn, _ := newOn(tb, Server(tb), Cluster(tb), tables...)
	return conn
}

func newOn(tb testing.TB, server, cluster string, tables ...schema.Table) (*clickhouse.Conn, string) {
	tb.Helper()
	u, err := url.Parse(server)
	if err != nil {
		tb.Fatal(err)
	}
	name := "t_" + strings.ToLower(rand.Text())
	admin, where := open(tb, server, ""), ""
	if cluster != "" {
		where = " ON CLUSTER '" + cluster + "'"
	}
	if err := admin.Exec(tb.Context(), "create database", `CREATE DATABASE `+name+where); err != nil {
		tb.Fatal(err)
	}
	if err := admin.Close(); err != nil {
		tb.Fatal(err)
	}
	u.Path = "/" + name
	conn := open(tb, u.String(), cluster)
	tb.Cleanup(func() { _ = conn.Close() })
	if err := conn.Ensure(tb.Context(), tables...); err != nil {
		tb.Fatal(err)
	}
	return conn, u.String()
}

func open(tb testing.TB, server, cluster string) *clickhouse.Conn {
	tb.Helper()
	conn, err := clickhouse.Open(server, cluster)
	if err != nil {
		tb.Fatal(err)
	}
	return conn
}

// Engine is a server that a test kills.
type Engine struct {
	Address  string // host and port
	Password string

	tb       testing.TB
	lab, dir string
	mu       sync.Mutex
	cmd      *exec.Cmd
	answers  bool // the server has answered since its start
	kills    int
}

// Start starts a server with the program in TEST_CLICKS_LAB.
func Start(tb testing.TB) *Engine {
	tb.Helper()
	parttest.Needs(tb, parttest.ClickHouse)
	lab := os.Getenv("TEST_CLICKS_LAB")
	if lab == "" {
		tb.Skip("TEST_CLICKS_LAB names no program that starts a ClickHouse server: run the tests by make e2e PART=clickhouse")
	}
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	e := &Engine{tb: tb, lab: lab, dir: filepath.Join(tb.TempDir(), "data"), Address: l.Addr().String(), Password: rand.Text()}
	if err := l.Close(); err != nil {
		tb.Fatal(err)
	}
	e.start()
	tb.Cleanup(func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.end()
	})
	await.Until(tb, "the server answers", func() bool {
		c, err := (&net.Dialer{}).DialContext(tb.Context(), "tcp", e.Address)
		return err == nil && c.Close() == nil
	})
	return e
}

// URL returns the URL of the database default.
func (e *Engine) URL() string {
	u := url.URL{Scheme: "http", Host: e.Address, User: url.UserPassword("default", e.Password), Path: "/default"}
	return u.String()
}

// start starts the server, but does not wait until it answers.
func (e *Engine) start() {
	ctx := context.WithoutCancel(e.tb.Context()) // Cleanup ends the server
	arguments := []string{"clickhouse", "--dir", e.dir, "--listen", e.Address, "--password", e.Password}
	e.cmd = exec.CommandContext(ctx, e.lab, arguments...) //nolint:gosec // the program that make e2e names
	if err := e.cmd.Start(); err != nil {
		e.tb.Error(err)
	}
}

func (e *Engine) end() {
	_ = e.cmd.Process.Kill()
	_ = e.cmd.Wait()
}

// Kill kills the server and starts it again. It does nothing if the server has not answered since its start.
func (e *Engine) Kill() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.answers {
		e.end()
		e.kills++
		e.answers = false
		e.start()
	}
}

// RecordAnswer records that the server has answered.
func (e *Engine) RecordAnswer() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answers = true
}

// Kills returns the number of times that the server was killed.
func (e *Engine) Kills() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.kills
}

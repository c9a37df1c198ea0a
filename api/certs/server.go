package certs

import (
	"cmp"
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
)

const (
	// maxSilent is the maximum number of open connections that have not sent their first request.
	maxSilent = 2048
	// maxOpen is the number of connections that may be open at the same time, at about 50 kB of memory each. NewGuard lowers it
	// if the system allows fewer open files.
	maxOpen = 16_384
)

// Guard limits the open connections of listeners, so that connections that do nothing cannot keep others out. If more than
// maxSilent connections have sent no request, it closes the oldest of them. If one more connection is opened while maxOpen are
// open, it closes connections that do nothing, or else the new connection. Use its ConnState as the ConnState of an http.Server.
type Guard struct {
	maxSilent, maxOpen int

	mu     sync.Mutex
	silent *list.List // the connections (net.Conn) that have sent no request, the oldest first
	conns  map[net.Conn]*tracked
	turn   uint64 // counts the changes of connection states
	closed uint64
}

// tracked is an open connection.
type tracked struct {
	silent *list.Element // nil: the connection has sent a request
	idle   uint64        // the turn at which the connection began to wait for its next request; 0: the connection does not wait
}

// NewGuard returns a guard with the limits maxSilent and maxOpen. At least a quarter of the files that the process may have
// open is left for the spool and PostgreSQL.
func NewGuard() *Guard { return newGuard(maxSilent, min(maxOpen, openFiles()/4*3)) }

func newGuard(silent, open int) *Guard {
	return &Guard{maxSilent: silent, maxOpen: open, silent: list.New(), conns: map[net.Conn]*tracked{}}
}

// ConnState records a connection's new state, and closes connections beyond the limits.
func (g *Guard) ConnState(c net.Conn, s http.ConnState) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn++
	if s == http.StateNew {
		g.open(c)
		return
	}
	t := g.conns[c]
	if t == nil {
		return // the guard has closed the connection
	}
	if t.silent != nil {
		g.silent.Remove(t.silent)
		t.silent = nil
	}
	switch s {
	case http.StateActive:
		t.idle = 0
	case http.StateIdle:
		t.idle = g.turn
	default:
		delete(g.conns, c)
	}
}

func (g *Guard) open(c net.Conn) {
	if len(g.conns) >= g.maxOpen && !g.makeRoom() {
		g.close(c)
		return
	}
	g.conns[c] = &tracked{silent: g.silent.PushBack(c)}
	if g.silent.Len() > g.maxSilent {
		g.closeSilent()
	}
}

// makeRoom closes a sixteenth of the connections that wait for their next request, the longest waiting first. If no connection
// waits, it closes the oldest one without a request. It reports whether another connection may be opened.
func (g *Guard) makeRoom() bool {
	type idle struct {
		conn  net.Conn
		since uint64
	}
	var all []idle
	for c, t := range g.conns {
		if t.idle > 0 {
			all = append(all, idle{c, t.idle})
		}
	}
	slices.SortFunc(all, func(a, b idle) int { return cmp.Compare(a.since, b.since) })
	for _, oldest := range all[:(len(all)+15)/16] { // several at once, because each call searches all connections
		g.close(oldest.conn)
	}
	if len(all) == 0 && g.silent.Len() > 0 {
		g.closeSilent()
	}
	return len(g.conns) < g.maxOpen
}

func (g *Guard) closeSilent() {
	oldest, _ := g.silent.Remove(g.silent.Front()).(net.Conn)
	g.close(oldest)
}

func (g *Guard) close(c net.Conn) {
	delete(g.conns, c)
	g.closed++
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn() // closing the tls.Conn would wait until its closing alert is sent
	}
	_ = c.Close()
}

// Closed returns the number of connections that the guard has closed.
func (g *Guard) Closed() float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return float64(g.closed)
}

package certs

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// maxSilent is how many connections may be without a request at once: in the handshake, or after it.
const maxSilent = 2048

// Guard keeps connections that do not get on from keeping out others: of too many without a request the oldest is closed.
// An honest handshake takes milliseconds, so the oldest are those that dawdle. It is for ConnState of one server.
type Guard struct {
	max int

	mu     sync.Mutex
	silent *list.List // of net.Conn, the oldest first
	at     map[net.Conn]*list.Element
	closed uint64
}

// NewGuard makes a guard.
func NewGuard() *Guard { return newGuard(maxSilent) }

func newGuard(limit int) *Guard {
	return &Guard{max: limit, silent: list.New(), at: map[net.Conn]*list.Element{}}
}

// ConnState is for http.Server.
func (g *Guard) ConnState(c net.Conn, s http.ConnState) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s != http.StateNew {
		if e := g.at[c]; e != nil {
			g.silent.Remove(e)
			delete(g.at, c)
		}
		return
	}
	g.at[c] = g.silent.PushBack(c)
	if g.silent.Len() > g.max {
		oldest, _ := g.silent.Remove(g.silent.Front()).(net.Conn)
		delete(g.at, oldest)
		g.closed++
		if t, ok := oldest.(*tls.Conn); ok {
			oldest = t.NetConn() // a farewell would wait for it
		}
		_ = oldest.Close()
	}
}

// Closed is how many connections were closed so.
func (g *Guard) Closed() float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return float64(g.closed)
}

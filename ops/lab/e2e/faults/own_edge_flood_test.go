package faults

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"switchyard/db/dbtest"
	"switchyard/models/await"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
	"switchyard/ops/lab/fleet"
)

// The size of the flood and the limits of its costs.
const (
	floodAtOnce = 48
	floodMemory = 96 << 10 // kB by which a web process may grow
	floodScans  = 500      // scans of the tables that a handshake could read; periodic jobs cause some of them
)

// TestHandshakeFlood floods two web processes with handshakes for unverified names, first as visitors make them and then as CAs
// do. The processes order no certificates, do not query the database and keep no memory of the names. They complete other
// handshakes.
func TestHandshakeFlood(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	names := 2000
	if longtest.On() {
		names = 20_000
	}
	e := newEdgeEnv(t, true)
	other, otherPort := e.secondWeb()
	e.start("web", "clock", "worker")
	// A domain that is added but not verified is treated like an unknown domain.
	const stranger = "stranger.example"
	if err := e.api.Do(t.Context(), http.StatusCreated, http.MethodPost, "/domains", map[string]any{"domain": stranger}, nil); err != nil {
		t.Fatal(err)
	}
	e.awaitOwnHost()
	await.Until(t, "both web processes serve the install's own host", func() bool {
		for range 4 {
			if _, err := e.shake(trackingHost); err != nil {
				return false
			}
		}
		return true
	})
	processes := []*fleet.Process{e.Find("web"), other}
	orders, scans, memory := e.ca.Orders(), e.edgeScans(), []int{e.resident(processes[0]), e.resident(processes[1])}

	served := e.whileServed(func() {
		for _, protocol := range []string{"h2", "acme-tls/1"} {
			var all sync.WaitGroup
			places := make(chan struct{}, floodAtOnce)
			for n := range names {
				name := fmt.Sprintf("n%d.flood.example", n)
				if n%10 == 0 {
					name = stranger
				}
				places <- struct{}{}
				all.Go(func() {
					defer func() { <-places }()
					e.refused([]int{e.seen[1], otherPort}[n%2], name, protocol)
				})
			}
			all.Wait()
		}
	})
	if served == 0 {
		t.Error("no other handshake succeeded during the flood")
	}
	if now := e.ca.Orders(); now != orders {
		t.Errorf("the flood caused %d orders, want none", now-orders)
	}
	if now := e.edgeScans(); now-scans > floodScans {
		t.Errorf("%d scans of the edge's tables", now-scans)
	}
	for n, p := range processes {
		grown := e.resident(p) - memory[n]
		if grown > floodMemory {
			t.Errorf("web process %d has grown by %d kB", n, grown)
		}
		t.Logf("web process %d has grown by %d kB in %d handshakes", n, grown, names)
	}
	t.Logf("%d handshakes with the install's own host meanwhile", served)
}

// refused makes a handshake, which the server must answer with "unrecognized name".
func (e *edgeEnv) refused(port int, name, protocol string) {
	e.Helper()
	d := tls.Dialer{Config: &tls.Config{ServerName: name, NextProtos: []string{protocol}, InsecureSkipVerify: true}}
	conn, err := d.DialContext(e.Context(), "tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err == nil {
		_ = conn.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "unrecognized name") {
		e.Errorf("the handshake for %s with protocol %s was not refused: %v", name, protocol, err)
	}
}

// whileServed returns how many handshakes with the install's own host succeeded while fn ran.
func (e *edgeEnv) whileServed(fn func()) (served int) {
	e.Helper()
	over := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
			}
			if _, err := e.shake(trackingHost); err != nil {
				e.Errorf("a handshake for the own host failed during the flood: %v", err)
				return
			}
			served++
		}
	})
	fn()
	close(over)
	all.Wait()
	return served
}

// edgeScans returns how often the tables that a handshake could read were scanned.
func (e *edgeEnv) edgeScans() int {
	e.Helper()
	return dbtest.Get[int](e, e.db, `SELECT sum(coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::int
		FROM pg_stat_user_tables WHERE relname IN ('edge_hosts', 'acme_challenges', 'certificates')`)
}

// resident returns the memory of a process in kB.
func (e *edgeEnv) resident(p *fleet.Process) int {
	e.Helper()
	n, err := p.Memory("VmRSS")
	if err != nil {
		e.Fatal(err)
	}
	return n
}

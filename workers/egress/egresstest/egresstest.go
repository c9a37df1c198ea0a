// Package egresstest makes clients for tests. They may reach servers on this machine.
package egresstest

import (
	"encoding/pem"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"switchyard/workers/egress"
)

// Loopback are addresses of this machine, for egress.Options.Allow.
var Loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// CAFile writes the certificate of a server to a file, for egress.Options.
func CAFile(tb testing.TB, server *httptest.Server) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, cert, 0o600); err != nil {
		tb.Fatal(err)
	}
	return file
}

// Client makes a client that trusts a server on this machine and may reach it.
func Client(tb testing.TB, server *httptest.Server, o egress.Options) *egress.Client {
	tb.Helper()
	o.CAFile, o.Allow = CAFile(tb, server), Loopback
	c, err := egress.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// Package egresstest gives tests clients that reach servers on this machine.
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

// Loopback are the addresses of this machine, which a client reaches only if it is allowed to.
var Loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// CAFile writes the certificate of a server to a file, for egress.Options.
func CAFile(t testing.TB, server *httptest.Server) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Client makes a client of o that trusts a server on this machine and may reach it.
func Client(t testing.TB, server *httptest.Server, o egress.Options) *egress.Client {
	t.Helper()
	o.CAFile, o.Allow = CAFile(t, server), Loopback
	c, err := egress.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

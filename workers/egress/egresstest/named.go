package egresstest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"switchyard/models/await"
)

// Broken is a zone that a server has and cannot answer for.
const Broken = "broken"

// Named starts a BIND that answers for zones, each with its records; one of Broken is answered by SERVFAIL. Without BIND
// the test is skipped. Stop ends it.
func Named(t testing.TB, zones map[string]string) (server netip.AddrPort, stop func()) {
	t.Helper()
	program, err := exec.LookPath("named")
	if err != nil {
		if _, err = os.Stat("/usr/sbin/named"); err != nil {
			t.Skip("there is no named: install bind9")
		}
		program = "/usr/sbin/named"
	}
	dir := t.TempDir()
	server = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), freePort(t))
	conf := fmt.Sprintf(`options {
	directory %q; pid-file none; listen-on port %d { 127.0.0.1; }; listen-on-v6 { none; };
	recursion no; empty-zones-enable no; dnssec-validation no; notify no; allow-transfer { none; };
};
controls {};
`, dir, server.Port())
	for zone, records := range zones {
		file := zone + ".zone"
		conf += fmt.Sprintf("zone %q { type primary; file %q; };\n", zone, file)
		if records != Broken {
			records = "$TTL 60\n@ SOA ns.test. admin.test. 1 60 60 60 60\n@ NS ns.test.\n" + records + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(records), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "named.conf")
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, program, "-g", "-c", path, "-n", "1") //nolint:gosec // of this system
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed
		close(ended)
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(func() {
		if stop(); t.Failed() {
			t.Log(strings.TrimSpace(said.String()))
		}
	})
	await.Until(t, "named answers", func() bool {
		select {
		case <-ended:
			t.Fatal("named has ended")
		default:
		}
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.String())
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return server, stop
}

// freePort is a port that nobody has, neither for TCP nor for UDP.
func freePort(t testing.TB) uint16 {
	t.Helper()
	for range 20 {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		at := netip.MustParseAddrPort(l.Addr().String())
		p, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", at.String())
		_ = l.Close()
		if err == nil {
			_ = p.Close()
			return at.Port()
		}
	}
	t.Fatal("no port is free")
	return 0
}

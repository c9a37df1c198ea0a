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
	"switchyard/models/parttest"
)

// Broken is the text of a zone that the server cannot load. The server answers SERVFAIL for such a zone.
const Broken = "broken"

// Named starts a BIND that answers for zones. The map has the records of each zone, or Broken, by the zone's name. Without BIND the
// test is skipped. The returned function ends the server.
func Named(tb testing.TB, zones map[string]string) (server netip.AddrPort, stop func()) {
	tb.Helper()
	return startNamed(tb, zones, Key{})
}

// Key is a TSIG key; Secret is in base64.
type Key struct{ Name, Algorithm, Secret string }

// NamedWithKey is Named with a key. Requests that are signed with the key may change the zones.
func NamedWithKey(tb testing.TB, zones map[string]string, key Key) (server netip.AddrPort, stop func()) {
	tb.Helper()
	return startNamed(tb, zones, key)
}

func startNamed(tb testing.TB, zones map[string]string, key Key) (server netip.AddrPort, stop func()) {
	tb.Helper()
	parttest.Needs(tb, parttest.Edge)
	program, err := exec.LookPath("named")
	if err != nil {
		if _, err = os.Stat("/usr/sbin/named"); err != nil {
			tb.Skip("there is no named: install bind9")
		}
		program = "/usr/sbin/named"
	}
	dir := tb.TempDir()
	server = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), freePort(tb))
	var conf strings.Builder
	fmt.Fprintf(&conf, `options {
	directory %q; pid-file none; listen-on port %d { 127.0.0.1; }; listen-on-v6 { none; };
	recursion no; empty-zones-enable no; dnssec-validation no; notify no; allow-transfer { none; };
};
controls {};
`, dir, server.Port())
	var updates string
	if key.Name != "" {
		fmt.Fprintf(&conf, "key %q { algorithm %s; secret %q; };\n", key.Name, key.Algorithm, key.Secret)
		updates = fmt.Sprintf(" allow-update { key %q; };", key.Name)
	}
	for zone, records := range zones {
		file := zone + ".zone"
		fmt.Fprintf(&conf, "zone %q { type primary; file %q;%s };\n", zone, file, updates)
		if records != Broken {
			records = "$TTL 60\n@ SOA ns.test. admin.test. 1 60 60 60 60\n@ NS ns.test.\n" + records + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(records), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	path := filepath.Join(dir, "named.conf")
	if err := os.WriteFile(path, []byte(conf.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, program, "-g", "-c", path, "-n", "1") //nolint:gosec // the program is this system's named
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		cancel()
		tb.Fatal(err)
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
	tb.Cleanup(func() {
		if stop(); tb.Failed() {
			tb.Log(strings.TrimSpace(output.String()))
		}
	})
	await.Until(tb, "named answers", func() bool {
		select {
		case <-ended:
			tb.Fatal("named has ended")
		default:
		}
		c, err := (&net.Dialer{}).DialContext(tb.Context(), "tcp", server.String())
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return server, stop
}

// freePort returns a port that is free for both TCP and UDP.
func freePort(tb testing.TB) uint16 {
	tb.Helper()
	for range 20 {
		l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		at := netip.MustParseAddrPort(l.Addr().String())
		p, err := (&net.ListenConfig{}).ListenPacket(tb.Context(), "udp", at.String())
		_ = l.Close()
		if err == nil {
			_ = p.Close()
			return at.Port()
		}
	}
	tb.Fatal("no port is free")
	return 0
}

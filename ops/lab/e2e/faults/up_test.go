package faults

import (
	"bytes"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"switchyard/models/parttest"
	"switchyard/ops/client"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
)

// TestUp runs a whole service in one process, which listens only at loopback. The process prints the API key only at the first
// start. It serves the operators' pages only under the host 127.0.0.1.
func TestUp(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	f := e2e.StartFleet(t, fleet.Options{Env: []string{"LOG_LEVEL=info", "OPS_ADDR="}})
	first := greeting(t, f)
	if first.key == "" {
		t.Error("the first start printed no key")
	}
	for host, want := range map[string]int{
		"127.0.0.1": 200, "localhost": 404, "go.customer.example": 404, "10.0.0.7": 404,
	} {
		for _, path := range []string{"/ops/queues", "/metrics"} {
			if got := fetch(t, f.URL+path, host, f.OpsPassword); got != want {
				t.Errorf("%s under the host %s: status %d, want %d", path, host, got, want)
			}
		}
	}
	if got := fetch(t, f.URL+"/metrics", "127.0.0.1", ""); got != http.StatusUnauthorized {
		t.Errorf("the metrics without the password: status %d, want 401", got)
	}
	onlyLoopback(t, f.URL)
	if err := f.Command(t.Context(), nil, "demo", "--clicks", "150", "--url", f.URL); err != nil {
		t.Fatal(err)
	}
	f.Find("up").Kill()
	second := greeting(t, f)
	if second.link != first.link || second.key != "" {
		t.Errorf("the second start printed %+v, want the link of %+v and no key", second, first)
	}
	log := f.Find("up").Log()
	if bytes.Contains(log, []byte(first.key)) || !bytes.Contains(log, []byte("keys create --account ")) {
		t.Errorf("the second start does not print how to make a key, or prints the old key: %s", log)
	}
	f.Find("up").Stop()
	if log := f.Find("up").Log(); !bytes.Contains(log, []byte("stopped")) {
		t.Errorf("the process did not shut down cleanly: %s", log)
	}
	if files, err := filepath.Glob(filepath.Join(f.Dir, "data", "*.json")); err != nil || len(files) == 0 {
		t.Errorf("the data directory has the JSON files %v, want at least one: %v", files, err)
	}
}

func onlyLoopback(t *testing.T, address string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		prefix, err := netip.ParsePrefix(a.String())
		if err != nil || prefix.Addr().IsLoopback() || prefix.Addr().IsLinkLocalUnicast() {
			continue
		}
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", net.JoinHostPort(prefix.Addr().String(), u.Port()))
		if err == nil {
			_ = conn.Close()
			t.Errorf("the process listens at %s, want only loopback", prefix.Addr())
		}
	}
}

// startOutput holds the key and the tracking link that "up" prints. key is empty if it was printed before.
type startOutput struct{ key, link string }

var startPattern = regexp.MustCompile(`(?s)key +(sy_\S+|shown).*tracking link +(\S+).*operators +\S+/ops/queues`)

func greeting(t *testing.T, f *fleet.Fleet) startOutput {
	t.Helper()
	p, err := f.Spawn("up")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	var found [][]byte
	err = client.Poll(t.Context(), 50*time.Millisecond, func() (bool, error) {
		found = startPattern.FindSubmatch(p.Log())
		return found != nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s := startOutput{strings.TrimPrefix(string(found[1]), "shown"), string(found[2])}
	if u, err := url.Parse(s.link); err != nil || len(u.Path) < 6 {
		t.Errorf("tracking link %q, %v", s.link, err)
	}
	return s
}

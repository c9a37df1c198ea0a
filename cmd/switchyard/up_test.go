package main

import (
	"bytes"
	"net/url"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"switchyard/ops/client"
	"switchyard/ops/lab/fleet"
)

// TestUp: one process is a whole service. It says where everything is, its link sends visitors on, its demo account
// takes traffic, and started again it has the same account and link.
func TestUp(t *testing.T) {
	t.Parallel()
	f := startFleet(t, fleet.Options{Env: []string{"LOG_LEVEL=info"}})
	first := greeting(t, f)
	if err := f.Command(t.Context(), nil, "demo", "--clicks", "150", "--url", f.URL); err != nil {
		t.Fatal(err)
	}
	f.Find("up").Kill()
	if second := greeting(t, f); second != first {
		t.Errorf("started again it has %+v, it had %+v", second, first)
	}
	f.Find("up").Stop()
	if log := f.Find("up").Log(); !bytes.Contains(log, []byte("stopped")) {
		t.Errorf("it did not stop in order: %s", log)
	}
	if files, err := filepath.Glob(filepath.Join(f.Dir, "data", "*.json")); err != nil || len(files) == 0 {
		t.Errorf("kept files %v, %v", files, err)
	}
}

// said is what "up" tells its user.
type said struct{ key, link string }

var told = regexp.MustCompile(`(?s)key +(sy_\S+).*tracking link +(\S+).*operators +\S+/ops/queues`)

// greeting starts "up" and reads what it says once everything runs.
func greeting(t *testing.T, f *fleet.Fleet) said {
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
		found = told.FindSubmatch(p.Log())
		return found != nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s := said{string(found[1]), string(found[2])}
	if u, err := url.Parse(s.link); err != nil || len(u.Path) < 6 {
		t.Errorf("tracking link %q, %v", s.link, err)
	}
	return s
}

package egress_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"switchyard/models/longtest"
	"switchyard/models/netguard/netguardtest"
	"switchyard/workers/egress"
)

// TestPrivateAddresses: no form of a private address is connected to, neither as a literal nor as one of a name's addresses.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	if n := len(netguardtest.Private) + len(netguardtest.Disguised); n < 60 {
		t.Fatalf("%d forms, want at least 60", n)
	}
	c := newServer(t, func(http.ResponseWriter, *http.Request) {})
	wantBlocked := func(what string, n *names, to string) {
		t.Helper()
		o := egress.Options{CAFile: c.ca}
		if n != nil {
			o.Resolver = n
		}
		_, cancel, err := egress.Request(t.Context(), time.Second, http.MethodGet, to, nil)
		if err != nil {
			return // not a valid URL
		}
		cancel()
		if _, err := do(t, o, to); class(err) != egress.Blocked {
			t.Errorf("%s: %v (%q), want blocked", what, err, class(err))
		}
	}
	for _, a := range netguardtest.Private {
		literal := a
		if strings.Contains(a, ":") {
			literal = "[" + a + "]"
		}
		wantBlocked(a, nil, "https://"+literal+":"+c.port+"/")
		for _, answer := range [][]string{{a}, {"93.184.215.14", a}, {a, "2606:4700::1111"}} {
			wantBlocked(strings.Join(answer, "+"), &names{answers: [][]string{answer}}, "https://example.com:"+c.port+"/")
		}
	}
	for _, host := range netguardtest.Disguised {
		wantBlocked(host, &names{answers: [][]string{{"127.0.0.1"}}}, "https://"+host+":"+c.port+"/")
	}
	for _, to := range []string{"https://user@127.0.0.1:", "https://example.com@127.0.0.1:", "https://127.0.0.1:1@127.0.0.1:"} {
		wantBlocked(to, nil, to+c.port)
	}
	if n := c.conns.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
	off := egress.Options{
		CAFile: c.ca, Resolver: &names{answers: [][]string{{"127.0.0.1"}}},
		Allow: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")},
	}
	if _, err := do(t, off, "https://example.com:"+c.port); err != nil || c.conns.Load() == 0 {
		t.Errorf("with the guard off: %v, %d connections seen", err, c.conns.Load())
	}
}

// dials matches code that connects to other hosts.
var dials = regexp.MustCompile(`http\.(Client\{|Transport\{|DefaultClient|DefaultTransport|Get\(|Post\(|PostForm\(|Head\()|` +
	`net\.(Dial|Dialer\{)|tls\.Dial`)

// waysOut lists the files that may dial: the guard, its client for libraries, the look-ups at the operator's DNS servers, and the
// API client, which customers run.
var waysOut = []string{"workers/egress/egress.go", "workers/egress/names.go", "workers/egress/library.go", "api/clients/go/client.go"}

// TestOnlyWayOut: api, workers, jobs and models connect to other hosts only in the files of waysOut.
func TestOnlyWayOut(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, folder := range []string{"api", "workers", "jobs", "models"} {
		err := filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.HasSuffix(filepath.Dir(path), "test") { // packages for tests
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			found := dials.FindAllString(string(text), -1)
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
			if seen[name] = len(found) > 0; seen[name] && !slices.Contains(waysOut, name) {
				t.Errorf("%s connects to other hosts with %v", path, found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range waysOut {
		if !seen[name] {
			t.Errorf("the pattern does not find the dial in %s, so the test proves nothing", name)
		}
	}
}

// TestHostileAnswers: every request to a server with hostile answers ends; the long form has more requests, the time limit of
// webhooks, and also checks time and memory.
func TestHostileAnswers(t *testing.T) {
	limit, parallel := longtest.Size(time.Second, 10*time.Second), longtest.Size(15, 50)
	if !longtest.On() {
		t.Parallel()
	}
	c := newServer(t, hostile)
	client, err := egress.New(egress.Options{
		CAFile: c.ca, Resolver: &names{answers: [][]string{{"127.0.0.1"}}}, Allow: loopback,
	})
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{"/drip", "/endless", "/bomb", "/header", "/redirect", "/cut", "/informational", "/silence"}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begin := time.Now()
	var all sync.WaitGroup
	for i := range parallel {
		all.Go(func() {
			req, cancel, err := egress.Request(t.Context(), limit, http.MethodPost,
				"https://example.com:"+c.port+kinds[i%len(kinds)], strings.NewReader("{}"))
			if err != nil {
				t.Error(err)
				return
			}
			defer cancel()
			a, err := client.Do(req)
			if len(a.Body) > 16<<10 {
				t.Errorf("%s: %d bytes kept", req.URL.Path, len(a.Body))
			}
			if redirect := a.Status == http.StatusTemporaryRedirect; err == nil && !redirect && req.URL.Path != "/bomb" {
				t.Errorf("%s: %d without an error", req.URL.Path, a.Status)
			}
		})
	}
	all.Wait()
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%d hostile answers within %s, heap grown by %d kB", parallel, time.Since(begin).Round(time.Millisecond), grown>>10)
	if longtest.On() && (time.Since(begin) > 10500*time.Millisecond || grown > 20<<20) {
		t.Error("the hostile answers took more than 10.5 s or 20 MB")
	}
}

func hostile(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // the server notices that the caller has gone only after reading the body
	flush := func() { _ = http.NewResponseController(w).Flush() }
	switch r.URL.Path {
	case "/drip":
		for tick := time.NewTicker(100 * time.Millisecond); r.Context().Err() == nil; <-tick.C {
			_, _ = w.Write([]byte("x"))
			flush()
		}
	case "/endless":
		for block := make([]byte, 64<<10); r.Context().Err() == nil; {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	case "/bomb":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 128 {
			_, _ = z.Write(make([]byte, 64<<10))
		}
		_ = z.Close()
	case "/header":
		w.Header().Set("X-Long", strings.Repeat("x", 100_000))
	case "/redirect":
		http.Redirect(w, r, "/target", http.StatusTemporaryRedirect)
	case "/cut":
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("short"))
		flush()
		panic(http.ErrAbortHandler)
	case "/informational":
		for r.Context().Err() == nil {
			w.WriteHeader(http.StatusEarlyHints)
		}
	case "/target":
		panic("followed")
	default:
		<-r.Context().Done()
	}
}

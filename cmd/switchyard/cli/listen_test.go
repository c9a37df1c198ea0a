package cli

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"switchyard/models/await"
	"switchyard/ops/client"
)

// occupy listens on a free port.
func occupy(t *testing.T) net.Listener {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// TestPortInUse: a restarted process waits for its port and listens once the port is free.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	held := occupy(t)
	waits := 0
	l, err := port{addr: held.Addr().String(), setting: "PORT", limit: await.Timeout, waiting: func() {
		waits++
		_ = held.Close()
	}}.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.Addr().String() != held.Addr().String() || waits != 1 {
		t.Errorf("the process listens on %s after %d waits, want the held port after 1 wait", l.Addr(), waits)
	}
}

// TestPortStaysInUse: the wait ends with an error that says what to do.
func TestPortStaysInUse(t *testing.T) {
	t.Parallel()
	held := occupy(t)
	_, err := port{addr: held.Addr().String(), setting: "PORT", limit: time.Millisecond}.open(t.Context())
	if err == nil || !strings.Contains(err.Error(), "in use") || !strings.Contains(err.Error(), "PORT chooses another") {
		t.Errorf("the error is %v, want one that says that the address is in use and that PORT chooses another", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	_, err = port{addr: held.Addr().String(), setting: "PORT", waiting: stop}.open(stopped)
	if err == nil {
		t.Error("the process listens on a port that is in use")
	}
}

// TestPortOfNobody: an address of another machine is an error at once, because waiting does not help.
func TestPortOfNobody(t *testing.T) {
	t.Parallel()
	p := port{addr: "192.0.2.1:8080", setting: "OPS_ADDR", waiting: func() { t.Error("the process waits for the port") }}
	if _, err := p.open(t.Context()); err == nil || !strings.Contains(err.Error(), "OPS_ADDR") {
		t.Errorf("the error is %v, want one that names OPS_ADDR", err)
	}
	if _, err := serveBeside(t.Context(), p, http.NotFoundHandler()); err == nil {
		t.Error("serveBeside returned no error for an address of another machine")
	}
}

// TestServeBeside: a process starts while another one holds the operators' port, and serves it once it is free.
func TestServeBeside(t *testing.T) {
	t.Parallel()
	held := occupy(t)
	waiting := make(chan struct{})
	p := port{addr: held.Addr().String(), setting: "OPS_ADDR", waiting: func() { close(waiting) }}
	stop, err := serveBeside(t.Context(), p, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "here")
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	await.Recv(t, waiting)
	_ = held.Close()
	ctx, cancel := context.WithTimeout(t.Context(), await.Timeout)
	defer cancel()
	err = client.Poll(ctx, 10*time.Millisecond, func() (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.addr, nil)
		if err != nil {
			return false, err
		}
		got, err := http.DefaultClient.Do(req)
		if err != nil {
			return false, nil //nolint:nilerr // the process does not serve yet
		}
		return got.StatusCode == http.StatusOK, got.Body.Close()
	})
	if err != nil {
		t.Error(err)
	}
}

// TestStart: at the dashboard's host, / leads to the dashboard. At a host of tracking links, / is answered like a link, even if it is
// the dashboard's host too.
func TestStart(t *testing.T) {
	t.Parallel()
	click := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNotFound) })
	links := func(host string) bool { return host == "go.test" }
	for _, c := range []struct {
		dashboard, host, path string
		want                  int
	}{
		{"app.test", "app.test", "/", http.StatusFound},
		{"app.test", "APP.test.:8080", "/?a=b", http.StatusFound},
		{"app.test", "app.test", "/alias", http.StatusNotFound},
		{"app.test", "go.test", "/", http.StatusNotFound},
		{"go.test", "go.test", "/", http.StatusNotFound},
		{"shared.test", "shared.test", "/", http.StatusNotFound},
		{"", "app.test", "/", http.StatusNotFound},
	} {
		h := &handlers{click: click, dashboard: c.dashboard, links: []string{"shared.test"}, domain: links}
		r, rec := httptest.NewRequest(http.MethodGet, c.path, nil), httptest.NewRecorder()
		r.Host = c.host
		h.ServeHTTP(rec, r)
		if to := rec.Header().Get("Location"); rec.Code != c.want || (to == "/app") != (c.want == http.StatusFound) {
			t.Errorf("%+v: the answer is %d with the Location %q", c, rec.Code, to)
		}
	}
}

// TestTarget sends request targets of every form. A whole address of a host that is served here is answered like its path,
// whatever the Host header says. Any other target that is not a path is refused.
func TestTarget(t *testing.T) {
	t.Parallel()
	l := occupy(t)
	h := &handlers{own: []string{"app.test"}, domain: func(host string) bool { return host == "go.test" }}
	srv := newServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(rw, "seen "+r.Host+" "+r.URL.String()+" "+r.RequestURI+"!")
	}), h.serves)
	defer srv.Close()
	go func() { _ = srv.Serve(l) }()
	for line, want := range map[string]string{
		"GET /x?y=http://z/": "seen a.test /x?y=http://z/ /x?y=http://z/!", "OPTIONS /": "seen a.test / /!", "CONNECT /x": "seen a.test /x /x!",
		"GET http://go.test/x?y=%zz&z": "seen go.test /x?y=%zz&z /x?y=%zz&z!", "POST HTTPS://GO.test:8080/postback": "seen GO.test:8080 /postback /postback!",
		"GET http://app.test": "seen app.test / /!", "HEAD http://go.test./x": "", "GET http://go.test?a=1": "seen go.test /?a=1 /?a=1!",
		"GET http://go.test/a%2Fb": "seen go.test /a%2Fb /a%2Fb!",
		"GET http://evil.test/x":   "400", "GET HTTPS://evil.test": "400", "GET http://go.test@evil.test/": "400", "GET http://u@go.test/": "400",
		"GET ftp://go.test/": "400", "GET http:go.test": "400", "GET http:///x": "400", "CONNECT go.test:443": "400", "OPTIONS *": "400", "GET *": "400",
		"GET go.test": "400", "GET x": "400", "GET http://a.test/": "400",
	} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, line+" HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(conn)
		_ = conn.Close()
		status, seen := "200", want
		if want == "400" {
			status, seen = want, ""
		}
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 "+status) || strings.Contains(string(answer), "seen") != (seen != "") ||
			!strings.Contains(string(answer), seen) {
			t.Errorf("%s is answered with %q, want %s and the handler's text %q: %v", line, answer, status, seen, err)
		}
	}
}

// TestChunksClose: the server closes the connection after chunked and HTTP/1.0 requests.
func TestChunksClose(t *testing.T) {
	t.Parallel()
	l := occupy(t)
	srv := newServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = rw.Write(body)
	}), nil)
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	const post, chunks = "POST / HTTP/1.1\r\nHost: a\r\n", "\r\n3\r\nabc\r\n0\r\n\r\n"
	for request, want := range map[string]int{
		post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n" + chunks:                                     1,
		post + "Transfer-Encoding: chunked\r\n" + chunks:                                                          1,
		"POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc": 1,
		post + "Content-Length: 3\r\n\r\nabc":                                                                     2,
	} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, request+"GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(conn) // a reset ends the connection too
		if n := strings.Count(string(got), "200 OK"); n != want {
			t.Errorf("%q is answered %d times, want %d: %q", request, n, want, got)
		}
	}
}
